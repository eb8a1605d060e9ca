// RUN: stitch-opt %s --stitch-pipeline=device=h200 | FileCheck %s --check-prefix=PLAN
// RUN: stitch-opt %s --stitch-pipeline=device=h200 --convert-stitch-to-gpu | FileCheck %s --check-prefix=KERNEL

// AStitch figure 5, power<2> - broadcast<2,128> - add<2,128>: TVM computes each power in 128 threads. Here it is an operation of
// its own with one element a row; a row is a warp's, whose threads compute its power together, once: two powers, not 256.

// PLAN: tg.pow {{.*}} rows = 2, columns = 1, block_rows = 1, row_threads = 32, {{.*}}role<sub_dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.task
// PLAN: tg.add {{.*}} rows = 2, columns = 128, block_rows = 1, row_threads = 32, vector = 4, unroll = 1,
// PLAN-NOT: tg.pow

// KERNEL: gpu.func
// KERNEL-COUNT-1: math.powf
// KERNEL-NOT: math.powf
func.func @main(%x: tensor<2xf32>, %e: tensor<2xf32>, %y: tensor<2x128xf32>) -> tensor<2x128xf32> {
  %p = tg.pow %x, %e : tensor<2xf32>
  %b = tg.broadcast %p dims [0] : (tensor<2xf32>) -> tensor<2x128xf32>
  %a = tg.add %b, %y : tensor<2x128xf32>
  return %a : tensor<2x128xf32>
}
