// A moving average with decay, how often it was updated, and a constant that is read only. Odd runs leave the average.
tosa.variable @count = dense<7> : tensor<1xi32>
tosa.variable @average = dense<[[1.0, -2.0, 0.5], [0.0, 4.0, 8.0]]> : tensor<2x3xf32>
tosa.variable @decay = dense<[[0.5]]> : tensor<1x1xf32>

func.func private @update(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %decay = tosa.variable_read @decay : tensor<1x1xf32>
  %old = tosa.variable_read @average : tensor<2x3xf32>
  %kept = tosa.mul %old, %decay, %shift : (tensor<2x3xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<2x3xf32>
  %new = tosa.add %kept, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  tosa.variable_write @average, %new : tensor<2x3xf32>
  return %old : tensor<2x3xf32>
}

func.func @main(%x: tensor<2x3xf32>, %p: tensor<1xi1>) -> tensor<2x3xf32> {
  %one = "tosa.const"() {values = dense<1> : tensor<1xi32>} : () -> tensor<1xi32>
  %count = tosa.variable_read @count : tensor<1xi32>
  %next = tosa.add %count, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  tosa.variable_write @count, %next : tensor<1xi32>
  %old = tosa.cond_if %p (%a = %x) : tensor<1xi1> (tensor<2x3xf32>) -> tensor<2x3xf32> {
  ^bb0(%a: tensor<2x3xf32>):
    %o = func.call @update(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    tosa.yield %o : tensor<2x3xf32>
  } else {
  ^bb0(%a: tensor<2x3xf32>):
    tosa.yield %a : tensor<2x3xf32>
  }
  %average = tosa.variable_read @average : tensor<2x3xf32>
  %r = tosa.sub %average, %old : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
