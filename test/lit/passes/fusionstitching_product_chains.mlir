// dot -> tanh -> dot, 64 x 94 x k, with plan=fusionstitching (4.2: products in patterns): which products are members of a pattern.

// RUN: stitch-opt %s -split-input-file -stitch-pipeline='device=h200 plan=fusionstitching' | FileCheck %s

// Up to 16 elements on a side a product is a reduction (of the first, k sums that share the operand) or an elementwise operation (of the second, k
// products): members, and all is one pattern.

// CHECK-LABEL: func.func @thin
// CHECK-NOT: stitch.library_call
// CHECK-COUNT-1: stitch.fusion(
// CHECK: tg.reduce add
// CHECK: tg.tanh
// CHECK: tg.mul
// CHECK-NOT: stitch.fusion(
// CHECK-NOT: stitch.library_call
// CHECK: return
func.func @thin(%x: tensor<64x94xf32>, %w: tensor<94x16xf32>, %v: tensor<16x94xf32>) -> tensor<64x94xf32> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<64x94xf32>, tensor<94x16xf32>) -> tensor<64x16xf32>
  %1 = tg.tanh %0 : tensor<64x16xf32>
  %2 = tg.dot %1, %v contract [1] x [0] : (tensor<64x16xf32>, tensor<16x94xf32>) -> tensor<64x94xf32>
  return %2 : tensor<64x94xf32>
}

// -----

// Beyond that a product goes through tiles of both operands, which no group of a pattern does: it is a kernel of its own with what is elementwise
// around it (stitch-fuse-products), and a second one behind it, whose rows need all of the first one's columns, is a library's.

// CHECK-LABEL: func.func @tiled
// CHECK-COUNT-1: stitch.fusion(
// CHECK-SAME: stitch.attention
// CHECK: tg.dot
// CHECK: tg.tanh
// CHECK-NOT: stitch.fusion(
// CHECK: stitch.library_call
// CHECK-NEXT: tg.dot
// CHECK: return
func.func @tiled(%x: tensor<64x94xf32>, %w: tensor<94x24xf32>, %v: tensor<24x94xf32>) -> tensor<64x94xf32> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<64x94xf32>, tensor<94x24xf32>) -> tensor<64x24xf32>
  %1 = tg.tanh %0 : tensor<64x24xf32>
  %2 = tg.dot %1, %v contract [1] x [0] : (tensor<64x24xf32>, tensor<24x94xf32>) -> tensor<64x94xf32>
  return %2 : tensor<64x94xf32>
}
