// RUN: stitch-opt %s --stitch-pipeline --convert-stitch-to-gpu | FileCheck %s

// A cache that is donated to output 1: its kernel reads it and stores the new row in the same argument, which is the output; the elements of the new row are taken from where
// they are computed, four at a time, as those of the cache are.

// CHECK: gpu.func @fusion_0(
// CHECK-SAME: %[[CACHE:arg[0-9]+]]: memref<512xf32> {llvm.align = 16 : i64},
// CHECK: scf.if %{{.*}} -> (f32, f32, f32, f32)
// CHECK: else
// CHECK: vector.load %[[CACHE]][%{{.*}}] {alignment = 16 : i64} : memref<512xf32>, vector<4xf32>
// CHECK: vector.store %{{.*}}, %[[CACHE]][%{{.*}}] {alignment = 16 : i64}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: memref<64xf32>, %[[OUTPUT:[a-z0-9]+]]: memref<64x8xf32>, 
// CHECK-SAME: stitch.updated = array<i64: 1, -1, -1>
// CHECK: %[[MEMORY:.*]] = memref.reinterpret_cast %[[OUTPUT]] to
// CHECK: gpu.launch_func @kernels::@fusion_0 {{.*}} args({{.*}}%[[MEMORY]] : memref<512xf32>
// CHECK-NOT: gpu.launch_func
func.func @main(%cache: tensor<64x8xf32> {stitch.donated = 1 : i64}, %x: tensor<1x8xf32>, %position: tensor<i32>) -> (tensor<64xf32>, tensor<64x8xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %k = tg.tanh %x : tensor<1x8xf32>
  %u = tg.dynamic_update_slice %cache[%position, %zero], %k : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
  %b = tg.broadcast %k dims [0, 1] : (tensor<1x8xf32>) -> tensor<64x8xf32>
  %m = tg.mul %u, %b : tensor<64x8xf32>
  %s = tg.reduce add %m dims [1] : (tensor<64x8xf32>) -> tensor<64xf32>
  return %s, %u : tensor<64xf32>, tensor<64x8xf32>
}
