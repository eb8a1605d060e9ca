// Every operation prints as it is read, also by way of the generic form.
// RUN: stitch-opt %s | stitch-opt | FileCheck %s
// RUN: stitch-opt %s -mlir-print-op-generic | stitch-opt | FileCheck %s

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<8x?xf32>, %i: tensor<8xi32>, %p: tensor<4xi1>, %c: tensor<4xcomplex<f32>>) {
  // CHECK: tg.abs %{{.*}} : tensor<8x?xf32>
  %0 = tg.abs %x : tensor<8x?xf32>
  // CHECK: %[[M:.*]] = tg.abs %{{.*}} : tensor<4xcomplex<f32>>
  %1 = tg.abs %c : tensor<4xcomplex<f32>>
  // CHECK: tg.neg %[[M]] : tensor<4xf32>
  %2 = tg.neg %1 : tensor<4xf32>
  // CHECK: tg.sign %{{.*}} {stitch.group = 0 : i64} : tensor<8x?xf32>
  %3 = tg.sign %x {stitch.group = 0 : i64} : tensor<8x?xf32>
  // CHECK: tg.ceil %{{.*}} : tensor<8x?xf32>
  %4 = tg.ceil %x : tensor<8x?xf32>
  // CHECK: tg.floor %{{.*}} : tensor<8x?xf32>
  %5 = tg.floor %x : tensor<8x?xf32>
  // CHECK: tg.round %{{.*}} : tensor<8x?xf32>
  %6 = tg.round %x : tensor<8x?xf32>
  // CHECK: tg.round_even %{{.*}} : tensor<8x?xf32>
  %7 = tg.round_even %x : tensor<8x?xf32>
  // CHECK: tg.exp %{{.*}} : tensor<4xcomplex<f32>>
  %8 = tg.exp %c : tensor<4xcomplex<f32>>
  // CHECK: tg.expm1 %{{.*}} : tensor<8x?xf32>
  %9 = tg.expm1 %x : tensor<8x?xf32>
  // CHECK: tg.log %{{.*}} : tensor<8x?xf32>
  %10 = tg.log %x : tensor<8x?xf32>
  // CHECK: tg.log1p %{{.*}} : tensor<8x?xf32>
  %11 = tg.log1p %x : tensor<8x?xf32>
  // CHECK: tg.logistic %{{.*}} : tensor<8x?xf32>
  %12 = tg.logistic %x : tensor<8x?xf32>
  // CHECK: tg.tanh %{{.*}} : tensor<8x?xf32>
  %13 = tg.tanh %x : tensor<8x?xf32>
  // CHECK: tg.tan %{{.*}} : tensor<8x?xf32>
  %14 = tg.tan %x : tensor<8x?xf32>
  // CHECK: tg.sin %{{.*}} : tensor<8x?xf32>
  %15 = tg.sin %x : tensor<8x?xf32>
  // CHECK: tg.cos %{{.*}} : tensor<8x?xf32>
  %16 = tg.cos %x : tensor<8x?xf32>
  // CHECK: tg.sqrt %{{.*}} : tensor<8x?xf32>
  %17 = tg.sqrt %x : tensor<8x?xf32>
  // CHECK: tg.rsqrt %{{.*}} : tensor<8x?xf32>
  %18 = tg.rsqrt %x : tensor<8x?xf32>
  // CHECK: tg.cbrt %{{.*}} : tensor<8x?xf32>
  %19 = tg.cbrt %x : tensor<8x?xf32>
  // CHECK: tg.erf %{{.*}} : tensor<8x?xf32>
  %20 = tg.erf %x : tensor<8x?xf32>
  // CHECK: tg.erfc %{{.*}} : tensor<8x?xf32>
  %erfc = tg.erfc %x : tensor<8x?xf32>
  // CHECK: tg.erf_inv %{{.*}} : tensor<8x?xf32>
  %erf_inv = tg.erf_inv %x : tensor<8x?xf32>
  // CHECK: tg.bessel_i1e %{{.*}} : tensor<8x?xf32>
  %bessel = tg.bessel_i1e %x : tensor<8x?xf32>
  // CHECK: tg.lgamma %{{.*}} : tensor<8x?xf32>
  %lgamma = tg.lgamma %x : tensor<8x?xf32>
  // CHECK: tg.digamma %{{.*}} : tensor<8x?xf32>
  %digamma = tg.digamma %x : tensor<8x?xf32>
  // CHECK: tg.zeta %{{.*}}, %{{.*}} : tensor<8x?xf32>
  %zeta = tg.zeta %x, %x : tensor<8x?xf32>
  // CHECK: tg.polygamma %{{.*}}, %{{.*}} : tensor<8x?xf32>
  %polygamma = tg.polygamma %x, %x : tensor<8x?xf32>
  // CHECK: tg.not %{{.*}} : tensor<4xi1>
  %21 = tg.not %p : tensor<4xi1>
  // CHECK: tg.popcnt %{{.*}} : tensor<8xi32>
  %22 = tg.popcnt %i : tensor<8xi32>
  // CHECK: tg.clz %{{.*}} : tensor<8xi32>
  %23 = tg.clz %i : tensor<8xi32>
  // CHECK: %[[F:.*]] = tg.is_finite %{{.*}} : tensor<8x?xf32>
  %24 = tg.is_finite %x : tensor<8x?xf32>
  // CHECK: tg.not %[[F]] : tensor<8x?xi1>
  %25 = tg.not %24 : tensor<8x?xi1>
  // CHECK: tg.real %{{.*}} : tensor<4xcomplex<f32>>
  %26 = tg.real %c : tensor<4xcomplex<f32>>
  // CHECK: %[[I:.*]] = tg.imag %{{.*}} : tensor<4xcomplex<f32>>
  %27 = tg.imag %c : tensor<4xcomplex<f32>>
  // CHECK: tg.reduce_precision %[[I]] exponent_bits 5 mantissa_bits 10 : tensor<4xf32>
  %28 = tg.reduce_precision %27 exponent_bits 5 mantissa_bits 10 : tensor<4xf32>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%x: tensor<8xf32>, %y: tensor<8xf32>, %i: tensor<4xui8>, %p: tensor<i1>, %f8: tensor<4xf8E4M3FN>) {
  // CHECK: tg.add %{{.*}}, %{{.*}} : tensor<8xf32>
  %0 = tg.add %x, %y : tensor<8xf32>
  // CHECK: tg.add %{{.*}}, %{{.*}} : tensor<4xf8E4M3FN>
  %1 = tg.add %f8, %f8 : tensor<4xf8E4M3FN>
  // CHECK: tg.sub %{{.*}}, %{{.*}} : tensor<8xf32>
  %2 = tg.sub %x, %y : tensor<8xf32>
  // CHECK: tg.mul %{{.*}}, %{{.*}} : tensor<i1>
  %3 = tg.mul %p, %p : tensor<i1>
  // CHECK: tg.div %{{.*}}, %{{.*}} : tensor<8xf32>
  %4 = tg.div %x, %y : tensor<8xf32>
  // CHECK: tg.rem %{{.*}}, %{{.*}} : tensor<4xui8>
  %5 = tg.rem %i, %i : tensor<4xui8>
  // CHECK: tg.pow %{{.*}}, %{{.*}} : tensor<8xf32>
  %6 = tg.pow %x, %y : tensor<8xf32>
  // CHECK: tg.max %{{.*}}, %{{.*}} : tensor<8xf32>
  %7 = tg.max %x, %y : tensor<8xf32>
  // CHECK: tg.min %{{.*}}, %{{.*}} : tensor<8xf32>
  %8 = tg.min %x, %y : tensor<8xf32>
  // CHECK: tg.atan2 %{{.*}}, %{{.*}} : tensor<8xf32>
  %9 = tg.atan2 %x, %y : tensor<8xf32>
  // CHECK: tg.and %{{.*}}, %{{.*}} : tensor<4xui8>
  %10 = tg.and %i, %i : tensor<4xui8>
  // CHECK: tg.or %{{.*}}, %{{.*}} : tensor<i1>
  %11 = tg.or %p, %p : tensor<i1>
  // CHECK: tg.xor %{{.*}}, %{{.*}} : tensor<i1>
  %12 = tg.xor %p, %p : tensor<i1>
  // CHECK: tg.shl %{{.*}}, %{{.*}} : tensor<4xui8>
  %13 = tg.shl %i, %i : tensor<4xui8>
  // CHECK: tg.shr_arith %{{.*}}, %{{.*}} : tensor<4xui8>
  %14 = tg.shr_arith %i, %i : tensor<4xui8>
  // CHECK: tg.shr_logic %{{.*}}, %{{.*}} : tensor<4xui8>
  %15 = tg.shr_logic %i, %i : tensor<4xui8>
  // CHECK: %[[C:.*]] = tg.complex %{{.*}}, %{{.*}} : tensor<8xf32>
  %16 = tg.complex %x, %y : tensor<8xf32>
  // CHECK: tg.compare ne, %[[C]], %[[C]] : tensor<8xcomplex<f32>>
  %17 = tg.compare ne, %16, %16 : tensor<8xcomplex<f32>>
  // CHECK: %[[P:.*]] = tg.compare lt, %{{.*}}, %{{.*}} total_order : tensor<8xf32>
  %18 = tg.compare lt, %x, %y total_order : tensor<8xf32>
  // CHECK: tg.not %[[P]] : tensor<8xi1>
  %19 = tg.not %18 : tensor<8xi1>
  return
}

