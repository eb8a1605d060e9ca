func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %r:2 = tg.while(%i = %zero, %h = %x) : tensor<i32>, tensor<64x64xf32> cond {
    %n = tg.constant dense<60> : tensor<i32>
    %c = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %c : tensor<i1>
  } do {
    %one = tg.constant dense<1> : tensor<i32>
    %next = tg.add %i, %one : tensor<i32>
    %s = tg.reduce add %h dims [0] : (tensor<64x64xf32>) -> tensor<64xf32>
    %b = tg.broadcast %s dims [1] : (tensor<64xf32>) -> tensor<64x64xf32>
    %m = tg.mul %b, %w : tensor<64x64xf32>
    %a = tg.add %m, %h : tensor<64x64xf32>
    %t = tg.sin %a : tensor<64x64xf32>
    tg.yield %next, %t : tensor<i32>, tensor<64x64xf32>
  }
  return %r#1 : tensor<64x64xf32>
}
