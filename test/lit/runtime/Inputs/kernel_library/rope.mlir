module @jit_rope attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x4x32xbf16>, %arg1: tensor<24xi32>) -> (tensor<24x4x32xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<24xi32>) -> tensor<24x1xi32>
    %1 = stablehlo.convert %0 : (tensor<24x1xi32>) -> tensor<24x1xf32>
    %2 = stablehlo.iota dim = 0 : tensor<16xi32>
    %3 = stablehlo.negate %2 : tensor<16xi32>
    %4 = stablehlo.convert %3 : (tensor<16xi32>) -> tensor<16xf32>
    %cst = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %6 = stablehlo.divide %4, %5 : tensor<16xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.power %7, %6 : tensor<16xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %10 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<24x1xf32>) -> tensor<24x16xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<24x16xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<24x16xf32>
    %13 = stablehlo.cosine %12 : tensor<24x16xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 2] : (tensor<24x16xf32>) -> tensor<24x1x16xf32>
    %15 = stablehlo.sine %12 : tensor<24x16xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 2] : (tensor<24x16xf32>) -> tensor<24x1x16xf32>
    %17 = stablehlo.slice %arg0 [0:24, 0:4, 0:16] : (tensor<24x4x32xbf16>) -> tensor<24x4x16xbf16>
    %18 = stablehlo.convert %17 : (tensor<24x4x16xbf16>) -> tensor<24x4x16xf32>
    %19 = stablehlo.slice %arg0 [0:24, 0:4, 16:32] : (tensor<24x4x32xbf16>) -> tensor<24x4x16xbf16>
    %20 = stablehlo.convert %19 : (tensor<24x4x16xbf16>) -> tensor<24x4x16xf32>
    %21 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<24x1x16xf32>) -> tensor<24x4x16xf32>
    %22 = stablehlo.multiply %18, %21 : tensor<24x4x16xf32>
    %23 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<24x1x16xf32>) -> tensor<24x4x16xf32>
    %24 = stablehlo.multiply %20, %23 : tensor<24x4x16xf32>
    %25 = stablehlo.subtract %22, %24 : tensor<24x4x16xf32>
    %26 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<24x1x16xf32>) -> tensor<24x4x16xf32>
    %27 = stablehlo.multiply %20, %26 : tensor<24x4x16xf32>
    %28 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<24x1x16xf32>) -> tensor<24x4x16xf32>
    %29 = stablehlo.multiply %18, %28 : tensor<24x4x16xf32>
    %30 = stablehlo.add %27, %29 : tensor<24x4x16xf32>
    %31 = stablehlo.concatenate %25, %30, dim = 2 : (tensor<24x4x16xf32>, tensor<24x4x16xf32>) -> tensor<24x4x32xf32>
    %32 = stablehlo.convert %31 : (tensor<24x4x32xf32>) -> tensor<24x4x32xbf16>
    return %32 : tensor<24x4x32xbf16>
  }
}
