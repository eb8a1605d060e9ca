// Every verifier, and what it says.
// RUN: stitch-opt %s -verify-diagnostics -split-input-file

// expected-error@+1 {{unknown device 'p100'; known are v100 t4 a100 h100 h200 simt}}
module attributes {stitch.device = #stitch.device<p100>} {}

// -----

// expected-error@+1 {{a device has no figure 'cores'}}
module attributes {stitch.device = #stitch.device<h200, cores = 4>} {}

// -----

// expected-error@+1 {{product_warps must be 1 or 4, a warpgroup, got 2}}
module attributes {stitch.device = #stitch.device<h200, product_warps = 2>} {}

// -----

// expected-error@+1 {{sms must be positive, got 0}}
module attributes {stitch.device = #stitch.device<h200, sms = 0>} {}

// -----

// expected-error@+1 {{sms must be positive, got -4}}
module attributes {stitch.device = #stitch.device<h200, sms = -4>} {}

// -----

// expected-error@+1 {{sms must be 1048576 at most, got 9223372036854775807}}
module attributes {stitch.device = #stitch.device<h200, sms = 9223372036854775807>} {}

// -----

// expected-error@+1 {{expected '>'}}
module attributes {stitch.device = #stitch.device<h200 sms = 4>} {}

// -----

// expected-error@+1 {{'builtin.module' op attribute 'stitch.device' must be a #stitch.device, got "h200"}}
module attributes {stitch.device = "h200"} {}

// -----

func.func @f() attributes {stitch.device = #stitch.device<h200>} { // planned alone
  // expected-error@+1 {{'func.return' op attribute 'stitch.device' belongs on a module or a function}}
  return {stitch.device = #stitch.device<h200>}
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tg.neg' op attribute 'stitch.group' must be a non-negative 64-bit integer, got -1 : i64}}
  %0 = tg.neg %x {stitch.group = -1 : i64} : tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tg.neg' op attribute 'stitch.group' must be a non-negative 64-bit integer, got 1 : i32}}
  %0 = tg.neg %x {stitch.group = 1 : i32} : tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tg.neg' op attribute 'stitch.role' must be a #stitch.role, got "dominant"}}
  %0 = tg.neg %x {stitch.role = "dominant"} : tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+2 {{expected ::stitch::Role to be one of: member, dominant, sub_dominant}}
  // expected-error@+1 {{failed to parse Stitch_RoleAttr parameter 'value' which is to be a `::stitch::Role`}}
  %0 = tg.neg %x {stitch.role = #stitch.role<boss>} : tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tg.neg' op attribute 'stitch.scheme' must be a #stitch.scheme, got #stitch.role<member>}}
  %0 = tg.neg %x {stitch.scheme = #stitch.role<member>} : tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+2 {{expected ::stitch::Scheme to be one of: independent, local, regional, global}}
  // expected-error@+1 {{failed to parse Stitch_SchemeAttr parameter 'value' which is to be a `::stitch::Scheme`}}
  %0 = tg.neg %x {stitch.scheme = #stitch.scheme<remote>} : tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tg.neg' op attribute 'stitch.mapping' must be a #stitch.mapping or #stitch.axes, got 1 : i64}}
  %0 = tg.neg %x {stitch.mapping = 1 : i64} : tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tg.neg' op attribute 'stitch.buffer' must be a #stitch.buffer, got 1 : i64}}
  %0 = tg.neg %x {stitch.buffer = 1 : i64} : tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{'func.func' op attribute 'stitch.launch' belongs on a stitch.fusion, a gpu.func or an operation that is a kernel of its own}}
func.func private @f() attributes {stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 16, shared = 0, scratch = 0, barriers = 0>}

// -----

func.func @f() {
  // expected-error@+1 {{'stitch.fusion' op attribute 'stitch.launch' must be a #stitch.launch, got 1 : i64}}
  stitch.fusion() : () -> () attributes {stitch.launch = 1 : i64} {
  }
  return
}

// -----

// expected-error@+1 {{rows must be positive, got 0}}
#m = #stitch.mapping<row, rows = 0, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>

// -----

// expected-error@+1 {{split must be positive, got -1}}
#m = #stitch.mapping<row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = -1>

// -----

// expected-error@+1 {{block_rows x row_threads is a block of 64 x 32 threads; at most 1024 are possible}}
#m = #stitch.mapping<row, rows = 64, columns = 8, block_rows = 64, row_threads = 32, vector = 1, unroll = 1, split = 1>

// -----

// expected-error@+1 {{block_rows x row_threads is a block of 4611686018427387904 x 4 threads; at most 1024 are possible}}
#m = #stitch.mapping<row, rows = 64, columns = 8, block_rows = 4611686018427387904, row_threads = 4, vector = 1, unroll = 1, split = 1>

// -----

// expected-error@+1 {{rows, columns, unroll and split are numbers of 32 bits, got 1, 8, 9223372036854775807 and 1}}
#m = #stitch.mapping<row, rows = 1, columns = 8, block_rows = 4, row_threads = 8, vector = 1, unroll = 9223372036854775807, split = 1>

// -----

// expected-error@+1 {{vector and cluster are at most 1024, got 2048 and 1}}
#m = #stitch.mapping<row, rows = 1, columns = 2048, block_rows = 4, row_threads = 8, vector = 2048, unroll = 1, split = 1>

// -----

// expected-error@+1 {{a tile mapping has squares, block_rows x unroll = row_threads x vector, and split = 1, got 4 x 2, 8 x 4 and 1}}
#m = #stitch.mapping<tile, rows = 64, columns = 64, block_rows = 4, row_threads = 8, vector = 4, unroll = 2, split = 1>

// -----

// expected-error@+1 {{a flat mapping has one row, got rows = 2}}
#m = #stitch.mapping<flat, rows = 2, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>

// -----

// expected-error@+2 {{expected ::stitch::MappingKind to be one of: flat, row, column, carried}}
// expected-error@+1 {{failed to parse Stitch_MappingAttr parameter 'kind' which is to be a `::stitch::MappingKind`}}
#m = #stitch.mapping<diagonal, rows = 2, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>

// -----

// expected-error@+1 {{offset must not be negative, got -4}}
#b = #stitch.buffer<shared, offset = -4, size = 8>

// -----

// expected-error@+1 {{size must be positive, got 0}}
#b = #stitch.buffer<scratch, offset = 0, size = 0>

// -----

// expected-error@+2 {{expected ::stitch::BufferSpace to be one of: shared, scratch}}
// expected-error@+1 {{failed to parse Stitch_BufferAttr parameter 'space' which is to be a `::stitch::BufferSpace`}}
#b = #stitch.buffer<global, offset = 0, size = 8>

// -----

// expected-error@+1 {{grid must be positive, got 0}}
#l = #stitch.launch<grid = 0, block = 32, registers = 16, shared = 0, scratch = 0, barriers = 0>

// -----

// expected-error@+1 {{block must be at most 1024, got 2048}}
#l = #stitch.launch<grid = 1, block = 2048, registers = 16, shared = 0, scratch = 0, barriers = 0>

// -----

// expected-error@+1 {{shared, scratch and barriers must not be negative}}
#l = #stitch.launch<grid = 1, block = 32, registers = 16, shared = -1, scratch = 0, barriers = 0>

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{custom op 'stitch.fusion' expected 1 input types, got 2}}
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
    stitch.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    // expected-error@+1 {{'stitch.yield' op using value defined outside the region}}
    stitch.yield %x : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{'stitch.yield' op yields ('tensor<8xf32>') where the enclosing 'stitch.fusion' has results ('tensor<4xf32>')}}
    stitch.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'stitch.yield' op yields () where the enclosing 'stitch.fusion' has results ('tensor<8xf32>')}}
  %0 = stitch.fusion(%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'stitch.fusion' op body takes ('tensor<4xf32>') but the inputs are ('tensor<8xf32>')}}
  %0 = "stitch.fusion"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    stitch.yield %a : tensor<4xf32>
  }) : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'stitch.fusion' op region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %0 = "stitch.fusion"(%x) ({
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'stitch.fusion' op body must end with stitch.yield}}
  %0 = "stitch.fusion"(%x) ({
  ^bb0(%a: tensor<8xf32>):
    %1 = tg.neg %a : tensor<8xf32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  %0:2 = stitch.library_call(%a = %x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // expected-error@+1 {{'stitch.yield' op yields ('tensor<8xf32>') where the enclosing 'stitch.library_call' has results ('tensor<8xf32>', 'tensor<8xf32>')}}
    stitch.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'stitch.yield' op expects parent op to be one of 'stitch.fusion, stitch.library_call, stitch.adaptive'}}
  stitch.yield %x : tensor<8xf32>
}

// -----

func.func @f(%x: memref<1xf32>) {
  // expected-error@+1 {{'stitch.grid_barrier' op operand #0 must be 1D memref of 32-bit signless integer values, but got 'memref<1xf32>'}}
  stitch.grid_barrier %x : memref<1xf32>
  return
}

// -----

func.func @f(%x: memref<4xi32, strided<[1], offset: ?>>) {
  // expected-error@+1 {{custom op 'stitch.grid_barrier' invalid kind of type specified: expected builtin.memref, but found 'tensor<1xi32>'}}
  stitch.grid_barrier %x : tensor<1xi32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{only rows and columns are handled by clusters of blocks, got cluster = 2}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 8, block_rows = 1, row_threads = 32, vector = 1, unroll = 1, split = 1, cluster = 2>} : tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{in a cluster a row has whole warps of each block, got row_threads = 16}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<row, rows = 2, columns = 4, block_rows = 2, row_threads = 16, vector = 1, unroll = 1, split = 1, cluster = 2>} : tensor<8xf32>
  return
}

// -----

func.func @runs_as_long_as_vectors(%x: tensor<8xf32>) {
  // expected-error@+1 {{run must be a divisor of vector and less, got run = 4 and vector = 4}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<row, rows = 2, columns = 4, block_rows = 2, row_threads = 16, vector = 4, unroll = 1, split = 1, run = 4>} : tensor<8xf32>
  return
}

// -----

func.func @runs_of_columns(%x: tensor<8xf32>) {
  // expected-error@+1 {{only rows and flat spaces are gone through in runs, got run = 1}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<column, rows = 2, columns = 4, block_rows = 2, row_threads = 16, vector = 4, unroll = 1, split = 1, run = 1>} : tensor<8xf32>
  return
}

// -----

func.func @shared_runs(%x: tensor<8xf32>) {
  // expected-error@+1 {{threads that share elements have no runs, got run = 1 and block_rows = 2}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 8, block_rows = 2, row_threads = 16, vector = 4, unroll = 1, split = 1, run = 1>} : tensor<8xf32>
  return
}

// -----

func.func @sums_of_rows(%x: tensor<8xf32>) {
  // expected-error@+1 {{sums are in shared memory where a block carries one row of columns}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<row, rows = 8, columns = 8, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 1, sums_in_shared>} : tensor<8xf32>
  return
}

// -----

func.func @shared_sums_of_several_rows(%x: tensor<8xf32>) {
  // expected-error@+1 {{a carried mapping with block_rows = 1}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<carried, rows = 8, columns = 8, block_rows = 2, row_threads = 32, vector = 4, unroll = 1, split = 1, run = 1, sums_in_shared>} : tensor<8xf32>
  return
}

// -----

func.func @shared_runs_of_a_cluster(%x: tensor<8xf32>) {
  // expected-error@+1 {{sums in shared memory that blocks combine are not in runs, got run = 1}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<carried, rows = 8, columns = 8, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 1, cluster = 2, run = 1, sums_in_shared>} : tensor<8xf32>
  return
}

// -----

func.func @replicated_tasks(%x: tensor<8xf32>) {
  // expected-error@+1 {{a replicated value is one task of rows: a row mapping with at most block_rows rows}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<row, rows = 8, columns = 8, block_rows = 4, row_threads = 32, vector = 4, unroll = 1, split = 1, replicated>} : tensor<8xf32>
  return
}

// -----

func.func @replicated_flat(%x: tensor<8xf32>) {
  // expected-error@+1 {{a row mapping with at most block_rows rows, split = 1 and cluster = 1}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 8, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 1, replicated>} : tensor<8xf32>
  return
}

// -----

func.func @parts_in_another_order(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 'sums_in_shared' or 'replicated', got 'cluster'}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 8, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 1, run = 1, cluster = 2>} : tensor<8xf32>
  return
}

