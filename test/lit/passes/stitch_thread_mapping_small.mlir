// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch-by-cost | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch-by-cost --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// Small shapes: where all tasks are resident, blocks are as small as spreads them over the multiprocessors.

// Four rows in a block would leave 116 of 132 multiprocessors without any: a row is a block. By Little's law a multiprocessor
// needs 0.9 x 4800 GB/s x 600 ns / 132 bytes under way; there are 1024 for each row, which its threads all load first.

// REMARK: all tasks are resident: 64 in blocks of 64 instead of 16 in blocks of 256, for 132 multiprocessors, which need 19636 bytes under way each
// CHECK-LABEL: func.func @few_short_rows
// CHECK: stitch.launch<grid = 64, block = 64, {{.*}}barriers = 0>
// CHECK: tg.reduce max {{.*}}<row, rows = 64, columns = 256, block_rows = 1, row_threads = 64, vector = 4, unroll = 1, split = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @few_short_rows(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
    %m = tg.reduce max %x dims [1] : (tensor<64x256xf32>) -> tensor<64xf32>
    %b = tg.broadcast %m dims [0] : (tensor<64xf32>) -> tensor<64x256xf32>
    %d = tg.sub %x, %b : tensor<64x256xf32>
    return %d : tensor<64x256xf32>
  }
}

// -----

// 128 tasks would give 48 of 80 multiprocessors two and the others one; of 512 none has more than 7, a fifth less.

// REMARK: all tasks are resident: 512 in blocks of 32 instead of 128 in blocks of 256, for 80 multiprocessors, which need 6075 bytes under way each
// CHECK-LABEL: func.func @uneven
// CHECK: stitch.launch<grid = 512, block = 32, {{.*}}barriers = 0>
module attributes {stitch.device = #stitch.device<v100>} {
  func.func @uneven(%x: tensor<512x1024xf32>) -> tensor<512xf32> {
    %m = tg.reduce max %x dims [1] : (tensor<512x1024xf32>) -> tensor<512xf32>
    return %m : tensor<512xf32>
  }
}

// -----

// On 132 multiprocessors 256 tasks are even enough; so many rows are not resident at once; nor does the block of a transpose
// follow from its elements, but from its tiles.

// REMARK-NOT: all tasks are resident
// CHECK-LABEL: func.func @even
// CHECK: stitch.launch<grid = 256, block = 256,
// CHECK-LABEL: func.func @many
// CHECK: stitch.launch<grid = {{.*}}, block = 256,
// CHECK-LABEL: func.func @transposed
// CHECK: stitch.launch<grid = {{.*}}, block = 256,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @even(%x: tensor<512x1024xf32>) -> tensor<512xf32> {
    %m = tg.reduce max %x dims [1] : (tensor<512x1024xf32>) -> tensor<512xf32>
    return %m : tensor<512xf32>
  }
  func.func @many(%x: tensor<16384x1024xf32>) -> tensor<16384xf32> {
    %m = tg.reduce max %x dims [1] : (tensor<16384x1024xf32>) -> tensor<16384xf32>
    return %m : tensor<16384xf32>
  }
  func.func @transposed(%x: tensor<136x200xf32>) -> tensor<200x136xf32> {
    %t = tg.transpose %x permutation [1, 0] : (tensor<136x200xf32>) -> tensor<200x136xf32>
    return %t : tensor<200x136xf32>
  }
}

// -----

// Eight rows that are under way at once wait for memory once, whichever multiprocessors have them. Splitting them over others
// would wait for a grid barrier and once more for memory. Where there are exponentials enough, a cluster pays; so does
// one where there is more to read than few multiprocessors take.

// CHECK-LABEL: func.func @few_rows
// CHECK: stitch.launch<grid = 8, block = 256, {{.*}}barriers = 0>
// CHECK-LABEL: func.func @one_row
// CHECK: cluster = 8>
// There is room for 30 clusters of 4 blocks that fill a multiprocessor each: registers for two let all 32 run at once.
// CHECK-LABEL: func.func @long_rows
// CHECK: grid = 128, block = 512, registers = 64, {{.*}}barriers = 0, cluster = 4>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @few_rows(%x: tensor<8x4096xf32>) -> tensor<8x4096xf32> {
    %s = tg.reduce add %x dims [1] : (tensor<8x4096xf32>) -> tensor<8xf32>
    %b = tg.broadcast %s dims [0] : (tensor<8xf32>) -> tensor<8x4096xf32>
    %d = tg.mul %x, %b : tensor<8x4096xf32>
    return %d : tensor<8x4096xf32>
  }
  func.func @one_row(%x: tensor<1x32768xf32>) -> tensor<1x32768xf32> {
    %e = tg.exp %x : tensor<1x32768xf32>
    %s = tg.reduce add %e dims [1] : (tensor<1x32768xf32>) -> tensor<1xf32>
    %b = tg.broadcast %s dims [0] : (tensor<1xf32>) -> tensor<1x32768xf32>
    %d = tg.mul %e, %b : tensor<1x32768xf32>
    return %d : tensor<1x32768xf32>
  }
  func.func @long_rows(%x: tensor<32x60000xf32>) -> tensor<32xf32> {
    %s = tg.reduce add %x dims [1] : (tensor<32x60000xf32>) -> tensor<32xf32>
    return %s : tensor<32xf32>
  }
}
