// RUN: stitch-opt %s --convert-stablehlo-to-tg --tg-simplify -split-input-file | FileCheck %s

!a = tensor<4x16x!quant.uniform<i8:f32, 0.5:3>>
!b = tensor<16x8x!quant.uniform<i8:f32, 0.25>>
!wide = tensor<4x8x!quant.uniform<i32:f32, 0.125>>
!r = tensor<4x8x!quant.uniform<i8:f32, 0.25:-5>>

// Integers in the place of quantised types, of arguments and results too. Libraries multiply bytes and sum in 32 bits; the
// zero point is taken off the sums. A result of 32 bits with the scale of the products has the sums themselves.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[A:.*]]: tensor<4x16xi8>, %[[B:.*]]: tensor<16x8xi8>) -> (tensor<4x8xi32>, tensor<4x8xi8>)
func.func @product(%a: !a, %b: !b) -> (!wide, !r) {
  // CHECK: %[[DOT:.*]] = tg.dot %[[A]], %[[B]] contract [1] x [0] : (tensor<4x16xi8>, tensor<16x8xi8>) -> tensor<4x8xi32>
  // CHECK: %[[WIDE:.*]] = tg.convert %[[B]] : (tensor<16x8xi8>) -> tensor<16x8xi32>
  // CHECK: %[[SUMS:.*]] = tg.reduce add %[[WIDE]] dims [0] : (tensor<16x8xi32>) -> tensor<8xi32>
  // CHECK: tg.mul
  // CHECK: %[[OFF:.*]] = tg.sub %[[DOT]], %{{.*}} : tensor<4x8xi32>
  // CHECK-NOT: f32
  // CHECK: return
  %0 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (!a, !b) -> !wide
  %1 = stablehlo.constant() {value = dense<7> : tensor<4x8xi8>} : () -> !r
  return %0, %1 : !wide, !r
}

// -----

!a = tensor<4x16x!quant.uniform<u8:f32, 0.5:131>>
!b = tensor<16x8x!quant.uniform<u8:f32:1, {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.5}>>
!r = tensor<4x8x!quant.uniform<i8<-100:100>:f32, 0.25:-5>>

// Unsigned bytes become signed ones, and the sums are scaled to the result's integers at once: 0.5 * 0.25 / 0.25.
// CHECK-LABEL: func.func @unsigned(
func.func @unsigned(%a: !a, %b: !b) -> !r {
  // CHECK: tg.constant dense<{{.*}}5.000000e-01, 1.000000e+00]]> : tensor<4x8xf32>
  // CHECK: tg.dot {{.*}} : (tensor<4x16xi8>, tensor<16x8xi8>) -> tensor<4x8xi32>
  // CHECK: %[[SUM:.*]] = tg.convert %{{.*}} : (tensor<4x8xi32>) -> tensor<4x8xf32>
  // CHECK: %[[SCALED:.*]] = tg.mul %[[SUM]], %{{.*}} : tensor<4x8xf32>
  // CHECK: %[[ADDED:.*]] = tg.add %[[SCALED]], %{{.*}} : tensor<4x8xf32>
  // CHECK: %[[ROUNDED:.*]] = tg.round_even %[[ADDED]]
  // CHECK: %[[BYTES:.*]] = tg.convert %[[ROUNDED]] : (tensor<4x8xf32>) -> tensor<4x8xi8>
  // CHECK: %[[MAX:.*]] = tg.max %[[BYTES]], %{{.*}} : tensor<4x8xi8>
  // CHECK: tg.min %[[MAX]], %{{.*}} : tensor<4x8xi8>
  %0 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (!a, !b) -> !r
  return %0 : !r
}

// -----

!q = tensor<4x8x!quant.uniform<i8:f32, 0.25:-5>>
!s = tensor<!quant.uniform<i8:f32, 0.25:-5>>
!row = tensor<4x!quant.uniform<i8:f32, 0.25:-5>>

// Integers of one type are compared, chosen among and moved; sums are those of integers, in 32 bits.
// CHECK-LABEL: func.func @integers(
// CHECK-NOT: f32
func.func @integers(%a: !q, %b: !q) -> (!q, !row, !row, tensor<4x8xi1>) {
  // CHECK: %[[MAX:.*]] = tg.max %{{.*}}, %{{.*}} : tensor<4x8xi8>
  %0 = stablehlo.maximum %a, %b : !q
  // CHECK: tg.compare gt, %{{.*}}, %{{.*}} : tensor<4x8xi8>
  %1 = stablehlo.compare GT, %a, %b, FLOAT : (!q, !q) -> tensor<4x8xi1>
  %2 = stablehlo.constant() {value = dense<-5> : tensor<i8>} : () -> !s
  %3 = stablehlo.constant() {value = dense<-128> : tensor<i8>} : () -> !s
  // CHECK: tg.reduce add %{{.*}} dims [1] : (tensor<4x8xi32>) -> tensor<4xi32>
  %4 = stablehlo.reduce(%a init: %2) applies stablehlo.add across dimensions = [1] : (!q, !s) -> !row
  // CHECK: tg.reduce max %{{.*}} dims [1] : (tensor<4x8xi8>) -> tensor<4xi8>
  %5 = stablehlo.reduce(%a init: %3) applies stablehlo.maximum across dimensions = [1] : (!q, !s) -> !row
  return %0, %4, %5, %1 : !q, !row, !row, tensor<4x8xi1>
}

