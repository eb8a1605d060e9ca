// Batch normalisation of b rows: what is kept of each column is computed between two sweeps over the rows.
func.func @main(%x: tensor<?x96xf32> {stitch.dims = ["b", ""]}, %gamma: tensor<96xf32>) -> (tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %epsilon = stablehlo.constant dense<1.0e-5> : tensor<96xf32>
  %c96 = stablehlo.constant dense<96> : tensor<1xi32>
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x96xf32>) -> tensor<i32>
  %list = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %list, %c96, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %count = stablehlo.convert %size : (tensor<i32>) -> tensor<f32>
  %counts = stablehlo.broadcast_in_dim %count, dims = [] : (tensor<f32>) -> tensor<96xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x96xf32>, tensor<f32>) -> tensor<96xf32>
  %mean = stablehlo.divide %sum, %counts : tensor<96xf32>
  %means = stablehlo.dynamic_broadcast_in_dim %mean, %shape, dims = [1] : (tensor<96xf32>, tensor<2xi32>) -> tensor<?x96xf32>
  %centred = stablehlo.subtract %x, %means : tensor<?x96xf32>
  %squares = stablehlo.multiply %centred, %centred : tensor<?x96xf32>
  %total = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x96xf32>, tensor<f32>) -> tensor<96xf32>
  %variance = stablehlo.divide %total, %counts : tensor<96xf32>
  %shifted = stablehlo.add %variance, %epsilon : tensor<96xf32>
  %root = stablehlo.rsqrt %shifted : tensor<96xf32>
  %scale = stablehlo.multiply %root, %gamma : tensor<96xf32>
  %scales = stablehlo.dynamic_broadcast_in_dim %scale, %shape, dims = [1] : (tensor<96xf32>, tensor<2xi32>) -> tensor<?x96xf32>
  %y = stablehlo.multiply %centred, %scales : tensor<?x96xf32>
  return %y, %mean, %variance : tensor<?x96xf32>, tensor<96xf32>, tensor<96xf32>
}
