// x*a can lie beside x*b or above y*a: there are weights that are constants, a and b, and one, c, that is an argument. z*z has nothing to do with it.
func.func @main(%x: tensor<24x5xf32>, %y: tensor<24x5xf32>, %c: tensor<5x7xf32>, %z: tensor<9x9xf32>) -> (tensor<24x7xf32>, tensor<24x7xf32>, tensor<24x7xf32>, tensor<9x9xf32>) {
  %a = tg.constant dense<[[-1.0, -1.5, 0.0, -1.25, 1.75, 1.5, 1.75], [1.0, -0.5, -1.25, 1.75, -2.0, 1.0, 1.25], [-2.0, 1.5, 0.0, -0.25, -1.25, 0.5, -2.0], [-2.0, -2.0, -2.0, 1.0, -0.5, 1.25, -2.0], [2.0, -0.25, 1.5, 1.75, -0.25, 0.75, -0.25]]> : tensor<5x7xf32>
  %b = tg.constant dense<[[-0.25, 1.5, 0.25, -2.0, 1.25, -1.25, -0.75], [0.25, -1.25, 0.5, 2.0, 1.25, 2.0, -0.5], [0.25, 0.25, 1.75, 2.0, 1.0, -1.75, 1.75], [-0.25, 1.0, 1.25, -0.75, 0.75, 0.75, -1.5], [1.5, 2.0, -1.25, -0.75, 2.0, 1.0, 0.75]]> : tensor<5x7xf32>
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<24x5xf32>, tensor<5x7xf32>) -> tensor<24x7xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<24x5xf32>, tensor<5x7xf32>) -> tensor<24x7xf32>
  %2 = tg.dot %y, %a contract [1] x [0] : (tensor<24x5xf32>, tensor<5x7xf32>) -> tensor<24x7xf32>
  %3 = tg.mul %0, %1 : tensor<24x7xf32>
  %4 = tg.sub %3, %2 : tensor<24x7xf32>
  %5 = tg.tanh %2 : tensor<24x7xf32>
  %6 = tg.dot %y, %c contract [1] x [0] : (tensor<24x5xf32>, tensor<5x7xf32>) -> tensor<24x7xf32>
  %7 = tg.dot %z, %z contract [1] x [0] : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
  return %4, %5, %6, %7 : tensor<24x7xf32>, tensor<24x7xf32>, tensor<24x7xf32>, tensor<9x9xf32>
}
