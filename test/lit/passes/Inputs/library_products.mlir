// Products and a convolution that libraries compute, for test/lit/passes/stitch_cost.mlir.
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<48x128xf32>, %w: tensor<128x512xf32>, %a: tensor<2048x32xbf16>, %b: tensor<32x2048xbf16>, %i: tensor<1x64x14x14xf32>, %f: tensor<64x64x3x3xf32>) -> (tensor<48x512xf32>, tensor<2048x2048xbf16>, tensor<1x64x12x12xf32>) {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<48x128xf32>, tensor<128x512xf32>) -> tensor<48x512xf32>
    %1 = tg.dot %a, %b contract [1] x [0] : (tensor<2048x32xbf16>, tensor<32x2048xbf16>) -> tensor<2048x2048xbf16>
    %2 = tg.convolution %i, %f dims [b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1] window_strides [1, 1] padding_low [0, 0] padding_high [0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] window_reversal [false, false] feature_group_count 1 : (tensor<1x64x14x14xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x12x12xf32>
    return %0, %1, %2 : tensor<48x512xf32>, tensor<2048x2048xbf16>, tensor<1x64x12x12xf32>
  }
}
