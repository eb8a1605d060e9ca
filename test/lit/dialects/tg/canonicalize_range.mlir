// RUN: stitch-opt %s -canonicalize -split-input-file | FileCheck %s

// An index is made positive, and checked, where it cannot be anything else.
// CHECK-LABEL: @indices
func.func @indices() -> (tensor<8xi32>, tensor<8xi1>) {
  %index = tg.iota dim 0 : tensor<8xi32>
  %zero = tg.constant dense<0> : tensor<8xi32>
  %size = tg.constant dense<8> : tensor<8xi32>
  %is_negative = tg.compare lt, %index, %zero : tensor<8xi32>
  %shifted = tg.add %index, %size : tensor<8xi32>
  %0 = tg.select %is_negative, %shifted, %index : tensor<8xi1>, tensor<8xi32>
  %last = tg.constant dense<7> : tensor<8xi32>
  // CHECK-DAG: %[[INDEX:.*]] = tg.iota dim 0
  // CHECK-DAG: %[[TRUE:.*]] = tg.constant dense<true> : tensor<8xi1>
  %1 = tg.compare le, %0, %last : tensor<8xi32>
  // CHECK: return %[[INDEX]], %[[TRUE]]
  return %0, %1 : tensor<8xi32>, tensor<8xi1>
}

// -----

// One value on the other side of the limit is enough.
// CHECK-LABEL: @undecided
func.func @undecided(%x: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi1>) {
  %index = tg.iota dim 0 : tensor<8xi32>
  %last = tg.constant dense<7> : tensor<8xi32>
  %zero = tg.constant dense<0> : tensor<8xi32>
  // CHECK: %[[LT:.*]] = tg.compare lt,
  %0 = tg.compare lt, %index, %last : tensor<8xi32>
  // CHECK: %[[GE:.*]] = tg.compare ge, %arg0,
  %1 = tg.compare ge, %x, %zero : tensor<8xi32>
  // CHECK: return %[[LT]], %[[GE]]
  return %0, %1 : tensor<8xi1>, tensor<8xi1>
}

// -----

// Sums that go beyond their type wrap.
// CHECK-LABEL: @wraps
func.func @wraps() -> (tensor<200xi1>, tensor<200xi1>) {
  %index = tg.iota dim 0 : tensor<200xui8>
  %more = tg.constant dense<100> : tensor<200xui8>
  %sum = tg.add %index, %more : tensor<200xui8>
  // CHECK-DAG: %[[TRUE:.*]] = tg.constant dense<true>
  // CHECK: %[[GE:.*]] = tg.compare ge,
  %0 = tg.compare ge, %sum, %more : tensor<200xui8>
  %small = tg.constant dense<55> : tensor<200xui8>
  %less = tg.min %index, %small : tensor<200xui8>
  %sum2 = tg.add %less, %more : tensor<200xui8>
  // CHECK: return %[[GE]], %[[TRUE]]
  %1 = tg.compare ge, %sum2, %more : tensor<200xui8>
  return %0, %1 : tensor<200xi1>, tensor<200xi1>
}

// -----

// CHECK-LABEL: @largest
func.func @largest(%x: tensor<4x61xf32>) -> tensor<4xi1> {
  %value, %index = tg.arg_reduce max %x dim 1 : (tensor<4x61xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  %size = tg.constant dense<61> : tensor<4xi32>
  // CHECK: %[[TRUE:.*]] = tg.constant dense<true>
  %0 = tg.compare lt, %index, %size : tensor<4xi32>
  // CHECK: return %[[TRUE]]
  return %0 : tensor<4xi1>
}

// -----

// What a loop carries: a counter, the index of a maximum, and something that may be anything.
// CHECK-LABEL: @carried
func.func @carried(%x: tensor<61xf32>, %any: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %five = tg.constant dense<5> : tensor<i32>
  // CHECK: tg.while(%[[I:.*]] = %{{.*}}, %[[TOKEN:.*]] = %{{.*}}, %[[ANY:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}})
  %0:4 = tg.while(%i = %zero, %token = %one, %other = %any, %sum = %zero) : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32> attributes {trip_count = 5 : i64} cond {
    // CHECK: tg.compare lt, %[[I]]
    %1 = tg.compare lt, %i, %five : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %next = tg.add %i, %one : tensor<i32>
    %value, %index = tg.arg_reduce max %x dim 0 : (tensor<61xf32>) -> (tensor<f32>, tensor<i32>)
    // CHECK-NOT: tg.compare lt, %[[I]]
    // CHECK-NOT: tg.compare lt, %[[TOKEN]]
    // CHECK: tg.compare lt, %[[ANY]]
    // CHECK-NOT: tg.compare
    %2 = tg.compare lt, %i, %zero : tensor<i32>
    %3 = tg.compare lt, %token, %zero : tensor<i32>
    %4 = tg.compare lt, %other, %zero : tensor<i32>
    %5 = tg.select %2, %zero, %i : tensor<i1>, tensor<i32>
    %6 = tg.select %3, %zero, %token : tensor<i1>, tensor<i32>
    %7 = tg.select %4, %zero, %other : tensor<i1>, tensor<i32>
    %8 = tg.add %5, %6 : tensor<i32>
    %9 = tg.add %8, %7 : tensor<i32>
    %10 = tg.add %9, %sum : tensor<i32>
    %11 = tg.sub %7, %five : tensor<i32>
    tg.yield %next, %index, %11, %10 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
