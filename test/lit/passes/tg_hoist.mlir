// RUN: stitch-opt %s --tg-hoist -split-input-file | FileCheck %s
// RUN: stitch-opt %s --tg-hoist --stitch-remarks -split-input-file -o %t.out 2>&1 | FileCheck %s --check-prefix=REMARK

// The dot of what does not change leaves the loop, with what it is computed from and what follows from it. The broadcast
// and the exponential of the bias are cheap where they are read, and stay.
// REMARK: 4 operations hoisted
// CHECK-LABEL: func.func @projection
// CHECK-SAME: %[[H:.*]]: tensor<8x8xf32>, %[[M:.*]]: tensor<8x8xf32>
// CHECK: %[[NEG:.*]] = tg.neg %[[M]]
// CHECK-NEXT: %[[DOT:.*]] = tg.dot %[[NEG]], %[[M]]
// CHECK-NEXT: %[[TANH:.*]] = tg.tanh %[[DOT]]
// CHECK-NEXT: %[[MAX:.*]] = tg.reduce max %[[TANH]]
// CHECK-NEXT: tg.while
// CHECK: } do {
// CHECK: tg.exp
// CHECK-NEXT: tg.broadcast
// CHECK-NEXT: tg.broadcast %[[MAX]]
// CHECK: tg.dot %{{.*}}, %[[TANH]]
func.func @projection(%h: tensor<8x8xf32>, %m: tensor<8x8xf32>, %bias: tensor<8xf32>) -> tensor<8x8xf32> {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %h) : tensor<i32>, tensor<8x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.neg %m : tensor<8x8xf32>
    %2 = tg.dot %1, %m contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = tg.tanh %2 : tensor<8x8xf32>
    %4 = tg.reduce max %3 dims [0] : (tensor<8x8xf32>) -> tensor<8xf32>
    %5 = tg.exp %bias : tensor<8xf32>
    %6 = tg.broadcast %5 dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %7 = tg.broadcast %4 dims [1] : (tensor<8xf32>) -> tensor<8x8xf32>
    %8 = tg.dot %v, %3 contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %9 = tg.add %8, %6 : tensor<8x8xf32>
    %10 = tg.add %9, %7 : tensor<8x8xf32>
    %11 = tg.add %i, %one : tensor<i32>
    tg.yield %11, %10 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// -----

// Out of both loops.
// CHECK-LABEL: func.func @nested
// CHECK: tg.dot
// CHECK: tg.while
// CHECK: tg.while
func.func @nested(%h: tensor<8x8xf32>, %m: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %h) : tensor<i32>, tensor<8x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %2:2 = tg.while(%j = %start, %w = %v) : tensor<i32>, tensor<8x8xf32> attributes {trip_count = 5 : i64} cond {
      %1 = tg.compare lt, %j, %limit : tensor<i32>
      tg.yield %1 : tensor<i1>
    } do {
      %1 = tg.dot %m, %m contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %2 = tg.add %w, %1 : tensor<8x8xf32>
      %3 = tg.add %j, %one : tensor<i32>
      tg.yield %3, %2 : tensor<i32>, tensor<8x8xf32>
    }
    %3 = tg.add %i, %one : tensor<i32>
    tg.yield %3, %2#1 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}

// -----

// Nothing leaves: the dot depends on the iteration; the host decides how often the body runs; a call may have effects.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: tg.dot
// CHECK: tg.while
// CHECK: tg.dot
// CHECK-NOT: tg.dot
// CHECK: tg.while
// CHECK: tg.dot
// CHECK-NOT: tg.custom_call
// CHECK: tg.while
// CHECK: tg.custom_call
func.func @stays(%h: tensor<8x8xf32>, %n: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %h) : tensor<i32>, tensor<8x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.dot %v, %h contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = tg.add %i, %one : tensor<i32>
    tg.yield %2, %1 : tensor<i32>, tensor<8x8xf32>
  }
  %3:2 = tg.while(%i = %start, %v = %h) : tensor<i32>, tensor<8x8xf32> cond {
    %1 = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.dot %h, %h contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = tg.add %i, %one : tensor<i32>
    tg.yield %2, %1 : tensor<i32>, tensor<8x8xf32>
  }
  %4:2 = tg.while(%i = %start, %v = %h) : tensor<i32>, tensor<8x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.custom_call "effect"(%h) has_side_effect : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = tg.add %i, %one : tensor<i32>
    tg.yield %2, %1 : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1, %3#1, %4#1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
