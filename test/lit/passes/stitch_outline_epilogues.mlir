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

// -----

// The next product needs the activation in memory: no kernel between the two.

// CHECK-LABEL: func.func @perceptron
// CHECK-NOT: stitch.fusion
// CHECK: stitch.library_call(%[[X:.*]] = %arg0, %[[W:.*]] = %arg1, %[[B:.*]] = %arg2)
// CHECK-NEXT: %[[DOT:.*]] = tg.dot %[[X]], %[[W]]
// CHECK-NEXT: %[[WIDE:.*]] = tg.broadcast %[[B]] dims [1]
// CHECK-NEXT: %[[SUM:.*]] = tg.add %[[DOT]], %[[WIDE]]
// CHECK-NEXT: %[[ZERO:.*]] = tg.constant
// CHECK-NEXT: %[[RELU:.*]] = tg.max %[[SUM]], %[[ZERO]]
// CHECK-NEXT: stitch.yield %[[RELU]]
// CHECK: stitch.library_call
// CHECK-NOT: tg.constant
// CHECK: tg.add
// CHECK-NEXT: stitch.yield
// NOEPILOGUE-LABEL: func.func @perceptron
// NOEPILOGUE-COUNT-2: stitch.fusion
func.func @perceptron(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %wide = tg.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %zero = tg.constant dense<0.0> : tensor<4x8xf32>
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = tg.add %0, %wide : tensor<4x8xf32>
  %2 = tg.max %1, %zero : tensor<4x8xf32>
  %3 = tg.dot %2, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %4 = tg.add %wide, %3 : tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// -----

// A single row: the bias is only reshaped. It is a broadcast for the library; what is no vector of the columns is none.

// CHECK-LABEL: func.func @one_row
// CHECK: stitch.library_call(%[[X:.*]] = %arg0, %[[W:.*]] = %arg1, %[[B:.*]] = %arg2)
// CHECK-NEXT: %[[DOT:.*]] = tg.dot %[[X]], %[[W]]
// CHECK-NEXT: %[[WIDE:.*]] = tg.broadcast %[[B]] dims [1] : (tensor<8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: tg.add %[[WIDE]], %[[DOT]]
// CHECK: tg.max
// CHECK: stitch.library_call
// CHECK-NEXT: tg.dot
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
func.func @one_row(%x: tensor<1x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %c: tensor<2x4xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %row = tg.reshape %b : (tensor<8xf32>) -> tensor<1x8xf32>
  %other = tg.reshape %c : (tensor<2x4xf32>) -> tensor<1x8xf32>
  %zero = tg.constant dense<0.0> : tensor<1x8xf32>
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %1 = tg.add %row, %0 : tensor<1x8xf32>
  %2 = tg.max %1, %zero : tensor<1x8xf32>
  %3 = tg.dot %2, %w contract [1] x [0] : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %4 = tg.add %3, %other : tensor<1x8xf32>
  return %2, %4 : tensor<1x8xf32>, tensor<1x8xf32>
}

// -----

// The gradient asks for the sign of the relu's operand: the relu's result answers, however the question is asked. The
// operand is in no memory.

// CHECK-LABEL: func.func @relu_gradient
// CHECK: %[[RELU:.*]] = stitch.library_call
// CHECK: tg.max
// CHECK-NEXT: stitch.yield
// CHECK-NOT: stitch.fusion
// CHECK: stitch.library_call
// CHECK: stitch.fusion({{.*}}%[[R:.*]] = %[[RELU]]
// CHECK-DAG: tg.compare gt, %[[R]],
// CHECK-DAG: tg.compare ge, %{{.*}}, %[[R]]
// CHECK: stitch.yield
func.func @relu_gradient(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %g: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %wide = tg.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %zero = tg.constant dense<0.0> : tensor<4x8xf32>
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = tg.add %0, %wide : tensor<4x8xf32>
  %2 = tg.max %zero, %1 : tensor<4x8xf32>
  %3 = tg.compare gt, %1, %zero : tensor<4x8xf32>
  %4 = tg.dot %2, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %5 = tg.select %3, %g, %zero : tensor<4x8xi1>, tensor<4x8xf32>
  %6 = tg.compare ge, %zero, %1 : tensor<4x8xf32>
  %7 = tg.select %6, %zero, %g : tensor<4x8xi1>, tensor<4x8xf32>
  return %4, %5, %7 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Other questions need the operand: whether it is zero (a relu's result is zero more often), and in the total order, which
// has signs of NaN.

// CHECK-LABEL: func.func @other_questions
// CHECK-COUNT-2: tg.dot {{.*}}{{$}}
// CHECK-NOT: tg.max
// CHECK: stitch.fusion
func.func @other_questions(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xi1>) {
  %zero = tg.constant dense<0.0> : tensor<4x8xf32>
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = tg.max %0, %zero : tensor<4x8xf32>
  %2 = tg.compare ge, %0, %zero : tensor<4x8xf32>
  %3 = tg.dot %x, %w contract [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %4 = tg.max %3, %zero : tensor<4x8xf32>
  %5 = tg.compare gt, %3, %zero total_order : tensor<4x8xf32>
  return %1, %2, %4, %5 : tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xi1>
}

// -----

// A kernel reads the first sum and nobody else: it adds the bias itself. The second sum is a result, so the library adds
// the bias; what is behind it goes into the kernel.

// CHECK-LABEL: func.func @kernels
// CHECK: stitch.library_call
// CHECK-NEXT: tg.dot
// CHECK-NEXT: stitch.yield
// CHECK: stitch.library_call
// CHECK-NEXT: tg.dot
// CHECK-NEXT: tg.broadcast
// CHECK-NEXT: tg.add
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
func.func @kernels(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) {
  %wide = tg.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %zero = tg.constant dense<0.0> : tensor<4x8xf32>
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = tg.add %0, %wide : tensor<4x8xf32>
  %2 = tg.exp %1 : tensor<4x8xf32>
  %3 = tg.dot %x, %w contract [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %4 = tg.add %3, %wide : tensor<4x8xf32>
  %5 = tg.max %4, %zero : tensor<4x8xf32>
  %6 = tg.mul %5, %x : tensor<4x8xf32>
  %7 = tg.reduce add %6 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %2, %4, %7 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>
}

// -----

// No bias: not along the columns, along one of two dimensions of them, computed by a kernel, of integers, read in between.

// CHECK-LABEL: func.func @no_bias
// CHECK-COUNT-5: tg.dot {{.*}}{{$}}
// CHECK-NOT: stitch.library_call
// CHECK: stitch.fusion
func.func @no_bias(%x: tensor<4x8xf32>, %w: tensor<8x4x2xf32>, %v: tensor<8x8xf32>, %rows: tensor<4xf32>, %last: tensor<2xf32>,
                   %b: tensor<8xf32>, %i: tensor<4x4xi32>, %ib: tensor<4xi32>)
    -> (tensor<4x8xf32>, tensor<4x4x2xf32>, tensor<4x8xf32>, tensor<4x4xi32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tg.dot %x, %v contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = tg.broadcast %rows dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = tg.add %0, %1 : tensor<4x8xf32>
  %3 = tg.dot %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x4x2xf32>) -> tensor<4x4x2xf32>
  %4 = tg.broadcast %last dims [2] : (tensor<2xf32>) -> tensor<4x4x2xf32>
  %5 = tg.add %3, %4 : tensor<4x4x2xf32>
  %6 = tg.dot %x, %v contract [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %7 = tg.exp %b : tensor<8xf32>
  %8 = tg.broadcast %7 dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %9 = tg.add %6, %8 : tensor<4x8xf32>
  %10 = tg.dot %i, %i contract [1] x [0] : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %11 = tg.broadcast %ib dims [1] : (tensor<4xi32>) -> tensor<4x4xi32>
  %12 = tg.add %10, %11 : tensor<4x4xi32>
  %13 = tg.dot %9, %v contract [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %14 = tg.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %15 = tg.add %13, %14 : tensor<4x8xf32>
  return %2, %5, %9, %12, %13, %15 : tensor<4x8xf32>, tensor<4x4x2xf32>, tensor<4x8xf32>, tensor<4x4xi32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A convolution adds its bias, then what the block began with, and clamps. It does not add what only a kernel computes.

// CHECK-LABEL: func.func @residual
// CHECK: stitch.library_call(%[[X:.*]] = %arg0, %[[K:.*]] = %arg1, %[[B:.*]] = %arg2)
// CHECK-NEXT: %[[Y:.*]] = tg.convolution %[[X]], %[[K]]
// CHECK-NEXT: %[[WIDE:.*]] = tg.broadcast %[[B]] dims [3]
// CHECK-NEXT: %[[SUM:.*]] = tg.add %[[Y]], %[[WIDE]]
// CHECK-NEXT: %[[BLOCK:.*]] = tg.add %[[X]], %[[SUM]]
// CHECK-NEXT: tg.constant
// CHECK-NEXT: tg.max %[[BLOCK]]
// CHECK-NEXT: stitch.yield
// CHECK: stitch.library_call
// CHECK-NEXT: tg.convolution
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
func.func @residual(%x: tensor<1x4x4x8xf32>, %k: tensor<1x1x8x8xf32>, %b: tensor<8xf32>) -> tensor<1x4x4x8xf32> {
  %0 = tg.convolution %x, %k dims [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f] window_strides [1, 1] padding_low [0, 0]
      padding_high [0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] : (tensor<1x4x4x8xf32>, tensor<1x1x8x8xf32>) -> tensor<1x4x4x8xf32>
  %1 = tg.broadcast %b dims [3] : (tensor<8xf32>) -> tensor<1x4x4x8xf32>
  %2 = tg.add %0, %1 : tensor<1x4x4x8xf32>
  %3 = tg.add %x, %2 : tensor<1x4x4x8xf32>
  %4 = tg.constant dense<0.0> : tensor<1x4x4x8xf32>
  %5 = tg.max %3, %4 : tensor<1x4x4x8xf32>
  %6 = tg.convolution %5, %k dims [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f] window_strides [1, 1] padding_low [0, 0]
      padding_high [0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] : (tensor<1x4x4x8xf32>, tensor<1x1x8x8xf32>) -> tensor<1x4x4x8xf32>
  %7 = tg.exp %x : tensor<1x4x4x8xf32>
  %8 = tg.add %6, %7 : tensor<1x4x4x8xf32>
  return %8 : tensor<1x4x4x8xf32>
}
