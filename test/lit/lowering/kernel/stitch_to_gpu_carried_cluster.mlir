// REQUIRES: long-tests
// RUN: stitch-opt %s --stitch-pipeline --stitch-verify-plan | FileCheck %s --check-prefix=PLAN
// RUN: stitch-compile %s --device="h200, sms = 16, bandwidth_gbps = 200" --emit=gpu | FileCheck %s
// RUN: stitch-compile %s -o %t.so --device="h200, sms = 16, bandwidth_gbps = 200" --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=7
// RUN: %python %source/test/mutation/mutate_barriers.py --compile stitch-compile --run stitch-run --expect-needed "--option=--device=h200, sms = 16, bandwidth_gbps = 200" %s

// The blocks of a cluster combine what they carry: each leaves its sums in its shared memory, all of a reduce's columns before one barrier, and
// reads those of a part of the columns from both. The rows of threads of a block have combined theirs before, for both reduces.

// PLAN: tg.reduce add %{{.*}} dims [0] {{.*}}<carried, rows = 130, columns = 400, block_rows = 8, row_threads = 64, vector = 4, unroll = 2, split = 4, cluster = 2>

// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NOT: stitch.cluster_barrier
// CHECK: vector.store
// CHECK: stitch.cluster_barrier
// CHECK-COUNT-2: stitch.cluster_memory
// CHECK: stitch.cluster_barrier
// CHECK-COUNT-2: stitch.cluster_memory
// CHECK-NOT: stitch.cluster
// CHECK: stitch.grid_barrier
module attributes {stitch.device = #stitch.device<h200, sms = 16, bandwidth_gbps = 200>} {
  func.func @main(%x: tensor<130x400xf32>, %y: tensor<130x400xf32>) -> (tensor<130x400xf32>, tensor<400xf32>, tensor<400xf32>) {
    %p = tg.mul %x, %y : tensor<130x400xf32>
    %r = tg.reduce max %p dims [1] : (tensor<130x400xf32>) -> tensor<130xf32>
    %b = tg.broadcast %r dims [0] : (tensor<130xf32>) -> tensor<130x400xf32>
    %s = tg.sub %p, %b : tensor<130x400xf32>
    %c = tg.reduce add %s dims [0] : (tensor<130x400xf32>) -> tensor<400xf32>
    %d = tg.reduce max %x dims [0] : (tensor<130x400xf32>) -> tensor<400xf32>
    return %s, %c, %d : tensor<130x400xf32>, tensor<400xf32>, tensor<400xf32>
  }
}
