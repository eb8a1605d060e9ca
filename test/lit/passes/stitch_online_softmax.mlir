// RUN: stitch-opt %s -split-input-file -stitch-online-softmax=choose=always | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-online-softmax --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not stitch-opt %s -split-input-file -stitch-online-softmax=choose=sometimes 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-online-softmax 2>&1 | FileCheck %s --check-prefix=DEVICE

// ERROR: option 'choose' must be model or always, and is 'sometimes'
// DEVICE: has no device to tell costs for

// Scores, a causal mask, the softmax, its product with the values: one fusion, in which the mask is computed where it
// is needed. 50 rows: blocks of 16, as each multiprocessor should have one; 50 keys: of two tiles of 32 fourteen keys do
// not exist, and so of four tiles of 16, which have more barriers.

// REMARK: tiles of 32 keys for blocks of 16 rows, in two buffers: one is copied while the other is computed with
// REMARK: attention of 6 batches of 50 rows, 50 keys, 16 and 16 elements: as one kernel {{[0-9]+}} ns, by library calls {{[0-9]+}} ns with 240000 bytes more: one kernel
// CHECK-LABEL: func.func @causal
// CHECK: stitch.fusion
// CHECK-SAME: stitch.attention = #stitch.attention<fma, rows = 16, keys = 32, buffers = 2>
// CHECK-SAME: stitch.launch = #stitch.launch<grid = 24, block = 32, registers = 136, shared = 13824, scratch = 0, barriers = 0>
// CHECK: tg.dot
// CHECK: tg.iota
// CHECK: tg.dot
// CHECK: tg.transpose
// CHECK: stitch.yield {{.*}} : tensor<2x50x3x16xf32>
// CHECK-NOT: tg.
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @causal(%q: tensor<2x50x3x16xf32>, %k: tensor<2x50x3x16xf32>, %v: tensor<2x50x3x16xf32>) -> tensor<2x50x3x16xf32> {
    %low = tg.constant dense<-2.38197633E+38> : tensor<2x3x50x50xf32>
    %0 = tg.dot %q, %k batch [0, 2] x [0, 2] contract [3] x [3] : (tensor<2x50x3x16xf32>, tensor<2x50x3x16xf32>) -> tensor<2x3x50x50xf32>
    %1 = tg.iota dim 0 : tensor<50xi32>
    %2 = tg.broadcast %1 dims [0] : (tensor<50xi32>) -> tensor<50x50xi32>
    %3 = tg.broadcast %1 dims [1] : (tensor<50xi32>) -> tensor<50x50xi32>
    %4 = tg.compare ge, %2, %3 : tensor<50x50xi32>
    %5 = tg.broadcast %4 dims [2, 3] : (tensor<50x50xi1>) -> tensor<2x3x50x50xi1>
    %6 = tg.select %5, %0, %low : tensor<2x3x50x50xi1>, tensor<2x3x50x50xf32>
    %7 = tg.reduce max %6 dims [3] : (tensor<2x3x50x50xf32>) -> tensor<2x3x50xf32>
    %8 = tg.broadcast %7 dims [0, 1, 2] : (tensor<2x3x50xf32>) -> tensor<2x3x50x50xf32>
    %9 = tg.sub %6, %8 : tensor<2x3x50x50xf32>
    %10 = tg.exp %9 : tensor<2x3x50x50xf32>
    %11 = tg.reduce add %10 dims [3] : (tensor<2x3x50x50xf32>) -> tensor<2x3x50xf32>
    %12 = tg.broadcast %11 dims [0, 1, 2] : (tensor<2x3x50xf32>) -> tensor<2x3x50x50xf32>
    %13 = tg.div %10, %12 : tensor<2x3x50x50xf32>
    %14 = tg.dot %v, %13 batch [0, 2] x [0, 1] contract [1] x [3] : (tensor<2x50x3x16xf32>, tensor<2x3x50x50xf32>) -> tensor<2x3x16x50xf32>
    %15 = tg.transpose %14 permutation [0, 3, 1, 2] : (tensor<2x3x16x50xf32>) -> tensor<2x50x3x16xf32>
    return %15 : tensor<2x50x3x16xf32>
  }
}

