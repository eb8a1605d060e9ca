module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<ui32>) {
    %e = stablehlo.exponential %a : tensor<16x8xf32>
    %0 = "stablehlo.all_reduce"(%e) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = stablehlo.tanh %0 : tensor<16x8xf32>
    %id = stablehlo.partition_id : tensor<ui32>
    return %1, %id : tensor<16x8xf32>, tensor<ui32>
  }
}
