// Products with a thin side, of so large matrices for the device that library calls are worth measuring: three rows of
// f16, and one row of f32 on the right.
module attributes {stitch.device = #stitch.device<t4>} {
  func.func @main(%x: tensor<3x1024xf16>, %w: tensor<1024x2048xf16>, %b: tensor<2048xf16>, %v: tensor<2048x1024xf32>, %y: tensor<1024xf32>) -> (tensor<3x2048xf16>, tensor<2048xf32>) {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<3x1024xf16>, tensor<1024x2048xf16>) -> tensor<3x2048xf16>
    %1 = tg.broadcast %b dims [1] : (tensor<2048xf16>) -> tensor<3x2048xf16>
    %2 = tg.add %0, %1 : tensor<3x2048xf16>
    %3 = tg.tanh %2 : tensor<3x2048xf16>
    %4 = tg.dot %v, %y contract [1] x [0] : (tensor<2048x1024xf32>, tensor<1024xf32>) -> tensor<2048xf32>
    %5 = tg.exp %4 : tensor<2048xf32>
    return %3, %5 : tensor<3x2048xf16>, tensor<2048xf32>
  }
}
