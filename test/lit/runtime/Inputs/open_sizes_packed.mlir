// Three loops whose tasks are more or fewer with b, and a carried one that fixes the grid: on a small device each block has several tasks.
module {
  func.func @main(%a: tensor<?x36xf32> {stitch.dims = ["b", ""]}, %c: tensor<?x64xf32> {stitch.dims = ["b", ""]}, %d: tensor<50000xf32>, %e: tensor<200x300xf32>) -> (tensor<?x36xf32>, tensor<?xf32>, tensor<50000xf32>, tensor<200xf32>, tensor<300xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.negate %a : tensor<?x36xf32>
    %1 = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x64xf32>, tensor<f32>) -> tensor<?xf32>
    %2 = stablehlo.exponential %d : tensor<50000xf32>
    %3 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<200x300xf32>, tensor<f32>) -> tensor<200xf32>
    %4 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<200x300xf32>, tensor<f32>) -> tensor<300xf32>
    return %0, %1, %2, %3, %4 : tensor<?x36xf32>, tensor<?xf32>, tensor<50000xf32>, tensor<200xf32>, tensor<300xf32>
  }
}
