// RUN: stitch-opt %s -split-input-file --stitch-pipeline="device=a100 plan=thin" | FileCheck %s

// Two matrices by columns, times 16 rows: a thread has accumulators of 32 sums for each column of its vector. Eight columns, 16 bytes of a matrix, are too many; four are not.
// (Products with 16 rows are no calls of a library only where a launch takes as long as computing them: hence devices with slow launches.)

// CHECK-LABEL: func.func @main(%arg0: tensor<16x2048xbf16>, %arg1: tensor<2048x1024xbf16>, %arg2: tensor<2048x1024xbf16>
// CHECK: tg.reduce add {{.*}}<column, rows = 2048, columns = 1024, block_rows = {{[0-9]+}}, row_threads = {{[0-9]+}}, vector = 4,
module attributes {stitch.device = #stitch.device<a100, launch_ns = 3000>} {
  func.func @main(%x: tensor<16x2048xbf16>, %v: tensor<2048x1024xbf16>, %w: tensor<2048x1024xbf16>) -> (tensor<16x1024xbf16>, tensor<16x1024xbf16>) {
    %0 = tg.dot %x, %v contract [1] x [0] : (tensor<16x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<16x1024xbf16>
    %1 = tg.dot %x, %w contract [1] x [0] : (tensor<16x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<16x1024xbf16>
    return %0, %1 : tensor<16x1024xbf16>, tensor<16x1024xbf16>
  }
}

// -----

// Of one matrix, too. Its blocks are enough for whole columns, four threads beside each other, which leave no partial results.

// CHECK-LABEL: func.func @main(%arg0: tensor<16x2048xbf16>, %arg1: tensor<2048x1024xbf16>)
// CHECK: tg.reduce add {{.*}}<column, rows = 2048, columns = 1024, block_rows = {{[0-9]+}}, row_threads = 4, vector = 4, unroll = 32, split = 1>
module attributes {stitch.device = #stitch.device<a100, launch_ns = 3000>} {
  func.func @main(%x: tensor<16x2048xbf16>, %w: tensor<2048x1024xbf16>) -> tensor<16x1024xbf16> {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<16x2048xbf16>, tensor<2048x1024xbf16>) -> tensor<16x1024xbf16>
    return %0 : tensor<16x1024xbf16>
  }
}

// -----

// Eight sums of 4096 columns: the partial results of chunks of rows would take longer than one load after the other. There are blocks enough for whole columns, sixteen threads beside each other.

// CHECK-LABEL: func.func @main(%arg0: tensor<8x4096xf32>
// CHECK: tg.reduce add {{.*}}<column, rows = 4096, columns = 4096, block_rows = 16, row_threads = 16, vector = {{[0-9]+}}, unroll = 256, split = 1>
func.func @main(%x: tensor<8x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<8x4096xf32> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<8x4096xf32>, tensor<4096x4096xf32>) -> tensor<8x4096xf32>
  return %0 : tensor<8x4096xf32>
}

// -----

// Four lanes read a sector of 32 bytes. Longer vectors leave multiprocessors without a block, and partial results of 16 sums take longer
// still.

// CHECK-LABEL: func.func @main(%arg0: tensor<16x768xbf16>, %arg1: tensor<768x768xbf16>)
// CHECK: tg.reduce add {{.*}}<column, rows = 768, columns = 768, block_rows = 64, row_threads = 4, vector = 4, unroll = 12, split = 1>
module attributes {stitch.device = #stitch.device<a100, launch_ns = 3000>} {
  func.func @main(%x: tensor<16x768xbf16>, %w: tensor<768x768xbf16>) -> tensor<16x768xbf16> {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<16x768xbf16>, tensor<768x768xbf16>) -> tensor<16x768xbf16>
    return %0 : tensor<16x768xbf16>
  }
}
