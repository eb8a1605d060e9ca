func.func @f(%a: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tg.exp %a : tensor<64x64xf32> loc("first")
  %1 = tg.tanh %0 : tensor<64x64xf32> loc("second")
  %2 = linalg.matmul ins(%1, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = tg.exp %2 : tensor<64x64xf32> loc("third")
  return %3 : tensor<64x64xf32>
}
func.func @g(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tg.exp %a : tensor<64x64xf32> loc("first")
  %1 = tg.sin %0 : tensor<64x64xf32> loc("second")
  return %1 : tensor<64x64xf32>
}
