// RUN: stitch-opt %s --convert-tosa-to-tg | FileCheck %s
// RUN: stitch-opt %s --mlir-print-op-generic | stitch-opt --convert-tosa-to-tg | FileCheck %s
// RUN: stitch-opt %s --emit-bytecode -o %t.mlirbc && stitch-opt %t.mlirbc --convert-tosa-to-tg | FileCheck %s

// CHECK-LABEL: @unary(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.abs %[[ARG0]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.ceil %[[V0]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.cos %[[V1]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.erf %[[V2]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.exp %[[V3]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.floor %[[V4]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.log %[[V5]] : tensor<3x5xf32>
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<1.000000e+00> : tensor<3x5xf32>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.div %[[CST]], %[[V6]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V8:[^ :,)]+]] = tg.rsqrt %[[V7]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V9:[^ :,)]+]] = tg.logistic %[[V8]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V10:[^ :,)]+]] = tg.sin %[[V9]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V11:[^ :,)]+]] = tg.tanh %[[V10]] : tensor<3x5xf32>
// CHECK-NEXT: return %[[V11]] : tensor<3x5xf32>
func.func @unary(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = tosa.abs %a : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = tosa.ceil %0 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = tosa.cos %1 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %3 = tosa.erf %2 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %4 = tosa.exp %3 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %5 = tosa.floor %4 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %6 = tosa.log %5 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %7 = tosa.reciprocal %6 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %8 = tosa.rsqrt %7 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %9 = tosa.sigmoid %8 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %10 = tosa.sin %9 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %11 = tosa.tanh %10 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %12 = tosa.identity %11 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %12 : tensor<3x5xf32>
}

// CHECK-LABEL: @integers(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.and %[[ARG0]], %[[ARG1]] : tensor<5xi32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.or %[[V0]], %[[ARG1]] : tensor<5xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.xor %[[V1]], %[[ARG1]] : tensor<5xi32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.not %[[V2]] : tensor<5xi32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.clz %[[V3]] : tensor<5xi32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.div %[[V4]], %[[ARG1]] : tensor<5xi32>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.shl %[[V5]], %[[ARG1]] : tensor<5xi32>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.shr_logic %[[V6]], %[[ARG1]] : tensor<5xi32>
// CHECK-NEXT: %[[V8:[^ :,)]+]] = tg.shr_arith %[[V7]], %[[ARG1]] : tensor<5xi32>
// CHECK-NEXT: %[[V9:[^ :,)]+]] = tg.sub %[[V8]], %[[ARG1]] : tensor<5xi32>
// CHECK-NEXT: return %[[V9]] : tensor<5xi32>
func.func @integers(%a: tensor<5xi32>, %b: tensor<5xi32>) -> tensor<5xi32> {
  %0 = tosa.bitwise_and %a, %b : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %1 = tosa.bitwise_or %0, %b : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %2 = tosa.bitwise_xor %1, %b : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %3 = tosa.bitwise_not %2 : (tensor<5xi32>) -> tensor<5xi32>
  %4 = tosa.clz %3 : (tensor<5xi32>) -> tensor<5xi32>
  %5 = tosa.intdiv %4, %b : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %6 = tosa.logical_left_shift %5, %b : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %7 = tosa.logical_right_shift %6, %b : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %8 = tosa.arithmetic_right_shift %7, %b {round = false} : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %9 = tosa.sub %8, %b : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  return %9 : tensor<5xi32>
}

// CHECK-LABEL: @rounding_shift(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.shr_arith %[[ARG0]], %[[ARG1]] : tensor<5xi32>
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0> : tensor<5xi32>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<1> : tensor<5xi32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.sub %[[ARG1]], %[[CST_0]] : tensor<5xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.shr_arith %[[ARG0]], %[[V1]] : tensor<5xi32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.and %[[V2]], %[[CST_0]] : tensor<5xi32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.compare gt, %[[ARG1]], %[[CST]] : tensor<5xi32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.select %[[V4]], %[[V3]], %[[CST]] : tensor<5xi1>, tensor<5xi32>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.add %[[V0]], %[[V5]] : tensor<5xi32>
// CHECK-NEXT: return %[[V6]] : tensor<5xi32>
func.func @rounding_shift(%a: tensor<5xi32>, %b: tensor<5xi32>) -> tensor<5xi32> {
  %0 = tosa.arithmetic_right_shift %a, %b {round = true} : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}

