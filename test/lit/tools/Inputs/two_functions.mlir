func.func @product(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tg.exp %a : tensor<4x4xf32>
  %1 = tg.dot %0, %0 contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = tg.tanh %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
func.func @other(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %2 = tg.tanh %a : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
