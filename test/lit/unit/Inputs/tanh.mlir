func.func @main(%x: tensor<96x64xf32>) -> tensor<96x64xf32> {
  %0 = tg.tanh %x : tensor<96x64xf32>
  return %0 : tensor<96x64xf32>
}
