// Both forms of asynchronous calls: the body has arguments, or reads what is around it (the specification's example).
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%a: tensor<4x8xf32>, %b: tensor<3xf32>) -> (tensor<4x8xf32>, tensor<8x8xf32>, tensor<3xf32>, tensor<2x8xf32>) {
    %0 = "stablehlo.async_start"(%a) ({
    ^bb0(%x: tensor<4x8xf32>):
      %2 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb1(%y: tensor<f32>, %z: tensor<f32>):
        %3 = stablehlo.add %y, %z : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %2 : tensor<4x8xf32>
    }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<4x8xf32>>
    %e = stablehlo.exponential %b : tensor<3xf32>
    %1 = "stablehlo.async_start"(%a) ({
      %2 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
      "stablehlo.return"(%2) : (tensor<8x8xf32>) -> ()
    }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<8x8xf32>>
    %s = "stablehlo.async_start"(%a) ({
    ^bb0(%x: tensor<4x8xf32>):
      %2 = stablehlo.slice %x [1:3, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
      stablehlo.return %2 : tensor<2x8xf32>
    }) : (tensor<4x8xf32>) -> !stablehlo.future<tensor<2x8xf32>>
    %r0 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>
    %r1 = "stablehlo.async_done"(%1) : (!stablehlo.future<tensor<8x8xf32>>) -> tensor<8x8xf32>
    %r2 = "stablehlo.async_done"(%s) : (!stablehlo.future<tensor<2x8xf32>>) -> tensor<2x8xf32>
    return %r0, %r1, %e, %r2 : tensor<4x8xf32>, tensor<8x8xf32>, tensor<3xf32>, tensor<2x8xf32>
  }
}
