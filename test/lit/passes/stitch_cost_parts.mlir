// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=best --stitch-remarks -o %t.out 2>&1 | FileCheck %s
// RUN: FileCheck %s --input-file=%t.out --check-prefix=PLAN

// What is never read is never computed: the last row of a function of a large matrix is one small kernel. The other
// elements are neither read nor written.

// CHECK: plan={{.*}} costs {{[0-9][0-9][0-9][0-9]}} ns, the least: it is taken (1 launches, 2048 bytes read, 2048 written)
// PLAN: func.func @main
// PLAN-COUNT-1: stitch.launch
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<50000x512xf32>) -> tensor<1x512xf32> {
    %0 = tg.tanh %x : tensor<50000x512xf32>
    %1 = tg.mul %x, %0 : tensor<50000x512xf32>
    %2 = tg.exp %1 : tensor<50000x512xf32>
    %3 = tg.slice %2 [49999:50000, 0:512] : (tensor<50000x512xf32>) -> tensor<1x512xf32>
    return %3 : tensor<1x512xf32>
  }
}

// -----

// 64 elements of an outer sum of 900,000,000: one of one operand, 64 of the other.

// CHECK: plan={{.*}} costs {{[0-9][0-9][0-9][0-9]}} ns, the least: it is taken (1 launches, 260 bytes read, 256 written)
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<30000xf32>, %y: tensor<30000xf32>) -> tensor<1x64xf32> {
    %0 = tg.broadcast %x dims [0] : (tensor<30000xf32>) -> tensor<30000x30000xf32>
    %1 = tg.broadcast %y dims [1] : (tensor<30000xf32>) -> tensor<30000x30000xf32>
    %2 = tg.add %0, %1 : tensor<30000x30000xf32>
    %3 = tg.exp %2 : tensor<30000x30000xf32>
    %4 = tg.slice %3 [17:18, 100:164] : (tensor<30000x30000xf32>) -> tensor<1x64xf32>
    return %4 : tensor<1x64xf32>
  }
}

// -----

// Two parts of one input add up: a sixteenth and a half of 16 MB.

// CHECK: plan=astitch-by-cost costs {{[0-9]+}} ns{{.*}} (1 launches, 9437184 bytes read
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<4096x1024xf32>) -> (tensor<256x1024xf32>, tensor<2048x1024xf32>) {
    %0 = tg.exp %x : tensor<4096x1024xf32>
    %1 = tg.slice %0 [0:256, 0:1024] : (tensor<4096x1024xf32>) -> tensor<256x1024xf32>
    %2 = tg.slice %0 [2048:4096, 0:1024] : (tensor<4096x1024xf32>) -> tensor<2048x1024xf32>
    return %1, %2 : tensor<256x1024xf32>, tensor<2048x1024xf32>
  }
}

// -----

// A part of a part that is repeated in between: all of the 4,096 elements are read, not a 4,096th of them.

// CHECK: plan=astitch-by-cost costs {{[0-9]+}} ns{{.*}} (1 launches, 16384 bytes read
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<64x4096xf32>) -> tensor<16x4096xf32> {
    %0 = tg.exp %x : tensor<64x4096xf32>
    %1 = tg.slice %0 [3:4, 0:4096] : (tensor<64x4096xf32>) -> tensor<1x4096xf32>
    %2 = tg.reshape %1 : (tensor<1x4096xf32>) -> tensor<4096xf32>
    %3 = tg.broadcast %2 dims [1] : (tensor<4096xf32>) -> tensor<1024x4096xf32>
    %4 = tg.iota dim 0 : tensor<1024x4096xf32>
    %5 = tg.add %3, %4 : tensor<1024x4096xf32>
    %6 = tg.slice %5 [7:23, 0:4096] : (tensor<1024x4096xf32>) -> tensor<16x4096xf32>
    return %6 : tensor<16x4096xf32>
  }
}
