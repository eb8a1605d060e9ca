// RUN: stitch-opt %s --stitch-rotate-loops -split-input-file | FileCheck %s
// RUN: stitch-opt %s --stitch-rotate-loops --stitch-remarks -split-input-file -o %t.out 2>&1 | FileCheck %s --check-prefix=REMARK

// The dot's left operand is computed before the loop for the first iteration, and by each iteration for the next one. The
// slice of %xs is made where it is read; the counter's constant step is read where it is.
// REMARK: computes the operands of its first library calls at the end of the previous iteration: 1 more loop-carried values
// CHECK-LABEL: func.func @head
// CHECK-SAME: %[[XS:.*]]: tensor<5x8x8xf32>, %[[H:.*]]: tensor<8x8xf32>, %[[W:.*]]: tensor<8x8xf32>
// CHECK: %[[SLICE0:.*]] = tg.dynamic_slice %[[XS]]
// CHECK: %[[HEAD0:.*]] = tg.mul
// CHECK: %[[LOOP:.*]]:3 = tg.while(%[[I:.*]] = %{{.*}}, %[[V:.*]] = %[[H]], %[[HEAD:.*]] = %[[HEAD0]]) : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32> attributes {trip_count = 5 : i64}
// CHECK: } do {
// CHECK: %[[SLICE:.*]] = tg.dynamic_slice %[[XS]][%[[I]]
// CHECK-NEXT: %[[X:.*]] = tg.reshape %[[SLICE]]
// CHECK-NEXT: %[[DOT:.*]] = tg.dot %[[HEAD]], %[[W]]
// CHECK: %[[V2:.*]] = tg.add %{{.*}}, %[[X]]
// CHECK: %[[I2:.*]] = tg.add %[[I]]
// CHECK: %[[SLICE2:.*]] = tg.dynamic_slice %[[XS]][%[[I2]]
// CHECK: %[[HEAD2:.*]] = tg.mul %{{.*}}, %[[V2]]
// CHECK-NEXT: tg.yield %[[I2]], %[[V2]], %[[HEAD2]]
// CHECK: return %[[LOOP]]#1
func.func @head(%xs: tensor<5x8x8xf32>, %h: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %h) : tensor<i32>, tensor<8x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %zero = tg.constant dense<0> : tensor<i32>
    %one = tg.constant dense<1> : tensor<i32>
    %1 = tg.dynamic_slice %xs[%i, %zero, %zero] sizes [1, 8, 8] : (tensor<5x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
    %2 = tg.reshape %1 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %3 = tg.mul %2, %v : tensor<8x8xf32>
    %4 = tg.dot %3, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = tg.tanh %4 : tensor<8x8xf32>
    %6 = tg.add %5, %2 : tensor<8x8xf32>
    %7 = tg.add %i, %one : tensor<i32>
    tg.yield %7, %6 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// -----

// What the head computes is carried also for what reads it behind the dot.
// REMARK: 2 more loop-carried values
// CHECK-LABEL: func.func @read_again
// CHECK: tg.while({{.*}}) : tensor<i32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32> attributes
// CHECK: } do {
// CHECK-NEXT: tg.dot
// CHECK: tg.tanh
// CHECK: tg.exp
// CHECK: tg.neg
func.func @read_again(%h: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %h) : tensor<i32>, tensor<8x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.exp %v : tensor<8x8xf32>
    %2 = tg.neg %1 : tensor<8x8xf32>
    %3 = tg.dot %2, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = tg.tanh %3 : tensor<8x8xf32>
    %5 = tg.add %4, %1 : tensor<8x8xf32>
    %6 = tg.add %i, %one : tensor<i32>
    tg.yield %6, %5 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// -----

// Nothing to gain: the first dot reads a carried value; the next head would follow a dot, alone; there are only two
// iterations.
// CHECK-LABEL: func.func @no_head
// CHECK: tg.while({{.*}}) : tensor<i32>, tensor<8x8xf32> attributes
// CHECK-LABEL: func.func @no_tail
// CHECK: tg.while({{.*}}) : tensor<i32>, tensor<8x8xf32> attributes
// CHECK-LABEL: func.func @twice
// CHECK: tg.while({{.*}}) : tensor<i32>, tensor<8x8xf32> attributes
func.func @no_head(%h: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %h) : tensor<i32>, tensor<8x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.dot %v, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = tg.tanh %1 : tensor<8x8xf32>
    %3 = tg.dot %2, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = tg.tanh %3 : tensor<8x8xf32>
    %5 = tg.add %i, %one : tensor<i32>
    tg.yield %5, %4 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}
func.func @no_tail(%h: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %h) : tensor<i32>, tensor<8x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.tanh %v : tensor<8x8xf32>
    %2 = tg.dot %1, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = tg.tanh %2 : tensor<8x8xf32>
    %4 = tg.dot %3, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = tg.add %i, %one : tensor<i32>
    tg.yield %5, %4 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}
func.func @twice(%h: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<2> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %h) : tensor<i32>, tensor<8x8xf32> attributes {trip_count = 2 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.tanh %v : tensor<8x8xf32>
    %2 = tg.dot %1, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = tg.exp %2 : tensor<8x8xf32>
    %4 = tg.add %i, %one : tensor<i32>
    tg.yield %4, %3 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}
