// RUN: stitch-opt %s -stitch-outline -split-input-file | FileCheck %s

// Gradients of weights and biases of layers without activation: each product sums the operand that no kernel reads.

// CHECK-LABEL: func.func @both_sides
// CHECK-NOT: stitch.fusion
// CHECK: %[[DY:.*]] = stitch.library_call
// CHECK: %[[RIGHT:.*]]:2 = stitch.library_call(%[[X:.*]] = %arg0, %[[Y:.*]] = %[[DY]]) : {{.*}} -> (tensor<16x24xf16>, tensor<24xf16>)
// CHECK-NEXT: %[[DOT:.*]] = tg.dot %[[X]], %[[Y]]
// CHECK-NEXT: %[[SUM:.*]] = tg.reduce add %[[Y]] dims [0, 1]
// CHECK-NEXT: stitch.yield %[[DOT]], %[[SUM]]
// CHECK: %[[LEFT:.*]]:2 = stitch.library_call
// CHECK-NEXT: tg.dot %[[L:.*]], %{{.*}}
// CHECK-NEXT: tg.reduce add %[[L]]
// CHECK: return %[[RIGHT]]#0, %[[RIGHT]]#1, %[[LEFT]]#0, %[[LEFT]]#1
func.func @both_sides(%x: tensor<2x5x16xf16>, %g: tensor<2x5x16xf16>, %w: tensor<24x16xf16>, %h: tensor<7x16xf16>, %k: tensor<7x8xf16>)
    -> (tensor<16x24xf16>, tensor<24xf16>, tensor<16x8xf16>, tensor<16xf16>) {
  %0 = tg.dot %g, %w contract [2] x [1] : (tensor<2x5x16xf16>, tensor<24x16xf16>) -> tensor<2x5x24xf16>
  %1 = tg.reduce add %0 dims [0, 1] : (tensor<2x5x24xf16>) -> tensor<24xf16>
  %2 = tg.dot %x, %0 contract [0, 1] x [0, 1] : (tensor<2x5x16xf16>, tensor<2x5x24xf16>) -> tensor<16x24xf16>
  %3 = tg.dot %h, %k contract [0] x [0] : (tensor<7x16xf16>, tensor<7x8xf16>) -> tensor<16x8xf16>
  %4 = tg.reduce add %h dims [0] : (tensor<7x16xf16>) -> tensor<16xf16>
  return %2, %1, %3, %4 : tensor<16x24xf16>, tensor<24xf16>, tensor<16x8xf16>, tensor<16xf16>
}

// -----

// Kernels sum what they compute, and what they read for something else; other dimensions, another kind of reduction, f32,
// and a sum that is needed before the product are theirs, too.

// CHECK-LABEL: func.func @kernels_sum
// CHECK-NOT: stitch.library_call{{.*}}-> (
// CHECK: return
func.func @kernels_sum(%x: tensor<5x16xf16>, %g: tensor<5x24xf16>, %h: tensor<5x24xf16>, %i: tensor<5x24xf16>, %j: tensor<5x24xf16>,
                       %y: tensor<5x16xf32>, %k: tensor<5x24xf32>, %m: tensor<5x24xf16>)
    -> (tensor<16x24xf16>, tensor<24xf16>, tensor<16x24xf16>, tensor<24xf16>, tensor<5x24xf16>, tensor<16x24xf16>, tensor<5xf16>,
        tensor<16x24xf16>, tensor<24xf16>, tensor<16x24xf32>, tensor<24xf32>, tensor<16x24xf16>) {
  %0 = tg.tanh %g : tensor<5x24xf16>
  %1 = tg.reduce add %0 dims [0] : (tensor<5x24xf16>) -> tensor<24xf16>
  %2 = tg.dot %x, %0 contract [0] x [0] : (tensor<5x16xf16>, tensor<5x24xf16>) -> tensor<16x24xf16>
  %3 = tg.tanh %h : tensor<5x24xf16>
  %4 = tg.reduce add %h dims [0] : (tensor<5x24xf16>) -> tensor<24xf16>
  %5 = tg.dot %x, %h contract [0] x [0] : (tensor<5x16xf16>, tensor<5x24xf16>) -> tensor<16x24xf16>
  %6 = tg.dot %x, %i contract [0] x [0] : (tensor<5x16xf16>, tensor<5x24xf16>) -> tensor<16x24xf16>
  %7 = tg.reduce add %i dims [1] : (tensor<5x24xf16>) -> tensor<5xf16>
  %8 = tg.dot %x, %j contract [0] x [0] : (tensor<5x16xf16>, tensor<5x24xf16>) -> tensor<16x24xf16>
  %9 = tg.reduce max %j dims [0] : (tensor<5x24xf16>) -> tensor<24xf16>
  %10 = tg.dot %y, %k contract [0] x [0] : (tensor<5x16xf32>, tensor<5x24xf32>) -> tensor<16x24xf32>
  %11 = tg.reduce add %k dims [0] : (tensor<5x24xf32>) -> tensor<24xf32>
  %12 = tg.reduce add %m dims [0] : (tensor<5x24xf16>) -> tensor<24xf16>
  %13 = tg.broadcast %12 dims [1] : (tensor<24xf16>) -> tensor<5x24xf16>
  %14 = tg.mul %13, %13 : tensor<5x24xf16>
  %15 = tg.reduce max %14 dims [1] : (tensor<5x24xf16>) -> tensor<5xf16>
  %16 = tg.broadcast %15 dims [0] : (tensor<5xf16>) -> tensor<5x16xf16>
  %17 = tg.dot %16, %m contract [0] x [0] : (tensor<5x16xf16>, tensor<5x24xf16>) -> tensor<16x24xf16>
  return %2, %1, %5, %4, %3, %6, %7, %8, %9, %10, %11, %17
      : tensor<16x24xf16>, tensor<24xf16>, tensor<16x24xf16>, tensor<24xf16>, tensor<5x24xf16>, tensor<16x24xf16>, tensor<5xf16>,
        tensor<16x24xf16>, tensor<24xf16>, tensor<16x24xf32>, tensor<24xf32>, tensor<16x24xf16>
}
