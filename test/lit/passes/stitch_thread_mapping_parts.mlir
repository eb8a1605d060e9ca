// RUN: stitch-opt %s -stitch-pipeline=plan=astitch | FileCheck %s
// RUN: stitch-opt %s -stitch-pipeline=plan=astitch -convert-stitch-to-gpu | FileCheck %s --check-prefix=KERNEL

// 64 rows of 50257 elements are split over the grid, into as many parts as are all resident: a fifth would make 320 tasks, of which 264 are at
// once. The threads keep their elements across the grid barrier, and read the row once; the sum of each row's scales goes to a block of its own,
// which is resident beside them. A thread combines the four partial results of a row.

// CHECK-LABEL: func.func @main
// CHECK: stitch.launch<grid = 257, block = 256, registers = 128, {{.*}}barriers = 1>
// CHECK: tg.reduce add {{.*}}<row, rows = 64, columns = 50257, block_rows = 1, row_threads = 256, vector = 4, unroll = 13, split = 4, run = 1>
// CHECK: tg.log {{.*}}<row, rows = 64, columns = 1, block_rows = 256, row_threads = 1, vector = 1, unroll = 1, split = 1>
// CHECK: tg.div {{.*}}<row, rows = 64, columns = 50257, block_rows = 1, row_threads = 256, vector = 4, unroll = 13, split = 4, run = 1>

// KERNEL: stitch.traffic = array<i64: 12867840, 12867072>
// KERNEL: stitch.grid_barrier
// KERNEL-NOT: vector.load
// KERNEL: gpu.return

// Many partial results of a row are combined by a warp.

// CHECK-LABEL: func.func @warps
// CHECK: tg.reduce add {{.*}}<row, rows = 4, columns = 1000000, block_rows = 1, row_threads = 256, vector = 4, unroll = 16, split = 62>
// CHECK: tg.log {{.*}}<row, rows = 4, columns = 1, block_rows = 8, row_threads = 32, vector = 1, unroll = 1, split = 1>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @main(%x: tensor<64x50257xf32>) -> (tensor<64xf32>, tensor<64x50257xf32>) {
    %sum = tg.reduce add %x dims [1] : (tensor<64x50257xf32>) -> tensor<64xf32>
    %l = tg.log %sum : tensor<64xf32>
    %b = tg.broadcast %sum dims [0] : (tensor<64xf32>) -> tensor<64x50257xf32>
    %y = tg.div %x, %b : tensor<64x50257xf32>
    return %l, %y : tensor<64xf32>, tensor<64x50257xf32>
  }

  func.func @warps(%x: tensor<4x1000000xf32>) -> (tensor<4xf32>, tensor<4x1000000xf32>) {
    %sum = tg.reduce add %x dims [1] : (tensor<4x1000000xf32>) -> tensor<4xf32>
    %l = tg.log %sum : tensor<4xf32>
    %b = tg.broadcast %sum dims [0] : (tensor<4xf32>) -> tensor<4x1000000xf32>
    %y = tg.div %x, %b : tensor<4x1000000xf32>
    return %l, %y : tensor<4xf32>, tensor<4x1000000xf32>
  }
}
