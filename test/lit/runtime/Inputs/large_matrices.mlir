// Matrices too large to be a batch of small ones.
func.func @main(%x: tensor<2x520xf32>, %b: tensor<2x520x3xf32>) -> (tensor<2x520x520xf32>, tensor<2x520x3xf32>) {
  // I + x x^T / 520
  %row = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x520xf32>) -> tensor<2x520x520xf32>
  %column = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<2x520xf32>) -> tensor<2x520x520xf32>
  %product = stablehlo.multiply %row, %column : tensor<2x520x520xf32>
  %size = stablehlo.constant dense<5.200000e+02> : tensor<2x520x520xf32>
  %mean = stablehlo.divide %product, %size : tensor<2x520x520xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x520x520xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x520x520xi32>
  %is_diagonal = stablehlo.compare EQ, %i, %j : (tensor<2x520x520xi32>, tensor<2x520x520xi32>) -> tensor<2x520x520xi1>
  %identity = stablehlo.convert %is_diagonal : (tensor<2x520x520xi1>) -> tensor<2x520x520xf32>
  %a = stablehlo.add %mean, %identity : tensor<2x520x520xf32>
  %l = stablehlo.cholesky %a, lower = true : tensor<2x520x520xf32>
  %0 = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x520x520xf32>, tensor<2x520x3xf32>) -> tensor<2x520x3xf32>
  return %l, %0 : tensor<2x520x520xf32>, tensor<2x520x3xf32>
}
