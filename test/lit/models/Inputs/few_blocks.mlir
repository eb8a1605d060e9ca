// Two recurrences of two products a step: the first fits into one block, the second into a cluster.
func.func @main(%x: tensor<6x64xf32>, %h0: tensor<64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>, %g0: tensor<256xf32>,
                %p: tensor<256x512xf32>, %q: tensor<512x256xf32>) -> (tensor<64xf32>, tensor<6x64xf32>, tensor<256xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %empty = tg.constant dense<0.0> : tensor<6x64xf32>
  %r:3 = tg.while(%i = %zero, %h = %h0, %hs = %empty) : tensor<i32>, tensor<64xf32>, tensor<6x64xf32> cond {
    %n = tg.constant dense<6> : tensor<i32>
    %c = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %c : tensor<i1>
  } do {
    %z = tg.constant dense<0> : tensor<i32>
    %one = tg.constant dense<1> : tensor<i32>
    %next = tg.add %i, %one : tensor<i32>
    %xs = tg.dynamic_slice %x[%i, %z] sizes [1, 64] : (tensor<6x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %xt = tg.reshape %xs : (tensor<1x64xf32>) -> tensor<64xf32>
    %hb = tg.broadcast %h dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %m = tg.mul %hb, %v : tensor<64x64xf32>
    %s = tg.reduce add %m dims [0] : (tensor<64x64xf32>) -> tensor<64xf32>
    %a = tg.add %s, %xt : tensor<64xf32>
    %t = tg.tanh %a : tensor<64xf32>
    %tb = tg.broadcast %t dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %m2 = tg.mul %tb, %w : tensor<64x64xf32>
    %s2 = tg.reduce add %m2 dims [0] : (tensor<64x64xf32>) -> tensor<64xf32>
    %u = tg.tanh %s2 : tensor<64xf32>
    %row = tg.reshape %u : (tensor<64xf32>) -> tensor<1x64xf32>
    %stacked = tg.dynamic_update_slice %hs[%i, %z], %row : (tensor<6x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<6x64xf32>
    tg.yield %next, %u, %stacked : tensor<i32>, tensor<64xf32>, tensor<6x64xf32>
  }
  %k:2 = tg.while(%i = %zero, %g = %g0) : tensor<i32>, tensor<256xf32> cond {
    %n = tg.constant dense<5> : tensor<i32>
    %c = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %c : tensor<i1>
  } do {
    %one = tg.constant dense<1> : tensor<i32>
    %next = tg.add %i, %one : tensor<i32>
    %gb = tg.broadcast %g dims [0] : (tensor<256xf32>) -> tensor<256x512xf32>
    %m = tg.mul %gb, %p : tensor<256x512xf32>
    %s = tg.reduce add %m dims [0] : (tensor<256x512xf32>) -> tensor<512xf32>
    %f = tg.convert %i : (tensor<i32>) -> tensor<f32>
    %fb = tg.broadcast %f dims [] : (tensor<f32>) -> tensor<512xf32>
    %a = tg.add %s, %fb : tensor<512xf32>
    %t = tg.tanh %a : tensor<512xf32>
    %tb = tg.broadcast %t dims [0] : (tensor<512xf32>) -> tensor<512x256xf32>
    %m2 = tg.mul %tb, %q : tensor<512x256xf32>
    %s2 = tg.reduce add %m2 dims [0] : (tensor<512x256xf32>) -> tensor<256xf32>
    %u = tg.tanh %s2 : tensor<256xf32>
    tg.yield %next, %u : tensor<i32>, tensor<256xf32>
  }
  return %r#1, %r#2, %k#1 : tensor<64xf32>, tensor<6x64xf32>, tensor<256xf32>
}
