// RUN: stitch-opt %s -split-input-file -stitch-skinny-products | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-skinny-products --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s -split-input-file -stitch-skinny-products=choose=always | FileCheck %s --check-prefix=ALWAYS
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-skinny-products 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: stitch-opt %s -split-input-file "-stitch-skinny-products=choose=always" -stitch-verify-plan -o /dev/null

// DEVICE: has no device to be planned for

// Weights of 8 bits, their scales, a bias and a residual are one kernel.

// REMARK: 1 products of 16 rows: a kernel of tensor cores takes {{[0-9]+}} ns, a library's {{[0-9]+}}, multiply-adds of threads {{[0-9]+}}
// CHECK-LABEL: func.func @eight_bits
// CHECK-NEXT: stitch.fusion
// CHECK-SAME: (tensor<4096x4096xi8>, tensor<16x4096xbf16>, tensor<4096xf32>, tensor<16x4096xf32>) -> tensor<16x4096xbf16>
// CHECK-SAME: stitch.launch = #stitch.launch<grid =
// CHECK-SAME: stitch.skinny = #stitch.skinny<columns = {{[0-9]+}}, depth = 4,
// CHECK-NEXT: tg.convert {{.*}} -> tensor<4096x4096xbf16>
// CHECK-NEXT: tg.dot
// CHECK-NEXT: tg.broadcast
// CHECK-NEXT: tg.mul
// CHECK-NEXT: tg.add
// CHECK-NEXT: tg.convert
// CHECK-NEXT: stitch.yield
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @eight_bits(%x: tensor<16x4096xbf16>, %w: tensor<4096x4096xi8>, %s: tensor<4096xf32>, %r: tensor<16x4096xf32>) -> tensor<16x4096xbf16> {
    %0 = tg.convert %w : (tensor<4096x4096xi8>) -> tensor<4096x4096xbf16>
    %1 = tg.dot %x, %0 contract [1] x [0] : (tensor<16x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16x4096xf32>
    %2 = tg.broadcast %s dims [1] : (tensor<4096xf32>) -> tensor<16x4096xf32>
    %3 = tg.mul %1, %2 : tensor<16x4096xf32>
    %4 = tg.add %3, %r : tensor<16x4096xf32>
    %5 = tg.convert %4 : (tensor<16x4096xf32>) -> tensor<16x4096xbf16>
    return %5 : tensor<16x4096xbf16>
  }
}

// -----

// A gate and what it is multiplied with, of the same rows, are one kernel; the second product stands behind operations
// that follow the first one. Somebody else reads the gate, too.

// CHECK-LABEL: func.func @gate
// CHECK: %[[ALL:.*]]:2 = stitch.fusion
// CHECK-COUNT-2: tg.dot
// CHECK: tg.mul
// CHECK: stitch.yield {{.*}} : tensor<32x8192xf32>, tensor<32x8192xf32>
// CHECK: tg.reduce add %[[ALL]]#{{[01]}}
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @gate(%x: tensor<32x4096xbf16>, %a: tensor<4096x8192xbf16>, %b: tensor<4096x8192xbf16>) -> (tensor<32x8192xf32>, tensor<32xf32>) {
    %0 = tg.dot %x, %a contract [1] x [0] : (tensor<32x4096xbf16>, tensor<4096x8192xbf16>) -> tensor<32x8192xf32>
    %1 = tg.logistic %0 : tensor<32x8192xf32>
    %2 = tg.reduce add %1 dims [1] : (tensor<32x8192xf32>) -> tensor<32xf32>
    %3 = tg.dot %x, %b contract [1] x [0] : (tensor<32x4096xbf16>, tensor<4096x8192xbf16>) -> tensor<32x8192xf32>
    %4 = tg.mul %1, %3 : tensor<32x8192xf32>
    return %4, %2 : tensor<32x8192xf32>, tensor<32xf32>
  }
}

// -----

// A product that depends on the first one by way of another kernel is none beside it.

