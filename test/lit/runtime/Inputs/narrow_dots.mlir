// Products of types that libraries lack.
func.func @main(%a: tensor<33x40xf8E4M3FN>, %b: tensor<40x17xf8E5M2>, %c: tensor<9x16xi4>, %d: tensor<16x7xi4>, %e: tensor<5x6xf8E8M0FNU>, %f: tensor<6x7xf8E8M0FNU>, %g: tensor<40x17xbf16>) -> (tensor<33x17xf8E4M3FN>, tensor<9x7xi4>, tensor<9x7xi32>, tensor<5x7xf8E8M0FNU>, tensor<33x17xf32>, tensor<33x17xbf16>) {
  %0 = tg.dot %a, %b contract [1] x [0] : (tensor<33x40xf8E4M3FN>, tensor<40x17xf8E5M2>) -> tensor<33x17xf8E4M3FN>
  %1 = tg.dot %c, %d contract [1] x [0] : (tensor<9x16xi4>, tensor<16x7xi4>) -> tensor<9x7xi4>
  %2 = tg.dot %c, %d contract [1] x [0] : (tensor<9x16xi4>, tensor<16x7xi4>) -> tensor<9x7xi32>
  %3 = tg.dot %e, %f contract [1] x [0] : (tensor<5x6xf8E8M0FNU>, tensor<6x7xf8E8M0FNU>) -> tensor<5x7xf8E8M0FNU>
  %4 = tg.dot %a, %b contract [1] x [0] : (tensor<33x40xf8E4M3FN>, tensor<40x17xf8E5M2>) -> tensor<33x17xf32>
  %5 = tg.dot %a, %g contract [1] x [0] : (tensor<33x40xf8E4M3FN>, tensor<40x17xbf16>) -> tensor<33x17xbf16>
  func.return %0, %1, %2, %3, %4, %5 : tensor<33x17xf8E4M3FN>, tensor<9x7xi4>, tensor<9x7xi32>, tensor<5x7xf8E8M0FNU>, tensor<33x17xf32>, tensor<33x17xbf16>
}
