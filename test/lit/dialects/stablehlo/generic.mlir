// The generic form, as jaxlib 0.10.2 prints it, is read and printed unchanged, and reading it again changes nothing.
// RUN: stitch-opt %s --mlir-print-op-generic -o %t.once
// RUN: stitch-opt %t.once --mlir-print-op-generic -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: stitch-opt %s | FileCheck %s

// CHECK: "stablehlo.gather"({{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}>
// CHECK: "stablehlo.convolution"({{.*}}) <{{{.*}}dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>
// CHECK: "stablehlo.create_token"() : () -> !stablehlo.token
// CHECK: -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xcomplex<f32>>, tensor<i1>, tensor<2x3xi1>) -> (), sym_name = "unary"}> ({
  ^bb0(%arg28: tensor<2x3xf32>, %arg29: tensor<2x3xi32>, %arg30: tensor<2x3xcomplex<f32>>, %arg31: tensor<i1>, %arg32: tensor<2x3xi1>):
    %71 = "stablehlo.abs"(%arg28) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %72 = "stablehlo.abs"(%arg30) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %73 = "stablehlo.exponential"(%arg28) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %74 = "stablehlo.is_finite"(%arg28) : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %75 = "stablehlo.real"(%arg30) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %76 = "stablehlo.imag"(%arg30) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %77 = "stablehlo.complex"(%arg28, %arg28) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
    %78 = "stablehlo.add"(%arg28, %arg28) {mhlo.x = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %79 = "stablehlo.compare"(%arg28, %arg28) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %80 = "stablehlo.compare"(%arg28, %arg28) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %81 = "stablehlo.select"(%arg31, %arg28, %arg28) : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %82 = "stablehlo.select"(%arg32, %arg28, %arg28) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %83 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %84 = "stablehlo.clamp"(%83, %arg28, %83) : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %85 = "stablehlo.clamp"(%arg28, %arg28, %arg28) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %86 = "stablehlo.convert"(%arg28) : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %87 = "stablehlo.convert"(%arg28) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %88 = "stablehlo.bitcast_convert"(%arg28) : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %89 = "stablehlo.reduce_precision"(%arg28) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %90 = "stablehlo.not"(%arg29) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    %91:2 = "stablehlo.optimization_barrier"(%arg28, %arg29) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<i32>, tensor<8x4xf32>, tensor<f32>) -> (), sym_name = "shape"}> ({
  ^bb0(%arg24: tensor<2x3xf32>, %arg25: tensor<i32>, %arg26: tensor<8x4xf32>, %arg27: tensor<f32>):
    %58 = "stablehlo.broadcast_in_dim"(%arg24) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x3xf32>) -> tensor<2x7x3xf32>
    %59 = "stablehlo.broadcast"(%arg24) <{broadcast_sizes = array<i64: 5>}> : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
    %60 = "stablehlo.reshape"(%arg24) : (tensor<2x3xf32>) -> tensor<6xf32>
    %61 = "stablehlo.transpose"(%arg24) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %62 = "stablehlo.slice"(%arg24) <{limit_indices = array<i64: 2, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 2>}> : (tensor<2x3xf32>) -> tensor<2x2xf32>
    %63 = "stablehlo.dynamic_slice"(%arg24, %arg25, %arg25) <{slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %64 = "stablehlo.dynamic_update_slice"(%arg24, %arg24, %arg25, %arg25) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %65 = "stablehlo.pad"(%arg24, %arg27) <{edge_padding_high = array<i64: 0, -1>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 0, 1>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x4xf32>
    %66 = "stablehlo.concatenate"(%arg24, %arg24, %arg24) <{dimension = 1 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
    %67 = "stablehlo.reverse"(%arg24) <{dimensions = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %68 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi32>
    %69 = "stablehlo.gather"(%arg26, %arg25) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<i32>) -> tensor<4xf32>
    %70 = "stablehlo.get_dimension_size"(%arg24) <{dimension = 1 : i64}> : (tensor<2x3xf32>) -> tensor<i32>
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<3x4xf32>, tensor<4x5xf32>, tensor<f32>, tensor<i32>, tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> (), sym_name = "compute"}> ({
  ^bb0(%arg1: tensor<2x3x4xf32>, %arg2: tensor<2x4x5xf32>, %arg3: tensor<3x4xf32>, %arg4: tensor<4x5xf32>, %arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<1x8x8x3xf32>, %arg8: tensor<3x3x3x16xf32>):
    %0 = "stablehlo.constant"() <{value = dense<2> : tensor<2xi64>}> : () -> tensor<2xi64>
    %1 = "stablehlo.constant"() <{value = dense<2> : tensor<2xui64>}> : () -> tensor<2xui64>
    %2 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<3x3xf32>}> : () -> tensor<3x3xf32>
    %3 = "stablehlo.constant"() <{value = dense<(1.000000e+00,2.000000e+00)> : tensor<4xcomplex<f32>>}> : () -> tensor<4xcomplex<f32>>
    %4 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi64>}> : () -> tensor<2xi64>
    %5 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<3xf32>}> : () -> tensor<3xf32>
    %6 = "stablehlo.constant"() <{value = dense<1> : tensor<2x1xi32>}> : () -> tensor<2x1xi32>
    %7 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<2x4xf32>}> : () -> tensor<2x4xf32>
    %8 = "stablehlo.dot_general"(%arg1, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %9 = "stablehlo.dot_general"(%arg3, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %10 = "stablehlo.dot_general"(%arg3, %arg4) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %11 = "stablehlo.dot_general"(%arg3, %arg4) <{dot_dimension_numbers = #stablehlo.dot<>}> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x4x4x5xf32>
    %12 = "stablehlo.dot"(%arg3, %arg4) <{precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %13 = "stablehlo.dot"(%arg3, %arg4) : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %14 = "stablehlo.reduce"(%arg3, %arg5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg22: tensor<f32>, %arg23: tensor<f32>):
      %57 = "stablehlo.add"(%arg22, %arg23) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%57) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %15 = "stablehlo.reduce"(%arg3, %arg5) <{dimensions = array<i64: 1, 0>}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %55 = "stablehlo.abs"(%arg20) : (tensor<f32>) -> tensor<f32>
      %56 = "stablehlo.add"(%55, %arg21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%56) : (tensor<f32>) -> ()
    }) {mhlo.x = "a"} : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %16 = "stablehlo.rng"(%arg5, %arg5, %0) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x2xf32>
    %17:2 = "stablehlo.rng_bit_generator"(%1) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %18 = "stablehlo.custom_call"(%arg3) <{backend_config = "", call_target_name = "foo", has_side_effect = true}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %19 = "stablehlo.cholesky"(%2) <{lower = true}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %20 = "stablehlo.convolution"(%arg7, %arg8) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 1, 1>}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x8x8x16xf32>
    %21 = "stablehlo.convolution"(%arg7, %arg8) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>
    %22 = "stablehlo.partition_id"() : () -> tensor<ui32>
    %23 = "stablehlo.tuple"(%arg3, %arg4) : (tensor<3x4xf32>, tensor<4x5xf32>) -> tuple<tensor<3x4xf32>, tensor<4x5xf32>>
    %24 = "stablehlo.get_tuple_element"(%23) <{index = 1 : i32}> : (tuple<tensor<3x4xf32>, tensor<4x5xf32>>) -> tensor<4x5xf32>
    %25 = "stablehlo.fft"(%3) <{fft_length = array<i64: 4>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %26 = "stablehlo.create_token"() : () -> !stablehlo.token
    %27 = "stablehlo.after_all"(%26, %26) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    %28 = "stablehlo.map"(%arg3) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg19: tensor<f32>):
      %54 = "stablehlo.abs"(%arg19) : (tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%54) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %29 = "stablehlo.einsum"(%arg3, %arg4) <{einsum_config = "ab,bc->ac"}> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %30 = "stablehlo.composite"(%arg3) <{composite_attributes = {a = 1 : i32}, decomposition = @dec, name = "foo.bar", version = 1 : i32}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %31 = "stablehlo.triangular_solve"(%2, %2) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %32 = "stablehlo.dynamic_iota"(%0) <{iota_dimension = 0 : i64}> : (tensor<2xi64>) -> tensor<?x?xf32>
    %33 = "stablehlo.set_dimension_size"(%arg3, %arg6) <{dimension = 1 : i64}> : (tensor<3x4xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
    %34 = "stablehlo.all_reduce"(%arg3) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%arg17: tensor<f32>, %arg18: tensor<f32>):
      %53 = "stablehlo.add"(%arg17, %arg18) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%53) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %35 = "stablehlo.unary_einsum"(%arg3) <{einsum_config = "ab->ba"}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %36 = "stablehlo.torch_index_select"(%arg3, %4) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    %37:3 = "stablehlo.batch_norm_training"(%arg7, %5, %5) <{epsilon = 1.000000e-03 : f32, feature_index = 3 : i64}> : (tensor<1x8x8x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x8x8x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %38 = "stablehlo.real_dynamic_slice"(%arg3, %0, %0, %0) : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %39 = "stablehlo.dynamic_pad"(%arg3, %arg5, %0, %0, %0) : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %40 = "stablehlo.select_and_scatter"(%arg3, %arg3, %arg5) <{window_dimensions = array<i64: 1, 1>}> ({
    ^bb0(%arg15: tensor<f32>, %arg16: tensor<f32>):
      %52 = "stablehlo.compare"(%arg15, %arg16) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%52) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg13: tensor<f32>, %arg14: tensor<f32>):
      %51 = "stablehlo.add"(%arg13, %arg14) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%51) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %41 = "stablehlo.scatter"(%arg3, %6, %7) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %50 = "stablehlo.add"(%arg11, %arg12) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%50) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
    %42:2 = "chlo.top_k"(%arg3) <{k = 2 : i64}> : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
    %43 = "chlo.erf"(%arg3) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %44 = "chlo.square"(%arg3) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %45 = "chlo.is_inf"(%arg3) : (tensor<3x4xf32>) -> tensor<3x4xi1>
    %46 = "chlo.next_after"(%arg3, %arg3) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %47 = "chlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %48 = "stablehlo.while"(%arg3) ({
    ^bb0(%arg10: tensor<3x4xf32>):
      %49 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
      "stablehlo.return"(%49) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg9: tensor<3x4xf32>):
      "stablehlo.return"(%arg9) : (tensor<3x4xf32>) -> ()
    }) {mhlo.x = 1 : i32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x4xf32>) -> tensor<3x4xf32>, sym_name = "dec"}> ({
  ^bb0(%arg0: tensor<3x4xf32>):
    "func.return"(%arg0) : (tensor<3x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
