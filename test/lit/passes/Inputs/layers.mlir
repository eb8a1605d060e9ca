func.func @main(%a: tensor<256x128xf32>, %w: tensor<128x128xf32>) -> tensor<256x128xf32> {
  %0 = tg.exp %a : tensor<256x128xf32> loc("layer_0/exp")
  %1 = tg.tanh %0 : tensor<256x128xf32> loc("layer_0/tanh")
  %2 = tg.dot %1, %w contract [1] x [0] : (tensor<256x128xf32>, tensor<128x128xf32>) -> tensor<256x128xf32> loc("layer_0/dot")
  %3 = tg.exp %2 : tensor<256x128xf32> loc("layer_1/exp")
  %4 = tg.sin %3 : tensor<256x128xf32> loc("layer_1/sin")
  %5 = tg.tanh %4 : tensor<256x128xf32> loc("layer_1/tanh")
  %6 = tg.cos %5 : tensor<256x128xf32> loc("head/exp")
  return %6 : tensor<256x128xf32>
}
