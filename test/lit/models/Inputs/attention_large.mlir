// Attention of which a mask hides some rows as a whole; the sums and maxima of rows are results.
func.func @main(%q: tensor<2x40x32xbf16>, %k: tensor<2x150x32xbf16>, %v: tensor<2x150x16xbf16>, %m: tensor<40x150xi1>, %r: tensor<40xi1>) -> (tensor<2x40x16xbf16>, tensor<2x40xf32>, tensor<2x40xf32>) {
  %s = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x40x32xbf16>, tensor<2x150x32xbf16>) -> tensor<2x40x150xf32>
  %scale = tg.constant dense<1.25e-01> : tensor<2x40x150xf32>
  %t = tg.mul %s, %scale : tensor<2x40x150xf32>
  %bias = tg.constant dense<0.0e+00> : tensor<2x40x150xf32>
  %u = tg.add %t, %bias : tensor<2x40x150xf32>
  %low = tg.constant dense<-1.0e+30> : tensor<2x40x150xf32>
  %rr = tg.broadcast %r dims [0] : (tensor<40xi1>) -> tensor<40x150xi1>
  %mr = tg.and %m, %rr : tensor<40x150xi1>
  %mm = tg.broadcast %mr dims [1, 2] : (tensor<40x150xi1>) -> tensor<2x40x150xi1>
  %x = tg.select %mm, %u, %low : tensor<2x40x150xi1>, tensor<2x40x150xf32>
  %1 = tg.reduce max %x dims [2] : (tensor<2x40x150xf32>) -> tensor<2x40xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<2x40xf32>) -> tensor<2x40x150xf32>
  %3 = tg.sub %x, %2 : tensor<2x40x150xf32>
  %4 = tg.exp %3 : tensor<2x40x150xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<2x40x150xf32>) -> tensor<2x40xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<2x40xf32>) -> tensor<2x40x150xf32>
  %7 = tg.div %4, %6 : tensor<2x40x150xf32>
  %8 = tg.convert %7 : (tensor<2x40x150xf32>) -> tensor<2x40x150xbf16>
  %9 = tg.dot %8, %v batch [0] x [0] contract [2] x [1] : (tensor<2x40x150xbf16>, tensor<2x150x16xbf16>) -> tensor<2x40x16xbf16>
  return %9, %5, %1 : tensor<2x40x16xbf16>, tensor<2x40xf32>, tensor<2x40xf32>
}
