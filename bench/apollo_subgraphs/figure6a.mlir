// APOLLO, figure 6 (a), as section 6.1 describes it: one value with three heads, all of whose branches are independent:
// gradients of a bias, of a scale and of a mean.

func.func @main(%x: tensor<4096x768xf32>, %h: tensor<4096x768xf32>) -> (tensor<768xf32>, tensor<768xf32>, tensor<4096xf32>) {
  %0 = tg.convert %x : (tensor<4096x768xf32>) -> tensor<4096x768xf16>
  %1 = tg.transpose %0 permutation [1, 0] : (tensor<4096x768xf16>) -> tensor<768x4096xf16>
  %2 = tg.transpose %1 permutation [1, 0] : (tensor<768x4096xf16>) -> tensor<4096x768xf16>
  %3 = tg.convert %2 : (tensor<4096x768xf16>) -> tensor<4096x768xf32>
  %4 = tg.reduce add %3 dims [0] : (tensor<4096x768xf32>) -> tensor<768xf32>
  %5 = tg.mul %3, %h : tensor<4096x768xf32>
  %6 = tg.reduce add %5 dims [0] : (tensor<4096x768xf32>) -> tensor<768xf32>
  %7 = tg.reduce add %3 dims [1] : (tensor<4096x768xf32>) -> tensor<4096xf32>
  return %4, %6, %7 : tensor<768xf32>, tensor<768xf32>, tensor<4096xf32>
}
