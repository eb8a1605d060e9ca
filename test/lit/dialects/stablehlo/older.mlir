// Text of older exporters: attributes in {...} instead of <{...}>, lists as dense<...>, line breaks inside attributes,
// two spaces in compare. It is kept in the same form as today's.
// RUN: stitch-opt %s --mlir-print-op-generic | FileCheck %s

func.func @main(%a: tensor<8x4xf32>, %i: tensor<2x1xi32>, %v: tensor<4xf32>) -> tensor<2x4xf32> {
  // CHECK: "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> {mhlo.frontend = "x"} : (tensor<8x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  %0 = "stablehlo.gather"(%a, %i) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [1],
      collapsed_slice_dims = [0],
      start_index_map = [0],
      index_vector_dim = 1
    >,
    slice_sizes = dense<[1, 4]> : tensor<2xi64>, indices_are_sorted = false, mhlo.frontend = "x"
  } : (tensor<8x4xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  // CHECK: "stablehlo.broadcast_in_dim"(%arg2) <{broadcast_dimensions = array<i64: 1>}>
  %1 = "stablehlo.broadcast_in_dim"(%v) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK: "stablehlo.compare"(%{{.*}}, %{{.*}}) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction EQ>}>
  %2 = stablehlo.compare  EQ, %0, %1,  FLOAT : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  // CHECK: "stablehlo.select"
  %3 = stablehlo.select %2, %0, %1 : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}
