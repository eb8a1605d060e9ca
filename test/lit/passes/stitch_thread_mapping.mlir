// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping="block-size=1024 vectorize=false" -split-input-file | FileCheck %s --check-prefix=PAPER
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping=adaptive=false -split-input-file | FileCheck %s --check-prefix=NAIVE
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping=clusters=false -split-input-file | FileCheck %s --check-prefix=ALONE
// RUN: not stitch-opt %s -stitch-thread-mapping=block-size=100 -split-input-file 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: option 'block-size' must be 0, 32, 64, 128, 256, 512 or 1024, and is '100'

// AStitch figure 8: rows of 32 elements are packed, 32 of them into a block. With a thread for each element that is a block
// of 1024; with 16-byte vectors 256 threads do.

// CHECK-LABEL: func.func @pack
// CHECK: tg.reduce {{.*}}<row, rows = 750000, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>
// PAPER-LABEL: func.func @pack
// PAPER: tg.reduce {{.*}}<row, rows = 750000, columns = 32, block_rows = 32, row_threads = 32, vector = 1, unroll = 1, split = 1>
// NAIVE-LABEL: func.func @pack
// NAIVE: tg.reduce {{.*}}<row, rows = 750000, columns = 32, block_rows = 1, row_threads = 256, vector = 4, unroll = 1, split = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @pack(%x: tensor<750000x32xf32>) -> tensor<750000xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<750000x32xf32>) -> tensor<750000xf32>
    return %r : tensor<750000xf32>
  }
}

// -----

// AStitch figure 8: few rows of many elements leave multiprocessors idle, so each row is split among blocks. (On a device
// with clusters: stitch_cluster.mlir.) The figure has 64 rows of 30000; with vectors, and as many of them under way as registers hold, 64
// multiprocessors take as much as memory gives, and splitting costs a barrier: eight rows are split here.

// CHECK-LABEL: func.func @split
// CHECK: tg.reduce {{.*}}<row, rows = 8, columns = 240000, block_rows = 1, row_threads = 256, vector = 4, unroll = 8, split = 30>
// PAPER-LABEL: func.func @split
// PAPER: tg.reduce {{.*}}<row, rows = 8, columns = 240000, block_rows = 1, row_threads = 1024, vector = 1, unroll = 8, split = 30>
// NAIVE-LABEL: func.func @split
// NAIVE: tg.reduce {{.*}}<row, rows = 8, columns = 240000, block_rows = 1, row_threads = 1024, vector = 4, unroll = 59, split = 1>
module attributes {stitch.device = #stitch.device<h200, cluster_blocks = 1>} {
  func.func @split(%x: tensor<8x240000xf32>) -> tensor<8xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<8x240000xf32>) -> tensor<8xf32>
    return %r : tensor<8xf32>
  }
}

// -----

// Enough rows: not split; the block grows so that 30000 elements stay in its registers.

// CHECK-LABEL: func.func @long_rows
// CHECK: tg.reduce {{.*}}<row, rows = 4096, columns = 30000, block_rows = 1, row_threads = 1024, vector = 4, unroll = 8, split = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @long_rows(%x: tensor<4096x30000xf32>) -> tensor<4096xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<4096x30000xf32>) -> tensor<4096xf32>
    return %r : tensor<4096xf32>
  }
}

// -----

// A warp for a row as long as it can keep the row; few rows get a block each. Of rows of which there are plenty a thread has twice the elements,
// where it keeps one value of each.

// CHECK-LABEL: func.func @medium_rows
// CHECK: tg.reduce {{.*}}<row, rows = 65536, columns = 768, block_rows = 8, row_threads = 32, vector = 4, unroll = 6, split = 1>
// CHECK-LABEL: func.func @few_rows
// CHECK: tg.reduce {{.*}}<row, rows = 7, columns = 768, block_rows = 1, row_threads = 256, vector = 4, unroll = 1, split = 1>
// CHECK-LABEL: func.func @plenty
// CHECK: tg.reduce {{.*}}<row, rows = 4096, columns = 4096, block_rows = 2, row_threads = 128, vector = 4, unroll = 8, split = 1>
// CHECK-LABEL: func.func @plenty_of_two
// CHECK: tg.reduce {{.*}}<row, rows = 4096, columns = 4096, block_rows = 1, row_threads = 256, vector = 4, unroll = 4, split = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @medium_rows(%x: tensor<65536x768xf32>) -> tensor<65536xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<65536x768xf32>) -> tensor<65536xf32>
    return %r : tensor<65536xf32>
  }
  func.func @few_rows(%x: tensor<7x768xf32>) -> tensor<7xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<7x768xf32>) -> tensor<7xf32>
    return %r : tensor<7xf32>
  }
  func.func @plenty(%x: tensor<4096x4096xf32>) -> tensor<4096xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<4096x4096xf32>) -> tensor<4096xf32>
    return %r : tensor<4096xf32>
  }
  func.func @plenty_of_two(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>) -> tensor<4096xf32> {
    %p = tg.mul %x, %y : tensor<4096x4096xf32>
    %r = tg.reduce add %p dims [1] : (tensor<4096x4096xf32>) -> tensor<4096xf32>
    return %r : tensor<4096xf32>
  }
}

