// RUN: stitch-opt %s --stitch-pipeline=plan=astitch --stitch-verify-plan -split-input-file | FileCheck %s
// RUN: stitch-opt %s --stitch-pipeline=plan=astitch --stitch-remarks -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Readers of column reduces that go by the columns of the reduce, in its tasks: no grid barrier lies between.

// The gradient of a bias, and the update with it: the kept elements. So few rows are not split, though that leaves most of the
// device idle: a barrier would take longer.

// CHECK-LABEL: func.func @update
// CHECK: barriers = 0>
// CHECK: tg.reduce {{.*}}<column, rows = 256, columns = 72, block_rows = 64, row_threads = 4, vector = 1, unroll = 4, split = 1>{{.*}}scheme<regional>
// CHECK: tg.sub {{.*}}<kept, rows = 256, columns = 72, block_rows = 64, row_threads = 4, vector = 1, unroll = 4, split = 1>{{.*}}scheme<independent>
// REMARK: remark: group {{[0-9]+}} goes by the columns of the group that it reads: no barrier between
// REMARK: remark: regional: its readers stay within the block
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @update(%g: tensor<256x72xf32>, %bias: tensor<72xf32>) -> tensor<72xf32> {
    %s = tg.reduce add %g dims [0] : (tensor<256x72xf32>) -> tensor<72xf32>
    %u = tg.sub %bias, %s : tensor<72xf32>
    return %u : tensor<72xf32>
  }
}

// -----

// Softmax over the outer dimension: the sum is a second sweep over the columns whose maximum the block has, the result a third one.

// CHECK-LABEL: func.func @softmax
// CHECK: barriers = 0>
// CHECK: tg.reduce max {{.*}}<column, {{.*}} split = 1>{{.*}}scheme<regional>
// CHECK: tg.reduce add {{.*}}<column, {{.*}} split = 1>{{.*}}scheme<regional>
// CHECK: tg.div {{.*}}<column, {{.*}} split = 1>{{.*}}scheme<independent>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @softmax(%x: tensor<20x1600xf32>) -> tensor<20x1600xf32> {
    %m = tg.reduce max %x dims [0] : (tensor<20x1600xf32>) -> tensor<1600xf32>
    %mb = tg.broadcast %m dims [1] : (tensor<1600xf32>) -> tensor<20x1600xf32>
    %d = tg.sub %x, %mb : tensor<20x1600xf32>
    %e = tg.exp %d : tensor<20x1600xf32>
    %s = tg.reduce add %e dims [0] : (tensor<20x1600xf32>) -> tensor<1600xf32>
    %sb = tg.broadcast %s dims [1] : (tensor<1600xf32>) -> tensor<20x1600xf32>
    %r = tg.div %e, %sb : tensor<20x1600xf32>
    return %r : tensor<20x1600xf32>
  }
}

// -----

// A reader of other columns waits for a barrier.

// CHECK-LABEL: func.func @reversed
// CHECK: barriers = 1>
// CHECK: tg.reduce {{.*}}scheme<global>
// CHECK: tg.sub {{.*}}<flat, {{.*}}scheme<independent>
// REMARK: remark: global: its reader does not go by the same columns
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @reversed(%g: tensor<16x72xf32>, %bias: tensor<72xf32>) -> tensor<72xf32> {
    %s = tg.reduce add %g dims [0] : (tensor<16x72xf32>) -> tensor<72xf32>
    %v = tg.reverse %s dims [0] : tensor<72xf32>
    %u = tg.sub %bias, %v : tensor<72xf32>
    return %u : tensor<72xf32>
  }
}

// -----

// Many rows of few columns fill the device only when they are split: that saves more than the barrier costs. So many rows leave partial results
// for two blocks on each multiprocessor, which are few beside them.

// CHECK-LABEL: func.func @large
// CHECK: barriers = 1>
// CHECK: tg.reduce {{.*}}<column, {{.*}} split = 132>{{.*}}scheme<global>
// CHECK: tg.sub {{.*}}<flat, {{.*}}scheme<independent>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @large(%g: tensor<1048576x64xf32>, %bias: tensor<64xf32>) -> tensor<64xf32> {
    %s = tg.reduce add %g dims [0] : (tensor<1048576x64xf32>) -> tensor<64xf32>
    %u = tg.sub %bias, %s : tensor<64xf32>
    return %u : tensor<64xf32>
  }
}

// -----

// A slice that is stored by the elements of its operand goes to other columns than it reads: its group does not follow the reduce.

