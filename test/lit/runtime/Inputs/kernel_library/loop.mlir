func.func @main(%x: tensor<8x64xf32>, %w: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<5x8xf32>) {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zf = stablehlo.constant dense<0.0> : tensor<f32>
  %stack = stablehlo.constant dense<0.0> : tensor<5x8xf32>
  %r:3 = stablehlo.while(%i = %z, %v = %x, %s = %stack) : tensor<i32>, tensor<8x64xf32>, tensor<5x8xf32>
    cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { %a = stablehlo.add %v, %w : tensor<8x64xf32>
         %b = "stablehlo.sort"(%a) ({
           ^bb0(%p: tensor<f32>, %q: tensor<f32>):
             %l = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %l : tensor<i1>
         }) {dimension = 1 : i64, is_stable = true} : (tensor<8x64xf32>) -> tensor<8x64xf32>
         %t = stablehlo.tanh %b : tensor<8x64xf32>
         %sum = stablehlo.reduce(%t init: %zf) applies stablehlo.add across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
         %row = stablehlo.reshape %sum : (tensor<8xf32>) -> tensor<1x8xf32>
         %u = stablehlo.dynamic_update_slice %s, %row, %i, %z : (tensor<5x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<5x8xf32>
         %j = stablehlo.add %i, %one : tensor<i32>
         stablehlo.return %j, %t, %u : tensor<i32>, tensor<8x64xf32>, tensor<5x8xf32> }
  return %r#1, %r#2 : tensor<8x64xf32>, tensor<5x8xf32>
}
