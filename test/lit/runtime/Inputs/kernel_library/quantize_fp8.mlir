module @jit_quantize_fp8 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x96xbf16>) -> (tensor<24x96xf8E4M3FN> {jax.result_info = "result[0]"}, tensor<24xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.abs %arg0 : tensor<24x96xbf16>
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<24x96xbf16>, tensor<bf16>) -> tensor<24xbf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<24xbf16>) -> tensor<24x1xbf16>
    %3 = stablehlo.convert %2 : (tensor<24x1xbf16>) -> tensor<24x1xf32>
    %cst_0 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<24x1xf32>
    %6 = stablehlo.convert %arg0 : (tensor<24x96xbf16>) -> tensor<24x96xf32>
    %cst_1 = stablehlo.constant dense<9.99999996E-13> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %8 = stablehlo.maximum %5, %7 : tensor<24x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<24x1xf32>) -> tensor<24x96xf32>
    %10 = stablehlo.divide %6, %9 : tensor<24x96xf32>
    %11 = stablehlo.convert %10 : (tensor<24x96xf32>) -> tensor<24x96xf8E4M3FN>
    %12 = stablehlo.reshape %5 : (tensor<24x1xf32>) -> tensor<24xf32>
    return %11, %12 : tensor<24x96xf8E4M3FN>, tensor<24xf32>
  }
}
