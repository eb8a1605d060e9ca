module {
  func.func public @scale(%x: tensor<16x32xf32> {tf.aliasing_output = 0 : i32}, %row: tensor<1x32xf32>, %i: tensor<i32>) -> tensor<16x32xf32> {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %t = stablehlo.tanh %row : tensor<1x32xf32>
    %r = stablehlo.dynamic_update_slice %x, %t, %i, %z : (tensor<16x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<i32>) -> tensor<16x32xf32>
    return %r : tensor<16x32xf32>
  }
  func.func public @square(%x: tensor<64xf32>) -> tensor<64xf32> {
    %c = stablehlo.constant dense<"0x0000803f00000040000040400000804000000000000080bf0000803f000000400000803f00000040000040400000804000000000000080bf0000803f00000040"> : tensor<16xf32>
    %b = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<16xf32>) -> tensor<16x4xf32>
    %f = stablehlo.reshape %b : (tensor<16x4xf32>) -> tensor<64xf32>
    %s = stablehlo.multiply %x, %x : tensor<64xf32>
    %r = stablehlo.multiply %s, %f : tensor<64xf32>
    return %r : tensor<64xf32>
  }
  func.func public @square_gradient(%x: tensor<64xf32>, %dy: tensor<64xf32>) -> tensor<64xf32> {
    %c = stablehlo.constant dense<"0x0000803f00000040000040400000804000000000000080bf0000803f000000400000803f00000040000040400000804000000000000080bf0000803f00000040"> : tensor<16xf32>
    %b = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<16xf32>) -> tensor<16x4xf32>
    %f = stablehlo.reshape %b : (tensor<16x4xf32>) -> tensor<64xf32>
    %two = stablehlo.constant dense<2.0> : tensor<64xf32>
    %s = stablehlo.multiply %x, %two : tensor<64xf32>
    %d = stablehlo.multiply %s, %f : tensor<64xf32>
    %r = stablehlo.multiply %d, %dy : tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
