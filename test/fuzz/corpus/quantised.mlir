!q = tensor<4x6x!quant.uniform<i8:f32, 0.5:3>>
!s = tensor<!quant.uniform<i8:f32, 0.5:3>>
!w = tensor<6x5x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25, 0.125, 0.5, 0.25}>>
!r = tensor<4x5x!quant.uniform<i8:f32, 0.25:-7>>
!t = tensor<6x4x!quant.uniform<i8:f32, 0.5:3>>
!axis = tensor<5x6x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25, 0.125, 0.5, 0.25}>>
!u = tensor<4x6x!quant.uniform<u4<1:14>:bf16, 0.125:9>>
func.func @main(%x: tensor<4x6xf32>, %h: tensor<4x6xbf16>, %q: !q, %w: !w, %i: tensor<i32>) -> (!r, tensor<4x5xf32>, !q, !t, !axis, !u, tensor<4x6xi1>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<4x6xf32>) -> !q
  %1 = stablehlo.add %0, %q : !q
  %2 = stablehlo.exponential %1 : !q
  %3 = stablehlo.maximum %2, %q : !q
  %4 = "stablehlo.dot_general"(%3, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (!q, !w) -> !r
  %5 = "stablehlo.dot_general"(%x, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<4x6xf32>, !w) -> tensor<4x5xf32>
  %6 = stablehlo.transpose %3, dims = [1, 0] : (!q) -> !t
  %7 = stablehlo.transpose %w, dims = [1, 0] : (!w) -> !axis
  %8 = stablehlo.uniform_quantize %h : (tensor<4x6xbf16>) -> !u
  %9 = stablehlo.compare LT, %0, %q, FLOAT : (!q, !q) -> tensor<4x6xi1>
  %10 = stablehlo.constant() {value = dense<3> : tensor<i8>} : () -> !s
  %11 = stablehlo.reduce(%3 init: %10) applies stablehlo.add across dimensions = [1] : (!q, !s) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  %12 = stablehlo.select %9, %1, %3 : tensor<4x6xi1>, !q
  %13 = stablehlo.dynamic_slice %12, %i, %i, sizes = [4, 6] : (!q, tensor<i32>, tensor<i32>) -> !q
  return %4, %5, %13, %6, %7, %8, %9, %11 : !r, tensor<4x5xf32>, !q, !t, !axis, !u, tensor<4x6xi1>, tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
