// RUN: stitch-opt %s -canonicalize -split-input-file | FileCheck %s

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @arithmetic
func.func @arithmetic() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %a = tg.constant dense<[1.0, -2.0, 0.5, 3.0]> : tensor<4xf32>
  %b = tg.constant dense<2.0> : tensor<4xf32>
  %i = tg.constant dense<[7, -7, 7, -2147483648]> : tensor<4xi32>
  %j = tg.constant dense<[2, 2, 0, -1]> : tensor<4xi32>
  // CHECK-DAG: %[[ADD:.*]] = tg.constant dense<[3.000000e+00, 0.000000e+00, 2.500000e+00, 5.000000e+00]> : tensor<4xf32>
  %0 = tg.add %a, %b : tensor<4xf32>
  // CHECK-DAG: %[[SUB:.*]] = tg.constant dense<[-1.000000e+00, -4.000000e+00, -1.500000e+00, 1.000000e+00]> : tensor<4xf32>
  %1 = tg.sub %a, %b : tensor<4xf32>
  // CHECK-DAG: %[[MUL:.*]] = tg.constant dense<[2.000000e+00, -4.000000e+00, 1.000000e+00, 6.000000e+00]> : tensor<4xf32>
  %2 = tg.mul %a, %b : tensor<4xf32>
  // CHECK-DAG: %[[REM:.*]] = tg.constant dense<[1.000000e+00, -0.000000e+00, 5.000000e-01, 1.000000e+00]> : tensor<4xf32>
  %3 = tg.rem %a, %b : tensor<4xf32>
  // Towards zero; by zero -1 and the dividend; the smallest integer by -1 is itself.
  // CHECK-DAG: %[[DIV:.*]] = tg.constant dense<[3, -3, -1, -2147483648]> : tensor<4xi32>
  %4 = tg.div %i, %j : tensor<4xi32>
  // CHECK-DAG: %[[IREM:.*]] = tg.constant dense<[1, -1, 7, 0]> : tensor<4xi32>
  %5 = tg.rem %i, %j : tensor<4xi32>
  // CHECK: return %[[ADD]], %[[SUB]], %[[MUL]], %[[REM]], %[[DIV]], %[[IREM]]
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// NaN, infinities and signed zeros.
// CHECK-LABEL: @special
func.func @special() -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>) {
  // The elements are NaN, inf, -inf, -0 and 0.
  %a = tg.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0]> : tensor<5xf32>
  %zero = tg.constant dense<[0.0, 0.0, 0.0, 0.0, -0.0]> : tensor<5xf32>
  // CHECK-DAG: %[[MAX:.*]] = tg.constant dense<[0x7FC00000, 0x7F800000, 0.000000e+00, 0.000000e+00, 0.000000e+00]> : tensor<5xf32>
  %0 = tg.max %a, %zero : tensor<5xf32>
  // CHECK-DAG: %[[MIN:.*]] = tg.constant dense<[0x7FC00000, 0.000000e+00, 0xFF800000, -0.000000e+00, -0.000000e+00]> : tensor<5xf32>
  %1 = tg.min %a, %zero : tensor<5xf32>
  // CHECK-DAG: %[[SIGN:.*]] = tg.constant dense<[0x7FC00000, 1.000000e+00, -1.000000e+00, -0.000000e+00, 0.000000e+00]> : tensor<5xf32>
  %2 = tg.sign %a : tensor<5xf32>
  // CHECK-DAG: %[[ABS:.*]] = tg.constant dense<[0x7FC00000, 0x7F800000, 0x7F800000, 0.000000e+00, 0.000000e+00]> : tensor<5xf32>
  %3 = tg.abs %a : tensor<5xf32>
  // CHECK-DAG: %[[EQ:.*]] = tg.constant dense<[false, false, false, true, true]> : tensor<5xi1>
  %4 = tg.compare eq, %a, %zero : tensor<5xf32>
  %5 = tg.is_finite %a : tensor<5xf32>
  // CHECK-DAG: %[[LT:.*]] = tg.constant dense<[false, false, true, true, false]> : tensor<5xi1>
  %6 = tg.compare lt, %a, %zero total_order : tensor<5xf32>
  // CHECK: return %[[MAX]], %[[MIN]], %[[SIGN]], %[[ABS]], %[[EQ]], %[[EQ]], %[[LT]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xi1>, tensor<5xi1>, tensor<5xi1>
}

// -----

// CHECK-LABEL: @functions
func.func @functions() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f16>, tensor<f64>) {
  %a = tg.constant dense<[0.5, 1.5, 2.5]> : tensor<3xf32>
  %h = tg.constant dense<2.0> : tensor<f16>
  %d = tg.constant dense<2.0> : tensor<f64>
  // CHECK-DAG: %[[ROUND:.*]] = tg.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
  %0 = tg.round %a : tensor<3xf32>
  // CHECK-DAG: %[[EVEN:.*]] = tg.constant dense<[0.000000e+00, 2.000000e+00, 2.000000e+00]> : tensor<3xf32>
  %1 = tg.round_even %a : tensor<3xf32>
  // CHECK-DAG: %[[EXP:.*]] = tg.constant dense<[1.64872122, 4.48168898, 12.1824942]> : tensor<3xf32>
  %2 = tg.exp %a : tensor<3xf32>
  // CHECK-DAG: %[[FMA:.*]] = tg.constant dense<[7.500000e-01, 3.750000e+00, 8.750000e+00]> : tensor<3xf32>
  %3 = tg.fma %a, %a, %a : tensor<3xf32>
  // CHECK-DAG: %[[SQRT:.*]] = tg.constant dense<1.414060e+00> : tensor<f16>
  %4 = tg.sqrt %h : tensor<f16>
  // Functions of f64 depend on the C library: they stay.
  // CHECK: %[[D:.*]] = tg.exp %{{.*}} : tensor<f64>
  %5 = tg.exp %d : tensor<f64>
  // CHECK: return %[[ROUND]], %[[EVEN]], %[[EXP]], %[[FMA]], %[[SQRT]], %[[D]]
  return %0, %1, %2, %3, %4, %5 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f16>, tensor<f64>
}

// -----

