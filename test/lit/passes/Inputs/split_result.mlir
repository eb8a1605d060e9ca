module attributes {stitch.device = #stitch.device<h200, cluster_blocks = 1>} {
  func.func @main(%x: tensor<65536x256xf32>) -> tensor<256xf32> {
    %0 = tg.reduce add %x dims [0] : (tensor<65536x256xf32>) -> tensor<256xf32>
    return %0 : tensor<256xf32>
  }
}
