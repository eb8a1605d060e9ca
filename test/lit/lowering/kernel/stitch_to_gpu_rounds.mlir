// REQUIRES: long-tests
// RUN: stitch-opt %s -split-input-file --stitch-pipeline --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: %python %source/test/lit/split_file.py %s %t
// RUN: stitch-compile %t.0.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2
// RUN: stitch-compile %t.1.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2
// RUN: stitch-compile %t.2.mlir --device="h200, sms = 8" -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2

// Sums of columns: of the last block's rows some do not exist. A loop goes over the rounds of which the block has all rows, without masks, and
// its accesses lie constants apart; another one over those that are left.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: %[[FIRST:.*]] = arith.minui %{{.*}}, %c300003 : index
// CHECK: %[[LEFT:.*]] = arith.subi %c300003, %[[FIRST]]
// CHECK: %[[WHOLE:.*]] = arith.divui %[[LEFT]], %{{.*}}
// CHECK: %[[MOST:.*]] = arith.minui %[[WHOLE]], %[[COUNT:.*]] : index
// CHECK: scf.for %{{.*}} = %c0 to %[[MOST]]
// CHECK-NOT: arith.minui
// CHECK-NOT: arith.select
// CHECK: %[[PLACE:.*]] = arith.addi %[[BASE:.*]], %c{{[0-9]+}} overflow<nsw, nuw>
// CHECK: vector.load %arg0[%[[PLACE]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[BASE]], %c{{[0-9]+}} overflow<nsw, nuw>
// CHECK: vector.load %arg0[%[[NEXT]]]
// CHECK: %[[THIRD:.*]] = arith.addi %[[BASE]], %c{{[0-9]+}} overflow<nsw, nuw>
// CHECK: vector.load %arg0[%[[THIRD]]]
// CHECK-NOT: arith.minui
// CHECK-NOT: arith.select
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %[[MOST]] to %[[COUNT]]
// CHECK: arith.minui
// CHECK: arith.select
// CHECK: scf.yield
module attributes {stitch.device = #stitch.device<h200, sms = 8>} {
  func.func @main(%x: tensor<300003x8xf32>) -> tensor<8xf32> {
    %0 = tg.reduce add %x dims [0] : (tensor<300003x8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// Sums of rows: all blocks have the same rounds, and the last one, in which the row ends, follows the loop. It has the only masks.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: scf.for %{{.*}} = %c0 to %c{{[0-9]+}}
// CHECK-NOT: arith.minui
// CHECK-NOT: arith.select
// CHECK: scf.yield
// CHECK: arith.minui
// CHECK: arith.select
// CHECK-NOT: scf.for
// CHECK: gpu.shuffle
module attributes {stitch.device = #stitch.device<h200, sms = 2>} {
  func.func @main(%x: tensor<20x98000xf16>) -> tensor<20xf16> {
    %0 = tg.reduce add %x dims [1] : (tensor<20x98000xf16>) -> tensor<20xf16>
    return %0 : tensor<20xf16>
  }
}

// -----

// Steps that do not fill a round have a loop without masks, too, if they are many; a block goes through one of the two once.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: scf.for %{{.*}} = %c0 to %c5 step
// CHECK: scf.yield
// CHECK: %[[REST:.*]] = arith.minui %{{.*}}, %c1 : index
// CHECK: scf.for %{{.*}} = %c0 to %[[REST]] step
// CHECK-NOT: arith.minui
// CHECK-COUNT-6: vector.load %arg0
// CHECK-NOT: arith.minui
// CHECK-NOT: vector.load
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %[[REST]] to %c1 step
// CHECK: arith.minui
// CHECK: scf.yield
// CHECK: gpu.shuffle
module attributes {stitch.device = #stitch.device<h200, sms = 8, cluster_blocks = 1>} {
  func.func @main(%x: tensor<47003x32xf32>) -> tensor<32xf32> {
    %0 = tg.reduce add %x dims [0] : (tensor<47003x32xf32>) -> tensor<32xf32>
    return %0 : tensor<32xf32>
  }
}
