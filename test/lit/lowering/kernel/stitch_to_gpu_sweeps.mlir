// REQUIRES: long-tests
// RUN: stitch-opt %s -split-input-file --stitch-pipeline=plan=astitch-by-cost --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: %python %source/test/lit/split_file.py %s %t
// RUN: stitch-compile --pipeline=plan=astitch-by-cost %t.0.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2
// RUN: stitch-compile --pipeline=plan=astitch-by-cost %t.1.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-compile --pipeline=plan=astitch-by-cost %t.2.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-compile --pipeline=plan=astitch-by-cost %t.3.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-compile --pipeline=plan=astitch-by-cost %t.4.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=3 --thread-order=0
// RUN: stitch-run %t.so --check --seed=6 --thread-order=1

// A sum of ten arrays and the sum of its squares: a loop goes through the elements once, reads what both need for four of them, stores the
// sum and adds up the squares. Unrolled, it would read 640 words, for which there are no registers. Rounds in which a block has all elements
// have no masks; a second loop has the others (stitch_to_gpu_rounds.mlir).

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> (f32, f32, f32, f32)
// CHECK-COUNT-10: vector.load
// CHECK-NOT: vector.load
// CHECK: vector.store
// CHECK: scf.yield
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32)
// CHECK-COUNT-10: vector.load
// CHECK-NOT: vector.load
// CHECK: vector.store
// CHECK: scf.yield
// CHECK-NOT: vector.load
// CHECK: gpu.shuffle
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, sms = 2>} {
  func.func @main(%a0: tensor<127x1028xf32>, %a1: tensor<127x1028xf32>, %a2: tensor<127x1028xf32>, %a3: tensor<127x1028xf32>, %a4: tensor<127x1028xf32>, %a5: tensor<127x1028xf32>, %a6: tensor<127x1028xf32>, %a7: tensor<127x1028xf32>, %a8: tensor<127x1028xf32>, %a9: tensor<127x1028xf32>) -> (tensor<127x1028xf32>, tensor<f32>) {
    %0 = tg.add %a0, %a1 : tensor<127x1028xf32>
    %1 = tg.add %0, %a2 : tensor<127x1028xf32>
    %2 = tg.add %1, %a3 : tensor<127x1028xf32>
    %3 = tg.add %2, %a4 : tensor<127x1028xf32>
    %4 = tg.add %3, %a5 : tensor<127x1028xf32>
    %5 = tg.add %4, %a6 : tensor<127x1028xf32>
    %6 = tg.add %5, %a7 : tensor<127x1028xf32>
    %7 = tg.add %6, %a8 : tensor<127x1028xf32>
    %8 = tg.add %7, %a9 : tensor<127x1028xf32>
    %9 = tg.mul %8, %8 : tensor<127x1028xf32>
    %10 = tg.reduce add %9 dims [0, 1] : (tensor<127x1028xf32>) -> tensor<f32>
    return %8, %10 : tensor<127x1028xf32>, tensor<f32>
  }
}

// -----

// Three results of 32 elements a thread are made of the same two values. These would take all 64 registers from one
// result to the next, so a loop makes all three of 16 elements.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: registers = 64
// CHECK: scf.for
// CHECK-COUNT-2: vector.load %arg0
// CHECK-COUNT-2: vector.store %{{.*}}, %arg1
// CHECK-NOT: vector.load
// CHECK-COUNT-2: vector.store %{{.*}}, %arg2
// CHECK-COUNT-2: vector.store %{{.*}}, %arg3
// CHECK-NOT: vector.
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, sms = 1>} {
  func.func @main(%x: tensor<81848xf16>) -> (tensor<81848xf16>, tensor<81848xf16>, tensor<81848xf16>) {
    %e = tg.exp %x : tensor<81848xf16>
    %s = tg.tanh %x : tensor<81848xf16>
    %y = tg.mul %e, %s : tensor<81848xf16>
    %z = tg.add %e, %s : tensor<81848xf16>
    %w = tg.sub %e, %s : tensor<81848xf16>
    return %y, %z, %w : tensor<81848xf16>, tensor<81848xf16>, tensor<81848xf16>
  }
}

