// Systems of equations of every form, in all types, several at a time and one.
func.func @main(%a: tensor<3x6x6xf32>, %b: tensor<3x6x4xf32>)
    -> (tensor<3x6x4xf32>, tensor<3x6x4xf64>, tensor<6x4xcomplex<f32>>, tensor<6x4xcomplex<f64>>, tensor<3x6x4xcomplex<f32>>, tensor<3x6x4xcomplex<f32>>, tensor<6x4xcomplex<f64>>, tensor<6x4xf32>, tensor<3x6x4xcomplex<f32>>, tensor<3x6x4xcomplex<f64>>, tensor<6x4xcomplex<f64>>, tensor<6x4xf64>, tensor<4x6xcomplex<f64>>, tensor<4x6xf32>, tensor<3x4x6xf64>, tensor<3x4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xf64>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f64>>, tensor<4x6xf64>, tensor<4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f64>>, tensor<3x4x6xf32>) {
  %diagonal = stablehlo.constant dense<[[4.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 4.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 4.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 4.0]]> : tensor<6x6xf32>
  %diagonals = stablehlo.broadcast_in_dim %diagonal, dims = [1, 2] : (tensor<6x6xf32>) -> tensor<3x6x6xf32>
  %a_f32 = stablehlo.add %a, %diagonals : tensor<3x6x6xf32>
  %a_c64 = stablehlo.complex %a_f32, %a : tensor<3x6x6xcomplex<f32>>
  %b_f32 = stablehlo.negate %b : tensor<3x6x4xf32>
  %b_c64 = stablehlo.complex %b_f32, %b : tensor<3x6x4xcomplex<f32>>
  %r_f32 = stablehlo.transpose %b, dims = [0, 2, 1] : (tensor<3x6x4xf32>) -> tensor<3x4x6xf32>
  %r_c64 = stablehlo.transpose %b_c64, dims = [0, 2, 1] : (tensor<3x6x4xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
  %a_f64 = stablehlo.convert %a_f32 : (tensor<3x6x6xf32>) -> tensor<3x6x6xf64>
  %b_f64 = stablehlo.convert %b_f32 : (tensor<3x6x4xf32>) -> tensor<3x6x4xf64>
  %r_f64 = stablehlo.convert %r_f32 : (tensor<3x4x6xf32>) -> tensor<3x4x6xf64>
  %a_c128 = stablehlo.convert %a_c64 : (tensor<3x6x6xcomplex<f32>>) -> tensor<3x6x6xcomplex<f64>>
  %b_c128 = stablehlo.convert %b_c64 : (tensor<3x6x4xcomplex<f32>>) -> tensor<3x6x4xcomplex<f64>>
  %r_c128 = stablehlo.convert %r_c64 : (tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f64>>
  %slice_a_f32 = stablehlo.slice %a_f32 [1:2, 0:6, 0:6] : (tensor<3x6x6xf32>) -> tensor<1x6x6xf32>
  %one_a_f32 = stablehlo.reshape %slice_a_f32 : (tensor<1x6x6xf32>) -> tensor<6x6xf32>
  %slice_b_f32 = stablehlo.slice %b_f32 [1:2, 0:6, 0:4] : (tensor<3x6x4xf32>) -> tensor<1x6x4xf32>
  %one_b_f32 = stablehlo.reshape %slice_b_f32 : (tensor<1x6x4xf32>) -> tensor<6x4xf32>
  %slice_r_f32 = stablehlo.slice %r_f32 [1:2, 0:4, 0:6] : (tensor<3x4x6xf32>) -> tensor<1x4x6xf32>
  %one_r_f32 = stablehlo.reshape %slice_r_f32 : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
  %slice_a_f64 = stablehlo.slice %a_f64 [1:2, 0:6, 0:6] : (tensor<3x6x6xf64>) -> tensor<1x6x6xf64>
  %one_a_f64 = stablehlo.reshape %slice_a_f64 : (tensor<1x6x6xf64>) -> tensor<6x6xf64>
  %slice_b_f64 = stablehlo.slice %b_f64 [1:2, 0:6, 0:4] : (tensor<3x6x4xf64>) -> tensor<1x6x4xf64>
  %one_b_f64 = stablehlo.reshape %slice_b_f64 : (tensor<1x6x4xf64>) -> tensor<6x4xf64>
  %slice_r_f64 = stablehlo.slice %r_f64 [1:2, 0:4, 0:6] : (tensor<3x4x6xf64>) -> tensor<1x4x6xf64>
  %one_r_f64 = stablehlo.reshape %slice_r_f64 : (tensor<1x4x6xf64>) -> tensor<4x6xf64>
  %slice_a_c64 = stablehlo.slice %a_c64 [1:2, 0:6, 0:6] : (tensor<3x6x6xcomplex<f32>>) -> tensor<1x6x6xcomplex<f32>>
  %one_a_c64 = stablehlo.reshape %slice_a_c64 : (tensor<1x6x6xcomplex<f32>>) -> tensor<6x6xcomplex<f32>>
  %slice_b_c64 = stablehlo.slice %b_c64 [1:2, 0:6, 0:4] : (tensor<3x6x4xcomplex<f32>>) -> tensor<1x6x4xcomplex<f32>>
  %one_b_c64 = stablehlo.reshape %slice_b_c64 : (tensor<1x6x4xcomplex<f32>>) -> tensor<6x4xcomplex<f32>>
  %slice_r_c64 = stablehlo.slice %r_c64 [1:2, 0:4, 0:6] : (tensor<3x4x6xcomplex<f32>>) -> tensor<1x4x6xcomplex<f32>>
  %one_r_c64 = stablehlo.reshape %slice_r_c64 : (tensor<1x4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
  %slice_a_c128 = stablehlo.slice %a_c128 [1:2, 0:6, 0:6] : (tensor<3x6x6xcomplex<f64>>) -> tensor<1x6x6xcomplex<f64>>
  %one_a_c128 = stablehlo.reshape %slice_a_c128 : (tensor<1x6x6xcomplex<f64>>) -> tensor<6x6xcomplex<f64>>
  %slice_b_c128 = stablehlo.slice %b_c128 [1:2, 0:6, 0:4] : (tensor<3x6x4xcomplex<f64>>) -> tensor<1x6x4xcomplex<f64>>
  %one_b_c128 = stablehlo.reshape %slice_b_c128 : (tensor<1x6x4xcomplex<f64>>) -> tensor<6x4xcomplex<f64>>
  %slice_r_c128 = stablehlo.slice %r_c128 [1:2, 0:4, 0:6] : (tensor<3x4x6xcomplex<f64>>) -> tensor<1x4x6xcomplex<f64>>
  %one_r_c128 = stablehlo.reshape %slice_r_c128 : (tensor<1x4x6xcomplex<f64>>) -> tensor<4x6xcomplex<f64>>
  %0 = "stablehlo.triangular_solve"(%a_f32, %b_f32) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x6x6xf32>, tensor<3x6x4xf32>) -> tensor<3x6x4xf32>
  %1 = "stablehlo.triangular_solve"(%a_f64, %b_f64) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<3x6x6xf64>, tensor<3x6x4xf64>) -> tensor<3x6x4xf64>
  %2 = "stablehlo.triangular_solve"(%one_a_c64, %one_b_c64) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<6x6xcomplex<f32>>, tensor<6x4xcomplex<f32>>) -> tensor<6x4xcomplex<f32>>
  %3 = "stablehlo.triangular_solve"(%one_a_c128, %one_b_c128) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<6x6xcomplex<f64>>, tensor<6x4xcomplex<f64>>) -> tensor<6x4xcomplex<f64>>
  %4 = "stablehlo.triangular_solve"(%a_c64, %b_c64) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x6x6xcomplex<f32>>, tensor<3x6x4xcomplex<f32>>) -> tensor<3x6x4xcomplex<f32>>
  %5 = "stablehlo.triangular_solve"(%a_c64, %b_c64) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<3x6x6xcomplex<f32>>, tensor<3x6x4xcomplex<f32>>) -> tensor<3x6x4xcomplex<f32>>
  %6 = "stablehlo.triangular_solve"(%one_a_c128, %one_b_c128) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<6x6xcomplex<f64>>, tensor<6x4xcomplex<f64>>) -> tensor<6x4xcomplex<f64>>
  %7 = "stablehlo.triangular_solve"(%one_a_f32, %one_b_f32) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<6x6xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %8 = "stablehlo.triangular_solve"(%a_c64, %b_c64) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x6x6xcomplex<f32>>, tensor<3x6x4xcomplex<f32>>) -> tensor<3x6x4xcomplex<f32>>
  %9 = "stablehlo.triangular_solve"(%a_c128, %b_c128) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<3x6x6xcomplex<f64>>, tensor<3x6x4xcomplex<f64>>) -> tensor<3x6x4xcomplex<f64>>
  %10 = "stablehlo.triangular_solve"(%one_a_c128, %one_b_c128) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<6x6xcomplex<f64>>, tensor<6x4xcomplex<f64>>) -> tensor<6x4xcomplex<f64>>
  %11 = "stablehlo.triangular_solve"(%one_a_f64, %one_b_f64) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<6x6xf64>, tensor<6x4xf64>) -> tensor<6x4xf64>
  %12 = "stablehlo.triangular_solve"(%one_a_c128, %one_r_c128) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<6x6xcomplex<f64>>, tensor<4x6xcomplex<f64>>) -> tensor<4x6xcomplex<f64>>
  %13 = "stablehlo.triangular_solve"(%one_a_f32, %one_r_f32) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<6x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %14 = "stablehlo.triangular_solve"(%a_f64, %r_f64) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x6x6xf64>, tensor<3x4x6xf64>) -> tensor<3x4x6xf64>
  %15 = "stablehlo.triangular_solve"(%a_c64, %r_c64) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<3x6x6xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
  %16 = "stablehlo.triangular_solve"(%one_a_c64, %one_r_c64) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<6x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
  %17 = "stablehlo.triangular_solve"(%one_a_f64, %one_r_f64) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<6x6xf64>, tensor<4x6xf64>) -> tensor<4x6xf64>
  %18 = "stablehlo.triangular_solve"(%a_c64, %r_c64) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x6x6xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
  %19 = "stablehlo.triangular_solve"(%a_c128, %r_c128) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<3x6x6xcomplex<f64>>, tensor<3x4x6xcomplex<f64>>) -> tensor<3x4x6xcomplex<f64>>
  %20 = "stablehlo.triangular_solve"(%one_a_f64, %one_r_f64) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<6x6xf64>, tensor<4x6xf64>) -> tensor<4x6xf64>
  %21 = "stablehlo.triangular_solve"(%one_a_c64, %one_r_c64) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<6x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
  %22 = "stablehlo.triangular_solve"(%a_c128, %r_c128) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x6x6xcomplex<f64>>, tensor<3x4x6xcomplex<f64>>) -> tensor<3x4x6xcomplex<f64>>
  %23 = "stablehlo.triangular_solve"(%a_f32, %r_f32) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<3x6x6xf32>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23
      : tensor<3x6x4xf32>, tensor<3x6x4xf64>, tensor<6x4xcomplex<f32>>, tensor<6x4xcomplex<f64>>, tensor<3x6x4xcomplex<f32>>, tensor<3x6x4xcomplex<f32>>, tensor<6x4xcomplex<f64>>, tensor<6x4xf32>, tensor<3x6x4xcomplex<f32>>, tensor<3x6x4xcomplex<f64>>, tensor<6x4xcomplex<f64>>, tensor<6x4xf64>, tensor<4x6xcomplex<f64>>, tensor<4x6xf32>, tensor<3x4x6xf64>, tensor<3x4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xf64>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f64>>, tensor<4x6xf64>, tensor<4x6xcomplex<f32>>, tensor<3x4x6xcomplex<f64>>, tensor<3x4x6xf32>
}
