// RUN: stitch-opt %s --stitch-pipeline --convert-stitch-to-gpu -split-input-file | FileCheck %s
// RUN: stitch-opt %s --pass-pipeline="builtin.module(stitch-pipeline,convert-stitch-to-gpu,func.func(convert-scf-to-cf),convert-host-to-llvm)" -split-input-file | FileCheck %s --check-prefix=LLVM

// Five iterations, so the last one writes what `next` was at first: the output. The weight does not change and stays
// where it is.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4xf32>, %[[W:[a-z0-9]+]]: memref<4xf32>, %[[Y:[a-z0-9]+]]: memref<4xf32>, %[[ARENA:.*]]: memref
// CHECK: %[[SPARE:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<{{.*}}xi8> to memref<4xf32>
// CHECK: %[[COUNT:.*]] = arith.constant 5 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]] step %{{.*}} iter_args(
// CHECK-SAME: %[[CURRENT:[a-z0-9]+]] = %[[X]], %[[NEXT:[a-z0-9]+]] = %[[Y]], %[[LATER:[a-z0-9]+]] = %[[SPARE]])
// CHECK: gpu.launch_func @kernels::@fusion_{{[0-9]}} {{.*}} args(%[[I:.*]] : memref<1xi32>, %[[CURRENT]] : memref<4xf32>, %[[W]] : memref<4xf32>, %[[J:.*]] : memref<1xi32>, %[[NEXT]] : memref<4xf32>)
// CHECK: scf.yield {{.*}}%[[NEXT]], %[[LATER]], %[[NEXT]] :
// CHECK-NOT: gpu.launch_func
// CHECK: return

// LLVM-LABEL: llvm.func @stitch_host_main(
// LLVM-SAME: stitch.kernels = ["fusion_0"
// LLVM: llvm.br ^[[HEADER:bb[0-9]+]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i64, !llvm.ptr, !llvm.ptr, !llvm.ptr
// LLVM: llvm.icmp "slt"
// LLVM: llvm.call @stitchLaunchKernel
// LLVM: llvm.br ^[[HEADER]]
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %five = tg.constant dense<5> : tensor<i32>
  %0:3 = tg.while(%i = %zero, %v = %x, %c = %w) : tensor<i32>, tensor<4xf32>, tensor<4xf32> cond {
    %1 = tg.compare lt, %i, %five : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %one : tensor<i32>
    %2 = tg.mul %v, %c : tensor<4xf32>
    tg.yield %1, %2, %c : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// -----

// The host reads the condition back; which buffer is the last is not known, so the result is copied.
// CHECK-LABEL: func.func @main(
// CHECK: %[[HOST:.*]] = memref.alloca() : memref<1xi8>
// CHECK: %[[R:.*]]:3 = scf.while
// CHECK: gpu.launch_func @kernels::@fusion_0
// CHECK: %[[BEFORE:.*]] = gpu.wait async
// CHECK: %[[AFTER:.*]] = gpu.memcpy async [%[[BEFORE]]] %[[HOST]], %{{.*}} : memref<1xi8>, memref<1xi8>
// CHECK: gpu.wait [%[[AFTER]]]
// CHECK: %[[BYTE:.*]] = memref.load %[[HOST]]
// CHECK: %[[GO:.*]] = arith.cmpi ne, %[[BYTE]]
// CHECK: scf.condition(%[[GO]])
// CHECK: gpu.launch_func @kernels::@fusion_1
// CHECK: gpu.launch_func @kernels::@copy_{{.*}} args(%[[R]]#0 :

// LLVM: llvm.call @stitchReadDevice
// LLVM: llvm.cond_br
func.func @main(%x: tensor<4xf32>, %limit: tensor<f32>) -> tensor<4xf32> {
  %0 = tg.while(%v = %x) : tensor<4xf32> cond {
    %1 = tg.reduce add %v dims [0] : (tensor<4xf32>) -> tensor<f32>
    %2 = tg.compare lt, %1, %limit : tensor<f32>
    tg.yield %2 : tensor<i1>
  } do {
    %1 = tg.exp %v : tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Each branch writes the output; one that yields an input copies it.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4xf32>, %{{.*}}: memref<i8>, %[[I:[a-z0-9]+]]: memref<i32>, %[[Y:[a-z0-9]+]]: memref<4xf32>
// CHECK: scf.if
// CHECK: gpu.launch_func @kernels::@fusion_0 {{.*}} args(%[[X]] : memref<4xf32>, %[[T:.*]] : memref<4xf32>)
// CHECK: else
// CHECK: gpu.launch_func @kernels::@copy_{{.*}} args(%[[X]] : memref<4xf32>, %[[T]] : memref<4xf32>)
// CHECK: scf.index_switch
// CHECK: case 0
// CHECK: gpu.launch_func {{.*}} args(%[[T]] : memref<4xf32>, %[[Y]] : memref<4xf32>)
// CHECK: default
// CHECK: gpu.launch_func @kernels::@copy_{{.*}} args(%[[T]] : memref<4xf32>, %[[Y]] : memref<4xf32>)

// LLVM: llvm.switch
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>, %i: tensor<i32>) -> tensor<4xf32> {
  %0 = tg.if %p : (tensor<i1>) -> tensor<4xf32> {
    %2 = tg.neg %x : tensor<4xf32>
    tg.yield %2 : tensor<4xf32>
  } else {
    tg.yield %x : tensor<4xf32>
  }
  %1 = tg.case %i : (tensor<i32>) -> tensor<4xf32> {
    %2 = tg.exp %0 : tensor<4xf32>
    tg.yield %2 : tensor<4xf32>
  }, {
    tg.yield %0 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
