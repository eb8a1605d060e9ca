// RUN: stitch-opt %s -stitch-outline -stitch-remote=policy=exhaustive -stitch-dominants -stitch-thread-mapping -stitch-schemes -stitch-schedule -stitch-buffers -stitch-launch -stitch-verify-plan -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping=clusters=false -split-input-file | FileCheck %s --check-prefix=WITHOUT
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -split-input-file --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK

// WITHOUT-NOT: cluster =

// Rows that no block keeps in registers: the smallest blocks with which a cluster of eight does; nothing is read twice and
// nobody waits for the grid. What there is once for a row, all blocks have. 61 clusters are resident at once, four blocks a multiprocessor: in eight
// waves of these, 456 clusters have nine rows each, but for the last ones.

// REMARK: rows of 65536 columns are handled by clusters of 8 blocks of 256 threads: {{[0-9]+}} ns, by one block {{[0-9]+}} ns, split over the grid
// CHECK-LABEL: func.func @softmax
// CHECK: stitch.launch<grid = 3648, block = 256, registers = 64, shared = {{[0-9]+}}, scratch = 0, barriers = 0, cluster = 8>
// CHECK: tg.reduce max {{.*}}<row, rows = 4096, columns = 65536, block_rows = 1, row_threads = 256, vector = 4, unroll = 8, split = 1, cluster = 8>{{.*}}scheme<regional>
// CHECK: tg.reduce add {{.*}}row_threads = 256, vector = 4, unroll = 8, split = 1, cluster = 8>{{.*}}scheme<regional>
// CHECK: tg.div {{.*}}row_threads = 256, vector = 4, unroll = 8, split = 1, cluster = 8>{{.*}}scheme<independent>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @softmax(%x: tensor<4096x65536xf32>) -> tensor<4096x65536xf32> {
    %max = tg.reduce max %x dims [1] : (tensor<4096x65536xf32>) -> tensor<4096xf32>
    %m = tg.broadcast %max dims [0] : (tensor<4096xf32>) -> tensor<4096x65536xf32>
    %d = tg.sub %x, %m : tensor<4096x65536xf32>
    %e = tg.exp %d : tensor<4096x65536xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<4096x65536xf32>) -> tensor<4096xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<4096xf32>) -> tensor<4096x65536xf32>
    %r = tg.div %e, %s : tensor<4096x65536xf32>
    return %r : tensor<4096x65536xf32>
  }
}

// -----

// Rows that a block keeps, and more of them than multiprocessors: clusters would only cost barriers.

// CHECK-LABEL: func.func @fits
// CHECK-NOT: cluster =
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @fits(%x: tensor<4096x32768xf32>) -> tensor<4096x32768xf32> {
    %sum = tg.reduce add %x dims [1] : (tensor<4096x32768xf32>) -> tensor<4096xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<4096xf32>) -> tensor<4096x32768xf32>
    %r = tg.div %x, %s : tensor<4096x32768xf32>
    return %r : tensor<4096x32768xf32>
  }
}

// -----

// One sweep over long rows keeps nothing.

// CHECK-LABEL: func.func @one_sweep
// CHECK-NOT: cluster =
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @one_sweep(%x: tensor<4096x65536xf32>) -> tensor<4096xf32> {
    %sum = tg.reduce add %x dims [1] : (tensor<4096x65536xf32>) -> tensor<4096xf32>
    return %sum : tensor<4096xf32>
  }
}

// -----

// Fewer rows than multiprocessors: a barrier of a cluster costs less than one of the grid.

// REMARK: rows of 120000 columns are handled by clusters of 8 blocks of 512 threads: 3647 ns, by one block 8498 ns, split over the grid 4942 ns
// CHECK-LABEL: func.func @few_rows
// CHECK: stitch.launch<grid = 128, block = 512, registers = 64, {{.*}}barriers = 0, cluster = 8>
// CHECK: tg.reduce {{.*}}<row, rows = 16, columns = 120000, block_rows = 1, row_threads = 512, vector = 4, unroll = 8, split = 1, cluster = 8>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @few_rows(%x: tensor<16x120000xf32>) -> tensor<16xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<16x120000xf32>) -> tensor<16xf32>
    return %r : tensor<16xf32>
  }
}

