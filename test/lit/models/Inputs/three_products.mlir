func.func @main(%x: tensor<16x2048xbf16>, %w0: tensor<2048x256xbf16>, %w1: tensor<2048x256xbf16>, %w2: tensor<2048x256xbf16>) -> (tensor<16x256xbf16>, tensor<16x256xbf16>, tensor<16x256xbf16>) {
  %d0 = tg.dot %x, %w0 contract [1] x [0] : (tensor<16x2048xbf16>, tensor<2048x256xbf16>) -> tensor<16x256xbf16>
  %d1 = tg.dot %x, %w1 contract [1] x [0] : (tensor<16x2048xbf16>, tensor<2048x256xbf16>) -> tensor<16x256xbf16>
  %d2 = tg.dot %x, %w2 contract [1] x [0] : (tensor<16x2048xbf16>, tensor<2048x256xbf16>) -> tensor<16x256xbf16>
  return %d0, %d1, %d2 : tensor<16x256xbf16>, tensor<16x256xbf16>, tensor<16x256xbf16>
}
