// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch --stitch-remarks 2>&1 | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch -convert-stitch-to-gpu | FileCheck %s --check-prefix=KERNEL

// A thread of 64 registers has no room for its 36 elements beside what else it needs: the emitter reads the row for each of three sweeps
// (but for the last elements of one), and so does the model. With 32 elements it keeps them.

// CHECK: the kernel costs {{.*}} (95551488 bytes read, 31850496 written)
// CHECK: the kernel costs {{.*}} (28311552 bytes read, 28311552 written)
// KERNEL: stitch.traffic = array<i64: 88473600, 31850496>
// KERNEL: stitch.traffic = array<i64: 28311552, 28311552>

// 262208 columns (of a vocabulary) are 68 for each thread of eight blocks, which have 128 registers: all are kept, and written without
// being read again.

// CHECK: the kernel costs {{.*}} (537001984 bytes read, 537001984 written)
// KERNEL: stitch.traffic = array<i64: 537001984, 537001984>
module attributes {stitch.device = #stitch.device<a100>} {
  func.func @main(%x: tensor<216x36864xf32>) -> tensor<216x36864xf32> {
    %max = tg.reduce max %x dims [1] : (tensor<216x36864xf32>) -> tensor<216xf32>
    %b = tg.broadcast %max dims [0] : (tensor<216xf32>) -> tensor<216x36864xf32>
    %shifted = tg.sub %x, %b : tensor<216x36864xf32>
    %e = tg.exp %shifted : tensor<216x36864xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<216x36864xf32>) -> tensor<216xf32>
    %c = tg.broadcast %sum dims [0] : (tensor<216xf32>) -> tensor<216x36864xf32>
    %y = tg.div %e, %c : tensor<216x36864xf32>
    return %y : tensor<216x36864xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<a100>} {
  func.func @main(%x: tensor<216x32768xf32>) -> tensor<216x32768xf32> {
    %max = tg.reduce max %x dims [1] : (tensor<216x32768xf32>) -> tensor<216xf32>
    %b = tg.broadcast %max dims [0] : (tensor<216xf32>) -> tensor<216x32768xf32>
    %shifted = tg.sub %x, %b : tensor<216x32768xf32>
    %e = tg.exp %shifted : tensor<216x32768xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<216x32768xf32>) -> tensor<216xf32>
    %c = tg.broadcast %sum dims [0] : (tensor<216xf32>) -> tensor<216x32768xf32>
    %y = tg.div %e, %c : tensor<216x32768xf32>
    return %y : tensor<216x32768xf32>
  }
}

// -----

module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<512x262208xf32>) -> tensor<512x262208xf32> {
    %max = tg.reduce max %x dims [1] : (tensor<512x262208xf32>) -> tensor<512xf32>
    %b = tg.broadcast %max dims [0] : (tensor<512xf32>) -> tensor<512x262208xf32>
    %shifted = tg.sub %x, %b : tensor<512x262208xf32>
    %e = tg.exp %shifted : tensor<512x262208xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<512x262208xf32>) -> tensor<512xf32>
    %c = tg.broadcast %sum dims [0] : (tensor<512xf32>) -> tensor<512x262208xf32>
    %y = tg.div %e, %c : tensor<512x262208xf32>
    return %y : tensor<512x262208xf32>
  }
}
