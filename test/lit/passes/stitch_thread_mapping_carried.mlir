// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -split-input-file --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK

// Column sums along loops over rows: where this is faster, and what the loop is. Many short rows: the accumulators are in registers.

// CHECK-LABEL: func.func @registers
// CHECK: tg.reduce add {{.*}}dims [0]{{.*}}<carried, rows = 8192, columns = 1024, {{.*}}, split = {{[0-9]+}}>
// REMARK: the rows of group 0 can accumulate sums of their columns:
// REMARK: group 1 accumulates along the rows of group 0: 128 blocks of 512 threads, in clusters of 1, keep its columns in registers
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @registers(%x: tensor<8192x1024xf32>, %y: tensor<8192x1024xf32>) -> (tensor<8192x1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
    %p = tg.mul %x, %y : tensor<8192x1024xf32>
    %sum = tg.reduce add %p dims [1] : (tensor<8192x1024xf32>) -> tensor<8192xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<8192xf32>) -> tensor<8192x1024xf32>
    %q = tg.mul %y, %s : tensor<8192x1024xf32>
    %d = tg.sub %x, %q : tensor<8192x1024xf32>
    %c = tg.reduce add %p dims [0] : (tensor<8192x1024xf32>) -> tensor<1024xf32>
    %m = tg.reduce max %x dims [0] : (tensor<8192x1024xf32>) -> tensor<1024xf32>
    return %d, %c, %m : tensor<8192x1024xf32>, tensor<1024xf32>, tensor<1024xf32>
  }
}

// -----

// Long rows: a block has registers for one, but for no accumulators. These are in its shared memory; a cluster of blocks would have registers
// for both, and would wait for each other in every row.

// CHECK-LABEL: func.func @shared
// CHECK: tg.reduce add {{.*}}dims [0]{{.*}}<carried, rows = 8192, columns = 20480, block_rows = 1, row_threads = 512, vector = 4, unroll = 10, split = 131, sums_in_shared>
// REMARK: the rows of group 0 can accumulate sums of their columns:
// REMARK: group 1 accumulates along the rows of group 0: 131 blocks of 512 threads, in clusters of 1, keep its columns in shared memory
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @shared(%x: tensor<8192x20480xf32>, %y: tensor<8192x20480xf32>) -> (tensor<8192x20480xf32>, tensor<20480xf32>, tensor<20480xf32>) {
    %p = tg.mul %x, %y : tensor<8192x20480xf32>
    %sum = tg.reduce add %p dims [1] : (tensor<8192x20480xf32>) -> tensor<8192xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<8192xf32>) -> tensor<8192x20480xf32>
    %q = tg.mul %y, %s : tensor<8192x20480xf32>
    %d = tg.sub %x, %q : tensor<8192x20480xf32>
    %c = tg.reduce add %p dims [0] : (tensor<8192x20480xf32>) -> tensor<20480xf32>
    %m = tg.reduce max %x dims [0] : (tensor<8192x20480xf32>) -> tensor<20480xf32>
    return %d, %c, %m : tensor<8192x20480xf32>, tensor<20480xf32>, tensor<20480xf32>
  }
}

// -----

// Longer ones fit into the registers of a cluster's blocks alone, and their sums into its shared memory.

// CHECK-LABEL: func.func @cluster
// CHECK: tg.reduce add {{.*}}dims [0]{{.*}}<carried, rows = 512, columns = 151936, block_rows = 1, row_threads = 512, vector = 4, unroll = 10, split = 15, cluster = 8, sums_in_shared>
// REMARK: group 1 accumulates along the rows of group 0: 120 blocks of 512 threads, in clusters of 8, keep its columns in shared memory
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @cluster(%x: tensor<512x151936xf32>, %y: tensor<512x151936xf32>) -> (tensor<512x151936xf32>, tensor<151936xf32>, tensor<151936xf32>) {
    %p = tg.mul %x, %y : tensor<512x151936xf32>
    %sum = tg.reduce add %p dims [1] : (tensor<512x151936xf32>) -> tensor<512xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<512xf32>) -> tensor<512x151936xf32>
    %q = tg.mul %y, %s : tensor<512x151936xf32>
    %d = tg.sub %x, %q : tensor<512x151936xf32>
    %c = tg.reduce add %p dims [0] : (tensor<512x151936xf32>) -> tensor<151936xf32>
    %m = tg.reduce max %x dims [0] : (tensor<512x151936xf32>) -> tensor<151936xf32>
    return %d, %c, %m : tensor<512x151936xf32>, tensor<151936xf32>, tensor<151936xf32>
  }
}

// -----

// Without clusters nothing carries these.

// CHECK-LABEL: func.func @nowhere
// CHECK-NOT: <carried
module attributes {stitch.device = #stitch.device<a100>} {
  func.func @nowhere(%x: tensor<512x151936xf32>, %y: tensor<512x151936xf32>) -> (tensor<512x151936xf32>, tensor<151936xf32>, tensor<151936xf32>) {
    %p = tg.mul %x, %y : tensor<512x151936xf32>
    %sum = tg.reduce add %p dims [1] : (tensor<512x151936xf32>) -> tensor<512xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<512xf32>) -> tensor<512x151936xf32>
    %q = tg.mul %y, %s : tensor<512x151936xf32>
    %d = tg.sub %x, %q : tensor<512x151936xf32>
    %c = tg.reduce add %p dims [0] : (tensor<512x151936xf32>) -> tensor<151936xf32>
    %m = tg.reduce max %x dims [0] : (tensor<512x151936xf32>) -> tensor<151936xf32>
    return %d, %c, %m : tensor<512x151936xf32>, tensor<151936xf32>, tensor<151936xf32>
  }
}

// -----

// Few rows, which are still in the second-level cache when the columns are summed up by themselves: this is faster than partial sums, a grid
// barrier and their sum.

// CHECK-LABEL: func.func @few
// CHECK-NOT: <carried
// REMARK: the rows of group 0 can accumulate sums of their columns: {{[0-9]+}} ns; {{[0-9]+}} ns if these are computed apart
// REMARK-NOT: is carried by
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @few(%x: tensor<64x8192xf32>, %y: tensor<64x8192xf32>) -> (tensor<64x8192xf32>, tensor<8192xf32>, tensor<8192xf32>) {
    %p = tg.mul %x, %y : tensor<64x8192xf32>
    %sum = tg.reduce add %p dims [1] : (tensor<64x8192xf32>) -> tensor<64xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<64xf32>) -> tensor<64x8192xf32>
    %q = tg.mul %y, %s : tensor<64x8192xf32>
    %d = tg.sub %x, %q : tensor<64x8192xf32>
    %c = tg.reduce add %p dims [0] : (tensor<64x8192xf32>) -> tensor<8192xf32>
    %m = tg.reduce max %x dims [0] : (tensor<64x8192xf32>) -> tensor<8192xf32>
    return %d, %c, %m : tensor<64x8192xf32>, tensor<8192xf32>, tensor<8192xf32>
  }
}
