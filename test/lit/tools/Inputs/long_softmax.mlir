// Rows that a cluster of blocks shares, on a device with little bandwidth even few of them.
func.func @main(%x: tensor<9x40000xf32>) -> tensor<9x40000xf32> {
  %max = tg.reduce max %x dims [1] : (tensor<9x40000xf32>) -> tensor<9xf32>
  %m = tg.broadcast %max dims [0] : (tensor<9xf32>) -> tensor<9x40000xf32>
  %d = tg.sub %x, %m : tensor<9x40000xf32>
  %e = tg.exp %d : tensor<9x40000xf32>
  %sum = tg.reduce add %e dims [1] : (tensor<9x40000xf32>) -> tensor<9xf32>
  %s = tg.broadcast %sum dims [0] : (tensor<9xf32>) -> tensor<9x40000xf32>
  %r = tg.div %e, %s : tensor<9x40000xf32>
  return %r : tensor<9x40000xf32>
}
