// Each column divided by the sum of the row of its number: a barrier of the grid between sums and quotients, where both are one kernel.
func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %abs = stablehlo.abs %x : tensor<512x512xf32>
  %sum = stablehlo.reduce(%abs init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  %all = stablehlo.broadcast_in_dim %sum, dims = [1] : (tensor<512xf32>) -> tensor<512x512xf32>
  %y = stablehlo.divide %x, %all : tensor<512x512xf32>
  return %y : tensor<512x512xf32>
}
