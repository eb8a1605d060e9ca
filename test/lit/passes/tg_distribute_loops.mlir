// RUN: stitch-opt %s --tg-distribute-loops -split-input-file | FileCheck %s
// RUN: stitch-opt %s --tg-distribute-loops --stitch-remarks -split-input-file -o %t.out 2>&1 | FileCheck %s --check-prefix=REMARK

// Iteration k multiplies slice 5 - k of what has two more of them: the product of slices 1 to 5 is computed once, and its slice 4 - k is read.
// REMARK: 1 products of its slices are computed in front of the loop
// CHECK-LABEL: func.func @in_front
// CHECK-SAME: %[[X:.*]]: tensor<7x2x3xf32>, %[[W:.*]]: tensor<3x8xf32>
// CHECK: %[[FOUR:.*]] = tg.constant dense<4> : tensor<i32>
// CHECK: %[[READ:.*]] = tg.slice %[[X]] [1:6, 0:2, 0:3]
// CHECK: %[[Y:.*]] = tg.dot %[[READ]], %[[W]] contract [2] x [0] : (tensor<5x2x3xf32>, tensor<3x8xf32>) -> tensor<5x2x8xf32>
// CHECK: tg.while(%[[I:.*]] = {{.*}}, %[[H:.*]] =
// CHECK: do {
// CHECK-NEXT: %[[NUMBER:.*]] = tg.sub %[[FOUR]], %[[I]]
// CHECK-NEXT: tg.dynamic_slice %[[Y]][%[[NUMBER]], {{.*}}] sizes [1, 2, 8]
// CHECK-NOT: tg.dot
func.func @in_front(%x: tensor<7x2x3xf32>, %w: tensor<3x8xf32>, %h: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %0:2 = tg.while(%i = %zero, %v = %h) : tensor<i32>, tensor<2x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.sub %limit, %i : tensor<i32>
    %2 = tg.dynamic_slice %x[%1, %zero, %zero] sizes [1, 2, 3] : (tensor<7x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>
    %3 = tg.reshape %2 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    %4 = tg.dot %3, %w contract [1] x [0] : (tensor<2x3xf32>, tensor<3x8xf32>) -> tensor<2x8xf32>
    %5 = tg.add %4, %v : tensor<2x8xf32>
    %6 = tg.tanh %5 : tensor<2x8xf32>
    %7 = tg.add %i, %one : tensor<i32>
    tg.yield %7, %6 : tensor<i32>, tensor<2x8xf32>
  }
  return %0#1 : tensor<2x8xf32>
}

// -----

