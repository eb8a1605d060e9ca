// RUN: stitch-opt %s --convert-stablehlo-to-tg -split-input-file -verify-diagnostics

func.func @no_counterpart(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @+1 {{'stablehlo.einsum' op cannot be converted to tg: the specification has stablehlo.dot_general in its place}}
  %0 = stablehlo.einsum %a, %a, config = "ij,jk->ik" : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

// All errors are reported, not the first alone.
func.func @two(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.uniform_quantize' op cannot be converted to tg: its result must be quantised}}
  %0 = stablehlo.uniform_quantize %a : tensor<4xf32>
  // expected-error @+1 {{'stablehlo.uniform_dequantize' op cannot be converted to tg: its operand must be quantised}}
  %1 = stablehlo.uniform_dequantize %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @operand_count(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.add' op cannot be converted to tg: it must have 2 operands, got 1}}
  %0 = "stablehlo.add"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @result_count(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.abs' op cannot be converted to tg: it must have one result, got 0}}
  "stablehlo.abs"(%a) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'stablehlo.abs' op cannot be converted to tg: its shape is not known: stablehlo-refine-shapes (stitch-compile --dim) gives sizes}}
  %0 = stablehlo.abs %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @token() {
  // expected-error @+1 {{'stablehlo.create_token' op cannot be converted to tg: it orders transfers to or from outside of the model, which are not supported}}
  %0 = stablehlo.create_token : !stablehlo.token
  return
}

// -----

func.func @not_a_tensor(%a: tuple<tensor<4xf32>>) {
  // expected-error @+1 {{'stablehlo.optimization_barrier' op cannot be converted to tg: only ranked tensors are supported}}
  %0 = "stablehlo.optimization_barrier"(%a) : (tuple<tensor<4xf32>>) -> tuple<tensor<4xf32>>
  return
}

// -----

func.func @size(%a: tensor<4xf32>, %n: tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  // expected-error @+1 {{'stablehlo.set_dimension_size' op cannot be converted to tg: the size of a tensor cannot change while the model runs}}
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return %0 : tensor<?xf32, #stablehlo.bounds<4>>
}

// -----

func.func @torch_index_select(%a: tensor<4xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @+1 {{'stablehlo.torch_index_select' op cannot be converted to tg: the specification has stablehlo.gather in its place}}
  %0 = "stablehlo.torch_index_select"(%a, %i) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @no_operands() -> tensor<3xi64> {
  // expected-error @+1 {{'stablehlo.dynamic_broadcast_in_dim' op cannot be converted to tg: }}
  %0 = "stablehlo.dynamic_broadcast_in_dim"() {broadcast_dimensions = array<i64: 0>} : () -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// -----

// test/operations/spec_table.md has more of quantised types.
func.func @quantised(%a: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  // expected-error @+1 {{'stablehlo.not' op cannot be converted to tg: it has no meaning for quantised types}}
  %0 = stablehlo.not %a : tensor<4x!quant.uniform<i8:f32, 0.5>>
  // expected-error @+1 {{'stablehlo.and' op cannot be converted to tg: it has no meaning for quantised types}}
  %1 = stablehlo.and %a, %a : tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %1 : tensor<4x!quant.uniform<i8:f32, 0.5>>
}

// -----

// expected-error @+1 {{'func.func' op cannot be converted to tg: the quantised type of argument 1: its integers must have 2, 4, 8, 16 or 32 bits}}
func.func @quantised_argument(%a: tensor<4xf32>, %b: tensor<4x!quant.uniform<i7:f32, 0.5>>) {
  %0 = stablehlo.abs %a : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{'func.func' op cannot be converted to tg: the quantised type of argument 0: its tensor must have a rank of at most 16 and known sizes}}
func.func @quantised_size(%a: tensor<?x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  return
}

// -----

func.func @quantised_call(%a: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  // expected-error @+1 {{'stablehlo.custom_call' op cannot be converted to tg: it has no meaning for quantised types}}
  %0 = stablehlo.custom_call @target(%a) : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5>>
}

// -----

func.func @tuple_of_function(%a: tensor<4xf32>) -> tuple<tensor<4xf32>> {
  // expected-error @+1 {{'stablehlo.tuple' op cannot be converted to tg: tuples are only for stablehlo.get_tuple_element, and this one is for 'func.return'}}
  %0 = stablehlo.tuple %a : tuple<tensor<4xf32>>
  return %0 : tuple<tensor<4xf32>>
}

// -----

func.func @element_of_argument(%a: tuple<tensor<4xf32>>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.get_tuple_element' op cannot be converted to tg: its operand is not the result of stablehlo.tuple}}
  %0 = stablehlo.get_tuple_element %a[0] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_such_element(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.tuple %a : tuple<tensor<4xf32>>
  // expected-error @+1 {{'stablehlo.get_tuple_element' op cannot be converted to tg: the tuple has no element 1}}
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @direction(%a: tensor<4xf32>) -> tensor<4xi1> {
  // expected-error @+1 {{'stablehlo.compare' op cannot be converted to tg: unknown comparison direction '#stablehlo<comparison_direction XX>'}}
  %0 = stablehlo.compare XX, %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @missing_list(%a: tensor<4xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{'stablehlo.broadcast_in_dim' op cannot be converted to tg: attribute 'broadcast_dimensions' is missing}}
  %0 = "stablehlo.broadcast_in_dim"(%a) <{dims = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @not_a_list(%a: tensor<4x2xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{'stablehlo.transpose' op cannot be converted to tg: attribute 'permutation' is not a list of integers: "[1, 0]"}}
  %0 = "stablehlo.transpose"(%a) <{permutation = "[1, 0]"}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @malformed_dot(%a: tensor<4x2xf32>, %b: tensor<2x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{'stablehlo.dot_general' op cannot be converted to tg: 'lhs_contracting_dimensions' is not a list of at most 16 integers}}
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [x], rhs_contracting_dimensions = [0]>}> : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// What the conversion does not check, the operation of tg does.
func.func @wrong_shape(%a: tensor<4xf32>, %b: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tg.add' op}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @map(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{'stablehlo.map' op cannot be converted to tg: its body has a 'tg.reshape', which is not elementwise}}
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>):
    %1 = stablehlo.reshape %x : (tensor<f32>) -> tensor<1xf32>
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @scatter_operands(%a: tensor<4xf32>, %i: tensor<2x1xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.scatter' op cannot be converted to tg: it must have an input and updates for each result, and indices}}
  %0 = "stablehlo.scatter"(%a, %i) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<4xf32>, tensor<2x1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @window_padding(%a: tensor<4x8xf32>, %z: tensor<f32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{attribute 'padding' is not a pair of integers for each of 2 dimensions}}
  %0 = "stablehlo.reduce_window"(%a, %z) <{padding = dense<0> : tensor<1x2xi64>, window_dimensions = array<i64: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %5 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @convolution(%a: tensor<1x8x3xf32>, %k: tensor<3x3x4xf32>) -> tensor<1x6x4xf32> {
  // expected-error @+1 {{attribute 'dimension_numbers' is malformed: #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, f]>}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x3xf32>, tensor<3x3x4xf32>) -> tensor<1x6x4xf32>
  return %0 : tensor<1x6x4xf32>
}

// -----

func.func @nested(%p: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    // expected-error @+1 {{'stablehlo.uniform_quantize' op cannot be converted to tg: its result must be quantised}}
    %1 = stablehlo.uniform_quantize %a : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @empty_region(%p: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.if' op cannot be converted to tg: region 1 is not one block that ends with stablehlo.return}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @empty_sort() {
  // expected-error @+1 {{'stablehlo.sort' op cannot be converted to tg: it must have operands}}
  "stablehlo.sort"() ({}) : () -> ()
  return
}

// -----

func.func @return_with_results(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    // expected-error@+1 {{'stablehlo.return' op cannot be converted to tg: it must not have results}}
    %1 = "stablehlo.return"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    "stablehlo.return"(%1) : (tensor<4xf32>) -> ()
  }, {
    "stablehlo.return"(%x) : (tensor<4xf32>) -> ()
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @processes(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.all_reduce' op cannot be converted to tg: it spans 2 processes, and a compiled model runs in one}}
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @permute(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.collective_permute' op cannot be converted to tg: it names process 1, and a compiled model runs in one}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @transfer(%a: tensor<4xf32>, %token: !stablehlo.token) {
  // expected-error @+1 {{'stablehlo.outfeed' op cannot be converted to tg: it transfers data to or from outside of the model while it runs}}
  %0 = "stablehlo.outfeed"(%a, %token) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @computed_padding(%a: tensor<4xf32>, %z: tensor<f32>, %low: tensor<1xi64>) -> tensor<6xf32> {
  // expected-error @+1 {{'stablehlo.dynamic_pad' op cannot be converted to tg: operand 2 must be a constant: dynamic shapes are not supported}}
  %0 = stablehlo.dynamic_pad %a, %z, %low, %low, %low : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----

func.func @bounded(%a: tensor<?xf32, #stablehlo.bounds<4>>) {
  // expected-error @+1 {{'stablehlo.negate' op cannot be converted to tg: its shape is not known: stablehlo-refine-shapes (stitch-compile --dim) gives sizes}}
  %0 = "stablehlo.negate"(%a) : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return
}

// -----

func.func @cholesky_of_integers(%a: tensor<3x3xi32>) -> tensor<3x3xi32> {
  // expected-error @+1 {{'stablehlo.cholesky' op cannot be converted to tg: operand 0 must have floats or complex numbers}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<3x3xi32>
  return %0 : tensor<3x3xi32>
}

// -----

func.func @unknown_transform(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @+1 {{'stablehlo.fft' op cannot be converted to tg: attribute 'fft_type' is unknown: '#stablehlo<fft_type DCT>'}}
  %0 = "stablehlo.fft"(%a) <{fft_length = array<i64: 4>, fft_type = #stablehlo<fft_type DCT>}> : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

func.func @without_transposition(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @+1 {{'stablehlo.triangular_solve' op cannot be converted to tg: attribute 'transpose_a' is unknown: ''}}
  %0 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

func.func @unknown_letter(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @+1 {{'stablehlo.custom_call' op cannot be converted to tg: option 'uplo' of the call is none of the letters LU}}
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 65 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  return %0#0 : tensor<3x3xf32>
}

// -----

func.func @without_options(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @+1 {{'stablehlo.custom_call' op cannot be converted to tg: option 'lower' of the call is missing}}
  %0:2 = stablehlo.custom_call @cusolver_potrf_ffi(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  return %0#0 : tensor<3x3xf32>
}

// -----

func.func @other_results(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  // expected-error @+1 {{'stablehlo.custom_call' op cannot be converted to tg: the call must have one operand and two results: factors, and a number for each}}
  %0 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

func.func @ragged_numbers(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi32>) -> tensor<11x7xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op cannot be converted to tg: attribute 'ragged_dot_dimension_numbers' is missing}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @ragged_none(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi32>) -> tensor<11x7xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op cannot be converted to tg: 'lhs_ragged_dimensions' is not one dimension of the lhs}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @ragged_range(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi32>) -> tensor<11x7xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op cannot be converted to tg: a dimension in 'ragged_dot_dimension_numbers' is there twice or does not exist}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [4], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @ragged_group(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi32>) -> tensor<11x7xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op cannot be converted to tg: the rhs must have one group dimension if the ragged dimension is neither batching nor contracting, else none}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @ragged_sizes(%lhs: tensor<11x4xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi32>) -> tensor<11x7xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op cannot be converted to tg: batching or contracting dimensions of lhs and rhs have different sizes}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x4xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @ragged_float(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xf32>) -> tensor<11x7xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op cannot be converted to tg: the group sizes are not integers}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xf32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @ragged_prefix(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<2x3xi32>) -> tensor<11x7xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op cannot be converted to tg: the group sizes must have the shape of the ragged dimension's outer dimensions and one for the groups, or the latter alone}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<2x3xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @ragged_count(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<4xi32>) -> tensor<11x7xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op cannot be converted to tg: the rhs has 3 groups, the group sizes are 4}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<4xi32>) -> tensor<11x7xf32>
  return %0 : tensor<11x7xf32>
}

// -----

func.func @ragged_result(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi32>) -> tensor<11x8xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op cannot be converted to tg: the result has another shape}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x8xf32>
  return %0 : tensor<11x8xf32>
}

// -----

func.func @ragged_empty(%lhs: tensor<0x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi32>) -> tensor<0x7xf32> {
  // expected-error @+1 {{'chlo.ragged_dot' op cannot be converted to tg: an operand has no elements}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<0x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<0x7xf32>
  return %0 : tensor<0x7xf32>
}

// -----

func.func @numbers_of_no_type() {
  // expected-error @+1 {{'stablehlo.partition_id' op cannot be converted to tg: its result is not a tensor of numbers of known sizes}}
  %0 = "stablehlo.partition_id"() : () -> tensor<index>
  return
}

// -----

// Read once, however many there are.
func.func @many_pairs(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'stablehlo.collective_permute' op cannot be converted to tg: 'source_target_pairs' has process 0 as a source and a target 4294967296 times}}
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<0> : tensor<4294967296x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'stablehlo.collective_permute' op cannot be converted to tg: it names process 1}}
  %1 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<1> : tensor<4294967296x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @window_reversal(%a: tensor<1x4x5xf32>, %k: tensor<2x4x6xf32>) -> tensor<1x6x4xf32> {
  // expected-error @+1 {{'stablehlo.convolution' op cannot be converted to tg: attribute 'window_reversal' is not a list of booleans: []}}
  %0 = "stablehlo.convolution"(%a, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[0, i, o]->[b, f, 0]>, feature_group_count = 1 : i64, window_reversal = []}> : (tensor<1x4x5xf32>, tensor<2x4x6xf32>) -> tensor<1x6x4xf32>
  return %0 : tensor<1x6x4xf32>
}
