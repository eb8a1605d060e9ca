// APOLLO, figure 6 (b), as example 6 describes it: both branches of a multiplication, its operands, and another branch that is
// independent of it.

func.func @main(%x: tensor<768xf32>, %y: tensor<4096xf32>, %z: tensor<2xf32>, %w: tensor<768xf32>) -> (tensor<f32>, tensor<2xf32>) {
  %0 = tg.mul %x, %w : tensor<768xf32>
  %1 = tg.reduce add %0 dims [0] : (tensor<768xf32>) -> tensor<f32>
  %2 = tg.mul %y, %y : tensor<4096xf32>
  %3 = tg.reduce add %2 dims [0] : (tensor<4096xf32>) -> tensor<f32>
  %4 = tg.mul %1, %3 : tensor<f32>
  %5 = tg.exp %z : tensor<2xf32>
  %6 = tg.tanh %5 : tensor<2xf32>
  return %4, %6 : tensor<f32>, tensor<2xf32>
}
