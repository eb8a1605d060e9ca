// Nothing to transform, to factor and to solve.
func.func @main(%x: tensor<0x6xf32>, %a: tensor<0x3x3xf32>, %e: tensor<2x0x0xf64>, %m: tensor<2x3x3xf32>, %b: tensor<2x3x0xf32>)
    -> (tensor<0x4xcomplex<f32>>, tensor<0x3x3xf32>, tensor<2x0x0xf64>, tensor<2x3x0xf32>, tensor<0x3x3xf32>) {
  %0 = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<0x6xf32>) -> tensor<0x4xcomplex<f32>>
  %1 = stablehlo.cholesky %a, lower = true : tensor<0x3x3xf32>
  %2 = stablehlo.cholesky %e, lower = false : tensor<2x0x0xf64>
  %3 = "stablehlo.triangular_solve"(%m, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x0xf32>) -> tensor<2x3x0xf32>
  %4 = "stablehlo.triangular_solve"(%1, %a) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<0x3x3xf32>, tensor<0x3x3xf32>) -> tensor<0x3x3xf32>
  return %0, %1, %2, %3, %4 : tensor<0x4xcomplex<f32>>, tensor<0x3x3xf32>, tensor<2x0x0xf64>, tensor<2x3x0xf32>, tensor<0x3x3xf32>
}
