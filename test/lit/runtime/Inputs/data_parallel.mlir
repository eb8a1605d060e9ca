// Two layers whose gradients are summed over two processes, each behind the layer that it is of, and then subtracted.
module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @main(%x: tensor<32x64xf32>, %w1: tensor<64x64xf32>, %b1: tensor<64xf32>, %w2: tensor<64x64xf32>, %b2: tensor<64xf32>, %h: tensor<64xbf16>, %g: tensor<32xbf16>) -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xbf16>, tensor<32xbf16>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %h1 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %b1b = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<64xf32>) -> tensor<32x64xf32>
    %a1 = stablehlo.add %h1, %b1b : tensor<32x64xf32>
    %t1 = stablehlo.tanh %a1 : tensor<32x64xf32>
    %h2 = stablehlo.dot_general %t1, %w2, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %b2b = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<64xf32>) -> tensor<32x64xf32>
    %a2 = stablehlo.add %h2, %b2b : tensor<32x64xf32>
    %dw2 = stablehlo.dot_general %t1, %a2, contracting_dims = [0] x [0] : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
    %db2 = stablehlo.reduce(%a2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %sw2 = "stablehlo.all_reduce"(%dw2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %sb2 = "stablehlo.all_reduce"(%db2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<64xf32>) -> tensor<64xf32>
    %nw2 = stablehlo.subtract %w2, %sw2 : tensor<64x64xf32>
    %nb2 = stablehlo.subtract %b2, %sb2 : tensor<64xf32>
    %dt = stablehlo.dot_general %a2, %w2, contracting_dims = [1] x [1] : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %dtt = stablehlo.multiply %dt, %t1 : tensor<32x64xf32>
    %dw1 = stablehlo.dot_general %x, %dtt, contracting_dims = [0] x [0] : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
    %db1 = stablehlo.reduce(%dtt init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %sw1 = "stablehlo.all_reduce"(%dw1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %sb1 = "stablehlo.all_reduce"(%db1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<64xf32>) -> tensor<64xf32>
    %sh = "stablehlo.all_reduce"(%h) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
      %s = stablehlo.add %p, %q : tensor<bf16>
      stablehlo.return %s : tensor<bf16>
    }) : (tensor<64xbf16>) -> tensor<64xbf16>
    %sg = "stablehlo.all_reduce"(%g) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>, use_global_device_ids}> ({
    ^bb0(%p: tensor<bf16>, %q: tensor<bf16>):
      %s = stablehlo.add %p, %q : tensor<bf16>
      stablehlo.return %s : tensor<bf16>
    }) : (tensor<32xbf16>) -> tensor<32xbf16>
    %nw1 = stablehlo.subtract %w1, %sw1 : tensor<64x64xf32>
    %nb1 = stablehlo.subtract %b1, %sb1 : tensor<64xf32>
    return %nw1, %nb1, %nw2, %nb2, %sh, %sg : tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xbf16>, tensor<32xbf16>
  }
}