// CHECK-LABEL: @ternary
func.func @ternary(%x: tensor<8xf32>, %y: tensor<8xf32>, %s: tensor<f32>, %p: tensor<8xi1>, %q: tensor<i1>) {
  // CHECK: tg.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<8xi1>, tensor<8xf32>
  %0 = tg.select %p, %x, %y : tensor<8xi1>, tensor<8xf32>
  // CHECK: tg.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<8xf32>
  %1 = tg.select %q, %x, %y : tensor<i1>, tensor<8xf32>
  // CHECK: tg.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<f32>, tensor<8xf32>, tensor<8xf32>
  %2 = tg.clamp %s, %x, %y : tensor<f32>, tensor<8xf32>, tensor<8xf32>
  // CHECK: tg.fma %{{.*}}, %{{.*}}, %{{.*}} : tensor<8xf32>
  %3 = tg.fma %x, %y, %x : tensor<8xf32>
  return
}

// CHECK-LABEL: @conversions
func.func @conversions(%x: tensor<8x?xf32>, %y: tensor<8xf32>) {
  // CHECK: tg.convert %{{.*}} : (tensor<8x?xf32>) -> tensor<8x?xbf16>
  %0 = tg.convert %x : (tensor<8x?xf32>) -> tensor<8x?xbf16>
  // CHECK: tg.bitcast_convert %{{.*}} : (tensor<8xf32>) -> tensor<8xui32>
  %1 = tg.bitcast_convert %y : (tensor<8xf32>) -> tensor<8xui32>
  // CHECK: tg.bitcast_convert %{{.*}} : (tensor<8xf32>) -> tensor<8x4xi8>
  %2 = tg.bitcast_convert %y : (tensor<8xf32>) -> tensor<8x4xi8>
  // CHECK: tg.bitcast_convert %{{.*}} : (tensor<8x4xi8>) -> tensor<8xf32>
  %3 = tg.bitcast_convert %2 : (tensor<8x4xi8>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: @movement
func.func @movement(%x: tensor<4x8xf32>, %v: tensor<8xf32>, %s: tensor<f32>, %i: tensor<i32>, %d: tensor<?x8xf32>) {
  // CHECK: %cst = tg.constant dense<1.000000e+00> : tensor<8xf32>
  %cst = tg.constant dense<1.0> : tensor<8xf32>
  // CHECK: tg.iota dim 1 : tensor<4x8xi32>
  %0 = tg.iota dim 1 : tensor<4x8xi32>
  // CHECK: tg.broadcast %{{.*}} dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %1 = tg.broadcast %v dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: tg.broadcast %{{.*}} dims [] : (tensor<f32>) -> tensor<4x8xf32>
  %2 = tg.broadcast %s dims [] : (tensor<f32>) -> tensor<4x8xf32>
  // CHECK: tg.reshape %{{.*}} : (tensor<?x8xf32>) -> tensor<?xf32>
  %3 = tg.reshape %d : (tensor<?x8xf32>) -> tensor<?xf32>
  // CHECK: tg.transpose %{{.*}} permutation [1, 0] : (tensor<?x8xf32>) -> tensor<8x?xf32>
  %4 = tg.transpose %d permutation [1, 0] : (tensor<?x8xf32>) -> tensor<8x?xf32>
  // CHECK: tg.reverse %{{.*}} dims [0, 1] : tensor<4x8xf32>
  %5 = tg.reverse %x dims [0, 1] : tensor<4x8xf32>
  // CHECK: tg.slice %{{.*}}[2:4, 0:7:2] : (tensor<4x8xf32>) -> tensor<2x4xf32>
  %6 = tg.slice %x [2:4, 0:7:2] : (tensor<4x8xf32>) -> tensor<2x4xf32>
  // CHECK: tg.slice %{{.*}}[] : (tensor<f32>) -> tensor<f32>
  %7 = tg.slice %s [] : (tensor<f32>) -> tensor<f32>
  // CHECK: tg.dynamic_slice %{{.*}}[%{{.*}}, %{{.*}}] sizes [1, 4] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %8 = tg.dynamic_slice %x[%i, %i] sizes [1, 4] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  // CHECK: tg.dynamic_update_slice %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : (tensor<4x8xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %9 = tg.dynamic_update_slice %x[%i, %i], %8 : (tensor<4x8xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  // CHECK: tg.pad %{{.*}}, %{{.*}} low [-1, 0] high [0, 2] interior [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<3x17xf32>
  %10 = tg.pad %x, %s low [-1, 0] high [0, 2] interior [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<3x17xf32>
  // CHECK: tg.concatenate %{{.*}}, %{{.*}} dim 0 : (tensor<4x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %11 = tg.concatenate %x, %d dim 0 : (tensor<4x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// CHECK-LABEL: @gather
func.func @gather(%x: tensor<100x4xf32>, %i: tensor<8xi32>, %b: tensor<3x100x4xf32>, %j: tensor<3x8x1xi64>) {
  // CHECK: tg.gather %{{.*}}, %{{.*}} offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] indices_are_sorted : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
  %0 = tg.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] indices_are_sorted
      : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
  // CHECK: tg.gather %{{.*}}, %{{.*}} offset_dims [2] collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [0] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1, 4] : (tensor<3x100x4xf32>, tensor<3x8x1xi64>) -> tensor<3x8x4xf32>
  %1 = tg.gather %b, %j offset_dims [2] collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [0]
      start_index_map [1] index_vector_dim 2 slice_sizes [1, 1, 4] : (tensor<3x100x4xf32>, tensor<3x8x1xi64>) -> tensor<3x8x4xf32>
  return
}

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<64x128xf32>, %p: tensor<64xi1>) {
  // CHECK: tg.reduce add %{{.*}} dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  %0 = tg.reduce add %x dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  // CHECK: tg.reduce mul %{{.*}} dims [0, 1] : (tensor<64x128xf32>) -> tensor<f32>
  %1 = tg.reduce mul %x dims [0, 1] : (tensor<64x128xf32>) -> tensor<f32>
  // CHECK: tg.reduce min %{{.*}} dims [0] : (tensor<64x128xf32>) -> tensor<128xf32>
  %2 = tg.reduce min %x dims [0] : (tensor<64x128xf32>) -> tensor<128xf32>
  // CHECK: tg.reduce max %{{.*}} dims [0] : (tensor<64x128xf32>) -> tensor<128xf32>
  %3 = tg.reduce max %x dims [0] : (tensor<64x128xf32>) -> tensor<128xf32>
  // CHECK: tg.reduce and %{{.*}} dims [0] : (tensor<64xi1>) -> tensor<i1>
  %4 = tg.reduce and %p dims [0] : (tensor<64xi1>) -> tensor<i1>
  // CHECK: tg.reduce or %{{.*}} dims [0] : (tensor<64xi1>) -> tensor<i1>
  %5 = tg.reduce or %p dims [0] : (tensor<64xi1>) -> tensor<i1>
  // CHECK: tg.reduce xor %{{.*}} dims [0] : (tensor<64xi1>) -> tensor<i1>
  %6 = tg.reduce xor %p dims [0] : (tensor<64xi1>) -> tensor<i1>
  // CHECK: tg.arg_reduce max %{{.*}} dim 1 : (tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64xi64>)
  %v, %i = tg.arg_reduce max %x dim 1 : (tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64xi64>)
  return
}

// CHECK-LABEL: @dot
func.func @dot(%a: tensor<8x16x32xf16>, %b: tensor<8x32x64xf16>, %v: tensor<32xf16>) {
  // CHECK: tg.dot %{{.*}}, %{{.*}} batch [0] x [0] contract [2] x [1] : (tensor<8x16x32xf16>, tensor<8x32x64xf16>) -> tensor<8x16x64xf32>
  %0 = tg.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<8x16x32xf16>, tensor<8x32x64xf16>) -> tensor<8x16x64xf32>
  // CHECK: tg.dot %{{.*}}, %{{.*}} contract [2] x [0] : (tensor<8x16x32xf16>, tensor<32xf16>) -> tensor<8x16xf16>
  %1 = tg.dot %a, %v contract [2] x [0] : (tensor<8x16x32xf16>, tensor<32xf16>) -> tensor<8x16xf16>
  // CHECK: tg.dot %{{.*}}, %{{.*}} : (tensor<32xf16>, tensor<32xf16>) -> tensor<32x32xf16>
  %2 = tg.dot %v, %v : (tensor<32xf16>, tensor<32xf16>) -> tensor<32x32xf16>
  // CHECK: tg.dot %{{.*}}, %{{.*}} batch [0] x [0] : (tensor<32xf16>, tensor<32xf16>) -> tensor<32xf16>
  %3 = tg.dot %v, %v batch [0] x [0] : (tensor<32xf16>, tensor<32xf16>) -> tensor<32xf16>
  return
}

// CHECK-LABEL: @scatter
func.func @scatter(%x: tensor<100x4xf32>, %i: tensor<8xi32>, %u: tensor<8x4xf32>) {
  // CHECK: tg.scatter add %{{.*}}, %{{.*}}, %{{.*}} update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 unique_indices : (tensor<100x4xf32>, tensor<8xi32>, tensor<8x4xf32>) -> tensor<100x4xf32>
  %0 = tg.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
      unique_indices : (tensor<100x4xf32>, tensor<8xi32>, tensor<8x4xf32>) -> tensor<100x4xf32>
  // CHECK: tg.scatter replace %{{.*}} indices_are_sorted unique_indices :
  %1 = tg.scatter replace %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
      indices_are_sorted unique_indices : (tensor<100x4xf32>, tensor<8xi32>, tensor<8x4xf32>) -> tensor<100x4xf32>
  return
}

// CHECK-LABEL: @windows
func.func @windows(%x: tensor<4x8xf32>, %s: tensor<4x4xf32>) {
  // CHECK: tg.reduce_window max %{{.*}} window_dimensions [1, 2] window_strides [1, 2] base_dilations [1, 2] window_dilations [1, 3] padding_low [0, 1] padding_high [0, 0] : (tensor<4x8xf32>) -> tensor<4x7xf32>
  %0 = tg.reduce_window max %x window_dimensions [1, 2] window_strides [1, 2] base_dilations [1, 2] window_dilations [1, 3]
      padding_low [0, 1] padding_high [0, 0] : (tensor<4x8xf32>) -> tensor<4x7xf32>
  // CHECK: tg.select_and_scatter max add %{{.*}}, %{{.*}} window_dimensions [1, 2] window_strides [1, 2] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  %1 = tg.select_and_scatter max add %x, %s window_dimensions [1, 2] window_strides [1, 2] padding_low [0, 0] padding_high [0, 0]
      : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  // CHECK: tg.cumulative add %{{.*}} dim 1 : tensor<4x8xf32>
  %2 = tg.cumulative add %x dim 1 : tensor<4x8xf32>
  // CHECK: tg.cumulative mul %{{.*}} dim 0 reverse exclusive : tensor<4x8xf32>
  %3 = tg.cumulative mul %x dim 0 reverse exclusive : tensor<4x8xf32>
  return
}

// CHECK-LABEL: @general_cumulatives
func.func @general_cumulatives(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>, %a: tensor<f32>, %b: tensor<i32>) {
  // CHECK: tg.general_cumulative %{{.*}}, %{{.*}} dim 1 : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  // CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<f32>, %[[D:.*]]: tensor<i32>, %[[E:.*]]: tensor<f32>, %[[F:.*]]: tensor<i32>):
  // CHECK-NEXT: tg.yield %[[C]], %[[F]] : tensor<f32>, tensor<i32>
  %0:2 = tg.general_cumulative %x, %y dim 1 : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  ^bb0(%c: tensor<f32>, %d: tensor<i32>, %e: tensor<f32>, %f: tensor<i32>):
    tg.yield %c, %f : tensor<f32>, tensor<i32>
  }
  // CHECK: tg.general_cumulative %{{.*}}, %{{.*}} inits %{{.*}}, %{{.*}} dim 0 reverse exclusive : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  %1:2 = tg.general_cumulative %x, %y inits %a, %b dim 0 reverse exclusive
      : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  ^bb0(%c: tensor<f32>, %d: tensor<i32>, %e: tensor<f32>, %f: tensor<i32>):
    tg.yield %c, %f : tensor<f32>, tensor<i32>
  }
  return
}

