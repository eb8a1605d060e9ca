func.func @main(%xs: tensor<7x4x8xf32>, %h0: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<7x4x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zf = stablehlo.constant dense<0.0> : tensor<f32>
  %ys = stablehlo.broadcast_in_dim %zf, dims = [] : (tensor<f32>) -> tensor<7x4x8xf32>
  %r:4 = stablehlo.while(%i = %zero, %h = %h0, %acc = %ys, %wi = %w) : tensor<i32>, tensor<4x8xf32>, tensor<7x4x8xf32>, tensor<8x8xf32>
  cond {
    %n = stablehlo.constant dense<7> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %x = stablehlo.dynamic_slice %xs, %i, %c0, %c0, sizes = [1, 4, 8] : (tensor<7x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8xf32>
    %x2 = stablehlo.reshape %x : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
    %d = stablehlo.dot_general %h, %wi, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %s = stablehlo.add %d, %x2 : tensor<4x8xf32>
    %t = stablehlo.tanh %s : tensor<4x8xf32>
    %t3 = stablehlo.reshape %t : (tensor<4x8xf32>) -> tensor<1x4x8xf32>
    %acc2 = stablehlo.dynamic_update_slice %acc, %t3, %i, %c0, %c0 : (tensor<7x4x8xf32>, tensor<1x4x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<7x4x8xf32>
    %i2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %i2, %t, %acc2, %wi : tensor<i32>, tensor<4x8xf32>, tensor<7x4x8xf32>, tensor<8x8xf32>
  }
  return %r#1, %r#2 : tensor<4x8xf32>, tensor<7x4x8xf32>
}
