func.func @main(%a: tensor<1024x512xf32>, %b: tensor<33x77xf32>, %w: tensor<512x512xf32>, %v: tensor<1x512xf32>, %n: tensor<i32>)
    -> (tensor<1024x512xf32>, tensor<33x77xf32>, tensor<33x77xf32>, tensor<1x512xf32>, tensor<1024x512xf32>, tensor<1024x512xf32>) {
  %0 = tg.exp %a : tensor<1024x512xf32> loc("exp")
  %z = tg.constant dense<1.0> : tensor<1024x512xf32> loc("one")
  %1 = tg.add %0, %z : tensor<1024x512xf32> loc("sum")
  %2 = tg.dot %1, %w contract [1] x [0] : (tensor<1024x512xf32>, tensor<512x512xf32>) -> tensor<1024x512xf32> loc("dot")
  %3 = tg.tanh %2 : tensor<1024x512xf32> loc("after")
  %4 = tg.sin %b : tensor<33x77xf32> loc("aside")
  %5 = tg.cumulative add %4 dim 0 : tensor<33x77xf32> loc("prefix")
  %6 = tg.dot %v, %w contract [1] x [0] : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32> loc("thin")
  %7 = tg.cos %6 : tensor<1x512xf32> loc("behind")
  %s = tg.constant dense<0> : tensor<i32>
  %8:2 = tg.while(%j = %s, %x = %3) : tensor<i32>, tensor<1024x512xf32> cond {
    %c = tg.compare lt, %j, %n : tensor<i32>
    tg.yield %c : tensor<i1>
  } do {
    %one = tg.constant dense<1> : tensor<i32>
    %k = tg.add %j, %one : tensor<i32>
    %y = tg.exp %x : tensor<1024x512xf32> loc("inside")
    tg.yield %k, %y : tensor<i32>, tensor<1024x512xf32>
  }
  %9 = tg.reverse %3 dims [] : tensor<1024x512xf32> loc("folded")
  return %1, %4, %5, %7, %8#1, %9 : tensor<1024x512xf32>, tensor<33x77xf32>, tensor<33x77xf32>, tensor<1x512xf32>, tensor<1024x512xf32>, tensor<1024x512xf32>
}