// CHECK-LABEL: @predicates(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.compare eq, %[[ARG0]], %[[ARG1]] : tensor<5xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.compare gt, %[[ARG0]], %[[ARG1]] : tensor<5xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.compare ge, %[[ARG0]], %[[ARG1]] : tensor<5xf32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.and %[[V0]], %[[V1]] : tensor<5xi1>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.or %[[V2]], %[[V3]] : tensor<5xi1>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.xor %[[V3]], %[[V4]] : tensor<5xi1>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.not %[[V5]] : tensor<5xi1>
// CHECK-NEXT: return %[[V6]] : tensor<5xi1>
func.func @predicates(%a: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<5xi1> {
  %0 = tosa.equal %a, %b : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %1 = tosa.greater %a, %b : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %2 = tosa.greater_equal %a, %b : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
  %3 = tosa.logical_and %0, %1 : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
  %4 = tosa.logical_or %2, %3 : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
  %5 = tosa.logical_xor %3, %4 : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
  %6 = tosa.logical_not %5 : (tensor<5xi1>) -> tensor<5xi1>
  return %6 : tensor<5xi1>
}

// Dimensions of size one are broadcast.
// CHECK-LABEL: @broadcast(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]{{.*}}%[[ARG2:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.broadcast %[[ARG0]] dims [0, 1, 2] : (tensor<4x1x3xf32>) -> tensor<4x5x3xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.broadcast %[[ARG1]] dims [0, 1, 2] : (tensor<1x5x3xf32>) -> tensor<4x5x3xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.add %[[V0]], %[[V1]] : tensor<4x5x3xf32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.broadcast %[[ARG1]] dims [0, 1, 2] : (tensor<1x5x3xf32>) -> tensor<4x5x3xf32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.pow %[[V2]], %[[V3]] : tensor<4x5x3xf32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.broadcast %[[ARG2]] dims [0, 1, 2] : (tensor<1x1x1xi1>) -> tensor<4x5x3xi1>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.broadcast %[[ARG1]] dims [0, 1, 2] : (tensor<1x5x3xf32>) -> tensor<4x5x3xf32>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.select %[[V5]], %[[V4]], %[[V6]] : tensor<4x5x3xi1>, tensor<4x5x3xf32>
// CHECK-NEXT: return %[[V7]] : tensor<4x5x3xf32>
func.func @broadcast(%a: tensor<4x1x3xf32>, %b: tensor<1x5x3xf32>, %p: tensor<1x1x1xi1>) -> tensor<4x5x3xf32> {
  %0 = tosa.add %a, %b : (tensor<4x1x3xf32>, tensor<1x5x3xf32>) -> tensor<4x5x3xf32>
  %1 = tosa.pow %0, %b : (tensor<4x5x3xf32>, tensor<1x5x3xf32>) -> tensor<4x5x3xf32>
  %2 = tosa.select %p, %1, %b : (tensor<1x1x1xi1>, tensor<4x5x3xf32>, tensor<1x5x3xf32>) -> tensor<4x5x3xf32>
  return %2 : tensor<4x5x3xf32>
}

// CHECK-LABEL: @max_min(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.max %[[ARG0]], %[[ARG1]] : tensor<5xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.min %[[V0]], %[[ARG1]] : tensor<5xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.compare ne, %[[V0]], %[[V0]] : tensor<5xf32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.select %[[V2]], %[[ARG1]], %[[V1]] : tensor<5xi1>, tensor<5xf32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.compare ne, %[[ARG1]], %[[ARG1]] : tensor<5xf32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.select %[[V4]], %[[V0]], %[[V3]] : tensor<5xi1>, tensor<5xf32>
// CHECK-NEXT: return %[[V5]] : tensor<5xf32>
func.func @max_min(%a: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %0 = tosa.maximum %a, %b : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %1 = tosa.minimum %0, %b {nan_mode = IGNORE} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// CHECK-LABEL: @clamp(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<-1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.clamp %[[CST]], %[[ARG0]], %[[CST_0]] : tensor<f32>, tensor<5xf32>, tensor<f32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.broadcast %[[CST]] dims [] : (tensor<f32>) -> tensor<5xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.compare ne, %[[ARG0]], %[[ARG0]] : tensor<5xf32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.select %[[V2]], %[[V1]], %[[V0]] : tensor<5xi1>, tensor<5xf32>
// CHECK-NEXT: %[[CST_1:[^ :,)]+]] = tg.constant dense<-3> : tensor<i8>
// CHECK-NEXT: %[[CST_2:[^ :,)]+]] = tg.constant dense<4> : tensor<i8>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.clamp %[[CST_1]], %[[ARG1]], %[[CST_2]] : tensor<i8>, tensor<5xi8>, tensor<i8>
// CHECK-NEXT: return %[[V3]], %[[V4]] : tensor<5xf32>, tensor<5xi8>
func.func @clamp(%a: tensor<5xf32>, %i: tensor<5xi8>) -> (tensor<5xf32>, tensor<5xi8>) {
  %0 = tosa.clamp %a {min_val = -1.0 : f32, max_val = 1.0 : f32, nan_mode = IGNORE} : (tensor<5xf32>) -> tensor<5xf32>
  %1 = tosa.clamp %i {min_val = -3 : i8, max_val = 4 : i8} : (tensor<5xi8>) -> tensor<5xi8>
  return %0, %1 : tensor<5xf32>, tensor<5xi8>
}

// To integers floats are rounded to the nearest, ties to even; tg.convert cuts to the range.
// CHECK-LABEL: @cast(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.round_even %[[ARG0]] : tensor<5xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.convert %[[V0]] : (tensor<5xf32>) -> tensor<5xi8>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.convert %[[ARG0]] : (tensor<5xf32>) -> tensor<5xbf16>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.convert %[[V1]] : (tensor<5xi8>) -> tensor<5xi1>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.convert %[[V1]] : (tensor<5xi8>) -> tensor<5xi32>
// CHECK-NEXT: return %[[V1]], %[[V2]], %[[V3]], %[[V4]] : tensor<5xi8>, tensor<5xbf16>, tensor<5xi1>, tensor<5xi32>
func.func @cast(%a: tensor<5xf32>) -> (tensor<5xi8>, tensor<5xbf16>, tensor<5xi1>, tensor<5xi32>) {
  %0 = tosa.cast %a : (tensor<5xf32>) -> tensor<5xi8>
  %1 = tosa.cast %a : (tensor<5xf32>) -> tensor<5xbf16>
  %2 = tosa.cast %0 : (tensor<5xi8>) -> tensor<5xi1>
  %3 = tosa.cast %0 : (tensor<5xi8>) -> tensor<5xi32>
  return %0, %1, %2, %3 : tensor<5xi8>, tensor<5xbf16>, tensor<5xi1>, tensor<5xi32>
}

// CHECK-LABEL: @mul(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0> : tensor<1xi8>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.broadcast %[[ARG1]] dims [0] : (tensor<1xi8>) -> tensor<5xi8>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.convert %[[ARG0]] : (tensor<5xi8>) -> tensor<5xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.convert %[[V0]] : (tensor<5xi8>) -> tensor<5xi32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.mul %[[V1]], %[[V2]] : tensor<5xi32>
// CHECK-NEXT: return %[[V3]] : tensor<5xi32>
func.func @mul(%a: tensor<5xi8>, %b: tensor<1xi8>) -> tensor<5xi32> {
  %s = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.mul %a, %b, %s : (tensor<5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}

// The product has 64 bits; half of what is shifted out is added before the shift.
// CHECK-LABEL: @mul_shift(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<7> : tensor<1xi8>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convert %[[ARG0]] : (tensor<5xi32>) -> tensor<5xi64>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.convert %[[ARG1]] : (tensor<5xi32>) -> tensor<5xi64>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<7> : tensor<5xi64>
// CHECK-NEXT: %[[CST_1:[^ :,)]+]] = tg.constant dense<0> : tensor<5xi64>
// CHECK-NEXT: %[[CST_2:[^ :,)]+]] = tg.constant dense<1> : tensor<5xi64>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.sub %[[CST_0]], %[[CST_2]] : tensor<5xi64>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.shl %[[CST_2]], %[[V2]] : tensor<5xi64>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.mul %[[V0]], %[[V1]] : tensor<5xi64>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.add %[[V4]], %[[V3]] : tensor<5xi64>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.shr_arith %[[V5]], %[[CST_0]] : tensor<5xi64>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.convert %[[V6]] : (tensor<5xi64>) -> tensor<5xi32>
// CHECK-NEXT: return %[[V7]] : tensor<5xi32>
func.func @mul_shift(%a: tensor<5xi32>, %b: tensor<5xi32>) -> tensor<5xi32> {
  %s = "tosa.const"() {values = dense<7> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.mul %a, %b, %s : (tensor<5xi32>, tensor<5xi32>, tensor<1xi8>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}

// CHECK-LABEL: @negate(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<3> : tensor<1xi8>
// CHECK-NEXT: %[[CST_1:[^ :,)]+]] = tg.constant dense<-1> : tensor<1xi8>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.neg %[[ARG0]] : tensor<5xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.convert %[[ARG1]] : (tensor<5xi8>) -> tensor<5xi32>
// CHECK-NEXT: %[[CST_2:[^ :,)]+]] = tg.constant dense<2> : tensor<5xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.sub %[[CST_2]], %[[V1]] : tensor<5xi32>
// CHECK-NEXT: %[[CST_3:[^ :,)]+]] = tg.constant dense<-128> : tensor<i32>
// CHECK-NEXT: %[[CST_4:[^ :,)]+]] = tg.constant dense<127> : tensor<i32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.clamp %[[CST_3]], %[[V2]], %[[CST_4]] : tensor<i32>, tensor<5xi32>, tensor<i32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.convert %[[V3]] : (tensor<5xi32>) -> tensor<5xi8>
// CHECK-NEXT: return %[[V0]], %[[V4]] : tensor<5xf32>, tensor<5xi8>
func.func @negate(%a: tensor<5xf32>, %b: tensor<5xi8>) -> (tensor<5xf32>, tensor<5xi8>) {
  %zf = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %z1 = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %z2 = "tosa.const"() {values = dense<-1> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.negate %a, %zf, %zf : (tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<5xf32>
  %1 = tosa.negate %b, %z1, %z2 : (tensor<5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<5xi8>
  return %0, %1 : tensor<5xf32>, tensor<5xi8>
}

// CHECK-LABEL: @table(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convert %[[ARG0]] : (tensor<5xi8>) -> tensor<5xi32>
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<128> : tensor<5xi32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.add %[[V0]], %[[CST]] : tensor<5xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.gather %[[ARG1]], %[[V1]] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1] : (tensor<256xi8>, tensor<5xi32>) -> tensor<5xi8>
// CHECK-NEXT: return %[[V2]] : tensor<5xi8>
func.func @table(%a: tensor<5xi8>, %t: tensor<256xi8>) -> tensor<5xi8> {
  %0 = tosa.table %a, %t : (tensor<5xi8>, tensor<256xi8>) -> tensor<5xi8>
  return %0 : tensor<5xi8>
}

// CHECK-LABEL: @interpolating_table(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convert %[[ARG0]] : (tensor<5xi16>) -> tensor<5xi32>
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<7> : tensor<5xi32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.shr_arith %[[V0]], %[[CST]] : tensor<5xi32>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<256> : tensor<5xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.add %[[V1]], %[[CST_0]] : tensor<5xi32>
// CHECK-NEXT: %[[CST_1:[^ :,)]+]] = tg.constant dense<1> : tensor<5xi32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.add %[[V2]], %[[CST_1]] : tensor<5xi32>
// CHECK-NEXT: %[[CST_2:[^ :,)]+]] = tg.constant dense<127> : tensor<5xi32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.and %[[V0]], %[[CST_2]] : tensor<5xi32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.gather %[[ARG1]], %[[V2]] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1] : (tensor<513xi16>, tensor<5xi32>) -> tensor<5xi16>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.convert %[[V5]] : (tensor<5xi16>) -> tensor<5xi32>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.gather %[[ARG1]], %[[V3]] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1] : (tensor<513xi16>, tensor<5xi32>) -> tensor<5xi16>
// CHECK-NEXT: %[[V8:[^ :,)]+]] = tg.convert %[[V7]] : (tensor<5xi16>) -> tensor<5xi32>
// CHECK-NEXT: %[[V9:[^ :,)]+]] = tg.sub %[[V8]], %[[V6]] : tensor<5xi32>
// CHECK-NEXT: %[[V10:[^ :,)]+]] = tg.shl %[[V6]], %[[CST]] : tensor<5xi32>
// CHECK-NEXT: %[[V11:[^ :,)]+]] = tg.mul %[[V9]], %[[V4]] : tensor<5xi32>
// CHECK-NEXT: %[[V12:[^ :,)]+]] = tg.add %[[V10]], %[[V11]] : tensor<5xi32>
// CHECK-NEXT: return %[[V12]] : tensor<5xi32>
func.func @interpolating_table(%a: tensor<5xi16>, %t: tensor<513xi16>) -> tensor<5xi32> {
  %0 = tosa.table %a, %t : (tensor<5xi16>, tensor<513xi16>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}

// CHECK-LABEL: @rescale(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<[1073741824, 1610612736, 2000000000, 3]> : tensor<4xi32>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<[30, 31, 32, 33]> : tensor<4xi8>
// CHECK-NEXT: %[[CST_1:[^ :,)]+]] = tg.constant dense<-128> : tensor<1xi8>
// CHECK-NEXT: %[[CST_2:[^ :,)]+]] = tg.constant dense<5> : tensor<1xi8>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convert %[[CST]] : (tensor<4xi32>) -> tensor<4xi64>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.broadcast %[[V0]] dims [1] : (tensor<4xi64>) -> tensor<5x4xi64>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.convert %[[CST_0]] : (tensor<4xi8>) -> tensor<4xi64>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.broadcast %[[V2]] dims [1] : (tensor<4xi64>) -> tensor<5x4xi64>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.bitcast_convert %[[ARG0]] : (tensor<5x4xi8>) -> tensor<5x4xui8>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.convert %[[V4]] : (tensor<5x4xui8>) -> tensor<5x4xi64>
// CHECK-NEXT: %[[CST_3:[^ :,)]+]] = tg.constant dense<128> : tensor<5x4xi64>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.sub %[[V5]], %[[CST_3]] : tensor<5x4xi64>
// CHECK-NEXT: %[[CST_4:[^ :,)]+]] = tg.constant dense<0> : tensor<5x4xi64>
// CHECK-NEXT: %[[CST_5:[^ :,)]+]] = tg.constant dense<1> : tensor<5x4xi64>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.sub %[[V3]], %[[CST_5]] : tensor<5x4xi64>
// CHECK-NEXT: %[[V8:[^ :,)]+]] = tg.shl %[[CST_5]], %[[V7]] : tensor<5x4xi64>
// CHECK-NEXT: %[[V9:[^ :,)]+]] = tg.mul %[[V6]], %[[V1]] : tensor<5x4xi64>
// CHECK-NEXT: %[[V10:[^ :,)]+]] = tg.add %[[V9]], %[[V8]] : tensor<5x4xi64>
// CHECK-NEXT: %[[CST_6:[^ :,)]+]] = tg.constant dense<1073741824> : tensor<5x4xi64>
// CHECK-NEXT: %[[CST_7:[^ :,)]+]] = tg.constant dense<-1073741824> : tensor<5x4xi64>
// CHECK-NEXT: %[[V11:[^ :,)]+]] = tg.compare ge, %[[V6]], %[[CST_4]] : tensor<5x4xi64>
// CHECK-NEXT: %[[V12:[^ :,)]+]] = tg.select %[[V11]], %[[CST_6]], %[[CST_7]] : tensor<5x4xi1>, tensor<5x4xi64>
// CHECK-NEXT: %[[CST_8:[^ :,)]+]] = tg.constant dense<31> : tensor<5x4xi64>
// CHECK-NEXT: %[[V13:[^ :,)]+]] = tg.compare gt, %[[V3]], %[[CST_8]] : tensor<5x4xi64>
// CHECK-NEXT: %[[V14:[^ :,)]+]] = tg.add %[[V10]], %[[V12]] : tensor<5x4xi64>
// CHECK-NEXT: %[[V15:[^ :,)]+]] = tg.select %[[V13]], %[[V14]], %[[V10]] : tensor<5x4xi1>, tensor<5x4xi64>
// CHECK-NEXT: %[[V16:[^ :,)]+]] = tg.shr_arith %[[V15]], %[[V3]] : tensor<5x4xi64>
// CHECK-NEXT: %[[CST_9:[^ :,)]+]] = tg.constant dense<5> : tensor<5x4xi64>
// CHECK-NEXT: %[[V17:[^ :,)]+]] = tg.add %[[V16]], %[[CST_9]] : tensor<5x4xi64>
// CHECK-NEXT: %[[CST_10:[^ :,)]+]] = tg.constant dense<-128> : tensor<i64>
// CHECK-NEXT: %[[CST_11:[^ :,)]+]] = tg.constant dense<127> : tensor<i64>
// CHECK-NEXT: %[[V18:[^ :,)]+]] = tg.clamp %[[CST_10]], %[[V17]], %[[CST_11]] : tensor<i64>, tensor<5x4xi64>, tensor<i64>
// CHECK-NEXT: %[[V19:[^ :,)]+]] = tg.convert %[[V18]] : (tensor<5x4xi64>) -> tensor<5x4xi8>
// CHECK-NEXT: return %[[V19]] : tensor<5x4xi8>
func.func @rescale(%a: tensor<5x4xi8>) -> tensor<5x4xi8> {
  %m = "tosa.const"() {values = dense<[1073741824, 1610612736, 2000000000, 3]> : tensor<4xi32>} : () -> tensor<4xi32>
  %s = "tosa.const"() {values = dense<[30, 31, 32, 33]> : tensor<4xi8>} : () -> tensor<4xi8>
  %iz = "tosa.const"() {values = dense<-128> : tensor<1xi8>} : () -> tensor<1xi8>
  %oz = "tosa.const"() {values = dense<5> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.rescale %a, %m, %s, %iz, %oz {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = true, input_unsigned = true, output_unsigned = false} : (tensor<5x4xi8>, tensor<4xi32>, tensor<4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<5x4xi8>
  return %0 : tensor<5x4xi8>
}

// CHECK-LABEL: @apply_scale(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]{{.*}}%[[ARG2:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convert %[[ARG0]] : (tensor<5xi32>) -> tensor<5xi64>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.convert %[[ARG1]] : (tensor<5xi32>) -> tensor<5xi64>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.convert %[[ARG2]] : (tensor<5xi8>) -> tensor<5xi64>
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0> : tensor<5xi64>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<1> : tensor<5xi64>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.sub %[[V2]], %[[CST_0]] : tensor<5xi64>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.shl %[[CST_0]], %[[V3]] : tensor<5xi64>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.mul %[[V0]], %[[V1]] : tensor<5xi64>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.add %[[V5]], %[[V4]] : tensor<5xi64>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.shr_arith %[[V6]], %[[V2]] : tensor<5xi64>
// CHECK-NEXT: %[[V8:[^ :,)]+]] = tg.convert %[[V7]] : (tensor<5xi64>) -> tensor<5xi32>
// CHECK-NEXT: return %[[V8]] : tensor<5xi32>
func.func @apply_scale(%v: tensor<5xi32>, %m: tensor<5xi32>, %s: tensor<5xi8>) -> tensor<5xi32> {
  %0 = tosa.apply_scale %v, %m, %s {rounding_mode = SINGLE_ROUND} : (tensor<5xi32>, tensor<5xi32>, tensor<5xi8>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}

// CHECK-LABEL: @movement(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.concatenate %[[ARG0]], %[[ARG1]] dim 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<2.500000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.reshape %[[CST]] : (tensor<1xf32>) -> tensor<f32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.pad %[[V0]], %[[V1]] low [0, 2] high [1, 0] interior [0, 0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<3x6xf32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.reverse %[[V2]] dims [0] : tensor<3x6xf32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.slice %[[V3]] [1:3, 2:5] : (tensor<3x6xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.broadcast %[[V4]] dims [1, 3] : (tensor<2x3xf32>) -> tensor<2x2x2x3xf32>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.reshape %[[V5]] : (tensor<2x2x2x3xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.reshape %[[V6]] : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: %[[V8:[^ :,)]+]] = tg.transpose %[[V7]] permutation [0, 2, 1] : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32>
// CHECK-NEXT: return %[[V8]] : tensor<4x3x2xf32>
func.func @movement(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<4x3x2xf32> {
  %0 = tosa.concat %a, %b {axis = 1 : i32} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %p = tosa.const_shape {values = dense<[0, 1, 2, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %v = "tosa.const"() {values = dense<2.5> : tensor<1xf32>} : () -> tensor<1xf32>
  %1 = tosa.pad %0, %p, %v : (tensor<2x4xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<3x6xf32>
  %2 = tosa.reverse %1 {axis = 0 : i32} : (tensor<3x6xf32>) -> tensor<3x6xf32>
  %s = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n = tosa.const_shape {values = dense<[2, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %3 = tosa.slice %2, %s, %n : (tensor<3x6xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x3xf32>
  %m = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %4 = tosa.tile %3, %m : (tensor<2x3xf32>, !tosa.shape<2>) -> tensor<4x6xf32>
  %r = tosa.const_shape {values = dense<[4, 2, 3]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %5 = tosa.reshape %4, %r : (tensor<4x6xf32>, !tosa.shape<3>) -> tensor<4x2x3xf32>
  %6 = tosa.transpose %5 {perms = array<i32: 0, 2, 1>} : (tensor<4x2x3xf32>) -> tensor<4x3x2xf32>
  return %6 : tensor<4x3x2xf32>
}

// A dimension of size one is repeated in place.
// CHECK-LABEL: @tile(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.broadcast %[[ARG0]] dims [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4x3xf32>
func.func @tile(%a: tensor<1x3xf32>) -> tensor<4x3xf32> {
  %m = tosa.const_shape {values = dense<[4, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.tile %a, %m : (tensor<1x3xf32>, !tosa.shape<2>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @gather_scatter(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.gather %[[ARG0]], %[[ARG1]] offset_dims [2] collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [0] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1, 3] : (tensor<2x5x3xf32>, tensor<2x4xi32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.scatter replace %[[ARG0]], %[[ARG1]], %[[V0]] update_window_dims [2] inserted_window_dims [1] input_batching_dims [0] scatter_indices_batching_dims [0] scatter_dims_to_operand_dims [1] index_vector_dim 2 unique_indices : (tensor<2x5x3xf32>, tensor<2x4xi32>, tensor<2x4x3xf32>) -> tensor<2x5x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x5x3xf32>
func.func @gather_scatter(%a: tensor<2x5x3xf32>, %i: tensor<2x4xi32>) -> tensor<2x5x3xf32> {
  %0 = tosa.gather %a, %i : (tensor<2x5x3xf32>, tensor<2x4xi32>) -> tensor<2x4x3xf32>
  %1 = tosa.scatter %a, %i, %0 : (tensor<2x5x3xf32>, tensor<2x4xi32>, tensor<2x4x3xf32>) -> tensor<2x5x3xf32>
  return %1 : tensor<2x5x3xf32>
}

// CHECK-LABEL: @resize_nearest(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<[0, 1, 1, 2, 2]> : tensor<5xi32>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.gather %[[ARG0]], %[[CST]] offset_dims [0, 1, 3] collapsed_slice_dims [2] start_index_map [2] index_vector_dim 1 slice_sizes [1, 2, 1, 1] : (tensor<1x2x3x1xi8>, tensor<5xi32>) -> tensor<1x2x5x1xi8>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<[0, 1, 1, 1]> : tensor<4xi32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.gather %[[V0]], %[[CST_0]] offset_dims [0, 2, 3] collapsed_slice_dims [1] start_index_map [1] index_vector_dim 1 slice_sizes [1, 1, 5, 1] : (tensor<1x2x5x1xi8>, tensor<4xi32>) -> tensor<1x4x5x1xi8>
// CHECK-NEXT: return %[[V1]] : tensor<1x4x5x1xi8>
func.func @resize_nearest(%a: tensor<1x2x3x1xi8>) -> tensor<1x4x5x1xi8> {
  %s = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %a, %s, %o, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x2x3x1xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x4x5x1xi8>
  return %0 : tensor<1x4x5x1xi8>
}

// CHECK-LABEL: @resize_bilinear(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convert %[[ARG0]] : (tensor<1x2x3x1xf16>) -> tensor<1x2x3x1xf32>
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<[0, 0, 1, 1, 2]> : tensor<5xi32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.gather %[[V0]], %[[CST]] offset_dims [0, 1, 3] collapsed_slice_dims [2] start_index_map [2] index_vector_dim 1 slice_sizes [1, 2, 1, 1] : (tensor<1x2x3x1xf32>, tensor<5xi32>) -> tensor<1x2x5x1xf32>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<[1, 1, 2, 2, 2]> : tensor<5xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.gather %[[V0]], %[[CST_0]] offset_dims [0, 1, 3] collapsed_slice_dims [2] start_index_map [2] index_vector_dim 1 slice_sizes [1, 2, 1, 1] : (tensor<1x2x3x1xf32>, tensor<5xi32>) -> tensor<1x2x5x1xf32>
// CHECK-NEXT: %[[CST_1:[^ :,)]+]] = tg.constant dense<[0, 1, 0, 1, 0]> : tensor<5xi32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.convert %[[CST_1]] : (tensor<5xi32>) -> tensor<5xf32>
// CHECK-NEXT: %[[CST_2:[^ :,)]+]] = tg.constant dense<2.000000e+00> : tensor<5xf32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.div %[[V3]], %[[CST_2]] : tensor<5xf32>
// CHECK-NEXT: %[[CST_3:[^ :,)]+]] = tg.constant dense<1.000000e+00> : tensor<5xf32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.sub %[[CST_3]], %[[V4]] : tensor<5xf32>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.broadcast %[[V5]] dims [2] : (tensor<5xf32>) -> tensor<1x2x5x1xf32>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.mul %[[V1]], %[[V6]] : tensor<1x2x5x1xf32>
// CHECK-NEXT: %[[V8:[^ :,)]+]] = tg.broadcast %[[V4]] dims [2] : (tensor<5xf32>) -> tensor<1x2x5x1xf32>
// CHECK-NEXT: %[[V9:[^ :,)]+]] = tg.mul %[[V2]], %[[V8]] : tensor<1x2x5x1xf32>
// CHECK-NEXT: %[[V10:[^ :,)]+]] = tg.add %[[V7]], %[[V9]] : tensor<1x2x5x1xf32>
// CHECK-NEXT: %[[CST_4:[^ :,)]+]] = tg.constant dense<[0, 0, 0, 1]> : tensor<4xi32>
// CHECK-NEXT: %[[V11:[^ :,)]+]] = tg.gather %[[V10]], %[[CST_4]] offset_dims [0, 2, 3] collapsed_slice_dims [1] start_index_map [1] index_vector_dim 1 slice_sizes [1, 1, 5, 1] : (tensor<1x2x5x1xf32>, tensor<4xi32>) -> tensor<1x4x5x1xf32>
// CHECK-NEXT: %[[CST_5:[^ :,)]+]] = tg.constant dense<[0, 1, 1, 1]> : tensor<4xi32>
// CHECK-NEXT: %[[V12:[^ :,)]+]] = tg.gather %[[V10]], %[[CST_5]] offset_dims [0, 2, 3] collapsed_slice_dims [1] start_index_map [1] index_vector_dim 1 slice_sizes [1, 1, 5, 1] : (tensor<1x2x5x1xf32>, tensor<4xi32>) -> tensor<1x4x5x1xf32>
// CHECK-NEXT: %[[CST_6:[^ :,)]+]] = tg.constant dense<[1, 0, 1, 0]> : tensor<4xi32>
// CHECK-NEXT: %[[V13:[^ :,)]+]] = tg.convert %[[CST_6]] : (tensor<4xi32>) -> tensor<4xf32>
// CHECK-NEXT: %[[CST_7:[^ :,)]+]] = tg.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[V14:[^ :,)]+]] = tg.div %[[V13]], %[[CST_7]] : tensor<4xf32>
// CHECK-NEXT: %[[CST_8:[^ :,)]+]] = tg.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[V15:[^ :,)]+]] = tg.sub %[[CST_8]], %[[V14]] : tensor<4xf32>
// CHECK-NEXT: %[[V16:[^ :,)]+]] = tg.broadcast %[[V15]] dims [1] : (tensor<4xf32>) -> tensor<1x4x5x1xf32>
// CHECK-NEXT: %[[V17:[^ :,)]+]] = tg.mul %[[V11]], %[[V16]] : tensor<1x4x5x1xf32>
// CHECK-NEXT: %[[V18:[^ :,)]+]] = tg.broadcast %[[V14]] dims [1] : (tensor<4xf32>) -> tensor<1x4x5x1xf32>
// CHECK-NEXT: %[[V19:[^ :,)]+]] = tg.mul %[[V12]], %[[V18]] : tensor<1x4x5x1xf32>
// CHECK-NEXT: %[[V20:[^ :,)]+]] = tg.add %[[V17]], %[[V19]] : tensor<1x4x5x1xf32>
// CHECK-NEXT: %[[V21:[^ :,)]+]] = tg.convert %[[V20]] : (tensor<1x4x5x1xf32>) -> tensor<1x4x5x1xf16>
// CHECK-NEXT: return %[[V21]] : tensor<1x4x5x1xf16>
func.func @resize_bilinear(%a: tensor<1x2x3x1xf16>) -> tensor<1x4x5x1xf16> {
  %s = tosa.const_shape {values = dense<[2, 1, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[-1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %a, %s, %o, %b {mode = BILINEAR} : (tensor<1x2x3x1xf16>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x4x5x1xf16>
  return %0 : tensor<1x4x5x1xf16>
}

// CHECK-LABEL: @reductions(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.reduce add %[[ARG0]] dims [1] : (tensor<3x5xf32>) -> tensor<3xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.reshape %[[V0]] : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.reduce mul %[[ARG0]] dims [1] : (tensor<3x5xf32>) -> tensor<3xf32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.reshape %[[V2]] : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.reduce max %[[ARG0]] dims [1] : (tensor<3x5xf32>) -> tensor<3xf32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.reshape %[[V4]] : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.reduce and %[[ARG1]] dims [1] : (tensor<3x5xi1>) -> tensor<3xi1>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.reshape %[[V6]] : (tensor<3xi1>) -> tensor<3x1xi1>
// CHECK-NEXT: %[[V8:[^ :,)]+]] = tg.reduce or %[[ARG1]] dims [1] : (tensor<3x5xi1>) -> tensor<3xi1>
// CHECK-NEXT: %[[V9:[^ :,)]+]] = tg.reshape %[[V8]] : (tensor<3xi1>) -> tensor<3x1xi1>
// CHECK-NEXT: %[[V10:[^ :,)]+]] = tg.add %[[V1]], %[[V3]] : tensor<3x1xf32>
// CHECK-NEXT: %[[V11:[^ :,)]+]] = tg.add %[[V10]], %[[V5]] : tensor<3x1xf32>
// CHECK-NEXT: %[[V12:[^ :,)]+]] = tg.and %[[V7]], %[[V9]] : tensor<3x1xi1>
// CHECK-NEXT: return %[[V11]], %[[V12]] : tensor<3x1xf32>, tensor<3x1xi1>
func.func @reductions(%a: tensor<3x5xf32>, %p: tensor<3x5xi1>) -> (tensor<3x1xf32>, tensor<3x1xi1>) {
  %0 = tosa.reduce_sum %a {axis = 1 : i32} : (tensor<3x5xf32>) -> tensor<3x1xf32>
  %1 = tosa.reduce_product %a {axis = 1 : i32} : (tensor<3x5xf32>) -> tensor<3x1xf32>
  %2 = tosa.reduce_max %a {axis = 1 : i32} : (tensor<3x5xf32>) -> tensor<3x1xf32>
  %3 = tosa.reduce_all %p {axis = 1 : i32} : (tensor<3x5xi1>) -> tensor<3x1xi1>
  %4 = tosa.reduce_any %p {axis = 1 : i32} : (tensor<3x5xi1>) -> tensor<3x1xi1>
  %5 = tosa.add %0, %1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %6 = tosa.add %5, %2 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %7 = tosa.logical_and %3, %4 : (tensor<3x1xi1>, tensor<3x1xi1>) -> tensor<3x1xi1>
  return %6, %7 : tensor<3x1xf32>, tensor<3x1xi1>
}

// NaN only of nothing but NaN.
// CHECK-LABEL: @reduce_min_ignore(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.compare ne, %[[ARG0]], %[[ARG0]] : tensor<3x5xf32>
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0x7F800000> : tensor<3x5xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.select %[[V0]], %[[CST]], %[[ARG0]] : tensor<3x5xi1>, tensor<3x5xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.reduce min %[[V1]] dims [0] : (tensor<3x5xf32>) -> tensor<5xf32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.compare ne, %[[ARG0]], %[[ARG0]] : tensor<3x5xf32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.reduce and %[[V3]] dims [0] : (tensor<3x5xi1>) -> tensor<5xi1>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<0x7FC00000> : tensor<5xf32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.select %[[V4]], %[[CST_0]], %[[V2]] : tensor<5xi1>, tensor<5xf32>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.reshape %[[V5]] : (tensor<5xf32>) -> tensor<1x5xf32>
// CHECK-NEXT: return %[[V6]] : tensor<1x5xf32>
func.func @reduce_min_ignore(%a: tensor<3x5xf32>) -> tensor<1x5xf32> {
  %0 = tosa.reduce_min %a {axis = 0 : i32, nan_mode = IGNORE} : (tensor<3x5xf32>) -> tensor<1x5xf32>
  return %0 : tensor<1x5xf32>
}

// CHECK-LABEL: @argmax(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[VALUE:[^ :,)]+]], %[[INDEX:[^ :,)]+]] = tg.arg_reduce max %[[ARG0]] dim 1 : (tensor<3x5xf32>) -> (tensor<3xf32>, tensor<3xi32>)
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.compare ne, %[[ARG0]], %[[ARG0]] : tensor<3x5xf32>
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0xFF800000> : tensor<3x5xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.select %[[V0]], %[[CST]], %[[ARG0]] : tensor<3x5xi1>, tensor<3x5xf32>
// CHECK-NEXT: %[[VALUE_0:[^ :,)]+]], %[[INDEX_1:[^ :,)]+]] = tg.arg_reduce max %[[V1]] dim 0 : (tensor<3x5xf32>) -> (tensor<5xf32>, tensor<5xi32>)
// CHECK-NEXT: return %[[INDEX]], %[[INDEX_1]] : tensor<3xi32>, tensor<5xi32>
func.func @argmax(%a: tensor<3x5xf32>) -> (tensor<3xi32>, tensor<5xi32>) {
  %0 = tosa.argmax %a {axis = 1 : i32} : (tensor<3x5xf32>) -> tensor<3xi32>
  %1 = tosa.argmax %a {axis = 0 : i32, nan_mode = IGNORE} : (tensor<3x5xf32>) -> tensor<5xi32>
  return %0, %1 : tensor<3xi32>, tensor<5xi32>
}

// CHECK-LABEL: @max_pool2d(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.reduce_window max %[[ARG0]] window_dimensions [1, 2, 2, 1] window_strides [1, 2, 2, 1] base_dilations [1, 1, 1, 1] window_dilations [1, 1, 1, 1] padding_low [0, 0, 1, 0] padding_high [0, 1, 0, 0] : (tensor<1x5x5x3xf32>) -> tensor<1x3x3x3xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x3x3x3xf32>
func.func @max_pool2d(%a: tensor<1x5x5x3xf32>) -> tensor<1x3x3x3xf32> {
  %0 = tosa.max_pool2d %a {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 1, 1, 0>} : (tensor<1x5x5x3xf32>) -> tensor<1x3x3x3xf32>
  return %0 : tensor<1x3x3x3xf32>
}

// Padding does not count.
// CHECK-LABEL: @avg_pool2d(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0.000000e+00> : tensor<1xf16>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convert %[[ARG0]] : (tensor<1x3x3x2xf16>) -> tensor<1x3x3x2xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.reduce_window add %[[V0]] window_dimensions [1, 2, 2, 1] window_strides [1, 2, 2, 1] base_dilations [1, 1, 1, 1] window_dilations [1, 1, 1, 1] padding_low [0, 0, 1, 0] padding_high [0, 1, 0, 0] : (tensor<1x3x3x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<[2, 4, 1, 2]> : tensor<4xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.reshape %[[CST_0]] : (tensor<4xi32>) -> tensor<2x2xi32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.convert %[[V2]] : (tensor<2x2xi32>) -> tensor<2x2xf32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.broadcast %[[V3]] dims [1, 2] : (tensor<2x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.div %[[V1]], %[[V4]] : tensor<1x2x2x2xf32>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.convert %[[V5]] : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf16>
// CHECK-NEXT: return %[[V6]] : tensor<1x2x2x2xf16>
func.func @avg_pool2d(%a: tensor<1x3x3x2xf16>) -> tensor<1x2x2x2xf16> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf16>} : () -> tensor<1xf16>
  %0 = tosa.avg_pool2d %a, %z, %z {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 0, 1, 1, 0>, acc_type = f32} : (tensor<1x3x3x2xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<1x2x2x2xf16>
  return %0 : tensor<1x2x2x2xf16>
}

// CHECK-LABEL: @avg_pool2d_integers(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<2> : tensor<1xi8>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<3> : tensor<1xi8>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convert %[[ARG0]] : (tensor<1x2x2x1xi8>) -> tensor<1x2x2x1xi32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.reduce_window add %[[V0]] window_dimensions [1, 2, 2, 1] window_strides [1, 1, 1, 1] base_dilations [1, 1, 1, 1] window_dilations [1, 1, 1, 1] padding_low [0, 0, 0, 0] padding_high [0, 0, 0, 0] : (tensor<1x2x2x1xi32>) -> tensor<1x1x1x1xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.convert %[[V1]] : (tensor<1x1x1x1xi32>) -> tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[CST_1:[^ :,)]+]] = tg.constant dense<4> : tensor<1xi32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.reshape %[[CST_1]] : (tensor<1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.convert %[[V3]] : (tensor<1x1xi32>) -> tensor<1x1xi64>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.broadcast %[[V4]] dims [1, 2] : (tensor<1x1xi64>) -> tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[CST_2:[^ :,)]+]] = tg.constant dense<2> : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[V6:[^ :,)]+]] = tg.mul %[[V5]], %[[CST_2]] : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[V7:[^ :,)]+]] = tg.sub %[[V2]], %[[V6]] : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[CST_3:[^ :,)]+]] = tg.constant dense<1073741825> : tensor<1xi32>
// CHECK-NEXT: %[[V8:[^ :,)]+]] = tg.reshape %[[CST_3]] : (tensor<1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: %[[V9:[^ :,)]+]] = tg.convert %[[V8]] : (tensor<1x1xi32>) -> tensor<1x1xi64>
// CHECK-NEXT: %[[V10:[^ :,)]+]] = tg.broadcast %[[V9]] dims [1, 2] : (tensor<1x1xi64>) -> tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[CST_4:[^ :,)]+]] = tg.constant dense<32> : tensor<1xi32>
// CHECK-NEXT: %[[V11:[^ :,)]+]] = tg.reshape %[[CST_4]] : (tensor<1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: %[[V12:[^ :,)]+]] = tg.convert %[[V11]] : (tensor<1x1xi32>) -> tensor<1x1xi64>
// CHECK-NEXT: %[[V13:[^ :,)]+]] = tg.broadcast %[[V12]] dims [1, 2] : (tensor<1x1xi64>) -> tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[CST_5:[^ :,)]+]] = tg.constant dense<0> : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[CST_6:[^ :,)]+]] = tg.constant dense<1> : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[V14:[^ :,)]+]] = tg.sub %[[V13]], %[[CST_6]] : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[V15:[^ :,)]+]] = tg.shl %[[CST_6]], %[[V14]] : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[V16:[^ :,)]+]] = tg.mul %[[V7]], %[[V10]] : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[V17:[^ :,)]+]] = tg.add %[[V16]], %[[V15]] : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[V18:[^ :,)]+]] = tg.shr_arith %[[V17]], %[[V13]] : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[CST_7:[^ :,)]+]] = tg.constant dense<3> : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[V19:[^ :,)]+]] = tg.add %[[V18]], %[[CST_7]] : tensor<1x1x1x1xi64>
// CHECK-NEXT: %[[CST_8:[^ :,)]+]] = tg.constant dense<-128> : tensor<i64>
// CHECK-NEXT: %[[CST_9:[^ :,)]+]] = tg.constant dense<127> : tensor<i64>
// CHECK-NEXT: %[[V20:[^ :,)]+]] = tg.clamp %[[CST_8]], %[[V19]], %[[CST_9]] : tensor<i64>, tensor<1x1x1x1xi64>, tensor<i64>
// CHECK-NEXT: %[[V21:[^ :,)]+]] = tg.convert %[[V20]] : (tensor<1x1x1x1xi64>) -> tensor<1x1x1x1xi8>
// CHECK-NEXT: return %[[V21]] : tensor<1x1x1x1xi8>
func.func @avg_pool2d_integers(%a: tensor<1x2x2x1xi8>) -> tensor<1x1x1x1xi8> {
  %zi = "tosa.const"() {values = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  %zo = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.avg_pool2d %a, %zi, %zo {kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, acc_type = i32} : (tensor<1x2x2x1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi8>
  return %0 : tensor<1x1x1x1xi8>
}

// CHECK-LABEL: @matmul(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]{{.*}}%[[ARG2:[^:]*]]{{.*}}%[[ARG3:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0.000000e+00> : tensor<1xf16>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<1> : tensor<1xi8>
// CHECK-NEXT: %[[CST_1:[^ :,)]+]] = tg.constant dense<0> : tensor<1xi8>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.dot %[[ARG0]], %[[ARG1]] batch [0] x [0] contract [2] x [1] : (tensor<2x3x4xf16>, tensor<2x4x5xf16>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.convert %[[ARG2]] : (tensor<2x3x4xi8>) -> tensor<2x3x4xi32>
// CHECK-NEXT: %[[CST_2:[^ :,)]+]] = tg.constant dense<1> : tensor<2x3x4xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.sub %[[V1]], %[[CST_2]] : tensor<2x3x4xi32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.convert %[[ARG3]] : (tensor<2x4x5xi8>) -> tensor<2x4x5xi32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.dot %[[V2]], %[[V3]] batch [0] x [0] contract [2] x [1] : (tensor<2x3x4xi32>, tensor<2x4x5xi32>) -> tensor<2x3x5xi32>
// CHECK-NEXT: return %[[V0]], %[[V4]] : tensor<2x3x5xf32>, tensor<2x3x5xi32>
func.func @matmul(%a: tensor<2x3x4xf16>, %b: tensor<2x4x5xf16>, %c: tensor<2x3x4xi8>, %d: tensor<2x4x5xi8>) -> (tensor<2x3x5xf32>, tensor<2x3x5xi32>) {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf16>} : () -> tensor<1xf16>
  %zc = "tosa.const"() {values = dense<1> : tensor<1xi8>} : () -> tensor<1xi8>
  %zd = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<2x3x4xf16>, tensor<2x4x5xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<2x3x5xf32>
  %1 = tosa.matmul %c, %d, %zc, %zd : (tensor<2x3x4xi8>, tensor<2x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3x5xi32>
  return %0, %1 : tensor<2x3x5xf32>, tensor<2x3x5xi32>
}

// CHECK-LABEL: @conv2d(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]{{.*}}%[[ARG2:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convolution %[[ARG0]], %[[ARG1]] dims [b, 0, 1, f] x [o, 0, 1, i] -> [b, 0, 1, f] window_strides [2, 2] padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] window_reversal [false, false] : (tensor<1x9x9x3xf32>, tensor<8x3x3x3xf32>) -> tensor<1x5x5x8xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.broadcast %[[ARG2]] dims [3] : (tensor<8xf32>) -> tensor<1x5x5x8xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.add %[[V0]], %[[V1]] : tensor<1x5x5x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<1x5x5x8xf32>
func.func @conv2d(%a: tensor<1x9x9x3xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>) -> tensor<1x5x5x8xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %a, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>} : (tensor<1x9x9x3xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x5x8xf32>
  return %0 : tensor<1x5x5x8xf32>
}

// CHECK-LABEL: @conv2d_integers(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]{{.*}}%[[ARG2:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<-2> : tensor<1xi8>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<0> : tensor<1xi8>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convert %[[ARG0]] : (tensor<1x3x3x1xi8>) -> tensor<1x3x3x1xi32>
// CHECK-NEXT: %[[CST_1:[^ :,)]+]] = tg.constant dense<-2> : tensor<1x3x3x1xi32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.sub %[[V0]], %[[CST_1]] : tensor<1x3x3x1xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.convert %[[ARG1]] : (tensor<1x3x3x1xi8>) -> tensor<1x3x3x1xi32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.convolution %[[V1]], %[[V2]] dims [b, 0, 1, f] x [o, 0, 1, i] -> [b, 0, 1, f] window_strides [1, 1] padding_low [0, 0] padding_high [0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] window_reversal [false, false] : (tensor<1x3x3x1xi32>, tensor<1x3x3x1xi32>) -> tensor<1x1x1x1xi32>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.broadcast %[[ARG2]] dims [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.add %[[V3]], %[[V4]] : tensor<1x1x1x1xi32>
// CHECK-NEXT: return %[[V5]] : tensor<1x1x1x1xi32>
func.func @conv2d_integers(%a: tensor<1x3x3x1xi8>, %w: tensor<1x3x3x1xi8>, %b: tensor<1xi32>) -> tensor<1x1x1x1xi32> {
  %zi = "tosa.const"() {values = dense<-2> : tensor<1xi8>} : () -> tensor<1xi8>
  %zw = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.conv2d %a, %w, %b, %zi, %zw {acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x3x3x1xi8>, tensor<1x3x3x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
  return %0 : tensor<1x1x1x1xi32>
}

// CHECK-LABEL: @conv3d(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]{{.*}}%[[ARG2:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convolution %[[ARG0]], %[[ARG1]] dims [b, 0, 1, 2, f] x [o, 0, 1, 2, i] -> [b, 0, 1, 2, f] window_strides [1, 1, 1] padding_low [0, 0, 0] padding_high [0, 0, 0] lhs_dilation [1, 1, 1] rhs_dilation [1, 1, 1] window_reversal [false, false, false] : (tensor<1x4x5x6x3xf32>, tensor<2x2x2x2x3xf32>) -> tensor<1x3x4x5x2xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.broadcast %[[ARG2]] dims [4] : (tensor<1xf32>) -> tensor<1x3x4x5x2xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.add %[[V0]], %[[V1]] : tensor<1x3x4x5x2xf32>
// CHECK-NEXT: return %[[V2]] : tensor<1x3x4x5x2xf32>
func.func @conv3d(%a: tensor<1x4x5x6x3xf32>, %w: tensor<2x2x2x2x3xf32>, %b: tensor<1xf32>) -> tensor<1x3x4x5x2xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv3d %a, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>} : (tensor<1x4x5x6x3xf32>, tensor<2x2x2x2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x4x5x2xf32>
  return %0 : tensor<1x3x4x5x2xf32>
}

// CHECK-LABEL: @depthwise_conv2d(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]{{.*}}%[[ARG2:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.reshape %[[ARG1]] : (tensor<3x3x3x2xf32>) -> tensor<3x3x1x6xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.convolution %[[ARG0]], %[[V0]] dims [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f] window_strides [1, 1] padding_low [0, 0] padding_high [0, 0] lhs_dilation [1, 1] rhs_dilation [1, 1] window_reversal [false, false] feature_group_count 3 : (tensor<1x5x5x3xf32>, tensor<3x3x1x6xf32>) -> tensor<1x3x3x6xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.broadcast %[[ARG2]] dims [3] : (tensor<6xf32>) -> tensor<1x3x3x6xf32>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.add %[[V1]], %[[V2]] : tensor<1x3x3x6xf32>
// CHECK-NEXT: return %[[V3]] : tensor<1x3x3x6xf32>
func.func @depthwise_conv2d(%a: tensor<1x5x5x3xf32>, %w: tensor<3x3x3x2xf32>, %b: tensor<6xf32>) -> tensor<1x3x3x6xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.depthwise_conv2d %a, %w, %b, %z, %z {acc_type = f32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x5x5x3xf32>, tensor<3x3x3x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x3x3x6xf32>
  return %0 : tensor<1x3x3x6xf32>
}

// CHECK-LABEL: @transpose_conv2d(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]{{.*}}%[[ARG2:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.convolution %[[ARG0]], %[[ARG1]] dims [b, 0, 1, f] x [o, 0, 1, i] -> [b, 0, 1, f] window_strides [1, 1] padding_low [2, 0] padding_high [2, 2] lhs_dilation [2, 1] rhs_dilation [1, 1] window_reversal [true, true] : (tensor<1x4x5x3xf32>, tensor<2x3x2x3xf32>) -> tensor<1x9x6x2xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.broadcast %[[ARG2]] dims [3] : (tensor<2xf32>) -> tensor<1x9x6x2xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.add %[[V0]], %[[V1]] : tensor<1x9x6x2xf32>
// CHECK-NEXT: return %[[V2]] : tensor<1x9x6x2xf32>
func.func @transpose_conv2d(%a: tensor<1x4x5x3xf32>, %w: tensor<2x3x2x3xf32>, %b: tensor<2xf32>) -> tensor<1x9x6x2xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.transpose_conv2d %a, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, -1, 1>, stride = array<i64: 2, 1>} : (tensor<1x4x5x3xf32>, tensor<2x3x2x3xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x6x2xf32>
  return %0 : tensor<1x9x6x2xf32>
}

// CHECK-LABEL: @rfft2d(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.fft rfft %[[ARG0]] length [2, 4] : (tensor<1x2x4xf32>) -> tensor<1x2x3xcomplex<f32>>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.real %[[V0]] : tensor<1x2x3xcomplex<f32>>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.imag %[[V0]] : tensor<1x2x3xcomplex<f32>>
// CHECK-NEXT: return %[[V1]], %[[V2]] : tensor<1x2x3xf32>, tensor<1x2x3xf32>
func.func @rfft2d(%a: tensor<1x2x4xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xf32>) {
  %0, %1 = tosa.rfft2d %a : (tensor<1x2x4xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xf32>)
  return %0, %1 : tensor<1x2x3xf32>, tensor<1x2x3xf32>
}

// CHECK-LABEL: @fft2d(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.neg %[[ARG1]] : tensor<1x1x4xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.complex %[[ARG0]], %[[V0]] : tensor<1x1x4xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.fft fft %[[V1]] length [1, 4] : (tensor<1x1x4xcomplex<f32>>) -> tensor<1x1x4xcomplex<f32>>
// CHECK-NEXT: %[[V3:[^ :,)]+]] = tg.real %[[V2]] : tensor<1x1x4xcomplex<f32>>
// CHECK-NEXT: %[[V4:[^ :,)]+]] = tg.imag %[[V2]] : tensor<1x1x4xcomplex<f32>>
// CHECK-NEXT: %[[V5:[^ :,)]+]] = tg.neg %[[V4]] : tensor<1x1x4xf32>
// CHECK-NEXT: return %[[V3]], %[[V5]] : tensor<1x1x4xf32>, tensor<1x1x4xf32>
func.func @fft2d(%a: tensor<1x1x4xf32>, %b: tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x4xf32>) {
  %0, %1 = tosa.fft2d %a, %b {inverse = true} : (tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x4xf32>)
  return %0, %1 : tensor<1x1x4xf32>, tensor<1x1x4xf32>
}

// The branches see the operands themselves.
// CHECK-LABEL: @cond_if(
// CHECK-SAME: %[[ARG0:[^:]*]]{{.*}}%[[ARG1:[^:]*]]
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.if %[[ARG0]] : (tensor<i1>) -> tensor<4xf32> {
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.exp %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: tg.yield %[[V1]] : tensor<4xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: tg.yield %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @cond_if(%p: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.cond_if %p (%x = %a) : tensor<i1> (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>):
    %y = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    tosa.yield %y : tensor<4xf32>
  } else {
  ^bb0(%x: tensor<4xf32>):
    tosa.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @while_loop(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<10> : tensor<1xi32>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.while(%[[ARG1:[^ :,)]+]] = %[[ARG0]]) : tensor<1xi32> cond {
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.compare gt, %[[CST]], %[[ARG1]] : tensor<1xi32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.reshape %[[V1]] : (tensor<1xi1>) -> tensor<i1>
// CHECK-NEXT: tg.yield %[[V2]] : tensor<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: %[[V1]] = tg.add %[[ARG1]], %[[ARG1]] : tensor<1xi32>
// CHECK-NEXT: tg.yield %[[V1]] : tensor<1xi32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[V0]] : tensor<1xi32>
func.func @while_loop(%a: tensor<1xi32>) -> tensor<1xi32> {
  %n = "tosa.const"() {values = dense<10> : tensor<1xi32>} : () -> tensor<1xi32>
  %0 = tosa.while_loop (%x = %a) : (tensor<1xi32>) -> tensor<1xi32> {
    %c = tosa.greater %n, %x : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    tosa.yield %c : tensor<1xi1>
  } do {
  ^bb0(%x: tensor<1xi32>):
    %y = tosa.add %x, %x : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    tosa.yield %y : tensor<1xi32>
  }
  return %0 : tensor<1xi32>
}

// Shapes are computed here: [6, 8] / [2, 3] rounded up, and so on.
// CHECK-LABEL: @shapes(
// CHECK-SAME: %[[ARG0:[^:]*]]
// CHECK-NEXT: %[[CST:[^ :,)]+]] = tg.constant dense<0> : tensor<1xi32>
// CHECK-NEXT: %[[CST_0:[^ :,)]+]] = tg.constant dense<1> : tensor<1xi32>
// CHECK-NEXT: %[[V0:[^ :,)]+]] = tg.reshape %[[ARG0]] : (tensor<6x8xf32>) -> tensor<3x2x8xf32>
// CHECK-NEXT: %[[V1:[^ :,)]+]] = tg.slice %[[V0]] [0:3, 0:2, 0:4] : (tensor<3x2x8xf32>) -> tensor<3x2x4xf32>
// CHECK-NEXT: %[[V2:[^ :,)]+]] = tg.concatenate %[[V1]], %[[V1]] dim 2 : (tensor<3x2x4xf32>, tensor<3x2x4xf32>) -> tensor<3x2x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<3x2x8xf32>
func.func @shapes(%a: tensor<6x8xf32>) -> tensor<3x2x8xf32> {
  %d0 = tosa.dim %a {axis = 0 : i32} : (tensor<6x8xf32>) -> !tosa.shape<1>
  %d1 = tosa.dim %a {axis = 1 : i32} : (tensor<6x8xf32>) -> !tosa.shape<1>
  %d = tosa.concat_shape %d0, %d1 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  %k = tosa.const_shape {values = dense<[2, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %ceil = tosa.div_ceil_shape %d, %k : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %floor = tosa.div_floor_shape %d, %k : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %difference = tosa.sub_shape %ceil, %floor : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %powers = tosa.exp2_shape %difference : (!tosa.shape<2>) -> !tosa.shape<2>
  %back = tosa.log2_floor_shape %powers : (!tosa.shape<2>) -> !tosa.shape<2>
  %up = tosa.log2_ceil_shape %d : (!tosa.shape<2>) -> !tosa.shape<2>
  %sum = tosa.add_shape %back, %up : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %least = tosa.min_shape %sum, %k : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %most = tosa.max_shape %least, %powers : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %product = tosa.mul_shape %most, %k : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %rest = tosa.mod_shape %product, %d : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %at = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %n = "tosa.const"() {values = dense<1> : tensor<1xi32>} : () -> tensor<1xi32>
  %two = tosa.const_shape {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
  %four = tosa.slice_shape %rest, %at, %n : (!tosa.shape<2>, tensor<1xi32>, tensor<1xi32>) -> !tosa.shape<1>
  %three = tosa.const_shape {values = dense<3> : tensor<1xindex>} : () -> !tosa.shape<1>
  %target = tosa.concat_shape %three, %two, %d1 : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<3>
  %0 = tosa.reshape %a, %target : (tensor<6x8xf32>, !tosa.shape<3>) -> tensor<3x2x8xf32>
  %zero = tosa.const_shape {values = dense<0> : tensor<3xindex>} : () -> !tosa.shape<3>
  %size = tosa.concat_shape %three, %two, %four : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<3>
  %1 = tosa.slice %0, %zero, %size : (tensor<3x2x8xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<3x2x4xf32>
  %2 = tosa.concat %1, %1 {axis = 2 : i32} : (tensor<3x2x4xf32>, tensor<3x2x4xf32>) -> tensor<3x2x8xf32>
  return %2 : tensor<3x2x8xf32>
}
