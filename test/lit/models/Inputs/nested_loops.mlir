module @jit_nested attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x7xf32>) -> (tensor<5x7xf32> {jax.result_info = "result[0]"}, tensor<5x7xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x7xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %0) : tensor<i32>, tensor<5x7xf32>, tensor<5x7xf32>
    cond {
      %c_2 = stablehlo.constant dense<5> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call(%iterArg_0) : (tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<7xf32>)
      %3 = func.call @dynamic_update_index_in_dim(%iterArg_1, %2#1, %iterArg) : (tensor<5x7xf32>, tensor<7xf32>, tensor<i32>) -> tensor<5x7xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %4, %2#0, %3 : tensor<i32>, tensor<5x7xf32>, tensor<5x7xf32>
    }
    return %1#1, %1#2 : tensor<5x7xf32>, tensor<5x7xf32>
  }
  func.func private @closed_call(%arg0: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<7xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<i32>, tensor<5x7xf32>
    cond {
      %c_3 = stablehlo.constant dense<4> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call_0(%iterArg_1, %iterArg_2) : (tensor<i32>, tensor<5x7xf32>) -> (tensor<i32>, tensor<5x7xf32>)
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      stablehlo.return %3, %2#0, %2#1 : tensor<i32>, tensor<i32>, tensor<5x7xf32>
    }
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0#2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5x7xf32>, tensor<f32>) -> tensor<7xf32>
    return %0#2, %1 : tensor<5x7xf32>, tensor<7xf32>
  }
  func.func private @closed_call_0(%arg0: tensor<i32>, %arg1: tensor<5x7xf32>) -> (tensor<i32>, tensor<5x7xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<5x7xf32>) -> tensor<7x5xf32>
    %2 = stablehlo.dot_general %arg1, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x7xf32>, tensor<7x5xf32>) -> tensor<5x5xf32>
    %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x5xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x7xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<5x7xf32>
    %6 = stablehlo.tanh %5 : tensor<5x7xf32>
    %7 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<5x7xf32>
    %9 = stablehlo.add %6, %8 : tensor<5x7xf32>
    return %0, %9 : tensor<i32>, tensor<5x7xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5x7xf32>, %arg1: tensor<7xf32>, %arg2: tensor<i32>) -> tensor<5x7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<7xf32>) -> tensor<1x7xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<5x7xf32>, tensor<1x7xf32>, tensor<i32>, tensor<i32>) -> tensor<5x7xf32>
    return %1 : tensor<5x7xf32>
  }
}
