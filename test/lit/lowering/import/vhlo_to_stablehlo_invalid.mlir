// What no artifact should hold is refused where it is.
// RUN: stitch-opt %s -split-input-file -verify-diagnostics --convert-vhlo-to-stablehlo --allow-unregistered-dialect

func.func @newer(%a: tensor<4xf32>) {
  // expected-error @+1 {{'vhlo.add_v7' op cannot be converted to StableHLO: VHLO has no such operation up to version 1.20.0; the artifact is of a newer one}}
  %0 = "vhlo.add_v7"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @missing(%a: tensor<4x3xf32>, %i: tensor<2x1xi32>) {
  // expected-error @+1 {{'vhlo.gather_v2' op cannot be converted to StableHLO: attribute 'offset_dims' is not a list of integers}}
  %0 = "vhlo.gather_v2"(%a, %i) : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @convolution(%a: tensor<1x3x2xf32>, %k: tensor<3x2x5xf32>) {
  // expected-error @+1 {{'vhlo.convolution_v1' op cannot be converted to StableHLO: attributes 'input_batch_dimension', 'input_feature_dimension' and 'input_spatial_dimensions' are not the dimensions of a tensor}}
  %0 = "vhlo.convolution_v1"(%a, %k) <{input_batch_dimension = 0 : i64, input_feature_dimension = 0 : i64, input_spatial_dimensions = dense<1> : tensor<1xi64>}> : (tensor<1x3x2xf32>, tensor<3x2x5xf32>) -> tensor<1x1x5xf32>
  return
}

// -----

func.func @callee(%a: tensor<4xf32>) {
  // expected-error @+1 {{'vhlo.call_v1' op cannot be converted to StableHLO: attribute 'callee' is not a name}}
  "vhlo.call_v1"(%a) <{callee = 1 : i64}> : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{'vhlo.func_v1' op cannot be converted to StableHLO: attribute 'function_type' is not the type of a function}}
"vhlo.func_v1"() <{sym_name = "main", function_type = "none"}> ({
^bb0:
  "vhlo.return_v1"() : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{'vhlo.func_v1' op cannot be converted to StableHLO: the function has no name}}
"vhlo.func_v1"() ({
^bb0:
  "vhlo.return_v1"() : () -> ()
}) : () -> ()