// -----

// The division comes behind the product, and the sum is a result, too: what is made of it outside, before the product,
// comes behind the fusion.

// CHECK-LABEL: func.func @log_sum_exp
// CHECK: %[[F:.*]]:2 = stitch.fusion
// CHECK: stitch.yield {{.*}} : tensor<64x32xf32>, tensor<64xf32>
// CHECK: tg.log %[[F]]#1
// CHECK: %[[SPREAD:.*]] = tg.broadcast %[[F]]#1
// CHECK: tg.div %[[F]]#0, %[[SPREAD]]
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @log_sum_exp(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64xf32>) {
    %0 = tg.dot %q, %k contract [1] x [1] : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
    %1 = tg.reduce max %0 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %2 = tg.broadcast %1 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %3 = tg.sub %0, %2 : tensor<64x64xf32>
    %4 = tg.exp %3 : tensor<64x64xf32>
    %5 = tg.reduce add %4 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %6 = tg.log %5 : tensor<64xf32>
    %7 = tg.dot %4, %v contract [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    %8 = tg.broadcast %5 dims [0] : (tensor<64xf32>) -> tensor<64x32xf32>
    %9 = tg.div %7, %8 : tensor<64x32xf32>
    return %9, %6 : tensor<64x32xf32>, tensor<64xf32>
  }
}

// -----

// Rows without any key are cleared, as PyTorch has it.

// REMARK: attention of 1 batches of 64 rows, 64 keys, 16 and 32 elements
// CHECK-LABEL: func.func @no_key
// CHECK: stitch.fusion
// CHECK-SAME: stitch.attention
// CHECK: tg.reduce or
// CHECK: tg.dot
// CHECK: stitch.yield
// CHECK-NOT: tg.dot
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @no_key(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x32xf32>, %bias: tensor<64x64xf32>) -> tensor<64x32xf32> {
    %lowest = tg.constant dense<0xFF800000> : tensor<64x64xf32>
    %zero = tg.constant dense<0.0> : tensor<64x64xf32>
    %s = tg.dot %q, %k contract [1] x [1] : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
    %0 = tg.add %s, %bias : tensor<64x64xf32>
    %1 = tg.reduce max %0 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %2 = tg.broadcast %1 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %3 = tg.sub %0, %2 : tensor<64x64xf32>
    %4 = tg.exp %3 : tensor<64x64xf32>
    %5 = tg.reduce add %4 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %6 = tg.broadcast %5 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %7 = tg.div %4, %6 : tensor<64x64xf32>
    %8 = tg.compare ne, %0, %lowest : tensor<64x64xf32>
    %9 = tg.reduce or %8 dims [1] : (tensor<64x64xi1>) -> tensor<64xi1>
    %10 = tg.broadcast %9 dims [0] : (tensor<64xi1>) -> tensor<64x64xi1>
    %11 = tg.select %10, %7, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %12 = tg.dot %11, %v contract [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    return %12 : tensor<64x32xf32>
  }
}

// -----

// Dropout as JAX has it: the division by the sum is beneath a select of each key. Sum and weights behind a mask, as jax.nn.softmax
// has them, and heads that are left out as a whole: a factor of the row.

