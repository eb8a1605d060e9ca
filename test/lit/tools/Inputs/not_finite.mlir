// NaN for every input: the logarithm of what is below zero. Infinite for every input: a quotient by zero.
func.func @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %square = tg.mul %x, %x : tensor<5xf32>
  %one = tg.constant dense<1.0> : tensor<5xf32>
  %positive = tg.add %square, %one : tensor<5xf32>
  %negative = tg.neg %positive : tensor<5xf32>
  %nan = tg.log %negative : tensor<5xf32>
  %zero = tg.constant dense<0.0> : tensor<5xf32>
  %infinite = tg.div %positive, %zero : tensor<5xf32>
  return %nan, %infinite, %positive : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
