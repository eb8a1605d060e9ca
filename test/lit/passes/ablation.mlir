// RUN: stitch-opt %s -stitch-pipeline="plan=xla" | FileCheck %s --check-prefix=XLA
// RUN: stitch-opt %s -stitch-pipeline="plan=atm" | FileCheck %s --check-prefix=ATM
// RUN: stitch-opt %s -stitch-pipeline="plan=hdm" | FileCheck %s --check-prefix=HDM
// RUN: stitch-opt %s -stitch-pipeline="plan=astitch" | FileCheck %s --check-prefix=ASTITCH

// The columns of AStitch's table 4 on a softmax of short rows.

// The scope of XLA is a kernel for each reduce and one for the rest; a row is a block, whatever its length.

// XLA: = stitch.fusion(
// XLA: tg.reduce max {{.*}}block_rows = 1, row_threads = 256, vector = 1,
// XLA-COUNT-2: = stitch.fusion(
// XLA-NOT: stitch.fusion(

// Adaptive thread mapping: the same kernels, with many rows in a block.

// ATM: = stitch.fusion(
// ATM: tg.reduce max {{.*}}rows = 8192, columns = 64, block_rows = 32, row_threads = 8,
// ATM: = stitch.fusion(
// ATM: tg.reduce add {{.*}}rows = 8192, columns = 64, block_rows = 32, row_threads = 8,
// ATM: = stitch.fusion(
// ATM-NOT: stitch.fusion(

// Hierarchical data management: one kernel; without dominant merging each root is a group.

// HDM: = stitch.fusion(
// HDM: tg.reduce max {{.*}}stitch.group = 0
// HDM: tg.reduce add {{.*}}stitch.group = [[#GROUP:]]
// HDM: tg.div {{.*}}stitch.group = [[#GROUP+1]]
// HDM-NOT: stitch.fusion(

// Dominant merging: one group, whose values stay in registers.

// ASTITCH: = stitch.fusion(
// ASTITCH: tg.reduce max {{.*}}stitch.group = 0
// ASTITCH: tg.reduce add {{.*}}stitch.group = 0
// ASTITCH: tg.div {{.*}}stitch.group = 0
// ASTITCH-NOT: stitch.group = 1
// ASTITCH-NOT: stitch.fusion(
func.func @main(%x: tensor<8192x64xf32>) -> tensor<8192x64xf32> {
  %max = tg.reduce max %x dims [1] : (tensor<8192x64xf32>) -> tensor<8192xf32>
  %maxes = tg.broadcast %max dims [0] : (tensor<8192xf32>) -> tensor<8192x64xf32>
  %shifted = tg.sub %x, %maxes : tensor<8192x64xf32>
  %e = tg.exp %shifted : tensor<8192x64xf32>
  %sum = tg.reduce add %e dims [1] : (tensor<8192x64xf32>) -> tensor<8192xf32>
  %sums = tg.broadcast %sum dims [0] : (tensor<8192xf32>) -> tensor<8192x64xf32>
  %0 = tg.div %e, %sums : tensor<8192x64xf32>
  return %0 : tensor<8192x64xf32>
}
