// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping="block-size=1024 vectorize=false" -stitch-schemes -stitch-schedule -stitch-buffers -stitch-launch=waves=1 -stitch-verify-plan | FileCheck %s
// RUN: stitch-opt %s -stitch-pipeline | FileCheck %s --check-prefix=WAVES
// RUN: not stitch-opt %s -stitch-launch=waves=0 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: pass 'stitch-launch': option 'waves' must be from 1 to 65536, and is 0

// AStitch figure 8: 32 rows of 32 elements form a block of 1024 threads, and 23438 such tasks go to the blocks that 80 multiprocessors
// run at once, 293 to each. Without a barrier, and with 16-byte accesses, more waves of smaller blocks are as good.

// CHECK: #stitch.launch<grid = 80, block = 1024, {{.*}}barriers = 0>
// CHECK: tg.reduce {{.*}}<row, rows = 750000, columns = 32, block_rows = 32, row_threads = 32, vector = 1,
// WAVES: #stitch.launch<grid = 3907, block = 256, {{.*}}barriers = 0>
module attributes {stitch.device = #stitch.device<v100>} {
  func.func @main(%x: tensor<750000x32xf32>) -> tensor<750000xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<750000x32xf32>) -> tensor<750000xf32>
    return %r : tensor<750000xf32>
  }
}
