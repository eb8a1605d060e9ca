// The pretty form, as jaxlib 0.10.2 prints it, means what the generic form says: generic.mlir is its twin.
// RUN: stitch-opt %s --mlir-print-op-generic -o %t.pretty
// RUN: stitch-opt %S/generic.mlir --mlir-print-op-generic -o %t.generic
// RUN: diff %t.pretty %t.generic
// RUN: FileCheck %s < %t.pretty

// CHECK: "stablehlo.compare"({{.*}}) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}>
// CHECK: "stablehlo.slice"({{.*}}) <{limit_indices = array<i64: 2, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}>
// CHECK: "stablehlo.pad"({{.*}}) <{edge_padding_high = array<i64: 0, -1>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 0, 1>}>
// CHECK: "stablehlo.dot_general"({{.*}}) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}>
// CHECK: "stablehlo.reduce"({{.*}}) <{dimensions = array<i64: 1>}> ({
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[C:.*]] = "stablehlo.add"(%[[A]], %[[B]])
// CHECK-NEXT:   "stablehlo.return"(%[[C]])
// CHECK: "chlo.top_k"({{.*}}) <{k = 2 : i64}>

module {
  func.func @unary(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>, %arg2: tensor<2x3xcomplex<f32>>, %arg3: tensor<i1>, %arg4: tensor<2x3xi1>) {
    %0 = stablehlo.abs %arg0 : tensor<2x3xf32>
    %1 = stablehlo.abs %arg2 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %2 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x3xf32>
    %3 = stablehlo.is_finite %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %4 = stablehlo.real %arg2 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %5 = stablehlo.imag %arg2 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %6 = stablehlo.complex %arg0, %arg0 : tensor<2x3xcomplex<f32>>
    %7 = stablehlo.add %arg0, %arg0 {mhlo.x = 1 : i32} : tensor<2x3xf32>
    %8 = stablehlo.compare LT, %arg0, %arg0, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %9 = stablehlo.compare GE, %arg0, %arg0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %10 = stablehlo.select %arg3, %arg0, %arg0 : tensor<i1>, tensor<2x3xf32>
    %11 = stablehlo.select %arg4, %arg0, %arg0 : tensor<2x3xi1>, tensor<2x3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.clamp %cst, %arg0, %cst : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %13 = stablehlo.clamp %arg0, %arg0, %arg0 : tensor<2x3xf32>
    %14 = stablehlo.convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %15 = stablehlo.convert %arg0 : tensor<2x3xf32>
    %16 = stablehlo.bitcast_convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %17 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<2x3xf32>
    %18 = stablehlo.not %arg1 : tensor<2x3xi32>
    %19:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<2x3xf32>, tensor<2x3xi32>
    return
  }
  func.func @shape(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>, %arg2: tensor<8x4xf32>, %arg3: tensor<f32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x7x3xf32>
    %1 = stablehlo.broadcast %arg0, sizes = [5] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
    %2 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
    %3 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %4 = stablehlo.slice %arg0 [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
    %5 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %6 = stablehlo.dynamic_update_slice %arg0, %arg0, %arg1, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %7 = stablehlo.pad %arg0, %arg3, low = [1, 0], high = [0, -1], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x4xf32>
    %8 = stablehlo.concatenate %arg0, %arg0, %arg0, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
    %9 = stablehlo.reverse %arg0, dims = [1, 0] : tensor<2x3xf32>
    %10 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %11 = "stablehlo.gather"(%arg2, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<i32>) -> tensor<4xf32>
    %12 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
    return
  }
  func.func @compute(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %arg2: tensor<3x4xf32>, %arg3: tensor<4x5xf32>, %arg4: tensor<f32>, %arg5: tensor<i32>, %arg6: tensor<1x8x8x3xf32>, %arg7: tensor<3x3x3x16xf32>) {
    %c = stablehlo.constant dense<2> : tensor<2xi64>
    %c_0 = stablehlo.constant dense<2> : tensor<2xui64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<3x3xf32>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<4xcomplex<f32>>
    %c_2 = stablehlo.constant dense<1> : tensor<2xi64>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<3xf32>
    %c_4 = stablehlo.constant dense<1> : tensor<2x1xi32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<2x4xf32>
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %3 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [] x [] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4x4x5xf32>
    %4 = stablehlo.dot %arg2, %arg3, precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %5 = stablehlo.dot %arg2, %arg3 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %6 = stablehlo.reduce(%arg2 init: %arg4) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %7 = stablehlo.reduce(%arg2 init: %arg4) across dimensions = [1, 0] {mhlo.x = "a"} : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg8: tensor<f32>, %arg9: tensor<f32>)  {
      %39 = stablehlo.abs %arg8 : tensor<f32>
      %40 = stablehlo.add %39, %arg9 : tensor<f32>
      stablehlo.return %40 : tensor<f32>
    }
    %8 = stablehlo.rng %arg4, %arg4, %c, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x2xf32>
    %output_state, %output = stablehlo.rng_bit_generator %c_0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %9 = stablehlo.custom_call @foo(%arg2) {backend_config = "", has_side_effect = true} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %10 = stablehlo.cholesky %cst, lower = true : tensor<3x3xf32>
    %11 = stablehlo.convolution(%arg6, %arg7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x8x8x16xf32>
    %12 = stablehlo.convolution(%arg6, %arg7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>
    %13 = stablehlo.partition_id : tensor<ui32>
    %14 = stablehlo.tuple %arg2, %arg3 : tuple<tensor<3x4xf32>, tensor<4x5xf32>>
    %15 = stablehlo.get_tuple_element %14[1] : (tuple<tensor<3x4xf32>, tensor<4x5xf32>>) -> tensor<4x5xf32>
    %16 = stablehlo.fft %cst_1, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %17 = stablehlo.create_token : !stablehlo.token
    %18 = stablehlo.after_all %17, %17 : !stablehlo.token
    %19 = "stablehlo.map"(%arg2) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg8: tensor<f32>):
      %39 = stablehlo.abs %arg8 : tensor<f32>
      stablehlo.return %39 : tensor<f32>
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %20 = stablehlo.einsum %arg2, %arg3, config = "ab,bc->ac" : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %21 = stablehlo.composite "foo.bar" %arg2 {composite_attributes = {a = 1 : i32}, decomposition = @dec, version = 1 : i32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %22 = "stablehlo.triangular_solve"(%cst, %cst) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %23 = stablehlo.dynamic_iota %c, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
    %24 = stablehlo.set_dimension_size %arg2, %arg5, dim = 1 : (tensor<3x4xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
    %25 = "stablehlo.all_reduce"(%arg2) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %39 = stablehlo.add %arg8, %arg9 : tensor<f32>
      stablehlo.return %39 : tensor<f32>
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %26 = stablehlo.unary_einsum %arg2, config = "ab->ba" : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %27 = "stablehlo.torch_index_select"(%arg2, %c_2) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    %output_6, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg6, %cst_3, %cst_3) <{epsilon = 1.000000e-03 : f32, feature_index = 3 : i64}> : (tensor<1x8x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x8x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %28 = stablehlo.real_dynamic_slice %arg2, %c, %c, %c : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %29 = stablehlo.dynamic_pad %arg2, %arg4, %c, %c, %c : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %30 = "stablehlo.select_and_scatter"(%arg2, %arg2, %arg4) <{window_dimensions = array<i64: 1, 1>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %39 = stablehlo.compare GE, %arg8, %arg9 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %39 : tensor<i1>
    }, {
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %39 = stablehlo.add %arg8, %arg9 : tensor<f32>
      stablehlo.return %39 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %31 = "stablehlo.scatter"(%arg2, %c_4, %cst_5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %39 = stablehlo.add %arg8, %arg9 : tensor<f32>
      stablehlo.return %39 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
    %values, %indices = chlo.top_k(%arg2, k = 2) : tensor<3x4xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
    %32 = chlo.erf %arg2 : tensor<3x4xf32> -> tensor<3x4xf32>
    %33 = chlo.square %arg2 : tensor<3x4xf32> -> tensor<3x4xf32>
    %34 = chlo.is_inf %arg2 : tensor<3x4xf32> -> tensor<3x4xi1>
    %35 = chlo.next_after %arg2, %arg2 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    %37 = chlo.constant dense<2> : tensor<i32>
    %38 = stablehlo.while(%iterArg = %arg2) : tensor<3x4xf32> attributes {mhlo.x = 1 : i32}
    cond {
      %c_7 = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %c_7 : tensor<i1>
    } do {
      stablehlo.return %iterArg : tensor<3x4xf32>
    }
    return
  }
  func.func @dec(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    return %arg0 : tensor<3x4xf32>
  }
}
