// RUN: stitch-opt %s -split-input-file --stitch-set-device=device=h200 --stitch-thin-products --stitch-raise-products | FileCheck %s
// RUN: stitch-opt %s -split-input-file --stitch-set-device=device=h200 --stitch-thin-products | FileCheck %s --check-prefix=THIN
// THIN-NOT: tg.dot

// What stitch-thin-products makes of products becomes the same products again: rows of a thin operand on either side, of
// types that are summed up in wider ones, with batches, and thin contractions.

// CHECK-LABEL: func.func @main
// CHECK-NEXT: tg.dot %arg0, %arg1 contract [1] x [0] : (tensor<3x64xf16>, tensor<64x128xf16>) -> tensor<3x128xf16>
// CHECK-NEXT: return
func.func @main(%x: tensor<3x64xf16>, %w: tensor<64x128xf16>) -> tensor<3x128xf16> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<3x64xf16>, tensor<64x128xf16>) -> tensor<3x128xf16>
  return %0 : tensor<3x128xf16>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK-NEXT: tg.dot %arg0, %arg1 contract [1] x [1] : (tensor<64x128xf32>, tensor<5x128xf32>) -> tensor<64x5xf32>
// CHECK-NEXT: return
func.func @main(%w: tensor<64x128xf32>, %x: tensor<5x128xf32>) -> tensor<64x5xf32> {
  %0 = tg.dot %w, %x contract [1] x [1] : (tensor<64x128xf32>, tensor<5x128xf32>) -> tensor<64x5xf32>
  return %0 : tensor<64x5xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK-NEXT: tg.dot %arg0, %arg1 batch [0] x [1] contract [2] x [0] : (tensor<4x2x64xbf16>, tensor<64x4x32xbf16>) -> tensor<4x2x32xbf16>
// CHECK-NEXT: return
func.func @main(%x: tensor<4x2x64xbf16>, %w: tensor<64x4x32xbf16>) -> tensor<4x2x32xbf16> {
  %0 = tg.dot %x, %w batch [0] x [1] contract [2] x [0] : (tensor<4x2x64xbf16>, tensor<64x4x32xbf16>) -> tensor<4x2x32xbf16>
  return %0 : tensor<4x2x32xbf16>
}

// -----

// The free dimensions of the large operand are transposed; one row has no dimension of its own.

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[X:.*]] = tg.reshape %arg0 : (tensor<1x64xf32>) -> tensor<64xf32>
// CHECK-NEXT: %[[Y:.*]] = tg.dot %[[X]], %arg1 contract [0] x [1] : (tensor<64xf32>, tensor<8x64x16xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: tg.reshape %[[Y]]
// CHECK-NEXT: return
func.func @main(%x: tensor<1x64xf32>, %w: tensor<8x64x16xf32>) -> tensor<1x8x16xf32> {
  %0 = tg.dot %x, %w contract [1] x [1] : (tensor<1x64xf32>, tensor<8x64x16xf32>) -> tensor<1x8x16xf32>
  return %0 : tensor<1x8x16xf32>
}

// -----

// A thin contraction.

