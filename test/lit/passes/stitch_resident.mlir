// RUN: stitch-opt %s -split-input-file --stitch-pipeline=plan=persistent-always --stitch-remarks 2>%t.remarks > %t.plan.mlir
// RUN: FileCheck %s < %t.plan.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// What is written stays; stitch-launch takes it away with the launch that it belongs to. Room can be limited.
// RUN: stitch-opt %t.plan.mlir -split-input-file -stitch-resident | FileCheck %s
// RUN: stitch-opt %t.plan.mlir -split-input-file -stitch-launch | FileCheck %s --check-prefix=LAUNCH --implicit-check-not=stitch.resident
// RUN: stitch-opt %t.plan.mlir -split-input-file -stitch-launch "-stitch-resident=registers=24 shared=20000" -stitch-verify-plan | FileCheck %s --check-prefix=LIMIT
// RUN: stitch-opt %t.plan.mlir -split-input-file -stitch-launch "-stitch-resident=registers=0 shared=0" | FileCheck %s --check-prefix=LAUNCH --implicit-check-not=stitch.resident

// 36 MB of weights are in the multiprocessors over all iterations, two blocks on each: 132 x (106,496 bytes of shared memory + 57,344 of registers) x 2.
// CHECK-LABEL: func.func @weights
// CHECK: grid = 236, block = 256, registers = 128, shared = 106496
// CHECK-SAME: stitch.resident = [{group = 1 : i64, input = 3 : i64, offset = 8192 : i64, registers = 14 : i64, shared = 24 : i64}]
// REMARK: of the 36000000 bytes of input #3, which no iteration changes, threads keep 36000000: 14 of 38 steps in registers, 24 in shared memory
// LAUNCH-LABEL: func.func @weights
// LAUNCH: grid = 236, block = 256, registers = 128, shared = 8192
// LIMIT-LABEL: func.func @weights
// LIMIT: grid = 236, block = 256, registers = 128, shared = 24576
// LIMIT-SAME: offset = 8192 : i64, registers = 6 : i64, shared = 4 : i64
func.func @weights(%x: tensor<6x6000xf32>, %w: tensor<1500x6000xf32>, %h0: tensor<1500xf32>) -> tensor<1500xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %r:2 = tg.while(%i = %zero, %h = %h0) : tensor<i32>, tensor<1500xf32> attributes {trip_count = 6 : i64} cond {
    %n = tg.constant dense<6> : tensor<i32>
    %c = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %c : tensor<i1>
  } do {
    %z = tg.constant dense<0> : tensor<i32>
    %one = tg.constant dense<1> : tensor<i32>
    %next = tg.add %i, %one : tensor<i32>
    %xs = tg.dynamic_slice %x[%i, %z] sizes [1, 6000] : (tensor<6x6000xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6000xf32>
    %xt = tg.reshape %xs : (tensor<1x6000xf32>) -> tensor<6000xf32>
    %hb = tg.broadcast %h dims [0] : (tensor<1500xf32>) -> tensor<1500x6000xf32>
    %p = tg.mul %hb, %w : tensor<1500x6000xf32>
    %s = tg.reduce add %p dims [0] : (tensor<1500x6000xf32>) -> tensor<6000xf32>
    %a = tg.add %s, %xt : tensor<6000xf32>
    %f = tg.slice %a [0:1500] : (tensor<6000xf32>) -> tensor<1500xf32>
    %g = tg.slice %a [4500:6000] : (tensor<6000xf32>) -> tensor<1500xf32>
    %t = tg.tanh %f : tensor<1500xf32>
    %u = tg.mul %t, %g : tensor<1500xf32>
    tg.yield %next, %u : tensor<i32>, tensor<1500xf32>
  }
  return %r#1 : tensor<1500xf32>
}

// -----

// Elements of two bytes would be unpacked all the time in registers: they are in shared memory. A block has several rows of the product.
// CHECK-LABEL: func.func @halves
// CHECK: stitch.resident = [{group = {{[0-9]}} : i64, input = 1 : i64, offset = {{[0-9]+}} : i64, registers = 0 : i64, shared = 2 : i64}]
// LIMIT-LABEL: func.func @halves
func.func @halves(%w: tensor<1500x2048xbf16>, %h0: tensor<1500xbf16>) -> tensor<1500xbf16> {
  %r = tg.while(%h = %h0) : tensor<1500xbf16> attributes {trip_count = 6 : i64} cond {
    %c = tg.constant dense<true> : tensor<i1>
    tg.yield %c : tensor<i1>
  } do {
    %zero = tg.constant dense<0.0> : tensor<bf16>
    %l = tg.pad %h, %zero low [0] high [548] interior [0] : (tensor<1500xbf16>, tensor<bf16>) -> tensor<2048xbf16>
    %hb = tg.broadcast %l dims [1] : (tensor<2048xbf16>) -> tensor<1500x2048xbf16>
    %p = tg.mul %hb, %w : tensor<1500x2048xbf16>
    %s = tg.reduce add %p dims [1] : (tensor<1500x2048xbf16>) -> tensor<1500xbf16>
    %t = tg.tanh %s : tensor<1500xbf16>
    tg.yield %t : tensor<1500xbf16>
  }
  return %r : tensor<1500xbf16>
}

// -----

// A matrix that each iteration changes is kept nowhere, nor is one that no reduce goes through element by element.
// CHECK-LABEL: func.func @changed
// CHECK: stitch.persistent
// CHECK-NOT: stitch.resident
func.func @changed(%w0: tensor<64x64xf32>, %t0: tensor<64x64xf32>, %h0: tensor<64xf32>) -> (tensor<64xf32>, tensor<64x64xf32>) {
  %r:2 = tg.while(%h = %h0, %w = %w0) : tensor<64xf32>, tensor<64x64xf32> attributes {trip_count = 6 : i64} cond {
    %c = tg.constant dense<true> : tensor<i1>
    tg.yield %c : tensor<i1>
  } do {
    %hb = tg.broadcast %h dims [1] : (tensor<64xf32>) -> tensor<64x64xf32>
    %p = tg.mul %hb, %w : tensor<64x64xf32>
    %tt = tg.transpose %t0 permutation [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %q = tg.add %p, %tt : tensor<64x64xf32>
    %s = tg.reduce add %q dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %t = tg.tanh %s : tensor<64xf32>
    %v = tg.tanh %w : tensor<64x64xf32>
    tg.yield %t, %v : tensor<64xf32>, tensor<64x64xf32>
  }
  return %r#0, %r#1 : tensor<64xf32>, tensor<64x64xf32>
}
