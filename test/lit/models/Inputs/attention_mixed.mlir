// A softmax's gradient whose last products are of f32: its scores, of bf16, are those of the forward kernel. Row 61 has one key that counts: its
// gradient is x - x * exp(score - maximum), and so exactly 0 if the two are the same number.
func.func @main(%a0: tensor<1x100x64xbf16>, %a1: tensor<1x3x64xbf16>, %a2: tensor<3x1x8xbf16>, %a3: tensor<1x100x3xf32>, %a4: tensor<1x100x8xbf16>) -> (tensor<1x8x100xbf16>, tensor<1x100xf32>, tensor<1x100x64xf32>, tensor<1x3x64xf32>, tensor<1x3x8xf32>) {
  %0 = tg.dot %a0, %a1 batch [0] x [0] contract [2] x [2] : (tensor<1x100x64xbf16>, tensor<1x3x64xbf16>) -> tensor<1x100x3xf32>
  %1 = tg.constant dense<2.5e-01> : tensor<1x100x3xf32>
  %2 = tg.mul %0, %1 : tensor<1x100x3xf32>
  %3 = tg.add %2, %a3 : tensor<1x100x3xf32>
  %4 = tg.reduce max %3 dims [2] : (tensor<1x100x3xf32>) -> tensor<1x100xf32>
  %5 = tg.is_finite %4 : tensor<1x100xf32>
  %6 = tg.constant dense<0.0> : tensor<1x100xf32>
  %7 = tg.select %5, %4, %6 : tensor<1x100xi1>, tensor<1x100xf32>
  %8 = tg.broadcast %7 dims [0, 1] : (tensor<1x100xf32>) -> tensor<1x100x3xf32>
  %9 = tg.sub %3, %8 : tensor<1x100x3xf32>
  %10 = tg.exp %9 : tensor<1x100x3xf32>
  %11 = tg.reduce add %10 dims [2] : (tensor<1x100x3xf32>) -> tensor<1x100xf32>
  %12 = tg.convert %10 : (tensor<1x100x3xf32>) -> tensor<1x100x3xbf16>
  %13 = tg.dot %a2, %12 batch [1] x [0] contract [0] x [2] : (tensor<3x1x8xbf16>, tensor<1x100x3xbf16>) -> tensor<1x8x100xbf16>
  %14 = tg.dot %a4, %a2 batch [0] x [1] contract [2] x [2] : (tensor<1x100x8xbf16>, tensor<3x1x8xbf16>) -> tensor<1x100x3xbf16>
  %15 = tg.convert %14 : (tensor<1x100x3xbf16>) -> tensor<1x100x3xf32>
  %16 = tg.mul %15, %10 : tensor<1x100x3xf32>
  %17 = tg.reduce add %16 dims [2] : (tensor<1x100x3xf32>) -> tensor<1x100xf32>
  %18 = tg.broadcast %17 dims [0, 1] : (tensor<1x100xf32>) -> tensor<1x100x3xf32>
  %19 = tg.sub %15, %18 : tensor<1x100x3xf32>
  %20 = tg.mul %19, %10 : tensor<1x100x3xf32>
  %21 = tg.constant dense<0.125> : tensor<1x100x3xf32>
  %22 = tg.mul %20, %21 : tensor<1x100x3xf32>
  %23 = tg.convert %a1 : (tensor<1x3x64xbf16>) -> tensor<1x3x64xf32>
  %24 = tg.dot %22, %23 batch [0] x [0] contract [2] x [1] : (tensor<1x100x3xf32>, tensor<1x3x64xf32>) -> tensor<1x100x64xf32>
  %25 = tg.convert %a0 : (tensor<1x100x64xbf16>) -> tensor<1x100x64xf32>
  %26 = tg.dot %22, %25 batch [0] x [0] contract [1] x [1] : (tensor<1x100x3xf32>, tensor<1x100x64xf32>) -> tensor<1x3x64xf32>
  %27 = tg.convert %10 : (tensor<1x100x3xf32>) -> tensor<1x100x3xbf16>
  %28 = tg.dot %27, %a4 batch [0] x [0] contract [1] x [1] : (tensor<1x100x3xbf16>, tensor<1x100x8xbf16>) -> tensor<1x3x8xf32>
  return %13, %11, %24, %26, %28 : tensor<1x8x100xbf16>, tensor<1x100xf32>, tensor<1x100x64xf32>, tensor<1x3x64xf32>, tensor<1x3x8xf32>
}
