// RUN: stitch-opt %s --stitch-pipeline='device=h200 plan=fusionstitching' | FileCheck %s
// RUN: stitch-opt %s --stitch-pipeline='device=h200 plan=apollo' | FileCheck %s

// Products in patterns: one row times a matrix (a step of a decoder) is an operation that patterns take in, with the
// norm in front of it and the activation behind it. No library is called.

// CHECK-LABEL: func.func @main
// CHECK-NOT: stitch.library_call
// CHECK: stitch.fusion
// CHECK: tg.rsqrt
// CHECK: tg.reduce add {{.*}} (tensor<512x768xf32>)
// CHECK-NOT: stitch.library_call
// CHECK-NOT: stitch.fusion
// CHECK: return
func.func @main(%x: tensor<1x512xf32>, %w: tensor<512x768xf32>, %v: tensor<1x768xf32>) -> tensor<1x768xf32> {
  %0 = tg.mul %x, %x : tensor<1x512xf32>
  %1 = tg.reduce add %0 dims [1] : (tensor<1x512xf32>) -> tensor<1xf32>
  %2 = tg.rsqrt %1 : tensor<1xf32>
  %3 = tg.broadcast %2 dims [0] : (tensor<1xf32>) -> tensor<1x512xf32>
  %4 = tg.mul %x, %3 : tensor<1x512xf32>
  %5 = tg.dot %4, %w contract [1] x [0] : (tensor<1x512xf32>, tensor<512x768xf32>) -> tensor<1x768xf32>
  %6 = tg.logistic %5 : tensor<1x768xf32>
  %7 = tg.mul %6, %v : tensor<1x768xf32>
  return %7 : tensor<1x768xf32>
}
