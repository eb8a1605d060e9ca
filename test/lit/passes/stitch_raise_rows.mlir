// RUN: stitch-opt %s -split-input-file --stitch-raise-products | FileCheck %s

// Rows in another order are products of their own; so are rows of different operands.

// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: tg.dot
// CHECK: tg.concatenate
func.func @main(%x: tensor<2x64xf32>, %w: tensor<64x32xf32>) -> tensor<2x32xf32> {
  %0 = tg.slice %x [1:2, 0:64] : (tensor<2x64xf32>) -> tensor<1x64xf32>
  %1 = tg.reshape %0 : (tensor<1x64xf32>) -> tensor<64xf32>
  %2 = tg.broadcast %1 dims [0] : (tensor<64xf32>) -> tensor<64x32xf32>
  %3 = tg.mul %w, %2 : tensor<64x32xf32>
  %4 = tg.reduce add %3 dims [0] : (tensor<64x32xf32>) -> tensor<32xf32>
  %5 = tg.reshape %4 : (tensor<32xf32>) -> tensor<1x32xf32>
  %6 = tg.slice %x [0:1, 0:64] : (tensor<2x64xf32>) -> tensor<1x64xf32>
  %7 = tg.reshape %6 : (tensor<1x64xf32>) -> tensor<64xf32>
  %8 = tg.broadcast %7 dims [0] : (tensor<64xf32>) -> tensor<64x32xf32>
  %9 = tg.mul %w, %8 : tensor<64x32xf32>
  %10 = tg.reduce add %9 dims [0] : (tensor<64x32xf32>) -> tensor<32xf32>
  %11 = tg.reshape %10 : (tensor<32xf32>) -> tensor<1x32xf32>
  %12 = tg.concatenate %5, %11 dim 0 : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<2x32xf32>
  return %12 : tensor<2x32xf32>
}