// -----

// 64 blocks, each with 120 KB of a row under way, take as much as memory gives: nobody has to wait for other blocks.

// CHECK-LABEL: func.func @blocks
// CHECK: stitch.launch<grid = 64, block = 1024, {{.*}}barriers = 0>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @blocks(%x: tensor<64x30000xf32>) -> tensor<64xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<64x30000xf32>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}

// -----

// Rows that one block would read three times, and compute their exponentials twice: clusters, though many rows wait for their turn,
// and with it for the barriers of those before.

// CHECK-LABEL: func.func @many_long
// CHECK: stitch.launch<grid = {{[0-9]+}}, block = 512, registers = 128, {{.*}}cluster = 8>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @many_long(%x: tensor<512x151936xbf16>) -> tensor<512x151936xbf16> {
    %f = tg.convert %x : (tensor<512x151936xbf16>) -> tensor<512x151936xf32>
    %max = tg.reduce max %f dims [1] : (tensor<512x151936xf32>) -> tensor<512xf32>
    %m = tg.broadcast %max dims [0] : (tensor<512xf32>) -> tensor<512x151936xf32>
    %d = tg.sub %f, %m : tensor<512x151936xf32>
    %e = tg.exp %d : tensor<512x151936xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<512x151936xf32>) -> tensor<512xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<512xf32>) -> tensor<512x151936xf32>
    %r = tg.div %e, %s : tensor<512x151936xf32>
    %c = tg.convert %r : (tensor<512x151936xf32>) -> tensor<512x151936xbf16>
    return %c : tensor<512x151936xbf16>
  }
}

// -----

// One row: a cluster reaches eight multiprocessors, the grid all of them.

// CHECK-LABEL: func.func @one_row
// CHECK-NOT: cluster =
// CHECK: tg.reduce {{.*}}split = {{[1-9][0-9]+}}>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @one_row(%x: tensor<1x4000000xf32>) -> tensor<1xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<1x4000000xf32>) -> tensor<1xf32>
    return %r : tensor<1xf32>
  }
}

// -----

// No clusters on this device.

// CHECK-LABEL: func.func @older
// CHECK-NOT: cluster =
module attributes {stitch.device = #stitch.device<a100>} {
  func.func @older(%x: tensor<64x30000xf32>) -> tensor<64xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<64x30000xf32>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}

// -----

// A reader that turns the row round would need what other blocks have: no clusters.

// CHECK-LABEL: func.func @mixes
// CHECK-NOT: cluster =
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @mixes(%x: tensor<4096x65536xf32>) -> (tensor<4096x65536xf32>, tensor<4096x65536xf32>) {
    %sum = tg.reduce add %x dims [1] : (tensor<4096x65536xf32>) -> tensor<4096xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<4096xf32>) -> tensor<4096x65536xf32>
    %d = tg.div %x, %s : tensor<4096x65536xf32>
    %v = tg.reverse %d dims [1] : tensor<4096x65536xf32>
    %e = tg.exp %v : tensor<4096x65536xf32>
    return %d, %e : tensor<4096x65536xf32>, tensor<4096x65536xf32>
  }
}

// -----

// Rows that would fill the registers of 1024 threads to the last one: half as many threads have as much of them, and less besides.

// CHECK-LABEL: func.func @half
// CHECK: stitch.launch<grid = 640, block = 512, registers = 128, {{.*}}cluster = 8>
// CHECK: tg.reduce max {{.*}}<row, rows = 160, columns = 262144, block_rows = 1, row_threads = 512, vector = 4, unroll = 16, split = 1, cluster = 8>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @half(%x: tensor<160x262144xf32>) -> tensor<160x262144xf32> {
    %max = tg.reduce max %x dims [1] : (tensor<160x262144xf32>) -> tensor<160xf32>
    %m = tg.broadcast %max dims [0] : (tensor<160xf32>) -> tensor<160x262144xf32>
    %d = tg.sub %x, %m : tensor<160x262144xf32>
    %e = tg.exp %d : tensor<160x262144xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<160x262144xf32>) -> tensor<160xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<160xf32>) -> tensor<160x262144xf32>
    %r = tg.div %e, %s : tensor<160x262144xf32>
    return %r : tensor<160x262144xf32>
  }
}

