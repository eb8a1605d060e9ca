// RUN: stitch-opt %s --stitch-schedule --convert-stitch-to-gpu | FileCheck %s

// The roots of a task run group by group, which is not the order of the program: stitch-buffers gives the buffer of the first group to the
// second one.

// CHECK: math.exp
// CHECK-NOT: math.tanh
// CHECK: memref.store %{{.*}}, %arg1
// CHECK: math.tanh
// CHECK: memref.store %{{.*}}, %arg2
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:2 = stitch.fusion(%a = %x) : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {stitch.launch = #stitch.launch<grid = 2, block = 32, registers = 64, shared = 128, scratch = 0, barriers = 0>} {
    %1 = tg.exp %a {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.buffer = #stitch.buffer<shared, offset = 0, size = 128>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 8, block_rows = 4, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<8x8xf32>
    %2 = tg.tanh %a {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.buffer = #stitch.buffer<shared, offset = 0, size = 128>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 8, block_rows = 4, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<8x8xf32>
    %3 = tg.reverse %1 dims [1] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 8, block_rows = 4, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<8x8xf32>
    %4 = tg.reverse %2 dims [1] {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 8, columns = 8, block_rows = 4, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<8x8xf32>
    stitch.yield %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %0#0, %0#1 : tensor<8x8xf32>, tensor<8x8xf32>
}
