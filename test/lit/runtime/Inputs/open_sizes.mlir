// Row and column reductions, a dot, and the size as data, of b rows. The first output has an element for each row, which does not
// divide into vectors.
module {
  func.func @main(%x: tensor<?x12xf32> {stitch.dims = ["b", ""]}, %w: tensor<12x5xf32>) -> (tensor<?xf32>, tensor<?x5xf32>, tensor<12xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %twelve = stablehlo.constant dense<12> : tensor<1xi32>
    %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x12xf32>) -> tensor<i32>
    %list = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
    %shape = stablehlo.concatenate %list, %twelve, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %top = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<?x12xf32>, tensor<f32>) -> tensor<?xf32>
    %tops = stablehlo.dynamic_broadcast_in_dim %top, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x12xf32>
    %shifted = stablehlo.subtract %x, %tops : tensor<?x12xf32>
    %powers = stablehlo.exponential %shifted : tensor<?x12xf32>
    %sum = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x12xf32>, tensor<f32>) -> tensor<?xf32>
    %logs = stablehlo.log %sum : tensor<?xf32>
    %product = stablehlo.dot_general %powers, %w, contracting_dims = [1] x [0] : (tensor<?x12xf32>, tensor<12x5xf32>) -> tensor<?x5xf32>
    %activated = stablehlo.tanh %product : tensor<?x5xf32>
    %count = stablehlo.convert %size : (tensor<i32>) -> tensor<f32>
    %counts = stablehlo.broadcast_in_dim %count, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %column = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x12xf32>, tensor<f32>) -> tensor<12xf32>
    %mean = stablehlo.divide %column, %counts : tensor<12xf32>
    %all = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x12xf32>, tensor<f32>) -> tensor<f32>
    return %logs, %activated, %mean, %all : tensor<?xf32>, tensor<?x5xf32>, tensor<12xf32>, tensor<f32>
  }
}