// -----

// Sums by columns of what the rows read are carried in registers: no block has enough of them, a cluster has. The grid is
// what is resident: of eight graphics processing clusters seven have 16 multiprocessors, for four clusters, and one has 10, for two. A cluster leaves
// one partial result.

// CHECK-LABEL: func.func @column
// CHECK: stitch.launch<grid = 120, block = 512, {{.*}}barriers = 1, cluster = 4>
// CHECK: tg.reduce add {{.*}}dims [1]{{.*}}<row, rows = 4096, columns = 65536, block_rows = 1, row_threads = 512, vector = 4, unroll = 8, split = 1, cluster = 4>
// CHECK: tg.reduce add {{.*}}dims [0]{{.*}}<carried, rows = 4096, columns = 65536, block_rows = 1, row_threads = 512, vector = 4, unroll = 8, split = 30, cluster = 4>
module attributes {stitch.device = #stitch.device<h200, shared_per_block = 49152, shared_per_sm = 98304>} {
  func.func @column(%x: tensor<4096x65536xf32>) -> (tensor<4096x65536xf32>, tensor<65536xf32>) {
    %sum = tg.reduce add %x dims [1] : (tensor<4096x65536xf32>) -> tensor<4096xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<4096xf32>) -> tensor<4096x65536xf32>
    %d = tg.div %x, %s : tensor<4096x65536xf32>
    %c = tg.reduce add %d dims [0] : (tensor<4096x65536xf32>) -> tensor<65536xf32>
    return %d, %c : tensor<4096x65536xf32>, tensor<65536xf32>
  }
}

// -----

// Of 512 rows the column sums of 64 blocks would be a quarter of what is read: the blocks of a cluster have rows of their own, and
// combine theirs. The rows' loop is one of blocks as ever.

// CHECK-LABEL: func.func @sums
// CHECK: stitch.launch<grid = 120, block = 512, {{.*}}barriers = 1, cluster = 4>
// CHECK: <row, rows = 2048, columns = 4096, block_rows = 2, row_threads = 256, vector = 8, unroll = 2, split = 1>
// CHECK: <carried, rows = 2048, columns = 4096, block_rows = 2, row_threads = 256, vector = 8, unroll = 2, split = 30, cluster = 4>
// Of more rows they are less than a twentieth.
// CHECK-LABEL: func.func @little_sums
// CHECK: <carried, rows = 20480, columns = 4096, {{.*}}, split = 132>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @sums(%x: tensor<2048x4096xbf16>, %y: tensor<2048x4096xbf16>) -> (tensor<2048xbf16>, tensor<4096xbf16>, tensor<4096xbf16>) {
    %p = tg.mul %x, %y : tensor<2048x4096xbf16>
    %r = tg.reduce add %p dims [1] : (tensor<2048x4096xbf16>) -> tensor<2048xbf16>
    %c = tg.reduce add %x dims [0] : (tensor<2048x4096xbf16>) -> tensor<4096xbf16>
    %d = tg.reduce add %p dims [0] : (tensor<2048x4096xbf16>) -> tensor<4096xbf16>
    return %r, %c, %d : tensor<2048xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
  }
  func.func @little_sums(%x: tensor<20480x4096xbf16>, %y: tensor<20480x4096xbf16>) -> (tensor<20480xbf16>, tensor<4096xbf16>, tensor<4096xbf16>) {
    %p = tg.mul %x, %y : tensor<20480x4096xbf16>
    %r = tg.reduce add %p dims [1] : (tensor<20480x4096xbf16>) -> tensor<20480xbf16>
    %c = tg.reduce add %x dims [0] : (tensor<20480x4096xbf16>) -> tensor<4096xbf16>
    %d = tg.reduce add %p dims [0] : (tensor<20480x4096xbf16>) -> tensor<4096xbf16>
    return %r, %c, %d : tensor<20480xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
  }
}

