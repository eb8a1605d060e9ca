// Of x below -5.5, 1 + tanh(0.8 x (1 + 0.0447 x x)) is 0 as the reference rounds it, and a kernel's logistic is not.
func.func @main(%x: tensor<13x24xf32>, %a: tensor<13x9xf32>, %b: tensor<24x9xf32>) -> tensor<13x24xf32> {
  %0 = tg.constant dense<4.0> : tensor<13x24xf32>
  %1 = tg.mul %x, %0 : tensor<13x24xf32>
  %cotangent = tg.dot %a, %b contract [1] x [1] : (tensor<13x9xf32>, tensor<24x9xf32>) -> tensor<13x24xf32>
  %2 = tg.gelu_gradient %1, %cotangent {approximate} : tensor<13x24xf32>
  return %2 : tensor<13x24xf32>
}
