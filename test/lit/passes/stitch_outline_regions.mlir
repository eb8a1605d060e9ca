// RUN: stitch-opt %s -stitch-outline | FileCheck %s

// The regions of a loop are graphs of their own. The constants that they capture are theirs; the large splat that
// starts the loop is computed, not stored; %w is read where it is.
// CHECK-LABEL: @loop
// CHECK-SAME: (%[[W:.*]]: tensor<128xf32>)
// CHECK: %[[START:.*]] = tg.constant dense<0> : tensor<i32>
// CHECK: %[[FILLED:.*]] = stitch.fusion() : () -> tensor<128xf32> {
// CHECK: tg.broadcast
// CHECK: tg.while(%[[I:.*]] = %[[START]], %[[V:.*]] = %[[FILLED]])
// CHECK: stitch.fusion(%{{.*}} = %[[I]]) : (tensor<i32>) -> tensor<i1> {
// CHECK-NEXT: tg.constant dense<3>
// CHECK: do {
// CHECK: stitch.fusion({{.*}} = %[[W]]
// CHECK: tg.constant dense<2.0
// CHECK: tg.yield
func.func @loop(%w: tensor<128xf32>) -> tensor<128xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %three = tg.constant dense<3> : tensor<i32>
  %two = tg.constant dense<2.0> : tensor<128xf32>
  %start = tg.constant dense<0.0> : tensor<128xf32>
  %0:2 = tg.while(%i = %zero, %v = %start) : tensor<i32>, tensor<128xf32> cond {
    %1 = tg.compare lt, %i, %three : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %one : tensor<i32>
    %2 = tg.mul %v, %w : tensor<128xf32>
    %3 = tg.add %2, %two : tensor<128xf32>
    tg.yield %1, %3 : tensor<i32>, tensor<128xf32>
  }
  return %0#1 : tensor<128xf32>
}

// Operations of other dialects stay as they are; a region of theirs can be empty.

// CHECK-LABEL: func.func @main
// CHECK: scf.if
func.func @main(%p: i1, %a: memref<4xf32>, %b: memref<4xf32>) {
  scf.if %p {
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  }
  return
}
