func.func @main(%x: tensor<3x2xf32>) -> (tensor<3xf32>, tensor<5xf32>) {
  %0 = tg.reduce add %x dims [1] : (tensor<3x2xf32>) -> tensor<3xf32>
  %1 = tg.constant dense<[1.5, 2.5, 3.5, 4.5, 5.5]> : tensor<5xf32>
  return %0, %1 : tensor<3xf32>, tensor<5xf32>
}
