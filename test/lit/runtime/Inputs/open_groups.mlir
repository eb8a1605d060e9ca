// Two products with a common operand of b rows, and what reads both: a gate.
func.func @main(%x: tensor<?x64xf32> {stitch.dims = ["b", ""]}, %a: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %0 = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %2 = stablehlo.logistic %0 : tensor<?x64xf32>
  %3 = stablehlo.multiply %2, %1 : tensor<?x64xf32>
  return %3 : tensor<?x64xf32>
}
