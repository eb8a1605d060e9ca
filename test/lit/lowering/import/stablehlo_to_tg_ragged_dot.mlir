// The modes of ragged_dot; that results are right: test/operations/op_table.md.
// RUN: stitch-opt %s --convert-stablehlo-to-tg --tg-simplify -split-input-file | FileCheck %s

// Groups have 4 rows in the mean, so 5 tiles of 4 rows are enough for 11 rows in 3 groups. As JAX prints it.
// CHECK-LABEL: @rows
func.func @rows(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi32>) -> tensor<11x7xf32> {
  // CHECK-DAG: %[[WEIGHTS:.*]] = tg.gather %arg1, {{.*}} slice_sizes [1, 5, 7] : (tensor<3x5x7xf32>, tensor<5xi64>) -> tensor<5x5x7xf32>
  // CHECK-DAG: %[[TILES:.*]] = tg.gather {{.*}} : (tensor<11x1x5xf32>, tensor<5x4xi64>) -> tensor<5x4x1x5xf32>
  // CHECK: tg.dot %[[TILES]], %[[WEIGHTS]] batch [0] x [0] contract [3] x [1]
  // CHECK: tg.select {{.*}} : tensor<11x1x7xi1>, tensor<11x1x7xf32>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

// Halves are summed in f32.
// CHECK-LABEL: @contracted
func.func @contracted(%lhs: tensor<6x11xbf16>, %rhs: tensor<11x7xbf16>, %sizes: tensor<3xi32>) -> tensor<3x6x7xbf16> {
  // CHECK: %[[PRODUCTS:.*]] = tg.dot {{.*}} -> tensor<5x6x7xf32>
  // CHECK: %[[SUMS:.*]] = tg.scatter add {{.*}} %[[PRODUCTS]] {{.*}} -> tensor<3x6x7xf32>
  // CHECK: tg.convert %[[SUMS]]
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>} : (tensor<6x11xbf16>, tensor<11x7xbf16>, tensor<3xi32>) -> tensor<3x6x7xbf16>
  return %0 : tensor<3x6x7xbf16>
}

// -----

// CHECK-LABEL: @batches
func.func @batches(%lhs: tensor<4x6x5xf32>, %rhs: tensor<4x5x7xf32>, %sizes: tensor<2xi32>) -> tensor<4x6x7xf32> {
  // CHECK-NEXT: tg.dot %arg0, %arg1 batch [0] x [0] contract [2] x [1]
  // CHECK-NEXT: return
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>} : (tensor<4x6x5xf32>, tensor<4x5x7xf32>, tensor<2xi32>) -> tensor<4x6x7xf32>
  return %0 : tensor<4x6x7xf32>
}