// CHECK-LABEL: @bits
func.func @bits() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xui8>) {
  %a = tg.constant dense<[-128, 5]> : tensor<2xi8>
  %b = tg.constant dense<[1, 9]> : tensor<2xi8>
  %u = tg.constant dense<[255, 3]> : tensor<2xui8>
  %v = tg.constant dense<[2, 4]> : tensor<2xui8>
  // CHECK-DAG: %[[ARITH:.*]] = tg.constant dense<[-64, 0]> : tensor<2xi8>
  %0 = tg.shr_arith %a, %b : tensor<2xi8>
  // CHECK-DAG: %[[LOGIC:.*]] = tg.constant dense<[64, 0]> : tensor<2xi8>
  %1 = tg.shr_logic %a, %b : tensor<2xi8>
  // CHECK-DAG: %[[SHL:.*]] = tg.constant dense<0> : tensor<2xi8>
  %2 = tg.shl %a, %b : tensor<2xi8>
  // CHECK-DAG: %[[POP:.*]] = tg.constant dense<[1, 2]> : tensor<2xi8>
  %3 = tg.popcnt %a : tensor<2xi8>
  // CHECK-DAG: %[[CLZ:.*]] = tg.constant dense<[0, 5]> : tensor<2xi8>
  %4 = tg.clz %a : tensor<2xi8>
  // CHECK-DAG: %[[XOR:.*]] = tg.constant dense<[-127, 12]> : tensor<2xi8>
  %5 = tg.xor %a, %b : tensor<2xi8>
  // Unsigned integers compare unsigned.
  // CHECK-DAG: %[[UMAX:.*]] = tg.constant dense<[255, 4]> : tensor<2xui8>
  %6 = tg.max %u, %v : tensor<2xui8>
  // CHECK: return %[[ARITH]], %[[LOGIC]], %[[SHL]], %[[POP]], %[[CLZ]], %[[XOR]], %[[UMAX]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xui8>
}

// -----

// CHECK-LABEL: @convert
func.func @convert() -> (tensor<3xi32>, tensor<3xf16>, tensor<3xf32>, tensor<3xi1>, tensor<3xi8>, tensor<i32>, tensor<i32>) {
  %f = tg.constant dense<[1.9, -1.9, 0.0]> : tensor<3xf32>
  %p = tg.constant dense<[true, false, true]> : tensor<3xi1>
  %i = tg.constant dense<[300, -1, 0]> : tensor<3xi32>
  %nan = tg.constant dense<0x7FC00000> : tensor<f32>
  // CHECK-DAG: %[[I:.*]] = tg.constant dense<[1, -1, 0]> : tensor<3xi32>
  %0 = tg.convert %f : (tensor<3xf32>) -> tensor<3xi32>
  // CHECK-DAG: %[[H:.*]] = tg.constant dense<[1.900390e+00, -1.900390e+00, 0.000000e+00]> : tensor<3xf16>
  %1 = tg.convert %f : (tensor<3xf32>) -> tensor<3xf16>
  // CHECK-DAG: %[[F:.*]] = tg.constant dense<[1.000000e+00, 0.000000e+00, 1.000000e+00]> : tensor<3xf32>
  %2 = tg.convert %p : (tensor<3xi1>) -> tensor<3xf32>
  // CHECK-DAG: %[[P:.*]] = tg.constant dense<[true, true, false]> : tensor<3xi1>
  %3 = tg.convert %f : (tensor<3xf32>) -> tensor<3xi1>
  // CHECK-DAG: %[[B:.*]] = tg.constant dense<[44, -1, 0]> : tensor<3xi8>
  %4 = tg.convert %i : (tensor<3xi32>) -> tensor<3xi8>
  // CHECK-DAG: %[[BITS:.*]] = tg.constant dense<2143289344> : tensor<i32>
  %5 = tg.bitcast_convert %nan : (tensor<f32>) -> tensor<i32>
  // NaN has no integer: left to run time.
  // CHECK: %[[N:.*]] = tg.convert %{{.*}} : (tensor<f32>) -> tensor<i32>
  %6 = tg.convert %nan : (tensor<f32>) -> tensor<i32>
  // CHECK: return %[[I]], %[[H]], %[[F]], %[[P]], %[[B]], %[[BITS]], %[[N]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3xi32>, tensor<3xf16>, tensor<3xf32>, tensor<3xi1>, tensor<3xi8>, tensor<i32>, tensor<i32>
}

// -----

// CHECK-LABEL: @choice
func.func @choice(%x: tensor<2xf32>, %y: tensor<2xf32>, %p: tensor<2xi1>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xf32>, tensor<2xi32>) {
  %true = tg.constant dense<true> : tensor<i1>
  %mask = tg.constant dense<[true, false]> : tensor<2xi1>
  %yes = tg.constant dense<true> : tensor<2xi1>
  %no = tg.constant dense<false> : tensor<2xi1>
  %a = tg.constant dense<[1, 2]> : tensor<2xi32>
  %b = tg.constant dense<[3, 4]> : tensor<2xi32>
  // CHECK-DAG: %[[C:.*]] = tg.constant dense<[1, 4]> : tensor<2xi32>
  // CHECK-DAG: %[[S:.*]] = tg.select %arg2, %arg1, %arg0 : tensor<2xi1>, tensor<2xf32>
  %0 = tg.select %true, %x, %y : tensor<i1>, tensor<2xf32>
  %1 = tg.select %p, %x, %x : tensor<2xi1>, tensor<2xf32>
  %not = tg.not %p : tensor<2xi1>
  %2 = tg.select %not, %x, %y : tensor<2xi1>, tensor<2xf32>
  %3 = tg.select %p, %yes, %no : tensor<2xi1>, tensor<2xi1>
  %4 = tg.select %no, %x, %y : tensor<2xi1>, tensor<2xf32>
  %5 = tg.select %mask, %a, %b : tensor<2xi1>, tensor<2xi32>
  // CHECK: return %arg0, %arg0, %[[S]], %arg2, %arg1, %[[C]]
  return %0, %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xf32>, tensor<2xi32>
}

// -----

