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
// CHECK-NEXT: %[[T:.*]] = tg.transpose %arg0 permutation [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
// CHECK-NEXT: %[[E:.*]] = tg.exp %[[T]]
// CHECK-NEXT: return %[[E]]
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

// Not where something else reads the values, or an operand would have to be transposed that was not.
// CHECK-LABEL: @stay
// CHECK-COUNT-4: tg.transpose
func.func @stay(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
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
