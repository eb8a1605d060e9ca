// RUN: stitch-opt %s -split-input-file --stitch-schedule --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s

// Softmax of rows of 7: eight threads a row, the row is read once and stays in a register over both reductions and the division.
// The last rows and the eighth thread are masked.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: memref<588xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c8
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[LANE]], %c6
// CHECK: %[[X:.*]] = memref.load %arg0
// CHECK: arith.select %[[INSIDE]], %[[X]], %cst
// CHECK-COUNT-3: gpu.shuffle  xor
// CHECK-NOT: memref.load
// CHECK: %[[SHIFTED:.*]] = arith.subf %[[X]]
// CHECK: %[[E:.*]] = math.exp %[[SHIFTED]]
// CHECK-COUNT-3: gpu.shuffle  xor
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: arith.divf %[[E]], %[[SUM]]
// CHECK: scf.if
// CHECK-NEXT: memref.store
// CHECK-NOT: gpu.barrier
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%arg0: memref<12x7x7xf32>, %arg1: memref<12x7x7xf32>, %arg2: memref<0xi8>)
// CHECK: gpu.launch_func  @kernels::@fusion_0 blocks in (%c3, %c1, %c1) threads in (%c256, %c1, %c1)
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%arg0: tensor<12x7x7xf32>) -> tensor<12x7x7xf32> {
    %0 = stitch.fusion(%a = %arg0) : (tensor<12x7x7xf32>) -> tensor<12x7x7xf32> attributes {stitch.launch = #stitch.launch<grid = 3, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.reduce max %a dims [2] {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 84, columns = 7, block_rows = 32, row_threads = 8, vector = 1, unroll = 1, split = 1>} : (tensor<12x7x7xf32>) -> tensor<12x7xf32>
      %2 = tg.broadcast %1 dims [0, 1] : (tensor<12x7xf32>) -> tensor<12x7x7xf32>
      %3 = tg.sub %a, %2 : tensor<12x7x7xf32>
      %4 = tg.exp %3 : tensor<12x7x7xf32>
      %5 = tg.reduce add %4 dims [2] {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 84, columns = 7, block_rows = 32, row_threads = 8, vector = 1, unroll = 1, split = 1>} : (tensor<12x7x7xf32>) -> tensor<12x7xf32>
      %6 = tg.broadcast %5 dims [0, 1] : (tensor<12x7xf32>) -> tensor<12x7x7xf32>
      %7 = tg.div %4, %6 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 84, columns = 7, block_rows = 32, row_threads = 8, vector = 1, unroll = 1, split = 1>} : tensor<12x7x7xf32>
      stitch.yield %7 : tensor<12x7x7xf32>
    }
    return %0 : tensor<12x7x7xf32>
  }
}

// -----

// Elementwise: vectors of four, two in flight; only the second can lie outside. The broadcast operand is one vector too.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: vector.load %arg0[%{{.*}}] {alignment = 16 : i64} : memref<4000xf32>, vector<4xf32>
// CHECK: vector.load %arg1[%c0] {alignment = 16 : i64} : memref<4xf32>, vector<4xf32>
// CHECK: arith.cmpi ule
// CHECK: vector.load %arg0
// CHECK-NOT: memref.load
// CHECK: vector.store
// CHECK: scf.if
// CHECK: vector.store
func.func @main(%arg0: tensor<1000x4xf32>, %arg1: tensor<4xf32>) -> tensor<1000x4xf32> {
  %0 = stitch.fusion(%a = %arg0, %b = %arg1) : (tensor<1000x4xf32>, tensor<4xf32>) -> tensor<1000x4xf32> attributes {stitch.launch = #stitch.launch<grid = 2, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
    %1 = tg.broadcast %b dims [1] : (tensor<4xf32>) -> tensor<1000x4xf32>
    %2 = tg.add %a, %1 {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 4000, block_rows = 1, row_threads = 256, vector = 4, unroll = 2, split = 2>} : tensor<1000x4xf32>
    stitch.yield %2 : tensor<1000x4xf32>
  }
  return %0 : tensor<1000x4xf32>
}

// -----

