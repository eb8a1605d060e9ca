// RUN: stitch-opt %s -split-input-file -stitch-fuse-scans | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-fuse-scans --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-fuse-scans 2>&1 | FileCheck %s --check-prefix=DEVICE

// DEVICE: has no device to be planned for

// A state-space model: the coefficients, the states and their products with C are in no memory. The gate, which is
// smaller than the scan and long to compute, is a kernel of its own.

// REMARK: a scan with 12 operations beside it in one kernel
// CHECK-LABEL: func.func @states
// CHECK: %[[EXP:.*]] = tg.exp %{{.*}} : tensor<2x50x8xf32>
// CHECK: stitch.fusion
// CHECK-SAME: stitch.launch = #stitch.launch<grid = 8, block = 256, registers = 128,
// CHECK-SAME: stitch.scan
// CHECK-NEXT: tg.broadcast
// CHECK: tg.general_cumulative
// CHECK: tg.reduce add {{.*}} dims [3]
// CHECK: tg.add
// CHECK: stitch.yield {{.*}} : tensor<2x50x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @states(%dt: tensor<2x50x8xf32>, %x: tensor<2x50x8xf32>, %a: tensor<8x16xf32>, %b: tensor<2x50x16xf32>, %c: tensor<2x50x16xf32>, %z: tensor<2x50x8xf32>) -> tensor<2x50x8xf32> {
    %0 = tg.broadcast %dt dims [0, 1, 2] : (tensor<2x50x8xf32>) -> tensor<2x50x8x16xf32>
    %1 = tg.broadcast %a dims [2, 3] : (tensor<8x16xf32>) -> tensor<2x50x8x16xf32>
    %2 = tg.mul %0, %1 : tensor<2x50x8x16xf32>
    %decay = tg.exp %2 : tensor<2x50x8x16xf32>
    %3 = tg.mul %dt, %x : tensor<2x50x8xf32>
    %4 = tg.broadcast %3 dims [0, 1, 2] : (tensor<2x50x8xf32>) -> tensor<2x50x8x16xf32>
    %5 = tg.broadcast %b dims [0, 1, 3] : (tensor<2x50x16xf32>) -> tensor<2x50x8x16xf32>
    %input = tg.mul %4, %5 : tensor<2x50x8x16xf32>
    %h:2 = tg.general_cumulative %input, %decay dim 1 : (tensor<2x50x8x16xf32>, tensor<2x50x8x16xf32>) -> (tensor<2x50x8x16xf32>, tensor<2x50x8x16xf32>) {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>, %r: tensor<f32>, %s: tensor<f32>):
      %10 = tg.mul %s, %p : tensor<f32>
      %11 = tg.add %10, %r : tensor<f32>
      %12 = tg.mul %q, %s : tensor<f32>
      tg.yield %11, %12 : tensor<f32>, tensor<f32>
    }
    %gate = tg.exp %z : tensor<2x50x8xf32>
    %6 = tg.broadcast %c dims [0, 1, 3] : (tensor<2x50x16xf32>) -> tensor<2x50x8x16xf32>
    %7 = tg.mul %h#0, %6 : tensor<2x50x8x16xf32>
    %8 = tg.reduce add %7 dims [3] : (tensor<2x50x8x16xf32>) -> tensor<2x50x8xf32>
    %9 = tg.add %8, %gate : tensor<2x50x8xf32>
    return %9 : tensor<2x50x8xf32>
  }
}

// -----

// What somebody else reads, too, is an input of the kernel; a rearrangement is copied into it. What follows is left
// outside where other kernels would read two results in the place of one, but not where the graph returns them.

// CHECK-LABEL: func.func @read_twice
// CHECK: tg.exp
// CHECK: %[[SUMS:.*]] = stitch.fusion
// CHECK-SAME: stitch.scan
// CHECK-NEXT: tg.transpose
// CHECK-NEXT: tg.add
// CHECK-NEXT: tg.cumulative
// CHECK-NEXT: stitch.yield
// CHECK: tg.mul %[[SUMS]]
// CHECK: tg.tanh %[[SUMS]]
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @read_twice(%x: tensor<6x64xf32>, %y: tensor<64x6xf32>) -> (tensor<6x64xf32>, tensor<6x64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %0 = tg.exp %x : tensor<6x64xf32>
    %1 = tg.transpose %0 permutation [1, 0] : (tensor<6x64xf32>) -> tensor<64x6xf32>
    %2 = tg.add %1, %y : tensor<64x6xf32>
    %3 = tg.cumulative add %2 dim 0 : tensor<64x6xf32>
    %4 = tg.mul %3, %y : tensor<64x6xf32>
    %5 = tg.tanh %3 : tensor<64x6xf32>
    %6 = tg.neg %0 : tensor<6x64xf32>
    %7 = tg.abs %0 : tensor<6x64xf32>
    %8 = tg.reduce max %4 dims [1] : (tensor<64x6xf32>) -> tensor<64xf32>
    %9 = tg.reduce max %5 dims [1] : (tensor<64x6xf32>) -> tensor<64xf32>
    return %6, %7, %8, %9 : tensor<6x64xf32>, tensor<6x64xf32>, tensor<64xf32>, tensor<64xf32>
  }
}

