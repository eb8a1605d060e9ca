// RUN: stitch-opt %s -split-input-file -verify-diagnostics -stitch-verify-plan

// Edited plans of scans (ir/plan/scan.h): what the kernel cannot do, and launches of others, are errors.

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @two_scans(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
    // expected-error@+1 {{'stitch.fusion' op has not one tg.cumulative or tg.general_cumulative, in a fusion with stitch.scan}}
    %0 = stitch.fusion(%a = %x) : (tensor<4x64xf32>) -> tensor<4x64xf32> attributes {stitch.scan, stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 128, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.cumulative add %a dim 1 : tensor<4x64xf32>
      %2 = tg.cumulative add %1 dim 1 : tensor<4x64xf32>
      stitch.yield %2 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @turned(%x: tensor<4x64xf32>) -> tensor<64x4xf32> {
    %0 = stitch.fusion(%a = %x) : (tensor<4x64xf32>) -> tensor<64x4xf32> attributes {stitch.scan, stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 128, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.cumulative add %a dim 1 : tensor<4x64xf32>
      // expected-error@+1 {{'tg.transpose' op is nothing that the threads of a scan can go on with, in a fusion with stitch.scan}}
      %2 = tg.transpose %1 permutation [1, 0] : (tensor<4x64xf32>) -> tensor<64x4xf32>
      stitch.yield %2 : tensor<64x4xf32>
    }
    return %0 : tensor<64x4xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @sum_before(%x: tensor<4x64x8xf32>) -> tensor<4x64xf32> {
    %0 = stitch.fusion(%a = %x) : (tensor<4x64x8xf32>) -> tensor<4x64xf32> attributes {stitch.scan, stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 128, shared = 0, scratch = 0, barriers = 0>} {
      // expected-error@+1 {{'tg.reduce' op is nothing that the threads of a scan can compute, in a fusion with stitch.scan}}
      %1 = tg.reduce add %a dims [2] : (tensor<4x64x8xf32>) -> tensor<4x64xf32>
      %2 = tg.cumulative add %1 dim 1 : tensor<4x64xf32>
      stitch.yield %2 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }
}

// -----

// Twelve lines are no power of two.
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @sum_of_twelve(%x: tensor<64x12xf32>) -> tensor<64xf32> {
    %0 = stitch.fusion(%a = %x) : (tensor<64x12xf32>) -> tensor<64xf32> attributes {stitch.scan, stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 128, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.cumulative add %a dim 0 : tensor<64x12xf32>
      // expected-error@+1 {{'tg.reduce' op is nothing that the threads of a scan can go on with, in a fusion with stitch.scan}}
      %2 = tg.reduce add %1 dims [1] : (tensor<64x12xf32>) -> tensor<64xf32>
      stitch.yield %2 : tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @before(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
    %0:2 = stitch.fusion(%a = %x) : (tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) attributes {stitch.scan, stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 128, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.neg %a : tensor<4x64xf32>
      %2 = tg.cumulative add %1 dim 1 : tensor<4x64xf32>
      // expected-error@+1 {{'stitch.yield' op returns a value that does not depend on its scan, in a fusion with stitch.scan}}
      stitch.yield %1, %2 : tensor<4x64xf32>, tensor<4x64xf32>
    }
    return %0#0, %0#1 : tensor<4x64xf32>, tensor<4x64xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @launch(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
    // expected-error@+1 {{'stitch.fusion' op has no stitch.launch, or one that does not follow from its stitch.scan}}
    %0 = stitch.fusion(%a = %x) : (tensor<4x64xf32>) -> tensor<4x64xf32> attributes {stitch.scan, stitch.launch = #stitch.launch<grid = 2, block = 256, registers = 128, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.cumulative add %a dim 1 : tensor<4x64xf32>
      stitch.yield %1 : tensor<4x64xf32>
    }
    return %0 : tensor<4x64xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @behind_a_part(%x: tensor<4x64xf32>) -> tensor<4x1xf32> {
    %0 = stitch.fusion(%a = %x) : (tensor<4x64xf32>) -> tensor<4x1xf32> attributes {stitch.scan, stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 128, shared = 0, scratch = 0, barriers = 0>} {
      %1 = tg.cumulative add %a dim 1 : tensor<4x64xf32>
      %2 = tg.slice %1 [0:4, 63:64] : (tensor<4x64xf32>) -> tensor<4x1xf32>
      // expected-error@+1 {{'tg.neg' op is nothing that the threads of a scan can go on with, in a fusion with stitch.scan}}
      %3 = tg.neg %2 : tensor<4x1xf32>
      stitch.yield %3 : tensor<4x1xf32>
    }
    return %0 : tensor<4x1xf32>
  }
}
