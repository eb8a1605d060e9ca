// REQUIRES: long-tests
// RUN: stitch-opt %s --stitch-pipeline --stitch-verify-plan | FileCheck %s --check-prefix=PLAN
// RUN: stitch-compile %s --emit=gpu | FileCheck %s
// RUN: stitch-compile %s -o %t.so --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=7
// RUN: %python %source/test/mutation/mutate_barriers.py --compile stitch-compile --run stitch-run --expect-needed %s

// Accumulators in shared memory of blocks that have rows of their own, and are a cluster: behind the loop each block combines a part of the columns,
// of all blocks, from where the accumulators are. One barrier of the cluster is before that, and the grid's behind it.

// PLAN: tg.reduce add %{{.*}} dims [0] {{.*}}<carried, rows = 40, columns = 8192, block_rows = 1, row_threads = 512, vector = 4, unroll = 4, split = 2, cluster = 2, sums_in_shared>

// CHECK: memref.view %{{.*}}[%c4096][] {stitch.own}
// CHECK: memref.view %{{.*}}[%c36864][] {stitch.own}
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: stitch.rolled
// CHECK-NOT: vector.store
// CHECK: stitch.cluster_barrier
// CHECK-COUNT-2: stitch.cluster_memory
// CHECK-NOT: stitch.cluster_barrier
// CHECK: stitch.grid_barrier
module attributes {stitch.device = #stitch.device<h200, sms = 4, gpc_sms = 4, bandwidth_gbps = 200>} {
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
