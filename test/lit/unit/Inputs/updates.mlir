// A cache, donated as JAX says it, of which a run replaces a row, and products of its rows with the new one.
func.func public @main(%cache: tensor<64x8xf32> {tf.aliasing_output = 1 : i32}, %row: tensor<1x8xf32>, %position: tensor<i32>) -> (tensor<64xf32>, tensor<64x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %updated = stablehlo.dynamic_update_slice %cache, %row, %position, %zero : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
  %rows = stablehlo.broadcast_in_dim %row, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<64x8xf32>
  %products = stablehlo.multiply %updated, %rows : tensor<64x8xf32>
  %sums = stablehlo.reduce(%products init: %none) applies stablehlo.add across dimensions = [1] : (tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>
  return %sums, %updated : tensor<64xf32>, tensor<64x8xf32>
}
