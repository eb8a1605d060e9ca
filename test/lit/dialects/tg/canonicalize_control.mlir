// RUN: stitch-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @if_of_constant
// CHECK-NOT: tg.if
// CHECK: tg.exp
func.func @if_of_constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %no = tg.constant dense<false> : tensor<i1>
  %0 = tg.if %no : (tensor<i1>) -> tensor<4xf32> {
    %1 = tg.neg %x : tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  } else {
    %1 = tg.exp %x : tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// An index that is out of range takes the last branch.
// CHECK-LABEL: @case_of_constant
// CHECK-NOT: tg.case
// CHECK: %[[A:.*]] = tg.neg
// CHECK: %[[B:.*]] = tg.exp
// CHECK: %[[C:.*]] = tg.exp
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @case_of_constant(%x: tensor<4xf32>, %i: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %below = tg.constant dense<-1> : tensor<i32>
  %0 = tg.case %zero : (tensor<i32>) -> tensor<4xf32> {
    %3 = tg.neg %x : tensor<4xf32>
    tg.yield %3 : tensor<4xf32>
  }, {
    tg.yield %x : tensor<4xf32>
  }
  %1 = tg.case %below : (tensor<i32>) -> tensor<4xf32> {
    tg.yield %x : tensor<4xf32>
  }, {
    %3 = tg.exp %x : tensor<4xf32>
    tg.yield %3 : tensor<4xf32>
  }
  %2 = tg.case %i : (tensor<i32>) -> tensor<4xf32> {
    %3 = tg.exp %x : tensor<4xf32>
    tg.yield %3 : tensor<4xf32>
  }
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// %w never changes and nobody reads %u: one value goes round.
// CHECK-LABEL: @unchanged
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>
// CHECK: %[[R:.*]] = tg.while(%[[V:.*]] = %[[X]]) : tensor<4xf32> cond
// CHECK: tg.mul %[[V]], %[[W]]
// CHECK: return %[[R]], %[[W]]
func.func @unchanged(%x: tensor<4xf32>, %w: tensor<4xf32>, %limit: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:3 = tg.while(%v = %x, %u = %x, %c = %w) : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> cond {
    %1 = tg.reduce add %v dims [0] : (tensor<4xf32>) -> tensor<f32>
    %2 = tg.compare lt, %1, %limit : tensor<f32>
    tg.yield %2 : tensor<i1>
  } do {
    %1 = tg.mul %v, %c : tensor<4xf32>
    %2 = tg.exp %v : tensor<4xf32>
    tg.yield %1, %2, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @never
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @never(%x: tensor<4xf32>) -> tensor<4xf32> {
  %no = tg.constant dense<false> : tensor<i1>
  %0 = tg.while(%v = %x) : tensor<4xf32> cond {
    tg.yield %no : tensor<i1>
  } do {
    %1 = tg.neg %v : tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
