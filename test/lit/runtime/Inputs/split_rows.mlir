// The softmax of 64 rows of 3001, and the maxima of 6 rows of 30000.
func.func @main(%x: tensor<64x3001xf32>, %y: tensor<6x30000xf32>) -> (tensor<64x3001xf32>, tensor<6xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<64x3001xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x3001xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<64x3001xf32>
  %3 = stablehlo.exponential %2 : tensor<64x3001xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x3001xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x3001xf32>
  %6 = stablehlo.divide %3, %5 : tensor<64x3001xf32>
  %7 = stablehlo.reduce(%y init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<6x30000xf32>, tensor<f32>) -> tensor<6xf32>
  return %6, %7 : tensor<64x3001xf32>, tensor<6xf32>
}
