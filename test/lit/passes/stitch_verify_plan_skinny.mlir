// RUN: stitch-opt %s -split-input-file -verify-diagnostics -stitch-verify-plan

// Edited plans of skinny products (ir/plan/skinny.h): what the kernel cannot do, and launches of others, are errors.

#skinny = #stitch.skinny<columns = 1, depth = 4, warps = 1, unroll = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @no_product(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
    %0 = stitch.fusion(%a = %x) : (tensor<16x64xf32>) -> tensor<16x64xf32> attributes {stitch.skinny = #skinny, stitch.launch = #stitch.launch<grid = 8, block = 32, registers = 64, shared = 512, scratch = 0, barriers = 0>} {
      %1 = tg.neg %a : tensor<16x64xf32>
      // expected-error@+1 {{'stitch.yield' op returns a value that does not depend on its products, in a fusion with stitch.skinny}}
      stitch.yield %1 : tensor<16x64xf32>
    }
    return %0 : tensor<16x64xf32>
  }
}

// -----

#skinny = #stitch.skinny<columns = 1, depth = 4, warps = 1, unroll = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @wide(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>) -> tensor<16x64xf32> {
    %0 = stitch.fusion(%a = %x, %b = %w) : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32> attributes {stitch.skinny = #skinny, stitch.launch = #stitch.launch<grid = 8, block = 32, registers = 64, shared = 512, scratch = 0, barriers = 0>} {
      // expected-error@+1 {{'tg.dot' op is not of f16 or bf16, in a fusion with stitch.skinny}}
      %1 = tg.dot %a, %b contract [1] x [0] : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
      stitch.yield %1 : tensor<16x64xf32>
    }
    return %0 : tensor<16x64xf32>
  }
}

// -----

#skinny = #stitch.skinny<columns = 1, depth = 4, warps = 1, unroll = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @turned(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x16xf32> {
    %0 = stitch.fusion(%a = %x, %b = %w) : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<64x16xf32> attributes {stitch.skinny = #skinny, stitch.launch = #stitch.launch<grid = 8, block = 32, registers = 64, shared = 512, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [0] : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xf32>
      // expected-error@+1 {{'tg.transpose' op is not element by element in the products' shape, in a fusion with stitch.skinny}}
      %2 = tg.transpose %1 permutation [1, 0] : (tensor<16x64xf32>) -> tensor<64x16xf32>
      stitch.yield %2 : tensor<64x16xf32>
    }
    return %0 : tensor<64x16xf32>
  }
}

// -----

#skinny = #stitch.skinny<columns = 1, depth = 4, warps = 1, unroll = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @other_rows(%x: tensor<16x64xbf16>, %y: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xf32> {
    %0 = stitch.fusion(%a = %x, %b = %w, %c = %y) : (tensor<16x64xbf16>, tensor<64x64xbf16>, tensor<16x64xbf16>) -> tensor<16x64xf32> attributes {stitch.skinny = #skinny, stitch.launch = #stitch.launch<grid = 8, block = 32, registers = 64, shared = 512, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [0] : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xf32>
      // expected-error@+1 {{'tg.dot' op is not a product like the first one, of the same thin operand, or is one too many, in a fusion with stitch.skinny}}
      %2 = tg.dot %c, %b contract [1] x [0] : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xf32>
      %3 = tg.add %1, %2 : tensor<16x64xf32>
      stitch.yield %3 : tensor<16x64xf32>
    }
    return %0 : tensor<16x64xf32>
  }
}

// -----

#skinny = #stitch.skinny<columns = 1, depth = 4, warps = 3, unroll = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @three_warps(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xf32> {
    // expected-error@+1 {{'stitch.fusion' op multiplies 64 x 64 elements, which its stitch.skinny does not divide}}
    %0 = stitch.fusion(%a = %x, %b = %w) : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xf32> attributes {stitch.skinny = #skinny, stitch.launch = #stitch.launch<grid = 8, block = 96, registers = 64, shared = 1536, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [0] : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xf32>
      stitch.yield %1 : tensor<16x64xf32>
    }
    return %0 : tensor<16x64xf32>
  }
}

// -----

#skinny = #stitch.skinny<columns = 1, depth = 4, warps = 2, unroll = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @other_launch(%x: tensor<16x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<16x64xf32> {
    // expected-error@+1 {{'stitch.fusion' op has no stitch.launch, or one that does not follow from its stitch.skinny}}
    %0 = stitch.fusion(%a = %x, %b = %w) : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xf32> attributes {stitch.skinny = #skinny, stitch.launch = #stitch.launch<grid = 4, block = 64, registers = 64, shared = 1024, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [0] : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xf32>
      stitch.yield %1 : tensor<16x64xf32>
    }
    return %0 : tensor<16x64xf32>
  }
}

// -----

#skinny = #stitch.skinny<columns = 16, depth = 4, warps = 32, unroll = 1>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @too_large(%x: tensor<64x2048xbf16>, %w: tensor<2048x128xbf16>) -> tensor<64x128xf32> {
    // expected-error@+1 {{'stitch.fusion' op needs blocks of 1024 threads, 255 registers and 1048576 bytes of shared memory, which the device cannot hold}}
    %0 = stitch.fusion(%a = %x, %b = %w) : (tensor<64x2048xbf16>, tensor<2048x128xbf16>) -> tensor<64x128xf32> attributes {stitch.skinny = #skinny, stitch.launch = #stitch.launch<grid = 1, block = 1024, registers = 64, shared = 1024, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [0] : (tensor<64x2048xbf16>, tensor<2048x128xbf16>) -> tensor<64x128xf32>
      stitch.yield %1 : tensor<64x128xf32>
    }
    return %0 : tensor<64x128xf32>
  }
}
