// RUN: stitch-opt %s -stitch-outline=scope=xla -split-input-file | FileCheck %s

// The scope of XLA: a reduce ends a kernel; so does an expensive operation that a broadcast replicates, but not a division
// by a constant, which is a multiplication.

// CHECK-LABEL: func.func @normalise
// CHECK: stitch.fusion
// CHECK: tg.reduce add
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK: tg.div
// CHECK: tg.broadcast
// CHECK: tg.sub
// CHECK: tg.reduce add
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK: tg.rsqrt
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK: tg.broadcast
// CHECK: tg.mul
// CHECK-NOT: stitch.fusion
func.func @normalise(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %n = tg.constant dense<16.0> : tensor<8xf32>
  %sum = tg.reduce add %x dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %mean = tg.div %sum, %n : tensor<8xf32>
  %means = tg.broadcast %mean dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %centred = tg.sub %x, %means : tensor<8x16xf32>
  %squares = tg.mul %centred, %centred : tensor<8x16xf32>
  %variance = tg.reduce add %squares dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %scale = tg.rsqrt %variance : tensor<8xf32>
  %scales = tg.broadcast %scale dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %0 = tg.mul %centred, %scales : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
