// Rows see keys up to their own number, and the last row is the only one that sees the last tile's key.
func.func @main(%q: tensor<2x33x8xf32>, %k: tensor<2x33x8xf32>, %v: tensor<2x33x8xf32>) -> tensor<2x33x8xf32> {
  %low = tg.constant dense<-1.0e9> : tensor<2x33x33xf32>
  %i = tg.iota dim 0 : tensor<33xi32>
  %r = tg.broadcast %i dims [1] : (tensor<33xi32>) -> tensor<2x33x33xi32>
  %c = tg.broadcast %i dims [2] : (tensor<33xi32>) -> tensor<2x33x33xi32>
  %p = tg.compare ge, %r, %c : tensor<2x33x33xi32>
  %s = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x33x8xf32>, tensor<2x33x8xf32>) -> tensor<2x33x33xf32>
  %scale = tg.constant dense<0.05> : tensor<2x33x33xf32>
  %t = tg.mul %s, %scale : tensor<2x33x33xf32>
  %0 = tg.select %p, %t, %low : tensor<2x33x33xi1>, tensor<2x33x33xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<2x33x33xf32>) -> tensor<2x33xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<2x33xf32>) -> tensor<2x33x33xf32>
  %3 = tg.sub %0, %2 : tensor<2x33x33xf32>
  %4 = tg.exp %3 : tensor<2x33x33xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<2x33x33xf32>) -> tensor<2x33xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<2x33xf32>) -> tensor<2x33x33xf32>
  %7 = tg.div %4, %6 : tensor<2x33x33xf32>
  %8 = tg.dot %7, %v batch [0] x [0] contract [2] x [1] : (tensor<2x33x33xf32>, tensor<2x33x8xf32>) -> tensor<2x33x8xf32>
  return %8 : tensor<2x33x8xf32>
}
