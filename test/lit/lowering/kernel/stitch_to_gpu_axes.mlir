// REQUIRES: long-tests
// RUN: stitch-compile %s --pipeline=plan=astitch-by-cost --emit=gpu | FileCheck %s
// RUN: stitch-compile %s --pipeline=plan=astitch-by-cost -o %t.so --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=7
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=3
// RUN: %python %source/test/mutation/mutate_barriers.py --compile stitch-compile --run stitch-run --option=--pipeline=plan=astitch-by-cost --expect-needed %s

// A loop of axes on a small device where waiting for the grid is dear: a row of groups in a cluster, whose blocks combine their sums through each
// other's shared memory; maxima of a group by shuffles; sums over rows as partial results.

// CHECK: gpu.func @fusion_0
// CHECK: gpu.shuffle xor
// CHECK: stitch.cluster_barrier
// CHECK: stitch.cluster_memory
// CHECK: stitch.grid_barrier
module attributes {stitch.device = #stitch.device<h200, sms = 4, gpc_sms = 4, bandwidth_gbps = 50, barrier_ns = 20000>} {
  func.func @main(%x: tensor<6x40x1536xf32>, %w: tensor<40x1536xf32>) -> (tensor<40x6x1536xf32>, tensor<40x6xf32>, tensor<6xf32>, tensor<1536xf32>) {
    %s = tg.mul %x, %x : tensor<6x40x1536xf32>
    %sum = tg.reduce add %s dims [1, 2] : (tensor<6x40x1536xf32>) -> tensor<6xf32>
    %r = tg.sqrt %sum : tensor<6xf32>
    %b = tg.broadcast %r dims [0] : (tensor<6xf32>) -> tensor<6x40x1536xf32>
    %y = tg.div %x, %b : tensor<6x40x1536xf32>
    %v = tg.broadcast %w dims [1, 2] : (tensor<40x1536xf32>) -> tensor<6x40x1536xf32>
    %z = tg.mul %y, %v : tensor<6x40x1536xf32>
    %most = tg.reduce max %z dims [2] : (tensor<6x40x1536xf32>) -> tensor<6x40xf32>
    %m = tg.broadcast %most dims [0, 1] : (tensor<6x40xf32>) -> tensor<6x40x1536xf32>
    %q = tg.sub %z, %m : tensor<6x40x1536xf32>
    %column = tg.reduce add %q dims [0, 1] : (tensor<6x40x1536xf32>) -> tensor<1536xf32>
    %t = tg.transpose %q permutation [1, 0, 2] : (tensor<6x40x1536xf32>) -> tensor<40x6x1536xf32>
    %o = tg.transpose %most permutation [1, 0] : (tensor<6x40xf32>) -> tensor<40x6xf32>
    return %t, %o, %r, %column : tensor<40x6x1536xf32>, tensor<40x6xf32>, tensor<6xf32>, tensor<1536xf32>
  }
}
