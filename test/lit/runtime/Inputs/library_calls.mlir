// Every way that an operand of a library call can lie: batch axes that are one and that are not, transposed operands,
// contracted axes with no single stride, integers; and a kernel with a grid barrier. %x and %w go into kernels and
// library calls alike.
module {
  func.func @main(%x: tensor<4x8x3x16xf32>, %w: tensor<3x16x24xf32>, %v: tensor<96x96xf32>)
      -> (tensor<4x8x24xf32>, tensor<4x3x8x8xf32>, tensor<96x96xf32>, tensor<96x96xf32>) {
    %half = tg.constant dense<0.5> : tensor<4x8x3x16xf32>
    %y = tg.mul %x, %half : tensor<4x8x3x16xf32>
    %scores = tg.dot %x, %y batch [0, 2] x [0, 2] contract [3] x [3]
        : (tensor<4x8x3x16xf32>, tensor<4x8x3x16xf32>) -> tensor<4x3x8x8xf32>
    %m = tg.reduce max %scores dims [3] : (tensor<4x3x8x8xf32>) -> tensor<4x3x8xf32>
    %mb = tg.broadcast %m dims [0, 1, 2] : (tensor<4x3x8xf32>) -> tensor<4x3x8x8xf32>
    %d = tg.sub %scores, %mb : tensor<4x3x8x8xf32>
    %e = tg.exp %d : tensor<4x3x8x8xf32>
    %values = tg.dot %e, %x batch [0, 1] x [0, 2] contract [3] x [1]
        : (tensor<4x3x8x8xf32>, tensor<4x8x3x16xf32>) -> tensor<4x3x8x16xf32>
    %out = tg.dot %values, %w contract [1, 3] x [0, 1]
        : (tensor<4x3x8x16xf32>, tensor<3x16x24xf32>) -> tensor<4x8x24xf32>

    %square = tg.dot %v, %v contract [0] x [1] : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
    %t = tg.transpose %square permutation [1, 0] : (tensor<96x96xf32>) -> tensor<96x96xf32>
    %f = tg.reduce add %t dims [1] : (tensor<96x96xf32>) -> tensor<96xf32>
    %g = tg.broadcast %f dims [1] : (tensor<96xf32>) -> tensor<96x96xf32>
    %z = tg.mul %t, %g : tensor<96x96xf32>

    %eight = tg.constant dense<8.0> : tensor<96x96xf32>
    %v8 = tg.mul %v, %eight : tensor<96x96xf32>
    %r = tg.round %v8 : tensor<96x96xf32>
    %i = tg.convert %r : (tensor<96x96xf32>) -> tensor<96x96xi32>
    %ii = tg.dot %i, %i contract [1] x [1] : (tensor<96x96xi32>, tensor<96x96xi32>) -> tensor<96x96xi32>
    %n = tg.convert %ii : (tensor<96x96xi32>) -> tensor<96x96xf32>
    return %out, %e, %z, %n : tensor<4x8x24xf32>, tensor<4x3x8x8xf32>, tensor<96x96xf32>, tensor<96x96xf32>
  }
}
