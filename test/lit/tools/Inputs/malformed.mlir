func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.exp %a : tensor<4xf32>
  return %0 : tensor<4xf32
}