// CHECK-LABEL: @movement_of_constants
func.func @movement_of_constants() -> (tensor<3x2xi32>, tensor<6xi32>, tensor<2x2xi32>, tensor<4x3xi32>, tensor<2x3xi32>, tensor<2x2x3xi32>, tensor<1xi32>, tensor<100000x8xf32>) {
  %a = tg.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %one = tg.constant dense<1.0> : tensor<f32>
  // CHECK-DAG: %[[T:.*]] = tg.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  %0 = tg.transpose %a permutation [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  // CHECK-DAG: %[[R:.*]] = tg.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %1 = tg.reshape %a : (tensor<2x3xi32>) -> tensor<6xi32>
  // CHECK-DAG: %[[S:.*]] = tg.constant dense<{{\[\[}}1, 3], [4, 6]]> : tensor<2x2xi32>
  %2 = tg.slice %a [0:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  // CHECK-DAG: %[[C:.*]] = tg.constant dense<{{\[\[}}1, 2, 3], [4, 5, 6], [1, 2, 3], [4, 5, 6]]> : tensor<4x3xi32>
  %3 = tg.concatenate %a, %a dim 0 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<4x3xi32>
  // CHECK-DAG: %[[V:.*]] = tg.constant dense<{{\[\[}}3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>
  %4 = tg.reverse %a dims [1] : tensor<2x3xi32>
  // CHECK-DAG: %[[B:.*]] = tg.constant dense<{{\[\[\[}}1, 2, 3], [1, 2, 3]], {{\[\[}}4, 5, 6], [4, 5, 6]]]> : tensor<2x2x3xi32>
  %5 = tg.broadcast %a dims [0, 2] : (tensor<2x3xi32>) -> tensor<2x2x3xi32>
  // CHECK-DAG: %[[I:.*]] = tg.constant dense<0> : tensor<1xi32>
  %6 = tg.iota dim 0 : tensor<1xi32>
  // CHECK-DAG: %[[L:.*]] = tg.constant dense<1.000000e+00> : tensor<100000x8xf32>
  %7 = tg.broadcast %one dims [] : (tensor<f32>) -> tensor<100000x8xf32>
  // CHECK: return %[[T]], %[[R]], %[[S]], %[[C]], %[[V]], %[[B]], %[[I]], %[[L]]
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3x2xi32>, tensor<6xi32>, tensor<2x2xi32>, tensor<4x3xi32>, tensor<2x3xi32>, tensor<2x2x3xi32>, tensor<1xi32>, tensor<100000x8xf32>
}

// -----

// A large constant is not copied.
// CHECK-LABEL: @large
func.func @large() -> tensor<8x128x128xi32> {
  %i = tg.iota dim 0 : tensor<128xi32>
  // CHECK: tg.broadcast %{{.*}} dims [1] : (tensor<128xi32>) -> tensor<8x128x128xi32>
  %0 = tg.broadcast %i dims [1] : (tensor<128xi32>) -> tensor<8x128x128xi32>
  return %0 : tensor<8x128x128xi32>
}

// -----

// Embedding of one constant in another: two rows, the second index out of range.
// CHECK-LABEL: @gather_of_constants
func.func @gather_of_constants() -> (tensor<2x3xi32>, tensor<2x2xi32>) {
  %a = tg.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %i = tg.constant dense<[0, 9]> : tensor<2xi32>
  // CHECK-DAG: %[[G:.*]] = tg.constant dense<{{\[\[}}1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %0 = tg.gather %a, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 3] : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x3xi32>
  // A batch of columns: element (b, i) is a[b, indices[b, i]].
  %j = tg.constant dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>
  // CHECK-DAG: %[[B:.*]] = tg.constant dense<{{\[\[}}3, 1], [5, 5]]> : tensor<2x2xi32>
  %1 = tg.gather %a, %j collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [0] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1] : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  // CHECK: return %[[G]], %[[B]]
  return %0, %1 : tensor<2x3xi32>, tensor<2x2xi32>
}

// -----

// Equal elements: a sum of integers folds, one of floats depends on the order of rounding.
// CHECK-LABEL: @reduction_of_constants
func.func @reduction_of_constants() -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi32>) {
  %i = tg.constant dense<3> : tensor<4x10xi32>
  %f = tg.constant dense<0.1> : tensor<4x10xf32>
  %p = tg.constant dense<true> : tensor<4x10xi1>
  // CHECK-DAG: %[[ADD:.*]] = tg.constant dense<30> : tensor<4xi32>
  %0 = tg.reduce add %i dims [1] : (tensor<4x10xi32>) -> tensor<4xi32>
  // CHECK-DAG: %[[MAX:.*]] = tg.constant dense<1.000000e-01> : tensor<4xf32>
  %1 = tg.reduce max %f dims [1] : (tensor<4x10xf32>) -> tensor<4xf32>
  // CHECK-DAG: %[[SUM:.*]] = tg.reduce add %{{.*}} dims [1]
  %2 = tg.reduce add %f dims [1] : (tensor<4x10xf32>) -> tensor<4xf32>
  // CHECK-DAG: %[[XOR:.*]] = tg.constant dense<false> : tensor<4xi1>
  %3 = tg.reduce xor %p dims [1] : (tensor<4x10xi1>) -> tensor<4xi1>
  // CHECK-DAG: %[[MUL:.*]] = tg.constant dense<59049> : tensor<4xi32>
  %4 = tg.reduce mul %i dims [1] : (tensor<4x10xi32>) -> tensor<4xi32>
  // CHECK: return %[[ADD]], %[[MAX]], %[[SUM]], %[[XOR]], %[[MUL]]
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi32>
}

// -----

//===----------------------------------------------------------------------===//
// Elementwise identities
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @float_identities
func.func @float_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = tg.constant dense<1.0> : tensor<4xf32>
  %zero = tg.constant dense<0.0> : tensor<4xf32>
  %negative_zero = tg.constant dense<-0.0> : tensor<4xf32>
  %inf = tg.constant dense<0x7F800000> : tensor<4xf32>
  %negative_inf = tg.constant dense<0xFF800000> : tensor<4xf32>
  %0 = tg.mul %one, %x : tensor<4xf32>
  %1 = tg.div %x, %one : tensor<4xf32>
  %2 = tg.add %x, %negative_zero : tensor<4xf32>
  %3 = tg.sub %x, %zero : tensor<4xf32>
  %4 = tg.pow %x, %one : tensor<4xf32>
  %n = tg.neg %x : tensor<4xf32>
  %5 = tg.neg %n : tensor<4xf32>
  %6 = tg.max %x, %x : tensor<4xf32>
  %7 = tg.min %x, %inf : tensor<4xf32>
  %8 = tg.max %x, %negative_inf : tensor<4xf32>
  %9 = tg.clamp %negative_inf, %x, %inf : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What only looks like an identity: -0 + 0 is 0, -0 - -0 is 0, inf * 0 and x - x of NaN are NaN.
