// A choice that random inputs take both ways, one that they never take, and a branch.
func.func @main(%x: tensor<37x50xf32>, %far: tensor<i1>) -> (tensor<37x50xf32>, tensor<37x50xf32>) {
  %zero = tg.constant dense<0.0> : tensor<37x50xf32>
  %limit = tg.constant dense<1.0e+9> : tensor<37x50xf32>
  %0 = tg.max %x, %zero : tensor<37x50xf32>
  %1 = tg.compare lt, %0, %limit : tensor<37x50xf32>
  %2 = tg.select %1, %0, %limit : tensor<37x50xi1>, tensor<37x50xf32>
  %3 = tg.if %far : (tensor<i1>) -> tensor<37x50xf32> {
    %4 = tg.exp %x : tensor<37x50xf32>
    tg.yield %4 : tensor<37x50xf32>
  } else {
    %4 = tg.neg %x : tensor<37x50xf32>
    tg.yield %4 : tensor<37x50xf32>
  }
  return %2, %3 : tensor<37x50xf32>, tensor<37x50xf32>
}
