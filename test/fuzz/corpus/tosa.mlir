// Operations of several families in one program.
func.func @main(%x: tensor<2x3x4xf32>, %w: tensor<2x4x5xf32>, %i: tensor<2x3xi32>) -> (tensor<2x3x5xf32>, tensor<2x3x4xi8>) {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %half = "tosa.const"() {values = dense<0.5> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
  %0 = tosa.matmul %x, %w, %zero, %zero : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
  %1 = tosa.reduce_max %0 {axis = 2 : i32} : (tensor<2x3x5xf32>) -> tensor<2x3x1xf32>
  %2 = tosa.sub %0, %1 : (tensor<2x3x5xf32>, tensor<2x3x1xf32>) -> tensor<2x3x5xf32>
  %3 = tosa.exp %2 : (tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %4 = tosa.reduce_sum %3 {axis = 2 : i32} : (tensor<2x3x5xf32>) -> tensor<2x3x1xf32>
  %5 = tosa.reciprocal %4 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %6 = tosa.mul %3, %5, %shift : (tensor<2x3x5xf32>, tensor<2x3x1xf32>, tensor<1xi8>) -> tensor<2x3x5xf32>
  %7 = tosa.gather %x, %i : (tensor<2x3x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>
  %8 = tosa.mul %7, %half, %shift : (tensor<2x3x4xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<2x3x4xf32>
  %9 = tosa.cast %8 : (tensor<2x3x4xf32>) -> tensor<2x3x4xi8>
  return %6, %9 : tensor<2x3x5xf32>, tensor<2x3x4xi8>
}
