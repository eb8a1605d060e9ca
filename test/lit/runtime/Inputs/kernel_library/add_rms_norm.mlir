module @jit_add_rms_norm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x96xbf16>, %arg1: tensor<24x96xbf16>, %arg2: tensor<96xbf16>) -> (tensor<24x96xbf16> {jax.result_info = "result[0]"}, tensor<24x96xbf16> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<24x96xbf16>) -> tensor<24x96xf32>
    %1 = stablehlo.convert %arg1 : (tensor<24x96xbf16>) -> tensor<24x96xf32>
    %2 = stablehlo.add %0, %1 : tensor<24x96xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<24x96xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<24x96xf32>, tensor<f32>) -> tensor<24xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<24xf32>) -> tensor<24x1xf32>
    %cst_0 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %7 = stablehlo.divide %5, %6 : tensor<24x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %9 = stablehlo.add %7, %8 : tensor<24x1xf32>
    %10 = stablehlo.rsqrt %9 : tensor<24x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<24x1xf32>) -> tensor<24x96xf32>
    %12 = stablehlo.multiply %2, %11 : tensor<24x96xf32>
    %13 = stablehlo.convert %arg2 : (tensor<96xbf16>) -> tensor<96xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x96xf32>) -> tensor<24x96xf32>
    %16 = stablehlo.multiply %12, %15 : tensor<24x96xf32>
    %17 = stablehlo.convert %16 : (tensor<24x96xf32>) -> tensor<24x96xbf16>
    %18 = stablehlo.convert %2 : (tensor<24x96xf32>) -> tensor<24x96xbf16>
    return %17, %18 : tensor<24x96xbf16>, tensor<24x96xbf16>
  }
}
