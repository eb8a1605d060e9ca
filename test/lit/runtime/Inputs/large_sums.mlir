// Tensors that processes combine in two steps: their parts are filled up where four do not divide them.
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<199x333xbf16>, %b: tensor<70001xf32>, %c: tensor<70003xui16>) -> (tensor<199x333xbf16>, tensor<70001xf32>, tensor<70003xui16>, tensor<2xbf16>) {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
      %s = stablehlo.add %x, %y : tensor<bf16>
      stablehlo.return %s : tensor<bf16>
    }) : (tensor<199x333xbf16>) -> tensor<199x333xbf16>
    %1 = "stablehlo.all_reduce"(%b) <{replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<70001xf32>) -> tensor<70001xf32>
    %2 = "stablehlo.all_reduce"(%c) <{replica_groups = dense<[[0, 1, 2, -1], [3, -1, -1, -1]]> : tensor<2x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<ui16>, %y: tensor<ui16>):
      %s = stablehlo.xor %x, %y : tensor<ui16>
      stablehlo.return %s : tensor<ui16>
    }) : (tensor<70003xui16>) -> tensor<70003xui16>
    %small = stablehlo.slice %a [0:1, 0:2] : (tensor<199x333xbf16>) -> tensor<1x2xbf16>
    %flat = stablehlo.reshape %small : (tensor<1x2xbf16>) -> tensor<2xbf16>
    %3 = "stablehlo.all_reduce"(%flat) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
      %s = stablehlo.multiply %x, %y : tensor<bf16>
      stablehlo.return %s : tensor<bf16>
    }) : (tensor<2xbf16>) -> tensor<2xbf16>
    return %0, %1, %2, %3 : tensor<199x333xbf16>, tensor<70001xf32>, tensor<70003xui16>, tensor<2xbf16>
  }
}