// -----

func.func @no_part_of_a_mapping(%x: tensor<8xf32>) {
  // expected-error@+1 {{expected 'cluster', 'run', 'sums_in_shared' or 'replicated', got 'phase'}}
  %0 = tg.neg %x {stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 8, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 1, phase = 1>} : tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{a task loop has 1 to 6 axes, got 7}}
#m = #stitch.axes<[0] of [2, 2, 2, 2, 2, 2, 2], cluster = [1, 1, 1, 1, 1, 1, 1], unroll = [1, 1, 1, 1, 1, 1, 1], warps = [1, 1, 1, 1, 1, 1, 1], lanes = [32, 1, 1, 1, 1, 1, 1], vector = [1, 1, 1, 1, 1, 1, 1]>

// -----

// expected-error@+1 {{warps has 1 numbers for 2 axes}}
#m = #stitch.axes<[0, 1] of [4, 8], cluster = [1, 1], unroll = [1, 1], warps = [1], lanes = [4, 8], vector = [1, 1]>

// -----

// expected-error@+1 {{unroll must be positive numbers of 32 bits, got 0}}
#m = #stitch.axes<[0, 1] of [4, 8], cluster = [1, 1], unroll = [1, 0], warps = [1, 1], lanes = [4, 8], vector = [1, 1]>