// REMARK: attention of 1 batches of 64 rows, 64 keys, 16 and 32 elements
// CHECK-LABEL: func.func @dropout
// CHECK: stitch.fusion
// CHECK-SAME: stitch.attention
// CHECK-COUNT-5: tg.select
// CHECK: stitch.yield
// CHECK-NOT: tg.dot
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @dropout(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x32xf32>, %where: tensor<64x64xi1>, %keeps: tensor<64x64xi1>,
                     %row: tensor<64xi1>) -> tensor<64x32xf32> {
    %lowest = tg.constant dense<0xFF800000> : tensor<64x64xf32>
    %zero = tg.constant dense<0.0> : tensor<64x64xf32>
    %share = tg.constant dense<0.9> : tensor<64x64xf32>
    %s = tg.dot %q, %k contract [1] x [1] : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
    %0 = tg.select %where, %s, %lowest : tensor<64x64xi1>, tensor<64x64xf32>
    %1 = tg.reduce max %0 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %2 = tg.broadcast %1 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %3 = tg.sub %0, %2 : tensor<64x64xf32>
    %4 = tg.exp %3 : tensor<64x64xf32>
    %5 = tg.select %where, %4, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %6 = tg.reduce add %5 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %7 = tg.broadcast %6 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %8 = tg.div %4, %7 : tensor<64x64xf32>
    %9 = tg.select %where, %8, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %10 = tg.div %9, %share : tensor<64x64xf32>
    %11 = tg.select %keeps, %10, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %12 = tg.broadcast %row dims [0] : (tensor<64xi1>) -> tensor<64x64xi1>
    %13 = tg.select %12, %11, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %14 = tg.dot %13, %v contract [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    return %14 : tensor<64x32xf32>
  }
}

// -----

// Weights of f16 may be the exponential times a number that f16 has, ...

// REMARK: attention of 1 batches of 64 rows, 64 keys, 16 and 32 elements
// CHECK-LABEL: func.func @scaled_f16
// CHECK: stitch.attention
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @scaled_f16(%q: tensor<64x16xf16>, %k: tensor<64x16xf16>, %v: tensor<64x32xf16>) -> tensor<64x32xf16> {
    %share = tg.constant dense<0.9> : tensor<64x64xf16>
    %s = tg.dot %q, %k contract [1] x [1] : (tensor<64x16xf16>, tensor<64x16xf16>) -> tensor<64x64xf16>
    %1 = tg.reduce max %s dims [1] : (tensor<64x64xf16>) -> tensor<64xf16>
    %2 = tg.broadcast %1 dims [0] : (tensor<64xf16>) -> tensor<64x64xf16>
    %3 = tg.sub %s, %2 : tensor<64x64xf16>
    %4 = tg.exp %3 : tensor<64x64xf16>
    %5 = tg.reduce add %4 dims [1] : (tensor<64x64xf16>) -> tensor<64xf16>
    %6 = tg.broadcast %5 dims [0] : (tensor<64xf16>) -> tensor<64x64xf16>
    %7 = tg.div %4, %6 : tensor<64x64xf16>
    %8 = tg.div %7, %share : tensor<64x64xf16>
    %9 = tg.dot %8, %v contract [1] x [0] : (tensor<64x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf16>
    return %9 : tensor<64x32xf16>
  }
}

// -----

// ... but not one that makes them infinite before the sum divides them.

// REMARK: no kernel of attention: a 'tg.dot' has weights in f16 that could be too large before they are divided
// CHECK-LABEL: func.func @too_large_f16
// CHECK-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @too_large_f16(%q: tensor<64x16xf16>, %k: tensor<64x16xf16>, %v: tensor<64x32xf16>) -> tensor<64x32xf16> {
    %share = tg.constant dense<1.0e-5> : tensor<64x64xf16>
    %s = tg.dot %q, %k contract [1] x [1] : (tensor<64x16xf16>, tensor<64x16xf16>) -> tensor<64x64xf16>
    %1 = tg.reduce max %s dims [1] : (tensor<64x64xf16>) -> tensor<64xf16>
    %2 = tg.broadcast %1 dims [0] : (tensor<64xf16>) -> tensor<64x64xf16>
    %3 = tg.sub %s, %2 : tensor<64x64xf16>
    %4 = tg.exp %3 : tensor<64x64xf16>
    %5 = tg.reduce add %4 dims [1] : (tensor<64x64xf16>) -> tensor<64xf16>
    %6 = tg.broadcast %5 dims [0] : (tensor<64xf16>) -> tensor<64x64xf16>
    %7 = tg.div %4, %6 : tensor<64x64xf16>
    %8 = tg.div %7, %share : tensor<64x64xf16>
    %9 = tg.dot %8, %v contract [1] x [0] : (tensor<64x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf16>
    return %9 : tensor<64x32xf16>
  }
}

