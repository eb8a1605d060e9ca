// Products of f32 that may round their operands, that say nothing, and that never do.
func.func @main(%a: tensor<37x53xf32>, %b: tensor<53x29xf32>, %c: tensor<29x31xf32>, %d: tensor<31x41xf32>) -> (tensor<37x29xf32>, tensor<29x41xf32>, tensor<53x31xf32>) {
  %0 = tg.dot %a, %b contract [1] x [0] precision tf32 : (tensor<37x53xf32>, tensor<53x29xf32>) -> tensor<37x29xf32>
  %1 = tg.dot %c, %d contract [1] x [0] : (tensor<29x31xf32>, tensor<31x41xf32>) -> tensor<29x41xf32>
  %2 = tg.dot %b, %c contract [1] x [0] precision full : (tensor<53x29xf32>, tensor<29x31xf32>) -> tensor<53x31xf32>
  return %0, %1, %2 : tensor<37x29xf32>, tensor<29x41xf32>, tensor<53x31xf32>
}
