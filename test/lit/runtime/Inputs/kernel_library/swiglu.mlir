module @jit_swiglu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x96xbf16>, %arg1: tensor<24x96xbf16>) -> (tensor<24x96xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<24x96xbf16>) -> tensor<24x96xf32>
    %1 = stablehlo.negate %0 : tensor<24x96xf32>
    %2 = stablehlo.exponential %1 : tensor<24x96xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x96xf32>
    %4 = stablehlo.add %3, %2 : tensor<24x96xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x96xf32>
    %6 = stablehlo.divide %5, %4 : tensor<24x96xf32>
    %7 = stablehlo.multiply %0, %6 : tensor<24x96xf32>
    %8 = stablehlo.convert %arg1 : (tensor<24x96xbf16>) -> tensor<24x96xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<24x96xf32>
    %10 = stablehlo.convert %9 : (tensor<24x96xf32>) -> tensor<24x96xbf16>
    return %10 : tensor<24x96xbf16>
  }
}
