// RUN: stitch-opt %s -stitch-pipeline=device=h200 -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-pipeline=device=h200 -stitch-remarks -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A transpose with work on both sides, which is a result, too: a copy is the result. Vectors of 4 divide 136 and 200; the tiles are small,
// for 7 x 4 large ones would leave most multiprocessors without any.

// REMARK: group 0: tiles of 32 x 32 in 408 x 200, vectors of 4: 1 transposes go through shared memory; 91 tasks
// CHECK-LABEL: func.func @both_sides
// CHECK: stitch.launch<grid = 91, block = 256, {{.*}} shared = 4224, scratch = 0, barriers = 0>
// CHECK: tg.exp {{.*}} stitch.role = #stitch.role<member>
// CHECK: %[[T:.*]] = tg.transpose {{.*}} {stitch.buffer = #stitch.buffer<shared, offset = 0, size = 4224>, {{.*}} stitch.mapping = #stitch.mapping<tile, rows = 408, columns = 200, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<regional>, {{.*}}stitch.transposed}
// CHECK: %[[COPY:.*]] = tg.reshape %[[T]] {{.*}}stitch.mapping<tile, {{.*}}stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.task
// CHECK: %[[SUM:.*]] = tg.add %[[T]], {{.*}}stitch.mapping<tile, {{.*}}stitch.role = #stitch.role<dominant>
// CHECK: stitch.yield %[[COPY]], %[[SUM]]
func.func @both_sides(%a: tensor<3x200x136xf32>, %b: tensor<3x136x200xf32>) -> (tensor<3x136x200xf32>, tensor<3x136x200xf32>) {
  %0 = tg.exp %a : tensor<3x200x136xf32>
  %t = tg.transpose %0 permutation [0, 2, 1] : (tensor<3x200x136xf32>) -> tensor<3x136x200xf32>
  %1 = tg.add %t, %b : tensor<3x136x200xf32>
  return %1, %t : tensor<3x136x200xf32>, tensor<3x136x200xf32>
}

// -----

// Large tiles where there are enough of them, and four warps for one where no other group needs more; 8 elements of f16 an access; a row of
// the tile is a word longer than 64 elements.

// REMARK: group 0: tiles of 64 x 64 in 1024 x 2048, vectors of 8: 1 transposes
// CHECK-LABEL: func.func @large
// CHECK: stitch.buffer<shared, offset = 0, size = 8448>, {{.*}}stitch.mapping<tile, rows = 1024, columns = 2048, block_rows = 16, row_threads = 8, vector = 8, unroll = 4, split = 1>
func.func @large(%a: tensor<2048x1024xf16>) -> tensor<1024x2048xf16> {
  %t = tg.transpose %a permutation [1, 0] : (tensor<2048x1024xf16>) -> tensor<1024x2048xf16>
  return %t : tensor<1024x2048xf16>
}

// -----

// Several dimensions change places as one, and dimensions of size one do not count: NHWC to NCHW.

// CHECK-LABEL: func.func @channels_first
// CHECK: stitch.mapping<tile, rows = 64, columns = 1120, {{.*}}vector = 4,
func.func @channels_first(%a: tensor<2x28x40x1x32xf32>) -> tensor<2x32x28x1x40xf32> {
  %t = tg.transpose %a permutation [0, 4, 1, 3, 2] : (tensor<2x28x40x1x32xf32>) -> tensor<2x32x28x1x40xf32>
  %0 = tg.tanh %t : tensor<2x32x28x1x40xf32>
  return %0 : tensor<2x32x28x1x40xf32>
}

// -----

// An odd number of rows leaves no vectors that stay within a matrix.

// CHECK-LABEL: func.func @odd
// CHECK: stitch.mapping<tile, rows = 135, columns = 200, {{.*}}vector = 1,
func.func @odd(%a: tensor<200x135xf32>) -> tensor<135x200xf32> {
  %t = tg.transpose %a permutation [1, 0] : (tensor<200x135xf32>) -> tensor<135x200xf32>
  return %t : tensor<135x200xf32>
}

// -----

// Two transposes of the same matrices share the tiles; the third one swaps others, and stays a member.

