// RUN: stitch-opt %s --stitch-set-device=device=h200 --stitch-outline --stitch-remote=policy=gain | FileCheck %s

// Fusions of a depth wait for a later one if all of them can.

// The negation is alone at its depth and nobody waits for it: it is merged with what comes behind the dot. The second
// function's negation is an input of the dot and cannot wait.

// CHECK-LABEL: func.func @waits
// CHECK-NEXT: stitch.library_call
// CHECK: %[[F:.*]]:2 = stitch.fusion
// CHECK-DAG: tg.neg
// CHECK-DAG: tg.exp
// CHECK: stitch.yield
// CHECK-NOT: stitch.fusion
// CHECK: return
func.func @waits(%x: tensor<8x8xf32>, %v: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %0 = tg.neg %v : tensor<8xf32>
  %1 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = tg.exp %1 : tensor<8x8xf32>
  return %2, %0 : tensor<8x8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @needed
// CHECK: stitch.fusion
// CHECK-NEXT: tg.neg
// CHECK-NEXT: stitch.yield
// CHECK: stitch.library_call
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
func.func @needed(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tg.neg %x : tensor<8x8xf32>
  %1 = tg.dot %0, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = tg.exp %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// What is behind a view waits with it, but not beyond the view's user.
// CHECK-LABEL: func.func @through_view
// CHECK: stitch.fusion
// CHECK-NEXT: tg.neg
// CHECK-NEXT: stitch.yield
// CHECK: tg.reshape
// CHECK: stitch.library_call
func.func @through_view(%x: tensor<8x8xf32>, %v: tensor<64xf32>) -> tensor<8x8xf32> {
  %0 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = tg.neg %v : tensor<64xf32>
  %2 = tg.reshape %1 : (tensor<64xf32>) -> tensor<8x8xf32>
  %3 = tg.dot %0, %2 contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = tg.exp %3 : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// Two that could wait stay with one that cannot.
// CHECK-LABEL: func.func @together
// CHECK: stitch.fusion
// CHECK-DAG: tg.abs
// CHECK-DAG: tg.neg
// CHECK: stitch.yield
// CHECK: stitch.library_call
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
func.func @together(%x: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = tg.neg %x : tensor<8x8xf32>
  %1 = tg.abs %v : tensor<8x8xf32>
  %2 = tg.dot %0, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = tg.exp %2 : tensor<8x8xf32>
  return %3, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// The counter, and the copy of what the iteration starts with into the stack that the loop makes, wait for what follows
// the dot: the update in place is no reason to hurry.
// CHECK-LABEL: func.func @stacked
// CHECK: } do {
// CHECK: stitch.library_call
// CHECK: stitch.fusion
// CHECK-DAG: tg.tanh
// CHECK-DAG: tg.add
// CHECK-DAG: tg.reshape
// CHECK: stitch.yield
// CHECK-NOT: stitch.fusion
// CHECK: tg.dynamic_update_slice
// CHECK-NOT: stitch.fusion
// CHECK: tg.yield
func.func @stacked(%h: tensor<8x8xf32>, %w: tensor<8x8xf32>, %s: tensor<5x8x8xf32>) -> (tensor<8x8xf32>, tensor<5x8x8xf32>) {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<5> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %zero = tg.constant dense<0> : tensor<i32>
  %0:3 = tg.while(%i = %start, %v = %h, %stack = %s) : tensor<i32>, tensor<8x8xf32>, tensor<5x8x8xf32> attributes {trip_count = 5 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.dot %v, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = tg.tanh %1 : tensor<8x8xf32>
    %3 = tg.reshape %v : (tensor<8x8xf32>) -> tensor<1x8x8xf32>
    %4 = tg.dynamic_update_slice %stack[%i, %zero, %zero], %3 : (tensor<5x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x8x8xf32>
    %5 = tg.add %i, %one : tensor<i32>
    tg.yield %5, %2, %4 : tensor<i32>, tensor<8x8xf32>, tensor<5x8x8xf32>
  }
  return %0#1, %0#2 : tensor<8x8xf32>, tensor<5x8x8xf32>
}

// Two chains of products, one of which starts with a kernel and the other with a product: their steps are merged all the
// same.
// CHECK-LABEL: func.func @shifted
// CHECK-COUNT-3: :2 = stitch.fusion
// CHECK-NOT: stitch.fusion
// CHECK: return
func.func @shifted(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = tg.tanh %0 : tensor<8x8xf32>
  %2 = tg.dot %1, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = tg.tanh %2 : tensor<8x8xf32>
  %4 = tg.dot %3, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = tg.tanh %4 : tensor<8x8xf32>
  %6 = tg.neg %y : tensor<8x8xf32>
  %7 = tg.dot %6, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = tg.tanh %7 : tensor<8x8xf32>
  %9 = tg.dot %8, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %10 = tg.tanh %9 : tensor<8x8xf32>
  return %5, %10 : tensor<8x8xf32>, tensor<8x8xf32>
}
