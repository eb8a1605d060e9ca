// Two products and a softmax between them, with rows and keys that fill no tile.
func.func @main(%q: tensor<2x40x16xf32>, %k: tensor<2x70x16xf32>, %v: tensor<2x70x32xf32>) -> tensor<2x40x32xf32> {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x40x16xf32>, tensor<2x70x16xf32>) -> tensor<2x40x70xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<2x40x70xf32>) -> tensor<2x40xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<2x40xf32>) -> tensor<2x40x70xf32>
  %3 = tg.sub %0, %2 : tensor<2x40x70xf32>
  %4 = tg.exp %3 : tensor<2x40x70xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<2x40x70xf32>) -> tensor<2x40xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<2x40xf32>) -> tensor<2x40x70xf32>
  %7 = tg.div %4, %6 : tensor<2x40x70xf32>
  %8 = tg.dot %7, %v batch [0] x [0] contract [2] x [1] : (tensor<2x40x70xf32>, tensor<2x70x32xf32>) -> tensor<2x40x32xf32>
  return %8 : tensor<2x40x32xf32>
}
