module @jit_quantize attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x96xf32>) -> (tensor<24x96xi8> {jax.result_info = "result[0]"}, tensor<24x3xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<24x96xf32>) -> tensor<24x3x32xf32>
    %1 = stablehlo.abs %0 : tensor<24x3x32xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<24x3x32xf32>, tensor<f32>) -> tensor<24x3xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<24x3xf32>) -> tensor<24x3x1xf32>
    %cst_0 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x3x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<24x3x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999996E-13> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x3x1xf32>
    %7 = stablehlo.maximum %5, %6 : tensor<24x3x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<24x3x1xf32>) -> tensor<24x3x32xf32>
    %9 = stablehlo.divide %0, %8 : tensor<24x3x32xf32>
    %10 = call @round(%9) : (tensor<24x3x32xf32>) -> tensor<24x3x32xf32>
    %c = stablehlo.constant dense<-127> : tensor<i32>
    %c_2 = stablehlo.constant dense<127> : tensor<i32>
    %11 = call @clip(%10, %c, %c_2) : (tensor<24x3x32xf32>, tensor<i32>, tensor<i32>) -> tensor<24x3x32xf32>
    %12 = stablehlo.convert %11 : (tensor<24x3x32xf32>) -> tensor<24x3x32xi8>
    %13 = stablehlo.reshape %12 : (tensor<24x3x32xi8>) -> tensor<24x96xi8>
    %14 = stablehlo.reshape %5 : (tensor<24x3x1xf32>) -> tensor<24x3xf32>
    return %13, %14 : tensor<24x96xi8>, tensor<24x3xf32>
  }
  func.func private @round(%arg0: tensor<24x3x32xf32>) -> tensor<24x3x32xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<24x3x32xf32>
    return %0 : tensor<24x3x32xf32>
  }
  func.func private @clip(%arg0: tensor<24x3x32xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<24x3x32xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24x3x32xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<24x3x32xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<24x3x32xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<24x3x32xf32>
    return %5 : tensor<24x3x32xf32>
  }
}
