// Three products of one operand, of b rows, with kernels behind them.
module {
  func.func @main(%x: tensor<?x24xf32> {stitch.dims = ["b", ""]}, %q: tensor<24x16xf32>, %k: tensor<24x16xf32>, %v: tensor<24x16xf32>) -> tensor<?x16xf32> {
    %a = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0] : (tensor<?x24xf32>, tensor<24x16xf32>) -> tensor<?x16xf32>
    %b = stablehlo.dot_general %x, %k, contracting_dims = [1] x [0] : (tensor<?x24xf32>, tensor<24x16xf32>) -> tensor<?x16xf32>
    %c = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<?x24xf32>, tensor<24x16xf32>) -> tensor<?x16xf32>
    %d = stablehlo.tanh %a : tensor<?x16xf32>
    %e = stablehlo.multiply %d, %b : tensor<?x16xf32>
    %f = stablehlo.add %e, %c : tensor<?x16xf32>
    return %f : tensor<?x16xf32>
  }
}
