// RUN: stitch-opt %s -split-input-file --stitch-pipeline='plan=astitch device=v100' | FileCheck %s
// RUN: stitch-opt %s -split-input-file --stitch-pipeline='plan=astitch-by-cost device=v100' | FileCheck %s --check-prefix=COST
// RUN: stitch-opt %s -split-input-file --stitch-pipeline='plan=astitch device=h200' | FileCheck %s --check-prefix=H200

// AStitch, figure 8 (b), and 4.3: rows longer than 1024 of which there are fewer than co-resident blocks, 160 on a
// V100, are split. The paper's example becomes 128 blocks there. By cost it stays as it is: 64 blocks take what memory
// gives.

// CHECK-LABEL: func.func @main
// CHECK: grid = 128
// CHECK: tg.reduce add {{.*}} rows = 64, columns = 30000, block_rows = 1, row_threads = 256, vector = 4, unroll = 15, split = 2>
// COST-LABEL: func.func @main
// COST: grid = 64
// COST: tg.reduce add {{.*}} split = 1>
// H200-LABEL: func.func @main
// H200: grid = 256
// H200: tg.reduce add {{.*}} split = 4>
func.func @main(%x: tensor<64x30000xf32>) -> tensor<64xf32> {
  %0 = tg.reduce add %x dims [1] : (tensor<64x30000xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// The last number of rows that is few, and the least length that is long.

// CHECK-LABEL: func.func @main
// CHECK: tg.reduce add {{.*}} rows = 159, columns = 1028, {{.*}} split = 2>
func.func @main(%x: tensor<159x1028xf32>) -> tensor<159xf32> {
  %0 = tg.reduce add %x dims [1] : (tensor<159x1028xf32>) -> tensor<159xf32>
  return %0 : tensor<159xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tg.reduce add {{.*}} rows = 159, columns = 1024, {{.*}} split = 1>
func.func @main(%x: tensor<159x1024xf32>) -> tensor<159xf32> {
  %0 = tg.reduce add %x dims [1] : (tensor<159x1024xf32>) -> tensor<159xf32>
  return %0 : tensor<159xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tg.reduce add {{.*}} rows = 160, columns = 30000, {{.*}} split = 1>
func.func @main(%x: tensor<160x30000xf32>) -> tensor<160xf32> {
  %0 = tg.reduce add %x dims [1] : (tensor<160x30000xf32>) -> tensor<160xf32>
  return %0 : tensor<160xf32>
}

// -----

// A device with clusters of blocks splits such rows over the grid all the same: the paper knows none.

// H200-LABEL: func.func @main
// H200: grid = 256
// H200-NOT: cluster =
// H200: tg.reduce max {{.*}} rows = 8, columns = 262144, {{.*}} split = {{[0-9][0-9]}}>
func.func @main(%x: tensor<8x262144xf32>) -> tensor<8x262144xf32> {
  %0 = tg.reduce max %x dims [1] : (tensor<8x262144xf32>) -> tensor<8xf32>
  %1 = tg.broadcast %0 dims [0] : (tensor<8xf32>) -> tensor<8x262144xf32>
  %2 = tg.sub %x, %1 : tensor<8x262144xf32>
  %3 = tg.exp %2 : tensor<8x262144xf32>
  %4 = tg.reduce add %3 dims [1] : (tensor<8x262144xf32>) -> tensor<8xf32>
  %5 = tg.broadcast %4 dims [0] : (tensor<8xf32>) -> tensor<8x262144xf32>
  %6 = tg.div %3, %5 : tensor<8x262144xf32>
  return %6 : tensor<8x262144xf32>
}