// -----

// Vectors: eight f16; four f32, in runs of as many as divide the contiguous elements.

// CHECK-LABEL: func.func @half
// CHECK: tg.reduce {{.*}} vector = 8,
// CHECK-LABEL: func.func @odd
// CHECK: tg.reduce {{.*}} vector = 4, {{.*}} run = 1>
// CHECK-LABEL: func.func @even
// CHECK: tg.add {{.*}}<flat, rows = 1, columns = 4000,{{.*}} vector = 4, {{.*}} run = 2>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @half(%x: tensor<4096x256xf16>) -> tensor<4096xf16> {
    %r = tg.reduce max %x dims [1] : (tensor<4096x256xf16>) -> tensor<4096xf16>
    return %r : tensor<4096xf16>
  }
  func.func @odd(%x: tensor<4096x255xf32>) -> tensor<4096xf32> {
    %r = tg.reduce max %x dims [1] : (tensor<4096x255xf32>) -> tensor<4096xf32>
    return %r : tensor<4096xf32>
  }
  func.func @even(%x: tensor<40x100xf32>, %y: tensor<40x50x2xf32>) -> tensor<40x50x2xf32> {
    %s = tg.slice %x [0:40, 0:50] : (tensor<40x100xf32>) -> tensor<40x50xf32>
    %b = tg.broadcast %s dims [0, 1] : (tensor<40x50xf32>) -> tensor<40x50x2xf32>
    %a = tg.add %b, %y : tensor<40x50x2xf32>
    return %a : tensor<40x50x2xf32>
  }
}

// -----

// Column reduces: a tile of columns for a cluster of blocks, which share the rows; without clusters one of 32 bytes of each row, which takes
// less time than chunks of rows, whose results wait for a barrier. Blocks that are all columns where there are few rows. Mixed reduces are one
// or the other by their innermost dimension.

// CHECK-LABEL: func.func @columns
// CHECK: tg.reduce {{.*}}<column, rows = 8192, columns = 768, block_rows = 64, row_threads = 4, vector = 4, unroll = 16, split = 1, cluster = 8>
// ALONE-LABEL: func.func @columns
// ALONE: tg.reduce {{.*}}<column, rows = 8192, columns = 768, block_rows = 128, row_threads = 4, vector = 2, unroll = 64, split = 1>
// CHECK-LABEL: func.func @few_rows
// CHECK: tg.reduce {{.*}}<column, rows = 2, columns = 65536, block_rows = 2, row_threads = 128, vector = 4, unroll = 1, split = 1>
// CHECK-LABEL: func.func @middle
// CHECK: tg.reduce {{.*}}<column, rows = 32, columns = 512,
// CHECK-LABEL: func.func @outer_and_inner
// CHECK: tg.reduce {{.*}}<row, rows = 32, columns = 512,
// CHECK-LABEL: func.func @all
// CHECK: tg.reduce {{.*}}<row, rows = 1, columns = 512,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @columns(%x: tensor<8192x768xf32>) -> tensor<768xf32> {
    %r = tg.reduce add %x dims [0] : (tensor<8192x768xf32>) -> tensor<768xf32>
    return %r : tensor<768xf32>
  }
  func.func @few_rows(%x: tensor<2x65536xf32>) -> tensor<65536xf32> {
    %r = tg.reduce add %x dims [0] : (tensor<2x65536xf32>) -> tensor<65536xf32>
    return %r : tensor<65536xf32>
  }
  func.func @middle(%x: tensor<8x32x64xf32>) -> tensor<8x64xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<8x32x64xf32>) -> tensor<8x64xf32>
    return %r : tensor<8x64xf32>
  }
  func.func @outer_and_inner(%x: tensor<8x32x64xf32>) -> tensor<32xf32> {
    %r = tg.reduce add %x dims [0, 2] : (tensor<8x32x64xf32>) -> tensor<32xf32>
    return %r : tensor<32xf32>
  }
  func.func @all(%x: tensor<8x64xf32>) -> tensor<f32> {
    %r = tg.reduce add %x dims [0, 1] : (tensor<8x64xf32>) -> tensor<f32>
    return %r : tensor<f32>
  }
}

