// RUN: stitch-opt %s --stitch-pipeline=device=h200 --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s --stitch-pipeline=device=h200 | FileCheck %s --check-prefix=PLAN
// RUN: stitch-opt %s --stitch-pipeline=device=h200 --convert-stitch-to-gpu --canonicalize | FileCheck %s --check-prefix=KERNEL
// RUN: stitch-compile %s --device=h200 --target=simt --checks -o %t.so
// RUN: stitch-run %t.so --device=simt --check --thread-order=3 | FileCheck %s --check-prefix=SIMT

// FusionStitching figure 5 (a), kernel packing: computations without dependences in one kernel. Their tasks have one numbering, the
// loop with the most tasks first, and each of the 257 blocks has one of them: 200 of the sum, 32, 24 and 1 of the elementwise
// operations. All run at once, so they are small: 33 blocks of 256 threads would leave most multiprocessors without any.

// REMARK: 4 kernels of {{.*}} together, the longest of {{.*}} ns, are composed
// REMARK: 257 tasks in blocks of 32: {{.*}} grid of 257

// PLAN: stitch.fusion
// PLAN-SAME: grid = 257, block = 32
// PLAN: tg.add {{.*}}<flat, rows = 1, columns = 64, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 1>
// PLAN: tg.abs {{.*}}<flat, rows = 1, columns = 4000, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 32>
// PLAN: tg.neg {{.*}}<flat, rows = 1, columns = 3000, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 24>
// PLAN: tg.reduce {{.*}}<row, rows = 200, columns = 96, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 1>
// PLAN-NOT: stitch.fusion

// KERNEL: gpu.func @fusion_0
// KERNEL-SAME: stitch.rounds = array<i64: 1, 1>
// KERNEL-NOT: scf.for
// KERNEL: %[[BLOCK:.*]] = gpu.block_id
// KERNEL-NEXT: %[[IS_SUM:.*]] = arith.cmpi ult, %[[BLOCK]], %c200
// KERNEL-NEXT: scf.if %[[IS_SUM]] {
// KERNEL: gpu.shuffle
// KERNEL: } else {
// KERNEL-NEXT: %[[IS_ABS:.*]] = arith.cmpi ult, %[[BLOCK]], %c232
// KERNEL-NEXT: scf.if %[[IS_ABS]] {
// KERNEL-NEXT: arith.subi %[[BLOCK]], %c200
// KERNEL: math.absf
// KERNEL: } else {
// KERNEL-NEXT: %[[IS_NEG:.*]] = arith.cmpi ult, %[[BLOCK]], %c256
// KERNEL-NEXT: scf.if %[[IS_NEG]] {
// KERNEL-NEXT: arith.subi %[[BLOCK]], %c232
// KERNEL: arith.negf
// KERNEL: } else {
// KERNEL: arith.addf
// KERNEL-NOT: gpu.barrier
// KERNEL: gpu.return

// SIMT: 1 of 1 launches checked alone, 0 wrong
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<4000xf32>, %d: tensor<3000xf32>, %e: tensor<200x96xf32>) -> (tensor<64xf32>, tensor<4000xf32>, tensor<3000xf32>, tensor<200xf32>) {
  %add = tg.add %a, %b : tensor<64xf32>
  %abs = tg.abs %c : tensor<4000xf32>
  %neg = tg.neg %d : tensor<3000xf32>
  %sum = tg.reduce add %e dims [1] : (tensor<200x96xf32>) -> tensor<200xf32>
  return %add, %abs, %neg, %sum : tensor<64xf32>, tensor<4000xf32>, tensor<3000xf32>, tensor<200xf32>
}
