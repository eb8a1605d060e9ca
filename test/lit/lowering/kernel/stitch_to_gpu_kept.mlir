// REQUIRES: long-tests
// RUN: stitch-opt %s -split-input-file --stitch-pipeline=plan=astitch --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: %python %source/test/lit/split_file.py %s %t
// RUN: stitch-compile --pipeline=plan=astitch %t.0.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-compile --pipeline=plan=astitch %t.1.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-compile --pipeline=plan=astitch %t.2.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0

// A softmax of one row, split among 160 blocks, in three phases: each thread keeps its four elements up to the last.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: grid = 160, block = 256
// CHECK-SAME: stitch.traffic = array<i64: 656640, 656640>
// CHECK: vector.load %arg0
// CHECK-NOT: vector.load %arg0
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<1x163840xf32>) -> tensor<1x163840xf32> {
    %max = tg.reduce max %x dims [1] : (tensor<1x163840xf32>) -> tensor<1xf32>
    %b = tg.broadcast %max dims [0] : (tensor<1xf32>) -> tensor<1x163840xf32>
    %shifted = tg.sub %x, %b : tensor<1x163840xf32>
    %e = tg.exp %shifted : tensor<1x163840xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<1x163840xf32>) -> tensor<1xf32>
    %c = tg.broadcast %sum dims [0] : (tensor<1xf32>) -> tensor<1x163840xf32>
    %y = tg.div %e, %c : tensor<1x163840xf32>
    return %y : tensor<1x163840xf32>
  }
}

// -----

// The same, with the logarithm of the sum, for which the last phase has one more block. In the phases before, that one goes through the
// elements of the last, without a branch, and stores nothing.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: grid = 161, block = 256
// CHECK: %[[TASK:.*]] = arith.minui %block_id_x, %c159
// CHECK: %[[EXISTS:.*]] = arith.cmpi ule, %block_id_x, %c159
// CHECK: vector.load %arg0
// CHECK: %[[STORES:.*]] = arith.andi {{.*}}%[[EXISTS]]
// CHECK: scf.if %[[STORES]] {
// CHECK-NEXT: memref.store {{.*}}[%[[TASK]]] : memref<160xf32>
// CHECK: stitch.grid_barrier
// CHECK-NOT: vector.load %arg0
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<1x163840xf32>) -> (tensor<1x163840xf32>, tensor<1xf32>) {
    %max = tg.reduce max %x dims [1] : (tensor<1x163840xf32>) -> tensor<1xf32>
    %b = tg.broadcast %max dims [0] : (tensor<1xf32>) -> tensor<1x163840xf32>
    %shifted = tg.sub %x, %b : tensor<1x163840xf32>
    %e = tg.exp %shifted : tensor<1x163840xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<1x163840xf32>) -> tensor<1xf32>
    %c = tg.broadcast %sum dims [0] : (tensor<1xf32>) -> tensor<1x163840xf32>
    %y = tg.div %e, %c : tensor<1x163840xf32>
    %log = tg.log %sum : tensor<1xf32>
    return %y, %log : tensor<1x163840xf32>, tensor<1xf32>
  }
}

// -----

// A thread has ten elements of a row: 42 registers, which are handed out as 48. With 40 it would read them again.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: registers = 48
// CHECK-SAME: stitch.traffic = array<i64: 12607488, 12607488>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<3072x1026xf32>) -> tensor<3072x1026xf32> {
    %max = tg.reduce max %x dims [1] : (tensor<3072x1026xf32>) -> tensor<3072xf32>
    %b = tg.broadcast %max dims [0] : (tensor<3072xf32>) -> tensor<3072x1026xf32>
    %shifted = tg.sub %x, %b : tensor<3072x1026xf32>
    %e = tg.exp %shifted : tensor<3072x1026xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<3072x1026xf32>) -> tensor<3072xf32>
    %c = tg.broadcast %sum dims [0] : (tensor<3072xf32>) -> tensor<3072x1026xf32>
    %y = tg.div %e, %c : tensor<3072x1026xf32>
    return %y : tensor<3072x1026xf32>
  }
}