// -----

// The weights are a result: they must be in memory.

// REMARK: no kernel of attention: a 'func.return' needs the scores, or weights, in memory
// CHECK-LABEL: func.func @weights_are_kept
// CHECK-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @weights_are_kept(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x64xf32>) {
    %0 = tg.dot %q, %k contract [1] x [1] : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
    %1 = tg.exp %0 : tensor<64x64xf32>
    %2 = tg.reduce add %1 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %3 = tg.broadcast %2 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %4 = tg.div %1, %3 : tensor<64x64xf32>
    %5 = tg.dot %4, %v contract [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    return %5, %4 : tensor<64x32xf32>, tensor<64x64xf32>
  }
}

// -----

// What is subtracted is no maximum of the same scores, so that it does not go with them from tile to tile.

// REMARK: no kernel of attention: a 'tg.sub' subtracts a value other than the maximum of the minuend
// CHECK-LABEL: func.func @another_maximum
// CHECK-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @another_maximum(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %0 = tg.dot %q, %k contract [1] x [1] : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
    %1 = tg.abs %0 : tensor<64x64xf32>
    %2 = tg.reduce max %1 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %3 = tg.broadcast %2 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %4 = tg.sub %0, %3 : tensor<64x64xf32>
    %5 = tg.exp %4 : tensor<64x64xf32>
    %6 = tg.dot %5, %v contract [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    return %6 : tensor<64x32xf32>
  }
}

// -----

// One weight is made of two scores.

// REMARK: no kernel of attention: a 'tg.dot' is read at two different elements for one weight
// CHECK-LABEL: func.func @two_scores
// CHECK-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @two_scores(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
    %0 = tg.dot %q, %k contract [1] x [1] : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
    %1 = tg.transpose %0 permutation [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = tg.add %0, %1 : tensor<64x64xf32>
    %3 = tg.reduce max %2 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %4 = tg.broadcast %3 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %5 = tg.sub %2, %4 : tensor<64x64xf32>
    %6 = tg.exp %5 : tensor<64x64xf32>
    %7 = tg.dot %6, %v contract [1] x [0] : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    return %7 : tensor<64x32xf32>
  }
}

// -----

// Values that are computed of the sum: a kernel would have to read what it leaves.

// REMARK: no kernel of attention: a 'tg.broadcast' reads a value that is computed from the softmax outside of the kernel
// CHECK-LABEL: func.func @cycle
// CHECK-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @cycle(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>) -> tensor<64x64xf32> {
    %0 = tg.dot %q, %k contract [1] x [1] : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
    %1 = tg.exp %0 : tensor<64x64xf32>
    %2 = tg.reduce add %1 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %3 = tg.log %2 : tensor<64xf32>
    %4 = tg.broadcast %3 dims [1] : (tensor<64xf32>) -> tensor<64x64xf32>
    %5 = tg.dot %1, %4 contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %5 : tensor<64x64xf32>
  }
}

// -----

// In f32 with heads of 128 elements and 512 keys the multiply-adds of a kernel take longer than scores in memory.

// REMARK: attention of 128 batches of 512 rows, 512 keys, 256 and 256 elements: {{.*}}: library calls
// CHECK-LABEL: func.func @large
// CHECK: stitch.attention = #stitch.attention<fma
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @large(%q: tensor<128x512x256xf32>, %k: tensor<128x512x256xf32>, %v: tensor<128x512x256xf32>) -> tensor<128x512x256xf32> {
    %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<128x512x256xf32>, tensor<128x512x256xf32>) -> tensor<128x512x512xf32>
    %1 = tg.exp %0 : tensor<128x512x512xf32>
    %2 = tg.reduce add %1 dims [2] : (tensor<128x512x512xf32>) -> tensor<128x512xf32>
    %3 = tg.broadcast %2 dims [0, 1] : (tensor<128x512xf32>) -> tensor<128x512x512xf32>
    %4 = tg.div %1, %3 : tensor<128x512x512xf32>
    %5 = tg.dot %4, %v batch [0] x [0] contract [2] x [1] : (tensor<128x512x512xf32>, tensor<128x512x256xf32>) -> tensor<128x512x256xf32>
    return %5 : tensor<128x512x256xf32>
  }
}