// -----

// expected-error@+1 {{cluster, warps, lanes and vector must be powers of two, got 1, 3, 8 and 1 of axis 1}}
#m = #stitch.axes<[0, 1] of [4, 8], cluster = [1, 1], unroll = [1, 1], warps = [1, 3], lanes = [4, 8], vector = [1, 1]>

// -----

// expected-error@+1 {{vectors of 4 do not divide the 6 elements of axis 1}}
#m = #stitch.axes<[0, 1] of [4, 6], cluster = [1, 1], unroll = [1, 1], warps = [1, 1], lanes = [4, 8], vector = [1, 4]>

// -----

// expected-error@+1 {{a warp has 32 lanes and a block at most 32 warps, got 16 and 1}}
#m = #stitch.axes<[0, 1] of [4, 8], cluster = [1, 1], unroll = [1, 1], warps = [1, 1], lanes = [2, 8], vector = [1, 1]>

// -----

// expected-error@+1 {{a cluster has at most 16 blocks along one axis, and one axis vectors, of at most 16 elements}}
#m = #stitch.axes<[0, 1] of [4, 8], cluster = [1, 1], unroll = [1, 1], warps = [1, 1], lanes = [4, 8], vector = [2, 2]>

// -----

// expected-error@+1 {{a cluster has at most 16 blocks along one axis, and one axis vectors, of at most 16 elements}}
#m = #stitch.axes<[0, 1] of [4, 8], cluster = [2, 2], unroll = [1, 1], warps = [1, 1], lanes = [4, 8], vector = [1, 1]>

