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
// RUN: stitch-compile %t.2.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=1

// Sums that do not depend on each other go together: the steps of their shuffles take turns, one barrier serves both. That is one
// exchange in a task, an odd number, so tasks use the halves of the reduction area in turn, and no barrier ends a task.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: scf.for
// CHECK: %[[ODD:.*]] = arith.cmpi ne
// CHECK-NEXT: %[[BEGIN:.*]] = arith.select %[[ODD]], %c[[HALF:[0-9]+]], %c0
// CHECK-COUNT-4: vector.load %arg0
// CHECK-NOT: vector.load %arg0
// CHECK: %[[A0:.*]], %{{.*}} = gpu.shuffle xor %[[A:.*]], %c16
// CHECK: arith.addf %[[A]], %[[A0]]
// CHECK: %[[B0:.*]], %{{.*}} = gpu.shuffle xor %[[B:.*]], %c16
// CHECK: arith.addf %[[B]], %[[B0]]
// CHECK: gpu.shuffle xor %{{.*}}, %c8
// CHECK: gpu.shuffle xor %{{.*}}, %c8
// CHECK: memref.view %{{.*}}[%[[BEGIN]]][] {stitch.halves = array<i64: 0, [[HALF]]>}
// CHECK: memref.store
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: vector.store
// CHECK: } {stitch.alternates, stitch.rolled}
module attributes {stitch.device = #stitch.device<h200, sms = 4>} {
  func.func @main(%x: tensor<1999x4096xf32>, %y: tensor<1999x4096xf32>) -> tensor<1999x4096xf32> {
    %0 = tg.mul %x, %y : tensor<1999x4096xf32>
    %1 = tg.reduce add %0 dims [1] : (tensor<1999x4096xf32>) -> tensor<1999xf32>
    %2 = tg.reduce add %x dims [1] : (tensor<1999x4096xf32>) -> tensor<1999xf32>
    %3 = tg.broadcast %1 dims [0] : (tensor<1999xf32>) -> tensor<1999x4096xf32>
    %4 = tg.broadcast %2 dims [0] : (tensor<1999xf32>) -> tensor<1999x4096xf32>
    %5 = tg.sub %y, %3 : tensor<1999x4096xf32>
    %6 = tg.mul %5, %4 : tensor<1999x4096xf32>
    return %6 : tensor<1999x4096xf32>
  }
}

// -----

// A row that is more than a thread's registers hold is read in a loop: the sums share it, and what they read.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: vector.load %arg0
// CHECK-NOT: scf.for
// CHECK: gpu.shuffle
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: } {stitch.alternates, stitch.rolled}
module attributes {stitch.device = #stitch.device<a100, sms = 4>} {
  func.func @main(%x: tensor<37x65536xf32>) -> (tensor<37xf32>, tensor<37xf32>) {
    %0 = tg.mul %x, %x : tensor<37x65536xf32>
    %1 = tg.reduce add %0 dims [1] : (tensor<37x65536xf32>) -> tensor<37xf32>
    %2 = tg.reduce max %x dims [1] : (tensor<37x65536xf32>) -> tensor<37xf32>
    return %1, %2 : tensor<37xf32>, tensor<37xf32>
  }
}

// -----

// A reduce that depends on another one comes after it: two exchanges, an even number.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: scf.for
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK-NOT: stitch.alternates
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, sms = 4>} {
  func.func @main(%x: tensor<1999x4096xf32>) -> tensor<1999x4096xf32> {
    %0 = tg.reduce max %x dims [1] : (tensor<1999x4096xf32>) -> tensor<1999xf32>
    %1 = tg.broadcast %0 dims [0] : (tensor<1999xf32>) -> tensor<1999x4096xf32>
    %2 = tg.sub %x, %1 : tensor<1999x4096xf32>
    %3 = tg.exp %2 : tensor<1999x4096xf32>
    %4 = tg.reduce add %3 dims [1] : (tensor<1999x4096xf32>) -> tensor<1999xf32>
    %5 = tg.broadcast %4 dims [0] : (tensor<1999xf32>) -> tensor<1999x4096xf32>
    %6 = tg.div %3, %5 : tensor<1999x4096xf32>
    return %6 : tensor<1999x4096xf32>
  }
}
