// What portable artifacts hold, as dialects/vhlo reads it: its types and attributes are StableHLO's and MLIR's already.
// test/programs/artifacts.py does the same with what jaxlib writes; here are versions that jaxlib does not write.
// RUN: stitch-opt %s --convert-vhlo-to-stablehlo | FileCheck %s

// CHECK: func.func public @main(%arg0: tensor<4xf32> {jax.x = true}) -> tensor<4xf32> {
// CHECK-NEXT: %[[A:.*]] = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = "stablehlo.custom_call"(%[[A]]) <{call_target_name = "foo"}> : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = "stablehlo.tanh"(%[[B]]) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[D:.*]] = "stablehlo.uniform_quantize"(%[[C]]) {mhlo.x = 1 : i32} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 1.000000e+00>>
// CHECK-NEXT: %[[E:.*]] = call @private(%[[C]]) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %[[E]] : tensor<4xf32>
"vhlo.func_v1"() <{arg_attrs = [{jax.x = true}], function_type = (tensor<4xf32>) -> tensor<4xf32>, res_attrs = [], sym_name = "main", sym_visibility = "public"}> ({
^bb0(%arg0: tensor<4xf32>):
  %0 = "vhlo.collective_broadcast_v2"(%arg0) <{channel_id = 0 : i64, has_dynamic_root = false, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "vhlo.custom_call_v2"(%0) <{api_version = 1 : i32, backend_config = "", call_target_name = "foo", called_computations = [], has_side_effect = false, operand_layouts = [], output_operand_aliases = [], result_layouts = [], result_tilings = []}> : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "vhlo.tanh_v2"(%1) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>}> : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "vhlo.uniform_quantize_v1"(%2) {mhlo.x = 1 : i32} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
  %4 = "vhlo.call_v1"(%2) <{callee = "private"}> : (tensor<4xf32>) -> tensor<4xf32>
  "vhlo.return_v1"(%4) : (tensor<4xf32>) -> ()
}) : () -> ()

// In the oldest artifacts attributes are no properties.
// CHECK: func.func private @private(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: "stablehlo.dot_general"(%arg0, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}>
"vhlo.func_v1"() ({
^bb0(%arg0: tensor<4xf32>):
  %0 = "vhlo.dot_general_v1"(%arg0, %arg0) {lhs_batching_dimensions = dense<> : tensor<0xi64>, lhs_contracting_dimensions = dense<0> : tensor<1xi64>, precision_config = [], rhs_batching_dimensions = dense<> : tensor<0xi64>, rhs_contracting_dimensions = dense<0> : tensor<1xi64>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  "vhlo.return_v1"(%arg0) : (tensor<4xf32>) -> ()
}) {arg_attrs = [], function_type = (tensor<4xf32>) -> tensor<4xf32>, res_attrs = [], sym_name = "private", sym_visibility = "private"} : () -> ()
