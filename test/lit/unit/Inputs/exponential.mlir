func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = tg.exp %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
