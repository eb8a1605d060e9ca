// RUN: stitch-opt %s --tg-input-roles --split-input-file | FileCheck %s

// Indices stay where a slice still fits, also through a reshape and the wrap-around of negative ones; a mask becomes a
// float; other integers have no special values.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: tensor<100x8xf32> {stitch.input = {high = 1.000000e+00 : f64, low = 0.000000e+00 : f64, role = "normal"}}
// CHECK-SAME: %{{.*}}: tensor<6xi32> {stitch.input = {high = 1.000000e+02 : f64, low = 0.000000e+00 : f64, role = "index"}}
// CHECK-SAME: %{{.*}}: tensor<6xi64> {stitch.input = {high = 2.000000e+00 : f64, low = 0.000000e+00 : f64, role = "mask"}}
// CHECK-SAME: %{{.*}}: tensor<6xi1> {stitch.input = {high = 2.000000e+00 : f64, low = 0.000000e+00 : f64, role = "mask"}}
// CHECK-SAME: %{{.*}}: tensor<6xi32> {stitch.input = {high = 8.000000e+00 : f64, low = 0.000000e+00 : f64, role = "integer"}}
// CHECK-SAME: %{{.*}}: tensor<i32> {stitch.input = {high = 7.000000e+00 : f64, low = 0.000000e+00 : f64, role = "index"}}
func.func @main(%table: tensor<100x8xf32>, %tokens: tensor<6xi32>, %mask: tensor<6xi64>, %keep: tensor<6xi1>, %count: tensor<6xi32>, %at: tensor<i32>)
    -> (tensor<6x8xf32>, tensor<6xf32>, tensor<6xi32>, tensor<2xi32>) {
  %c0 = tg.constant dense<0> : tensor<6xi32>
  %c100 = tg.constant dense<100> : tensor<6xi32>
  %0 = tg.compare lt, %tokens, %c0 : tensor<6xi32>
  %1 = tg.add %tokens, %c100 : tensor<6xi32>
  %2 = tg.select %0, %1, %tokens : tensor<6xi1>, tensor<6xi32>
  %3 = tg.reshape %2 : (tensor<6xi32>) -> tensor<6x1xi32>
  %4 = tg.gather %table, %3 offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 8] : (tensor<100x8xf32>, tensor<6x1xi32>) -> tensor<6x8xf32>
  %5 = tg.convert %mask : (tensor<6xi64>) -> tensor<6xf32>
  %6 = tg.select %keep, %count, %c0 : tensor<6xi1>, tensor<6xi32>
  %7 = tg.concatenate %6, %c0 dim 0 : (tensor<6xi32>, tensor<6xi32>) -> tensor<12xi32>
  %8 = tg.slice %7 [0:8] : (tensor<12xi32>) -> tensor<8xi32>
  %9 = tg.dynamic_slice %8[%at] sizes [2] : (tensor<8xi32>, tensor<i32>) -> tensor<2xi32>
  return %4, %5, %6, %9 : tensor<6x8xf32>, tensor<6xf32>, tensor<6xi32>, tensor<2xi32>
}

// -----

