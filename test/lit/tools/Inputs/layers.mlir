// Three equal layers: a softmax and a product each. The first operation comes from a place with a name that is no HTML.
module {
  func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %m0 = tg.reduce max %x dims [1] : (tensor<64x64xf32>) -> tensor<64xf32> loc("</table><script>alert(\"&\")</script>")
    %b0 = tg.broadcast %m0 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %d0 = tg.sub %x, %b0 : tensor<64x64xf32>
    %e0 = tg.exp %d0 : tensor<64x64xf32>
    %y0 = tg.dot %e0, %w contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %m1 = tg.reduce max %y0 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %b1 = tg.broadcast %m1 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %d1 = tg.sub %y0, %b1 : tensor<64x64xf32>
    %e1 = tg.exp %d1 : tensor<64x64xf32>
    %y1 = tg.dot %e1, %w contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %m2 = tg.reduce max %y1 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %b2 = tg.broadcast %m2 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %d2 = tg.sub %y1, %b2 : tensor<64x64xf32>
    %e2 = tg.exp %d2 : tensor<64x64xf32>
    %y2 = tg.dot %e2, %w contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %t = tg.transpose %y2 permutation [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %f = tg.reduce add %t dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %g = tg.broadcast %f dims [1] : (tensor<64xf32>) -> tensor<64x64xf32>
    %z = tg.mul %t, %g : tensor<64x64xf32>
    return %z : tensor<64x64xf32>
  }
}