// Column reduction over 4 chunks of rows: a tile of 32 columns, whose 32 rows of threads combine what they have: 4 in each warp, then the
// warps through shared memory, each of their rows two, then 4 again. Chunks go to scratch memory; the result is an output, so it is
// finished after a grid barrier.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: %[[SCRATCH:.*]]: memref<1536xi8> {llvm.align = 16 : i64}, %[[COUNTER:.*]]: memref<1xi32>
// CHECK-COUNT-4: vector.load %arg0{{.*}} vector<4xf32>
// CHECK-COUNT-4: gpu.shuffle xor %{{.*}}, %c16_i32
// CHECK-COUNT-4: gpu.shuffle xor %{{.*}}, %c8_i32
// CHECK-NOT: gpu.shuffle
// CHECK: scf.if
// CHECK: vector.store %{{.*}} memref<256xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK-COUNT-2: vector.load {{.*}} memref<256xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-4: gpu.shuffle xor %{{.*}}, %c16_i32
// CHECK-COUNT-4: gpu.shuffle xor %{{.*}}, %c8_i32
// CHECK: scf.if
// CHECK: vector.store %{{.*}} : memref<384xf32>, vector<4xf32>
// CHECK: stitch.grid_barrier %[[COUNTER]]
// CHECK-COUNT-4: memref.load %{{.*}} : memref<384xf32>
// CHECK: memref.store %{{.*}}, %arg1
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[ARENA:[a-z0-9]+]]: memref<1792xi8>) attributes {stitch.inputs = 1 : i64, stitch.outputs = 1 : i64, stitch.zeroed = 16 : i64}
// CHECK-DAG: memref.view %[[ARENA]][%c256][] : memref<1792xi8> to memref<1536xi8>
// CHECK-DAG: memref.view %[[ARENA]][%c0][] : memref<1792xi8> to memref<1xi32>
// CHECK: gpu.launch_func
func.func @main(%arg0: tensor<512x96xf32>) -> tensor<96xf32> {
  %0 = stitch.fusion(%a = %arg0) : (tensor<512x96xf32>) -> tensor<96xf32> attributes {stitch.launch = #stitch.launch<grid = 12, block = 256, registers = 64, shared = 8192, scratch = 1536, barriers = 1>} {
    %2 = tg.reduce add %a dims [0] {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<global>, stitch.buffer = #stitch.buffer<scratch, offset = 0, size = 1536>, stitch.mapping = #stitch.mapping<column, rows = 512, columns = 96, block_rows = 32, row_threads = 8, vector = 4, unroll = 4, split = 4>} : (tensor<512x96xf32>) -> tensor<96xf32>
    stitch.yield %2 : tensor<96xf32>
  }
  return %0 : tensor<96xf32>
}

// -----

// A row of threads is a warp: the first one combines what the 32 rows leave in shared memory, 8 at a time.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-COUNT-4: memref.load %arg0
// CHECK-NOT: gpu.shuffle
// CHECK: memref.store %{{.*}} memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: gpu.barrier
// CHECK: scf.if
// CHECK-COUNT-8: memref.load {{.*}} memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK: scf.for %{{.*}} = %c1{{.*}} to %c4
// CHECK-COUNT-8: memref.load {{.*}} memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK: {stitch.rolled}
// CHECK: memref.store %{{.*}} : memref<96xf32>
func.func @main(%arg0: tensor<128x96xf32>) -> tensor<96xf32> {
  %0 = stitch.fusion(%a = %arg0) : (tensor<128x96xf32>) -> tensor<96xf32> attributes {stitch.launch = #stitch.launch<grid = 3, block = 1024, registers = 64, shared = 8192, scratch = 0, barriers = 0>} {
    %2 = tg.reduce add %a dims [0] {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<column, rows = 128, columns = 96, block_rows = 32, row_threads = 32, vector = 1, unroll = 4, split = 1>} : (tensor<128x96xf32>) -> tensor<96xf32>
    stitch.yield %2 : tensor<96xf32>
  }
  return %0 : tensor<96xf32>
}

// -----

// A row over a block: warps meet in shared memory, every thread ends with the result. The subtraction is read by other threads
// (transposed), so it goes through its shared buffer behind the reduction area. f16 accumulates in f32.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: vector.load %arg0{{.*}} vector<8xf16>
// CHECK-COUNT-7: arith.maximumf {{.*}} : f32
// CHECK-COUNT-5: gpu.shuffle  xor
// CHECK: memref.store %{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: memref.load %{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-2: gpu.shuffle  xor
// CHECK: memref.view %{{.*}}[%c256][]
// CHECK: vector.store {{.*}} : memref<1024xf16, #gpu.address_space<workgroup>>, vector<8xf16>
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-8: memref.load %{{.*}} : memref<1024xf16, #gpu.address_space<workgroup>>
// CHECK: vector.store {{.*}} %arg2
// CHECK: dynamic_shared_memory_size %c2304_i32
func.func @main(%arg0: tensor<64x1024xf16>) -> (tensor<64xf16>, tensor<64x32x32xf16>) {
  %0:2 = stitch.fusion(%a = %arg0) : (tensor<64x1024xf16>) -> (tensor<64xf16>, tensor<64x32x32xf16>) attributes {stitch.launch = #stitch.launch<grid = 64, block = 128, registers = 64, shared = 8192, scratch = 0, barriers = 0>} {
    %1 = tg.reduce max %a dims [1] {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 1024, block_rows = 1, row_threads = 128, vector = 8, unroll = 1, split = 1>} : (tensor<64x1024xf16>) -> tensor<64xf16>
    %b = tg.broadcast %1 dims [0] : (tensor<64xf16>) -> tensor<64x1024xf16>
    %2 = tg.sub %a, %b {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.buffer = #stitch.buffer<shared, offset = 256, size = 2048>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 1024, block_rows = 1, row_threads = 128, vector = 8, unroll = 1, split = 1>} : tensor<64x1024xf16>
    %3 = tg.reshape %2 : (tensor<64x1024xf16>) -> tensor<64x32x32xf16>
    %4 = tg.transpose %3 permutation [0, 2, 1] {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 64, columns = 1024, block_rows = 1, row_threads = 128, vector = 8, unroll = 1, split = 1>} : (tensor<64x32x32xf16>) -> tensor<64x32x32xf16>
    stitch.yield %1, %4 : tensor<64xf16>, tensor<64x32x32xf16>
  }
  return %0#0, %0#1 : tensor<64xf16>, tensor<64x32x32xf16>
}

// -----

// Gather, concatenate and pad are index arithmetic in their user; vectors stay whole. The gathered index is clamped.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: %[[R:.*]]:4 = scf.if
// CHECK: scf.if
// CHECK: memref.load %arg1
// CHECK: arith.maxsi
// CHECK: arith.minsi %{{.*}}, %c99_i32
// CHECK: vector.load %arg0
// CHECK: else
// CHECK: vector.load %arg2
// CHECK: vector.from_elements %[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3
func.func @main(%t: tensor<100x8xf32>, %i: tensor<4x6xi32>, %x: tensor<4x2x8xf32>) -> tensor<4x10x8xf32> {
  %0 = stitch.fusion(%a = %t, %b = %i, %c = %x) : (tensor<100x8xf32>, tensor<4x6xi32>, tensor<4x2x8xf32>) -> tensor<4x10x8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 128, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
    %1 = tg.reshape %b : (tensor<4x6xi32>) -> tensor<4x6x1xi32>
    %2 = "tg.gather"(%a, %1) {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 8>} : (tensor<100x8xf32>, tensor<4x6x1xi32>) -> tensor<4x6x8xf32>
    %3 = tg.concatenate %2, %c dim 1 : (tensor<4x6x8xf32>, tensor<4x2x8xf32>) -> tensor<4x8x8xf32>
    %z = tg.constant dense<0.0> : tensor<f32>
    %4 = "tg.pad"(%3, %z) {low = array<i64: 0, 1, 0>, high = array<i64: 0, 1, 0>, interior = array<i64: 0, 0, 0>, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 320, block_rows = 1, row_threads = 128, vector = 4, unroll = 1, split = 1>} : (tensor<4x8x8xf32>, tensor<f32>) -> tensor<4x10x8xf32>
    stitch.yield %4 : tensor<4x10x8xf32>
  }
  return %0 : tensor<4x10x8xf32>
}

// -----

// Identical fusions share a kernel; a value that is not needed any more gives its memory to the next one; an input that is returned
// is copied.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-NOT: gpu.func @fusion_1
// CHECK: gpu.func @copy_1
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[ARENA:[a-z0-9]+]]: memref<512xi8>
// CHECK: gpu.launch_func  @kernels::@fusion_0
// CHECK: call @dot_0
// CHECK: gpu.launch_func  @kernels::@fusion_0
// CHECK: call @dot_0
// CHECK: gpu.launch_func  @kernels::@fusion_0
// CHECK: gpu.launch_func  @kernels::@copy_1
// CHECK: func.func private @dot_0(memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) attributes {stitch.library = {kind = "dot", lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>}}
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stitch.fusion(%a = %x) : (tensor<8x8xf32>) -> tensor<8x8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
    %e = tg.exp %a {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1>} : tensor<8x8xf32>
    stitch.yield %e : tensor<8x8xf32>
  }
  %1 = stitch.library_call(%a = %0, %b = %x) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
    %d = tg.dot %a, %b contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stitch.yield %d : tensor<8x8xf32>
  }
  %2 = stitch.fusion(%a = %1) : (tensor<8x8xf32>) -> tensor<8x8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
    %e = tg.exp %a {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1>} : tensor<8x8xf32>
    stitch.yield %e : tensor<8x8xf32>
  }
  %3 = stitch.library_call(%a = %2, %b = %x) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> {
    %d = tg.dot %a, %b contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stitch.yield %d : tensor<8x8xf32>
  }
  %4 = stitch.fusion(%a = %3) : (tensor<8x8xf32>) -> tensor<8x8xf32> attributes {stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
    %e = tg.exp %a {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 2, unroll = 1, split = 1>} : tensor<8x8xf32>
    stitch.yield %e : tensor<8x8xf32>
  }
  return %4, %x : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A dot that transposes its result.

