// REQUIRES: long-tests
// RUN: stitch-opt %s --stitch-pipeline --stitch-verify-plan | FileCheck %s --check-prefix=PLAN
// RUN: stitch-compile %s --emit=gpu | FileCheck %s
// RUN: stitch-compile %s -o %t.so --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=7
// RUN: %python %source/test/mutation/mutate_barriers.py --compile stitch-compile --run stitch-run --expect-needed %s

// A thread has registers for its elements of a row, not for two accumulators of each: these are in shared memory, behind the halves for exchanges.
// Each thread stores zeros (and what is below all numbers) before the loop over the rows, adds to what it finds in it, and reads it behind it.
// No other thread does, so there is no barrier but that of the row's sum.

// PLAN: #stitch.launch<grid = 4, block = 512, registers = 128, shared = 69632, scratch = 262144, barriers = 1>
// PLAN: tg.reduce add %{{.*}} dims [0] {{.*}}<carried, rows = 40, columns = 8192, block_rows = 1, row_threads = 512, vector = 4, unroll = 4, split = 4, sums_in_shared>
// PLAN: tg.reduce max %{{.*}} dims [0] {{.*}}sums_in_shared>

// The same where a multiprocessor has shared memory for what a thread loads in its next task, too: behind the accumulators.

// RUN: sed 's/, shared_per_sm = 131072//' %s > %t.staged.mlir
// RUN: stitch-opt %t.staged.mlir --stitch-pipeline --stitch-verify-plan | FileCheck %s --check-prefix=STAGED
// RUN: stitch-compile %t.staged.mlir -o %t.so --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=7
// RUN: %python %source/test/mutation/mutate_barriers.py --compile stitch-compile --run stitch-run --expect-needed %t.staged.mlir

// STAGED: shared = 135168, scratch = 262144, barriers = 1>,{{.*}} stitch.staging = array<i64: 69632, 65536>
// STAGED: sums_in_shared>

// CHECK: %[[ADD:.*]] = memref.view %{{.*}}[%c4096][] {stitch.own}
// CHECK-COUNT-4: vector.store %{{.*}}, %[[ADD]]
// CHECK: %[[MAX:.*]] = memref.view %{{.*}}[%c36864][] {stitch.own}
// CHECK-COUNT-4: vector.store %{{.*}}, %[[MAX]]
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: gpu.barrier
// CHECK: vector.load %[[ADD]]
// CHECK: vector.store %{{.*}}, %[[ADD]]
// CHECK: vector.load %[[MAX]]
// CHECK: vector.store %{{.*}}, %[[MAX]]
// CHECK-NOT: gpu.barrier
// CHECK: stitch.rolled
// CHECK: vector.load %[[ADD]]
// CHECK: vector.load %[[MAX]]
// CHECK: stitch.grid_barrier
module attributes {stitch.device = #stitch.device<h200, sms = 4, cluster_blocks = 1, bandwidth_gbps = 200, shared_per_sm = 131072>} {
  func.func @main(%x: tensor<40x8192xf32>, %y: tensor<40x8192xf32>) -> (tensor<40x8192xf32>, tensor<8192xf32>, tensor<8192xf32>) {
    %p = tg.mul %x, %y : tensor<40x8192xf32>
    %sum = tg.reduce add %p dims [1] : (tensor<40x8192xf32>) -> tensor<40xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<40xf32>) -> tensor<40x8192xf32>
    %q = tg.mul %y, %s : tensor<40x8192xf32>
    %d = tg.sub %x, %q : tensor<40x8192xf32>
    %c = tg.reduce add %p dims [0] : (tensor<40x8192xf32>) -> tensor<8192xf32>
    %m = tg.reduce max %d dims [0] : (tensor<40x8192xf32>) -> tensor<8192xf32>
    return %d, %c, %m : tensor<40x8192xf32>, tensor<8192xf32>, tensor<8192xf32>
  }
}