// CHECK-LABEL: @sorts
func.func @sorts(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  // CHECK: tg.sort %{{.*}}, %{{.*}} dim 1 is_stable : tensor<4x8xf32>, tensor<4x8xi32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>):
  // CHECK-NEXT: %[[P:.*]] = tg.compare lt, %[[A]], %[[B]] total_order : tensor<f32>
  // CHECK-NEXT: tg.yield %[[P]] : tensor<i1>
  %0:2 = tg.sort %x, %i dim 1 is_stable : tensor<4x8xf32>, tensor<4x8xi32> {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %p = tg.compare lt, %a, %b total_order : tensor<f32>
    tg.yield %p : tensor<i1>
  }
  // CHECK: tg.top_k %{{.*}} k 3 : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %v, %n = tg.top_k %x k 3 : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<2x8x8x4xf32>, %k: tensor<3x3x2x16xf32>) {
  // CHECK: tg.convolution %{{.*}}, %{{.*}} dims [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f] window_strides [1, 2] padding_low [1, 1] padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] window_reversal [false, true] feature_group_count 2 : (tensor<2x8x8x4xf32>, tensor<3x3x2x16xf32>) -> tensor<2x8x4x16xf32>
  %0 = tg.convolution %x, %k dims [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f] window_strides [1, 2] padding_low [1, 1]
      padding_high [1, 1] lhs_dilation [1, 1] rhs_dilation [1, 1] window_reversal [false, true] feature_group_count 2
      : (tensor<2x8x8x4xf32>, tensor<3x3x2x16xf32>) -> tensor<2x8x4x16xf32>
  return
}

