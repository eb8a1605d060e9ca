// A chain whose operations round each by itself, sums, and products.
func.func @main(%x: tensor<96xf32>, %y: tensor<64x96xf32>, %z: tensor<40x96xf32>, %w: tensor<96x24xf32>, %v: tensor<96x24xf32>) -> (tensor<64x96xf32>, tensor<40x96xf32>, tensor<64x24xf32>, tensor<64x24xf32>) {
  %0 = tg.exp %x : tensor<96xf32>
  %1 = tg.broadcast %0 dims [1] : (tensor<96xf32>) -> tensor<64x96xf32>
  %2 = tg.max %1, %y : tensor<64x96xf32>
  %3 = tg.tanh %2 : tensor<64x96xf32>
  %4 = tg.reduce add %z dims [1] : (tensor<40x96xf32>) -> tensor<40xf32>
  %5 = tg.tanh %4 : tensor<40xf32>
  %6 = tg.broadcast %5 dims [0] : (tensor<40xf32>) -> tensor<40x96xf32>
  %7 = tg.sub %z, %6 : tensor<40x96xf32>
  %8 = tg.dot %y, %w contract [1] x [0] : (tensor<64x96xf32>, tensor<96x24xf32>) -> tensor<64x24xf32>
  %9 = tg.dot %y, %v contract [1] x [0] : (tensor<64x96xf32>, tensor<96x24xf32>) -> tensor<64x24xf32>
  return %3, %7, %8, %9 : tensor<64x96xf32>, tensor<40x96xf32>, tensor<64x24xf32>, tensor<64x24xf32>
}
