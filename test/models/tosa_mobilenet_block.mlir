module {
  func.func public @main(%image: tensor<1x19x19x3xf32> loc("image"), %stem_w: tensor<8x3x3x3xf32> loc("stem_w"), %stem_b: tensor<8xf32> loc("stem_b"), %expand_w: tensor<24x1x1x8xf32> loc("expand_w"), %expand_b: tensor<24xf32> loc("expand_b"), %depthwise_w: tensor<3x3x24x1xf32> loc("depthwise_w"), %depthwise_b: tensor<24xf32> loc("depthwise_b"), %project_w: tensor<8x1x1x24xf32> loc("project_w"), %project_b: tensor<8xf32> loc("project_b"), %down_w: tensor<3x3x8x2xf32> loc("down_w"), %down_b: tensor<16xf32> loc("down_b"), %head_w: tensor<10x1x1x16xf32> loc("head_w"), %head_b: tensor<10xf32> loc("head_b")) -> tensor<1x1x1x10xf32> {
    %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
    %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
    %area = "tosa.const"() {values = dense<0.04> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
    %0 = tosa.conv2d %image, %stem_w, %stem_b, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 2, 2>} : (tensor<1x19x19x3xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x10x10x8xf32>
    %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x10x10x8xf32>) -> tensor<1x10x10x8xf32>
    %2 = tosa.conv2d %1, %expand_w, %expand_b, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x10x10x8xf32>, tensor<24x1x1x8xf32>, tensor<24xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x10x10x24xf32>
    %3 = tosa.clamp %2 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x10x10x24xf32>) -> tensor<1x10x10x24xf32>
    %4 = tosa.depthwise_conv2d %3, %depthwise_w, %depthwise_b, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x10x10x24xf32>, tensor<3x3x24x1xf32>, tensor<24xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x10x10x24xf32>
    %5 = tosa.clamp %4 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x10x10x24xf32>) -> tensor<1x10x10x24xf32>
    %6 = tosa.conv2d %5, %project_w, %project_b, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x10x10x24xf32>, tensor<8x1x1x24xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x10x10x8xf32>
    %7 = tosa.add %1, %6 : (tensor<1x10x10x8xf32>, tensor<1x10x10x8xf32>) -> tensor<1x10x10x8xf32>
    %8 = tosa.depthwise_conv2d %7, %down_w, %down_b, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 1, 0, 1>, stride = array<i64: 2, 2>} : (tensor<1x10x10x8xf32>, tensor<3x3x8x2xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x5x16xf32>
    %9 = tosa.clamp %8 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x5x5x16xf32>) -> tensor<1x5x5x16xf32>
    %10 = tosa.reduce_sum %9 {axis = 1 : i32} : (tensor<1x5x5x16xf32>) -> tensor<1x1x5x16xf32>
    %11 = tosa.reduce_sum %10 {axis = 2 : i32} : (tensor<1x1x5x16xf32>) -> tensor<1x1x1x16xf32>
    %12 = tosa.mul %11, %area, %shift : (tensor<1x1x1x16xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x1x16xf32>
    %13 = tosa.conv2d %12, %head_w, %head_b, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x16xf32>, tensor<10x1x1x16xf32>, tensor<10xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x10xf32>
    return %13 : tensor<1x1x1x10xf32>
  }
}
