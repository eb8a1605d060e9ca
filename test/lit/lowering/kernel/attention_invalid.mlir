// RUN: not stitch-opt %s -split-input-file -convert-stitch-to-gpu 2>&1 | FileCheck %s
// RUN: not stitch-opt %s -split-input-file -stitch-verify-plan 2>&1 | FileCheck %s --check-prefix=PLAN

// A body that is no attention: what is subtracted belongs to other rows.

// CHECK: error: 'tg.sub' op subtracts a value other than the maximum of the minuend: its fusion has stitch.attention, but no kernel can be made of it
// PLAN: error: 'stitch.fusion' op has no stitch.launch, or one that does not follow from its stitch.attention
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %0 = stitch.fusion(%a = %q, %b = %k, %c = %v) : (tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x32xf32>) -> tensor<64x32xf32> attributes {stitch.attention = #stitch.attention<fma, rows = 16, keys = 32>, stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 120, shared = 16384, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [1] : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
      %2 = tg.abs %1 : tensor<64x64xf32>
      %3 = tg.reduce max %2 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
      %4 = tg.broadcast %3 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
      %5 = tg.sub %1, %4 : tensor<64x64xf32>
      %6 = tg.exp %5 : tensor<64x64xf32>
      %7 = tg.dot %6, %c contract [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      stitch.yield %7 : tensor<64x32xf32>
    }
    return %0 : tensor<64x32xf32>
  }
}

// -----

// CHECK: error: 'stitch.yield' op is not behind two products
// PLAN: error: 'stitch.yield' op is not behind two products: the fusion around it is no attention
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
    %0 = stitch.fusion(%a = %x) : (tensor<64x16xf32>) -> tensor<64x16xf32> attributes {stitch.attention = #stitch.attention<fma, rows = 16, keys = 32>, stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 120, shared = 16384, scratch = 0, barriers = 0>} {
      %1 = tg.exp %a : tensor<64x16xf32>
      stitch.yield %1 : tensor<64x16xf32>
    }
    return %0 : tensor<64x16xf32>
  }
}

// -----

// Something is computed of the result.

// CHECK: error: 'tg.exp' op is a result that is more than moved: its fusion has stitch.attention
// PLAN: error: 'stitch.fusion' op has no stitch.launch
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %0 = stitch.fusion(%a = %q, %b = %k, %c = %v) : (tensor<64x16xf32>, tensor<64x16xf32>, tensor<64x32xf32>) -> tensor<64x32xf32> attributes {stitch.attention = #stitch.attention<fma, rows = 16, keys = 32>, stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 96, shared = 16384, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [1] : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
      %2 = tg.exp %1 : tensor<64x64xf32>
      %3 = tg.dot %2, %c contract [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
      %4 = tg.exp %3 : tensor<64x32xf32>
      stitch.yield %4 : tensor<64x32xf32>
    }
    return %0 : tensor<64x32xf32>
  }
}

// -----

// A launch of a gradient that is not the one that follows.

// PLAN: error: 'stitch.fusion' op has no stitch.launch, or one that does not follow from its stitch.attention
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%q: tensor<64x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x32xf32>, %do: tensor<64x32xf32>, %most: tensor<64xf32>) -> tensor<64x16xf32> {
    %0 = stitch.fusion(%a = %q, %b = %k, %c = %v, %d = %do, %m = %most) : (tensor<64x16xf32>, tensor<48x16xf32>, tensor<48x32xf32>, tensor<64x32xf32>, tensor<64xf32>) -> tensor<64x16xf32> attributes {stitch.attention = #stitch.attention<fma, rows = 16, keys = 32, gradient = true>, stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 128, shared = 18432, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [1] : (tensor<64x16xf32>, tensor<48x16xf32>) -> tensor<64x48xf32>
      %2 = tg.broadcast %m dims [0] : (tensor<64xf32>) -> tensor<64x48xf32>
      %3 = tg.sub %1, %2 : tensor<64x48xf32>
      %4 = tg.exp %3 : tensor<64x48xf32>
      %5 = tg.dot %d, %c contract [1] x [1] : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
      %6 = tg.mul %4, %5 : tensor<64x48xf32>
      %7 = tg.dot %6, %b contract [1] x [0] : (tensor<64x48xf32>, tensor<48x16xf32>) -> tensor<64x16xf32>
      stitch.yield %7 : tensor<64x16xf32>
    }
    return %0 : tensor<64x16xf32>
  }
}

