// Products of complex numbers: of strided operands, of packed ones, of a batch, and a convolution.
func.func @main(%a: tensor<3x17x24xcomplex<f32>>, %b: tensor<3x24x9xcomplex<f32>>, %c: tensor<6x5x7xcomplex<f64>>,
                %d: tensor<5x8x6xcomplex<f64>>, %e: tensor<2x3x8x8xcomplex<f32>>, %f: tensor<4x3x3x3xcomplex<f32>>)
    -> (tensor<3x17x9xcomplex<f32>>, tensor<7x8xcomplex<f64>>, tensor<2x4x8x8xcomplex<f32>>) {
  %0 = tg.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<3x17x24xcomplex<f32>>, tensor<3x24x9xcomplex<f32>>) -> tensor<3x17x9xcomplex<f32>>
  %1 = tg.dot %c, %d contract [0, 1] x [2, 0] : (tensor<6x5x7xcomplex<f64>>, tensor<5x8x6xcomplex<f64>>) -> tensor<7x8xcomplex<f64>>
  %2 = tg.convolution %e, %f dims [b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1] window_strides [1, 1]
      padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
      : (tensor<2x3x8x8xcomplex<f32>>, tensor<4x3x3x3xcomplex<f32>>) -> tensor<2x4x8x8xcomplex<f32>>
  return %0, %1, %2 : tensor<3x17x9xcomplex<f32>>, tensor<7x8xcomplex<f64>>, tensor<2x4x8x8xcomplex<f32>>
}
