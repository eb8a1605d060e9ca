// Kernels that follow each other (docs/ir.md, "Prefetches"; docs/cuda.md).

// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=xla | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=xla | sed '0,/barriers = 0/s//barriers = 1/' | stitch-opt -split-input-file -stitch-prefetch | FileCheck %s --check-prefix=COOPERATIVE

// A kernel that is launched while the one before it runs asks for its argument before it waits for that, and not for what that computes. The first
// kernel of all waits for nothing.
// CHECK-LABEL: func.func @ahead
// CHECK: %[[SUM:.*]] = stitch.fusion
// CHECK-NOT: stitch.prefetch
// CHECK: stitch.fusion({{.*}} = %arg1, {{.*}} = %[[SUM]])
// CHECK-SAME: stitch.prefetch = [#stitch.prefetch<phase = 0, input = 0, offset = 0, bytes = 524288>],
// Behind a kernel with grid barriers none is launched ahead.
// COOPERATIVE: func.func @ahead
// COOPERATIVE-NOT: stitch.prefetch
// COOPERATIVE: func.func @waves
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @ahead(%x: tensor<512x4096xf32>, %w: tensor<512x256xf32>) -> tensor<512x256xf32> {
    %m = tg.reduce add %x dims [1] : (tensor<512x4096xf32>) -> tensor<512xf32>
    %b = tg.broadcast %m dims [0] : (tensor<512xf32>) -> tensor<512x256xf32>
    %y = tg.mul %w, %b : tensor<512x256xf32>
    return %y : tensor<512x256xf32>
  }
}

// -----

// More blocks than there is room for: the later ones find nothing to wait for.
// CHECK-LABEL: func.func @waves
// CHECK-NOT: stitch.prefetch
// CHECK: return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @waves(%x: tensor<1024x4096xf32>, %w: tensor<1024x2048xf32>) -> tensor<1024x2048xf32> {
    %m = tg.reduce add %x dims [1] : (tensor<1024x4096xf32>) -> tensor<1024xf32>
    %b = tg.broadcast %m dims [0] : (tensor<1024xf32>) -> tensor<1024x2048xf32>
    %y = tg.mul %w, %b : tensor<1024x2048xf32>
    return %y : tensor<1024x2048xf32>
  }
}