// -----

// Proactive adaptation: the groups of the transposed result and of the reduce are not merged, as their elements are not the
// same, but the elementwise one takes over the rows of its producer.

// CHECK-LABEL: func.func @adapt
// CHECK: tg.reduce {{.*}}group = 0 {{.*}}<row, rows = 4096, columns = 64, block_rows = [[BLOCK:[0-9]+]],
// CHECK: tg.add {{.*}}group = 1 {{.*}}<row, rows = 4096, columns = 16, block_rows = [[BLOCK]],
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @adapt(%x: tensor<4096x64xf32>, %y: tensor<4096x16xf32>) -> tensor<4096x16xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<4096x64xf32>) -> tensor<4096xf32>
    %b = tg.broadcast %r dims [0] : (tensor<4096xf32>) -> tensor<4096x16xf32>
    %a = tg.add %b, %y : tensor<4096x16xf32>
    return %a : tensor<4096x16xf32>
  }
}

// -----

// Sums by rows and by columns of one tensor: the rows' task loop keeps the columns' sums, and every block leaves a partial result.
// What the columns' elements are made of, here the rows' sums, is at hand in the same task.

// CHECK-LABEL: func.func @carry
// CHECK: tg.reduce {{.*}}dims [1] {{.*}}<row, rows = 8192, columns = 1024, block_rows = [[ROWS:[0-9]+]], row_threads = [[THREADS:[0-9]+]], vector = 4, unroll = [[UNROLL:[0-9]+]], split = 1>
// CHECK: tg.reduce {{.*}}dims [0] {{.*}}<carried, rows = 8192, columns = 1024, block_rows = [[ROWS]], row_threads = [[THREADS]], vector = 4, unroll = [[UNROLL]], split = 1{{[0-9][0-9]}}>
// NAIVE-LABEL: func.func @carry
// NAIVE: tg.reduce {{.*}}dims [0] {{.*}}<column,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @carry(%x: tensor<8192x1024xf32>) -> tensor<1024xf32> {
    %r = tg.reduce max %x dims [1] : (tensor<8192x1024xf32>) -> tensor<8192xf32>
    %b = tg.broadcast %r dims [0] : (tensor<8192xf32>) -> tensor<8192x1024xf32>
    %d = tg.sub %x, %b : tensor<8192x1024xf32>
    %c = tg.reduce add %d dims [0] : (tensor<8192x1024xf32>) -> tensor<1024xf32>
    return %c : tensor<1024xf32>
  }
}

// -----

// Elements of 16 bits: a thread has twice as many, so that as many bytes are on their way.

// CHECK-LABEL: func.func @carry_halves
// CHECK: tg.reduce {{.*}}dims [0] {{.*}}<carried, rows = 8192, columns = 1024, block_rows = 16, row_threads = 32, vector = 8, unroll = 4, split = 1{{[0-9][0-9]}}>
// CHECK-LABEL: func.func @carry_words
// CHECK: tg.reduce {{.*}}dims [0] {{.*}}<carried, rows = 8192, columns = 1024, block_rows = 8, row_threads = 64, vector = 4, unroll = 4, split = 1{{[0-9][0-9]}}>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @carry_halves(%x: tensor<8192x1024xbf16>) -> tensor<1024xbf16> {
    %r = tg.reduce max %x dims [1] : (tensor<8192x1024xbf16>) -> tensor<8192xbf16>
    %b = tg.broadcast %r dims [0] : (tensor<8192xbf16>) -> tensor<8192x1024xbf16>
    %d = tg.sub %x, %b : tensor<8192x1024xbf16>
    %c = tg.reduce add %d dims [0] : (tensor<8192x1024xbf16>) -> tensor<1024xbf16>
    return %c : tensor<1024xbf16>
  }
  func.func @carry_words(%x: tensor<8192x1024xf32>) -> tensor<1024xf32> {
    %r = tg.reduce max %x dims [1] : (tensor<8192x1024xf32>) -> tensor<8192xf32>
    %b = tg.broadcast %r dims [0] : (tensor<8192xf32>) -> tensor<8192x1024xf32>
    %d = tg.sub %x, %b : tensor<8192x1024xf32>
    %c = tg.reduce add %d dims [0] : (tensor<8192x1024xf32>) -> tensor<1024xf32>
    return %c : tensor<1024xf32>
  }
}

