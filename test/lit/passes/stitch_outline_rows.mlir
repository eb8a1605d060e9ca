// RUN: stitch-opt %s --stitch-pipeline=plan=cheapest-thin | FileCheck %s

// Patterns have all sums of a product of eight rows, or none, and what concatenates them (products.c): each product is a kernel with its
// concatenation.

// CHECK: stitch.fusion{{.*}} -> tensor<8x2048xbf16> attributes
// CHECK-COUNT-8: tg.reduce add
// CHECK: tg.concatenate
// CHECK: stitch.fusion{{.*}} -> tensor<8x512xbf16> attributes
// CHECK: tg.tanh
// CHECK-COUNT-8: tg.reduce add
// CHECK: tg.concatenate
// CHECK-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<8x512xbf16>, %v: tensor<512x2048xbf16>, %w: tensor<2048x512xbf16>) -> tensor<8x512xbf16> {
    %0 = tg.dot %x, %v contract [1] x [0] : (tensor<8x512xbf16>, tensor<512x2048xbf16>) -> tensor<8x2048xbf16>
    %1 = tg.tanh %0 : tensor<8x2048xbf16>
    %2 = tg.dot %1, %w contract [1] x [0] : (tensor<8x2048xbf16>, tensor<2048x512xbf16>) -> tensor<8x512xbf16>
    return %2 : tensor<8x512xbf16>
  }
}
