// A recurrent layer in both directions. A step has two products, the first of what it computes from the input and the
// state. The directions are one loop, and what a step computes before its products is computed by the one before.
func.func @main(%xs: tensor<7x3x8xf32>, %h0: tensor<3x8xf32>, %w: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> (tensor<7x3x8xf32>, tensor<7x3x8xf32>, tensor<3x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zf = stablehlo.constant dense<0.0> : tensor<f32>
  %stack = stablehlo.broadcast_in_dim %zf, dims = [] : (tensor<f32>) -> tensor<7x3x8xf32>
  %f:3 = stablehlo.while(%i = %zero, %h = %h0, %ys = %stack) : tensor<i32>, tensor<3x8xf32>, tensor<7x3x8xf32>
  cond {
    %n = stablehlo.constant dense<7> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %i, %zero, %zero, sizes = [1, 3, 8] : (tensor<7x3x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x8xf32>
    %x = stablehlo.reshape %slice : (tensor<1x3x8xf32>) -> tensor<3x8xf32>
    %gated = stablehlo.multiply %x, %h : tensor<3x8xf32>
    %a = stablehlo.dot_general %gated, %w, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
    %r = stablehlo.logistic %a : tensor<3x8xf32>
    %rh = stablehlo.multiply %r, %h : tensor<3x8xf32>
    %b = stablehlo.dot_general %rh, %u, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
    %c = stablehlo.add %b, %x : tensor<3x8xf32>
    %next = stablehlo.tanh %c : tensor<3x8xf32>
    %row = stablehlo.reshape %next : (tensor<3x8xf32>) -> tensor<1x3x8xf32>
    %stacked = stablehlo.dynamic_update_slice %ys, %row, %i, %zero, %zero : (tensor<7x3x8xf32>, tensor<1x3x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<7x3x8xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %stacked : tensor<i32>, tensor<3x8xf32>, tensor<7x3x8xf32>
  }
  %scaled = stablehlo.multiply %f#2, %f#2 : tensor<7x3x8xf32>
  %start = stablehlo.negate %h0 : tensor<3x8xf32>
  %g:3 = stablehlo.while(%i = %zero, %h = %start, %ys = %stack) : tensor<i32>, tensor<3x8xf32>, tensor<7x3x8xf32>
  cond {
    %n = stablehlo.constant dense<7> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %six = stablehlo.constant dense<6> : tensor<i32>
    %k = stablehlo.subtract %six, %i : tensor<i32>
    %slice = stablehlo.dynamic_slice %xs, %k, %zero, %zero, sizes = [1, 3, 8] : (tensor<7x3x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x8xf32>
    %x = stablehlo.reshape %slice : (tensor<1x3x8xf32>) -> tensor<3x8xf32>
    %gated = stablehlo.maximum %x, %h : tensor<3x8xf32>
    %a = stablehlo.dot_general %gated, %u, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
    %r = stablehlo.tanh %a : tensor<3x8xf32>
    %rh = stablehlo.multiply %r, %gated : tensor<3x8xf32>
    %b = stablehlo.dot_general %rh, %w, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
    %c = stablehlo.add %b, %x : tensor<3x8xf32>
    %next = stablehlo.tanh %c : tensor<3x8xf32>
    %row = stablehlo.reshape %next : (tensor<3x8xf32>) -> tensor<1x3x8xf32>
    %stacked = stablehlo.dynamic_update_slice %ys, %row, %k, %zero, %zero : (tensor<7x3x8xf32>, tensor<1x3x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<7x3x8xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %stacked : tensor<i32>, tensor<3x8xf32>, tensor<7x3x8xf32>
  }
  return %scaled, %g#2, %g#1 : tensor<7x3x8xf32>, tensor<7x3x8xf32>, tensor<3x8xf32>
}