// CHECK-LABEL: @linear_algebra
func.func @linear_algebra(%x: tensor<2x?x6xf32>, %c: tensor<2x8x6xcomplex<f64>>, %a: tensor<?x3x3xcomplex<f32>>, %b: tensor<?x3x7xcomplex<f32>>, %m: tensor<3x3xf64>) {
  // CHECK: tg.fft rfft %{{.*}} length [8, 6] : (tensor<2x?x6xf32>) -> tensor<2x?x4xcomplex<f32>>
  %0 = tg.fft rfft %x length [8, 6] : (tensor<2x?x6xf32>) -> tensor<2x?x4xcomplex<f32>>
  // CHECK: tg.fft irfft %{{.*}} length [8, 6] : (tensor<2x?x4xcomplex<f32>>) -> tensor<2x?x6xf32>
  %1 = tg.fft irfft %0 length [8, 6] : (tensor<2x?x4xcomplex<f32>>) -> tensor<2x?x6xf32>
  // CHECK: tg.fft fft %{{.*}} length [6] : (tensor<2x8x6xcomplex<f64>>) -> tensor<2x8x6xcomplex<f64>>
  %2 = tg.fft fft %c length [6] : (tensor<2x8x6xcomplex<f64>>) -> tensor<2x8x6xcomplex<f64>>
  // CHECK: tg.fft ifft %{{.*}} length [2, 8, 6] : (tensor<2x8x6xcomplex<f64>>) -> tensor<2x8x6xcomplex<f64>>
  %3 = tg.fft ifft %2 length [2, 8, 6] : (tensor<2x8x6xcomplex<f64>>) -> tensor<2x8x6xcomplex<f64>>
  // CHECK: tg.cholesky lower %{{.*}} : tensor<?x3x3xcomplex<f32>>
  %4 = tg.cholesky lower %a : tensor<?x3x3xcomplex<f32>>
  // CHECK: tg.cholesky upper %{{.*}} : tensor<3x3xf64>
  %5 = tg.cholesky upper %m : tensor<3x3xf64>
  // CHECK: tg.triangular_solve left lower %{{.*}}, %{{.*}} transposition adjoint unit_diagonal : tensor<?x3x3xcomplex<f32>>, tensor<?x3x7xcomplex<f32>>
  %6 = tg.triangular_solve left lower %4, %b transposition adjoint unit_diagonal
      : tensor<?x3x3xcomplex<f32>>, tensor<?x3x7xcomplex<f32>>
  // CHECK: tg.triangular_solve right upper %{{[^ ]*}}, %{{[^ ]*}} : tensor<3x3xf64>, tensor<3x3xf64>
  %7 = tg.triangular_solve right upper %5, %m : tensor<3x3xf64>, tensor<3x3xf64>
  return
}

