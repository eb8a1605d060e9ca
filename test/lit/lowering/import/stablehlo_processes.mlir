// RUN: stitch-opt %s --convert-stablehlo-to-tg -split-input-file | FileCheck %s

// Two replicas of two partitions are the processes (0, 0), (0, 1), (1, 0), (1, 1).
// CHECK: module attributes {stitch.partitions = 2 : i64, stitch.replicas = 2 : i64}
// CHECK-LABEL: @strategies
// CHECK-SAME: (%[[A:.*]]: tensor<4x6xf32>)
module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {
  func.func @strategies(%a: tensor<4x6xf32>) {
    // CHECK: tg.all_reduce add %[[A]] groups dense<{{\[\[}}0, 2], [1, 3]]> : tensor<2x2xi64>
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    // CHECK: tg.all_reduce max %[[A]] groups dense<{{\[\[}}0, 2, 1, 3]]>
    %1 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    // CHECK: tg.all_reduce mul %[[A]] groups dense<{{\[\[}}3, 0], [1, 2]]> : tensor<2x2xi64>
    %2 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.multiply %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    // CHECK: tg.collective_permute %[[A]] pairs dense<{{\[\[}}0, 1], [2, 3]]> : tensor<2x2xi64>
    %3 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
    // CHECK: tg.collective_broadcast %[[A]] groups dense<{{\[\[}}2, 0], [3, 1]]> : tensor<2x2xi64>
    %4 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
    // CHECK: %[[ID:.*]] = tg.process_id : tensor<ui32>
    // CHECK: tg.rem %[[ID]]
    %5 = stablehlo.partition_id : tensor<ui32>
    // CHECK: %[[ID:.*]] = tg.process_id : tensor<ui32>
    // CHECK: tg.div %[[ID]]
    %6 = stablehlo.replica_id : tensor<ui32>
    return
  }
}

// -----

// CHECK-LABEL: @dimensions
// CHECK-SAME: (%[[A:.*]]: tensor<4x6xf32>, %[[B:.*]]: tensor<4x6xi8>)
module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 2 : i32} {
  func.func @dimensions(%a: tensor<4x6xf32>, %b: tensor<4x6xi8>) -> (tensor<4x12xf32>, tensor<4x3xf32>, tensor<2x12xf32>, tensor<ui32>, tensor<4x6xi32>) {
    // CHECK: %[[G:.*]] = tg.all_gather %[[A]] groups {{.*}} -> tensor<8x6xf32>
    // CHECK: %[[P:.*]] = tg.reshape %[[G]] : (tensor<8x6xf32>) -> tensor<2x4x6xf32>
    // CHECK: %[[T:.*]] = tg.transpose %[[P]] permutation [1, 0, 2]
    // CHECK: %[[GATHERED:.*]] = tg.reshape %[[T]] : (tensor<4x2x6xf32>) -> tensor<4x12xf32>
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<4x6xf32>) -> tensor<4x12xf32>
    // CHECK: %[[P:.*]] = tg.reshape %[[A]] : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
    // CHECK: %[[T:.*]] = tg.transpose %[[P]] permutation [1, 0, 2]
    // CHECK: %[[F:.*]] = tg.reshape %[[T]] : (tensor<2x4x3xf32>) -> tensor<8x3xf32>
    // CHECK: %[[SCATTERED:.*]] = tg.reduce_scatter add %[[F]] groups {{.*}} -> tensor<4x3xf32>
    %1 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x6xf32>) -> tensor<4x3xf32>
    // CHECK: tg.all_to_all %[[A]]
    // CHECK: permutation [1, 0, 2]
    %2 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<4x6xf32>) -> tensor<2x12xf32>
    // CHECK: %[[REPLICA:.*]] = tg.constant dense<0> : tensor<ui32>
    %3 = stablehlo.replica_id : tensor<ui32>
    // The body's type is the result's.
    // CHECK: %[[WIDE:.*]] = tg.convert %[[B]]
    // CHECK: %[[SUM:.*]] = tg.all_reduce add %[[WIDE]]
    %4 = "stablehlo.all_reduce"(%b) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %s = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<4x6xi8>) -> tensor<4x6xi32>
    // CHECK: return %[[GATHERED]], %[[SCATTERED]], %{{.*}}, %[[REPLICA]], %[[SUM]]
    return %0, %1, %2, %3, %4 : tensor<4x12xf32>, tensor<4x3xf32>, tensor<2x12xf32>, tensor<ui32>, tensor<4x6xi32>
  }
}
