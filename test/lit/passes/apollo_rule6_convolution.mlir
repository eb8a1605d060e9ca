// APOLLO's table 1, rule 6-conv, with plan=apollo: what follows a convolution is in the library's call as far as the library computes it (bias, an
// addition, relu), else in the kernel behind it; what comes before is in a kernel in front, with all that is elementwise there. docs/plans.md says why.

// RUN: stitch-opt %s -split-input-file -stitch-pipeline='device=h200 plan=apollo' | FileCheck %s

// CHECK-LABEL: func.func @behind
// CHECK-NOT: stitch.fusion
// CHECK: stitch.library_call
// CHECK-NEXT: tg.convolution
// CHECK: tg.add
// CHECK: tg.add
// CHECK: tg.max
// CHECK-NOT: stitch.fusion
// CHECK: return
func.func @behind(%x: tensor<4x64x32x32xf32>, %w: tensor<64x64x3x3xf32>, %b: tensor<64xf32>, %r: tensor<4x64x32x32xf32>)
    -> tensor<4x64x32x32xf32> {
  %zero = tg.constant dense<0.0> : tensor<4x64x32x32xf32>
  %0 = tg.convolution %x, %w dims [b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1] window_strides [1, 1] padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
      : (tensor<4x64x32x32xf32>, tensor<64x64x3x3xf32>) -> tensor<4x64x32x32xf32>
  %1 = tg.broadcast %b dims [1] : (tensor<64xf32>) -> tensor<4x64x32x32xf32>
  %2 = tg.add %0, %1 : tensor<4x64x32x32xf32>
  %3 = tg.add %2, %r : tensor<4x64x32x32xf32>
  %4 = tg.max %3, %zero : tensor<4x64x32x32xf32>
  return %4 : tensor<4x64x32x32xf32>
}

// -----

// What no library computes is a kernel, of as many operations as follow.

// CHECK-LABEL: func.func @other_behind
// CHECK: stitch.library_call
// CHECK-NEXT: tg.convolution
// CHECK-NEXT: stitch.yield
// CHECK-COUNT-1: stitch.fusion(
// CHECK: tg.tanh
// CHECK: tg.mul
// CHECK-NOT: stitch.fusion(
// CHECK: return
func.func @other_behind(%x: tensor<4x64x32x32xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<4x64x32x32xf32> {
  %0 = tg.convolution %x, %w dims [b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1] window_strides [1, 1] padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
      : (tensor<4x64x32x32xf32>, tensor<64x64x3x3xf32>) -> tensor<4x64x32x32xf32>
  %1 = tg.tanh %0 : tensor<4x64x32x32xf32>
  %2 = tg.mul %1, %0 : tensor<4x64x32x32xf32>
  return %2 : tensor<4x64x32x32xf32>
}

// -----

// In front: one kernel, computed once for each element, where a window of 3 x 3 would compute each nine times.

// CHECK-LABEL: func.func @before
// CHECK-COUNT-1: stitch.fusion(
// CHECK: tg.exp
// CHECK: tg.mul
// CHECK-NOT: stitch.fusion(
// CHECK: stitch.library_call
// CHECK-NEXT: tg.convolution
// CHECK-NOT: stitch.fusion(
// CHECK: return
func.func @before(%x: tensor<4x64x32x32xf32>, %y: tensor<4x64x32x32xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<4x64x32x32xf32> {
  %0 = tg.exp %x : tensor<4x64x32x32xf32>
  %1 = tg.mul %0, %y : tensor<4x64x32x32xf32>
  %2 = tg.convolution %1, %w dims [b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1] window_strides [1, 1] padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
      : (tensor<4x64x32x32xf32>, tensor<64x64x3x3xf32>) -> tensor<4x64x32x32xf32>
  return %2 : tensor<4x64x32x32xf32>
}
