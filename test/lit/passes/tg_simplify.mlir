// RUN: stitch-opt %s -tg-simplify -split-input-file -verify-diagnostics=only-expected | FileCheck %s
// What comes out does not change any more.
// RUN: stitch-opt %s -tg-simplify -split-input-file -verify-diagnostics=only-expected -o %t
// RUN: stitch-opt %s -tg-simplify -tg-simplify -split-input-file -verify-diagnostics=only-expected | diff %t -

// Calls of calls, in regions too, end in @main; the functions that were called go.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[P:.*]]: tensor<i1>
func.func @main(%x: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[E0:.*]] = tg.exp %[[X]]
  // CHECK-NEXT: %[[N:.*]] = tg.neg %[[E0]]
  %0 = call @outer(%x) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: %[[IF:.*]] = tg.if %[[P]]
  %1 = tg.if %p : (tensor<i1>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[E1:.*]] = tg.exp %[[N]]
    // CHECK-NEXT: tg.yield %[[E1]]
    %2 = func.call @inner(%0) : (tensor<8xf32>) -> tensor<8xf32>
    tg.yield %2 : tensor<8xf32>
  } else {
    tg.yield %0 : tensor<8xf32>
  }
  // CHECK: return %[[IF]]
  return %1 : tensor<8xf32>
}
// CHECK-NOT: func.func
func.func private @outer(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = tg.neg %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @inner(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tg.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @unused(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// Only merging the two sums shows that their difference is zero, and only then is the product dead.
// CHECK-LABEL: func.func @rounds
func.func @rounds(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK-NEXT: return %arg0
  %0 = tg.mul %x, %y : tensor<8xi32>
  %1 = tg.mul %y, %x : tensor<8xi32>
  %2 = tg.sub %0, %1 : tensor<8xi32>
  %3 = tg.add %x, %2 : tensor<8xi32>
  return %3 : tensor<8xi32>
}

// -----

// A layer norm as PyTorch exports it loses its reshapes and the division; the linear layer its transpose.
// CHECK-LABEL: func.func @layer
func.func @layer(%x: tensor<1x7x64xf32>, %w: tensor<32x64xf32>) -> tensor<1x7x32xf32> {
  // CHECK-DAG: %[[C:.*]] = tg.constant dense<1.562500e-02> : tensor<1x7xf32>
  // CHECK: %[[SUM:.*]] = tg.reduce add %arg0 dims [2]
  // CHECK-NEXT: %[[MEAN:.*]] = tg.mul %[[SUM]], %[[C]] : tensor<1x7xf32>
  // CHECK-NEXT: %[[B:.*]] = tg.broadcast %[[MEAN]] dims [0, 1]
  // CHECK-NEXT: %[[D:.*]] = tg.sub %arg0, %[[B]]
  // CHECK-NEXT: %[[Y:.*]] = tg.dot %[[D]], %arg1 contract [2] x [1]
  // CHECK-NEXT: return %[[Y]]
  %sum = tg.reduce add %x dims [2] : (tensor<1x7x64xf32>) -> tensor<1x7xf32>
  %column = tg.reshape %sum : (tensor<1x7xf32>) -> tensor<1x7x1xf32>
  %n = tg.constant dense<64.0> : tensor<f32>
  %ns = tg.broadcast %n dims [] : (tensor<f32>) -> tensor<1x7x1xf32>
  %mean = tg.div %column, %ns : tensor<1x7x1xf32>
  %wide = tg.broadcast %mean dims [0, 1, 2] : (tensor<1x7x1xf32>) -> tensor<1x7x64xf32>
  %centred = tg.sub %x, %wide : tensor<1x7x64xf32>
  %t = tg.transpose %w permutation [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %y = tg.dot %centred, %t contract [2] x [0] : (tensor<1x7x64xf32>, tensor<64x32xf32>) -> tensor<1x7x32xf32>
  return %y : tensor<1x7x32xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'func.call' op calls 'f', which calls itself: a recursion cannot be inlined}}
  %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'func.call' op calls 'f', which has no body to inline}}
  %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
