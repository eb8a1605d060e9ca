// 8-bit floats and integers below a byte as inputs, outputs and in between.
func.func @main(%a: tensor<33x16xf8E4M3FN>, %b: tensor<33x16xf8E5M2>, %c: tensor<33x16xi4>, %d: tensor<33x16xui4>, %e: tensor<33x16xf8E8M0FNU>, %f: tensor<33x16xi2>) -> (tensor<33x16xf8E4M3FN>, tensor<33xf8E5M2>, tensor<33x16xi4>, tensor<16xui4>, tensor<16x33xf8E8M0FNU>, tensor<33x16xi2>, tensor<33xf8E4M3FN>) {
  %0 = "tg.mul"(%a, %a) : (tensor<33x16xf8E4M3FN>, tensor<33x16xf8E4M3FN>) -> tensor<33x16xf8E4M3FN>
  %t0 = "tg.tanh"(%0) : (tensor<33x16xf8E4M3FN>) -> tensor<33x16xf8E4M3FN>
  %1 = "tg.reduce"(%b) {kind = 0 : i32, dims = array<i64: 1>} : (tensor<33x16xf8E5M2>) -> tensor<33xf8E5M2>
  %2 = "tg.add"(%c, %c) : (tensor<33x16xi4>, tensor<33x16xi4>) -> tensor<33x16xi4>
  %3 = "tg.reduce"(%d) {kind = 0 : i32, dims = array<i64: 0>} : (tensor<33x16xui4>) -> tensor<16xui4>
  %4 = "tg.mul"(%e, %e) : (tensor<33x16xf8E8M0FNU>, tensor<33x16xf8E8M0FNU>) -> tensor<33x16xf8E8M0FNU>
  %5 = "tg.transpose"(%4) {permutation = array<i64: 1, 0>} : (tensor<33x16xf8E8M0FNU>) -> tensor<16x33xf8E8M0FNU>
  %6 = "tg.sub"(%f, %f) : (tensor<33x16xi2>, tensor<33x16xi2>) -> tensor<33x16xi2>
  %7 = "tg.neg"(%6) : (tensor<33x16xi2>) -> tensor<33x16xi2>
  %t7 = "tg.add"(%7, %f) : (tensor<33x16xi2>, tensor<33x16xi2>) -> tensor<33x16xi2>
  %8 = "tg.reduce"(%t0) {kind = 3 : i32, dims = array<i64: 1>} : (tensor<33x16xf8E4M3FN>) -> tensor<33xf8E4M3FN>
  func.return %t0, %1, %2, %3, %5, %t7, %8 : tensor<33x16xf8E4M3FN>, tensor<33xf8E5M2>, tensor<33x16xi4>, tensor<16xui4>, tensor<16x33xf8E8M0FNU>, tensor<33x16xi2>, tensor<33xf8E4M3FN>
}
