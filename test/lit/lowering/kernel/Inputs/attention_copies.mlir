// Two products in bf16 and a softmax between them: tiles of keys and values are copied into two buffers.
func.func @main(%q: tensor<2x40x16xbf16>, %k: tensor<2x150x16xbf16>, %v: tensor<2x150x32xbf16>) -> tensor<2x40x32xbf16> {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x40x16xbf16>, tensor<2x150x16xbf16>) -> tensor<2x40x150xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<2x40x150xf32>) -> tensor<2x40xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<2x40xf32>) -> tensor<2x40x150xf32>
  %3 = tg.sub %0, %2 : tensor<2x40x150xf32>
  %4 = tg.exp %3 : tensor<2x40x150xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<2x40x150xf32>) -> tensor<2x40xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<2x40xf32>) -> tensor<2x40x150xf32>
  %7 = tg.div %4, %6 : tensor<2x40x150xf32>
  %8 = tg.convert %7 : (tensor<2x40x150xf32>) -> tensor<2x40x150xbf16>
  %9 = tg.dot %8, %v batch [0] x [0] contract [2] x [1] : (tensor<2x40x150xbf16>, tensor<2x150x32xbf16>) -> tensor<2x40x32xbf16>
  return %9 : tensor<2x40x32xbf16>
}
