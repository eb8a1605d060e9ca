// REQUIRES: long-tests
// RUN: stitch-opt %s -split-input-file --stitch-pipeline=plan=thin --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: %python %source/test/lit/split_file.py %s %t
// RUN: stitch-compile --pipeline=plan=thin %t.0.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2
// RUN: stitch-compile --pipeline=plan=thin %t.1.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2
// RUN: stitch-compile --pipeline=plan=thin %t.2.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2
// RUN: stitch-compile --pipeline=plan=thin %t.3.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2
// RUN: %python %source/test/mutation/mutate_barriers.py --compile stitch-compile --run stitch-run --expect-needed --option=--pipeline=plan=thin %t.0.mlir %t.2.mlir | FileCheck %s --check-prefix=MUTATE

// MUTATE-NOT: not found
// MUTATE: deleted barriers of 2 kernels are found, 0 other failures

// Three rows times a matrix: as many sums of each column. Each of the first three of 32 rows of threads has a vector of the result, whose sums
// it has in registers, like all others.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: scratch = 0, barriers = 0
// CHECK-COUNT-3: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: %[[MINE:.*]] = arith.cmpi ult, %{{.*}}, %c3
// CHECK: scf.if %[[MINE]] {
// CHECK-COUNT-2: math.tanh
// CHECK-NOT: math.tanh
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, cluster_blocks = 1>} {
  func.func @main(%x: tensor<3x515xf32>, %w: tensor<515x770xf32>, %b: tensor<770xf32>, %r: tensor<3x770xf32>) -> (tensor<3x770xf32>, tensor<3x770xf32>) {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<3x515xf32>, tensor<515x770xf32>) -> tensor<3x770xf32>
    %1 = tg.broadcast %b dims [1] : (tensor<770xf32>) -> tensor<3x770xf32>
    %2 = tg.add %0, %1 : tensor<3x770xf32>
    %3 = tg.tanh %2 : tensor<3x770xf32>
    %4 = tg.add %3, %r : tensor<3x770xf32>
    return %2, %4 : tensor<3x770xf32>, tensor<3x770xf32>
  }
}

// -----

// More vectors than the eight rows of threads: the first row has two. A thread has four columns.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: barriers = 0
// CHECK-COUNT-8: math.tanh
// CHECK-NOT: math.tanh
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, bandwidth_gbps = 2000>} {
  func.func @main(%x: tensor<9x40xf32>, %w: tensor<40x40000xf32>) -> tensor<9x40000xf32> {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<9x40xf32>, tensor<40x40000xf32>) -> tensor<9x40000xf32>
    %1 = tg.tanh %0 : tensor<9x40000xf32>
    return %1 : tensor<9x40000xf32>
  }
}

// -----

// The blocks of a cluster have parts of the rows. The first of them has the result.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: scratch = 0, barriers = 0, cluster = 8
// CHECK: stitch.cluster_barrier
// CHECK: stitch.cluster_memory
// CHECK: arith.cmpi eq, %{{.*}}, %c0
// CHECK: scf.if
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, barrier_ns = 4000>} {
  func.func @main(%x: tensor<2x8200xbf16>, %w: tensor<8200x132xbf16>, %r: tensor<2x132xbf16>) -> tensor<2x132xbf16> {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<2x8200xbf16>, tensor<8200x132xbf16>) -> tensor<2x132xbf16>
    %1 = tg.add %0, %r : tensor<2x132xbf16>
    return %1 : tensor<2x132xbf16>
  }
}

// -----

// By rows: a warp has seven sums of a row of the matrix, and each of seven lanes an element of the result's seven rows.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: scratch = 0, barriers = 0
// CHECK: gpu.shuffle
// CHECK: arith.cmpi ult
// CHECK-COUNT-1: math.tanh
// CHECK-NOT: math.tanh
// CHECK: scf.if
// CHECK-NEXT: memref.store
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<7x130xf32>, %w: tensor<1031x130xf32>, %b: tensor<1031xf32>, %r: tensor<7x1031xf32>) -> tensor<7x1031xf32> {
    %0 = tg.dot %x, %w contract [1] x [1] : (tensor<7x130xf32>, tensor<1031x130xf32>) -> tensor<7x1031xf32>
    %1 = tg.broadcast %b dims [1] : (tensor<1031xf32>) -> tensor<7x1031xf32>
    %2 = tg.add %0, %1 : tensor<7x1031xf32>
    %3 = tg.tanh %2 : tensor<7x1031xf32>
    %4 = tg.add %3, %r : tensor<7x1031xf32>
    return %4 : tensor<7x1031xf32>
  }
}