// CHECK-LABEL: @no_identities
func.func @no_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %zero = tg.constant dense<0.0> : tensor<4xf32>
  %negative_zero = tg.constant dense<-0.0> : tensor<4xf32>
  // CHECK: tg.add %arg0
  %0 = tg.add %x, %zero : tensor<4xf32>
  // CHECK: tg.sub %arg0
  %1 = tg.sub %x, %negative_zero : tensor<4xf32>
  // CHECK: tg.mul %arg0
  %2 = tg.mul %x, %zero : tensor<4xf32>
  // CHECK: tg.sub %arg0, %arg0
  %3 = tg.sub %x, %x : tensor<4xf32>
  // CHECK: tg.compare eq, %arg0, %arg0
  %4 = tg.compare eq, %x, %x : tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// -----

// CHECK-LABEL: @integer_identities
func.func @integer_identities(%x: tensor<4xi32>, %p: tensor<4xi1>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>) {
  %zero = tg.constant dense<0> : tensor<4xi32>
  %ones = tg.constant dense<-1> : tensor<4xi32>
  %true = tg.constant dense<true> : tensor<4xi1>
  // CHECK-DAG: %[[ZERO:.*]] = tg.constant dense<0> : tensor<4xi32>
  // CHECK-DAG: %[[TRUE:.*]] = tg.constant dense<true> : tensor<4xi1>
  %0 = tg.add %x, %zero : tensor<4xi32>
  %1 = tg.mul %x, %zero : tensor<4xi32>
  %2 = tg.sub %x, %x : tensor<4xi32>
  %3 = tg.and %x, %ones : tensor<4xi32>
  %4 = tg.and %p, %true : tensor<4xi1>
  %5 = tg.or %p, %true : tensor<4xi1>
  %6 = tg.xor %x, %x : tensor<4xi32>
  %7 = tg.compare le, %x, %x : tensor<4xi32>
  %n = tg.not %p : tensor<4xi1>
  %8 = tg.not %n : tensor<4xi1>
  %9 = tg.shl %x, %zero : tensor<4xi32>
  // CHECK: return %arg0, %[[ZERO]], %[[ZERO]], %arg0, %arg1, %[[TRUE]], %[[ZERO]], %[[TRUE]], %arg1, %arg0
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>
}

// -----

