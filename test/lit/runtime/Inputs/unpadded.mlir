module {
  func.func @main(%x: tensor<?x3xf32> {stitch.dims = ["t", ""]}) -> tensor<?x?xf32> {
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
    %1 = stablehlo.cholesky %0, lower = true : tensor<?x?xf32>
    return %1 : tensor<?x?xf32>
  }
}
