func.func private @slice(%x: tensor<4xf32>) -> tensor<2x1xf32> {
  %0 = tg.broadcast %x dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %1 = tg.slice %0 [0:2, 3:4] : (tensor<4x8xf32>) -> tensor<2x1xf32>
  return %1 : tensor<2x1xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<2x1xf32> {
  %0 = func.call @slice(%x) : (tensor<4xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
