// Operations of several families in one program.
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x12xf32>, %b: tensor<12xf32>, %i: tensor<4xi32>) -> (tensor<4x12xf32>, tensor<12x8xbf16>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<12xf32>) -> tensor<8x12xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x12xf32>
  %3 = stablehlo.reduce(%2 init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<8xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x12xf32>
  %5 = stablehlo.subtract %2, %4 : tensor<8x12xf32>
  %6 = stablehlo.exponential %5 : tensor<8x12xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<8xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xf32>) -> tensor<8x12xf32>
  %9 = stablehlo.divide %6, %8 : tensor<8x12xf32>
  %10 = "stablehlo.gather"(%9, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 12>} : (tensor<8x12xf32>, tensor<4xi32>) -> tensor<4x12xf32>
  %11 = stablehlo.transpose %9, dims = [1, 0] : (tensor<8x12xf32>) -> tensor<12x8xf32>
  %12 = stablehlo.pad %11, %zero, low = [0, 1], high = [0, -1], interior = [0, 0] : (tensor<12x8xf32>, tensor<f32>) -> tensor<12x8xf32>
  %13 = stablehlo.convert %12 : (tensor<12x8xf32>) -> tensor<12x8xbf16>
  return %10, %13 : tensor<4x12xf32>, tensor<12x8xbf16>
}
