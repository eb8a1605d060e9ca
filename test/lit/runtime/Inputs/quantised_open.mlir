// A product of quantised tensors whose outermost size stays open, and sums of its rows.
!q = tensor<?x16x!quant.uniform<i8:f32, 0.05:3>>
!w = tensor<16x8x!quant.uniform<i8:f32:1, {0.02,0.03,0.04,0.05,0.02,0.03,0.04,0.05}>>
!r = tensor<?x8x!quant.uniform<i8:f32, 0.1:-5>>
func.func @main(%a: tensor<?x16xf32>, %w: !w) -> (tensor<?x8xf32>, tensor<?x!quant.uniform<i8:f32, 0.1:-5>>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<?x16xf32>) -> !q
  %1 = "stablehlo.dot_general"(%0, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (!q, !w) -> !r
  %2 = stablehlo.uniform_dequantize %1 : (!r) -> tensor<?x8xf32>
  %i = stablehlo.constant() {value = dense<-5> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 0.1:-5>>
  %3 = stablehlo.reduce(%1 init: %i) applies stablehlo.add across dimensions = [1] : (!r, tensor<!quant.uniform<i8:f32, 0.1:-5>>) -> tensor<?x!quant.uniform<i8:f32, 0.1:-5>>
  return %2, %3 : tensor<?x8xf32>, tensor<?x!quant.uniform<i8:f32, 0.1:-5>>
}
