// RUN: stitch-opt %s --stitch-schedule -stitch-verify-plan -verify-diagnostics -split-input-file

// What an update in place promises: nobody reads the buffer as it was before, and the result gets its memory.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @read(%cache: tensor<64x8xf32> {stitch.donated = 1 : i64}, %row: tensor<1x8xf32>, %position: tensor<i32>) -> (tensor<64x8xf32>, tensor<64x8xf32>) {
    %zero = tg.constant dense<0> : tensor<i32>
    %0 = stitch.fusion(%b = %cache) : (tensor<64x8xf32>) -> tensor<64x8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 128, registers = 255, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.exp %b {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 512, block_rows = 1, row_threads = 128, vector = 4, unroll = 1, split = 1>} : tensor<64x8xf32>
      stitch.yield %1 : tensor<64x8xf32>
    }
    // expected-error @+1 {{'tg.dynamic_update_slice' op is in place, but its buffer is read as it was before, too}}
    %u = tg.dynamic_update_slice %cache[%position, %zero], %row {stitch.in_place} : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
    return %0, %u : tensor<64x8xf32>, tensor<64x8xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @kept(%cache: tensor<64x8xf32>, %row: tensor<1x8xf32>, %position: tensor<i32>) -> tensor<64x8xf32> {
    %zero = tg.constant dense<0> : tensor<i32>
    // expected-error @+1 {{'tg.dynamic_update_slice' op is no update in place: of an argument whose memory the result gets}}
    %u = tg.dynamic_update_slice %cache[%position, %zero], %row {stitch.in_place} : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
    return %u : tensor<64x8xf32>
  }
}