// -----

// Three gradients, scaled by their norm, each for an update of three results that read each other. What an update reads
// of a step, 24 words, fits into a loop twice; the third comes in the next one. (The norm waits for all of the gradients.)

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: scf.for {{.*}} iter_args
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: vector.load %arg0[
// CHECK: vector.load %arg3[
// CHECK: vector.store %{{.*}}, %arg18
// CHECK: vector.load %arg4[
// CHECK-NOT: vector.load %arg0[
// CHECK-NOT: vector.load %arg3[
// CHECK: vector.store %{{.*}}, %arg19
// CHECK: vector.load %arg7[
// CHECK-NOT: vector.load %arg4[
// CHECK: vector.store %{{.*}}, %arg20
// CHECK: vector.load %arg1[
// CHECK: vector.store %{{.*}}, %arg23
// CHECK-NOT: vector.load
// CHECK: scf.for
// CHECK-NOT: vector.load %arg1[
// CHECK: vector.load %arg2[
// CHECK: vector.store %{{.*}}, %arg26
// CHECK-NOT: scf.for
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, sms = 1>} {
  func.func @main(%g0: tensor<81848xf32>, %m0: tensor<81848xf32>, %p0: tensor<81848xf32>, %v0: tensor<81848xf32>, %q0: tensor<81848xf32>, %r0: tensor<81848xf32>, %g1: tensor<81848xf32>, %m1: tensor<81848xf32>, %p1: tensor<81848xf32>, %v1: tensor<81848xf32>, %q1: tensor<81848xf32>, %r1: tensor<81848xf32>, %g2: tensor<81848xf32>, %m2: tensor<81848xf32>, %p2: tensor<81848xf32>, %v2: tensor<81848xf32>, %q2: tensor<81848xf32>, %r2: tensor<81848xf32>) -> (tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>) {
    %n0 = tg.mul %g0, %g0 : tensor<81848xf32>
    %s0 = tg.reduce add %n0 dims [0] : (tensor<81848xf32>) -> tensor<f32>
    %n1 = tg.mul %g1, %g1 : tensor<81848xf32>
    %s1 = tg.reduce add %n1 dims [0] : (tensor<81848xf32>) -> tensor<f32>
    %n2 = tg.mul %g2, %g2 : tensor<81848xf32>
    %s2 = tg.reduce add %n2 dims [0] : (tensor<81848xf32>) -> tensor<f32>
    %sum1 = tg.add %s0, %s1 : tensor<f32>
    %sum2 = tg.add %sum1, %s2 : tensor<f32>
    %scale = tg.rsqrt %sum2 : tensor<f32>
    %all = tg.broadcast %scale dims [] : (tensor<f32>) -> tensor<81848xf32>
    %c0 = tg.mul %g0, %all : tensor<81848xf32>
    %m0_new = tg.add %c0, %m0 : tensor<81848xf32>
    %v0_new = tg.mul %c0, %v0 : tensor<81848xf32>
    %w0 = tg.mul %m0_new, %v0_new : tensor<81848xf32>
    %t0 = tg.add %q0, %r0 : tensor<81848xf32>
    %u0 = tg.mul %w0, %t0 : tensor<81848xf32>
    %p0_new = tg.sub %p0, %u0 : tensor<81848xf32>
    %c1 = tg.mul %g1, %all : tensor<81848xf32>
    %m1_new = tg.add %c1, %m1 : tensor<81848xf32>
    %v1_new = tg.mul %c1, %v1 : tensor<81848xf32>
    %w1 = tg.mul %m1_new, %v1_new : tensor<81848xf32>
    %t1 = tg.add %q1, %r1 : tensor<81848xf32>
    %u1 = tg.mul %w1, %t1 : tensor<81848xf32>
    %p1_new = tg.sub %p1, %u1 : tensor<81848xf32>
    %c2 = tg.mul %g2, %all : tensor<81848xf32>
    %m2_new = tg.add %c2, %m2 : tensor<81848xf32>
    %v2_new = tg.mul %c2, %v2 : tensor<81848xf32>
    %w2 = tg.mul %m2_new, %v2_new : tensor<81848xf32>
    %t2 = tg.add %q2, %r2 : tensor<81848xf32>
    %u2 = tg.mul %w2, %t2 : tensor<81848xf32>
    %p2_new = tg.sub %p2, %u2 : tensor<81848xf32>
    return %m0_new, %v0_new, %p0_new, %m1_new, %v1_new, %p1_new, %m2_new, %v2_new, %p2_new : tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>, tensor<81848xf32>
  }
}

