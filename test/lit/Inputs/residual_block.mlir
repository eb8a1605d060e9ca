func.func @main(%x: tensor<1x8x8x4xf32>, %k0: tensor<3x3x4x4xf32>, %b0: tensor<4xf32>, %k1: tensor<3x3x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %0 = stablehlo.convolution(%x, %k0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32>) -> tensor<1x8x8x4xf32>
  %1 = stablehlo.broadcast_in_dim %b0, dims = [3] : (tensor<4xf32>) -> tensor<1x8x8x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<1x8x8x4xf32>
  %3 = stablehlo.add %2, %x : tensor<1x8x8x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<1x8x8x4xf32>
  %4 = stablehlo.maximum %3, %zero : tensor<1x8x8x4xf32>
  %5 = stablehlo.convolution(%4, %k1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x4x4x8xf32>
  %6 = stablehlo.tanh %5 : tensor<1x4x4x8xf32>
  return %6 : tensor<1x4x4x8xf32>
}