// -----

// Few rows: the partial results would be as large as what is read a second time.

// CHECK-LABEL: func.func @few_rows
// CHECK: tg.reduce {{.*}}dims [0] {{.*}}<column,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @few_rows(%x: tensor<200x1024xf32>) -> (tensor<200xf32>, tensor<1024xf32>) {
    %r = tg.reduce add %x dims [1] : (tensor<200x1024xf32>) -> tensor<200xf32>
    %c = tg.reduce add %x dims [0] : (tensor<200x1024xf32>) -> tensor<1024xf32>
    return %r, %c : tensor<200xf32>, tensor<1024xf32>
  }
}

// -----

// A row of which a thread would have to hold more than its registers take, with an accumulator for each element, is not carried.

// CHECK-LABEL: func.func @long_rows
// CHECK: tg.reduce {{.*}}dims [0] {{.*}}<column,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @long_rows(%x: tensor<8192x65536xf32>) -> (tensor<8192xf32>, tensor<65536xf32>) {
    %r = tg.reduce add %x dims [1] : (tensor<8192x65536xf32>) -> tensor<8192xf32>
    %c = tg.reduce add %x dims [0] : (tensor<8192x65536xf32>) -> tensor<65536xf32>
    return %r, %c : tensor<8192xf32>, tensor<65536xf32>
  }
}

// -----

// Two matrices times vectors, one behind the other: as many rows, of which those of the second are eight times as long. A
// barrier lies between them, so that each has the threads that it needs: a warp for 512 elements, a block for 4096.

// CHECK-LABEL: func.func @two_layers
// CHECK: tg.reduce add {{.*}} dims [1] {{.*}}<row, rows = 2048, columns = 512, block_rows = 8, row_threads = 32,
// CHECK: tg.reduce add {{.*}} dims [1] {{.*}}<row, rows = 2048, columns = 4096, block_rows = 1, row_threads = 256,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @two_layers(%a: tensor<2048x512xf32>, %x: tensor<512xf32>, %b: tensor<2048x4096xf32>) -> tensor<2048xf32> {
    %xs = tg.broadcast %x dims [1] : (tensor<512xf32>) -> tensor<2048x512xf32>
    %p = tg.mul %a, %xs : tensor<2048x512xf32>
    %y = tg.reduce add %p dims [1] : (tensor<2048x512xf32>) -> tensor<2048xf32>
    %twice = tg.concatenate %y, %y dim 0 : (tensor<2048xf32>, tensor<2048xf32>) -> tensor<4096xf32>
    %ys = tg.broadcast %twice dims [1] : (tensor<4096xf32>) -> tensor<2048x4096xf32>
    %q = tg.mul %b, %ys : tensor<2048x4096xf32>
    %z = tg.reduce add %q dims [1] : (tensor<2048x4096xf32>) -> tensor<2048xf32>
    return %z : tensor<2048xf32>
  }
}

// -----

// Rows of neither of which wait for the other are in one task loop, with the threads of the longer ones.

// CHECK-LABEL: func.func @side_by_side
// CHECK: tg.reduce add {{.*}} dims [1] {{.*}}<row, rows = 2048, columns = 512, block_rows = 1, row_threads = 256,
// CHECK: tg.reduce add {{.*}} dims [1] {{.*}}<row, rows = 2048, columns = 4096, block_rows = 1, row_threads = 256,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @side_by_side(%a: tensor<2048x512xf32>, %b: tensor<2048x4096xf32>, %x: tensor<2048xf32>) -> tensor<2048xf32> {
    %y = tg.reduce add %a dims [1] : (tensor<2048x512xf32>) -> tensor<2048xf32>
    %z = tg.reduce add %b dims [1] : (tensor<2048x4096xf32>) -> tensor<2048xf32>
    %sum = tg.add %y, %z : tensor<2048xf32>
    return %sum : tensor<2048xf32>
  }
}