// ALWAYS-LABEL: func.func @after_each_other
// ALWAYS: stitch.fusion
// ALWAYS: tg.dot
// ALWAYS-NOT: tg.dot
// ALWAYS: stitch.yield
// ALWAYS: tg.reduce add
// ALWAYS: stitch.fusion
// ALWAYS: tg.dot
// ALWAYS: stitch.yield
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @after_each_other(%x: tensor<16x256xbf16>, %a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<16x256xf32> {
    %0 = tg.dot %x, %a contract [1] x [0] : (tensor<16x256xbf16>, tensor<256x256xbf16>) -> tensor<16x256xf32>
    %1 = tg.reduce add %0 dims [0] : (tensor<16x256xf32>) -> tensor<256xf32>
    %2 = tg.convert %1 : (tensor<256xf32>) -> tensor<256xbf16>
    %3 = tg.broadcast %2 dims [1] : (tensor<256xbf16>) -> tensor<256x256xbf16>
    %4 = tg.mul %b, %3 : tensor<256x256xbf16>
    %5 = tg.dot %x, %4 contract [1] x [0] : (tensor<16x256xbf16>, tensor<256x256xbf16>) -> tensor<16x256xf32>
    %6 = tg.add %0, %5 : tensor<16x256xf32>
    return %6 : tensor<16x256xf32>
  }
}

// -----

// PyTorch's linear layer: weights that are neighbours in memory are contracted, so that a lane has eight of them.

// ALWAYS-LABEL: func.func @linear
// ALWAYS: stitch.skinny = #stitch.skinny<columns = {{[0-9]+}}, depth = {{8|16}},
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @linear(%x: tensor<16x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<16x4096xbf16> {
    %0 = tg.dot %x, %w contract [1] x [1] : (tensor<16x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16x4096xbf16>
    return %0 : tensor<16x4096xbf16>
  }
}

// -----

// Of one row multiply-adds take no longer than memory, and have the norm in front in their kernel. With many rows, in
// f32, in a loop or with a batch there is no such kernel.

// CHECK-LABEL: func.func @one_row
// CHECK-NOT: stitch.fusion
// ALWAYS-LABEL: func.func @one_row
// ALWAYS: stitch.skinny
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @one_row(%x: tensor<1x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<1x4096xf32> {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<1x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<1x4096xf32>
    return %0 : tensor<1x4096xf32>
  }
  // ALWAYS-LABEL: func.func @others
  // ALWAYS-NOT: stitch.fusion
  func.func @others(%x: tensor<65x4096xbf16>, %w: tensor<4096x4096xbf16>, %y: tensor<16x64xf32>, %v: tensor<64x64xf32>, %z: tensor<3x16x64xbf16>, %u: tensor<3x64x64xbf16>, %t: tensor<16x40xbf16>, %s: tensor<40x64xbf16>) -> (tensor<65x4096xf32>, tensor<16x64xf32>, tensor<3x16x64xf32>, tensor<16x64xf32>) {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<65x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<65x4096xf32>
    %1 = tg.dot %y, %v contract [1] x [0] : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
    %2 = tg.dot %z, %u batch [0] x [0] contract [2] x [1] : (tensor<3x16x64xbf16>, tensor<3x64x64xbf16>) -> tensor<3x16x64xf32>
    %3 = tg.dot %t, %s contract [1] x [0] : (tensor<16x40xbf16>, tensor<40x64xbf16>) -> tensor<16x64xf32>
    return %0, %1, %2, %3 : tensor<65x4096xf32>, tensor<16x64xf32>, tensor<3x16x64xf32>, tensor<16x64xf32>
  }
}

// -----

// Before sm_80 there is no mma.m16n8k16.

// ALWAYS-LABEL: func.func @before
// ALWAYS-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<v100>} {
  func.func @before(%x: tensor<16x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<16x4096xf32> {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<16x4096xf16>, tensor<4096x4096xf16>) -> tensor<16x4096xf32>
    return %0 : tensor<16x4096xf32>
  }
}