// -----

// A row of 100000 columns and their accumulators fit into the registers of a cluster if a thread has as many as these hold,
// here 52: no power of two.

// CHECK-LABEL: func.func @full
// CHECK: stitch.launch<grid = 120, block = 256, {{.*}}barriers = 1, cluster = 8>
// CHECK: <carried, rows = 4096, columns = 100000, block_rows = 1, row_threads = 256, vector = 4, unroll = 13, split = 15, cluster = 8>
module attributes {stitch.device = #stitch.device<h200, shared_per_block = 49152, shared_per_sm = 98304>} {
  func.func @full(%x: tensor<4096x100000xf32>, %y: tensor<4096x100000xf32>) -> (tensor<4096xf32>, tensor<100000xf32>) {
    %p = tg.mul %x, %y : tensor<4096x100000xf32>
    %r = tg.reduce add %p dims [1] : (tensor<4096x100000xf32>) -> tensor<4096xf32>
    %c = tg.reduce add %x dims [0] : (tensor<4096x100000xf32>) -> tensor<100000xf32>
    return %r, %c : tensor<4096xf32>, tensor<100000xf32>
  }
}

// -----

// Next to sums that the blocks of a grid carry, one for each multiprocessor, other rows have no clusters.

// CHECK-LABEL: func.func @beside
// CHECK: stitch.launch<grid = 132, {{.*}}barriers = 1>
// CHECK: <carried, rows = 20480, columns = 16384, {{.*}}split = 132>
// CHECK: <row, rows = 1, columns = 16384, {{.*}}split = 1>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @beside(%x: tensor<20480x16384xf32>, %y: tensor<20480x16384xf32>, %z: tensor<16384xf32>, %w: tensor<16384xf32>) -> (tensor<20480xf32>, tensor<16384xf32>, tensor<f32>, tensor<f32>, tensor<16384xf32>) {
    %0 = tg.reduce add %x dims [1] : (tensor<20480x16384xf32>) -> tensor<20480xf32>
    %1 = tg.reduce add %x dims [0] : (tensor<20480x16384xf32>) -> tensor<16384xf32>
    %2 = tg.reduce add %y dims [0] : (tensor<20480x16384xf32>) -> tensor<16384xf32>
    %m = tg.mul %2, %z : tensor<16384xf32>
    %p = tg.mul %m, %w : tensor<16384xf32>
    %4 = tg.reduce max %m dims [0] : (tensor<16384xf32>) -> tensor<f32>
    %5 = tg.reduce add %p dims [0] : (tensor<16384xf32>) -> tensor<f32>
    return %0, %1, %4, %5, %p : tensor<20480xf32>, tensor<16384xf32>, tensor<f32>, tensor<f32>, tensor<16384xf32>
  }
}

// -----

// A row fills the registers of one block, but for sums by columns: a cluster of blocks that are smaller has room for these, since no other group needs
// the larger ones.

// CHECK-LABEL: func.func @smaller
// CHECK: stitch.launch<grid = 114, block = 256, {{.*}}cluster = 2>
// CHECK: tg.reduce add {{.*}}dims [0]{{.*}}<carried, rows = 512, columns = 21128, block_rows = 1, row_threads = 256, vector = 4, unroll = 11, split = 57, cluster = 2>
module attributes {stitch.device = #stitch.device<h200, shared_per_block = 49152, shared_per_sm = 98304>} {
  func.func @smaller(%x: tensor<512x21128xf32>, %y: tensor<512x21128xf32>) -> (tensor<512x21128xf32>, tensor<21128xf32>) {
    %p = tg.mul %x, %y : tensor<512x21128xf32>
    %sum = tg.reduce add %p dims [1] : (tensor<512x21128xf32>) -> tensor<512xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<512xf32>) -> tensor<512x21128xf32>
    %q = tg.mul %y, %s : tensor<512x21128xf32>
    %d = tg.sub %x, %q : tensor<512x21128xf32>
    %c = tg.reduce add %p dims [0] : (tensor<512x21128xf32>) -> tensor<21128xf32>
    return %d, %c : tensor<512x21128xf32>, tensor<21128xf32>
  }
}

