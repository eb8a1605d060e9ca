// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -stitch-schemes -stitch-schedule -stitch-buffers -stitch-launch -split-input-file | FileCheck %s

// A thread that holds 32 elements of a row has none of 64 registers left for scales and offsets: three blocks of a multiprocessor
// instead of four.

// CHECK-LABEL: func.func @main(%arg0: tensor<4096x1024xf32>, %arg1: tensor<1024xf32>
// CHECK: stitch.launch<grid = {{[0-9]+}}, block = 256, registers = 80,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<4096x1024xf32>, %scale: tensor<1024xf32>, %offset: tensor<1024xf32>) -> tensor<4096x1024xf32> {
    %sum = tg.reduce add %x dims [1] : (tensor<4096x1024xf32>) -> tensor<4096xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<4096xf32>) -> tensor<4096x1024xf32>
    %g = tg.broadcast %scale dims [1] : (tensor<1024xf32>) -> tensor<4096x1024xf32>
    %o = tg.broadcast %offset dims [1] : (tensor<1024xf32>) -> tensor<4096x1024xf32>
    %0 = tg.sub %x, %s : tensor<4096x1024xf32>
    %1 = tg.mul %0, %g : tensor<4096x1024xf32>
    %2 = tg.add %1, %o : tensor<4096x1024xf32>
    return %2 : tensor<4096x1024xf32>
  }
}

// -----

// Nor does a block have several tasks then: ptxas keeps the scales and offsets from one to the next, and spills them. 4096 tasks are more
// than eight waves of three blocks.

// CHECK-LABEL: func.func @main(%arg0: tensor<32768x1024xf32>, %arg1: tensor<1024xf32>
// CHECK: stitch.launch<grid = 4096, block = 256, registers = 80,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<32768x1024xf32>, %scale: tensor<1024xf32>) -> tensor<32768x1024xf32> {
    %sum = tg.reduce add %x dims [1] : (tensor<32768x1024xf32>) -> tensor<32768xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<32768xf32>) -> tensor<32768x1024xf32>
    %g = tg.broadcast %scale dims [1] : (tensor<1024xf32>) -> tensor<32768x1024xf32>
    %0 = tg.sub %x, %s : tensor<32768x1024xf32>
    %1 = tg.mul %0, %g : tensor<32768x1024xf32>
    return %1 : tensor<32768x1024xf32>
  }
}

// -----

// Without scales they have.

// CHECK-LABEL: func.func @main(%arg0: tensor<65536x1024xf32>)
// CHECK: stitch.launch<grid = 4096, block = 256, registers = 64,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<65536x1024xf32>) -> tensor<65536x1024xf32> {
    %sum = tg.reduce add %x dims [1] : (tensor<65536x1024xf32>) -> tensor<65536xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<65536xf32>) -> tensor<65536x1024xf32>
    %0 = tg.sub %x, %s : tensor<65536x1024xf32>
    return %0 : tensor<65536x1024xf32>
  }
}

// -----

// Without these it has enough. So have blocks of which a multiprocessor would hold one instead of two, of 16-bit elements, which
// share words until they are used.

// CHECK-LABEL: func.func @main(%arg0: tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
// CHECK: stitch.launch<grid = {{[0-9]+}}, block = 256, registers = 64,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
    %sum = tg.reduce add %x dims [1] : (tensor<4096x1024xf32>) -> tensor<4096xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<4096xf32>) -> tensor<4096x1024xf32>
    %0 = tg.sub %x, %s : tensor<4096x1024xf32>
    return %0 : tensor<4096x1024xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main(%arg0: tensor<4096x16384xbf16>
// CHECK: stitch.launch<grid = {{[0-9]+}}, block = 512, registers = 64,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<4096x16384xbf16>, %scale: tensor<16384xbf16>) -> tensor<4096x16384xbf16> {
    %sum = tg.reduce max %x dims [1] : (tensor<4096x16384xbf16>) -> tensor<4096xbf16>
    %s = tg.broadcast %sum dims [0] : (tensor<4096xbf16>) -> tensor<4096x16384xbf16>
    %g = tg.broadcast %scale dims [1] : (tensor<16384xbf16>) -> tensor<4096x16384xbf16>
    %0 = tg.sub %x, %s : tensor<4096x16384xbf16>
    %1 = tg.mul %0, %g : tensor<4096x16384xbf16>
    return %1 : tensor<4096x16384xbf16>
  }
}
