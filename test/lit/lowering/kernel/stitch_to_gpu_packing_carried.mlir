// RUN: stitch-compile %s --device="h200, sms = 4, shared_per_sm = 81920, bandwidth_gbps = 100, gpc_sms = 4" --target=sm_90 --emit=gpu -o %t.gpu.mlir
// RUN: stitch-opt %t.gpu.mlir --canonicalize --cse | FileCheck %s
// RUN: stitch-compile %s --device="h200, sms = 4, shared_per_sm = 81920, bandwidth_gbps = 100, gpc_sms = 4" --target=simt --checks -o %t.so
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2

// A loop that carries column sums has a fixed grid and is a loop of its own; so is one with more tasks than there are blocks, whose first
// task is rotated: it goes on where the tasks before it end. Behind 16 and 9 tasks on 4 blocks that is block 1; behind 6 more it is block 3,
// where the pack of the last two begins.

// The same where a multiprocessor has shared memory for what a thread loads in its next task: the first copies of a loop are those of its
// first task, if the block has one.

// RUN: stitch-compile %s --device="h200, sms = 4, bandwidth_gbps = 100, gpc_sms = 4" --target=sm_90 --emit=gpu -o %t.staged.mlir
// RUN: stitch-opt %t.staged.mlir --canonicalize --cse | FileCheck %s --check-prefix=STAGED
// RUN: stitch-compile %s --device="h200, sms = 4, bandwidth_gbps = 100, gpc_sms = 4" --target=simt --checks -o %t.so
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2

// STAGED: %[[BLOCK:.*]] = gpu.block_id
// STAGED-COUNT-3: nvgpu.device_async_copy
// STAGED: scf.for %{{.*}} = %[[BLOCK]] to %c16 step %c4 iter_args
// STAGED: arith.subi %[[BLOCK]], %c1
// STAGED: %[[TASK:.*]] = arith.select
// STAGED-NEXT: %[[HAS:.*]] = arith.cmpi ult, %[[TASK]], %c6
// STAGED-NEXT: scf.if %[[HAS]] {
// STAGED: nvgpu.device_async_copy
// STAGED-NOT: nvgpu.device_async_copy
// STAGED: nvvm.cp.async.commit.group
// STAGED-NEXT: scf.for %{{.*}} = %[[TASK]] to %c6 step %c4 {
// STAGED-NEXT: nvvm.cp.async.wait.group 0
// STAGED: stitch.grid_barrier

// CHECK: gpu.func @fusion_0
// CHECK-SAME: grid = 4, block = 512
// CHECK-SAME: stitch.rounds = array<i64: 10, 10>
// CHECK: %[[BLOCK:.*]] = gpu.block_id
// CHECK: scf.for %{{.*}} = %[[BLOCK]] to %c16 step %c4 iter_args
// CHECK: scf.for %{{.*}} = %[[BLOCK]] to %c9 step %c4 {
// CHECK: %[[BACK:.*]] = arith.subi %[[BLOCK]], %c1
// CHECK-NEXT: %[[AROUND:.*]] = arith.addi %[[BLOCK]], %c3
// CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi ult, %[[BLOCK]], %c1
// CHECK-NEXT: %[[TASK:.*]] = arith.select %[[WRAPS]], %[[AROUND]], %[[BACK]]
// CHECK-NEXT: scf.for %{{.*}} = %[[TASK]] to %c6 step %c4 {
// CHECK: arith.subi %[[BLOCK]], %c3
// CHECK: arith.cmpi ult, %{{.*}}, %c2
// CHECK: stitch.grid_barrier
// CHECK: gpu.return

func.func @main(%a: tensor<1000x96xf32>, %b: tensor<17000xf32>, %d: tensor<700x16xf32>, %e: tensor<300xf32>, %f: tensor<301xf32>) -> (tensor<1000xf32>, tensor<96xf32>, tensor<17000xf32>, tensor<700xf32>, tensor<300xf32>, tensor<301xf32>) {
  %0 = tg.reduce add %a dims [1] : (tensor<1000x96xf32>) -> tensor<1000xf32>
  %1 = tg.reduce add %a dims [0] : (tensor<1000x96xf32>) -> tensor<96xf32>
  %2 = tg.abs %b : tensor<17000xf32>
  %3 = tg.reduce max %d dims [1] : (tensor<700x16xf32>) -> tensor<700xf32>
  %4 = tg.exp %e : tensor<300xf32>
  %5 = tg.neg %f : tensor<301xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1000xf32>, tensor<96xf32>, tensor<17000xf32>, tensor<700xf32>, tensor<300xf32>, tensor<301xf32>
}