// -----

// The maxima of 40 rows are a result, and the weights are of one: a kernel of that row would store one maximum. The
// maxima stay outside.

// REMARK: no kernel of attention: a 'tg.reduce' has other rows than the weights
// CHECK-LABEL: func.func @maxima_of_more_rows
// CHECK-NOT: stitch.attention
// CHECK: return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @maxima_of_more_rows(%q: tensor<40x16xf32>, %k: tensor<50x16xf32>, %v: tensor<50x16xf32>) -> (tensor<1x16xf32>, tensor<40xf32>) {
    %s = tg.dot %q, %k contract [1] x [1] : (tensor<40x16xf32>, tensor<50x16xf32>) -> tensor<40x50xf32>
    %t = tg.tanh %s : tensor<40x50xf32>
    %max = tg.reduce max %t dims [1] : (tensor<40x50xf32>) -> tensor<40xf32>
    %m = tg.slice %max [3:4] : (tensor<40xf32>) -> tensor<1xf32>
    %row = tg.slice %t [3:4, 0:50] : (tensor<40x50xf32>) -> tensor<1x50xf32>
    %mm = tg.broadcast %m dims [0] : (tensor<1xf32>) -> tensor<1x50xf32>
    %d = tg.sub %row, %mm : tensor<1x50xf32>
    %e = tg.exp %d : tensor<1x50xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<1x50xf32>) -> tensor<1xf32>
    %ss = tg.broadcast %sum dims [0] : (tensor<1xf32>) -> tensor<1x50xf32>
    %w = tg.div %e, %ss : tensor<1x50xf32>
    %o = tg.dot %w, %v contract [1] x [0] : (tensor<1x50xf32>, tensor<50x16xf32>) -> tensor<1x16xf32>
    return %o, %max : tensor<1x16xf32>, tensor<40xf32>
  }
}

// -----

// The same of a gradient: what the rows have in common is a result of 40 rows, and the gradient of queries is wanted of
// one.

// CHECK-LABEL: func.func @gradient_of_one_row
// CHECK-NOT: gradient = true
// CHECK: return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @gradient_of_one_row(%q: tensor<40x16xf32>, %k: tensor<50x16xf32>, %v: tensor<50x16xf32>, %g: tensor<40x16xf32>, %max: tensor<40xf32>, %sum: tensor<40xf32>) -> (tensor<1x16xf32>, tensor<40xf32>) {
    %s = tg.dot %q, %k contract [1] x [1] : (tensor<40x16xf32>, tensor<50x16xf32>) -> tensor<40x50xf32>
    %mm = tg.broadcast %max dims [0] : (tensor<40xf32>) -> tensor<40x50xf32>
    %d = tg.sub %s, %mm : tensor<40x50xf32>
    %e = tg.exp %d : tensor<40x50xf32>
    %ss = tg.broadcast %sum dims [0] : (tensor<40xf32>) -> tensor<40x50xf32>
    %w = tg.div %e, %ss : tensor<40x50xf32>
    %p = tg.dot %g, %v contract [1] x [1] : (tensor<40x16xf32>, tensor<50x16xf32>) -> tensor<40x50xf32>
    %pw = tg.mul %p, %w : tensor<40x50xf32>
    %delta = tg.reduce add %pw dims [1] : (tensor<40x50xf32>) -> tensor<40xf32>
    %dd = tg.broadcast %delta dims [0] : (tensor<40xf32>) -> tensor<40x50xf32>
    %less = tg.sub %p, %dd : tensor<40x50xf32>
    %ds = tg.mul %less, %w : tensor<40x50xf32>
    %row = tg.slice %ds [3:4, 0:50] : (tensor<40x50xf32>) -> tensor<1x50xf32>
    %dq = tg.dot %row, %k contract [1] x [0] : (tensor<1x50xf32>, tensor<50x16xf32>) -> tensor<1x16xf32>
    return %dq, %delta : tensor<1x16xf32>, tensor<40xf32>
  }
}

