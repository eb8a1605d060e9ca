// Transforms along one to three dimensions, factors and systems of all kinds, in all types.
func.func @main(%a: tensor<3x7x7xf32>, %b: tensor<3x7x5xf32>, %h: tensor<2x5x5xcomplex<f64>>, %r: tensor<2x3x5xcomplex<f64>>, %x: tensor<2x3x4x7xf32>, %c: tensor<3x67xcomplex<f64>>, %z: tensor<5x6xcomplex<f32>>)
    -> (tensor<3x7x5xf32>, tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>, tensor<2x3x4x4xcomplex<f32>>, tensor<2x3x4x7xf32>, tensor<3x67xcomplex<f64>>, tensor<5x6xcomplex<f32>>, tensor<10x7x7xf32>) {
  %l = stablehlo.cholesky %a, lower = true : tensor<3x7x7xf32>
  %0 = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x7x7xf32>, tensor<3x7x5xf32>) -> tensor<3x7x5xf32>
  %1 = stablehlo.cholesky %h, lower = false : tensor<2x5x5xcomplex<f64>>
  %2 = "stablehlo.triangular_solve"(%1, %r) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
  %3 = "stablehlo.triangular_solve"(%h, %2) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
  %4 = stablehlo.fft %x, type = RFFT, length = [3, 4, 7] : (tensor<2x3x4x7xf32>) -> tensor<2x3x4x4xcomplex<f32>>
  %5 = stablehlo.fft %4, type = IRFFT, length = [3, 4, 7] : (tensor<2x3x4x4xcomplex<f32>>) -> tensor<2x3x4x7xf32>
  %6 = stablehlo.fft %c, type = FFT, length = [67] : (tensor<3x67xcomplex<f64>>) -> tensor<3x67xcomplex<f64>>
  %7 = stablehlo.fft %z, type = IFFT, length = [5, 6] : (tensor<5x6xcomplex<f32>>) -> tensor<5x6xcomplex<f32>>
  // One of ten is not positive definite: NaN on both sides.
  %first = stablehlo.slice %a [0:1, 0:7, 0:7] : (tensor<3x7x7xf32>) -> tensor<1x7x7xf32>
  %minus = stablehlo.negate %first : tensor<1x7x7xf32>
  %ten = stablehlo.concatenate %a, %a, %a, %minus, dim = 0 : (tensor<3x7x7xf32>, tensor<3x7x7xf32>, tensor<3x7x7xf32>, tensor<1x7x7xf32>) -> tensor<10x7x7xf32>
  %8 = stablehlo.cholesky %ten, lower = false : tensor<10x7x7xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<3x7x5xf32>, tensor<2x5x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>, tensor<2x3x5xcomplex<f64>>, tensor<2x3x4x4xcomplex<f32>>, tensor<2x3x4x7xf32>, tensor<3x67xcomplex<f64>>, tensor<5x6xcomplex<f32>>, tensor<10x7x7xf32>
}
