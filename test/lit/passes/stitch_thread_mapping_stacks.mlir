// RUN: stitch-opt %s -split-input-file --stitch-pipeline="device=h200 plan=persistent-never" | FileCheck %s

// Five rows times a matrix whose rows are the contracted ones: five sums for each column. The result is a stack of five vectors with an element
// for each column, and has no barrier to wait for: each row of threads has a vector of it.

// CHECK-LABEL: func.func @by_columns
// CHECK: scratch = 0, barriers = 0
// CHECK: tg.reduce add {{.*}}<column, rows = 768, columns = 768, {{.*}}split = 1{{.*}}#stitch.scheme<regional>
// CHECK: tg.add {{.*}}<kept, rows = 768, columns = 768, {{.*}}#stitch.scheme<independent>, stitch.stacked, {{.*}}} : tensor<5x768xf32>
func.func @by_columns(%x: tensor<5x768xf32>, %w: tensor<768x768xf32>, %b: tensor<768xf32>) -> tensor<5x768xf32> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<5x768xf32>, tensor<768x768xf32>) -> tensor<5x768xf32>
  %1 = tg.broadcast %b dims [1] : (tensor<768xf32>) -> tensor<5x768xf32>
  %2 = tg.add %0, %1 : tensor<5x768xf32>
  return %2 : tensor<5x768xf32>
}

// -----

// The rows of a matrix that are not contracted: five sums for each row, and a stack of five vectors with an element for each, of which five
// lanes take one each.

// CHECK-LABEL: func.func @by_rows
// CHECK: scratch = 0, barriers = 0>
// CHECK: tg.reduce add {{.*}}<row, rows = 770, columns = 768, block_rows = [[ROWS:[0-9]+]], row_threads = [[THREADS:[0-9]+]], {{.*}}#stitch.scheme<regional>
// CHECK: tg.add {{.*}}<row, rows = 770, columns = 5, block_rows = [[ROWS]], row_threads = [[THREADS]], vector = 1, unroll = 1, split = 1>, {{.*}}stitch.stacked, {{.*}}} : tensor<5x770xf32>
func.func @by_rows(%x: tensor<5x768xf32>, %w: tensor<770x768xf32>, %r: tensor<5x770xf32>) -> tensor<5x770xf32> {
  %0 = tg.dot %x, %w contract [1] x [1] : (tensor<5x768xf32>, tensor<770x768xf32>) -> tensor<5x770xf32>
  %1 = tg.add %0, %r : tensor<5x770xf32>
  return %1 : tensor<5x770xf32>
}

// -----

// Clusters share the rows of few columns, where a barrier of the grid takes longer than the exchanges of two sums in a cluster: no partial results in
// memory.

// CHECK-LABEL: func.func @in_clusters
// CHECK: scratch = 0, barriers = 0, cluster = 8>
// CHECK: tg.reduce add {{.*}}<column, rows = 16384, columns = 256, {{.*}}split = 1, cluster = 8>
// CHECK: stitch.stacked
module attributes {stitch.device = #stitch.device<h200, barrier_ns = 3000>} {
  func.func @in_clusters(%x: tensor<2x16384xbf16>, %w: tensor<16384x256xbf16>) -> tensor<2x256xbf16> {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<2x16384xbf16>, tensor<16384x256xbf16>) -> tensor<2x256xbf16>
    return %0 : tensor<2x256xbf16>
  }
}

// -----

// Otherwise the grid does: each of four sums would be exchanged in a cluster, for 1180 ns.

// CHECK-LABEL: func.func @many_exchanges
// CHECK: barriers = 1>
// CHECK-NOT: cluster =
// CHECK: tg.reduce add {{.*}}<column, rows = 16384, columns = 256, {{.*}}split = {{[0-9]+}}>
// CHECK-NOT: stitch.stacked
func.func @many_exchanges(%x: tensor<4x16384xbf16>, %w: tensor<16384x256xbf16>) -> tensor<4x256xbf16> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<4x16384xbf16>, tensor<16384x256xbf16>) -> tensor<4x256xbf16>
  return %0 : tensor<4x256xbf16>
}

// -----

// Where more than a follower waits for the sums there is a barrier in any case, and other phases would have less multiprocessors.

// CHECK-LABEL: func.func @behind_a_barrier
// CHECK: barriers = 1>
// CHECK-NOT: cluster =
// CHECK-NOT: stitch.stacked
func.func @behind_a_barrier(%x: tensor<1x16384xbf16>, %w: tensor<16384x256xbf16>, %v: tensor<256x16384xbf16>) -> tensor<1x16384xbf16> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<1x16384xbf16>, tensor<16384x256xbf16>) -> tensor<1x256xbf16>
  %1 = tg.dot %0, %v contract [1] x [0] : (tensor<1x256xbf16>, tensor<256x16384xbf16>) -> tensor<1x16384xbf16>
  return %1 : tensor<1x16384xbf16>
}

// -----

// What needs other columns is no stack of these.

// CHECK-LABEL: func.func @other_columns
// CHECK-NOT: stitch.stacked
// CHECK: return
func.func @other_columns(%x: tensor<5x768xf32>, %w: tensor<768x768xf32>) -> tensor<5x768xf32> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<5x768xf32>, tensor<768x768xf32>) -> tensor<5x768xf32>
  %1 = tg.reverse %0 dims [1] : tensor<5x768xf32>
  return %1 : tensor<5x768xf32>
}
