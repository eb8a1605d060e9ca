func.func @main(%x: tensor<64x128xf32>, %a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> (tensor<64x128xf32>, tensor<64xf32>, tensor<64x128xf32>) {
  %q = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32> loc("q")
  %k = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32> loc("k")
  %v = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32> loc("v")
  %0 = stablehlo.exponential %q : tensor<64x128xf32> loc("exp")
  %1 = stablehlo.add %0, %k : tensor<64x128xf32> loc("sum")
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32> loc("rows")
  %3 = stablehlo.tanh %v : tensor<64x128xf32> loc("tanh")
  %4 = stablehlo.multiply %3, %1 : tensor<64x128xf32> loc("product")
  return %1, %2, %4 : tensor<64x128xf32>, tensor<64xf32>, tensor<64x128xf32>
}
