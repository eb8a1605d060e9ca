// Library calls for linear algebra in all types, with inputs and outputs of f32.
func.func @main(%a: tensor<3x5x5xf32>, %b: tensor<3x5x4xf32>, %x: tensor<2x3x6xf32>)
    -> (tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<3x5x4xf32>, tensor<5x4xf32>, tensor<3x5x4xf32>, tensor<5x4xf32>, tensor<3x5x4xf32>, tensor<5x4xf32>, tensor<3x5x4xf32>, tensor<5x4xf32>) {
  // Transforms of all sorts and types, there and back.
  %half_f32 = stablehlo.fft %x, type = RFFT, length = [3, 6] : (tensor<2x3x6xf32>) -> tensor<2x3x4xcomplex<f32>>
  %real_f32 = stablehlo.fft %half_f32, type = IRFFT, length = [3, 6] : (tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x6xf32>
  %z_f32 = stablehlo.complex %x, %real_f32 : tensor<2x3x6xcomplex<f32>>
  %there_f32 = stablehlo.fft %z_f32, type = FFT, length = [2, 3, 6] : (tensor<2x3x6xcomplex<f32>>) -> tensor<2x3x6xcomplex<f32>>
  %back_f32 = stablehlo.fft %there_f32, type = IFFT, length = [6] : (tensor<2x3x6xcomplex<f32>>) -> tensor<2x3x6xcomplex<f32>>
  %t_f32 = stablehlo.real %back_f32 : (tensor<2x3x6xcomplex<f32>>) -> tensor<2x3x6xf32>
  %xd = stablehlo.convert %x : (tensor<2x3x6xf32>) -> tensor<2x3x6xf64>
  %half_f64 = stablehlo.fft %xd, type = RFFT, length = [3, 6] : (tensor<2x3x6xf64>) -> tensor<2x3x4xcomplex<f64>>
  %real_f64 = stablehlo.fft %half_f64, type = IRFFT, length = [3, 6] : (tensor<2x3x4xcomplex<f64>>) -> tensor<2x3x6xf64>
  %z_f64 = stablehlo.complex %xd, %real_f64 : tensor<2x3x6xcomplex<f64>>
  %there_f64 = stablehlo.fft %z_f64, type = FFT, length = [2, 3, 6] : (tensor<2x3x6xcomplex<f64>>) -> tensor<2x3x6xcomplex<f64>>
  %back_f64 = stablehlo.fft %there_f64, type = IFFT, length = [6] : (tensor<2x3x6xcomplex<f64>>) -> tensor<2x3x6xcomplex<f64>>
  %t_f64 = stablehlo.real %back_f64 : (tensor<2x3x6xcomplex<f64>>) -> tensor<2x3x6xf64>
  %t = stablehlo.convert %t_f64 : (tensor<2x3x6xf64>) -> tensor<2x3x6xf32>
  // Hermitian matrices that are positive definite, several at a time and one, and systems of equations with their factors.
  %row = stablehlo.iota dim = 1 : tensor<3x5x5xi32>
  %column = stablehlo.iota dim = 2 : tensor<3x5x5xi32>
  %is_diagonal = stablehlo.compare EQ, %row, %column : (tensor<3x5x5xi32>, tensor<3x5x5xi32>) -> tensor<3x5x5xi1>
  %sixteen = stablehlo.constant dense<1.600000e+01> : tensor<3x5x5xf32>
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<3x5x5xf32>
  %diagonal = stablehlo.select %is_diagonal, %sixteen, %zero : tensor<3x5x5xi1>, tensor<3x5x5xf32>
  %at = stablehlo.transpose %a, dims = [0, 2, 1] : (tensor<3x5x5xf32>) -> tensor<3x5x5xf32>
  %sum = stablehlo.add %a, %at : tensor<3x5x5xf32>
  %a_f32 = stablehlo.add %sum, %diagonal : tensor<3x5x5xf32>
  %b_f32 = stablehlo.add %b, %b : tensor<3x5x4xf32>
  %skew = stablehlo.subtract %a, %at : tensor<3x5x5xf32>
  %a_c64 = stablehlo.complex %a_f32, %skew : tensor<3x5x5xcomplex<f32>>
  %b_c64 = stablehlo.complex %b_f32, %b : tensor<3x5x4xcomplex<f32>>
  %a_f64 = stablehlo.convert %a_f32 : (tensor<3x5x5xf32>) -> tensor<3x5x5xf64>
  %b_f64 = stablehlo.convert %b_f32 : (tensor<3x5x4xf32>) -> tensor<3x5x4xf64>
  %a_c128 = stablehlo.convert %a_c64 : (tensor<3x5x5xcomplex<f32>>) -> tensor<3x5x5xcomplex<f64>>
  %b_c128 = stablehlo.convert %b_c64 : (tensor<3x5x4xcomplex<f32>>) -> tensor<3x5x4xcomplex<f64>>
  %factor_f32 = stablehlo.cholesky %a_f32, lower = true : tensor<3x5x5xf32>
  %solved_f32 = "stablehlo.triangular_solve"(%factor_f32, %b_f32) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x5x5xf32>, tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
  %slice_a_f32 = stablehlo.slice %a_f32 [1:2, 0:5, 0:5] : (tensor<3x5x5xf32>) -> tensor<1x5x5xf32>
  %slice_b_f32 = stablehlo.slice %b_f32 [1:2, 0:5, 0:4] : (tensor<3x5x4xf32>) -> tensor<1x5x4xf32>
  %one_a_f32 = stablehlo.reshape %slice_a_f32 : (tensor<1x5x5xf32>) -> tensor<5x5xf32>
  %one_b_f32 = stablehlo.reshape %slice_b_f32 : (tensor<1x5x4xf32>) -> tensor<5x4xf32>
  %factor_one_f32 = stablehlo.cholesky %one_a_f32, lower = false : tensor<5x5xf32>
  %solved_one_f32 = "stablehlo.triangular_solve"(%factor_one_f32, %one_b_f32) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<5x5xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  %factor_f64 = stablehlo.cholesky %a_f64, lower = true : tensor<3x5x5xf64>
  %solved_f64 = "stablehlo.triangular_solve"(%factor_f64, %b_f64) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x5x5xf64>, tensor<3x5x4xf64>) -> tensor<3x5x4xf64>
  %f32_solved_f64 = stablehlo.convert %solved_f64 : (tensor<3x5x4xf64>) -> tensor<3x5x4xf32>
  %slice_a_f64 = stablehlo.slice %a_f64 [1:2, 0:5, 0:5] : (tensor<3x5x5xf64>) -> tensor<1x5x5xf64>
  %slice_b_f64 = stablehlo.slice %b_f64 [1:2, 0:5, 0:4] : (tensor<3x5x4xf64>) -> tensor<1x5x4xf64>
  %one_a_f64 = stablehlo.reshape %slice_a_f64 : (tensor<1x5x5xf64>) -> tensor<5x5xf64>
  %one_b_f64 = stablehlo.reshape %slice_b_f64 : (tensor<1x5x4xf64>) -> tensor<5x4xf64>
  %factor_one_f64 = stablehlo.cholesky %one_a_f64, lower = false : tensor<5x5xf64>
  %solved_one_f64 = "stablehlo.triangular_solve"(%factor_one_f64, %one_b_f64) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<5x5xf64>, tensor<5x4xf64>) -> tensor<5x4xf64>
  %f32_solved_one_f64 = stablehlo.convert %solved_one_f64 : (tensor<5x4xf64>) -> tensor<5x4xf32>
  %factor_c64 = stablehlo.cholesky %a_c64, lower = true : tensor<3x5x5xcomplex<f32>>
  %solved_c64 = "stablehlo.triangular_solve"(%factor_c64, %b_c64) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x5x5xcomplex<f32>>, tensor<3x5x4xcomplex<f32>>) -> tensor<3x5x4xcomplex<f32>>
  %real_solved_c64 = stablehlo.real %solved_c64 : (tensor<3x5x4xcomplex<f32>>) -> tensor<3x5x4xf32>
  %slice_a_c64 = stablehlo.slice %a_c64 [1:2, 0:5, 0:5] : (tensor<3x5x5xcomplex<f32>>) -> tensor<1x5x5xcomplex<f32>>
  %slice_b_c64 = stablehlo.slice %b_c64 [1:2, 0:5, 0:4] : (tensor<3x5x4xcomplex<f32>>) -> tensor<1x5x4xcomplex<f32>>
  %one_a_c64 = stablehlo.reshape %slice_a_c64 : (tensor<1x5x5xcomplex<f32>>) -> tensor<5x5xcomplex<f32>>
  %one_b_c64 = stablehlo.reshape %slice_b_c64 : (tensor<1x5x4xcomplex<f32>>) -> tensor<5x4xcomplex<f32>>
  %factor_one_c64 = stablehlo.cholesky %one_a_c64, lower = false : tensor<5x5xcomplex<f32>>
  %solved_one_c64 = "stablehlo.triangular_solve"(%factor_one_c64, %one_b_c64) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<5x5xcomplex<f32>>, tensor<5x4xcomplex<f32>>) -> tensor<5x4xcomplex<f32>>
  %real_solved_one_c64 = stablehlo.real %solved_one_c64 : (tensor<5x4xcomplex<f32>>) -> tensor<5x4xf32>
  %factor_c128 = stablehlo.cholesky %a_c128, lower = true : tensor<3x5x5xcomplex<f64>>
  %solved_c128 = "stablehlo.triangular_solve"(%factor_c128, %b_c128) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x5x5xcomplex<f64>>, tensor<3x5x4xcomplex<f64>>) -> tensor<3x5x4xcomplex<f64>>
  %real_solved_c128 = stablehlo.real %solved_c128 : (tensor<3x5x4xcomplex<f64>>) -> tensor<3x5x4xf64>
  %f32_solved_c128 = stablehlo.convert %real_solved_c128 : (tensor<3x5x4xf64>) -> tensor<3x5x4xf32>
  %slice_a_c128 = stablehlo.slice %a_c128 [1:2, 0:5, 0:5] : (tensor<3x5x5xcomplex<f64>>) -> tensor<1x5x5xcomplex<f64>>
  %slice_b_c128 = stablehlo.slice %b_c128 [1:2, 0:5, 0:4] : (tensor<3x5x4xcomplex<f64>>) -> tensor<1x5x4xcomplex<f64>>
  %one_a_c128 = stablehlo.reshape %slice_a_c128 : (tensor<1x5x5xcomplex<f64>>) -> tensor<5x5xcomplex<f64>>
  %one_b_c128 = stablehlo.reshape %slice_b_c128 : (tensor<1x5x4xcomplex<f64>>) -> tensor<5x4xcomplex<f64>>
  %factor_one_c128 = stablehlo.cholesky %one_a_c128, lower = false : tensor<5x5xcomplex<f64>>
  %solved_one_c128 = "stablehlo.triangular_solve"(%factor_one_c128, %one_b_c128) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<5x5xcomplex<f64>>, tensor<5x4xcomplex<f64>>) -> tensor<5x4xcomplex<f64>>
  %real_solved_one_c128 = stablehlo.real %solved_one_c128 : (tensor<5x4xcomplex<f64>>) -> tensor<5x4xf64>
  %f32_solved_one_c128 = stablehlo.convert %real_solved_one_c128 : (tensor<5x4xf64>) -> tensor<5x4xf32>
  return %t_f32, %t, %solved_f32, %solved_one_f32, %f32_solved_f64, %f32_solved_one_f64, %real_solved_c64, %real_solved_one_c64, %f32_solved_c128, %f32_solved_one_c128
      : tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<3x5x4xf32>, tensor<5x4xf32>, tensor<3x5x4xf32>, tensor<5x4xf32>, tensor<3x5x4xf32>, tensor<5x4xf32>, tensor<3x5x4xf32>, tensor<5x4xf32>
}
