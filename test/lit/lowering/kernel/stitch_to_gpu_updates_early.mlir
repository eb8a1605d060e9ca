// RUN: stitch-opt %s --stitch-pipeline --convert-stitch-to-gpu | FileCheck %s
// RUN: stitch-compile %s --checks -o %t.so
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2

// A cache that is not updated in place: what it has is loaded before the position of the new row is known.

// CHECK: gpu.func @fusion_0({{.*}}%[[CACHE:arg[0-9]+]]: memref<512xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK: vector.load %[[CACHE]][%{{.*}}] {alignment = 16 : i64} : memref<512xf32>, vector<4xf32>
// CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32)
// CHECK: scf.yield
// CHECK: else
// CHECK-NOT: vector.load %[[CACHE]]
// CHECK: scf.yield
func.func @main(%cache: tensor<64x8xf32>, %x: tensor<1x8xf32>, %position: tensor<i32>) -> (tensor<64xf32>, tensor<64x8xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %k = tg.tanh %x : tensor<1x8xf32>
  %u = tg.dynamic_update_slice %cache[%position, %zero], %k : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
  %b = tg.broadcast %k dims [0, 1] : (tensor<1x8xf32>) -> tensor<64x8xf32>
  %m = tg.mul %u, %b : tensor<64x8xf32>
  %s = tg.reduce add %m dims [1] : (tensor<64x8xf32>) -> tensor<64xf32>
  return %s, %u : tensor<64xf32>, tensor<64x8xf32>
}
