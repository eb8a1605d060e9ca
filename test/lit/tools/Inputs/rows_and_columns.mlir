func.func @main(%x: tensor<4096x512xf32>) -> (tensor<4096x512xf32>, tensor<512xf32>) {
  %m = tg.reduce max %x dims [1] : (tensor<4096x512xf32>) -> tensor<4096xf32>
  %mb = tg.broadcast %m dims [0] : (tensor<4096xf32>) -> tensor<4096x512xf32>
  %s = tg.sub %x, %mb : tensor<4096x512xf32>
  %e = tg.exp %s : tensor<4096x512xf32>
  %c = tg.reduce add %e dims [0] : (tensor<4096x512xf32>) -> tensor<512xf32>
  return %e, %c : tensor<4096x512xf32>, tensor<512xf32>
}
