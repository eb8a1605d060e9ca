// RUN: stitch-opt %s -canonicalize -split-input-file | FileCheck %s

// A transpose meets its inverse through what is elementwise.
// CHECK-LABEL: @meet
// CHECK-NEXT: %[[E:.*]] = tg.exp %arg0 : tensor<4x8xf32>
// CHECK-NEXT: return %[[E]]
func.func @meet(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.transpose %x permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = tg.exp %0 : tensor<8x4xf32>
  %2 = tg.transpose %1 permutation [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Through several operations, with constants, a scalar predicate, a broadcast and another transpose.
// CHECK-LABEL: @several
// CHECK: %[[B:.*]] = tg.broadcast %arg3 dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[S:.*]] = tg.select %arg2, %arg0, %[[B]] : {{.*}}tensor<4x8xf32>
// CHECK-NEXT: %[[M:.*]] = tg.mul %[[S]], %{{.*}} : tensor<4x8xf32>
// CHECK-NEXT: %[[A:.*]] = tg.add %[[M]], %arg1 : tensor<4x8xf32>
// CHECK-NEXT: %[[Q:.*]] = tg.mul %[[A]], %[[A]] : tensor<4x8xf32>
// CHECK-NEXT: return %[[Q]]
func.func @several(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %p: tensor<i1>, %v: tensor<8xf32>) -> tensor<4x8xf32> {
  %c = tg.constant dense<3.0> : tensor<8x4xf32>
  %b = tg.broadcast %v dims [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %0 = tg.transpose %x permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = tg.transpose %y permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %2 = tg.select %p, %0, %b : tensor<i1>, tensor<8x4xf32>
  %3 = tg.mul %2, %c : tensor<8x4xf32>
  %4 = tg.add %3, %1 : tensor<8x4xf32>
  %5 = tg.mul %4, %4 : tensor<8x4xf32>
  %6 = tg.transpose %5 permutation [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// -----

// Two that are not each other's inverse are one.
// CHECK-LABEL: @compose
// CHECK-NEXT: %[[E:.*]] = tg.exp %arg0
// CHECK-NEXT: %[[T:.*]] = tg.transpose %[[E]] permutation [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
// CHECK-NEXT: return %[[T]]
func.func @compose(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %0 = tg.transpose %x permutation [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = tg.exp %0 : tensor<4x2x3xf32>
  %2 = tg.transpose %1 permutation [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  return %2 : tensor<3x4x2xf32>
}

// -----

// Repeated elements have any layout.
// CHECK-LABEL: @broadcasts
// CHECK-NOT: tg.transpose
// CHECK: %[[S:.*]] = tg.mul {{.*}} : tensor<48x64xf32>
// CHECK: %[[E:.*]] = tg.exp %[[S]]
// CHECK: tg.add %[[E]], %arg1
func.func @broadcasts(%a: tensor<64xf32>, %b: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %0 = tg.iota dim 0 : tensor<64x48xf32>
  %1 = tg.broadcast %a dims [0] : (tensor<64xf32>) -> tensor<64x48xf32>
  %2 = tg.mul %0, %1 : tensor<64x48xf32>
  %3 = tg.exp %2 : tensor<64x48xf32>
  %4 = tg.transpose %3 permutation [1, 0] : (tensor<64x48xf32>) -> tensor<48x64xf32>
  %5 = tg.add %4, %b : tensor<48x64xf32>
  return %5 : tensor<48x64xf32>
}

// -----

// Where something else reads the values, or an operand has to be transposed that was not, one is left of two.
// CHECK-LABEL: @one_of_two
// CHECK: %[[E:.*]] = tg.exp %arg0
// CHECK: %[[B:.*]] = tg.transpose %[[E]]
// CHECK: %[[T:.*]] = tg.tanh %arg0
// CHECK: %[[Y:.*]] = tg.transpose %arg1
// CHECK: %[[A:.*]] = tg.add %[[T]], %[[Y]]
// CHECK: return %[[B]], %[[E]], %[[A]]
func.func @one_of_two(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tg.transpose %x permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = tg.exp %0 : tensor<8x4xf32>
  %2 = tg.transpose %1 permutation [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %3 = tg.tanh %x : tensor<4x8xf32>
  %4 = tg.transpose %3 permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %5 = tg.add %4, %y : tensor<8x4xf32>
  %6 = tg.transpose %5 permutation [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %1, %2, %6 : tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What is computed of two transposes is transposed once.
// CHECK-LABEL: @once
// CHECK: %[[C:.*]] = tg.constant dense<2.000000e+00> : tensor<4x8xf32>
// CHECK: %[[S:.*]] = tg.fma %arg0, %arg1, %[[C]]
// CHECK-NEXT: %[[T:.*]] = tg.transpose %[[S]] permutation [1, 0]
// CHECK-NEXT: return %[[T]]
func.func @once(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %c = tg.constant dense<2.0> : tensor<8x4xf32>
  %0 = tg.transpose %x permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = tg.transpose %y permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %2 = tg.fma %0, %1, %c : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// Not of what a library computes, which transposes as it writes, nor by different permutations, nor what is read
// besides.
// CHECK-LABEL: @apart
// CHECK-COUNT-6: tg.transpose
func.func @apart(%x: tensor<8x8x8xf32>, %y: tensor<8x8x8xf32>) -> (tensor<8x8x8xf32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>) {
  %dot = tg.dot %x, %y batch [0] x [0] contract [2] x [1] : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %0 = tg.transpose %dot permutation [1, 0, 2] : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %1 = tg.transpose %x permutation [1, 0, 2] : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %2 = tg.add %0, %1 : tensor<8x8x8xf32>
  %3 = tg.transpose %x permutation [1, 2, 0] : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %4 = tg.transpose %y permutation [2, 1, 0] : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %5 = tg.add %3, %4 : tensor<8x8x8xf32>
  %6 = tg.transpose %x permutation [0, 2, 1] : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %7 = tg.transpose %y permutation [0, 2, 1] : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %8 = tg.sub %6, %7 : tensor<8x8x8xf32>
  return %2, %5, %8, %7 : tensor<8x8x8xf32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>, tensor<8x8x8xf32>
}

// -----

// Operations with several readers inside the tree, and several results.
// CHECK-LABEL: @readers
// CHECK-NOT: tg.transpose
// CHECK: %[[A:.*]] = tg.add %arg0, %arg1 : tensor<64x128xf32>
// CHECK-DAG: %[[E:.*]] = tg.exp %[[A]]
// CHECK-DAG: %[[T:.*]] = tg.tanh %[[A]]
// CHECK-DAG: %[[M:.*]] = tg.mul %[[E]], %[[T]]
// CHECK: return %[[E]], %[[M]]
func.func @readers(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %0 = tg.transpose %x permutation [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>
  %1 = tg.transpose %y permutation [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>
  %2 = tg.add %0, %1 : tensor<128x64xf32>
  %3 = tg.exp %2 : tensor<128x64xf32>
  %4 = tg.tanh %2 : tensor<128x64xf32>
  %5 = tg.mul %3, %4 : tensor<128x64xf32>
  %6 = tg.transpose %3 permutation [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
  %7 = tg.transpose %5 permutation [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
  return %6, %7 : tensor<64x128xf32>, tensor<64x128xf32>
}

// -----

// Three permutations around one tree: a reader in the old layout and a reader in a third one have a transpose each.
// CHECK-LABEL: @third
// CHECK-DAG: %[[E:.*]] = tg.exp %arg0 : tensor<2x3x4xf32>
// CHECK-DAG: %[[T:.*]] = tg.tanh %[[E]] : tensor<2x3x4xf32>
// CHECK-DAG: %[[B:.*]] = tg.transpose %[[E]] permutation [2, 0, 1]
// CHECK-DAG: %[[R:.*]] = tg.transpose %[[T]] permutation [0, 2, 1]
// CHECK-DAG: %[[S:.*]] = tg.reduce add %[[B]] dims [0]
// CHECK: return %[[E]], %[[T]], %[[R]], %[[S]]
func.func @third(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x4x3xf32>, tensor<2x3xf32>) {
  %0 = tg.transpose %x permutation [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = tg.exp %0 : tensor<4x2x3xf32>
  %2 = tg.tanh %1 : tensor<4x2x3xf32>
  %3 = tg.transpose %1 permutation [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  %4 = tg.transpose %2 permutation [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  %5 = tg.transpose %2 permutation [1, 0, 2] : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
  %6 = tg.reduce add %1 dims [0] : (tensor<4x2x3xf32>) -> tensor<2x3xf32>
  return %3, %4, %5, %6 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x4x3xf32>, tensor<2x3xf32>
}

// -----

// An operand that is not transposed is, where two transposes end by that.
// CHECK-LABEL: @predicate
// CHECK: %[[P:.*]] = tg.transpose %arg1
// CHECK: tg.select %[[P]], %arg0
// CHECK-NOT: tg.transpose
func.func @predicate(%x: tensor<64x128xf32>, %p: tensor<128x64xi1>) -> tensor<64x128xf32> {
  %0 = tg.transpose %x permutation [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>
  %1 = tg.exp %0 : tensor<128x64xf32>
  %2 = tg.select %p, %0, %1 : tensor<128x64xi1>, tensor<128x64xf32>
  %3 = tg.transpose %2 permutation [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
  return %3 : tensor<64x128xf32>
}

// -----

// What would take as many transposes elsewhere stays.
// CHECK-LABEL: @stay
// CHECK-NEXT: %[[T:.*]] = tg.transpose %arg0
// CHECK-NEXT: %[[A:.*]] = tg.add %[[T]], %arg1
// CHECK-NEXT: %[[E:.*]] = tg.exp %[[A]]
// CHECK-NEXT: return %[[A]], %[[E]]
func.func @stay(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = tg.transpose %x permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = tg.add %0, %y : tensor<8x4xf32>
  %2 = tg.exp %1 : tensor<8x4xf32>
  return %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// A tree that reads a part of itself in another layout stays.
// CHECK-LABEL: @symmetric
// CHECK-NEXT: %[[E:.*]] = tg.exp %arg0
// CHECK-NEXT: %[[T:.*]] = tg.transpose %[[E]]
// CHECK-NEXT: %[[S:.*]] = tg.add %[[E]], %[[T]]
// CHECK-NEXT: return %[[S]]
func.func @symmetric(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tg.exp %x : tensor<4x4xf32>
  %1 = tg.transpose %0 permutation [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = tg.add %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