// CHECK-LABEL: @strength
func.func @strength(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %eight = tg.constant dense<8.0> : tensor<4xf32>
  %three = tg.constant dense<3.0> : tensor<4xf32>
  %two = tg.constant dense<2.0> : tensor<4xf32>
  // CHECK-DAG: %[[INVERSE:.*]] = tg.constant dense<1.250000e-01>
  // CHECK-DAG: %[[THREE:.*]] = tg.constant dense<3.000000e+00>
  // CHECK: %[[MUL:.*]] = tg.mul %arg0, %[[INVERSE]]
  %0 = tg.div %x, %eight : tensor<4xf32>
  // CHECK: %[[DIV:.*]] = tg.div %arg0, %[[THREE]]
  %1 = tg.div %x, %three : tensor<4xf32>
  // CHECK: %[[SQUARE:.*]] = tg.mul %arg0, %arg0
  %2 = tg.pow %x, %two : tensor<4xf32>
  // CHECK: return %[[MUL]], %[[DIV]], %[[SQUARE]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The opposite of less than is not greater or equal where there may be NaN.
// CHECK-LABEL: @opposites
func.func @opposites(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: %[[NE:.*]] = tg.compare ne, %arg0, %arg0 : tensor<4xf32>
  %0 = tg.compare eq, %x, %x : tensor<4xf32>
  %1 = tg.not %0 : tensor<4xi1>
  // CHECK: %[[LT:.*]] = tg.compare lt, %arg0, %arg0 : tensor<4xf32>
  %2 = tg.compare lt, %x, %x : tensor<4xf32>
  // CHECK: %[[NOT:.*]] = tg.not %[[LT]]
  %3 = tg.not %2 : tensor<4xi1>
  %zero = tg.constant dense<0> : tensor<4xi32>
  // CHECK: %[[GE:.*]] = tg.compare ge, %arg1, %{{.*}} : tensor<4xi32>
  %4 = tg.compare lt, %i, %zero : tensor<4xi32>
  %5 = tg.not %4 : tensor<4xi1>
  // CHECK: return %[[NE]], %[[NOT]], %[[GE]]
  return %1, %3, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: @conversions
func.func @conversions(%x: tensor<4xf16>, %i: tensor<4xi32>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xi32>, tensor<4xf32>, tensor<4xi8>) {
  %0 = tg.convert %x : (tensor<4xf16>) -> tensor<4xf16>
  %wide = tg.convert %x : (tensor<4xf16>) -> tensor<4xf32>
  %1 = tg.convert %wide : (tensor<4xf32>) -> tensor<4xf16>
  // i32 does not fit f32: both conversions stay.
  // CHECK: %[[F:.*]] = tg.convert %arg1 : (tensor<4xi32>) -> tensor<4xf32>
  %f = tg.convert %i : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK: %[[BACK:.*]] = tg.convert %[[F]] : (tensor<4xf32>) -> tensor<4xi32>
  %2 = tg.convert %f : (tensor<4xf32>) -> tensor<4xi32>
  %bits = tg.bitcast_convert %f : (tensor<4xf32>) -> tensor<4xi32>
  %3 = tg.bitcast_convert %bits : (tensor<4xi32>) -> tensor<4xf32>
  %long = tg.convert %i : (tensor<4xi32>) -> tensor<4xi64>
  // CHECK: %[[BYTE:.*]] = tg.convert %arg1 : (tensor<4xi32>) -> tensor<4xi8>
  %4 = tg.convert %long : (tensor<4xi64>) -> tensor<4xi8>
  // CHECK: return %arg0, %arg0, %[[BACK]], %[[F]], %[[BYTE]]
  return %0, %1, %2, %3, %4 : tensor<4xf16>, tensor<4xf16>, tensor<4xi32>, tensor<4xf32>, tensor<4xi8>
}

// -----

// CHECK-LABEL: @complex
func.func @complex(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = tg.complex %x, %y : tensor<4xf32>
  %0 = tg.real %c : tensor<4xcomplex<f32>>
  %1 = tg.imag %c : tensor<4xcomplex<f32>>
  // CHECK: %[[ZERO:.*]] = tg.constant dense<0.000000e+00> : tensor<4xf32>
  %2 = tg.imag %x : tensor<4xf32>
  // CHECK: return %arg0, %arg1, %[[ZERO]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @idempotent
func.func @idempotent(%x: tensor<4xf32>, %low: tensor<f32>, %high: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[ABS:.*]] = tg.abs %arg0
  %n = tg.neg %x : tensor<4xf32>
  %a = tg.abs %n : tensor<4xf32>
  %0 = tg.abs %a : tensor<4xf32>
  // CHECK: %[[FLOOR:.*]] = tg.floor %arg0
  %f = tg.floor %x : tensor<4xf32>
  %1 = tg.floor %f : tensor<4xf32>
  // CHECK: %[[CLAMP:.*]] = tg.clamp %arg1, %arg0, %arg2
  %c = tg.clamp %low, %x, %high : tensor<f32>, tensor<4xf32>, tensor<f32>
  %2 = tg.clamp %low, %c, %high : tensor<f32>, tensor<4xf32>, tensor<f32>
  // CHECK: return %[[ABS]], %[[FLOOR]], %[[CLAMP]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @nothing_moves
func.func @nothing_moves(%x: tensor<4x8xf32>, %v: tensor<f32>, %i: tensor<i32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tg.reshape %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tg.transpose %x permutation [0, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = tg.broadcast %x dims [0, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = tg.slice %x [0:4, 0:8] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = tg.concatenate %x dim 0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = tg.reverse %x dims [] : tensor<4x8xf32>
  %6 = tg.pad %x, %v low [0, 0] high [0, 0] interior [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %7 = tg.dynamic_slice %x[%i, %i] sizes [4, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %8 = tg.reduce add %x dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %9 = tg.dynamic_update_slice %7[%i, %i], %x : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  // CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @moves_cancel
func.func @moves_cancel(%x: tensor<4x8xf32>, %y: tensor<2x3x4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x4x2xf32>) {
  %t = tg.transpose %x permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %0 = tg.transpose %t permutation [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %r = tg.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  %1 = tg.reshape %r : (tensor<32xf32>) -> tensor<4x8xf32>
  %v = tg.reverse %x dims [0, 1] : tensor<4x8xf32>
  %2 = tg.reverse %v dims [0, 1] : tensor<4x8xf32>
  // CHECK: %[[T:.*]] = tg.transpose %arg1 permutation [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %s = tg.transpose %y permutation [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %3 = tg.transpose %s permutation [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  // CHECK: return %arg0, %arg0, %arg0, %[[T]]
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x4x2xf32>
}

// -----

// CHECK-LABEL: @broadcasts
func.func @broadcasts(%x: tensor<4xf32>) -> (tensor<2x8x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<1x4x1xf32>, tensor<8x4xf32>, tensor<8x1x4xf32>) {
  // CHECK: %[[B:.*]] = tg.broadcast %arg0 dims [2] : (tensor<4xf32>) -> tensor<2x8x4xf32>
  %b = tg.broadcast %x dims [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %0 = tg.broadcast %b dims [1, 2] : (tensor<8x4xf32>) -> tensor<2x8x4xf32>
  // CHECK: %[[R:.*]] = tg.broadcast %arg0 dims [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %r = tg.reshape %x : (tensor<4xf32>) -> tensor<1x4xf32>
  %1 = tg.broadcast %r dims [0, 1] : (tensor<1x4xf32>) -> tensor<8x4xf32>
  // CHECK: %[[T:.*]] = tg.broadcast %arg0 dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %2 = tg.transpose %b permutation [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  // CHECK: %[[U:.*]] = tg.reshape %arg0 : (tensor<4xf32>) -> tensor<1x4x1xf32>
  %3 = tg.broadcast %x dims [1] : (tensor<4xf32>) -> tensor<1x4x1xf32>
  %c = tg.broadcast %x dims [2] : (tensor<4xf32>) -> tensor<8x1x4xf32>
  %4 = tg.reshape %c : (tensor<8x1x4xf32>) -> tensor<8x4xf32>
  // CHECK: %[[C:.*]] = tg.broadcast %arg0 dims [2] : (tensor<4xf32>) -> tensor<8x1x4xf32>
  %5 = tg.reshape %b : (tensor<8x4xf32>) -> tensor<8x1x4xf32>
  // CHECK: return %[[B]], %{{.*}}, %[[T]], %[[U]], %{{.*}}, %[[C]]
  return %0, %1, %2, %3, %4, %5 : tensor<2x8x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<1x4x1xf32>, tensor<8x4xf32>, tensor<8x1x4xf32>
}

// -----

// Reshapes that add dimensions of size one move down, those that remove them up, until they meet.
// CHECK-LABEL: @unit_dimensions
func.func @unit_dimensions(%x: tensor<7x12x64xf32>, %row: tensor<8x16xf32>) -> (tensor<12x7x64xf32>, tensor<8x16xf32>) {
  // CHECK: %[[T:.*]] = tg.transpose %arg0 permutation [1, 0, 2] : (tensor<7x12x64xf32>) -> tensor<12x7x64xf32>
  %0 = tg.reshape %x : (tensor<7x12x64xf32>) -> tensor<1x7x12x64xf32>
  %1 = tg.transpose %0 permutation [0, 2, 1, 3] : (tensor<1x7x12x64xf32>) -> tensor<1x12x7x64xf32>
  // CHECK: %[[N:.*]] = tg.neg %[[T]] : tensor<12x7x64xf32>
  %2 = tg.neg %1 : tensor<1x12x7x64xf32>
  %3 = tg.reshape %2 : (tensor<1x12x7x64xf32>) -> tensor<12x7x64xf32>

  // The mean of each row, subtracted.
  // CHECK: %[[SUM:.*]] = tg.reduce add %arg1 dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %sum = tg.reduce add %row dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %column = tg.reshape %sum : (tensor<8xf32>) -> tensor<8x1xf32>
  %n = tg.constant dense<16.0> : tensor<8x1xf32>
  // CHECK: %[[MEAN:.*]] = tg.mul %[[SUM]], %{{.*}} : tensor<8xf32>
  %mean = tg.div %column, %n : tensor<8x1xf32>
  // CHECK: %[[B:.*]] = tg.broadcast %[[MEAN]] dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %b = tg.broadcast %mean dims [0, 1] : (tensor<8x1xf32>) -> tensor<8x16xf32>
  // CHECK: %[[C:.*]] = tg.sub %arg1, %[[B]]
  %centred = tg.sub %row, %b : tensor<8x16xf32>
  // CHECK: return %[[N]], %[[C]]
  return %3, %centred : tensor<12x7x64xf32>, tensor<8x16xf32>
}

// -----

// CHECK-LABEL: @units_by_other_means
func.func @units_by_other_means(%x: tensor<1x8x1x4xf32>, %y: tensor<8x4xf32>) -> (tensor<8x1x1x4xf32>, tensor<8x4xf32>, tensor<1x4xf32>) {
  // CHECK: %[[T:.*]] = tg.reshape %arg0 : (tensor<1x8x1x4xf32>) -> tensor<8x1x1x4xf32>
  %0 = tg.transpose %x permutation [1, 0, 2, 3] : (tensor<1x8x1x4xf32>) -> tensor<8x1x1x4xf32>
  // CHECK: %[[R:.*]] = tg.reshape %arg0 : (tensor<1x8x1x4xf32>) -> tensor<8x4xf32>
  %1 = tg.reduce max %x dims [0, 2] : (tensor<1x8x1x4xf32>) -> tensor<8x4xf32>
  // CHECK: %[[S:.*]] = tg.reduce add %arg1 dims [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  // CHECK: %[[U:.*]] = tg.reshape %[[S]] : (tensor<4xf32>) -> tensor<1x4xf32>
  %r = tg.reshape %y : (tensor<8x4xf32>) -> tensor<1x8x4xf32>
  %2 = tg.reduce add %r dims [1] : (tensor<1x8x4xf32>) -> tensor<1x4xf32>
  // CHECK: return %[[T]], %[[R]], %[[U]]
  return %0, %1, %2 : tensor<8x1x1x4xf32>, tensor<8x4xf32>, tensor<1x4xf32>
}

// -----

// CHECK-LABEL: @slices
func.func @slices(%x: tensor<20x8xf32>, %y: tensor<4x8xf32>) -> (tensor<3x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<24x8xf32>) {
  // CHECK: %[[S:.*]] = tg.slice %arg0 [4:17:6, 0:8] : (tensor<20x8xf32>) -> tensor<3x8xf32>
  %s = tg.slice %x [2:20:2, 0:8] : (tensor<20x8xf32>) -> tensor<9x8xf32>
  %0 = tg.slice %s [1:9:3, 0:8] : (tensor<9x8xf32>) -> tensor<3x8xf32>
  %joined = tg.concatenate %x, %y dim 0 : (tensor<20x8xf32>, tensor<4x8xf32>) -> tensor<24x8xf32>
  // CHECK: %[[Y:.*]] = tg.slice %arg1 [1:3, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %1 = tg.slice %joined [21:23, 0:8] : (tensor<24x8xf32>) -> tensor<2x8xf32>
  // The second start is clamped.
  %i = tg.constant dense<3> : tensor<i32>
  %j = tg.constant dense<5> : tensor<i32>
  // CHECK: %[[D:.*]] = tg.slice %arg0 [3:5, 0:8] : (tensor<20x8xf32>) -> tensor<2x8xf32>
  %2 = tg.dynamic_slice %x[%i, %j] sizes [2, 8] : (tensor<20x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  // CHECK: %[[C:.*]] = tg.concatenate %arg0, %arg1 dim 0 : (tensor<20x8xf32>, tensor<4x8xf32>) -> tensor<24x8xf32>
  %empty = tg.slice %x [0:0, 0:8] : (tensor<20x8xf32>) -> tensor<0x8xf32>
  %3 = tg.concatenate %x, %empty, %y dim 0 : (tensor<20x8xf32>, tensor<0x8xf32>, tensor<4x8xf32>) -> tensor<24x8xf32>
  // CHECK: return %[[S]], %[[Y]], %[[D]], %[[C]]
  return %0, %1, %2, %3 : tensor<3x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<24x8xf32>
}

// -----

// A slice without elements, of a slice, begins within the operand.
// CHECK-LABEL: @empty_slices
func.func @empty_slices(%x: tensor<3x8xf32>) -> (tensor<0x8xf32>, tensor<0x2xf32>) {
  // CHECK: tg.slice %arg0 [0:0, 0:8] : (tensor<3x8xf32>) -> tensor<0x8xf32>
  %0 = tg.slice %x [0:3:2, 0:8] : (tensor<3x8xf32>) -> tensor<2x8xf32>
  %1 = tg.slice %0 [2:2, 0:8] : (tensor<2x8xf32>) -> tensor<0x8xf32>
  // CHECK: tg.slice %arg0 [3:3, 6:8] : (tensor<3x8xf32>) -> tensor<0x2xf32>
  %2 = tg.slice %x [3:3, 4:8] : (tensor<3x8xf32>) -> tensor<0x4xf32>
  %3 = tg.slice %2 [0:0:3, 2:4] : (tensor<0x4xf32>) -> tensor<0x2xf32>
  return %1, %3 : tensor<0x8xf32>, tensor<0x2xf32>
}

// -----

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<2x3x4x5xf32>) -> (tensor<3xf32>, tensor<3x4xf32>) {
  // CHECK: %[[R:.*]] = tg.reduce add %arg0 dims [0, 2, 3] : (tensor<2x3x4x5xf32>) -> tensor<3xf32>
  %0 = tg.reduce add %x dims [2] : (tensor<2x3x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = tg.reduce add %0 dims [0, 2] : (tensor<2x3x5xf32>) -> tensor<3xf32>
  // CHECK: %[[M:.*]] = tg.reduce max %arg0 dims [3]
  %2 = tg.reduce max %x dims [3] : (tensor<2x3x4x5xf32>) -> tensor<2x3x4xf32>
  // CHECK: %[[A:.*]] = tg.reduce add %[[M]] dims [0]
  %3 = tg.reduce add %2 dims [0] : (tensor<2x3x4xf32>) -> tensor<3x4xf32>
  // CHECK: return %[[R]], %[[A]]
  return %1, %3 : tensor<3xf32>, tensor<3x4xf32>
}

// -----

// CHECK-LABEL: @iota
func.func @iota() -> tensor<8x16xi32> {
  // CHECK: %[[V:.*]] = tg.iota dim 0 : tensor<16xi32>
  // CHECK: tg.broadcast %[[V]] dims [1] : (tensor<16xi32>) -> tensor<8x16xi32>
  %0 = tg.iota dim 1 : tensor<8x16xi32>
  return %0 : tensor<8x16xi32>
}

// -----

//===----------------------------------------------------------------------===//
// tg.dot
//===----------------------------------------------------------------------===//

// No weight is transposed in memory.
// CHECK-LABEL: @weight
func.func @weight(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  // CHECK-NEXT: %[[D:.*]] = tg.dot %arg0, %arg1 contract [1] x [1] : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %t = tg.transpose %w permutation [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %0 = tg.dot %x, %t contract [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  // CHECK-NEXT: return %[[D]]
  return %0 : tensor<4x16xf32>
}

// -----

// What may be done to operands stays.
// CHECK-LABEL: @precision
func.func @precision(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %y: tensor<7x8xf32>) -> (tensor<4x16xf32>, tensor<16x4xf32>, tensor<1x7x16xf32>) {
  // CHECK: tg.dot %arg0, %arg1 contract [1] x [1] precision tf32 :
  // CHECK: tg.dot %arg1, %arg0 contract [1] x [1] precision full :
  // CHECK: tg.dot %{{.*}}, %arg1 contract [1] x [1] precision full :
  %t = tg.transpose %w permutation [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %0 = tg.dot %x, %t contract [1] x [0] precision tf32 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = tg.dot %x, %w contract [1] x [1] precision full : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %2 = tg.transpose %1 permutation [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %r = tg.reshape %y : (tensor<7x8xf32>) -> tensor<1x7x8xf32>
  %3 = tg.dot %r, %t contract [2] x [0] precision full : (tensor<1x7x8xf32>, tensor<8x16xf32>) -> tensor<1x7x16xf32>
  return %0, %2, %3 : tensor<4x16xf32>, tensor<16x4xf32>, tensor<1x7x16xf32>
}

// -----

// Attention: heads are a batch dimension in the middle.
// CHECK-LABEL: @attention
func.func @attention(%q: tensor<7x12x64xf32>, %k: tensor<7x12x64xf32>) -> tensor<12x7x7xf32> {
  // CHECK-NEXT: %[[D:.*]] = tg.dot %arg0, %arg1 batch [1] x [1] contract [2] x [2] : (tensor<7x12x64xf32>, tensor<7x12x64xf32>) -> tensor<12x7x7xf32>
  %0 = tg.transpose %q permutation [1, 0, 2] : (tensor<7x12x64xf32>) -> tensor<12x7x64xf32>
  %1 = tg.transpose %k permutation [1, 2, 0] : (tensor<7x12x64xf32>) -> tensor<12x64x7xf32>
  %2 = tg.dot %0, %1 batch [0] x [0] contract [2] x [1] : (tensor<12x7x64xf32>, tensor<12x64x7xf32>) -> tensor<12x7x7xf32>
  // CHECK-NEXT: return %[[D]]
  return %2 : tensor<12x7x7xf32>
}

// -----

// A transpose that changes the order of free dimensions stays.
// CHECK-LABEL: @order
func.func @order(%x: tensor<4x5x8xf32>, %w: tensor<8x16xf32>) -> tensor<5x4x16xf32> {
  // CHECK: tg.transpose
  %t = tg.transpose %x permutation [1, 0, 2] : (tensor<4x5x8xf32>) -> tensor<5x4x8xf32>
  %0 = tg.dot %t, %w contract [2] x [0] : (tensor<5x4x8xf32>, tensor<8x16xf32>) -> tensor<5x4x16xf32>
  return %0 : tensor<5x4x16xf32>
}

// -----

// A transpose of the result exchanges the operands.
// CHECK-LABEL: @exchange
func.func @exchange(%a: tensor<3x4x8xf32>, %b: tensor<3x16x8xf32>) -> tensor<3x16x4xf32> {
  // CHECK-NEXT: %[[D:.*]] = tg.dot %arg1, %arg0 batch [0] x [0] contract [2] x [2] : (tensor<3x16x8xf32>, tensor<3x4x8xf32>) -> tensor<3x16x4xf32>
  %0 = tg.dot %a, %b batch [0] x [0] contract [2] x [2] : (tensor<3x4x8xf32>, tensor<3x16x8xf32>) -> tensor<3x4x16xf32>
  %1 = tg.transpose %0 permutation [0, 2, 1] : (tensor<3x4x16xf32>) -> tensor<3x16x4xf32>
  // CHECK-NEXT: return %[[D]]
  return %1 : tensor<3x16x4xf32>
}

// -----

// Dimensions of size one around a dot.
// CHECK-LABEL: @dot_of_units
func.func @dot_of_units(%x: tensor<7x8xf32>, %w: tensor<8x16xf32>) -> tensor<7x16xf32> {
  // CHECK-NEXT: %[[D:.*]] = tg.dot %arg0, %arg1 contract [1] x [0] : (tensor<7x8xf32>, tensor<8x16xf32>) -> tensor<7x16xf32>
  %0 = tg.reshape %x : (tensor<7x8xf32>) -> tensor<1x7x8xf32>
  %1 = tg.dot %0, %w contract [2] x [0] : (tensor<1x7x8xf32>, tensor<8x16xf32>) -> tensor<1x7x16xf32>
  %2 = tg.reshape %1 : (tensor<1x7x16xf32>) -> tensor<7x16xf32>
  // CHECK-NEXT: return %[[D]]
  return %2 : tensor<7x16xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

// Random numbers are neither merged nor kept for nothing; a call with an effect is kept.
// CHECK-LABEL: @effects
func.func @effects(%a: tensor<f32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[R0:.*]] = tg.rng uniform
  %0 = tg.rng uniform %a, %a : (tensor<f32>, tensor<f32>) -> tensor<8xf32>
  // CHECK-NEXT: %[[R1:.*]] = tg.rng uniform
  %1 = tg.rng uniform %a, %a : (tensor<f32>, tensor<f32>) -> tensor<8xf32>
  %2 = tg.rng uniform %a, %a : (tensor<f32>, tensor<f32>) -> tensor<8xf32>
  // CHECK-NEXT: tg.custom_call "log"
  tg.custom_call "log"(%x) has_side_effect : (tensor<8xf32>) -> ()
  %3 = tg.custom_call "pure"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: return %[[R0]], %[[R1]]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A gather of one window is a slice, whose start is known or not.

// CHECK-LABEL: @gather_of_one_window
// CHECK-SAME: (%[[X:.*]]: tensor<8x6xf32, "b">, %[[I:.*]]: tensor<1x2xi32>, %[[Y:.*]]: tensor<5x7x3xf32>)
func.func @gather_of_one_window(%x: tensor<8x6xf32, "b">, %i: tensor<1x2xi32>, %y: tensor<5x7x3xf32>)
    -> (tensor<8x4xf32, "b">, tensor<8xf32, "b">, tensor<1x4x3xf32>) {
  %one = tg.constant dense<1> : tensor<1xi32>
  %last = tg.constant dense<[9, 1]> : tensor<2xi32>
  // CHECK-DAG: %[[COLUMNS:.*]] = tg.slice %[[X]] [0:8, 1:5] : (tensor<8x6xf32, "b">) -> tensor<8x4xf32, "b">
  %0 = tg.gather %x, %one offset_dims [0, 1] start_index_map [1] index_vector_dim 0 slice_sizes [8, 4] : (tensor<8x6xf32, "b">, tensor<1xi32>) -> tensor<8x4xf32, "b">
  // CHECK-DAG: %[[LAST:.*]] = tg.slice %[[X]] [0:8, 5:6] : (tensor<8x6xf32, "b">) -> tensor<8x1xf32, "b">
  // CHECK-DAG: tg.reshape %[[LAST]] : (tensor<8x1xf32, "b">) -> tensor<8xf32, "b">
  %1 = tg.gather %x, %last offset_dims [0] collapsed_slice_dims [1] start_index_map [1, 0] index_vector_dim 0 slice_sizes [8, 1] : (tensor<8x6xf32, "b">, tensor<2xi32>) -> tensor<8xf32, "b">
  // CHECK: %[[PART0:.*]] = tg.slice %{{.*}} [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  // CHECK: %[[COLUMN:.*]] = tg.reshape %[[PART0]]
  // CHECK: %[[PART1:.*]] = tg.slice %{{.*}} [1:2] : (tensor<2xi32>) -> tensor<1xi32>
  // CHECK: %[[ROW:.*]] = tg.reshape %[[PART1]]
  // CHECK: tg.dynamic_slice %[[Y]][%[[ROW]], %[[COLUMN]], %{{.*}}] sizes [1, 4, 3]
  %2 = tg.gather %y, %i offset_dims [1, 2] collapsed_slice_dims [0] start_index_map [1, 0] index_vector_dim 1 slice_sizes [1, 4, 3] : (tensor<5x7x3xf32>, tensor<1x2xi32>) -> tensor<1x4x3xf32>
  return %0, %1, %2 : tensor<8x4xf32, "b">, tensor<8xf32, "b">, tensor<1x4x3xf32>
}

// What is rounded to fewer bytes behind a transpose is rounded before it.
// CHECK-LABEL: @narrow_before_transpose
// CHECK: %[[SUM:.*]] = tg.add
// CHECK: %[[NARROW:.*]] = tg.convert %[[SUM]] : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK: %[[RESULT:.*]] = tg.transpose %[[NARROW]] permutation [1, 0] : (tensor<4x8xf16>) -> tensor<8x4xf16>
// CHECK: return %[[RESULT]]
func.func @narrow_before_transpose(%x: tensor<4x8xf32>) -> tensor<8x4xf16> {
  %0 = tg.add %x, %x : tensor<4x8xf32>
  %1 = tg.transpose %0 permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %2 = tg.convert %1 : (tensor<8x4xf32>) -> tensor<8x4xf16>
  return %2 : tensor<8x4xf16>
}

// Not what becomes wider, is read otherwise, too, is no result of a kernel's arithmetic, or an operand of a dot.
// CHECK-LABEL: @convert_behind_transpose
// CHECK-COUNT-4: tg.transpose
// CHECK: tg.transpose {{.*}} -> tensor<8x4xf16>
// CHECK-NOT: tg.transpose
// CHECK: return
func.func @convert_behind_transpose(%x: tensor<4x8xf32>, %y: tensor<4x8xf16>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf16>, tensor<8x4xf16>, tensor<8x8xf16>, tensor<8x4xf16>) {
  %narrow = tg.add %y, %y : tensor<4x8xf16>
  %0 = tg.transpose %narrow permutation [1, 0] : (tensor<4x8xf16>) -> tensor<8x4xf16>
  %1 = tg.convert %0 : (tensor<8x4xf16>) -> tensor<8x4xf32>
  %square = tg.mul %x, %x : tensor<4x8xf32>
  %2 = tg.transpose %square permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %3 = tg.convert %2 : (tensor<8x4xf32>) -> tensor<8x4xf16>
  %4 = tg.transpose %x permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %5 = tg.convert %4 : (tensor<8x4xf32>) -> tensor<8x4xf16>
  %root = tg.sqrt %x : tensor<4x8xf32>
  %6 = tg.transpose %root permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %7 = tg.convert %6 : (tensor<8x4xf32>) -> tensor<8x4xf16>
  %8 = tg.dot %7, %y contract [1] x [0] : (tensor<8x4xf16>, tensor<4x8xf16>) -> tensor<8x8xf16>
  %difference = tg.neg %x : tensor<4x8xf32>
  %9 = tg.transpose %difference permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %10 = tg.convert %9 : (tensor<8x4xf32>) -> tensor<8x4xf16>
  return %1, %2, %3, %5, %8, %10 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf16>, tensor<8x4xf16>, tensor<8x8xf16>, tensor<8x4xf16>
}
