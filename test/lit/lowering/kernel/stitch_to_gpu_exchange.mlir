// REQUIRES: long-tests
// RUN: stitch-opt %s --stitch-pipeline=plan=astitch --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: stitch-compile --pipeline=plan=astitch %s -o %t.so --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2
// RUN: %python %source/test/mutation/mutate_barriers.py --compile stitch-compile --run stitch-run --expect-needed --option=--pipeline=plan=astitch %s | FileCheck %s --check-prefix=MUTATE
// MUTATE: [[N:[0-9]+]] of [[N]] deleted barriers of 1 kernels are found, 0 other failures

// Sixteen warps with the maxima of 32 columns: if every thread combined those of its own columns, the block would read 16 times what it
// reads if 32 threads take a column each. Then the blocks of the cluster, again column by column, and all threads read what these have left.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: known_cluster_size = array<i32: 4, 1, 1>
// CHECK: gpu.shuffle
// CHECK: vector.store %{{.*}}, %[[VIEW:.*]][%{{.*}}] {alignment = 16 : i64} : memref<544xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: %[[HAS:.*]] = arith.cmpi ult, %{{.*}}, %c32 : index
// CHECK: scf.if %[[HAS]] {
// CHECK-COUNT-16: memref.load %[[VIEW]]
// CHECK-NOT: memref.load
// CHECK: memref.store %{{.*}}, %[[VIEW]]
// CHECK: stitch.cluster_barrier
// CHECK: scf.if %[[HAS]] {
// CHECK-COUNT-4: memref.load %{{.*}} : memref<544xf32, 7>
// CHECK: memref.store %{{.*}}, %[[VIEW]]
// CHECK: gpu.barrier
// CHECK-COUNT-2: vector.load %[[VIEW]]
// CHECK-NOT: {{vector.load|gpu.barrier}}
// CHECK: vector.store %{{.*}}, %arg1
module attributes {stitch.device = #stitch.device<h200, sms = 8, bandwidth_gbps = 200, gpc_sms = 8>} {
  func.func @main(%x: tensor<4096x64xbf16>) -> tensor<4096x64xbf16> {
    %m = tg.reduce max %x dims [0] : (tensor<4096x64xbf16>) -> tensor<64xbf16>
    %b = tg.broadcast %m dims [1] : (tensor<64xbf16>) -> tensor<4096x64xbf16>
    %y = tg.sub %x, %b : tensor<4096x64xbf16>
    return %y : tensor<4096x64xbf16>
  }
}
