// Three products with a common operand whose weights are constants, two in a loop, and a sum of two products.
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %v: tensor<16x16xf32>, %y: tensor<16x8xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<16x16xf32>) {
  %a = tg.constant dense<0.25> : tensor<16x16xf32>
  %i = tg.iota dim 1 : tensor<16x16xf32>
  %b = tg.mul %a, %i : tensor<16x16xf32>
  %c = tg.constant dense<-0.5> : tensor<16x16xf32>
  %zero = tg.constant dense<0> : tensor<i32>
  %four = tg.constant dense<4> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %2 = tg.dot %x, %c contract [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %3 = tg.mul %0, %1 : tensor<8x16xf32>
  %4 = tg.add %3, %2 : tensor<8x16xf32>
  %5:2 = tg.while(%n = %zero, %h = %x) : tensor<i32>, tensor<8x16xf32> cond {
    %more = tg.compare lt, %n, %four : tensor<i32>
    tg.yield %more : tensor<i1>
  } do {
    %next = tg.add %n, %one : tensor<i32>
    %6 = tg.dot %h, %w contract [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %7 = tg.dot %h, %v contract [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %8 = tg.tanh %6 : tensor<8x16xf32>
    %9 = tg.logistic %7 : tensor<8x16xf32>
    %10 = tg.mul %8, %9 : tensor<8x16xf32>
    tg.yield %next, %10 : tensor<i32>, tensor<8x16xf32>
  }
  %11 = tg.dot %x, %5#1 contract [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %12 = tg.dot %4, %x contract [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %13 = tg.add %11, %12 : tensor<16x16xf32>
  %14 = tg.add %13, %w : tensor<16x16xf32>
  return %4, %5#1, %14 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<16x16xf32>
}
