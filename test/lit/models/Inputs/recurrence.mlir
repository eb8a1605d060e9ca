func.func @main(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>, %h0: tensor<8xf32>) -> (tensor<8xf32>, tensor<6x8xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %empty = tg.constant dense<0.0> : tensor<6x8xf32>
  %r:3 = tg.while(%i = %zero, %h = %h0, %hs = %empty) : tensor<i32>, tensor<8xf32>, tensor<6x8xf32> cond {
    %n = tg.constant dense<6> : tensor<i32>
    %c = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %c : tensor<i1>
  } do {
    %z = tg.constant dense<0> : tensor<i32>
    %one = tg.constant dense<1> : tensor<i32>
    %next = tg.add %i, %one : tensor<i32>
    %xs = tg.dynamic_slice %x[%i, %z] sizes [1, 8] : (tensor<6x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
    %xt = tg.reshape %xs : (tensor<1x8xf32>) -> tensor<8xf32>
    %hb = tg.broadcast %h dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %p = tg.mul %hb, %w : tensor<8x8xf32>
    %s = tg.reduce add %p dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    %a = tg.add %s, %xt : tensor<8xf32>
    %t = tg.tanh %a : tensor<8xf32>
    %row = tg.reshape %t : (tensor<8xf32>) -> tensor<1x8xf32>
    %stacked = tg.dynamic_update_slice %hs[%i, %z], %row : (tensor<6x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<6x8xf32>
    tg.yield %next, %t, %stacked : tensor<i32>, tensor<8xf32>, tensor<6x8xf32>
  }
  return %r#1, %r#2 : tensor<8xf32>, tensor<6x8xf32>
}