// CHECK-LABEL: func.func @moved
// CHECK: tg.slice {{.*}}stitch.by_operand, {{.*}}#stitch.mapping<flat,
module attributes {stitch.device = #stitch.device<t4>} {
func.func @moved(%x: tensor<65537x65537xf16>, %y: tensor<65537xf16>) -> (tensor<65537x65537xf16>, tensor<53327xf16>, tensor<65537xf16>, tensor<i32>) {
  %sum = tg.reduce add %x dims [0] : (tensor<65537x65537xf16>) -> tensor<65537xf16>
  %m = tg.max %y, %sum : tensor<65537xf16>
  %ms = tg.broadcast %m dims [1] : (tensor<65537xf16>) -> tensor<65537x65537xf16>
  %0 = tg.sub %x, %ms : tensor<65537x65537xf16>
  %1 = tg.slice %m [11234:64561] : (tensor<65537xf16>) -> tensor<53327xf16>
  %value, %index = "tg.arg_reduce"(%y) {kind = 2 : i32, dim = 0 : i64} : (tensor<65537xf16>) -> (tensor<f16>, tensor<i32>)
  return %0, %1, %m, %index : tensor<65537x65537xf16>, tensor<53327xf16>, tensor<65537xf16>, tensor<i32>
}
}

// -----

// A panel, of more than the second-level cache holds: 128 blocks of 512 threads, each with 32 columns, a whole line of each row, as memory moves
// narrower strips more slowly; a thread keeps 64 elements. The launch leaves it the
// registers, of a column's 32 rows of threads in shared memory 16 are left after those of a warp have met.

// CHECK-LABEL: func.func @panel
// CHECK: launch<grid = 128, block = 512, registers = 128, shared = 4096, scratch = 0, barriers = 0>
// CHECK: tg.reduce max {{.*}}<column, rows = 1024, columns = 4096, block_rows = 64, row_threads = 8, vector = 4, unroll = 16, split = 1>{{.*}}scheme<regional>
// CHECK: tg.reduce add {{.*}}<column, rows = 1024, columns = 4096, block_rows = 64, row_threads = 8, vector = 4, unroll = 16, split = 1>{{.*}}scheme<regional>
// CHECK: tg.div {{.*}}<column, rows = 1024, columns = 4096, block_rows = 64, row_threads = 8, vector = 4, unroll = 16, split = 1>{{.*}}scheme<independent>
// REMARK: remark: clusters of 1 blocks of 512 threads keep 32 columns of 1024 rows in registers: {{[0-9]+}} ns, instead of {{[0-9]+}} ns if they are read again
module attributes {stitch.device = #stitch.device<h200, l2_bytes = 16777216>} {
  func.func @panel(%x: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
    %m = tg.reduce max %x dims [0] : (tensor<1024x4096xf32>) -> tensor<4096xf32>
    %mb = tg.broadcast %m dims [1] : (tensor<4096xf32>) -> tensor<1024x4096xf32>
    %d = tg.sub %x, %mb : tensor<1024x4096xf32>
    %e = tg.exp %d : tensor<1024x4096xf32>
    %s = tg.reduce add %e dims [0] : (tensor<1024x4096xf32>) -> tensor<4096xf32>
    %sb = tg.broadcast %s dims [1] : (tensor<4096xf32>) -> tensor<1024x4096xf32>
    %r = tg.div %e, %sb : tensor<1024x4096xf32>
    return %r : tensor<1024x4096xf32>
  }
}

// -----

// If the cache holds what is read and written, strips of two sectors do as well: two blocks of half as many threads on each multiprocessor.

// CHECK-LABEL: func.func @panel_in_cache
// CHECK: launch<grid = 256, block = 256, registers = 128, shared = 1024, scratch = 0, barriers = 0>
// CHECK: tg.reduce max {{.*}}<column, rows = 1024, columns = 4096, block_rows = 64, row_threads = 4, vector = 4, unroll = 16, split = 1>{{.*}}scheme<regional>
// CHECK: tg.div {{.*}}<column, rows = 1024, columns = 4096, block_rows = 64, row_threads = 4, vector = 4, unroll = 16, split = 1>{{.*}}scheme<independent>
// REMARK: remark: clusters of 1 blocks of 256 threads keep 16 columns of 1024 rows in registers: {{[0-9]+}} ns, instead of {{[0-9]+}} ns if they are read again
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @panel_in_cache(%x: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
    %m = tg.reduce max %x dims [0] : (tensor<1024x4096xf32>) -> tensor<4096xf32>
    %mb = tg.broadcast %m dims [1] : (tensor<4096xf32>) -> tensor<1024x4096xf32>
    %d = tg.sub %x, %mb : tensor<1024x4096xf32>
    %e = tg.exp %d : tensor<1024x4096xf32>
    %s = tg.reduce add %e dims [0] : (tensor<1024x4096xf32>) -> tensor<4096xf32>
    %sb = tg.broadcast %s dims [1] : (tensor<4096xf32>) -> tensor<1024x4096xf32>
    %r = tg.div %e, %sb : tensor<1024x4096xf32>
    return %r : tensor<1024x4096xf32>
  }
}

// -----

// Of four times the rows a block would hold 8 columns, a quarter of a line. The blocks of a cluster hold 32 together.

