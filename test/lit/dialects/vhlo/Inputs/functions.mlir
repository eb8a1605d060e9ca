// What test/operations/op_table.py has no functions for: operations that tg does not have, and attributes, types and constants of
// every kind. Each function is a module of test/programs/artifacts.py.

func.func @tokens(%a: tensor<4xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %0, %t : !stablehlo.token
  %2:2 = "stablehlo.infeed"(%1) <{infeed_config = "in", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %3 = "stablehlo.outfeed"(%2#0, %2#1) <{outfeed_config = "out"}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %3 : !stablehlo.token
}

func.func @transfers(%a: tensor<4xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %1 = "stablehlo.send"(%0#0, %0#1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %1 : !stablehlo.token
}

func.func @transfers_between_devices(%a: tensor<4xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %1 = "stablehlo.send"(%0#0, %0#1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %1 : !stablehlo.token
}

func.func @asynchronous(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %2 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb1(%y: tensor<f32>, %z: tensor<f32>):
      %3 = stablehlo.add %y, %z : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

func.func @collectives(%a: tensor<4x4xf32>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = "stablehlo.all_to_all"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<2x8xf32>
  %2 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

func.func @groups_of_a_mesh(%a: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>], device_ids = dense<[3, 1, 2, 0]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

func.func @variadic_collectives(%a: tensor<4xf32>, %b: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0:2 = "stablehlo.all_reduce"(%a, %b) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<8xf32>
}

func.func @outdated(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %i: tensor<2xi64>) {
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %1 = stablehlo.unary_einsum %a, config = "ab->ba" : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %2 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

func.func @bounds(%a: tensor<3x4xf32>, %n: tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>> {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<3x4xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
  return %0 : tensor<3x?xf32, #stablehlo.bounds<?, 4>>
}

func.func @tuples(%a: tensor<2xf32>, %b: tensor<3xi32>) -> tensor<2xf32> {
  %0 = stablehlo.tuple %a, %b : tuple<tensor<2xf32>, tensor<3xi32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, tensor<3xi32>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

func.func @custom_call(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @foo(%a) {api_version = 2 : i32, backend_config = "a \"quoted\" \00 text", has_side_effect = true, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], mhlo.frontend_attributes = {x = "y"}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.custom_call @foo(%0) {called_computations = [@called]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

func.func @custom_call_with_options(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @foo(%a) {api_version = 4 : i32, backend_config = {letter = 76 : ui8, scale = 1.5 : f32, flag = true, name = "n", list = [1, 2]}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @custom_call_on_buffers() -> memref<2x3xf32> {
  %0 = stablehlo.custom_call @CreateBuffer() : () -> memref<2x3xf32>
  return %0 : memref<2x3xf32>
}

func.func private @called(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %a : tensor<2x3xf32>
}

func.func @composite(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.composite "own.thing" %a {composite_attributes = {text = "x", number = 1 : i64, float = 2.5 : f32, list = dense<[1, 2]> : tensor<2xi64>}, decomposition = @called, version = 3 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.composite "own.thing" %0 {decomposition = @called} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

func.func @accuracy(%a: tensor<2xf32>) {
  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  %1 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, rtol = 0.5, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return
}

func.func @dot_algorithm(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @precision(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH, HIGHEST] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @attributes(%a: tensor<2xf32> {jax.buffer_donor = true, mhlo.sharding = "{replicated}", tf.aliasing_output = 0 : i32}, %b: tensor<2xf32>) -> (tensor<2xf32> {jax.result_info = "result"}) attributes {execution_thread = "main"} {
  %0 = stablehlo.add %a, %b {mhlo.sharding = "{devices=[2]0,1}"} : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Numbers of booleans around a byte, all kinds of splats.
func.func @booleans() -> (tensor<i1>, tensor<1xi1>, tensor<3xi1>, tensor<3xi1>, tensor<8xi1>, tensor<8xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<2x8xi1>, tensor<0xi1>) {
  %0 = stablehlo.constant dense<true> : tensor<i1>
  %1 = stablehlo.constant dense<[false]> : tensor<1xi1>
  %2 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %3 = stablehlo.constant dense<true> : tensor<3xi1>
  %4 = stablehlo.constant dense<[true, false, true, true, false, false, false, true]> : tensor<8xi1>
  %5 = stablehlo.constant dense<true> : tensor<8xi1>
  %6 = stablehlo.constant dense<[true, false, true, true, false, false, false, true, true]> : tensor<9xi1>
  %7 = stablehlo.constant dense<true> : tensor<9xi1>
  %8 = stablehlo.constant dense<false> : tensor<9xi1>
  %9 = stablehlo.constant dense<[[true, false, true, true, false, false, false, true], [true, false, true, true, false, false, true, true]]> : tensor<2x8xi1>
  %10 = stablehlo.constant dense<> : tensor<0xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<i1>, tensor<1xi1>, tensor<3xi1>, tensor<3xi1>, tensor<8xi1>, tensor<8xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<2x8xi1>, tensor<0xi1>
}

func.func @numbers() -> (tensor<3xi4>, tensor<3xui4>, tensor<2xi64>, tensor<2xui8>, tensor<2xbf16>, tensor<2xcomplex<f32>>, tensor<5xcomplex<f64>>, tensor<0x3xf32>, tensor<2x2xf16>, tensor<f64>) {
  %0 = stablehlo.constant dense<[-8, 7, 1]> : tensor<3xi4>
  %1 = stablehlo.constant dense<[15, 0, 1]> : tensor<3xui4>
  %2 = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
  %3 = stablehlo.constant dense<[255, 0]> : tensor<2xui8>
  %4 = stablehlo.constant dense<[1.5, 0x7FC0]> : tensor<2xbf16>
  %5 = stablehlo.constant dense<[(1.0, -2.0), (0.0, 0x7F800000)]> : tensor<2xcomplex<f32>>
  %6 = stablehlo.constant dense<(1.0, -2.0)> : tensor<5xcomplex<f64>>
  %7 = stablehlo.constant dense<> : tensor<0x3xf32>
  %8 = stablehlo.constant dense<[[1.0, 2.0], [3.0, -0.0]]> : tensor<2x2xf16>
  %9 = stablehlo.constant dense<0.1> : tensor<f64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<3xi4>, tensor<3xui4>, tensor<2xi64>, tensor<2xui8>, tensor<2xbf16>, tensor<2xcomplex<f32>>, tensor<5xcomplex<f64>>, tensor<0x3xf32>, tensor<2x2xf16>, tensor<f64>
}

func.func @small_numbers() -> (tensor<3xi2>, tensor<3xui2>, tensor<2xf8E4M3FN>, tensor<2xf8E3M4>, tensor<2xf4E2M1FN>) {
  %0 = stablehlo.constant dense<[-2, 1, 0]> : tensor<3xi2>
  %1 = stablehlo.constant dense<[3, 0, 1]> : tensor<3xui2>
  %2 = stablehlo.constant dense<[1.5, -0.0]> : tensor<2xf8E4M3FN>
  %3 = stablehlo.constant dense<[1.5, -0.0]> : tensor<2xf8E3M4>
  %4 = stablehlo.constant dense<[1.5, -0.0]> : tensor<2xf4E2M1FN>
  return %0, %1, %2, %3, %4 : tensor<3xi2>, tensor<3xui2>, tensor<2xf8E4M3FN>, tensor<2xf8E3M4>, tensor<2xf4E2M1FN>
}