// -----

// CHECK-LABEL: func.func @returned
// CHECK: stitch.fusion
// CHECK: tg.mul
// CHECK: tg.tanh
// CHECK: stitch.yield %{{.*}}, %{{.*}} : tensor<64x6xf32>, tensor<64x6xf32>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @returned(%x: tensor<64x6xf32>) -> (tensor<64x6xf32>, tensor<64x6xf32>) {
    %0 = tg.cumulative add %x dim 0 : tensor<64x6xf32>
    %1 = tg.mul %0, %x : tensor<64x6xf32>
    %2 = tg.tanh %0 : tensor<64x6xf32>
    return %1, %2 : tensor<64x6xf32>, tensor<64x6xf32>
  }
}

// -----

// The division waits for a sum of all results, which is computed outside: the kernel ends before it. Reductions of the
// scan's own dimension, or of as many elements as a warp has not, are outside, too.

// CHECK-LABEL: func.func @waits
// CHECK: stitch.fusion
// CHECK: tg.cumulative
// CHECK-NEXT: tg.mul
// CHECK-NEXT: stitch.yield
// CHECK: tg.reduce add
// CHECK: tg.div
// CHECK: stitch.fusion
// CHECK: tg.cumulative max
// CHECK-NEXT: stitch.yield
// CHECK: tg.reduce add {{.*}} dims [1]
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @waits(%x: tensor<4x64xf32>, %y: tensor<64x12xf32>) -> (tensor<4x64xf32>, tensor<64xf32>) {
    %0 = tg.cumulative add %x dim 1 : tensor<4x64xf32>
    %1 = tg.mul %0, %x : tensor<4x64xf32>
    %2 = tg.reduce add %1 dims [1] : (tensor<4x64xf32>) -> tensor<4xf32>
    %3 = tg.broadcast %2 dims [0] : (tensor<4xf32>) -> tensor<4x64xf32>
    %4 = tg.div %1, %3 : tensor<4x64xf32>
    %5 = tg.neg %y : tensor<64x12xf32>
    %6 = tg.cumulative max %5 dim 0 : tensor<64x12xf32>
    %7 = tg.reduce add %6 dims [1] : (tensor<64x12xf32>) -> tensor<64xf32>
    return %4, %7 : tensor<4x64xf32>, tensor<64xf32>
  }
}

// -----

// Of the states the last one alone is in memory. What reads it is outside.

// CHECK-LABEL: func.func @last_state
// CHECK: %[[SCAN:.*]]:2 = stitch.fusion
// CHECK: tg.cumulative
// CHECK: tg.slice {{.*}} [0:4, 63:64]
// CHECK: stitch.yield %{{.*}}, %{{.*}} : tensor<4x64xf32>, tensor<4x1xf32>
// CHECK: tg.neg %[[SCAN]]#1
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @last_state(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x1xf32>) {
    %0 = tg.cumulative add %x dim 1 : tensor<4x64xf32>
    %1 = tg.tanh %0 : tensor<4x64xf32>
    %2 = tg.slice %0 [0:4, 63:64] : (tensor<4x64xf32>) -> tensor<4x1xf32>
    %3 = tg.neg %2 : tensor<4x1xf32>
    return %1, %3 : tensor<4x64xf32>, tensor<4x1xf32>
  }
}

// -----

// What is read at two places for one element would be computed twice, what it reads four times, and so on: the last sum
// alone is in the kernel.

// CHECK-LABEL: func.func @shifted
// CHECK: tg.reverse
// CHECK-NEXT: tg.add
// CHECK-NEXT: tg.reverse
// CHECK-NEXT: tg.add
// CHECK-NEXT: stitch.fusion
// CHECK-NEXT: tg.reverse
// CHECK-NEXT: tg.add
// CHECK-NEXT: tg.cumulative
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @shifted(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
    %0 = tg.reverse %x dims [1] : tensor<4x64xf32>
    %1 = tg.add %x, %0 : tensor<4x64xf32>
    %2 = tg.reverse %1 dims [0] : tensor<4x64xf32>
    %3 = tg.add %1, %2 : tensor<4x64xf32>
    %4 = tg.reverse %3 dims [1] : tensor<4x64xf32>
    %5 = tg.add %3, %4 : tensor<4x64xf32>
    %6 = tg.cumulative add %5 dim 1 : tensor<4x64xf32>
    return %6 : tensor<4x64xf32>
  }
}

// -----

// A scan alone is a kernel of its own.

// CHECK-LABEL: func.func @alone
// CHECK-NEXT: tg.cumulative
// CHECK-NEXT: return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @alone(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
    %0 = tg.cumulative add %x dim 1 : tensor<4x64xf32>
    return %0 : tensor<4x64xf32>
  }
}