// Factors of a dot keep its result as large as they are; what is under a root or in a denominator is positive.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: tensor<2x16xf32> {stitch.input = {high = 1.000000e+00 : f64, low = 0.000000e+00 : f64, role = "normal"}}
// CHECK-SAME: %{{.*}}: tensor<4x16xf32> {stitch.input = {high = 2.500000e-01 : f64, low = 0.000000e+00 : f64, role = "normal"}}
// CHECK-SAME: %{{.*}}: tensor<4xf32> {stitch.input = {high = 1.500000e+00 : f64, low = 5.000000e-01 : f64, role = "positive"}}
// CHECK-SAME: %{{.*}}: tensor<2x4xf32> {stitch.input = {high = 1.500000e+00 : f64, low = 5.000000e-01 : f64, role = "positive"}}
func.func @main(%x: tensor<2x16xf32>, %w: tensor<4x16xf32>, %variance: tensor<4xf32>, %d: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %epsilon = tg.constant dense<1.0e-5> : tensor<4xf32>
  %0 = tg.tanh %x : tensor<2x16xf32>
  %1 = tg.transpose %w permutation [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %2 = tg.dot %0, %1 contract [1] x [0] : (tensor<2x16xf32>, tensor<16x4xf32>) -> tensor<2x4xf32>
  %3 = tg.add %variance, %epsilon : tensor<4xf32>
  %4 = tg.rsqrt %3 : tensor<4xf32>
  %5 = tg.broadcast %4 dims [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %6 = tg.mul %2, %5 : tensor<2x4xf32>
  %7 = tg.div %6, %d : tensor<2x4xf32>
  return %7 : tensor<2x4xf32>
}

// -----

// A mean of squares as Adam keeps it: it decays, the new square is added, and its root, divided by what the number of
// steps says, is a denominator.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<8xf32> {stitch.input = {high = 1.000000e+00 : f64, low = 0.000000e+00 : f64, role = "normal"}}
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<8xf32> {stitch.input = {high = 1.500000e+00 : f64, low = 5.000000e-01 : f64, role = "positive"}}
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<8xf32> {stitch.input = {high = 1.500000e+00 : f64, low = 5.000000e-01 : f64, role = "positive"}}
func.func @main(%gradient: tensor<8xf32>, %squares: tensor<8xf32>, %correction: tensor<8xf32>) -> tensor<8xf32> {
  %decay = tg.constant dense<0.999> : tensor<f32>
  %decays = tg.broadcast %decay dims [] : (tensor<f32>) -> tensor<8xf32>
  %0 = tg.mul %squares, %decays : tensor<8xf32>
  %1 = tg.mul %gradient, %gradient : tensor<8xf32>
  %2 = tg.add %0, %1 : tensor<8xf32>
  %3 = tg.div %2, %correction : tensor<8xf32>
  %4 = tg.sqrt %3 : tensor<8xf32>
  %5 = tg.div %gradient, %4 : tensor<8xf32>
  return %5 : tensor<8xf32>
}

// -----

// Matrices that are factorised, or of which systems of equations are made, are positive definite, through what makes
// them symmetric, too; right sides are finite.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg0: tensor<2x5x5xf32> {stitch.input = {high = 2.000000e+00 : f64, low = 1.000000e+00 : f64, role = "positive_definite"}}
// CHECK-SAME: %arg1: tensor<2x5x5xf32> {stitch.input = {high = 2.000000e+00 : f64, low = 1.000000e+00 : f64, role = "positive_definite"}}
// CHECK-SAME: %arg2: tensor<2x5x5xf32> {stitch.input = {high = 1.000000e+00 : f64, low = 0.000000e+00 : f64, role = "finite"}}
// CHECK-SAME: %arg3: tensor<50xf32> {stitch.input = {high = 1.000000e+00 : f64, low = 0.000000e+00 : f64, role = "normal"}}
func.func @main(%a: tensor<2x5x5xf32>, %l: tensor<2x5x5xf32>, %b: tensor<2x5x5xf32>, %flat: tensor<50xf32>) -> (tensor<2x5x5xf32>, tensor<2x5x5xf32>, tensor<2x5x5xf32>) {
  %half = tg.constant dense<0.5> : tensor<2x5x5xf32>
  %0 = tg.transpose %a permutation [0, 2, 1] : (tensor<2x5x5xf32>) -> tensor<2x5x5xf32>
  %1 = tg.add %a, %0 : tensor<2x5x5xf32>
  %2 = tg.mul %1, %half : tensor<2x5x5xf32>
  %3 = tg.cholesky lower %2 : tensor<2x5x5xf32>
  %4 = tg.triangular_solve left lower %l, %b : tensor<2x5x5xf32>, tensor<2x5x5xf32>
  %5 = tg.reshape %flat : (tensor<50xf32>) -> tensor<2x5x5xf32>
  %6 = tg.cholesky lower %5 : tensor<2x5x5xf32>
  return %3, %4, %6 : tensor<2x5x5xf32>, tensor<2x5x5xf32>, tensor<2x5x5xf32>
}

// -----

// Indices of a scatter go over all of the dimension that they are for, however small the others are.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: tensor<40xi32> {stitch.input = {high = 3.600000e+01 : f64, low = 0.000000e+00 : f64, role = "index"}}
func.func @main(%x: tensor<36x1xf32>, %i: tensor<40xi32>, %u: tensor<40x1xf32>) -> tensor<36x1xf32> {
  %0 = tg.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
      : (tensor<36x1xf32>, tensor<40xi32>, tensor<40x1xf32>) -> tensor<36x1xf32>
  return %0 : tensor<36x1xf32>
}

// -----

// What a library transforms is finite, as a part of a complex number, too.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg0: tensor<8xf32> {stitch.input = {high = 1.000000e+00 : f64, low = 0.000000e+00 : f64, role = "finite"}}
func.func @main(%x: tensor<8xf32>) -> tensor<8xcomplex<f32>> {
  %0 = tg.complex %x, %x : tensor<8xf32>
  %1 = tg.fft fft %0 length [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return %1 : tensor<8xcomplex<f32>>
}

// -----

// What a loop carries, and what its condition reads, may be the number of its iterations. A scalar that is converted
// counts something; several are a mask.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg0: tensor<i32> {stitch.input = {high = 8.000000e+00 : f64, low = 0.000000e+00 : f64, role = "index"}}
// CHECK-SAME: %arg1: tensor<i32> {stitch.input = {high = 8.000000e+00 : f64, low = 0.000000e+00 : f64, role = "index"}}
// CHECK-SAME: %arg2: tensor<i32> {stitch.input = {high = 8.000000e+00 : f64, low = 0.000000e+00 : f64, role = "integer"}}
// CHECK-SAME: %arg3: tensor<4xi32> {stitch.input = {high = 2.000000e+00 : f64, low = 0.000000e+00 : f64, role = "mask"}}
func.func @main(%first: tensor<i32>, %last: tensor<i32>, %step: tensor<i32>, %mask: tensor<4xi32>) -> (tensor<i32>, tensor<f32>, tensor<4xf32>) {
  %one = tg.constant dense<1> : tensor<i32>
  %0 = tg.while(%i = %first) : tensor<i32> cond {
    %3 = tg.compare lt, %i, %last : tensor<i32>
    tg.yield %3 : tensor<i1>
  } do {
    %3 = tg.add %i, %one : tensor<i32>
    tg.yield %3 : tensor<i32>
  }
  %1 = tg.convert %step : (tensor<i32>) -> tensor<f32>
  %2 = tg.convert %mask : (tensor<4xi32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<i32>, tensor<f32>, tensor<4xf32>
}

// -----

// Elements that may be infinite or NaN: of rows that are normalised so many that fifteen of sixteen rows stay as they
// are; an element of what all rows are scaled by decides one of 64 columns; one of the product's
// weights decides one of 8 columns.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<128x64xf32> {stitch.input = {high = 1.250000e-01 : f64, low = 0.000000e+00 : f64, poison = 2 : i64, role = "normal"}}
// CHECK-SAME: tensor<64xf32> {stitch.input = {high = 1.000000e+00 : f64, low = 0.000000e+00 : f64, poison = 1 : i64, role = "normal"}}
// CHECK-SAME: tensor<64x8xf32> {stitch.input = {high = 1.250000e-01 : f64, low = 0.000000e+00 : f64, role = "normal"}}
func.func @main(%x: tensor<128x64xf32>, %scale: tensor<64xf32>, %w: tensor<64x8xf32>) -> (tensor<128x64xf32>, tensor<128x8xf32>) {
  %0 = tg.reduce add %x dims [1] : (tensor<128x64xf32>) -> tensor<128xf32>
  %1 = tg.broadcast %0 dims [0] : (tensor<128xf32>) -> tensor<128x64xf32>
  %2 = tg.sub %x, %1 : tensor<128x64xf32>
  %3 = tg.broadcast %scale dims [1] : (tensor<64xf32>) -> tensor<128x64xf32>
  %4 = tg.mul %2, %3 : tensor<128x64xf32>
  %5 = tg.dot %2, %w contract [1] x [0] : (tensor<128x64xf32>, tensor<64x8xf32>) -> tensor<128x8xf32>
  return %4, %5 : tensor<128x64xf32>, tensor<128x8xf32>
}