module attributes {stitch.device = #stitch.device<h200>} {
// CHECK-LABEL: func.func @main(
// CHECK: call @dot_0({{.*}}) : (memref<2x3xf32>, memref<3x5xf32>, memref<5x2xf32>) -> ()
// CHECK: func.func private @dot_0({{.*}}) attributes {stitch.library = {{.*}}result_permutation = array<i64: 1, 0>
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x5xf32>) -> tensor<5x2xf32> {
  %0 = stitch.library_call(%a = %x, %b = %y) : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<5x2xf32> {
    %d = tg.dot %a, %b contract [1] x [0] : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
    %t = tg.transpose %d permutation [1, 0] : (tensor<2x5xf32>) -> tensor<5x2xf32>
    stitch.yield %t : tensor<5x2xf32>
  }
  return %0 : tensor<5x2xf32>
}
}

// -----

// A convolution is a library call that is described by its own attributes.
module attributes {stitch.device = #stitch.device<h200>} {
// CHECK-LABEL: func.func @main(
// CHECK: call @convolution_0({{.*}}) : (memref<1x3x8x8xf32>, memref<4x3x3x3xf32>, memref<1x4x8x8xf32>) -> ()
// CHECK: func.func private @convolution_0({{.*}}) attributes {stitch.library = {batch_group_count = 1 : i64, {{.*}}kind = "convolution",
func.func @main(%x: tensor<1x3x8x8xf32>, %k: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %0 = stitch.library_call(%a = %x, %b = %k) : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
    %c = tg.convolution %a, %b dims [b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1] window_strides [1, 1]
        padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
        : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
    stitch.yield %c : tensor<1x4x8x8xf32>
  }
  return %0 : tensor<1x4x8x8xf32>
}
}

