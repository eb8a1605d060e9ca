module attributes {stitch.device = #stitch.device<h200, sms = 8, bandwidth_gbps = 200, gpc_sms = 8>} {
  func.func @main(%arg0: tensor<3x40000xf32>, %arg1: tensor<7000xf32>, %arg2: tensor<4x30000xf32>) -> (tensor<3x40000xf32>, tensor<7000xf32>, tensor<4x30000xf32>) {
    %0:3 = stitch.fusion(%arg3 = %arg0, %arg4 = %arg2, %arg5 = %arg1) : (tensor<3x40000xf32>, tensor<4x30000xf32>, tensor<7000xf32>) -> (tensor<3x40000xf32>, tensor<4x30000xf32>, tensor<7000xf32>) attributes {stitch.launch = #stitch.launch<grid = 8, block = 512, registers = 128, shared = 4096, scratch = 64, barriers = 1, cluster = 4>} {
      %1 = tg.reduce add %arg3 dims [1] {stitch.group = 0 : i64, stitch.mapping = #stitch.mapping<row, rows = 3, columns = 40000, block_rows = 1, row_threads = 512, vector = 4, unroll = 5, split = 1, cluster = 4>, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>} : (tensor<3x40000xf32>) -> tensor<3xf32>
      %2 = tg.broadcast %1 dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<3xf32>) -> tensor<3x40000xf32>
      %3 = tg.sub %arg3, %2 {stitch.group = 0 : i64, stitch.mapping = #stitch.mapping<row, rows = 3, columns = 40000, block_rows = 1, row_threads = 512, vector = 4, unroll = 5, split = 1, cluster = 4>, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>} : tensor<3x40000xf32>
      %4 = tg.reduce max %arg4 dims [1] {stitch.group = 1 : i64, stitch.mapping = #stitch.mapping<row, rows = 4, columns = 30000, block_rows = 1, row_threads = 512, vector = 4, unroll = 4, split = 1, cluster = 4>, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>} : (tensor<4x30000xf32>) -> tensor<4xf32>
      %5 = tg.broadcast %4 dims [0] {stitch.group = 1 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<4xf32>) -> tensor<4x30000xf32>
      %6 = tg.sub %arg4, %5 {stitch.group = 1 : i64, stitch.mapping = #stitch.mapping<row, rows = 4, columns = 30000, block_rows = 1, row_threads = 512, vector = 4, unroll = 4, split = 1, cluster = 4>, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>} : tensor<4x30000xf32>
      %7 = tg.abs %arg5 {stitch.group = 2 : i64, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 7000, block_rows = 1, row_threads = 512, vector = 4, unroll = 1, split = 4>, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>} : tensor<7000xf32>
      stitch.yield %3, %6, %7 : tensor<3x40000xf32>, tensor<4x30000xf32>, tensor<7000xf32>
    }
    return %0#0, %0#2, %0#1 : tensor<3x40000xf32>, tensor<7000xf32>, tensor<4x30000xf32>
  }
}
