module @jit_bias_dropout attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x96xf32>, %arg1: tensor<96xf32>, %arg2: tensor<24x96xi1>, %arg3: tensor<24x96xf32>) -> (tensor<24x96xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x96xf32>) -> tensor<24x96xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<24x96xf32>
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x96xf32>
    %4 = stablehlo.divide %2, %3 : tensor<24x96xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = call @_where(%arg2, %4, %c) : (tensor<24x96xi1>, tensor<24x96xf32>, tensor<i32>) -> tensor<24x96xf32>
    %6 = stablehlo.add %arg3, %5 : tensor<24x96xf32>
    return %6 : tensor<24x96xf32>
  }
  func.func private @_where(%arg0: tensor<24x96xi1>, %arg1: tensor<24x96xf32>, %arg2: tensor<i32>) -> tensor<24x96xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24x96xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<24x96xi1>, tensor<24x96xf32>
    return %2 : tensor<24x96xf32>
  }
}
