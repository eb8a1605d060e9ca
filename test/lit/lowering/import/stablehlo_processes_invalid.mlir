// RUN: stitch-opt %s --convert-stablehlo-to-tg -split-input-file -verify-diagnostics

// expected-error @+1 {{attribute 'mhlo.num_partitions' must be in [1, 256], got 0}}
module attributes {mhlo.num_partitions = 0 : i32} {
  func.func @f(%a: tensor<f32>) {
    %0 = stablehlo.abs %a : tensor<f32>
    return
  }
}

// -----

// expected-error @+1 {{it is for 1024 processes, and there may be at most 256}}
module attributes {mhlo.num_partitions = 32 : i32, mhlo.num_replicas = 32 : i32} {
  func.func @f(%a: tensor<f32>) {
    %0 = stablehlo.abs %a : tensor<f32>
    return
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @partition(%a: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{it names partition 4, and the module has 4 (mhlo.num_partitions)}}
    %0 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<4> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @twice(%a: tensor<4xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{'replica_groups' has process 1 in two groups}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @some(%a: tensor<4xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{'replica_groups' has 2 of the 4 processes: it must have all}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @sizes(%a: tensor<4xf32>) -> tensor<12xf32> {
    // expected-error @+1 {{'replica_groups' has groups of several sizes}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 3 : i32} {
  func.func @parts(%a: tensor<4xf32>) -> tensor<1xf32> {
    // expected-error @+1 {{dimension 0 of its operand has 4 elements: not 3 equal parts}}
    %0 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @split(%a: tensor<6xf32>) -> tensor<6xf32> {
    // expected-error @+1 {{'split_count' is 3, and its groups have 2 processes}}
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @target(%a: tensor<6xf32>) -> tensor<6xf32> {
    // expected-error @+1 {{'source_target_pairs' has partition 1 twice as a target}}
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @shape(%a: tensor<6xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{result 0 has another type than follows from its operand}}
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<6xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {mhlo.num_partitions = 2 : i32} {
  func.func @old(%a: tensor<6xf32>) -> tensor<3xf32> {
    // expected-error @+1 {{'SPMDFullToShardShape' asks a partitioner to spread values over devices: write it with jax.shard_map}}
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) : (tensor<6xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// -----

func.func @shard(%a: tensor<6xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{result 0 has another type than its operand}}
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) : (tensor<6xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
