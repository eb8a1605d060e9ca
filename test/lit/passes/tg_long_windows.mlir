// RUN: stitch-opt %s -split-input-file -tg-long-windows | FileCheck %s
// RUN: stitch-opt %s -split-input-file -tg-long-windows --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s -split-input-file -tg-long-windows | stitch-opt -split-input-file | FileCheck %s --check-prefix=VERIFIED

// Prefixes of 100 elements by a body, and the other way round: cumulative operations. A window has the initial value
// once, and once more for each element of padding; a constant that stays what it is when it is combined with itself is
// there once in effect, others as often as they are.

// REMARK: remark: windows of 100 elements that are prefixes of lines: it is made a cumulative operation
// CHECK-LABEL: func.func @prefixes
// CHECK: %[[OWN:.*]] = tg.general_cumulative %arg0 dim 0 : (tensor<100xf32>) -> tensor<100xf32> {
// CHECK: %[[ALL:.*]] = tg.general_cumulative %{{.*}} dim 0 reverse : (tensor<100xf32>) -> tensor<100xf32> {
// CHECK: tg.sub %[[ALL]], %[[OWN]] : tensor<100xf32>
// CHECK-NOT: general_reduce_window
// VERIFIED: func.func @prefixes
func.func @prefixes(%x: tensor<100xf32>, %init: tensor<f32>) -> tensor<100xf32> {
  %0 = tg.general_reduce_window %x inits %init window_dimensions [100] window_strides [1] base_dilations [1]
      window_dilations [1] padding_low [99] padding_high [0] : (tensor<100xf32>, tensor<f32>) -> tensor<100xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = tg.sub %a, %b : tensor<f32>
    tg.yield %1 : tensor<f32>
  }
  return %0 : tensor<100xf32>
}

// -----

// CHECK-LABEL: func.func @stays
// CHECK: %[[INIT:.*]] = tg.constant dense<0xFF800000> : tensor<f32>
// CHECK: tg.general_cumulative %arg0 inits %[[INIT]] dim 1 : (tensor<3x100xf32>, tensor<f32>) -> tensor<3x100xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
// CHECK: tg.max %[[A]], %{{.*}} : tensor<f32>
// CHECK-NEXT: tg.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @stays(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %init = tg.constant dense<0xFF800000> : tensor<f32>
  %0 = tg.general_reduce_window %x inits %init window_dimensions [1, 100] window_strides [1, 1] base_dilations [1, 1]
      window_dilations [1, 1] padding_low [0, 99] padding_high [0, 0] : (tensor<3x100xf32>, tensor<f32>) -> tensor<3x100xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %same = tg.neg %b : tensor<f32>
    %2 = tg.neg %same : tensor<f32>
    %1 = tg.max %a, %2 : tensor<f32>
    tg.yield %1 : tensor<f32>
  }
  return %0 : tensor<3x100xf32>
}

// -----

// From each element on, the body gets what comes before first.
// CHECK-LABEL: func.func @suffixes
// CHECK: %[[OWN:.*]] = tg.general_cumulative %arg0 dim 0 reverse : (tensor<100xf32>) -> tensor<100xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
// CHECK-NEXT: tg.sub %[[B]], %[[A]] : tensor<f32>
// CHECK: %[[PADDING:.*]] = tg.general_cumulative %{{.*}} dim 0 : (tensor<100xf32>) -> tensor<100xf32> {
// CHECK: %[[REST:.*]] = tg.slice %[[PADDING]] [0:99]
// CHECK: %[[BEHIND:.*]] = tg.concatenate %{{.*}}, %[[REST]] dim 0
// CHECK: %[[PADDED:.*]] = tg.sub %[[OWN]], %[[BEHIND]]
// CHECK: tg.select %{{.*}}, %[[OWN]], %[[PADDED]]
// CHECK: tg.sub
// CHECK-NEXT: return
func.func @suffixes(%x: tensor<100xf32>, %init: tensor<f32>) -> tensor<100xf32> {
  %0 = tg.general_reduce_window %x inits %init window_dimensions [100] window_strides [1] base_dilations [1]
      window_dilations [1] padding_low [0] padding_high [99] : (tensor<100xf32>, tensor<f32>) -> tensor<100xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = tg.sub %a, %b : tensor<f32>
    tg.yield %1 : tensor<f32>
  }
  return %0 : tensor<100xf32>
}

// -----

// Other windows of 100 elements by a body: windows of 1, 2, 4, ..., 64; then those of 4, 32 and 64 make up 100. The
// initial value takes part once more.

// REMARK: remark: a window of 100 elements: it is made of windows of 1, 2, 4, ... elements
// CHECK-LABEL: func.func @doubled
// CHECK: tg.pad %arg0, %arg1 low [0] high [0] interior [0]
// CHECK-COUNT-8: tg.add
// CHECK: tg.broadcast %arg1 dims []
// CHECK: tg.add
// CHECK-NOT: tg.add
// CHECK-NOT: general_reduce_window
// VERIFIED: func.func @doubled
func.func @doubled(%x: tensor<300xf32>, %init: tensor<f32>) -> tensor<201xf32> {
  %0 = tg.general_reduce_window %x inits %init window_dimensions [100] window_strides [1] base_dilations [1]
      window_dilations [1] padding_low [0] padding_high [0] : (tensor<300xf32>, tensor<f32>) -> tensor<201xf32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = tg.add %a, %b : tensor<f32>
    tg.yield %1 : tensor<f32>
  }
  return %0 : tensor<201xf32>
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
