// Attention whose queries, keys and values are products of one input.
func.func @main(%x: tensor<3x19x40xf32>, %wq: tensor<40x48xf32>, %wk: tensor<40x48xf32>, %wv: tensor<40x48xf32>) -> tensor<3x19x48xf32> {
  %q0 = tg.dot %x, %wq contract [2] x [0] : (tensor<3x19x40xf32>, tensor<40x48xf32>) -> tensor<3x19x48xf32>
  %k0 = tg.dot %x, %wk contract [2] x [0] : (tensor<3x19x40xf32>, tensor<40x48xf32>) -> tensor<3x19x48xf32>
  %v0 = tg.dot %x, %wv contract [2] x [0] : (tensor<3x19x40xf32>, tensor<40x48xf32>) -> tensor<3x19x48xf32>
  %q = tg.reshape %q0 : (tensor<3x19x48xf32>) -> tensor<3x19x4x12xf32>
  %k = tg.reshape %k0 : (tensor<3x19x48xf32>) -> tensor<3x19x4x12xf32>
  %v = tg.reshape %v0 : (tensor<3x19x48xf32>) -> tensor<3x19x4x12xf32>
  %0 = tg.dot %q, %k batch [0, 2] x [0, 2] contract [3] x [3] : (tensor<3x19x4x12xf32>, tensor<3x19x4x12xf32>) -> tensor<3x4x19x19xf32>
  %1 = tg.reduce max %0 dims [3] : (tensor<3x4x19x19xf32>) -> tensor<3x4x19xf32>
  %2 = tg.broadcast %1 dims [0, 1, 2] : (tensor<3x4x19xf32>) -> tensor<3x4x19x19xf32>
  %3 = tg.sub %0, %2 : tensor<3x4x19x19xf32>
  %4 = tg.exp %3 : tensor<3x4x19x19xf32>
  %5 = tg.reduce add %4 dims [3] : (tensor<3x4x19x19xf32>) -> tensor<3x4x19xf32>
  %6 = tg.broadcast %5 dims [0, 1, 2] : (tensor<3x4x19xf32>) -> tensor<3x4x19x19xf32>
  %7 = tg.div %4, %6 : tensor<3x4x19x19xf32>
  %8 = tg.dot %v, %7 batch [0, 2] x [0, 1] contract [1] x [3] : (tensor<3x19x4x12xf32>, tensor<3x4x19x19xf32>) -> tensor<3x4x12x19xf32>
  %9 = tg.transpose %8 permutation [0, 3, 1, 2] : (tensor<3x4x12x19xf32>) -> tensor<3x19x4x12xf32>
  %10 = tg.reshape %9 : (tensor<3x19x4x12xf32>) -> tensor<3x19x48xf32>
  return %10 : tensor<3x19x48xf32>
}
