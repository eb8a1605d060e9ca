// RUN: stitch-opt %s -stitch-schedule -stitch-launch | FileCheck %s

// One row for a cluster of eight blocks, on four multiprocessors: one block on each would leave no room for the cluster, two do.
// CHECK: #stitch.launch<grid = 8, block = 1024, registers = 32, {{.*}}cluster = 8>
module attributes {stitch.device = #stitch.device<h200, sms = 4, bandwidth_gbps = 100, gpc_sms = 4>} {
  func.func @main(%arg0: tensor<1x100000xf32>) -> tensor<1x100000xf32> {
    %0 = stitch.fusion(%arg1 = %arg0) : (tensor<1x100000xf32>) -> tensor<1x100000xf32> {
      %1 = tg.reduce max %arg1 dims [1] {stitch.group = 0 : i64, stitch.mapping = #stitch.mapping<row, rows = 1, columns = 100000, block_rows = 1, row_threads = 1024, vector = 4, unroll = 7, split = 1, cluster = 8>, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>} : (tensor<1x100000xf32>) -> tensor<1xf32>
      %2 = tg.broadcast %1 dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<1xf32>) -> tensor<1x100000xf32>
      %3 = tg.sub %arg1, %2 {stitch.group = 0 : i64, stitch.mapping = #stitch.mapping<row, rows = 1, columns = 100000, block_rows = 1, row_threads = 1024, vector = 4, unroll = 7, split = 1, cluster = 8>, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>} : tensor<1x100000xf32>
      stitch.yield %3 : tensor<1x100000xf32>
    }
    return %0 : tensor<1x100000xf32>
  }
}

