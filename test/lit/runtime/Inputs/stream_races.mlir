// Two chains and a product: on two streams, steps of each wait for some of the other.
func.func @main(%x: tensor<64x96xf32>, %y: tensor<64x96xf32>, %w: tensor<96x96xf32>) -> (tensor<64x96xf32>, tensor<64x96xf32>, tensor<96x96xf32>) {
  %0 = tg.tanh %x : tensor<64x96xf32>
  %4 = tg.dot %0, %w contract [1] x [0] : (tensor<64x96xf32>, tensor<96x96xf32>) -> tensor<64x96xf32>
  %5 = tg.exp %4 : tensor<64x96xf32>
  %1 = tg.sqrt %y : tensor<64x96xf32>
  %6 = tg.dot %1, %w contract [1] x [0] : (tensor<64x96xf32>, tensor<96x96xf32>) -> tensor<64x96xf32>
  %7 = tg.abs %6 : tensor<64x96xf32>
  %8 = tg.dot %w, %w contract [1] x [0] : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
  return %5, %7, %8 : tensor<64x96xf32>, tensor<64x96xf32>, tensor<96x96xf32>
}
