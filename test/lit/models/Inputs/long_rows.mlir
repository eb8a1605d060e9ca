// A softmax of rows that no block holds.
func.func @main(%x: tensor<64x262144xf32>) -> tensor<64x262144xf32> {
  %max = tg.reduce max %x dims [1] : (tensor<64x262144xf32>) -> tensor<64xf32>
  %m = tg.broadcast %max dims [0] : (tensor<64xf32>) -> tensor<64x262144xf32>
  %d = tg.sub %x, %m : tensor<64x262144xf32>
  %e = tg.exp %d : tensor<64x262144xf32>
  %sum = tg.reduce add %e dims [1] : (tensor<64x262144xf32>) -> tensor<64xf32>
  %s = tg.broadcast %sum dims [0] : (tensor<64xf32>) -> tensor<64x262144xf32>
  %r = tg.div %e, %s : tensor<64x262144xf32>
  return %r : tensor<64x262144xf32>
}
