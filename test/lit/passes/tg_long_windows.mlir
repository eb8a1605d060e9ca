// RUN: stitch-opt %s -split-input-file -tg-long-windows --stitch-remarks 2>&1 | FileCheck %s
// RUN: stitch-opt %s -split-input-file -tg-long-windows | stitch-opt -split-input-file | FileCheck %s --check-prefix=VERIFIED

// Prefixes of 100 elements by a body: windows of 1, 2, 4, ..., 64; then those of 4, 32 and 64 make up 100. Padding is in
// front, and the initial value takes part once more.

// CHECK: remark: a window of 100 elements: it is made of windows of 1, 2, 4, ... elements
// CHECK-LABEL: func.func @prefixes
// CHECK: tg.pad %arg0, %arg1 low [99] high [0] interior [0]
// CHECK-COUNT-8: tg.add
// CHECK: tg.broadcast %arg1 dims []
// CHECK: tg.add
// CHECK-NOT: tg.add
// CHECK-NOT: general_reduce_window
// VERIFIED: func.func @prefixes
func.func @prefixes(%x: tensor<100xf32>, %init: tensor<f32>) -> tensor<100xf32> {
  %0 = tg.general_reduce_window %x inits %init window_dimensions [100] window_strides [1] base_dilations [1]
      window_dilations [1] padding_low [99] padding_high [0] : (tensor<100xf32>, tensor<f32>) -> tensor<100xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = tg.add %a, %b : tensor<f32>
    tg.yield %1 : tensor<f32>
  }
  return %0 : tensor<100xf32>
}

// -----

// Sums in 16 bits are made in 32.

// CHECK-LABEL: func.func @half
// CHECK: tg.convert {{.*}} -> tensor<3x500xf32>
// CHECK: tg.add {{.*}}xf32>
// CHECK: tg.convert {{.*}} -> tensor<3x301xf16>
// VERIFIED: func.func @half
func.func @half(%x: tensor<3x500xf16>) -> tensor<3x301xf16> {
  %0 = tg.reduce_window add %x window_dimensions [1, 200] window_strides [1, 1] base_dilations [1, 1]
      window_dilations [1, 1] padding_low [0, 0] padding_high [0, 0] : (tensor<3x500xf16>) -> tensor<3x301xf16>
  return %0 : tensor<3x301xf16>
}

// -----

// Windows that are short, or beside each other, stay; so does a body that is not elementwise.

// CHECK-LABEL: func.func @others
// CHECK: tg.reduce_window
// CHECK: tg.reduce_window
// VERIFIED: func.func @others
func.func @others(%x: tensor<6400xf32>) -> (tensor<6351xf32>, tensor<64xf32>) {
  %0 = tg.reduce_window max %x window_dimensions [50] window_strides [1] base_dilations [1] window_dilations [1]
      padding_low [0] padding_high [0] : (tensor<6400xf32>) -> tensor<6351xf32>
  %1 = tg.reduce_window max %x window_dimensions [100] window_strides [100] base_dilations [1] window_dilations [1]
      padding_low [0] padding_high [0] : (tensor<6400xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<6351xf32>, tensor<64xf32>
}