// CHECK-LABEL: func.func @main
// CHECK-NEXT: tg.dot %arg0, %arg1 contract [1] x [0] : (tensor<128x4xf32>, tensor<4x256xf32>) -> tensor<128x256xf32>
// CHECK-NEXT: return
func.func @main(%p: tensor<128x4xf32>, %q: tensor<4x256xf32>) -> tensor<128x256xf32> {
  %0 = tg.dot %p, %q contract [1] x [0] : (tensor<128x4xf32>, tensor<4x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK-NEXT: tg.dot %arg0, %arg1 batch [1] x [0] contract [0] x [1] : (tensor<3x8x64xf16>, tensor<8x3x64xf16>) -> tensor<8x64x64xf16>
// CHECK-NEXT: return
func.func @main(%p: tensor<3x8x64xf16>, %q: tensor<8x3x64xf16>) -> tensor<8x64x64xf16> {
  %0 = tg.dot %p, %q batch [1] x [0] contract [0] x [1] : (tensor<3x8x64xf16>, tensor<8x3x64xf16>) -> tensor<8x64x64xf16>
  return %0 : tensor<8x64x64xf16>
}

// -----

// No products: sums of squares, of the first slices alone, of slices in another order, of integers, and sums in a wider
// type than that of what is multiplied.

// CHECK-LABEL: func.func @main
// CHECK-NOT: tg.dot
func.func @main(%x: tensor<64x128xf32>, %p: tensor<128x3xf32>, %q: tensor<3x256xf32>, %i: tensor<64x128xi32>, %v: tensor<128xi32>, %h: tensor<64x128xf16>, %g: tensor<128xf16>) -> (tensor<64xf32>, tensor<128x256xf32>, tensor<2x64xf32>, tensor<64xi32>, tensor<64xf32>) {
  %0 = tg.mul %x, %x : tensor<64x128xf32>
  %1 = tg.reduce add %0 dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  %2 = tg.slice %p [0:128, 0:1] : (tensor<128x3xf32>) -> tensor<128x1xf32>
  %3 = tg.reshape %2 : (tensor<128x1xf32>) -> tensor<128xf32>
  %4 = tg.broadcast %3 dims [0] : (tensor<128xf32>) -> tensor<128x256xf32>
  %5 = tg.slice %q [0:1, 0:256] : (tensor<3x256xf32>) -> tensor<1x256xf32>
  %6 = tg.reshape %5 : (tensor<1x256xf32>) -> tensor<256xf32>
  %7 = tg.broadcast %6 dims [1] : (tensor<256xf32>) -> tensor<128x256xf32>
  %8 = tg.mul %4, %7 : tensor<128x256xf32>
  %9 = tg.slice %p [0:128, 1:2] : (tensor<128x3xf32>) -> tensor<128x1xf32>
  %10 = tg.reshape %9 : (tensor<128x1xf32>) -> tensor<128xf32>
  %11 = tg.broadcast %10 dims [0] : (tensor<128xf32>) -> tensor<128x256xf32>
  %12 = tg.slice %q [1:2, 0:256] : (tensor<3x256xf32>) -> tensor<1x256xf32>
  %13 = tg.reshape %12 : (tensor<1x256xf32>) -> tensor<256xf32>
  %14 = tg.broadcast %13 dims [1] : (tensor<256xf32>) -> tensor<128x256xf32>
  %15 = tg.mul %11, %14 : tensor<128x256xf32>
  %16 = tg.add %8, %15 : tensor<128x256xf32>
  %20 = tg.slice %q [1:2, 0:256] : (tensor<3x256xf32>) -> tensor<1x256xf32>
  %21 = tg.reshape %20 : (tensor<1x256xf32>) -> tensor<256xf32>
  %22 = tg.slice %21 [0:128] : (tensor<256xf32>) -> tensor<128xf32>
  %23 = tg.broadcast %22 dims [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %24 = tg.mul %x, %23 : tensor<64x128xf32>
  %25 = tg.reduce max %24 dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  %26 = tg.reshape %25 : (tensor<64xf32>) -> tensor<1x64xf32>
  %27 = tg.concatenate %26, %26 dim 0 : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<2x64xf32>
  %30 = tg.broadcast %v dims [1] : (tensor<128xi32>) -> tensor<64x128xi32>
  %31 = tg.mul %i, %30 : tensor<64x128xi32>
  %32 = tg.reduce add %31 dims [1] : (tensor<64x128xi32>) -> tensor<64xi32>
  %40 = tg.convert %h : (tensor<64x128xf16>) -> tensor<64x128xf32>
  %41 = tg.convert %g : (tensor<128xf16>) -> tensor<128xf32>
  %42 = tg.broadcast %41 dims [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %43 = tg.mul %40, %42 : tensor<64x128xf32>
  %44 = tg.reduce add %43 dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  return %1, %16, %27, %32, %44 : tensor<64xf32>, tensor<128x256xf32>, tensor<2x64xf32>, tensor<64xi32>, tensor<64xf32>
}
