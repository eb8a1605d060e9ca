// RUN: stitch-opt %s --stitch-pipeline=plan=astitch --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: stitch-compile --pipeline=plan=astitch %s -o %t.so --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2

// Behind the grid barrier each thread wants the maximum of the row, of which 64 blocks have left a part. The threads of a warp load two parts each, and
// combine them by shuffles: there is no loop over all parts, and no barrier.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: barriers = 1
// CHECK: %[[LANE:.*]] = arith.remui %thread_id_x, %c32 : index
// CHECK: stitch.grid_barrier
// CHECK-NEXT: memref.load %[[PARTS:.*]][%[[LANE]]] : memref<64xf32>
// CHECK: %[[SECOND:.*]] = arith.addi %[[LANE]], %c32
// CHECK: memref.load %[[PARTS]][%[[SECOND]]] : memref<64xf32>
// CHECK: arith.maximumf
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: {{scf.for|barrier|memref.load}}
// CHECK: vector.store
module attributes {stitch.device = #stitch.device<h200, sms = 64, bandwidth_gbps = 2000, cluster_blocks = 1>} {
  func.func @main(%x: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
    %m = tg.reduce max %x dims [1] : (tensor<1x65536xf32>) -> tensor<1xf32>
    %b = tg.broadcast %m dims [0] : (tensor<1xf32>) -> tensor<1x65536xf32>
    %y = tg.sub %x, %b : tensor<1x65536xf32>
    return %y : tensor<1x65536xf32>
  }
}
