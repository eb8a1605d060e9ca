// RUN: stitch-opt %s -split-input-file -verify-diagnostics --convert-stitch-to-gpu

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'stitch.fusion' op has no stitch.launch: run the planning passes first}}
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %e = tg.exp %a : tensor<8xf32>
    stitch.yield %e : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
    %e = tg.exp %a : tensor<8xf32>
    // expected-error @+1 {{'stitch.yield' op yields operand #0, which is not a root of the plan}}
    stitch.yield %e : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'stitch.fusion' op has no stitch.schedule: run stitch-schedule first}}
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 8, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
    %e = tg.exp %a {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<8xf32>
    stitch.yield %e : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 8, registers = 64, shared = 0, scratch = 0, barriers = 0>,
      stitch.schedule = #stitch.schedule<[<phase = 0, mapping = <row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>>]>} {
    // expected-error @+1 {{'tg.exp' op is a root without stitch.task: run stitch-schedule first}}
    %e = tg.exp %a {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<8xf32>
    stitch.yield %e : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 8, registers = 64, shared = 0, scratch = 0, barriers = 0>,
      stitch.schedule = #stitch.schedule<[<phase = 0, mapping = <row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>>]>} {
    // expected-error @+1 {{'tg.exp' op is computed in loop 1, read until phase -1 and finished in loop -1 of a schedule of 1 loops and 1 phases}}
    %e = tg.exp %a {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.task = #stitch.task<loop = 1, stage = 0>, stitch.mapping = #stitch.mapping<row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<8xf32>
    stitch.yield %e : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'stitch.fusion' op has a schedule whose loop 0 computes no root}}
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 8, registers = 64, shared = 0, scratch = 0, barriers = 0>,
      stitch.schedule = #stitch.schedule<[<phase = 0, mapping = <row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>>, <phase = 0, mapping = <row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>>]>} {
    %e = tg.exp %a {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.task = #stitch.task<loop = 1, stage = 0>, stitch.mapping = #stitch.mapping<row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<8xf32>
    stitch.yield %e : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