// Of the gradient of a weight, the slices of x are in memory, and the states get a stack; that of the bias reads the stack, too. Where x is read in reverse, all is.
// REMARK: 2 terms of loop-carried sums are added behind the loop
// CHECK-LABEL: func.func @behind
// CHECK-SAME: %[[X:.*]]: tensor<5x2x3xf32>, %[[H:.*]]: tensor<2x8xf32>, %[[DB:.*]]: tensor<8xf32>
// CHECK: %[[LOOP:.*]]:3 = tg.while(%[[I:.*]] = %{{.*}}, %[[V:.*]] = %[[H]], %[[STACK:.*]] = %{{.*}}) : tensor<i32>, tensor<2x8xf32>, tensor<5x2x8xf32>
// CHECK: do {
// CHECK-NOT: tg.dot
// CHECK-NOT: tg.reduce
// CHECK: %[[TANH:.*]] = tg.tanh
// CHECK: %[[NUMBER:.*]] = tg.sub {{.*}}, %[[I]]
// CHECK-NEXT: %[[UPDATE:.*]] = tg.reshape %[[TANH]]
// CHECK-NEXT: %[[WRITTEN:.*]] = tg.dynamic_update_slice %[[STACK]][%[[NUMBER]], {{.*}}], %[[UPDATE]]
// CHECK: tg.yield %{{.*}}, %[[TANH]], %[[WRITTEN]]
// CHECK: %[[DW:.*]] = tg.dot %[[X]], %[[LOOP]]#2 contract [0, 1] x [0, 1] : (tensor<5x2x3xf32>, tensor<5x2x8xf32>) -> tensor<3x8xf32>
// CHECK: %[[SUM:.*]] = tg.reduce add %[[LOOP]]#2 dims [0, 1]
// CHECK: %[[B:.*]] = tg.add %[[DB]], %[[SUM]]
// CHECK: return %[[DW]], %[[B]]
func.func @behind(%x: tensor<5x2x3xf32>, %h: tensor<2x8xf32>, %db: tensor<8xf32>) -> (tensor<3x8xf32>, tensor<8xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %last = tg.constant dense<4> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %start = tg.constant dense<0.0> : tensor<3x8xf32>
  %0:4 = tg.while(%i = %zero, %v = %h, %dw = %start, %b = %db) : tensor<i32>, tensor<2x8xf32>, tensor<3x8xf32>, tensor<8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.sub %last, %i : tensor<i32>
    %2 = tg.dynamic_slice %x[%1, %zero, %zero] sizes [1, 2, 3] : (tensor<5x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>
    %3 = tg.reshape %2 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    %4 = tg.tanh %v : tensor<2x8xf32>
    %5 = tg.dot %3, %4 contract [0] x [0] : (tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
    %6 = tg.add %dw, %5 : tensor<3x8xf32>
    %7 = tg.reduce add %4 dims [0] : (tensor<2x8xf32>) -> tensor<8xf32>
    %8 = tg.add %7, %b : tensor<8xf32>
    %9 = tg.add %i, %one : tensor<i32>
    tg.yield %9, %4, %6, %8 : tensor<i32>, tensor<2x8xf32>, tensor<3x8xf32>, tensor<8xf32>
  }
  return %0#2, %0#3 : tensor<3x8xf32>, tensor<8xf32>
}

// -----

// One of two terms stays: nothing that it is computed from is in memory. The other one, of a state that is stacked already in the other order than x is read, is added
// to what the loop returns.
// REMARK: 1 terms of loop-carried sums are added behind the loop
// CHECK-LABEL: func.func @one_of_two
// CHECK: %[[LOOP:.*]]:4 = tg.while(%{{.*}}, %[[V:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}, %[[STACK:.*]] = %{{.*}})
// CHECK: do {
// CHECK: %[[EXP:.*]] = tg.exp %[[V]]
// CHECK: %[[NEXT:.*]] = tg.add %[[SUM]], %[[EXP]]
// CHECK: tg.yield %{{.*}}, %{{.*}}, %[[NEXT]], %{{.*}}
// CHECK: %[[REVERSED:.*]] = tg.reverse %[[LOOP]]#3 dims [0]
// CHECK: %[[DOT:.*]] = tg.dot %{{.*}}, %[[REVERSED]] contract [0, 1] x [0, 1]
// CHECK: tg.add %[[LOOP]]#2, %[[DOT]]
func.func @one_of_two(%x: tensor<5x8x8xf32>, %h: tensor<8x8xf32>, %s: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<5x8x8xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %last = tg.constant dense<4> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %start = tg.constant dense<0.0> : tensor<5x8x8xf32>
  %0:4 = tg.while(%i = %zero, %v = %h, %sum = %s, %stack = %start) : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<5x8x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.sub %last, %i : tensor<i32>
    %2 = tg.dynamic_slice %x[%1, %zero, %zero] sizes [1, 8, 8] : (tensor<5x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
    %3 = tg.reshape %2 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %4 = tg.tanh %v : tensor<8x8xf32>
    %5 = tg.dot %3, %4 contract [0] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = tg.exp %v : tensor<8x8xf32>
    %7 = tg.add %5, %6 : tensor<8x8xf32>
    %8 = tg.add %sum, %7 : tensor<8x8xf32>
    %9 = tg.reshape %4 : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %10 = tg.dynamic_update_slice %stack[%i, %zero, %zero], %9 : (tensor<5x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x8x8xf32>
    %11 = tg.add %i, %one : tensor<i32>
    tg.yield %11, %4, %8, %10 : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<5x8x8xf32>
  }
  return %0#2, %0#3 : tensor<8x8xf32>, tensor<5x8x8xf32>
}

// -----

// Nothing moves: the sum is read in the body; the slices are the same in two iterations; the product's operands are larger than the sum; the weight is carried and changes.
// CHECK-LABEL: func.func @stays
// CHECK: tg.while
// CHECK: do {
// CHECK-COUNT-4: tg.dot
// CHECK-NOT: tg.dot
func.func @stays(%x: tensor<9x1x8xf32>, %y: tensor<9x1x8xf32>, %h: tensor<1x8xf32>, %w: tensor<8x8xf32>) -> (tensor<1x8xf32>, tensor<8x8xf32>, tensor<1x1xf32>, tensor<8x8xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %limit = tg.constant dense<12> : tensor<i32>
  %start = tg.constant dense<0.0> : tensor<8x8xf32>
  %small = tg.constant dense<0.0> : tensor<1x1xf32>
  %0:5 = tg.while(%i = %zero, %v = %h, %read = %start, %inner = %small, %weight = %w) : tensor<i32>, tensor<1x8xf32>, tensor<8x8xf32>, tensor<1x1xf32>, tensor<8x8xf32> attributes {trip_count = 12 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.dynamic_slice %x[%i, %zero, %zero] sizes [1, 1, 8] : (tensor<9x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x8xf32>
    %2 = tg.reshape %1 : (tensor<1x1x8xf32>) -> tensor<1x8xf32>
    %3 = tg.dot %2, %w contract [1] x [0] : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
    %4 = tg.dot %v, %read contract [1] x [0] : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
    %5 = tg.add %3, %4 : tensor<1x8xf32>
    %6 = tg.dot %v, %5 contract [0] x [0] : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
    %7 = tg.add %read, %6 : tensor<8x8xf32>
    %8 = tg.tanh %5 : tensor<1x8xf32>
    %9 = tg.dot %v, %8 contract [1] x [1] : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x1xf32>
    %10 = tg.add %inner, %9 : tensor<1x1xf32>
    %11 = tg.tanh %weight : tensor<8x8xf32>
    %12 = tg.add %i, %one : tensor<i32>
    tg.yield %12, %8, %7, %10, %11 : tensor<i32>, tensor<1x8xf32>, tensor<8x8xf32>, tensor<1x1xf32>, tensor<8x8xf32>
  }
  return %0#1, %0#2, %0#3, %0#4 : tensor<1x8xf32>, tensor<8x8xf32>, tensor<1x1xf32>, tensor<8x8xf32>
}
