func.func @main(%q: tensor<16x512x64xf16>, %k: tensor<16x512x64xf16>, %v: tensor<16x512x64xf16>) -> tensor<16x512x64xf16> {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<16x512x64xf16>, tensor<16x512x64xf16>) -> tensor<16x512x512xf16> loc("scores")
  %1 = tg.reduce max %0 dims [2] : (tensor<16x512x512xf16>) -> tensor<16x512xf16> loc("max")
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<16x512xf16>) -> tensor<16x512x512xf16>
  %3 = tg.sub %0, %2 : tensor<16x512x512xf16> loc("sub")
  %4 = tg.exp %3 : tensor<16x512x512xf16> loc("exp")
  %5 = tg.reduce add %4 dims [2] : (tensor<16x512x512xf16>) -> tensor<16x512xf16> loc("sum")
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<16x512xf16>) -> tensor<16x512x512xf16>
  %7 = tg.div %4, %6 : tensor<16x512x512xf16> loc("weights")
  %8 = tg.dot %7, %v batch [0] x [0] contract [2] x [1] : (tensor<16x512x512xf16>, tensor<16x512x64xf16>) -> tensor<16x512x64xf16> loc("result")
  return %8 : tensor<16x512x64xf16>
}
