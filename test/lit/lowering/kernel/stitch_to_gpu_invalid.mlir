// RUN: stitch-opt %s -split-input-file -verify-diagnostics --stitch-schedule --convert-stitch-to-gpu

// expected-remark @+2 {{stitch-schedule: finds no operation of stitch.fusion, stitch.library_call or tg, which stitch-outline leaves}}
// expected-remark @+1 {{convert-stitch-to-gpu: finds no stitch.fusion and no stitch.library_call, which the planning passes (stitch-pipeline) make of operations of tg}}
module {}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
    // expected-error @+1 {{'tg.exp' op is a root but has no stitch.mapping or no stitch.scheme}}
    %e = tg.exp %a {stitch.role = #stitch.role<dominant>} : tensor<8x8xf32>
    stitch.yield %e : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 64, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
    // expected-error @+1 {{'tg.exp' op is mapped to blocks of 32 threads in a kernel with blocks of 64}}
    %e = tg.exp %a {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1>} : tensor<8x8xf32>
    stitch.yield %e : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
    // expected-error @+1 {{'tg.exp' op needs a stitch.buffer in scratch memory: its value is read by other blocks}}
    %e = tg.exp %a {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<global>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1>} : tensor<8x8xf32>
    %n = tg.neg %e {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1>} : tensor<8x8xf32>
    stitch.yield %n : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'stitch.fusion' op needs 1 grid barriers but its stitch.launch has 0}}
  %0 = stitch.fusion(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 0, scratch = 256, barriers = 0>} {
    %e = tg.exp %a {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<global>, stitch.buffer = #stitch.buffer<scratch, offset = 0, size = 256>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1>} : tensor<8x8xf32>
    %t = tg.transpose %e permutation [1, 0] {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    stitch.yield %t : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// A regional value that is read from another row.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> attributes {stitch.launch = #stitch.launch<grid = 2, block = 32, registers = 64, shared = 128, scratch = 0, barriers = 0>} {
    // expected-error @+1 {{'tg.exp' op is regional but is read outside of the row of its task, or has no shared buffer}}
    %e = tg.exp %a {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.buffer = #stitch.buffer<shared, offset = 0, size = 128>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 8, block_rows = 4, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<8x8xf32>
    %t = tg.transpose %e permutation [1, 0] {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 8, block_rows = 4, row_threads = 8, vector = 1, unroll = 1, split = 1>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    stitch.yield %t : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'tg.exp' op has no implementation outside of kernels and libraries}}
  %0 = tg.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'tg.custom_call' op calls 'unknown', which is no function that Stitch knows}}
    %0 = tg.custom_call "unknown"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue that libraries have, or products of one form (docs/ir.md, section 2): no other library call can be made}}
  %0 = stitch.library_call(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %e = tg.exp %a : tensor<8xf32>
    stitch.yield %e : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue}}
  %0 = stitch.library_call(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    %d = tg.dot %a, %a contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %six = tg.constant dense<6.0> : tensor<8x8xf32>
    %m = tg.max %d, %six : tensor<8x8xf32>
    stitch.yield %m : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

func.func @main(%x: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue}}
  %0 = stitch.library_call(%a = %x, %c = %b) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32> {
    %d = tg.dot %a, %a contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %w = tg.broadcast %c dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %s = tg.add %d, %w : tensor<8x8xf32>
    %t = tg.transpose %s permutation [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    stitch.yield %t : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// No library has the form with erf.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue}}
  %0 = stitch.library_call(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    %d = tg.dot %a, %a contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %e = tg.gelu %d : tensor<8x8xf32>
    stitch.yield %e : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// No library has the operand of a relu.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue}}
  %0:2 = stitch.library_call(%a = %x) : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %d = tg.dot %a, %a contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %zero = tg.constant dense<0.0> : tensor<8x8xf32>
    %e = tg.max %d, %zero : tensor<8x8xf32>
    stitch.yield %e, %d : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %0#0 : tensor<8x8xf32>
}

// -----

// No library has a bias behind gelu.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue}}
  %0 = stitch.library_call(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    %d = tg.dot %a, %a contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %g = tg.gelu %d approximate : tensor<8x8xf32>
    %e = tg.add %g, %a : tensor<8x8xf32>
    stitch.yield %e : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// No library has a sum of columns.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue}}
  %0:2 = stitch.library_call(%a = %x) : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
    %d = tg.dot %a, %a contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %e = tg.reduce add %a dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    %f = tg.gelu %d approximate : tensor<8x8xf32>
    stitch.yield %f, %e : tensor<8x8xf32>, tensor<8xf32>
  }
  return %0#0 : tensor<8x8xf32>
}

// -----

// No library has a sum that is no result.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue}}
  %0 = stitch.library_call(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    %d = tg.dot %a, %a contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %e = tg.reduce add %a dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    stitch.yield %d : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// No library has a gradient at what the call computes.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue}}
  %0 = stitch.library_call(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> {
    %d = tg.dot %a, %a contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %g = tg.gelu_gradient %d, %d approximate : tensor<8x8xf32>
    stitch.yield %g : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// expected-error @+1 {{takes or returns a value that is no tensor of static shape}}
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tg.exp %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Products of a batch: each is of the next two arguments, so that calls that share other operands have the same body.

func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue that libraries have, or products of one form}}
  %0:2 = stitch.library_call(%a = %x, %b = %y) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %d = tg.dot %a, %b contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %e = tg.dot %a, %a contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stitch.yield %d, %e : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// And all contract the same dimensions.

func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // expected-error @+1 {{'stitch.library_call' op must hold one tg operation that a library computes, and an epilogue that libraries have, or products of one form}}
  %0:2 = stitch.library_call(%a = %x, %b = %y, %c = %x, %d = %x) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %e = tg.dot %a, %b contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %f = tg.dot %c, %d contract [1] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stitch.yield %e, %f : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
}
