func.func @main(%a: tensor<3x40000xf32>, %b: tensor<7000xf32>, %c: tensor<4x30000xf32>) -> (tensor<3x40000xf32>, tensor<7000xf32>, tensor<4x30000xf32>) {
  %0 = tg.reduce add %a dims [1] : (tensor<3x40000xf32>) -> tensor<3xf32>
  %1 = tg.broadcast %0 dims [0] : (tensor<3xf32>) -> tensor<3x40000xf32>
  %2 = tg.sub %a, %1 : tensor<3x40000xf32>
  %3 = tg.abs %b : tensor<7000xf32>
  %4 = tg.reduce max %c dims [1] : (tensor<4x30000xf32>) -> tensor<4xf32>
  %6 = tg.broadcast %4 dims [0] : (tensor<4xf32>) -> tensor<4x30000xf32>
  %7 = tg.sub %c, %6 : tensor<4x30000xf32>
  return %2, %3, %7 : tensor<3x40000xf32>, tensor<7000xf32>, tensor<4x30000xf32>
}