// CHECK-LABEL: @compound
func.func @compound(%x: tensor<4x8xf32>, %f: tensor<8xf32>) {
  // CHECK: tg.softmax %{{.*}} dim 1 : tensor<4x8xf32>
  %0 = tg.softmax %x dim 1 : tensor<4x8xf32>
  // CHECK: tg.log_softmax %{{.*}} dim 0 : tensor<4x8xf32>
  %1 = tg.log_softmax %x dim 0 : tensor<4x8xf32>
  // CHECK: tg.gelu %{{.*}} : tensor<4x8xf32>
  %2 = tg.gelu %x : tensor<4x8xf32>
  // CHECK: tg.gelu %{{.*}} approximate : tensor<4x8xf32>
  %3 = tg.gelu %x approximate : tensor<4x8xf32>
  // CHECK: tg.gelu_gradient %{{.*}}, %{{.*}} : tensor<4x8xf32>
  %gradient = tg.gelu_gradient %x, %3 : tensor<4x8xf32>
  // CHECK: tg.gelu_gradient %{{.*}}, %{{.*}} approximate : tensor<4x8xf32>
  %approximate = tg.gelu_gradient %gradient, %3 approximate : tensor<4x8xf32>
  // CHECK: tg.layer_norm %{{.*}}, %{{.*}}, %{{.*}} dims [1] epsilon 1.000000e-05 : tensor<4x8xf32>, tensor<8xf32>
  %4 = tg.layer_norm %x, %f, %f dims [1] epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  // CHECK: tg.batch_norm_training %{{.*}}, %{{.*}}, %{{.*}} feature_index 1 epsilon 1.000000e-05 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %5:3 = tg.batch_norm_training %x, %f, %f feature_index 1 epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  // CHECK: tg.batch_norm_inference %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} feature_index 1 epsilon 1.000000e-05 :
  %6 = tg.batch_norm_inference %x, %f, %f, %f, %f feature_index 1 epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: tg.batch_norm_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} feature_index 1 epsilon 1.000000e-05 :
  %7:3 = tg.batch_norm_grad %x, %f, %f, %f, %x feature_index 1 epsilon 1.0e-5
      : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// CHECK-LABEL: @control