// -----

// So are factors and solutions. The factor is an operand of both calls, once twice.
module attributes {stitch.device = #stitch.device<h200>} {
// CHECK-LABEL: func.func @main(
// CHECK: call @cholesky_0(%[[A:.*]], %[[L:.*]]) : (memref<2x3x3xf32>, memref<2x3x3xf32>) -> ()
// CHECK: call @triangular_solve_1(%[[L]], %[[L]], %[[X:.*]]) : (memref<2x3x3xf32>, memref<2x3x3xf32>, memref<2x3x3xf32>) -> ()
// CHECK-DAG: func.func private @cholesky_0({{.*}}) attributes {stitch.library = {kind = "cholesky", triangle = 1 : i32}}
// CHECK-DAG: func.func private @triangular_solve_1({{.*}}) attributes {stitch.library = {kind = "triangular_solve", side = 1 : i32, transposition = 2 : i32, triangle = 1 : i32, unit_diagonal}}
func.func @main(%x: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %0 = stitch.library_call(%a = %x) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
    %l = tg.cholesky upper %a : tensor<2x3x3xf32>
    stitch.yield %l : tensor<2x3x3xf32>
  }
  %1 = stitch.library_call(%l = %0) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
    %s = tg.triangular_solve right upper %l, %l transposition adjoint unit_diagonal : tensor<2x3x3xf32>, tensor<2x3x3xf32>
    stitch.yield %s : tensor<2x3x3xf32>
  }
  return %1 : tensor<2x3x3xf32>
}
}

// -----

// A thread's few elements of a short row are combined at once, however few registers it has.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: vector.load
// CHECK-NOT: stitch.rolled
// CHECK-COUNT-2: gpu.shuffle  xor
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%arg0: tensor<750x16xf32>) -> tensor<750xf32> {
    %0 = stitch.fusion(%a = %arg0) : (tensor<750x16xf32>) -> tensor<750xf32> attributes {stitch.launch = #stitch.launch<grid = 12, block = 256, registers = 32, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.reduce add %a dims [1] {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<row, rows = 750, columns = 16, block_rows = 64, row_threads = 4, vector = 4, unroll = 1, split = 1>} : (tensor<750x16xf32>) -> tensor<750xf32>
      stitch.yield %1 : tensor<750xf32>
    }
    return %0 : tensor<750xf32>
  }
}
