// APOLLO, figure 5 (a), as section 6.1 describes it: micro-graphs of BERT, each pair separated by a reduction. Here the
// softmax of its attention's scores, with scale and mask, in mixed precision.

func.func @main(%scores: tensor<32x12x128x128xf16>, %mask: tensor<32x128xf32>) -> tensor<32x12x128x128xf16> {
  %0 = tg.convert %scores : (tensor<32x12x128x128xf16>) -> tensor<32x12x128x128xf32>
  %1 = tg.constant dense<0.125> : tensor<32x12x128x128xf32>
  %2 = tg.mul %0, %1 : tensor<32x12x128x128xf32>
  %3 = tg.broadcast %mask dims [0, 3] : (tensor<32x128xf32>) -> tensor<32x12x128x128xf32>
  %4 = tg.add %2, %3 : tensor<32x12x128x128xf32>
  %5 = tg.reduce max %4 dims [3] : (tensor<32x12x128x128xf32>) -> tensor<32x12x128xf32>
  %6 = tg.broadcast %5 dims [0, 1, 2] : (tensor<32x12x128xf32>) -> tensor<32x12x128x128xf32>
  %7 = tg.sub %4, %6 : tensor<32x12x128x128xf32>
  %8 = tg.exp %7 : tensor<32x12x128x128xf32>
  %9 = tg.reduce add %8 dims [3] : (tensor<32x12x128x128xf32>) -> tensor<32x12x128xf32>
  %10 = tg.broadcast %9 dims [0, 1, 2] : (tensor<32x12x128xf32>) -> tensor<32x12x128x128xf32>
  %11 = tg.div %8, %10 : tensor<32x12x128x128xf32>
  %12 = tg.convert %11 : (tensor<32x12x128x128xf32>) -> tensor<32x12x128x128xf16>
  return %12 : tensor<32x12x128x128xf16>
}