// REMARK: 2 transposes go through shared memory
// CHECK-LABEL: func.func @several
// CHECK: tg.transpose {{.*}}permutation [0, 2, 1] {{.*}}stitch.transposed
// CHECK: tg.transpose {{.*}}permutation [0, 2, 1] {{.*}}stitch.transposed
// CHECK: tg.transpose {{.*}}permutation [2, 0, 1] {{.*}}stitch.role<member>
func.func @several(%a: tensor<32x64x48xf32>, %b: tensor<32x64x48xf32>, %c: tensor<48x64x32xf32>, %d: tensor<32x48x64xf32>) -> tensor<32x48x64xf32> {
  %0 = tg.transpose %a permutation [0, 2, 1] : (tensor<32x64x48xf32>) -> tensor<32x48x64xf32>
  %1 = tg.transpose %b permutation [0, 2, 1] : (tensor<32x64x48xf32>) -> tensor<32x48x64xf32>
  %2 = tg.transpose %c permutation [2, 0, 1] : (tensor<48x64x32xf32>) -> tensor<32x48x64xf32>
  %3 = tg.mul %0, %2 : tensor<32x48x64xf32>
  %4 = tg.add %3, %1 : tensor<32x48x64xf32>
  %5 = tg.add %4, %d : tensor<32x48x64xf32>
  return %5 : tensor<32x48x64xf32>
}

// -----

// What stays as it is: a matrix of few columns, dimensions that change places without the last one, more than two blocks of dimensions that
// move, a transpose of what is in registers, one that is read at other elements, one in the rows of a reduction.

// CHECK-NOT: stitch.transposed
// CHECK-LABEL: func.func @few_columns
func.func @few_columns(%a: tensor<1000x3xf32>) -> tensor<3x1000xf32> {
  %t = tg.transpose %a permutation [1, 0] : (tensor<1000x3xf32>) -> tensor<3x1000xf32>
  return %t : tensor<3x1000xf32>
}
func.func @last_stays(%a: tensor<32x64x48xf32>) -> tensor<64x32x48xf32> {
  %t = tg.transpose %a permutation [1, 0, 2] : (tensor<32x64x48xf32>) -> tensor<64x32x48xf32>
  return %t : tensor<64x32x48xf32>
}
func.func @reversed_dimensions(%a: tensor<32x64x48xf32>) -> tensor<48x64x32xf32> {
  %t = tg.transpose %a permutation [2, 1, 0] : (tensor<32x64x48xf32>) -> tensor<48x64x32xf32>
  return %t : tensor<48x64x32xf32>
}
func.func @from_registers(%a: tensor<64xf32>, %i: tensor<i32>, %b: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %z = tg.constant dense<0> : tensor<i32>
  %0 = tg.iota dim 0 : tensor<64x96xf32>
  %1 = tg.broadcast %a dims [0] : (tensor<64xf32>) -> tensor<64x96xf32>
  %w = tg.mul %0, %1 : tensor<64x96xf32>
  %2 = tg.dynamic_slice %w[%z, %i] sizes [64, 48] : (tensor<64x96xf32>, tensor<i32>, tensor<i32>) -> tensor<64x48xf32>
  %t = tg.transpose %2 permutation [1, 0] : (tensor<64x48xf32>) -> tensor<48x64xf32>
  %3 = tg.add %t, %b : tensor<48x64xf32>
  return %3 : tensor<48x64xf32>
}
func.func @read_elsewhere(%a: tensor<64x48xf32>) -> tensor<48x64xf32> {
  %t = tg.transpose %a permutation [1, 0] : (tensor<64x48xf32>) -> tensor<48x64xf32>
  %r = tg.reverse %t dims [0] : tensor<48x64xf32>
  %0 = tg.add %t, %r : tensor<48x64xf32>
  return %0 : tensor<48x64xf32>
}
func.func @in_rows(%a: tensor<64x48xf32>) -> (tensor<48xf32>, tensor<48x64xf32>) {
  %t = tg.transpose %a permutation [1, 0] : (tensor<64x48xf32>) -> tensor<48x64xf32>
  %0 = tg.tanh %t : tensor<48x64xf32>
  %m = tg.reduce max %0 dims [1] : (tensor<48x64xf32>) -> tensor<48xf32>
  return %m, %0 : tensor<48xf32>, tensor<48x64xf32>
}

// -----

// What is transposed is f32, what is in memory 16 bits: accesses have 16 bytes all the same.

// CHECK-LABEL: func.func @narrow_in_memory
// CHECK: tg.transpose {{.*}} stitch.mapping = #stitch.mapping<tile, rows = 4096, columns = 4096, block_rows = 16, row_threads = 8, vector = 8, unroll = 4, split = 1>
func.func @narrow_in_memory(%a: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = tg.convert %a : (tensor<4096x4096xf16>) -> tensor<4096x4096xf32>
  %1 = tg.exp %0 : tensor<4096x4096xf32>
  %t = tg.transpose %1 permutation [1, 0] : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %2 = tg.convert %t : (tensor<4096x4096xf32>) -> tensor<4096x4096xf16>
  return %2 : tensor<4096x4096xf16>
}