// -----

// 72 elements for each thread of the largest cluster leave few registers: no more than one row for each, so that nothing is kept from
// one to the next, and not beside many vectors that all rows read.

// CHECK-LABEL: func.func @vocabulary
// CHECK: stitch.launch<grid = 4096, block = 512, registers = 128, {{.*}}cluster = 8>
// CHECK: tg.mul {{.*}}<row, rows = 512, columns = 262208, block_rows = 1, row_threads = 512, vector = 8, unroll = 9, split = 1, cluster = 8>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @vocabulary(%x: tensor<512x262208xbf16>) -> tensor<512x262208xbf16> {
    %max = tg.reduce max %x dims [1] : (tensor<512x262208xbf16>) -> tensor<512xbf16>
    %m = tg.broadcast %max dims [0] : (tensor<512xbf16>) -> tensor<512x262208xbf16>
    %r = tg.mul %x, %m : tensor<512x262208xbf16>
    return %r : tensor<512x262208xbf16>
  }
}

// -----

// CHECK-LABEL: func.func @vectors
// CHECK-NOT: row_threads = 512
// CHECK: return
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @vectors(%x: tensor<512x262208xbf16>, %a: tensor<262208xbf16>, %b: tensor<262208xbf16>, %c: tensor<262208xbf16>) -> tensor<512x262208xbf16> {
    %max = tg.reduce max %x dims [1] : (tensor<512x262208xbf16>) -> tensor<512xbf16>
    %m = tg.broadcast %max dims [0] : (tensor<512xbf16>) -> tensor<512x262208xbf16>
    %r = tg.mul %x, %m : tensor<512x262208xbf16>
    %0 = tg.broadcast %a dims [1] : (tensor<262208xbf16>) -> tensor<512x262208xbf16>
    %1 = tg.broadcast %b dims [1] : (tensor<262208xbf16>) -> tensor<512x262208xbf16>
    %2 = tg.broadcast %c dims [1] : (tensor<262208xbf16>) -> tensor<512x262208xbf16>
    %3 = tg.mul %r, %0 : tensor<512x262208xbf16>
    %4 = tg.add %3, %1 : tensor<512x262208xbf16>
    %5 = tg.mul %4, %2 : tensor<512x262208xbf16>
    return %5 : tensor<512x262208xbf16>
  }
}

// -----

// Blocks of 256 threads that read scales beside 32 elements each need 96 registers and more, and a multiprocessor has two of them; larger blocks of 64
// registers keep as much of a row. Without scales four small blocks hide more of each other.

// CHECK-LABEL: func.func @scales
// CHECK: stitch.launch<grid = 1024, block = 512, registers = 64, {{.*}}cluster = 4>
// CHECK-LABEL: func.func @no_scales
// CHECK: stitch.launch<grid = 2048, block = 256, registers = 64, {{.*}}cluster = 8>
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @scales(%x: tensor<512x50256xbf16>, %g: tensor<50256xbf16>) -> tensor<512x50256xbf16> {
    %max = tg.reduce max %x dims [1] : (tensor<512x50256xbf16>) -> tensor<512xbf16>
    %m = tg.broadcast %max dims [0] : (tensor<512xbf16>) -> tensor<512x50256xbf16>
    %r = tg.mul %x, %m : tensor<512x50256xbf16>
    %s = tg.broadcast %g dims [1] : (tensor<50256xbf16>) -> tensor<512x50256xbf16>
    %y = tg.mul %r, %s : tensor<512x50256xbf16>
    return %y : tensor<512x50256xbf16>
  }
  func.func @no_scales(%x: tensor<512x50256xbf16>) -> tensor<512x50256xbf16> {
    %max = tg.reduce max %x dims [1] : (tensor<512x50256xbf16>) -> tensor<512xbf16>
    %m = tg.broadcast %max dims [0] : (tensor<512xbf16>) -> tensor<512x50256xbf16>
    %r = tg.mul %x, %m : tensor<512x50256xbf16>
    return %r : tensor<512x50256xbf16>
  }
}
