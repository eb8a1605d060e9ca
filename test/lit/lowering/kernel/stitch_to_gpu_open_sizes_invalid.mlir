// RUN: stitch-opt %s -split-input-file -verify-diagnostics --stitch-schedule --convert-stitch-to-gpu

// Plans that do not fit an open size are found when the kernel is made.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<1000xf32, "n">) -> tensor<1000xf32, "n"> {
    // expected-error@+1 {{has a tensor with an open size that no argument of the function has}}
    %0 = stitch.fusion (%i = %x) : (tensor<1000xf32, "n">) -> tensor<1000xf32, "n"> attributes {stitch.launch = #stitch.launch<grid = 4, block = 256, registers = 32, shared = 0, scratch = 0, barriers = 0>} {
      %a = tg.exp %i {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 1000, block_rows = 1, row_threads = 256, vector = 1, unroll = 1, split = 4>} : tensor<1000xf32, "n">
      stitch.yield %a : tensor<1000xf32, "n">
    }
    return %0 : tensor<1000xf32, "n">
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<1000xf32, "n">, %n: tensor<i32> {stitch.symbol = {name = "n", low = 1 : i64, high = 1000 : i64}}) -> tensor<1000xf32, "n"> {
    %0 = stitch.fusion (%i = %x) : (tensor<1000xf32, "n">) -> tensor<1000xf32, "n"> attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 32, shared = 0, scratch = 0, barriers = 0>} {
      // expected-error@+1 {{has a mapping of 1 x 1000 in vectors of 4 that does not fit a size of at most 1000}}
      %a = tg.exp %i {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 1000, block_rows = 1, row_threads = 256, vector = 4, unroll = 1, split = 1>} : tensor<1000xf32, "n">
      stitch.yield %a : tensor<1000xf32, "n">
    }
    return %0 : tensor<1000xf32, "n">
  }
}