// -----

// A reduce over the other side of the scores.

// CHECK: error: 'tg.reduce' op is a reduce that no result reads: its fusion has stitch.attention, but no kernel can be made of it
// PLAN: error: 'tg.reduce' op is a reduce that no result reads: the fusion around it is no gradient of attention
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%q: tensor<64x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x32xf32>, %do: tensor<64x32xf32>, %most: tensor<64xf32>) -> tensor<64x16xf32> {
    %0 = stitch.fusion(%a = %q, %b = %k, %c = %v, %d = %do, %m = %most) : (tensor<64x16xf32>, tensor<48x16xf32>, tensor<48x32xf32>, tensor<64x32xf32>, tensor<64xf32>) -> tensor<64x16xf32> attributes {stitch.attention = #stitch.attention<fma, rows = 16, keys = 32, gradient = true>, stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 128, shared = 18432, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [1] : (tensor<64x16xf32>, tensor<48x16xf32>) -> tensor<64x48xf32>
      %2 = tg.broadcast %m dims [0] : (tensor<64xf32>) -> tensor<64x48xf32>
      %3 = tg.sub %1, %2 : tensor<64x48xf32>
      %4 = tg.exp %3 : tensor<64x48xf32>
      %5 = tg.dot %d, %c contract [1] x [1] : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
      %6 = tg.mul %4, %5 : tensor<64x48xf32>
      %7 = tg.dot %6, %b contract [1] x [0] : (tensor<64x48xf32>, tensor<48x16xf32>) -> tensor<64x16xf32>
      %8 = tg.reduce add %6 dims [0] : (tensor<64x48xf32>) -> tensor<48xf32>
      stitch.yield %7 : tensor<64x16xf32>
    }
    return %0 : tensor<64x16xf32>
  }
}

// -----

// Two results that sum up different sides.

// CHECK: error: 'tg.dot' op sums up something else than the keys of a row: its fusion has stitch.attention
// PLAN: error: 'tg.dot' op sums up something else than the keys of a row: the fusion around it is no gradient of attention
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%q: tensor<64x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x32xf32>, %do: tensor<64x32xf32>, %most: tensor<64xf32>) -> tensor<48x32xf32> {
    %0 = stitch.fusion(%a = %q, %b = %k, %c = %v, %d = %do, %m = %most) : (tensor<64x16xf32>, tensor<48x16xf32>, tensor<48x32xf32>, tensor<64x32xf32>, tensor<64xf32>) -> tensor<48x32xf32> attributes {stitch.attention = #stitch.attention<fma, rows = 16, keys = 32, gradient = true>, stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 128, shared = 18432, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [1] : (tensor<64x16xf32>, tensor<48x16xf32>) -> tensor<64x48xf32>
      %2 = tg.broadcast %m dims [0] : (tensor<64xf32>) -> tensor<64x48xf32>
      %3 = tg.sub %1, %2 : tensor<64x48xf32>
      %4 = tg.exp %3 : tensor<64x48xf32>
      %5 = tg.dot %d, %c contract [1] x [1] : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
      %6 = tg.mul %4, %5 : tensor<64x48xf32>
      %7 = tg.dot %6, %b contract [1] x [0] : (tensor<64x48xf32>, tensor<48x16xf32>) -> tensor<64x16xf32>
      %8 = tg.dot %4, %d contract [0] x [0] : (tensor<64x48xf32>, tensor<64x32xf32>) -> tensor<48x32xf32>
      stitch.yield %8 : tensor<48x32xf32>
    }
    return %0 : tensor<48x32xf32>
  }
}

// -----

// No product of scores.

