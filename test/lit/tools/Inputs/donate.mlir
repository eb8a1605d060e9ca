!q = tensor<4x!quant.uniform<i8:f32, 0.5:3>>
func.func @main(%a: tensor<?x8xf32>, %q: !q) -> (!q, tensor<?x8xf32>) {
  %0 = stablehlo.add %a, %a : tensor<?x8xf32>
  %1 = stablehlo.negate %q : !q
  return %1, %0 : !q, tensor<?x8xf32>
}