// CHECK-LABEL: func.func @high_panel
// CHECK: launch<grid = 1024, block = 256, registers = 128, {{.*}} barriers = 0, cluster = 8>
// CHECK: tg.reduce max {{.*}}block_rows = 32, row_threads = 8, vector = 4, unroll = 16, split = 1, cluster = 8>{{.*}}scheme<regional>
// CHECK: tg.div {{.*}}block_rows = 32, row_threads = 8, vector = 4, unroll = 16, split = 1, cluster = 8>{{.*}}scheme<independent>
// REMARK: remark: clusters of 8 blocks of 256 threads keep 32 columns of 4096 rows in registers
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @high_panel(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %m = tg.reduce max %x dims [0] : (tensor<4096x4096xf32>) -> tensor<4096xf32>
    %mb = tg.broadcast %m dims [1] : (tensor<4096xf32>) -> tensor<4096x4096xf32>
    %d = tg.sub %x, %mb : tensor<4096x4096xf32>
    %e = tg.exp %d : tensor<4096x4096xf32>
    %s = tg.reduce add %e dims [0] : (tensor<4096x4096xf32>) -> tensor<4096xf32>
    %sb = tg.broadcast %s dims [1] : (tensor<4096xf32>) -> tensor<4096x4096xf32>
    %r = tg.div %e, %sb : tensor<4096x4096xf32>
    return %r : tensor<4096x4096xf32>
  }
}

// -----

// Without clusters it is these shorter rows: that costs less than to read them again.

// CHECK-LABEL: func.func @no_clusters
// CHECK: launch<grid = 512, block = 512, registers = 128,
// CHECK: tg.reduce max {{.*}}block_rows = 256, row_threads = 2, vector = 4, unroll = 16, split = 1>
// REMARK: remark: clusters of 1 blocks of 512 threads keep 8 columns of 4096 rows in registers
module attributes {stitch.device = #stitch.device<a100>} {
  func.func @no_clusters(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %m = tg.reduce max %x dims [0] : (tensor<4096x4096xf32>) -> tensor<4096xf32>
    %mb = tg.broadcast %m dims [1] : (tensor<4096xf32>) -> tensor<4096x4096xf32>
    %d = tg.sub %x, %mb : tensor<4096x4096xf32>
    %e = tg.exp %d : tensor<4096x4096xf32>
    %s = tg.reduce add %e dims [0] : (tensor<4096x4096xf32>) -> tensor<4096xf32>
    %sb = tg.broadcast %s dims [1] : (tensor<4096xf32>) -> tensor<4096x4096xf32>
    %r = tg.div %e, %sb : tensor<4096x4096xf32>
    return %r : tensor<4096x4096xf32>
  }
}

// -----

// No block holds so many rows of a column and its neighbours: they are split, and read again.

// CHECK-LABEL: func.func @too_high
// CHECK: tg.reduce max {{.*}}<column, {{.*}}scheme<global>
// REMARK-NOT: in registers
// REMARK: remark: group {{[0-9]+}}: column mapping of 65536 x 256
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @too_high(%x: tensor<65536x256xf32>) -> tensor<65536x256xf32> {
    %m = tg.reduce max %x dims [0] : (tensor<65536x256xf32>) -> tensor<256xf32>
    %mb = tg.broadcast %m dims [1] : (tensor<256xf32>) -> tensor<65536x256xf32>
    %d = tg.sub %x, %mb : tensor<65536x256xf32>
    %e = tg.exp %d : tensor<65536x256xf32>
    %s = tg.reduce add %e dims [0] : (tensor<65536x256xf32>) -> tensor<256xf32>
    %sb = tg.broadcast %s dims [1] : (tensor<256xf32>) -> tensor<65536x256xf32>
    %r = tg.div %e, %sb : tensor<65536x256xf32>
    return %r : tensor<65536x256xf32>
  }
}

// -----

// Blocks do not grow for a panel that is a small part of what the fusion reads: here those of 256 threads hold it.

// CHECK-LABEL: func.func @small_part
// CHECK: launch<{{.*}} block = 256,
// CHECK: tg.reduce max {{.*}}<column, rows = 512, columns = 256, block_rows = {{.*}} split = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @small_part(%x: tensor<512x256xf32>, %other: tensor<4096x1024xf32>) -> (tensor<512x256xf32>, tensor<4096x1024xf32>) {
    %m = tg.reduce max %x dims [0] : (tensor<512x256xf32>) -> tensor<256xf32>
    %mb = tg.broadcast %m dims [1] : (tensor<256xf32>) -> tensor<512x256xf32>
    %d = tg.sub %x, %mb : tensor<512x256xf32>
    %e = tg.exp %other : tensor<4096x1024xf32>
    return %d, %e : tensor<512x256xf32>, tensor<4096x1024xf32>
  }
}
