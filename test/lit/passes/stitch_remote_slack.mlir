// RUN: stitch-opt %s --stitch-set-device=device=h200 --stitch-outline --stitch-remote=policy=gain | FileCheck %s

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
