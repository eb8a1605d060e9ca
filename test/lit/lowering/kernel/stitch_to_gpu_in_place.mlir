// RUN: stitch-opt %s --stitch-pipeline --convert-stitch-to-gpu | FileCheck %s

// The buffer is filled once, in the output, and never copied: the kernel of an iteration stores its four elements at the
// start that it computes (from the counter, argument 0), as a vector. A second stack has what comes in: a copy root.

// CHECK: gpu.func @fusion_0(%{{.*}}: memref<4xf32>
// CHECK: gpu.func @[[STEP:fusion_[0-9]+]](%[[I:arg[0-9]+]]: memref<1xi32>
// CHECK-SAME: %[[STACK:arg[0-9]+]]: memref<28xf32> {llvm.align = 16 : i64}, %[[INPUTS:arg[0-9]+]]: memref<28xf32> {llvm.align = 16 : i64})
// CHECK-DAG: arith.subi %{{.*}}, %{{.*}} : i32
// CHECK-DAG: vector.store %{{.*}}, %[[STACK]][%{{.*}}] {alignment = 16 : i64} : memref<28xf32>, vector<4xf32>
// CHECK-DAG: vector.store %{{.*}}, %[[INPUTS]][%{{.*}}] {alignment = 16 : i64} : memref<28xf32>, vector<4xf32>

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: memref<4xf32>, %[[Y:[a-z0-9]+]]: memref<7x4xf32>, %[[Z:[a-z0-9]+]]: memref<7x4xf32>
// CHECK-DAG: %[[FLAT_Y:.*]] = memref.reinterpret_cast %[[Y]] to
// CHECK-DAG: %[[FLAT_Z:.*]] = memref.reinterpret_cast %[[Z]] to
// CHECK: gpu.launch_func @kernels::@fusion_0 {{.*}} args(%{{.*}} : memref<4xf32>, %[[FLAT_Y]] : memref<28xf32>, %[[FLAT_Z]] : memref<28xf32>)
// CHECK: scf.for
// CHECK: gpu.launch_func @kernels::@[[STEP]] {{.*}}%[[FLAT_Y]] : memref<28xf32>, %[[FLAT_Z]] : memref<28xf32>)
// CHECK-NOT: gpu.launch_func
// CHECK: return
func.func @main(%x: tensor<4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %six = tg.constant dense<6> : tensor<i32>
  %seven = tg.constant dense<7> : tensor<i32>
  %rows = tg.broadcast %x dims [1] : (tensor<4xf32>) -> tensor<7x4xf32>
  %filled = tg.exp %rows : tensor<7x4xf32>
  %nothing = tg.neg %filled : tensor<7x4xf32>
  %0:4 = tg.while(%i = %zero, %v = %x, %s = %filled, %t = %nothing) : tensor<i32>, tensor<4xf32>, tensor<7x4xf32>, tensor<7x4xf32> cond {
    %1 = tg.compare lt, %i, %seven : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %one : tensor<i32>
    %2 = tg.tanh %v : tensor<4xf32>
    %3 = tg.reshape %2 : (tensor<4xf32>) -> tensor<1x4xf32>
    %4 = tg.sub %six, %i : tensor<i32>
    %5 = tg.dynamic_update_slice %s[%4, %zero], %3 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
    %6 = tg.reshape %v : (tensor<4xf32>) -> tensor<1x4xf32>
    %7 = tg.dynamic_update_slice %t[%i, %zero], %6 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
    tg.yield %1, %2, %5, %7 : tensor<i32>, tensor<4xf32>, tensor<7x4xf32>, tensor<7x4xf32>
  }
  return %0#2, %0#3 : tensor<7x4xf32>, tensor<7x4xf32>
}