// CHECK: error: 'stitch.yield' op is not behind a product of scores: its fusion has stitch.attention
// PLAN: error: 'stitch.yield' op is not behind a product of scores: the fusion around it is no gradient of attention
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%q: tensor<64x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x32xf32>, %do: tensor<64x32xf32>, %most: tensor<64xf32>) -> tensor<64x48xf32> {
    %0 = stitch.fusion(%a = %q, %b = %k, %c = %v, %d = %do, %m = %most) : (tensor<64x16xf32>, tensor<48x16xf32>, tensor<48x32xf32>, tensor<64x32xf32>, tensor<64xf32>) -> tensor<64x48xf32> attributes {stitch.attention = #stitch.attention<fma, rows = 16, keys = 32, gradient = true>, stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 128, shared = 18432, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [1] : (tensor<64x16xf32>, tensor<48x16xf32>) -> tensor<64x48xf32>
      %2 = tg.broadcast %m dims [0] : (tensor<64xf32>) -> tensor<64x48xf32>
      %3 = tg.sub %1, %2 : tensor<64x48xf32>
      %4 = tg.exp %3 : tensor<64x48xf32>
      %5 = tg.dot %d, %c contract [1] x [1] : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
      %6 = tg.mul %4, %5 : tensor<64x48xf32>
      stitch.yield %6 : tensor<64x48xf32>
    }
    return %0 : tensor<64x48xf32>
  }
}

// -----

// Something is computed of a result of a gradient.

// CHECK: error: 'tg.exp' op is a result that is more than moved: its fusion has stitch.attention
// PLAN: error: 'tg.exp' op is a result that is more than moved: the fusion around it is no gradient of attention
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%q: tensor<64x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x32xf32>, %do: tensor<64x32xf32>, %most: tensor<64xf32>) -> tensor<64x16xf32> {
    %0 = stitch.fusion(%a = %q, %b = %k, %c = %v, %d = %do, %m = %most) : (tensor<64x16xf32>, tensor<48x16xf32>, tensor<48x32xf32>, tensor<64x32xf32>, tensor<64xf32>) -> tensor<64x16xf32> attributes {stitch.attention = #stitch.attention<fma, rows = 16, keys = 32, gradient = true>, stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 128, shared = 18432, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [1] : (tensor<64x16xf32>, tensor<48x16xf32>) -> tensor<64x48xf32>
      %2 = tg.broadcast %m dims [0] : (tensor<64xf32>) -> tensor<64x48xf32>
      %3 = tg.sub %1, %2 : tensor<64x48xf32>
      %4 = tg.exp %3 : tensor<64x48xf32>
      %5 = tg.dot %d, %c contract [1] x [1] : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
      %6 = tg.mul %4, %5 : tensor<64x48xf32>
      %8 = tg.exp %6 : tensor<64x48xf32>
      %7 = tg.dot %8, %b contract [1] x [0] : (tensor<64x48xf32>, tensor<48x16xf32>) -> tensor<64x16xf32>
      %9 = tg.exp %7 : tensor<64x16xf32>
      stitch.yield %9 : tensor<64x16xf32>
    }
    return %0 : tensor<64x16xf32>
  }
}

// -----

// A product alone has elementwise operations around it, and nothing else.

// CHECK: error: 'tg.reduce' op is around a product alone, and no elementwise operation: its fusion has stitch.attention
// PLAN: error: 'tg.reduce' op is around a product alone, and no elementwise operation: the fusion around it is no gradient of attention
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<64x48xf32>, %w: tensor<48x32xf32>) -> tensor<64xf32> {
    %0 = stitch.fusion(%a = %x, %b = %w) : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64xf32> attributes {stitch.attention = #stitch.attention<fma, rows = 16, keys = 16, gradient = true>, stitch.launch = #stitch.launch<grid = 4, block = 32, registers = 128, shared = 18432, scratch = 0, barriers = 0>} {
      %1 = tg.dot %a, %b contract [1] x [0] : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32>
      %2 = tg.reduce add %1 dims [1] : (tensor<64x32xf32>) -> tensor<64xf32>
      stitch.yield %2 : tensor<64xf32>
    }
    return %0 : tensor<64xf32>
  }
}
