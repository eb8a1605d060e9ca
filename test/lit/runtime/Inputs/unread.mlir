func.func @main(%x: tensor<64x96xf32>, %h: tensor<64x96xf32>) -> (tensor<64x96xf32>, tensor<64x96xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %r:3 = tg.while(%i = %zero, %a = %h, %b = %h) : tensor<i32>, tensor<64x96xf32>, tensor<64x96xf32> cond {
    %n = tg.constant dense<4> : tensor<i32>
    %c = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %c : tensor<i1>
  } do {
    %one = tg.constant dense<1> : tensor<i32>
    %next = tg.add %i, %one : tensor<i32>
    %s = tg.add %x, %a : tensor<64x96xf32>
    %t = tg.tanh %s : tensor<64x96xf32>
    %u = tg.sin %s : tensor<64x96xf32>
    tg.yield %next, %t, %u : tensor<i32>, tensor<64x96xf32>, tensor<64x96xf32>
  }
  return %r#1, %r#2 : tensor<64x96xf32>, tensor<64x96xf32>
}
