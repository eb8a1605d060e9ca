// REQUIRES: long-tests
// RUN: stitch-opt %s --stitch-pipeline=plan=astitch-by-cost --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: stitch-compile --pipeline=plan=astitch-by-cost %s -o %t.so --device="h200, sms = 8, bandwidth_gbps = 800, barrier_ns = 4000, gpc_sms = 8" --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2
// RUN: stitch-compile --pipeline=plan=astitch-by-cost %s -o %t.so --device=simt
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=4

// Where two blocks of a cluster, which would share a multiprocessor, do not find the shared memory for their partial results, clusters are smaller.
// RUN: stitch-compile --pipeline=plan=astitch-by-cost %s --emit=plan --device="h200, sms = 8, bandwidth_gbps = 800, barrier_ns = 4000, gpc_sms = 4, shared_per_sm = 24576" -o - | FileCheck %s --check-prefix=SMALL
// SMALL-NOT: cluster = 8
// SMALL: cluster = 4
// SMALL-NOT: cluster = 8

// A row is handled by eight blocks, each of which loads its part once. A block leaves its partial result in its shared memory;
// behind the cluster's barrier every thread takes those of all blocks. The two reductions use the halves of the reduction area in
// turn, so no barrier ends a task; the last one keeps each block alive until the others have read.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: known_cluster_size = array<i32: 8, 1, 1>
// CHECK-SAME: stitch.traffic = array<i64: 11360000, 11360000>
// CHECK: %[[CLUSTER:.*]] = gpu.cluster_id x
// CHECK: %[[RANK:.*]] = gpu.cluster_block_id x
// CHECK: scf.for %{{.*}} = %[[CLUSTER]] to
// CHECK: arith.muli %[[RANK]],
// CHECK-COUNT-5: vector.load %arg0
// CHECK-NOT: vector.load
// CHECK: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: gpu.shuffle
// CHECK: memref.store
// CHECK: stitch.cluster_barrier
// CHECK: %[[OTHER:.*]] = stitch.cluster_memory %{{.*}}, %{{.*}} : memref<?xi8, #gpu.address_space<workgroup>> -> memref<?xi8, 7>
// CHECK: memref.view %[[OTHER]]
// CHECK: memref.load %{{.*}} : memref<9xf32, 7>
// CHECK: gpu.barrier
// CHECK: stitch.cluster_barrier
// CHECK: memref.load %{{.*}} : memref<9xf32, 7>
// CHECK-NOT: vector.load
// CHECK-COUNT-5: vector.store
// CHECK-NOT: barrier
// CHECK: stitch.cluster_barrier
// CHECK-NEXT: gpu.return
// CHECK-LABEL: gpu.func @fusion_1
// CHECK-SAME: cluster = 8>
// CHECK: gpu.launch_func @kernels::@fusion_0 clusters in (%c8, %c1, %c1) blocks in (%c{{[0-9]+}}, %c1, %c1)
module attributes {stitch.device = #stitch.device<h200, sms = 8, bandwidth_gbps = 800, barrier_ns = 4000, gpc_sms = 8>} {
  func.func @main(%x: tensor<71x40000xf32>, %h: tensor<3x70001xbf16>, %w: tensor<70001xbf16>)
      -> (tensor<71x40000xf32>, tensor<3x70001xbf16>, tensor<3xf32>, tensor<3x70001xf32>) {
    %max = tg.reduce max %x dims [1] : (tensor<71x40000xf32>) -> tensor<71xf32>
    %m = tg.broadcast %max dims [0] : (tensor<71xf32>) -> tensor<71x40000xf32>
    %d = tg.sub %x, %m : tensor<71x40000xf32>
    %e = tg.exp %d : tensor<71x40000xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<71x40000xf32>) -> tensor<71xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<71xf32>) -> tensor<71x40000xf32>
    %r = tg.div %e, %s : tensor<71x40000xf32>
    // Rows of odd length, whose last block has a part of them only; one element a row is stored by one thread of the cluster.
    %f = tg.convert %h : (tensor<3x70001xbf16>) -> tensor<3x70001xf32>
    %q = tg.mul %f, %f : tensor<3x70001xf32>
    %squares = tg.reduce add %q dims [1] : (tensor<3x70001xf32>) -> tensor<3xf32>
    %root = tg.sqrt %squares : tensor<3xf32>
    %n = tg.broadcast %root dims [0] : (tensor<3xf32>) -> tensor<3x70001xf32>
    %u = tg.div %f, %n : tensor<3x70001xf32>
    %b = tg.convert %u : (tensor<3x70001xf32>) -> tensor<3x70001xbf16>
    %g = tg.broadcast %w dims [1] : (tensor<70001xbf16>) -> tensor<3x70001xbf16>
    %o = tg.mul %b, %g : tensor<3x70001xbf16>
    return %r, %o, %root, %u : tensor<71x40000xf32>, tensor<3x70001xbf16>, tensor<3xf32>, tensor<3x70001xf32>
  }
}
