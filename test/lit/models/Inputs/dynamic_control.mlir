func.func @main(%x: tensor<5x3xf32>, %lim: tensor<f32>, %sel: tensor<i32>) -> (tensor<5x3xf32>, tensor<i32>, tensor<5x3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %c = stablehlo.constant dense<64.0> : tensor<f32>
  %square = stablehlo.multiply %lim, %lim : tensor<f32>
  %scaled = stablehlo.multiply %square, %c : tensor<f32>
  %far = stablehlo.add %scaled, %c : tensor<f32>
  %r:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<5x3xf32>
  cond {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %a = stablehlo.abs %h : tensor<5x3xf32>
    %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<f32>
    %p = stablehlo.compare LT, %s, %far : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %h2 = stablehlo.add %h, %h : tensor<5x3xf32>
    %i2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %i2, %h2 : tensor<i32>, tensor<5x3xf32>
  }
  %y = "stablehlo.case"(%sel) ({
    %n = stablehlo.negate %r#1 : tensor<5x3xf32>
    stablehlo.return %n : tensor<5x3xf32>
  }, {
    stablehlo.return %x : tensor<5x3xf32>
  }, {
    %p = stablehlo.compare GT, %lim, %lim : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %q = "stablehlo.if"(%p) ({
       stablehlo.return %x : tensor<5x3xf32>
    }, {
       %m = stablehlo.multiply %x, %x : tensor<5x3xf32>
       stablehlo.return %m : tensor<5x3xf32>
    }) : (tensor<i1>) -> tensor<5x3xf32>
    stablehlo.return %q : tensor<5x3xf32>
  }) : (tensor<i32>) -> tensor<5x3xf32>
  return %r#1, %r#0, %y : tensor<5x3xf32>, tensor<i32>, tensor<5x3xf32>
}