// -----

// Keys and values are pages of a cache that a table names: the gathers are in the kernel, and the table's negative
// numbers are counted from the end there, too. Nothing is written but the result.

// CHECK-LABEL: func.func @pages
// CHECK-NEXT: %[[ALL:.*]] = stitch.fusion
// CHECK-SAME: tensor<100x16x2x64xbf16>
// CHECK: tg.select
// CHECK: tg.gather
// CHECK: tg.gather
// CHECK: tg.dot
// CHECK: tg.dot
// CHECK: stitch.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[ALL]]
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @pages(%q: tensor<4x2x4x64xbf16>, %k: tensor<100x16x2x64xbf16>, %v: tensor<100x16x2x64xbf16>, %t: tensor<4x64xi32>) -> tensor<4x2x4x64xbf16> {
    %zero = tg.constant dense<0> : tensor<4x64xi32>
    %pages = tg.constant dense<100> : tensor<4x64xi32>
    %0 = tg.compare lt, %t, %zero : tensor<4x64xi32>
    %1 = tg.add %t, %pages : tensor<4x64xi32>
    %2 = tg.select %0, %1, %t : tensor<4x64xi1>, tensor<4x64xi32>
    %3 = tg.gather %k, %2 offset_dims [2, 3, 4] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 2 slice_sizes [1, 16, 2, 64] : (tensor<100x16x2x64xbf16>, tensor<4x64xi32>) -> tensor<4x64x16x2x64xbf16>
    %4 = tg.reshape %3 : (tensor<4x64x16x2x64xbf16>) -> tensor<4x1024x2x64xbf16>
    %5 = tg.gather %v, %2 offset_dims [2, 3, 4] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 2 slice_sizes [1, 16, 2, 64] : (tensor<100x16x2x64xbf16>, tensor<4x64xi32>) -> tensor<4x64x16x2x64xbf16>
    %6 = tg.reshape %5 : (tensor<4x64x16x2x64xbf16>) -> tensor<4x1024x2x64xbf16>
    %7 = tg.dot %q, %4 batch [0, 1] x [0, 2] contract [3] x [3] : (tensor<4x2x4x64xbf16>, tensor<4x1024x2x64xbf16>) -> tensor<4x2x4x1024xf32>
    %8 = tg.reduce max %7 dims [3] : (tensor<4x2x4x1024xf32>) -> tensor<4x2x4xf32>
    %9 = tg.broadcast %8 dims [0, 1, 2] : (tensor<4x2x4xf32>) -> tensor<4x2x4x1024xf32>
    %10 = tg.sub %7, %9 : tensor<4x2x4x1024xf32>
    %11 = tg.exp %10 : tensor<4x2x4x1024xf32>
    %12 = tg.reduce add %11 dims [3] : (tensor<4x2x4x1024xf32>) -> tensor<4x2x4xf32>
    %13 = tg.broadcast %12 dims [0, 1, 2] : (tensor<4x2x4xf32>) -> tensor<4x2x4x1024xf32>
    %14 = tg.div %11, %13 : tensor<4x2x4x1024xf32>
    %15 = tg.convert %14 : (tensor<4x2x4x1024xf32>) -> tensor<4x2x4x1024xbf16>
    %16 = tg.dot %15, %6 batch [0, 1] x [0, 2] contract [3] x [1] : (tensor<4x2x4x1024xbf16>, tensor<4x1024x2x64xbf16>) -> tensor<4x2x4x64xbf16>
    return %16 : tensor<4x2x4x64xbf16>
  }
}
