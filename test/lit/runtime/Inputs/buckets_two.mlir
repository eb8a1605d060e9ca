// Two open sizes.
module {
  func.func @main(%x: tensor<?x12xf32> {stitch.dims = ["b", ""]}, %y: tensor<?x7xf32> {stitch.dims = ["c", ""]}) -> (tensor<?xf32>, tensor<?x7xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x12xf32>, tensor<f32>) -> tensor<?xf32>
    %root = stablehlo.tanh %sum : tensor<?xf32>
    %exp = stablehlo.exponential %y : tensor<?x7xf32>
    return %root, %exp : tensor<?xf32>, tensor<?x7xf32>
  }
}