func.func @control(%n: tensor<i32>, %x: tensor<8xf32>, %p: tensor<i1>) {
  // CHECK: tg.while(%[[I:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}) : tensor<i32>, tensor<8xf32> attributes {name = "loop"} cond {
  // CHECK-NEXT: %[[P:.*]] = tg.compare lt, %[[I]], %{{.*}} : tensor<i32>
  // CHECK-NEXT: tg.yield %[[P]] : tensor<i1>
  // CHECK-NEXT: } do {
  // CHECK-NEXT: %[[Z:.*]] = tg.neg %[[Y]] : tensor<8xf32>
  // CHECK-NEXT: tg.yield %[[I]], %[[Z]] : tensor<i32>, tensor<8xf32>
  // CHECK-NEXT: }
  %0:2 = tg.while(%i = %n, %y = %x) : tensor<i32>, tensor<8xf32> attributes {name = "loop"} cond {
    %1 = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.neg %y : tensor<8xf32>
    tg.yield %i, %1 : tensor<i32>, tensor<8xf32>
  }
  // CHECK: tg.while() cond {
  tg.while() cond {
    tg.yield %p : tensor<i1>
  } do {
  }
  // CHECK: tg.if %{{.*}} : (tensor<i1>) -> tensor<8xf32> {
  // CHECK: } else {
  %2 = tg.if %p : (tensor<i1>) -> tensor<8xf32> {
    tg.yield %x : tensor<8xf32>
  } else {
    tg.yield %0#1 : tensor<8xf32>
  }
  // CHECK: tg.case %{{.*}} : (tensor<i32>) -> tensor<8xf32> {
  // CHECK: }, {
  %3 = tg.case %n : (tensor<i32>) -> tensor<8xf32> {
    tg.yield %x : tensor<8xf32>
  }, {
    tg.yield %2 : tensor<8xf32>
  }
  // CHECK: tg.optimization_barrier %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<i32>
  %4:2 = tg.optimization_barrier %3, %n : tensor<8xf32>, tensor<i32>
  // CHECK: tg.custom_call "scale"(%{{.*}}) {backend_config = {factor = 2 : i64}} : (tensor<8xf32>) -> tensor<8xf32>
  %5 = tg.custom_call "scale"(%x) {backend_config = {factor = 2 : i64}} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tg.custom_call "log"(%{{.*}}) has_side_effect : (tensor<8xf32>) -> ()
  tg.custom_call "log"(%x) has_side_effect : (tensor<8xf32>) -> ()
  return
}