// -----

!w = tensor<16x8x!quant.uniform<i4:bf16:1, {0.25, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25}>>

// Of hybrid quantisation weights become floats, in the type of the other operand.
// CHECK-LABEL: func.func @hybrid(
// CHECK-SAME: %[[A:.*]]: tensor<4x16xbf16>, %[[W:.*]]: tensor<16x8xi4>)
func.func @hybrid(%a: tensor<4x16xbf16>, %w: !w) -> tensor<4x8xbf16> {
  // CHECK: %[[FLOATS:.*]] = tg.convert %[[W]] : (tensor<16x8xi4>) -> tensor<16x8xbf16>
  // CHECK: %[[SCALED:.*]] = tg.mul %[[FLOATS]], %{{.*}} : tensor<16x8xbf16>
  // CHECK: tg.dot %[[A]], %[[SCALED]] contract [1] x [0]
  %0 = "stablehlo.dot_general"(%a, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<4x16xbf16>, !w) -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// -----

!q = tensor<4x!quant.uniform<i16:bf16, 0.25:300>>

// Zero points and integers that the expressed type does not have stay exact: differences in 32 bits, sums in f32.
// CHECK-LABEL: func.func @exact(
func.func @exact(%a: !q) -> !q {
  // CHECK: %[[WIDE:.*]] = tg.convert %{{.*}} : (tensor<4xi16>) -> tensor<4xi32>
  // CHECK: %[[DIFFERENCE:.*]] = tg.sub %[[WIDE]], %{{.*}} : tensor<4xi32>
  // CHECK: tg.convert %[[DIFFERENCE]] : (tensor<4xi32>) -> tensor<4xbf16>
  // CHECK: tg.exp
  // CHECK: %[[SCALED:.*]] = tg.convert %{{.*}} : (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK: tg.add %[[SCALED]], %{{.*}} : tensor<4xf32>
  %0 = stablehlo.exponential %a : !q
  return %0 : !q
}

// -----

!q = tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>

// Who receives nothing has what stands for zero: 3.
// CHECK-LABEL: func.func @nothing(
func.func @nothing(%a: !q) -> !q {
  // CHECK: %[[ZERO:.*]] = tg.constant dense<3> : tensor<2x3xi8>
  // CHECK: return %[[ZERO]]
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<> : tensor<0x2xi64>} : (!q) -> !q
  return %0 : !q
}

// -----

!q = tensor<2x!quant.uniform<i8:f32, 0.5:3>>

// Functions, branches and tuples.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: tensor<2xi8>, %{{.*}}: tensor<i1>) -> tensor<2xi8>
func.func @main(%a: !q, %p: tensor<i1>) -> !q {
  %0 = func.call @half(%a) : (!q) -> !q
  %1 = "stablehlo.tuple"(%0, %p) : (!q, tensor<i1>) -> tuple<!q, tensor<i1>>
  %2 = "stablehlo.get_tuple_element"(%1) {index = 0 : i32} : (tuple<!q, tensor<i1>>) -> !q
  // CHECK: tg.if
  %3 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%2) : (!q) -> ()
  }, {
    %4 = stablehlo.add %2, %2 : !q
    "stablehlo.return"(%4) : (!q) -> ()
  }) : (tensor<i1>) -> !q
  return %3 : !q
}
func.func private @half(%a: !q) -> !q {
  return %a : !q
}

// -----

!q = tensor<4x!quant.uniform<u8:f32, 0.5:3>>

// Weights of an unsigned type, which exporters write as signless.
// CHECK-LABEL: func.func @resource(
func.func @resource() -> !q {
  // CHECK: %[[BYTES:.*]] = tg.constant dense_resource<weights> : tensor<4xi8>
  // CHECK: %[[UNSIGNED:.*]] = tg.bitcast_convert %[[BYTES]] : (tensor<4xi8>) -> tensor<4xui8>
  // CHECK: return %[[UNSIGNED]]
  %0 = stablehlo.constant() {value = dense_resource<weights> : tensor<4xi8>} : () -> !q
  return %0 : !q
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x0100000001FF80FE"
    }
  }
#-}
