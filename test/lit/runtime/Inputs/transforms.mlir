func.func @main(%x: tensor<2x3x4x7xf32>, %d: tensor<3x2x6xf64>, %c: tensor<3x67xcomplex<f64>>, %z: tensor<5x6xcomplex<f32>>, %s: tensor<2x5x4x5xcomplex<f32>>, %t: tensor<3x4xcomplex<f64>>, %p: tensor<4x131xcomplex<f32>>, %q: tensor<2x128xf32>, %one: tensor<4x1xcomplex<f32>>)
    -> (tensor<2x3x4x4xcomplex<f32>>, tensor<3x2x4xcomplex<f64>>, tensor<3x67xcomplex<f64>>, tensor<5x6xcomplex<f32>>, tensor<2x5x4x8xf32>, tensor<3x7xf64>, tensor<4x131xcomplex<f32>>, tensor<2x65xcomplex<f32>>, tensor<4x1xf32>) {
  %0 = stablehlo.fft %x, type = RFFT, length = [3, 4, 7] : (tensor<2x3x4x7xf32>) -> tensor<2x3x4x4xcomplex<f32>>
  %1 = stablehlo.fft %d, type = RFFT, length = [2, 6] : (tensor<3x2x6xf64>) -> tensor<3x2x4xcomplex<f64>>
  %2 = stablehlo.fft %c, type = FFT, length = [67] : (tensor<3x67xcomplex<f64>>) -> tensor<3x67xcomplex<f64>>
  %3 = stablehlo.fft %z, type = IFFT, length = [5, 6] : (tensor<5x6xcomplex<f32>>) -> tensor<5x6xcomplex<f32>>
  %4 = stablehlo.fft %s, type = IRFFT, length = [5, 4, 8] : (tensor<2x5x4x5xcomplex<f32>>) -> tensor<2x5x4x8xf32>
  %5 = stablehlo.fft %t, type = IRFFT, length = [7] : (tensor<3x4xcomplex<f64>>) -> tensor<3x7xf64>
  %6 = stablehlo.fft %p, type = IFFT, length = [131] : (tensor<4x131xcomplex<f32>>) -> tensor<4x131xcomplex<f32>>
  %7 = stablehlo.fft %q, type = RFFT, length = [128] : (tensor<2x128xf32>) -> tensor<2x65xcomplex<f32>>
  %8 = stablehlo.fft %one, type = IRFFT, length = [1] : (tensor<4x1xcomplex<f32>>) -> tensor<4x1xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x3x4x4xcomplex<f32>>, tensor<3x2x4xcomplex<f64>>, tensor<3x67xcomplex<f64>>, tensor<5x6xcomplex<f32>>, tensor<2x5x4x8xf32>, tensor<3x7xf64>, tensor<4x131xcomplex<f32>>, tensor<2x65xcomplex<f32>>, tensor<4x1xf32>
}
