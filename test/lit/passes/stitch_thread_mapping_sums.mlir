// RUN: stitch-opt %s -split-input-file --stitch-set-device=device=h200 --stitch-thin-products --stitch-outline --stitch-dominants --stitch-thread-mapping --stitch-tiles --stitch-schemes --stitch-schedule --stitch-buffers --stitch-launch | FileCheck %s

// A matrix times five rows: five sums of each of its rows. Registers leave room for one block a multiprocessor, so the
// threads of a row are as few as hold its elements, of which there are then two rows in a block and three rounds, not six.

// CHECK-LABEL: func.func @main(%arg0: tensor<5x3072xf32>
// CHECK: stitch.launch = #stitch.launch<grid = 384, block = 256, registers = 255,
// CHECK: tg.reduce add {{.*}}<row, rows = 768, columns = 3072, block_rows = 2, row_threads = 128, vector = 4, unroll = 6,
func.func @main(%x: tensor<5x3072xf32>, %w: tensor<768x3072xf32>) -> tensor<5x768xf32> {
  %0 = tg.dot %x, %w contract [1] x [1] : (tensor<5x3072xf32>, tensor<768x3072xf32>) -> tensor<5x768xf32>
  return %0 : tensor<5x768xf32>
}

// -----

// Of shorter rows a warp has one, and all are computed in one round; in small blocks they reach all multiprocessors.

// CHECK-LABEL: func.func @main(%arg0: tensor<5x768xf32>
// CHECK: tg.reduce add {{.*}}<row, rows = 768, columns = 768, block_rows = 2, row_threads = 32, vector = 4, unroll = 6,
func.func @main(%x: tensor<5x768xf32>, %w: tensor<768x768xf32>) -> tensor<5x768xf32> {
  %0 = tg.dot %x, %w contract [1] x [1] : (tensor<5x768xf32>, tensor<768x768xf32>) -> tensor<5x768xf32>
  return %0 : tensor<5x768xf32>
}
