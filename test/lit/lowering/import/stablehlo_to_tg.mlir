// RUN: stitch-opt %s --convert-stablehlo-to-tg -split-input-file | FileCheck %s

// CHECK-LABEL: module
// CHECK-NOT: mhlo
// CHECK-NOT: jax
module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32} {
  // CHECK: func.func public @main(%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<4x8xf32> {stitch.donated = 0 : i64, stitch.kept}) -> tensor<4x8xf32> {
  func.func public @main(%a: tensor<4x8xf32> {mhlo.sharding = "{replicated}"}, %b: tensor<4x8xf32> {stitch.kept, tf.aliasing_output = 0 : i32})
      -> (tensor<4x8xf32> {jax.result_info = ""}) {
    // CHECK: %[[C:.*]] = call @relu(%[[A]])
    %0 = call @relu(%a) {mhlo.frontend_attributes = {}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: tg.add %[[C]], %[[B]] : tensor<4x8xf32>
    %1 = stablehlo.add %0, %b : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
  // CHECK: func.func private @relu
  func.func private @relu(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
    // CHECK: %[[Z:.*]] = tg.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    // CHECK: %[[ZB:.*]] = tg.broadcast %[[Z]] dims [] : (tensor<f32>) -> tensor<4x8xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    // CHECK: tg.max %{{.*}}, %[[ZB]] : tensor<4x8xf32>
    %2 = stablehlo.maximum %a, %1 : tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
}

// -----

// CHECK-LABEL: @elementwise
func.func @elementwise(%f: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<4xi1>, %c: tensor<4xcomplex<f32>>, %s: tensor<f32>, %q: tensor<i1>) {
  // CHECK-NEXT: {{.*}}tg.abs %arg0
  %0 = stablehlo.abs %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.abs %arg3 : tensor<4xcomplex<f32>>
  %1 = stablehlo.abs %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.neg
  %2 = stablehlo.negate %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.sign
  %3 = stablehlo.sign %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.ceil
  %4 = stablehlo.ceil %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.floor
  %5 = stablehlo.floor %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.round %
  %6 = stablehlo.round_nearest_afz %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.round_even
  %7 = stablehlo.round_nearest_even %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.exp %
  %8 = stablehlo.exponential %f {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.expm1
  %9 = stablehlo.exponential_minus_one %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.log %
  %10 = stablehlo.log %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.log1p
  %11 = stablehlo.log_plus_one %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.logistic
  %12 = stablehlo.logistic %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.tanh
  %13 = stablehlo.tanh %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.tan %
  %14 = stablehlo.tan %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.sin
  %15 = stablehlo.sine %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.cos
  %16 = stablehlo.cosine %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.sqrt
  %17 = stablehlo.sqrt %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.rsqrt
  %18 = stablehlo.rsqrt %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.cbrt
  %19 = stablehlo.cbrt %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.not
  %20 = stablehlo.not %p : tensor<4xi1>
  // CHECK-NEXT: {{.*}}tg.popcnt
  %21 = stablehlo.popcnt %i : tensor<4xi32>
  // CHECK-NEXT: {{.*}}tg.clz
  %22 = stablehlo.count_leading_zeros %i : tensor<4xi32>
  // CHECK-NEXT: {{.*}}tg.is_finite
  %23 = stablehlo.is_finite %f : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: {{.*}}tg.real
  %24 = stablehlo.real %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.imag
  %25 = stablehlo.imag %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.complex
  %26 = stablehlo.complex %f, %f : tensor<4xcomplex<f32>>
  // CHECK-NEXT: {{.*}}tg.sub
  %27 = stablehlo.subtract %f, %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.mul
  %28 = stablehlo.multiply %f, %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.div
  %29 = stablehlo.divide %f, %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.rem
  %30 = stablehlo.remainder %f, %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.pow
  %31 = stablehlo.power %f, %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.min
  %32 = stablehlo.minimum %f, %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.atan2
  %33 = stablehlo.atan2 %f, %f : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.and
  %34 = stablehlo.and %p, %p : tensor<4xi1>
  // CHECK-NEXT: {{.*}}tg.or
  %35 = stablehlo.or %p, %p : tensor<4xi1>
  // CHECK-NEXT: {{.*}}tg.xor
  %36 = stablehlo.xor %p, %p : tensor<4xi1>
  // CHECK-NEXT: {{.*}}tg.shl
  %37 = stablehlo.shift_left %i, %i : tensor<4xi32>
  // CHECK-NEXT: {{.*}}tg.shr_arith
  %38 = stablehlo.shift_right_arithmetic %i, %i : tensor<4xi32>
  // CHECK-NEXT: {{.*}}tg.shr_logic
  %39 = stablehlo.shift_right_logical %i, %i : tensor<4xi32>
  // CHECK-NEXT: {{.*}}tg.compare lt, %arg0, %arg0
  %40 = stablehlo.compare LT, %f, %f, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: {{.*}}tg.compare ge, %arg0, %arg0 total_order
  %41 = stablehlo.compare GE, %f, %f, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: {{.*}}tg.select %arg2, %arg0, %arg0
  %42 = stablehlo.select %p, %f, %f : tensor<4xi1>, tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.select %arg5, %arg0, %arg0
  %43 = stablehlo.select %q, %f, %f : tensor<i1>, tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.clamp %arg4, %arg0, %arg4
  %44 = stablehlo.clamp %s, %f, %s : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.convert %arg0 : (tensor<4xf32>) -> tensor<4xbf16>
  %45 = stablehlo.convert %f : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK-NEXT: {{.*}}tg.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4xi32>
  %46 = stablehlo.bitcast_convert %f : (tensor<4xf32>) -> tensor<4xi32>
  // CHECK-NEXT: {{.*}}tg.reduce_precision %arg0 exponent_bits 5 mantissa_bits 10
  %47 = stablehlo.reduce_precision %f, format = e5m10 : tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: @special
func.func @special(%n: tensor<4xf32>, %x: tensor<4xf32>) {
  // CHECK-NEXT: {{.*}}tg.bessel_i1e %arg1
  %0 = chlo.bessel_i1e %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.digamma %arg1
  %1 = chlo.digamma %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.erf_inv %arg1
  %2 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.lgamma %arg1
  %3 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.polygamma %arg0, %arg1
  %4 = chlo.polygamma %n, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.zeta %arg0, %arg1
  %5 = "chlo.zeta"(%n, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: @chlo
func.func @chlo(%f: tensor<4xf32>) {
  // CHECK-NEXT: {{.*}}tg.erf %arg0
  %0 = chlo.erf %f : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.erfc %arg0
  %1 = chlo.erfc %f : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.mul %arg0, %arg0
  %2 = chlo.square %f : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: %[[ABS:.*]] = tg.abs %arg0
  // CHECK-NEXT: %[[INF:.*]] = tg.constant dense<0x7F800000> : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.compare eq, %[[ABS]], %[[INF]]
  %3 = chlo.is_inf %f : tensor<4xf32> -> tensor<4xi1>
  // CHECK-NEXT: %[[MINUS:.*]] = tg.constant dense<0xFF800000> : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.compare eq, %arg0, %[[MINUS]]
  %4 = chlo.is_neg_inf %f : tensor<4xf32> -> tensor<4xi1>
  // CHECK-NEXT: %[[ONE:.*]] = tg.constant dense<1.000000e+00> : tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.atan2 %arg0, %[[ONE]]
  %5 = chlo.atan %f : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: return
  return
}

// -----

// CHECK-LABEL: @shapes
func.func @shapes(%f: tensor<2x3xf32>, %i: tensor<i32>, %g: tensor<8x4xf32>, %s: tensor<f32>, %n: tensor<5x1xi32>) {
  // CHECK-NEXT: {{.*}}tg.broadcast %arg0 dims [0, 2] : (tensor<2x3xf32>) -> tensor<2x7x3xf32>
  %0 = stablehlo.broadcast_in_dim %f, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x7x3xf32>
  // CHECK-NEXT: {{.*}}tg.broadcast %arg0 dims [1, 2] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  %1 = stablehlo.broadcast %f, sizes = [5] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  // CHECK-NEXT: {{.*}}tg.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
  %2 = stablehlo.reshape %f : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK-NEXT: {{.*}}tg.transpose %arg0 permutation [1, 0]
  %3 = stablehlo.transpose %f, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK-NEXT: {{.*}}tg.slice %arg0 [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  %4 = stablehlo.slice %f [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  // CHECK-NEXT: {{.*}}tg.dynamic_slice %arg0[%arg1, %arg1] sizes [1, 2]
  %5 = stablehlo.dynamic_slice %f, %i, %i, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  // CHECK-NEXT: {{.*}}tg.dynamic_update_slice %arg0[%arg1, %arg1], %arg0
  %6 = stablehlo.dynamic_update_slice %f, %f, %i, %i : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  // CHECK-NEXT: {{.*}}tg.pad %arg0, %arg3 low [1, 0] high [0, -1] interior [0, 1]
  %7 = stablehlo.pad %f, %s, low = [1, 0], high = [0, -1], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x4xf32>
  // CHECK-NEXT: {{.*}}tg.concatenate %arg0, %arg0, %arg0 dim 1
  %8 = stablehlo.concatenate %f, %f, %f, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  // CHECK-NEXT: {{.*}}tg.reverse %arg0 dims [0, 1]
  %9 = stablehlo.reverse %f, dims = [0, 1] : tensor<2x3xf32>
  // CHECK-NEXT: {{.*}}tg.iota dim 1 : tensor<2x3xi32>
  %10 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  // CHECK-NEXT: {{.*}}tg.gather %arg2, %arg4 offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] indices_are_sorted : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  %11 = "stablehlo.gather"(%g, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  // index_vector_dim is not printed when it is 0.
  // CHECK-NEXT: {{.*}}tg.gather %arg2, %arg1 offset_dims [0] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 0 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<i32>) -> tensor<4xf32>
  %12 = "stablehlo.gather"(%g, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<i32>) -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.constant dense<3> : tensor<i32>
  %13 = stablehlo.get_dimension_size %f, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  // CHECK-NEXT: return
  return
}

// -----

// CHECK-LABEL: @dots
func.func @dots(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %m: tensor<3x4xf32>, %n: tensor<4x5xf32>, %v: tensor<4xf32>) {
  // CHECK-NEXT: {{.*}}tg.dot %arg0, %arg1 batch [0] x [0] contract [2] x [1] precision full : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK-NEXT: {{.*}}tg.dot %arg2, %arg3 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4x4x5xf32>
  %1 = stablehlo.dot_general %m, %n, contracting_dims = [] x [] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4x4x5xf32>
  // CHECK-NEXT: {{.*}}tg.dot %arg2, %arg3 contract [1] x [0]
  %2 = stablehlo.dot %m, %n, precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK-NEXT: {{.*}}tg.dot %arg4, %arg4 contract [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %3 = stablehlo.dot %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

// What may be done to operands of f32: TF32 if that is the algorithm, and never if another one, three products of TF32
// among them, or a high precision is asked for. Other types have nothing to say.
// CHECK-LABEL: @precisions
func.func @precisions(%m: tensor<3x4xf32>, %h: tensor<3x4xf16>) {
  // CHECK-NEXT: {{.*}}tg.dot %arg0, %arg0 contract [1] x [1] precision tf32 :
  %0 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  // CHECK-NEXT: {{.*}}tg.dot %arg0, %arg0 contract [1] x [1] precision full :
  %1 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  // CHECK-NEXT: {{.*}}tg.dot %arg0, %arg0 contract [1] x [1] precision full :
  %2 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  // CHECK-NEXT: {{.*}}tg.dot %arg0, %arg0 contract [1] x [1] precision full :
  %3 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  // CHECK-NEXT: {{.*}}tg.dot %arg0, %arg0 contract [1] x [1] precision full :
  %4 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [1], precision = [HIGH, DEFAULT] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  // CHECK-NEXT: {{.*}}tg.dot %arg0, %arg0 contract [1] x [1] : (tensor<3x4xf32>
  %5 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
  // CHECK-NEXT: {{.*}}tg.dot %arg1, %arg1 contract [1] x [1] : (tensor<3x4xf16>
  %6 = stablehlo.dot_general %h, %h, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf16>, tensor<3x4xf16>) -> tensor<3x3xf16>
  // CHECK-NEXT: {{.*}}tg.dot %arg1, %arg1 contract [1] x [1] : (tensor<3x4xf16>
  %7 = stablehlo.dot_general %h, %h, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<3x4xf16>, tensor<3x4xf16>) -> tensor<3x3xf16>
  // CHECK: tg.dot %arg0, %{{.*}} contract [1] x [0] precision full : (tensor<3x4xf32>
  %t = stablehlo.transpose %m, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %8 = stablehlo.dot %m, %t, precision = [HIGHEST, HIGHEST] : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// CHECK-LABEL: @reduces
func.func @reduces(%a: tensor<4x8xf32>, %i: tensor<4x8xi32>, %p: tensor<4x8xi1>, %init: tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %minus = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF7FFFFF> : tensor<f32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  // CHECK: %[[FALSE:.*]] = tg.constant dense<false> : tensor<i1>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %true = stablehlo.constant dense<true> : tensor<i1>
  // CHECK: tg.constant dense<true>
  // CHECK-NEXT: {{.*}}tg.reduce add %arg0 dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // Dimensions are sorted.
  // CHECK-NEXT: {{.*}}tg.reduce max %arg0 dims [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  %1 = stablehlo.reduce(%a init: %minus) applies stablehlo.maximum across dimensions = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: {{.*}}tg.reduce max %arg1 dims [0] : (tensor<4x8xi32>) -> tensor<8xi32>
  %2 = stablehlo.reduce(%i init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<4x8xi32>, tensor<i32>) -> tensor<8xi32>
  // CHECK-NEXT: {{.*}}tg.reduce or %arg2 dims [1]
  %3 = stablehlo.reduce(%p init: %false) applies stablehlo.or across dimensions = [1] : (tensor<4x8xi1>, tensor<i1>) -> tensor<4xi1>
  // CHECK-NEXT: {{.*}}tg.reduce and %arg2 dims [1]
  %4 = stablehlo.reduce(%p init: %true) applies stablehlo.and across dimensions = [1] : (tensor<4x8xi1>, tensor<i1>) -> tensor<4xi1>

  // An initial value that is not the identity is combined afterwards.
  // CHECK-NEXT: %[[R:.*]] = tg.reduce add %arg0 dims [1]
  // CHECK-NEXT: %[[B:.*]] = tg.broadcast %arg3 dims [] : (tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: {{.*}}tg.add %[[R]], %[[B]] : tensor<4xf32>
  %5 = stablehlo.reduce(%a init: %init) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[R:.*]] = tg.reduce max %arg0 dims [0, 1]
  // CHECK-NEXT: {{.*}}tg.max %[[R]], %{{.*}} : tensor<f32>
  %6 = stablehlo.reduce(%a init: %lowest) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: %[[R:.*]] = tg.reduce and %arg2 dims [0, 1]
  // CHECK-NEXT: {{.*}}tg.and %[[R]], %[[FALSE]] : tensor<i1>
  %7 = stablehlo.reduce(%p init: %false) applies stablehlo.and across dimensions = [0, 1] : (tensor<4x8xi1>, tensor<i1>) -> tensor<i1>

  // A body, its arguments in any order.
  // CHECK-NEXT: {{.*}}tg.reduce mul %arg0 dims [1]
  // CHECK-NEXT: {{.*}}tg.broadcast
  // CHECK-NEXT: {{.*}}tg.mul
  %8 = stablehlo.reduce(%a init: %init) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %10 = stablehlo.multiply %y, %x : tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }

  // Two reductions in one.
  // CHECK-NEXT: {{.*}}tg.reduce add %arg0 dims [1]
  // CHECK-NEXT: {{.*}}tg.reduce max %arg1 dims [1]
  %9:2 = stablehlo.reduce(%a init: %zero), (%i init: %least) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%v: tensor<i32>, %w: tensor<i32>) {
    %10 = stablehlo.maximum %v, %w : tensor<i32>
    %11 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %11, %10 : tensor<f32>, tensor<i32>
  }
  // CHECK-NEXT: return
  return
}

// -----

// As JAX writes argmax: NaN first, then the larger, then the least index.
// CHECK-LABEL: @argmax
func.func @argmax(%a: tensor<4x8xf32>) -> tensor<4xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: %[[V:.*]], %[[I:.*]] = tg.arg_reduce max %arg0 dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK: return %[[I]]
  %1:2 = stablehlo.reduce(%a init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
    %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.or %2, %3 : tensor<i1>
    %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %4, %7 : tensor<i1>
    %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
    %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
    stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
  }
  return %1#1 : tensor<4xi32>
}

// -----

// As PyTorch's exporters write argmin, on an iota of one dimension; here the index comes first.
// CHECK-LABEL: @argmin
func.func @argmin(%a: tensor<4x8xi32>) -> (tensor<8xi32>, tensor<8xi64>) {
  %0 = stablehlo.iota dim = 0 : tensor<4xi64>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xi64>) -> tensor<4x8xi64>
  %most = stablehlo.constant dense<2147483647> : tensor<i32>
  %c = stablehlo.constant dense<0> : tensor<i64>
  // CHECK: %[[V:.*]], %[[I:.*]] = tg.arg_reduce min %arg0 dim 0 : (tensor<4x8xi32>) -> (tensor<8xi32>, tensor<8xi64>)
  // CHECK: return %[[V]], %[[I]]
  %2:2 = stablehlo.reduce(%1 init: %c), (%a init: %most) across dimensions = [0] : (tensor<4x8xi64>, tensor<4x8xi32>, tensor<i64>, tensor<i32>) -> (tensor<8xi64>, tensor<8xi32>)
   reducer(%j: tensor<i64>, %k: tensor<i64>) (%v: tensor<i32>, %w: tensor<i32>) {
    %3 = stablehlo.compare LE, %v, %w, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.select %3, %v, %w : tensor<i1>, tensor<i32>
    %5 = stablehlo.compare EQ, %v, %w, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.minimum %j, %k : tensor<i64>
    %7 = stablehlo.select %3, %j, %k : tensor<i1>, tensor<i64>
    %8 = stablehlo.select %5, %6, %7 : tensor<i1>, tensor<i64>
    stablehlo.return %8, %4 : tensor<i64>, tensor<i32>
  }
  return %2#1, %2#0 : tensor<8xi32>, tensor<8xi64>
}

// -----

// CHECK-LABEL: @identities
func.func @identities(%a: tensor<4xf32>, %b: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<4xf32>, tensor<4xi32>
  // CHECK: %[[C:.*]] = call @negate(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "some.negate" %0#0 {composite_attributes = {}, decomposition = @negate} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: return %[[C]], %arg1
  return %1, %0#1 : tensor<4xf32>, tensor<4xi32>
}
func.func private @negate(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @control
func.func @control(%a: tensor<4x8xf32>, %n: tensor<i32>, %p: tensor<i1>) -> (tensor<i32>, tensor<4x8xf32>) {
  // CHECK: %[[W:.*]]:2 = tg.while(%[[I:.*]] = %arg1, %[[X:.*]] = %arg0) : tensor<i32>, tensor<4x8xf32> cond {
  // CHECK:   %[[C:.*]] = tg.compare lt, %[[I]], %{{.*}} : tensor<i32>
  // CHECK:   tg.yield %[[C]] : tensor<i1>
  // CHECK: } do {
  // CHECK:   tg.yield %{{.*}}, %{{.*}} : tensor<i32>, tensor<4x8xf32>
  %0:2 = stablehlo.while(%i = %n, %x = %a) : tensor<i32>, tensor<4x8xf32>
  cond {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %c : tensor<i32>
    %2 = stablehlo.add %x, %x : tensor<4x8xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4x8xf32>
  }
  // CHECK: tg.case %[[W]]#0 : (tensor<i32>) -> tensor<4x8xf32> {
  // CHECK:   %[[N:.*]] = tg.neg %[[W]]#1
  // CHECK:   tg.yield %[[N]]
  // CHECK:   tg.yield %[[W]]#1
  %3 = "stablehlo.case"(%0#0) ({
    %4 = stablehlo.negate %0#1 : tensor<4x8xf32>
    stablehlo.return %4 : tensor<4x8xf32>
  }, {
    stablehlo.return %0#1 : tensor<4x8xf32>
  }) : (tensor<i32>) -> tensor<4x8xf32>
  // CHECK: tg.if %arg2 : (tensor<i1>) -> tensor<4x8xf32> {
  %5 = "stablehlo.if"(%p) ({
    stablehlo.return %3 : tensor<4x8xf32>
  }, {
    stablehlo.return %0#1 : tensor<4x8xf32>
  }) : (tensor<i1>) -> tensor<4x8xf32>
  return %0#0, %5 : tensor<i32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @windows
func.func @windows(%a: tensor<4x8xf32>, %i: tensor<2x1xi32>, %u: tensor<2x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: tg.reduce_window add %arg0 window_dimensions [1, 7] window_strides [1, 1] base_dilations [1, 1] window_dilations [1, 1] padding_low [0, 6] padding_high [0, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[0, 0], [6, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 7>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // Windows that reach from an element to one end are cumulative operations.
  // CHECK: tg.cumulative add %arg0 dim 1 : tensor<4x8xf32>
  %before = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 8>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: tg.cumulative add %arg0 dim 0 reverse : tensor<4x8xf32>
  %after = "stablehlo.reduce_window"(%a, %zero) <{padding = dense<[[0, 3], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 4, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: tg.scatter add %arg0, %arg1, %arg2 update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 unique_indices :
  %1 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  // CHECK: tg.scatter replace
  %2 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  // CHECK: tg.sort %arg0 dim 1 is_stable : tensor<4x8xf32> {
  // CHECK: ^bb0(%[[X:.*]]: tensor<f32>, %[[Y:.*]]: tensor<f32>):
  // CHECK:   %[[C:.*]] = tg.compare lt, %[[X]], %[[Y]] total_order
  // CHECK:   tg.yield %[[C]]
  %3 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tg.top_k %arg0 k 3 : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %4:2 = chlo.top_k(%a, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return
}

// -----

// CHECK-LABEL: @linear_algebra
func.func @linear_algebra(%a: tensor<2x3x3xf32>, %b: tensor<2x3x7xf32>, %h: tensor<3x3xbf16>, %c: tensor<4x6xcomplex<f64>>, %x: tensor<4x6xf16>) {
  // CHECK: %[[L:.*]] = tg.cholesky lower %arg0 : tensor<2x3x3xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>
  // Without `lower` it is the upper triangle.
  // CHECK: tg.cholesky upper %arg0 : tensor<2x3x3xf32>
  %1 = "stablehlo.cholesky"(%a) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  // CHECK: tg.triangular_solve left lower %[[L]], %arg1 : tensor<2x3x3xf32>, tensor<2x3x7xf32>
  %2 = "stablehlo.triangular_solve"(%0, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  // CHECK: tg.triangular_solve right upper %arg0, %[[L]] transposition adjoint unit_diagonal : tensor<2x3x3xf32>, tensor<2x3x3xf32>
  %3 = "stablehlo.triangular_solve"(%a, %0) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  // Narrow floats are computed in f32.
  // CHECK: %[[WIDE:.*]] = tg.convert %arg2 : (tensor<3x3xbf16>) -> tensor<3x3xf32>
  // CHECK: %[[FACTOR:.*]] = tg.cholesky lower %[[WIDE]] : tensor<3x3xf32>
  // CHECK: tg.convert %[[FACTOR]] : (tensor<3x3xf32>) -> tensor<3x3xbf16>
  %4 = stablehlo.cholesky %h, lower = true : tensor<3x3xbf16>
  // CHECK: tg.fft fft %arg3 length [4, 6] : (tensor<4x6xcomplex<f64>>) -> tensor<4x6xcomplex<f64>>
  %5 = stablehlo.fft %c, type = FFT, length = [4, 6] : (tensor<4x6xcomplex<f64>>) -> tensor<4x6xcomplex<f64>>
  // CHECK: tg.fft ifft %{{.*}} length [6] : (tensor<4x6xcomplex<f64>>) -> tensor<4x6xcomplex<f64>>
  %6 = stablehlo.fft %5, type = IFFT, length = [6] : (tensor<4x6xcomplex<f64>>) -> tensor<4x6xcomplex<f64>>
  // CHECK: tg.fft irfft %{{.*}} length [10] : (tensor<4x6xcomplex<f64>>) -> tensor<4x10xf64>
  %7 = stablehlo.fft %6, type = IRFFT, length = [10] : (tensor<4x6xcomplex<f64>>) -> tensor<4x10xf64>
  // CHECK: %[[X:.*]] = tg.convert %arg4 : (tensor<4x6xf16>) -> tensor<4x6xf32>
  // CHECK: tg.fft rfft %[[X]] length [6] : (tensor<4x6xf32>) -> tensor<4x4xcomplex<f32>>
  %8 = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<4x6xf16>) -> tensor<4x4xcomplex<f32>>
  return
}

// What JAX calls on a CPU and on a GPU. A factor that is NaN has failed.
// CHECK-LABEL: @lapack
func.func @lapack(%a: tensor<2x3x3xf32>, %b: tensor<2x3x7xf32>, %c: tensor<3x3xcomplex<f64>>) {
  // CHECK: %[[L:.*]] = tg.cholesky lower %arg0 : tensor<2x3x3xf32>
  // CHECK: %[[ROW:.*]] = tg.slice %[[L]] [0:2, 0:3, 2:3]
  // CHECK: %[[END:.*]] = tg.slice %[[ROW]] [0:2, 2:3, 0:1]
  // CHECK: %[[NAN:.*]] = tg.compare ne, %[[END]], %[[END]]
  // CHECK: %[[FAILED:.*]] = tg.reshape %[[NAN]] : (tensor<2x1x1xi1>) -> tensor<2xi1>
  // CHECK: tg.convert %[[FAILED]] : (tensor<2xi1>) -> tensor<2xi32>
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
  // CHECK: tg.triangular_solve left lower %[[L]], %arg1 transposition transpose : tensor<2x3x3xf32>, tensor<2x3x7xf32>
  %1 = stablehlo.custom_call @lapack_strsm_ffi(%0#0, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<2x3x3xf32>, tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  // CHECK: %[[U:.*]] = tg.cholesky upper %arg2 : tensor<3x3xcomplex<f64>>
  // CHECK: tg.real
  %2:2 = stablehlo.custom_call @lapack_zpotrf_ffi(%c) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<3x3xcomplex<f64>>) -> (tensor<3x3xcomplex<f64>>, tensor<i32>)
  // CHECK: tg.triangular_solve right upper %[[U]], %arg2 transposition adjoint unit_diagonal : tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>
  %3 = stablehlo.custom_call @lapack_ztrsm_ffi(%2#0, %c) {backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 85 : ui8}} : (tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>) -> tensor<3x3xcomplex<f64>>
  // CHECK: tg.cholesky upper %arg0 : tensor<2x3x3xf32>
  %4:2 = stablehlo.custom_call @cusolver_potrf_ffi(%a) {mhlo.backend_config = {lower = false}} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
  return
}

// CHECK-LABEL: @convolution
func.func @convolution(%a: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x16xf32>, %s: tensor<3xf32>) {
  // CHECK: tg.convolution %arg0, %arg1 dims [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f] window_strides [1, 1] padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1]
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x8x8x16xf32>
  // CHECK: tg.convolution %arg0, %arg1 dims {{.*}} window_strides [1, 1] padding_low [0, 0] padding_high [0, 0]
  %1 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>
  // CHECK: tg.batch_norm_training %arg0, %arg2, %arg2 feature_index 3 epsilon 9.765625E-4
  %2:3 = "stablehlo.batch_norm_training"(%a, %s, %s) <{epsilon = 0.0009765625 : f32, feature_index = 3 : i64}> : (tensor<1x8x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x8x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
  // CHECK: tg.custom_call "scale"(%arg0) has_side_effect {backend_config = "x"} : (tensor<1x8x8x3xf32>) -> tensor<1x8x8x3xf32>
  %3 = stablehlo.custom_call @scale(%a) {backend_config = "x", has_side_effect = true} : (tensor<1x8x8x3xf32>) -> tensor<1x8x8x3xf32>
  return
}

// -----

// What has no shorter form keeps its body.
// CHECK-LABEL: @bodies
func.func @bodies(%a: tensor<4x2xf32>, %i: tensor<4x2xi32>, %z: tensor<f32>, %n: tensor<i32>, %at: tensor<3x1xi32>, %u: tensor<3xf32>, %h: tensor<4x2xbf16>, %hz: tensor<bf16>) {
  // (Flags beside the elements: stablehlo_reduce_inits.mlir.)
  // CHECK: tg.general_reduce %arg0, %{{.*}} inits %arg2, %{{.*}} dims [1] : (tensor<4x2xf32>, tensor<4x2xi1>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<f32>, %{{.*}}: tensor<i1>, %[[Y:.*]]: tensor<f32>, %{{.*}}: tensor<i1>):
  // CHECK-NEXT:   %[[ABS:.*]] = tg.abs %[[X]]
  // CHECK-NEXT:   %[[SUM:.*]] = tg.add %[[ABS]], %[[Y]]
  %0 = stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %1 = stablehlo.abs %x : tensor<f32>
    %2 = stablehlo.add %1, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  // The least value of the second half of the row: a choice, but of no extreme element.
  // CHECK: tg.general_reduce %arg0, %{{.*}} inits %arg2, %arg3 dims [1]
  %iota = stablehlo.iota dim = 1 : tensor<4x2xi32>
  %3:2 = stablehlo.reduce(%a init: %z), (%iota init: %n) across dimensions = [1] : (tensor<4x2xf32>, tensor<4x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%v: tensor<f32>, %w: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
    %2 = stablehlo.compare GT, %j, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.select %2, %v, %w : tensor<i1>, tensor<f32>
    %5 = stablehlo.select %2, %j, %k : tensor<i1>, tensor<i32>
    stablehlo.return %4, %5 : tensor<f32>, tensor<i32>
  }
  // A wider body makes wider operands.
  // CHECK: %[[WIDE:.*]] = tg.convert %arg6 : (tensor<4x2xbf16>) -> tensor<4x2xf32>
  // CHECK: %[[R:.*]] = tg.reduce add %[[WIDE]] dims [1]
  // CHECK: %[[RI:.*]] = tg.add %[[R]],
  %6 = stablehlo.reduce(%h init: %hz) applies stablehlo.add across dimensions = [1] : (tensor<4x2xbf16>, tensor<bf16>) -> tensor<4xf32>
  // An initial value that is not known to be the identity is what padding holds.
  // CHECK: tg.general_reduce_window %arg0 inits %arg2 window_dimensions [1, 1] window_strides [1, 1] base_dilations [1, 1] window_dilations [1, 1] padding_low [0, 0] padding_high [0, 0]
  %7 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  // CHECK: tg.general_scatter %[[RI]] at %arg4 updates %arg5 inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
  %8 = "stablehlo.scatter"(%6, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// CHECK-LABEL: @select_and_scatter
func.func @select_and_scatter(%a: tensor<4x8xf32>, %s: tensor<4x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: tg.select_and_scatter max add %arg0, %arg1 window_dimensions [1, 2] window_strides [1, 2] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  %0 = "stablehlo.select_and_scatter"(%a, %s, %zero) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>
  // Of equal elements the last one: no kind says that.
  // CHECK: tg.general_select_and_scatter %arg0, %arg1, %{{.*}} window_dimensions [1, 2] window_strides [1, 2] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32> {
  // CHECK:   tg.compare gt
  // CHECK: }, {
  // CHECK:   tg.add
  %1 = "stablehlo.select_and_scatter"(%a, %s, %zero) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>
  return
}

// -----

// The body of a map on whole tensors.
// CHECK-LABEL: @map
func.func @map(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>) -> tensor<4x8xi32> {
  // CHECK: %[[TWO:.*]] = tg.broadcast %{{.*}} dims [] : (tensor<i32>) -> tensor<4x8xi32>
  // CHECK: %[[C:.*]] = tg.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xi32>
  // CHECK: %[[P:.*]] = tg.mul %[[C]], %[[TWO]] : tensor<4x8xi32>
  // CHECK: %[[S:.*]] = tg.add %[[P]], %arg1 : tensor<4x8xi32>
  // CHECK: return %[[S]]
  %0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i32>):
    %two = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.convert %x : (tensor<f32>) -> tensor<i32>
    %2 = stablehlo.multiply %1, %two : tensor<i32>
    %3 = stablehlo.add %2, %y : tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

// Dynamic operations whose results are static.
// CHECK-LABEL: @dynamic
func.func @dynamic(%a: tensor<4x8xf32>, %z: tensor<f32>, %shape: tensor<2xi32>, %i: tensor<3x1xi32>) {
  %zeros = stablehlo.constant dense<0> : tensor<2xi64>
  %ones = stablehlo.constant dense<1> : tensor<2xi64>
  %limits = stablehlo.constant dense<[2, 8]> : tensor<2xi64>
  // CHECK: tg.reshape %arg0 : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %0 = stablehlo.dynamic_reshape %a, %shape : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<8x4xf32>
  // CHECK: tg.broadcast %arg1 dims [] : (tensor<f32>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %z, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<2x3xf32>
  // CHECK: tg.iota dim 1 : tensor<2x3xi32>
  %2 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<2x3xi32>
  // CHECK: tg.pad %arg0, %arg1 low [1, 1] high [1, 1] interior [0, 0]
  %3 = stablehlo.dynamic_pad %a, %z, %ones, %ones, %zeros : (tensor<4x8xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<6x10xf32>
  // CHECK: tg.slice %arg0 [0:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %4 = stablehlo.real_dynamic_slice %a, %zeros, %limits, %ones : (tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x8xf32>
  // CHECK: tg.gather %arg0, %arg3 offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 1]
  %5 = "stablehlo.dynamic_gather"(%a, %i, %ones) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x8xf32>, tensor<3x1xi32>, tensor<2xi64>) -> tensor<3x1xf32>
  return
}

// -----

// One process: what it would get from others it has.
// CHECK-LABEL: @collectives
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>)
func.func @collectives(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<ui32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[ZEROS:.*]] = tg.constant dense<0.0{{.*}}> : tensor<4xf32>
  %3 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[ID:.*]] = tg.constant dense<0> : tensor<ui32>
  %4 = stablehlo.replica_id : tensor<ui32>
  // CHECK: return %[[A]], %[[A]], %[[ZEROS]], %[[ID]]
  return %0, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<ui32>
}

// -----

// A body that works in a wider type gives results of that type; a root that the program computes can be no other process.
// CHECK-LABEL: @collectives_that_change_types
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %{{.*}}: tensor<1xi32>)
func.func @collectives_that_change_types(%a: tensor<4xf32>, %root: tensor<1xi32>) -> (tensor<4xf64>, tensor<4xf32>) {
  // CHECK: %[[WIDE:.*]] = tg.convert %[[A]] : (tensor<4xf32>) -> tensor<4xf64>
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %1 = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<4xf32>) -> tensor<4xf64>
  %2 = "stablehlo.collective_broadcast"(%a, %root) <{replica_groups = dense<0> : tensor<1x1xi64>, has_dynamic_root = true}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
  // CHECK: return %[[WIDE]], %[[A]]
  return %0, %2 : tensor<4xf64>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @random
func.func @random(%a: tensor<f32>, %state: tensor<2xui64>) {
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  // CHECK: tg.rng normal %arg0, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
  %0 = stablehlo.rng %a, %a, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  // CHECK: tg.rng_bit_generator philox %arg1 : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  %1:2 = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return
}

// -----

// CHECK-LABEL: @functions
func.func @functions(%a: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: %[[X:.*]] = tg.convert %arg0 : (tensor<4xf16>) -> tensor<4xf32>
  // CHECK: %[[Y:.*]] = tg.atan2 %[[X]], %{{.*}} : tensor<4xf32>
  // CHECK: tg.convert %[[Y]] : (tensor<4xf32>) -> tensor<4xf16>
  %0 = chlo.asin %a : tensor<4xf16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// Types without infinities start maxima at their least number; NaN is no identity, though it is what -infinity becomes there.
// CHECK-LABEL: func.func @narrow_identities
func.func @narrow_identities(%a: tensor<4x8xf8E4M3FN>, %b: tensor<4x8xf8E8M0FNU>) -> (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>, tensor<4xf8E8M0FNU>) {
  %least = stablehlo.constant dense<-4.480000e+02> : tensor<f8E4M3FN>
  %nan = stablehlo.constant dense<0xFF> : tensor<f8E4M3FN>
  %exponent = stablehlo.constant dense<0x00> : tensor<f8E8M0FNU>
  // CHECK: %[[A:.*]] = tg.reduce max %arg0 dims [1]
  %0 = stablehlo.reduce(%a init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<4xf8E4M3FN>
  // CHECK-NEXT: %[[R:.*]] = tg.reduce max %arg0 dims [1]
  // CHECK: %[[B:.*]] = tg.max %[[R]],
  %1 = stablehlo.reduce(%a init: %nan) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<4xf8E4M3FN>
  // CHECK-NEXT: %[[C:.*]] = tg.reduce max %arg1 dims [1]
  %2 = stablehlo.reduce(%b init: %exponent) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf8E8M0FNU>, tensor<f8E8M0FNU>) -> tensor<4xf8E8M0FNU>
  // CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
  return %0, %1, %2 : tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>, tensor<4xf8E8M0FNU>
}

// -----

// CHECK-LABEL: func.func @tuples
func.func @tuples(%a: tensor<4xf32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.tuple %a, %b : tuple<tensor<4xf32>, tensor<4xi32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<4xf32>, tensor<4xi32>>) -> tensor<4xf32>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<4xi32>>) -> tensor<4xi32>
  // CHECK-NEXT: return %arg1
  return %2 : tensor<4xi32>
}

// -----

// A process that nobody sends to gets zeros, complex ones too.
// CHECK-LABEL: func.func @complex_zeros
func.func @complex_zeros(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // CHECK-NEXT: tg.constant dense<(0.000000e+00,0.000000e+00)> : tensor<4xcomplex<f32>>
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<> : tensor<0x2xi64>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// CHECK-LABEL: @collective_reduce
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[A]]
func.func @collective_reduce(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
