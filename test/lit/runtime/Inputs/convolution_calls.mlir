// Each way that a convolution goes on a GPU: as a convolution, as a gradient by the image with groups, both with a filter
// that is packed; as a gradient by the filter, which is copied to its place; and by the kernel of the runtime's own.
func.func @main(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x4xf32>, %g: tensor<3x3x2x6xf32>, %h: tensor<2x4x3x8xf32>)
    -> (tensor<2x6x6x4xf32>, tensor<2x12x12x6xf32>, tensor<3x4x4x8xf32>, tensor<2x4x11x4xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x6x6x4xf32>
  %1 = stablehlo.convolution(%0, %g) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x6x6x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x12x12x6xf32>
  %2 = stablehlo.convolution(%0, %h) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, b, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x4xf32>, tensor<2x4x3x8xf32>) -> tensor<3x4x4x8xf32>
  %3 = stablehlo.convolution(%0, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 0], [1, 1]], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x5x11x4xf32>
  %4 = stablehlo.slice %3 [0:2, 0:4, 0:11, 0:4] : (tensor<2x5x11x4xf32>) -> tensor<2x4x11x4xf32>
  return %0, %1, %2, %4 : tensor<2x6x6x4xf32>, tensor<2x12x12x6xf32>, tensor<3x4x4x8xf32>, tensor<2x4x11x4xf32>
}
