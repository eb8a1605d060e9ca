// Library calls that do more than products: biases, sums and activations before values that other library calls or the
// caller read.
module {
  func.func @main(%x: tensor<5x3x16xf32>, %w1: tensor<16x2x12xf32>, %b1: tensor<2x12xf32>, %w2: tensor<24x10xf32>, %b2: tensor<10xf32>,
                  %h: tensor<6x8xf16>, %v: tensor<8x8xf16>, %c: tensor<8xf16>,
                  %image: tensor<2x6x5x8xf32>, %k1: tensor<3x3x8x8xf32>, %k2: tensor<1x1x8x4xf32>, %bk: tensor<8xf32>,
                  %planes: tensor<1x4x5x5xbf16>, %kp: tensor<4x4x3x3xbf16>, %bp: tensor<4xbf16>,
                  %k3: tensor<3x3x8x4xf32>, %b3: tensor<4xf32>, %a3: tensor<2x4x6x5xf32>)
      -> (tensor<15x10xf32>, tensor<6x8xf16>, tensor<2x6x5x4xf32>, tensor<1x4x5x5xbf16>, tensor<2x4x6x5xf32>,
          tensor<2x4x6x5xf32>) {
    // Two layers of a perceptron; the second one has no activation.
    %d1 = tg.dot %x, %w1 contract [2] x [0] : (tensor<5x3x16xf32>, tensor<16x2x12xf32>) -> tensor<5x3x2x12xf32>
    %b1b = tg.broadcast %b1 dims [2, 3] : (tensor<2x12xf32>) -> tensor<5x3x2x12xf32>
    %s1 = tg.add %d1, %b1b : tensor<5x3x2x12xf32>
    %zero = tg.constant dense<0.0> : tensor<5x3x2x12xf32>
    %r1 = tg.max %s1, %zero : tensor<5x3x2x12xf32>
    %rows = tg.reshape %r1 : (tensor<5x3x2x12xf32>) -> tensor<15x24xf32>
    %d2 = tg.dot %rows, %w2 contract [1] x [0] : (tensor<15x24xf32>, tensor<24x10xf32>) -> tensor<15x10xf32>
    %b2b = tg.broadcast %b2 dims [1] : (tensor<10xf32>) -> tensor<15x10xf32>
    %s2 = tg.add %b2b, %d2 : tensor<15x10xf32>

    // An activation alone, in f16.
    %hd = tg.dot %h, %v contract [1] x [1] : (tensor<6x8xf16>, tensor<8x8xf16>) -> tensor<6x8xf16>
    %hzero = tg.constant dense<0.0> : tensor<6x8xf16>
    %hr = tg.max %hzero, %hd : tensor<6x8xf16>
    %hd2 = tg.dot %hr, %v contract [1] x [0] : (tensor<6x8xf16>, tensor<8x8xf16>) -> tensor<6x8xf16>
    %cb = tg.broadcast %c dims [1] : (tensor<8xf16>) -> tensor<6x8xf16>
    %hs = tg.add %hd2, %cb : tensor<6x8xf16>

    // A residual block.
    %y = tg.convolution %image, %k1 dims [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f] window_strides [1, 1]
        padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
        : (tensor<2x6x5x8xf32>, tensor<3x3x8x8xf32>) -> tensor<2x6x5x8xf32>
    %bkb = tg.broadcast %bk dims [3] : (tensor<8xf32>) -> tensor<2x6x5x8xf32>
    %ys = tg.add %y, %bkb : tensor<2x6x5x8xf32>
    %yr = tg.add %ys, %image : tensor<2x6x5x8xf32>
    %yzero = tg.constant dense<0.0> : tensor<2x6x5x8xf32>
    %ya = tg.max %yr, %yzero : tensor<2x6x5x8xf32>
    %z = tg.convolution %ya, %k2 dims [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f] window_strides [1, 1]
        padding_low [0, 0] padding_high [0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1]
        : (tensor<2x6x5x8xf32>, tensor<1x1x8x4xf32>) -> tensor<2x6x5x4xf32>

    // Planes of features, in bf16.
    %p = tg.convolution %planes, %kp dims [b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1] window_strides [1, 1]
        padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
        : (tensor<1x4x5x5xbf16>, tensor<4x4x3x3xbf16>) -> tensor<1x4x5x5xbf16>
    %bpb = tg.broadcast %bp dims [1] : (tensor<4xbf16>) -> tensor<1x4x5x5xbf16>
    %ps = tg.add %p, %bpb : tensor<1x4x5x5xbf16>
    %pzero = tg.constant dense<0.0> : tensor<1x4x5x5xbf16>
    %pa = tg.max %ps, %pzero : tensor<1x4x5x5xbf16>

    // Results in another order than the image, which cuDNN computes elsewhere: with a bias and an activation, and with a
    // sum, which are left to the runtime's own kernel.
    %q = tg.convolution %image, %k3 dims [b, 0, 1, f] x [0, 1, i, o] -> [b, f, 0, 1] window_strides [1, 1]
        padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
        : (tensor<2x6x5x8xf32>, tensor<3x3x8x4xf32>) -> tensor<2x4x6x5xf32>
    %b3b = tg.broadcast %b3 dims [1] : (tensor<4xf32>) -> tensor<2x4x6x5xf32>
    %qs = tg.add %q, %b3b : tensor<2x4x6x5xf32>
    %qzero = tg.constant dense<0.0> : tensor<2x4x6x5xf32>
    %qa = tg.max %qs, %qzero : tensor<2x4x6x5xf32>
    %u = tg.convolution %ya, %k3 dims [b, 0, 1, f] x [0, 1, i, o] -> [b, f, 0, 1] window_strides [1, 1]
        padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
        : (tensor<2x6x5x8xf32>, tensor<3x3x8x4xf32>) -> tensor<2x4x6x5xf32>
    %us = tg.add %u, %b3b : tensor<2x4x6x5xf32>
    %ur = tg.add %us, %a3 : tensor<2x4x6x5xf32>
    %ua = tg.max %ur, %qzero : tensor<2x4x6x5xf32>
    return %s2, %hs, %z, %pa, %qa, %ua
        : tensor<15x10xf32>, tensor<6x8xf16>, tensor<2x6x5x4xf32>, tensor<1x4x5x5xbf16>, tensor<2x4x6x5xf32>,
          tensor<2x4x6x5xf32>
  }
}
