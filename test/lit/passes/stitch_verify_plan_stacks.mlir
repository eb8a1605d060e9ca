// RUN: stitch-opt %s -stitch-schedule -stitch-verify-plan -verify-diagnostics -split-input-file

// A stack of two vectors with an element for each column of a reduce, and one of two with an element for each row.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @by_columns(%x: tensor<64x32xf32>, %y: tensor<2x32xf32>) -> tensor<2x32xf32> {
    %0 = stitch.fusion(%a = %x, %b = %y) : (tensor<64x32xf32>, tensor<2x32xf32>) -> tensor<2x32xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 64, shared = 2048, scratch = 0, barriers = 0>} {
      %1 = tg.reduce add %a dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<column, rows = 64, columns = 32, block_rows = 8, row_threads = 32, vector = 1, unroll = 8, split = 1>} : (tensor<64x32xf32>) -> tensor<32xf32>
      %2 = tg.broadcast %1 dims [1] {stitch.group = 1 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<32xf32>) -> tensor<2x32xf32>
      %3 = tg.add %2, %b {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.stacked, stitch.mapping = #stitch.mapping<kept, rows = 64, columns = 32, block_rows = 8, row_threads = 32, vector = 1, unroll = 8, split = 1>} : tensor<2x32xf32>
      stitch.yield %3 : tensor<2x32xf32>
    }
    return %0 : tensor<2x32xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @by_rows(%x: tensor<64x32xf32>, %y: tensor<2x64xf32>) -> tensor<2x64xf32> {
    %0 = stitch.fusion(%a = %x, %b = %y) : (tensor<64x32xf32>, tensor<2x64xf32>) -> tensor<2x64xf32> attributes {stitch.launch = #stitch.launch<grid = 2, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.reduce add %a dims [1] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>} : (tensor<64x32xf32>) -> tensor<64xf32>
      %2 = tg.broadcast %1 dims [1] {stitch.group = 1 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<64xf32>) -> tensor<2x64xf32>
      %3 = tg.add %2, %b {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.stacked, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 2, block_rows = 32, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<2x64xf32>
      stitch.yield %3 : tensor<2x64xf32>
    }
    return %0 : tensor<2x64xf32>
  }
}

// -----

// A flat stack.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @flat(%y: tensor<2x64xf32>) -> tensor<2x64xf32> {
    %0 = stitch.fusion(%b = %y) : (tensor<2x64xf32>) -> tensor<2x64xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 128, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      // expected-error @below {{cannot be a stack of vectors: it must be no reduce, and have the mapping of kept columns or one of rows with at most an element for each thread, which is not split}}
      %3 = tg.abs %b {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.stacked, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 128, block_rows = 1, row_threads = 128, vector = 1, unroll = 1, split = 1>} : tensor<2x64xf32>
      stitch.yield %3 : tensor<2x64xf32>
    }
    return %0 : tensor<2x64xf32>
  }
}

// -----

// What a stack leaves, other threads than those that have it cannot read.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @read(%x: tensor<64x32xf32>, %y: tensor<2x32xf32>) -> tensor<32xf32> {
    %0 = stitch.fusion(%a = %x, %b = %y) : (tensor<64x32xf32>, tensor<2x32xf32>) -> tensor<32xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 64, shared = 2048, scratch = 0, barriers = 0>} {
      %1 = tg.reduce add %a dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<column, rows = 64, columns = 32, block_rows = 8, row_threads = 32, vector = 1, unroll = 8, split = 1>} : (tensor<64x32xf32>) -> tensor<32xf32>
      %2 = tg.broadcast %1 dims [1] {stitch.group = 1 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<32xf32>) -> tensor<2x32xf32>
      // expected-error @below {{cannot be regional: it is a stack}}
      %3 = tg.add %2, %b {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.stacked, stitch.mapping = #stitch.mapping<kept, rows = 64, columns = 32, block_rows = 8, row_threads = 32, vector = 1, unroll = 8, split = 1>} : tensor<2x32xf32>
      %4 = tg.slice %3 [0:1, 0:32] {stitch.group = 2 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<2x32xf32>) -> tensor<1x32xf32>
      %5 = tg.reshape %4 {stitch.group = 2 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<kept, rows = 64, columns = 32, block_rows = 8, row_threads = 32, vector = 1, unroll = 8, split = 1>} : (tensor<1x32xf32>) -> tensor<32xf32>
      stitch.yield %5 : tensor<32xf32>
    }
    return %0 : tensor<32xf32>
  }
}

// -----

// More vectors than a stack may have.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @many(%x: tensor<64x32xf32>, %y: tensor<33x32xf32>) -> tensor<33x32xf32> {
    %0 = stitch.fusion(%a = %x, %b = %y) : (tensor<64x32xf32>, tensor<33x32xf32>) -> tensor<33x32xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 64, shared = 2048, scratch = 0, barriers = 0>} {
      %1 = tg.reduce add %a dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<column, rows = 64, columns = 32, block_rows = 8, row_threads = 32, vector = 1, unroll = 8, split = 1>} : (tensor<64x32xf32>) -> tensor<32xf32>
      %2 = tg.broadcast %1 dims [1] {stitch.group = 1 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<32xf32>) -> tensor<33x32xf32>
      // expected-error @below {{is a stack of 33 vectors, and at most 32 are allowed}}
      %3 = tg.add %2, %b {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.stacked, stitch.mapping = #stitch.mapping<kept, rows = 64, columns = 32, block_rows = 8, row_threads = 32, vector = 1, unroll = 8, split = 1>} : tensor<33x32xf32>
      stitch.yield %3 : tensor<33x32xf32>
    }
    return %0 : tensor<33x32xf32>
  }
}