// CHECK-LABEL: @random
func.func @random(%a: tensor<f32>, %s: tensor<2xui64>) {
  // CHECK: tg.rng uniform %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<8xf32>
  %0 = tg.rng uniform %a, %a : (tensor<f32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: tg.rng normal %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<8xf32>
  %1 = tg.rng normal %a, %a : (tensor<f32>, tensor<f32>) -> tensor<8xf32>
  // CHECK: tg.rng_bit_generator philox %{{.*}} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  %2:2 = tg.rng_bit_generator philox %s : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
  return
}

// CHECK-LABEL: @collectives
func.func @collectives(%x: tensor<8x4xf32>) {
  // CHECK: tg.all_reduce add %{{.*}} groups dense<{{\[\[}}0, 1], [2, -1]]> : tensor<2x2xi64> : tensor<8x4xf32>
  %0 = tg.all_reduce add %x groups dense<[[0, 1], [2, -1]]> : tensor<2x2xi64> : tensor<8x4xf32>
  // CHECK: tg.all_gather %{{.*}} groups dense<{{\[\[}}0, 1]]> : tensor<1x2xi64> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  %1 = tg.all_gather %x groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<8x4xf32>) -> tensor<16x4xf32>
  // CHECK: tg.reduce_scatter max %{{.*}} groups dense<{{\[\[}}0, 1]]> : tensor<1x2xi64> : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = tg.reduce_scatter max %x groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<8x4xf32>) -> tensor<4x4xf32>
  // CHECK: tg.all_to_all %{{.*}} groups dense<{{\[\[}}0, 1]]> : tensor<1x2xi64> : tensor<8x4xf32>
  %3 = tg.all_to_all %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<8x4xf32>
  // CHECK: tg.collective_broadcast %{{.*}} groups dense<{{\[\[}}0, 1], [2, -1]]> : tensor<2x2xi64> : tensor<8x4xf32>
  %4 = tg.collective_broadcast %x groups dense<[[0, 1], [2, -1]]> : tensor<2x2xi64> : tensor<8x4xf32>
  // CHECK: tg.collective_permute %{{.*}} pairs dense<{{\[\[}}0, 1], [1, 0]]> : tensor<2x2xi64> : tensor<8x4xf32>
  %5 = tg.collective_permute %x pairs dense<[[0, 1], [1, 0]]> : tensor<2x2xi64> : tensor<8x4xf32>
  // CHECK: tg.process_id : tensor<ui32>
  %6 = tg.process_id : tensor<ui32>
  return
}