// -----

// expected-error@+1 {{a root's elements are made of different axes from 0 to 1, got 2}}
#m = #stitch.axes<[0, 2] of [4, 8], cluster = [1, 1], unroll = [1, 1], warps = [1, 1], lanes = [4, 8], vector = [1, 1]>

// -----

// expected-error@+1 {{a root's elements are made of different axes from 0 to 1, got 1}}
#m = #stitch.axes<[1, 1] of [4, 8], cluster = [1, 1], unroll = [1, 1], warps = [1, 1], lanes = [4, 8], vector = [1, 1]>

// -----

// expected-error@+1 {{a mapping of axes is written as #stitch.axes}}
#m = #stitch.mapping<axes, rows = 1, columns = 8, block_rows = 1, row_threads = 32, vector = 1, unroll = 1, split = 1>

// -----

gpu.module @kernels {
  // expected-error@+1 {{a grid of 6 blocks is not made of clusters of 4}}
  gpu.func @k() kernel attributes {stitch.launch = #stitch.launch<grid = 6, block = 32, registers = 32, shared = 0, scratch = 0, barriers = 0, cluster = 4>} {
    gpu.return
  }
}

// -----

func.func @f(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{has a variable without a name}}
  %0 = stitch.adaptive "" ["apart"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{has names for 1 versions but 2 regions}}
  %0 = stitch.adaptive "v" ["apart"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }, {
    stitch.yield %x : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{has two versions of the name 'apart'}}
  %0 = stitch.adaptive "v" ["apart", "apart"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }, {
    stitch.yield %x : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{has a version without a name}}
  %0 = stitch.adaptive "v" ["apart", ""] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }, {
    stitch.yield %x : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  %0 = stitch.adaptive "v" ["apart", "all"] : tensor<8xf32> {
    stitch.yield %x : tensor<8xf32>
  }, {
    // expected-error@+1 {{yields ('tensor<4xf32>') in version "all" where ('tensor<8xf32>') is expected}}
    stitch.yield %y : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{has no versions}}
  %0 = "stitch.adaptive"() <{variable = "v", versions = []}> : () -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{has no results}}
  "stitch.adaptive"() <{variable = "v", versions = ["apart"]}> ({
    stitch.yield
  }) : () -> ()
  return
}