// -----

// A result that needs a reduce, and behind it a reduce that does not: one loop for both, and what they read of %x.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: scf.for {{.*}} iter_args
// CHECK: gpu.barrier
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-4: vector.load %arg0
// CHECK-NOT: vector.load %arg0
// CHECK: vector.store %{{.*}}, %arg2
// CHECK-COUNT-4: vector.load %arg1
// CHECK-NOT: scf.for
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, sms = 1>} {
  func.func @main(%x: tensor<131004xf32>, %z: tensor<131004xf32>) -> (tensor<131004xf32>, tensor<f32>) {
    %0 = tg.reduce max %x dims [0] : (tensor<131004xf32>) -> tensor<f32>
    %1 = tg.broadcast %0 dims [] : (tensor<f32>) -> tensor<131004xf32>
    %2 = tg.sub %x, %1 : tensor<131004xf32>
    %3 = tg.mul %z, %x : tensor<131004xf32>
    %4 = tg.reduce add %3 dims [0] : (tensor<131004xf32>) -> tensor<f32>
    return %2, %4 : tensor<131004xf32>, tensor<f32>
  }
}

// -----

// A sum of twelve arrays, of which a thread reads elements that others compute: the reduce waits until all are there.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: scf.for
// CHECK-NOT: scf.yield
// CHECK: vector.store %{{.*}}, %{{.*}} : memref<{{.*}}, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: scf.for {{.*}} iter_args
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, sms = 2>} {
  func.func @main(%a0: tensor<5x4096xf32>, %a1: tensor<5x4096xf32>, %a2: tensor<5x4096xf32>, %a3: tensor<5x4096xf32>, %a4: tensor<5x4096xf32>, %a5: tensor<5x4096xf32>, %a6: tensor<5x4096xf32>, %a7: tensor<5x4096xf32>, %a8: tensor<5x4096xf32>, %a9: tensor<5x4096xf32>, %a10: tensor<5x4096xf32>, %a11: tensor<5x4096xf32>) -> (tensor<5x4096xf32>, tensor<5xf32>) {
    %0 = tg.add %a0, %a1 : tensor<5x4096xf32>
    %1 = tg.add %0, %a2 : tensor<5x4096xf32>
    %2 = tg.add %1, %a3 : tensor<5x4096xf32>
    %3 = tg.add %2, %a4 : tensor<5x4096xf32>
    %4 = tg.add %3, %a5 : tensor<5x4096xf32>
    %5 = tg.add %4, %a6 : tensor<5x4096xf32>
    %6 = tg.add %5, %a7 : tensor<5x4096xf32>
    %7 = tg.add %6, %a8 : tensor<5x4096xf32>
    %8 = tg.add %7, %a9 : tensor<5x4096xf32>
    %9 = tg.add %8, %a10 : tensor<5x4096xf32>
    %10 = tg.add %9, %a11 : tensor<5x4096xf32>
    %e = tg.exp %10 : tensor<5x4096xf32>
    %r = tg.reverse %e dims [1] : tensor<5x4096xf32>
    %m = tg.mul %e, %r : tensor<5x4096xf32>
    %s = tg.reduce add %m dims [1] : (tensor<5x4096xf32>) -> tensor<5xf32>
    return %e, %s : tensor<5x4096xf32>, tensor<5xf32>
  }
}
