// RUN: stitch-opt %s | stitch-opt | FileCheck %s
// RUN: stitch-opt %s -mlir-print-op-generic | stitch-opt | FileCheck %s

// Presets print without their figures, and figures that are overridden print where they differ.
// CHECK: module @v100 attributes {stitch.device = #stitch.device<v100>}
module @v100 attributes {stitch.device = #stitch.device<v100>} {}
// CHECK: module @t4 attributes {stitch.device = #stitch.device<t4>}
module @t4 attributes {stitch.device = #stitch.device<t4>} {}
// CHECK: module @a100 attributes {stitch.device = #stitch.device<a100>}
module @a100 attributes {stitch.device = #stitch.device<a100>} {}
// CHECK: module @h100 attributes {stitch.device = #stitch.device<h100>}
module @h100 attributes {stitch.device = #stitch.device<h100>} {}
// CHECK: module @h200 attributes {stitch.device = #stitch.device<h200>}
module @h200 attributes {stitch.device = #stitch.device<h200>} {}
// CHECK: module @simt attributes {stitch.device = #stitch.device<simt>}
module @simt attributes {stitch.device = #stitch.device<simt>} {}
// CHECK: module @half attributes {stitch.device = #stitch.device<h200, sms = 66, launch_ns = 2000>}
module @half attributes {stitch.device = #stitch.device<h200, launch_ns = 2000, sms = 66, barrier_ns = 1540, clock_mhz = 1980>} {}
// CHECK: module @all attributes {stitch.device = #stitch.device<v100, arch = 100, sms = 1, threads_per_sm = 2, blocks_per_sm = 3, registers_per_sm = 4, shared_per_sm = 5, shared_per_block = 6, l2_bytes = 7, bandwidth_gbps = 8, launch_ns = 9, barrier_ns = 10, clock_mhz = 11>}
module @all attributes {stitch.device = #stitch.device<v100, arch = 100, sms = 1, threads_per_sm = 2, blocks_per_sm = 3, registers_per_sm = 4, shared_per_sm = 5, shared_per_block = 6, l2_bytes = 7, bandwidth_gbps = 8, launch_ns = 9, barrier_ns = 10, clock_mhz = 11>} {}

// CHECK: module @warpgroups attributes {stitch.device = #stitch.device<h100, product_warps = 4>}
module @warpgroups attributes {stitch.device = #stitch.device<h100, product_warps = 4>} {}

// CHECK: module @clusters attributes {stitch.device = #stitch.device<a100, cluster_blocks = 4, gpc_sms = 9, cluster_barrier_ns = 3>}
module @clusters attributes {stitch.device = #stitch.device<a100, cluster_blocks = 4, gpc_sms = 9, cluster_barrier_ns = 3>} {}

// A cluster of one block is not printed.
// CHECK-LABEL: func.func @cluster(
// CHECK: cluster = 8>, stitch.scheme
// CHECK: split = 1>, stitch.scheme
// CHECK: vector = 8, unroll = 1, split = 1, cluster = 2, run = 2>, stitch.scheme
// CHECK: vector = 4, unroll = 1, split = 1, run = 1>, stitch.scheme
// CHECK: vector = 4, unroll = 1, split = 2, cluster = 4, run = 1, sums_in_shared>, stitch.scheme
// CHECK: vector = 4, unroll = 1, split = 2, sums_in_shared>, stitch.scheme
// CHECK: vector = 4, unroll = 1, split = 1, replicated>, stitch.scheme
func.func @cluster(%x: tensor<64xf32>) {
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<row, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 1, unroll = 1, split = 1, cluster = 8>,
      stitch.scheme = #stitch.scheme<global>} : tensor<64xf32>
  %1 = tg.neg %x {stitch.mapping = #stitch.mapping<row, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 1, unroll = 1, split = 1, cluster = 1>,
      stitch.scheme = #stitch.scheme<global>} : tensor<64xf32>
  %2 = tg.neg %x {stitch.mapping = #stitch.mapping<row, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 8, unroll = 1, split = 1, cluster = 2, run = 2>,
      stitch.scheme = #stitch.scheme<global>} : tensor<64xf32>
  %3 = tg.neg %x {stitch.mapping = #stitch.mapping<row, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 1, run = 1>,
      stitch.scheme = #stitch.scheme<global>} : tensor<64xf32>
  %4 = tg.neg %x {stitch.mapping = #stitch.mapping<carried, rows = 9, columns = 600, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 2, cluster = 4, run = 1, sums_in_shared>,
      stitch.scheme = #stitch.scheme<global>} : tensor<64xf32>
  %5 = tg.neg %x {stitch.mapping = #stitch.mapping<carried, rows = 9, columns = 128, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 2, sums_in_shared>,
      stitch.scheme = #stitch.scheme<global>} : tensor<64xf32>
  %6 = tg.neg %x {stitch.mapping = #stitch.mapping<row, rows = 2, columns = 32, block_rows = 2, row_threads = 32, vector = 4, unroll = 1, split = 1, replicated>,
      stitch.scheme = #stitch.scheme<regional>} : tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @axes(
// CHECK: stitch.mapping = #stitch.axes<[0, 1, 2] of [64, 8, 128], cluster = [1, 1, 2], unroll = [1, 4, 1], warps = [2, 2, 1], lanes = [1, 1, 32], vector = [1, 1, 4]>
// CHECK: stitch.mapping = #stitch.axes<[] of [64], cluster = [1], unroll = [2], warps = [1], lanes = [32], vector = [1]>
func.func @axes(%x: tensor<64x1024xf32>, %y: tensor<f32>) {
  %0 = tg.neg %x {stitch.mapping = #stitch.axes<[0, 1, 2] of [64, 8, 128], cluster = [1, 1, 2], unroll = [1, 4, 1], warps = [2, 2, 1], lanes = [1, 1, 32], vector = [1, 1, 4]>}
      : tensor<64x1024xf32>
  %1 = tg.neg %y {stitch.mapping = #stitch.axes<[] of [64], cluster = [1], unroll = [2], warps = [1], lanes = [32], vector = [1]>} : tensor<f32>
  return
}

// What is none, or the root's own phase, is not printed.
// CHECK-LABEL: func.func @schedule(
// CHECK: stitch.schedule = #stitch.schedule<[<phase = 0, mapping = <row, rows = 4, columns = 8, block_rows = 4, row_threads = 8, vector = 1, unroll = 1, split = 1>>, <phase = 1, mapping = <flat, rows = 1, columns = 4, block_rows = 1, row_threads = 32, vector = 1, unroll = 1, split = 1>>]>
// CHECK: stitch.task = #stitch.task<loop = 0, stage = 1, until = 1, finished_in = 1>
// CHECK: stitch.task = #stitch.task<loop = 1, stage = 0>
func.func @schedule(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> attributes {stitch.schedule = #stitch.schedule<[
      <phase = 0, mapping = <row, rows = 4, columns = 8, block_rows = 4, row_threads = 8, vector = 1, unroll = 1, split = 1>>,
      #stitch.loop<phase = 1, mapping = #stitch.mapping<flat, rows = 1, columns = 4, block_rows = 1, row_threads = 32, vector = 1, unroll = 1, split = 1>>]>} {
    %1 = tg.neg %a {stitch.task = #stitch.task<loop = 0, stage = 1, until = 1, finished_in = 1>} : tensor<8xf32>
    %2 = tg.neg %1 {stitch.task = #stitch.task<loop = 1, stage = 0, until = -1, finished_in = -1>} : tensor<8xf32>
    stitch.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: gpu.func @cluster_ops
gpu.module @cluster_kernels {
  gpu.func @cluster_ops() kernel attributes {stitch.launch = #stitch.launch<grid = 8, block = 32, registers = 32, shared = 64, scratch = 0, barriers = 0, cluster = 4>} {
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %block = gpu.cluster_block_id x
    // CHECK: stitch.cluster_barrier
    stitch.cluster_barrier
    // CHECK: stitch.cluster_memory %{{.*}}, %{{.*}} : memref<?xi8, #gpu.address_space<workgroup>> -> memref<?xi8, 7>
    %other = stitch.cluster_memory %shared, %block : memref<?xi8, #gpu.address_space<workgroup>> -> memref<?xi8, 7>
    gpu.return
  }
}

// CHECK-LABEL: @fusion
func.func @fusion(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64xf32>) {
  // CHECK: %[[F:.*]]:2 = stitch.fusion(%[[A:.*]] = %arg0, %[[B:.*]] = %arg1) : (tensor<64x128xf32>, tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64xf32>)
  // CHECK-SAME: attributes {stitch.launch = #stitch.launch<grid = 16, block = 256, registers = 32, shared = 16, scratch = 256, barriers = 1>} {
  %0:2 = stitch.fusion(%a = %x, %b = %y) : (tensor<64x128xf32>, tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64xf32>)
      attributes {stitch.launch = #stitch.launch<grid = 16, block = 256, registers = 32, shared = 16, scratch = 256, barriers = 1>} {
    // CHECK-NEXT: tg.add %[[A]], %[[B]] {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>}
    %1 = tg.add %a, %b {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : tensor<64x128xf32>
    // CHECK-NEXT: tg.reduce add
    // CHECK-SAME: stitch.buffer = #stitch.buffer<shared, offset = 0, size = 16>
    // CHECK-SAME: stitch.mapping = #stitch.mapping<row, rows = 64, columns = 128, block_rows = 4, row_threads = 32, vector = 4, unroll = 1, split = 1>
    // CHECK-SAME: stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>
    %2 = tg.reduce add %1 dims [1] {stitch.buffer = #stitch.buffer<shared, offset = 0, size = 16>,
        stitch.mapping = #stitch.mapping<row, rows = 64, columns = 128, block_rows = 4, row_threads = 32, vector = 4, unroll = 1, split = 1>,
        stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>} : (tensor<64x128xf32>) -> tensor<64xf32>
    // CHECK-NEXT: tg.neg
    // CHECK-SAME: stitch.buffer = #stitch.buffer<scratch, offset = 0, size = 256>
    // CHECK-SAME: stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 64, vector = 1, unroll = 1, split = 1>
    // CHECK-SAME: stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<global>
    %3 = tg.neg %2 {stitch.buffer = #stitch.buffer<scratch, offset = 0, size = 256>,
        stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 64, vector = 1, unroll = 1, split = 1>,
        stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<global>} : tensor<64xf32>
    // CHECK-NEXT: tg.reduce max
    // CHECK-SAME: #stitch.mapping<column, rows = 64, columns = 128, block_rows = 8, row_threads = 32, vector = 1, unroll = 2, split = 4>
    // CHECK-SAME: stitch.scheme = #stitch.scheme<independent>
    %4 = tg.reduce max %1 dims [0] {stitch.mapping = #stitch.mapping<column, rows = 64, columns = 128, block_rows = 8, row_threads = 32, vector = 1, unroll = 2, split = 4>,
        stitch.scheme = #stitch.scheme<independent>} : (tensor<64x128xf32>) -> tensor<128xf32>
    // CHECK: stitch.yield %{{.*}}, %{{.*}} : tensor<64x128xf32>, tensor<64xf32>
    stitch.yield %1, %3 : tensor<64x128xf32>, tensor<64xf32>
  }
  // CHECK: return %[[F]]#0, %[[F]]#1
  return %0#0, %0#1 : tensor<64x128xf32>, tensor<64xf32>
}

// A fusion without inputs, and one of nothing.
// CHECK-LABEL: @empty
func.func @empty() -> tensor<8xi32> {
  // CHECK: stitch.fusion() : () -> tensor<8xi32> {
  %0 = stitch.fusion() : () -> tensor<8xi32> {
    %1 = tg.iota dim 0 : tensor<8xi32>
    stitch.yield %1 : tensor<8xi32>
  }
  // CHECK: stitch.fusion() : () -> () {
  // CHECK-NEXT: stitch.yield
  stitch.fusion() : () -> () {
  }
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: @library_call
func.func @library_call(%x: tensor<8x4xf16>, %w: tensor<2x4xf16>) -> tensor<8x2xf16> {
  // CHECK: stitch.library_call(%[[A:.*]] = %arg0, %[[B:.*]] = %arg1) : (tensor<8x4xf16>, tensor<2x4xf16>) -> tensor<8x2xf16> {
  %0 = stitch.library_call(%a = %x, %b = %w) : (tensor<8x4xf16>, tensor<2x4xf16>) -> tensor<8x2xf16> {
    // CHECK-NEXT: tg.dot %[[A]], %[[B]] contract [1] x [1]
    %1 = tg.dot %a, %b contract [1] x [1] : (tensor<8x4xf16>, tensor<2x4xf16>) -> tensor<8x2xf32>
    // CHECK-NEXT: tg.convert
    %2 = tg.convert %1 : (tensor<8x2xf32>) -> tensor<8x2xf16>
    stitch.yield %2 : tensor<8x2xf16>
  }
  return %0 : tensor<8x2xf16>
}

// CHECK-LABEL: gpu.func @kernel
gpu.module @kernels {
  gpu.func @kernel(%counter: memref<1xi32>) kernel attributes {stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 16, shared = 0, scratch = 0, barriers = 1>} {
    // CHECK: stitch.grid_barrier %{{.*}} : memref<1xi32>
    stitch.grid_barrier %counter : memref<1xi32>
    gpu.return
  }
}

// CHECK-LABEL: gpu.func @ahead
gpu.module @prefetches {
  gpu.func @ahead(%w: memref<64xf32>) kernel attributes {stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 16, shared = 0, scratch = 0, barriers = 0>} {
    // CHECK: stitch.prefetch %{{.*}} {ahead, bytes = 256 : i64, grid = 4 : i64, offset = 0 : i64} : memref<64xf32>
    stitch.prefetch %w {ahead, bytes = 256 : i64, grid = 4 : i64, offset = 0 : i64} : memref<64xf32>
    gpu.return
  }
}

// CHECK-LABEL: @adaptive
func.func @adaptive(%x: tensor<8x4xf32>, %v: tensor<4x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  // CHECK: %[[R:.*]]:2 = stitch.adaptive "products_0" ["apart", "swapped"] attributes {note = 1 : i64} : tensor<8x2xf32>, tensor<8x2xf32> {
  %0:2 = stitch.adaptive "products_0" ["apart", "swapped"] attributes {note = 1 : i64} : tensor<8x2xf32>, tensor<8x2xf32> {
    // CHECK-NEXT: stitch.library_call(%{{.*}} = %arg0, %{{.*}} = %arg1)
    %1 = stitch.library_call(%a = %x, %b = %v) : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32> {
      %2 = tg.dot %a, %b contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
      stitch.yield %2 : tensor<8x2xf32>
    }
    stitch.yield %1, %1 : tensor<8x2xf32>, tensor<8x2xf32>
    // CHECK: }, {
  }, {
    %1 = stitch.library_call(%a = %x, %b = %v) : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32> {
      %2 = tg.dot %a, %b contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
      stitch.yield %2 : tensor<8x2xf32>
    }
    stitch.yield %1, %1 : tensor<8x2xf32>, tensor<8x2xf32>
  }
  return %0#1, %0#0 : tensor<8x2xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: @host
func.func @host() -> index {
  // CHECK: %[[V:.*]] = stitch.choose "products_0"
  %0 = stitch.choose "products_0"
  // CHECK: stitch.chosen "products_0"
  stitch.chosen "products_0"
  return %0 : index
}

// CHECK-LABEL: gpu.func @warpgroups
gpu.module @products {
  gpu.func @warpgroups(%row: index, %is: i1, %a: vector<4x2xf16>) kernel attributes {stitch.launch = #stitch.launch<grid = 1, block = 128, registers = 64, shared = 10240, scratch = 0, barriers = 0>} {
    %c0 = arith.constant 0 : index
    %c8192 = arith.constant 8192 : index
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %q = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4096xf16, #gpu.address_space<workgroup>>
    %k = memref.view %shared[%c8192][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xf16, #gpu.address_space<workgroup>>
    // CHECK: stitch.warpgroup_any %{{.*}} : i1
    %any = stitch.warpgroup_any %is : i1
    // CHECK: "stitch.warpgroup_product"(%{{.*}}, %{{.*}}, %{{.*}}) <{depth = 48 : i64, lhs_rows = 64 : i64, operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, rhs_rows = 16 : i64}>
    %s:2 = "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 48 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xf16, #gpu.address_space<workgroup>>, index, memref<1024xf16, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>)
    // CHECK: "stitch.warpgroup_product"(%{{.*}}, %{{.*}}, %{{.*}}#0, %{{.*}}#1) <{depth = 16 : i64, lhs_rows = 64 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 1, 2>, rhs_rows = 16 : i64, transposed}>
    %o:2 = "stitch.warpgroup_product"(%a, %k, %s#0, %s#1) {operandSegmentSizes = array<i32: 1, 0, 0, 1, 2>, depth = 16 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64, transposed} : (vector<4x2xf16>, memref<1024xf16, #gpu.address_space<workgroup>>, vector<2x2xf32>, vector<2x2xf32>) -> (vector<2x2xf32>, vector<2x2xf32>)
    gpu.return
  }
}