// -----

// expected-error@+1 {{columns must be a power of two up to 16, got 3}}
#s = #stitch.skinny<columns = 3, depth = 4, warps = 1, unroll = 1>

// -----

// expected-error@+1 {{depth must be at least 4, the contracted elements of a lane in a tensor core's instruction, got 2}}
#s = #stitch.skinny<columns = 1, depth = 2, warps = 1, unroll = 1>

// -----

// expected-error@+1 {{warps must be from 1 to 32, got 33}}
#s = #stitch.skinny<columns = 1, depth = 4, warps = 33, unroll = 1>

// -----

// expected-error@+1 {{'func.func' op attribute 'stitch.skinny' must be a #stitch.skinny on a stitch.fusion}}
func.func private @f() attributes {stitch.skinny = #stitch.skinny<columns = 1, depth = 4, warps = 1, unroll = 1>}

// -----

// expected-error@+1 {{rows must be a multiple of 16 and at most 512, got 24}}
#a = #stitch.attention<fma, rows = 24, keys = 32>

// -----

// expected-error@+1 {{keys must be a multiple of 16 and at most 128, got 0}}
#a = #stitch.attention<mma, rows = 64, keys = 0>

// -----

// expected-error@+1 {{buffers must be 1 or 2, got 3}}
#a = #stitch.attention<mma, rows = 64, keys = 32, buffers = 3>

// -----

// expected-error@+1 {{rows must be a multiple of 64, those of a warpgroup, with wgmma, got 96}}
#a = #stitch.attention<wgmma, rows = 96, keys = 32>

// -----

// expected-error@+1 {{'func.func' op attribute 'stitch.attention' belongs on a stitch.fusion}}
func.func private @f() attributes {stitch.attention = #stitch.attention<fma, rows = 64, keys = 32>}

// -----

// expected-error@below {{attribute 'stitch.measured' must be a dictionary of f64, on a module, got {k1 = 5 : i64}}}
module attributes {stitch.measured = {k1 = 5 : i64}} {}

// -----

func.func @f() {
  // expected-error@+1 {{'stitch.fusion' op attribute 'stitch.schedule' must be a #stitch.schedule, got 1 : i64}}
  stitch.fusion() : () -> () attributes {stitch.schedule = 1 : i64} {
  }
  return
}

// -----

#m = #stitch.mapping<row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>
// expected-error@+1 {{'func.func' op attribute 'stitch.schedule' belongs on a stitch.fusion}}
func.func private @f() attributes {stitch.schedule = #stitch.schedule<[<phase = 0, mapping = #m>]>}

// -----

#m = #stitch.mapping<row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>
// expected-error@+1 {{loops are in the order of their phases, which are numbered from 0 on, got phase 2 behind 0}}
#s = #stitch.schedule<[<phase = 0, mapping = #m>, <phase = 2, mapping = #m>]>

// -----

#m = #stitch.mapping<row, rows = 1, columns = 8, block_rows = 1, row_threads = 8, vector = 1, unroll = 1, split = 1>
// expected-error@+1 {{loops are in the order of their phases, which are numbered from 0 on, got phase 1 behind 0}}
#s = #stitch.schedule<[<phase = 1, mapping = #m>]>

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{'tg.neg' op attribute 'stitch.task' must be a #stitch.task, got 1 : i64}}
  %0 = tg.neg %x {stitch.task = 1 : i64} : tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{stage must be from 0 to 32767, got -1}}
#t = #stitch.task<loop = 0, stage = -1>

// -----

// expected-error@+1 {{loops and phases are numbered from 0 on}}
#t = #stitch.task<loop = -1, stage = 0>

// -----

// expected-error@+1 {{phases, inputs and bytes are numbered from 0 on}}
func.func private @f() attributes {a = #stitch.prefetch<phase = -1, input = 0, offset = 0, bytes = 16>}

// -----

// expected-error@+1 {{offset and bytes must be multiples of 16, got 8 and 16}}
func.func private @f() attributes {a = #stitch.prefetch<phase = 0, input = 0, offset = 8, bytes = 16>}

// -----

// expected-error@+1 {{'func.func' op attribute 'stitch.prefetch' belongs on a stitch.fusion}}
func.func private @f() attributes {stitch.prefetch = []}

// -----

func.func @f(%q: memref<4096xf32, #gpu.address_space<workgroup>>, %row: index, %k: memref<1024xf32, #gpu.address_space<workgroup>>, %s0: vector<2x2xf32>) {
  // expected-error@+1 {{multiplies f16 or bf16, not 'f32'}}
  %s:2 = "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 16 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xf32, #gpu.address_space<workgroup>>, index, memref<1024xf32, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>)
  return
}

// -----

func.func @f(%q: memref<4096xf16, #gpu.address_space<workgroup>>, %row: index, %k: memref<1024xf16, #gpu.address_space<workgroup>>, %s0: vector<2x2xf32>) {
  // expected-error@+1 {{contracts a multiple of 16 elements, and has 8 to 256 columns}}
  %s:2 = "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 24 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xf16, #gpu.address_space<workgroup>>, index, memref<1024xf16, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>)
  return
}

// -----

func.func @f(%q: memref<4096xf16, #gpu.address_space<workgroup>>, %row: index, %k: memref<1024xf16, #gpu.address_space<workgroup>>, %s0: vector<2x2xf32>) {
  // expected-error@+1 {{contracts a multiple of 16 elements, and has 8 to 256 columns}}
  "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 16 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xf16, #gpu.address_space<workgroup>>, index, memref<1024xf16, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @f(%q: memref<4096xf16, #gpu.address_space<workgroup>>, %row: index, %k: memref<1024xf16, #gpu.address_space<workgroup>>, %s0: vector<2x2xf32>) {
  // expected-error@+1 {{has panels whose rows are no multiples of 64 for A, and of 8 for B}}
  %s:2 = "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 16 : i64, lhs_rows = 32 : i64, rhs_rows = 16 : i64} : (memref<4096xf16, #gpu.address_space<workgroup>>, index, memref<1024xf16, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>)
  return
}

// -----

func.func @f(%q: memref<4096xf16, #gpu.address_space<workgroup>>, %row: index, %k: memref<1024xf16, #gpu.address_space<workgroup>>, %s0: vector<2x2xf32>) {
  // expected-error@+1 {{has A neither as a 'vector<4x2xf16>' for each 16 elements, nor as a memref of panels of 'f16' and a row}}
  %s:2 = "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 80 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xf16, #gpu.address_space<workgroup>>, index, memref<1024xf16, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>)
  return
}

// -----

func.func @f(%q: memref<4096xbf16, #gpu.address_space<workgroup>>, %row: index, %k: memref<1024xf16, #gpu.address_space<workgroup>>, %s0: vector<2x2xf32>) {
  // expected-error@+1 {{has A neither as a 'vector<4x2xf16>' for each 16 elements, nor as a memref of panels of 'f16' and a row}}
  %s:2 = "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 16 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xbf16, #gpu.address_space<workgroup>>, index, memref<1024xf16, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>)
  return
}

// -----

func.func @f(%q: memref<4096xf16, #gpu.address_space<workgroup>>, %row: index, %k: memref<1024xf16, #gpu.address_space<workgroup>>, %s0: vector<2x2xf32>) {
  // expected-error@+1 {{has no room for B in a memref of panels}}
  %s:3 = "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 16 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xf16, #gpu.address_space<workgroup>>, index, memref<1024xf16, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>)
  return
}

// -----

func.func @f(%q: memref<4096xf16, #gpu.address_space<workgroup>>, %row: index, %k: memref<1000xf16, #gpu.address_space<workgroup>>, %s0: vector<2x2xf32>) {
  // expected-error@+1 {{has no room for B in a memref of panels}}
  %s:2 = "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 16 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xf16, #gpu.address_space<workgroup>>, index, memref<1000xf16, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>)
  return
}

// -----

func.func @f(%q: memref<4096xf16, #gpu.address_space<workgroup>>, %row: index, %k: memref<1024xf16, #gpu.address_space<workgroup>>, %s0: vector<2x2xf32>) {
  // expected-error@+1 {{has no room for B in a memref of panels}}
  %s:2 = "stitch.warpgroup_product"(%q, %row, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 32 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64, transposed} : (memref<4096xf16, #gpu.address_space<workgroup>>, index, memref<1024xf16, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>)
  return
}

// -----

func.func @f(%q: memref<4096xf16, #gpu.address_space<workgroup>>, %row: index, %k: memref<1024xf16, #gpu.address_space<workgroup>>, %s0: vector<2x2xf32>) {
  // expected-error@+1 {{has results and sums that are no 'vector<2x2xf32>', or not as many sums as results}}
  %s:2 = "stitch.warpgroup_product"(%q, %row, %k, %s0) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 1>, depth = 16 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xf16, #gpu.address_space<workgroup>>, index, memref<1024xf16, #gpu.address_space<workgroup>>, vector<2x2xf32>) -> (vector<2x2xf32>, vector<2x2xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tg.neg' op attribute 'stitch.bf16_parts' must be a unit attribute of a tg.dot}}
  %0 = tg.neg %x {stitch.bf16_parts} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@below {{attribute 'stitch.rules' must be an array of rules, which stitch-rules makes of files and hints, got [1]}}
module attributes {stitch.rules = [1]} {}

// -----

// expected-error@+1 {{'func.func' op attribute 'stitch.blocks' must be a power of two up to 16, of 64 bits, on a stitch.fusion, got 8 : i64}}
func.func private @f() attributes {stitch.blocks = 8 : i64}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stitch.fusion' op attribute 'stitch.blocks' must be a power of two up to 16, of 64 bits, on a stitch.fusion, got 3 : i64}}
  stitch.fusion(%a = %x) : (tensor<4xf32>) -> () attributes {stitch.blocks = 3 : i64} {
    stitch.yield
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stitch.fusion' op attribute 'stitch.scan' must be a unit attribute of a stitch.fusion, got 1 : i64}}
  stitch.fusion(%a = %x) : (tensor<4xf32>) -> () attributes {stitch.scan = 1 : i64} {
    stitch.yield
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stitch.fusion' op attribute 'stitch.one_per_sm' must be a unit attribute of a stitch.fusion, got 1 : i64}}
  stitch.fusion(%a = %x) : (tensor<4xf32>) -> () attributes {stitch.one_per_sm = 1 : i64} {
    stitch.yield
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error@+1 {{'stitch.fusion' op attribute 'stitch.persistent' must be a unit attribute of a stitch.fusion, or the loop's {iterations, unchanged, counters}}}
  stitch.fusion(%a = %x) : (tensor<4xf32>) -> () attributes {stitch.persistent = {iterations = 3 : i64}} {
    stitch.yield
  }
  return
}
