// The reference rounds to bf16 by a function that libgcc 12 does not have.
func.func public @main(%x: tensor<40x96xbf16>) -> tensor<40x96xbf16> {
  %0 = stablehlo.tanh %x : tensor<40x96xbf16>
  return %0 : tensor<40x96xbf16>
}
