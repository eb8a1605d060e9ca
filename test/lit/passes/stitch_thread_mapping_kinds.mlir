// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -split-input-file | FileCheck %s

// One decision for each kind of root, on an H200 of 132 multiprocessors.

// Elementwise: 16-byte vectors of f32, as many a thread as leave two blocks for each multiprocessor.

// CHECK-LABEL: func.func @elementwise
// CHECK: tg.exp {{.*}}<flat, rows = 1, columns = 16777216, block_rows = 1, row_threads = 256, vector = 4, unroll = 4, split = 4096>
// CHECK-LABEL: func.func @small_elementwise
// CHECK: tg.exp {{.*}}<flat, rows = 1, columns = 40000, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 313>
// CHECK-LABEL: func.func @tiny_elementwise
// CHECK: tg.exp {{.*}}<flat, rows = 1, columns = 100, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @elementwise(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %0 = tg.exp %x : tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
  func.func @small_elementwise(%x: tensor<200x200xf32>) -> tensor<200x200xf32> {
    %0 = tg.exp %x : tensor<200x200xf32>
    return %0 : tensor<200x200xf32>
  }
  func.func @tiny_elementwise(%x: tensor<100xf32>) -> tensor<100xf32> {
    %0 = tg.exp %x : tensor<100xf32>
    return %0 : tensor<100xf32>
  }
}

// -----

// Mixed types: the narrowest element decides the width of a vector, up to eight of them.

// CHECK-LABEL: func.func @mixed
// CHECK: tg.convert {{.*}}<flat, {{.*}} vector = 8,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @mixed(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xi8> {
    %0 = tg.convert %x : (tensor<4096x4096xf32>) -> tensor<4096x4096xi8>
    return %0 : tensor<4096x4096xi8>
  }
}

// -----

// Transpose: flat over the result, vectors of its contiguous elements.

// CHECK-LABEL: func.func @transpose
// CHECK: tg.transpose {{.*}}<flat, rows = 1, columns = 8388608, block_rows = 1, row_threads = 256, vector = 4,
// CHECK-LABEL: func.func @odd_transpose
// CHECK: tg.transpose {{.*}}<flat, rows = 1, columns = 8384512, block_rows = 1, row_threads = 256, vector = 4, unroll = 4, split = 2047, run = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @transpose(%x: tensor<2048x4096xf32>) -> tensor<4096x2048xf32> {
    %0 = tg.transpose %x permutation [1, 0] : (tensor<2048x4096xf32>) -> tensor<4096x2048xf32>
    return %0 : tensor<4096x2048xf32>
  }
  func.func @odd_transpose(%x: tensor<2047x4096xf32>) -> tensor<4096x2047xf32> {
    %0 = tg.transpose %x permutation [1, 0] : (tensor<2047x4096xf32>) -> tensor<4096x2047xf32>
    return %0 : tensor<4096x2047xf32>
  }
}

// -----

// Gather of rows: vectors within a row, none across: 50 elements take vectors of two.

// CHECK-LABEL: func.func @gather
// CHECK: tg.gather {{.*}}<flat, rows = 1, columns = 786432, block_rows = 1, row_threads = 256, vector = 4,
// CHECK-LABEL: func.func @short_gather
// CHECK: tg.gather {{.*}}<flat, rows = 1, columns = 51200, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 400, run = 2>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @gather(%t: tensor<30522x768xf32>, %i: tensor<1024x1xi32>) -> tensor<1024x768xf32> {
    %0 = tg.gather %t, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 768] : (tensor<30522x768xf32>, tensor<1024x1xi32>) -> tensor<1024x768xf32>
    return %0 : tensor<1024x768xf32>
  }
  func.func @short_gather(%t: tensor<30522x50xf32>, %i: tensor<1024x1xi32>) -> tensor<1024x50xf32> {
    %0 = tg.gather %t, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 50] : (tensor<30522x50xf32>, tensor<1024x1xi32>) -> tensor<1024x50xf32>
    return %0 : tensor<1024x50xf32>
  }
}

// -----

// Concatenate and pad: flat over the result.

// CHECK-LABEL: func.func @concatenate
// CHECK: tg.concatenate {{.*}}<flat, rows = 1, columns = 1048576, block_rows = 1, row_threads = 256, vector = 4,
// CHECK-LABEL: func.func @pad
// CHECK: tg.pad {{.*}}<flat, rows = 1, columns = 1050624, block_rows = 1, row_threads = 256, vector = 4, unroll = 2, split = 513, run = 2>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @concatenate(%x: tensor<1024x512xf32>, %y: tensor<1024x512xf32>) -> tensor<1024x1024xf32> {
    %0 = tg.concatenate %x, %y dim 1 : (tensor<1024x512xf32>, tensor<1024x512xf32>) -> tensor<1024x1024xf32>
    return %0 : tensor<1024x1024xf32>
  }
  func.func @pad(%x: tensor<1024x1024xf32>, %z: tensor<f32>) -> tensor<1024x1026xf32> {
    %0 = tg.pad %x, %z low [0, 1] high [0, 1] interior [0, 0] : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024x1026xf32>
    return %0 : tensor<1024x1026xf32>
  }
}

// -----

// Full reduces: a large one is split over the device, a small one is a block's.

// CHECK-LABEL: func.func @full
// CHECK: tg.reduce {{.*}}<row, rows = 1, columns = 16777216, block_rows = 1, row_threads = 256, vector = 4, unroll = 63, split = 261>
// CHECK-LABEL: func.func @small_full
// CHECK: tg.reduce {{.*}}<row, rows = 1, columns = 4096, block_rows = 1, row_threads = 256, vector = 4, unroll = 4, split = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @full(%x: tensor<4096x4096xf32>) -> tensor<f32> {
    %0 = tg.reduce add %x dims [0, 1] : (tensor<4096x4096xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @small_full(%x: tensor<64x64xf32>) -> tensor<f32> {
    %0 = tg.reduce add %x dims [0, 1] : (tensor<64x64xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// A column reduce whose partial results in vectors would take more than half of a small device's shared memory has narrower
// vectors: blocks of 1024 threads, for the long rows of the other reduce.

// CHECK-LABEL: func.func @reduction_area
// CHECK: tg.reduce {{.*}}dims [0] {{.*}}<column, rows = 64, columns = 65536, {{.*}} vector = 4,
module attributes {stitch.device = #stitch.device<t4>} {
  func.func @reduction_area(%x: tensor<64x65536xf16>) -> (tensor<64xf16>, tensor<65536xf16>) {
    %a = tg.abs %x : tensor<64x65536xf16>
    %0 = tg.reduce max %a dims [1] : (tensor<64x65536xf16>) -> tensor<64xf16>
    %1 = tg.reduce add %a dims [0] : (tensor<64x65536xf16>) -> tensor<65536xf16>
    return %0, %1 : tensor<64xf16>, tensor<65536xf16>
  }
}
