// RUN: stitch-opt %s -stitch-outline -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline=epilogues=false -split-input-file | FileCheck %s --check-prefix=NOEPILOGUE

// A library writes its result with any strides, so the transpose behind attention's second product needs no kernel.

// CHECK-LABEL: func.func @transposed_result
// CHECK-NOT: stitch.fusion
// CHECK: %[[CALL:.*]] = stitch.library_call({{.*}}) : {{.*}} -> tensor<2x19x4x24xf32> {
// CHECK-NEXT: tg.dot
// CHECK-NEXT: %[[T:.*]] = tg.transpose
// CHECK-NEXT: stitch.yield %[[T]]
// CHECK: %[[VIEW:.*]] = tg.reshape %[[CALL]]
// CHECK: stitch.library_call({{.*}} = %[[VIEW]],
// NOEPILOGUE-LABEL: func.func @transposed_result
// NOEPILOGUE: stitch.library_call
// NOEPILOGUE-NEXT: tg.dot
// NOEPILOGUE-NEXT: stitch.yield
// NOEPILOGUE: stitch.fusion
// NOEPILOGUE-NEXT: tg.transpose
func.func @transposed_result(%v: tensor<2x19x4x24xf32>, %p: tensor<2x4x19x19xf32>, %w: tensor<96x96xf32>)
    -> tensor<2x19x96xf32> {
  %0 = tg.dot %v, %p batch [0, 2] x [0, 1] contract [1] x [3]
      : (tensor<2x19x4x24xf32>, tensor<2x4x19x19xf32>) -> tensor<2x4x24x19xf32>
  %1 = tg.transpose %0 permutation [0, 3, 1, 2] : (tensor<2x4x24x19xf32>) -> tensor<2x19x4x24xf32>
  %2 = tg.reshape %1 : (tensor<2x19x4x24xf32>) -> tensor<2x19x96xf32>
  %3 = tg.dot %2, %w contract [2] x [0] : (tensor<2x19x96xf32>, tensor<96x96xf32>) -> tensor<2x19x96xf32>
  return %3 : tensor<2x19x96xf32>
}

// -----

// The batch innermost, or rows in another order, have no leading dimension: a kernel transposes.

// CHECK-LABEL: func.func @unstrided_result
// CHECK-COUNT-2: tg.dot
// CHECK-COUNT-2: tg.transpose
func.func @unstrided_result(%x: tensor<4x8x5xf32>, %y: tensor<4x5x6xf32>, %z: tensor<2x3x5xf32>, %w: tensor<5x6xf32>)
    -> (tensor<8x6x4xf32>, tensor<3x2x6xf32>) {
  %0 = tg.dot %x, %y batch [0] x [0] contract [2] x [1] : (tensor<4x8x5xf32>, tensor<4x5x6xf32>) -> tensor<4x8x6xf32>
  %1 = tg.transpose %0 permutation [1, 2, 0] : (tensor<4x8x6xf32>) -> tensor<8x6x4xf32>
  %2 = tg.dot %z, %w contract [2] x [0] : (tensor<2x3x5xf32>, tensor<5x6xf32>) -> tensor<2x3x6xf32>
  %3 = tg.transpose %2 permutation [1, 0, 2] : (tensor<2x3x6xf32>) -> tensor<3x2x6xf32>
  return %1, %3 : tensor<8x6x4xf32>, tensor<3x2x6xf32>
}

// -----

// Read by others too, the result of the product stays as it is.

// CHECK-LABEL: func.func @also_read
// CHECK: tg.dot
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK: tg.transpose
func.func @also_read(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>) {
  %0 = tg.dot %x, %y contract [1] x [0] : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  %1 = tg.transpose %0 permutation [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<6x4xf32>
}
