// RUN: stitch-opt %s -split-input-file -verify-diagnostics

func.func @unknown(%a: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'stablehlo.nonsense' is unknown}}
  %0 = stablehlo.nonsense %a : tensor<4xf32>
  return
}

// -----

func.func @unknown_generic(%a: tensor<4xf32>) {
  // expected-error @+1 {{unregistered operation 'stablehlo.nonsense' found in dialect ('stablehlo') that does not allow unknown operations}}
  %0 = "stablehlo.nonsense"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @generic_only(%a: tensor<4xf32>, %i: tensor<1xi32>) {
  // expected-error @+1 {{'stablehlo.gather' has only a generic form: "stablehlo.gather"(...)}}
  %0 = stablehlo.gather %a, %i : (tensor<4xf32>, tensor<1xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @clause_unknown(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.broadcast_in_dim' has no 'dimensions = ...'}}
  %0 = stablehlo.broadcast_in_dim %a, dimensions = [0] : (tensor<4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @clause_missing(%a: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{'stablehlo.pad' needs 'interior = ...'}}
  %0 = stablehlo.pad %a, %z, low = [1], high = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @clause_twice(%a: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'broadcast_dimensions' is given twice}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0], dims = [0] : (tensor<4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @attribute_twice(%a: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'broadcast_dimensions' is given twice}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] {broadcast_dimensions = 1} : (tensor<4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @operand_count(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.add' has 1 operands and types for 2}}
  %0 = stablehlo.add %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_types(%p: tensor<i1>, %a: tensor<4xf32>) {
  // expected-error @+1 {{expected two types: the predicate's and the result's}}
  %0 = stablehlo.select %p, %a, %a : tensor<4xf32>
  return
}

// -----

func.func @function_types(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected the types of operands and results: (...) -> ...}}
  %0 = stablehlo.reshape %a : tensor<4xf32>
  return
}

// -----

func.func @complex_type(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected one tensor type with complex elements}}
  %0 = stablehlo.complex %a, %a : tensor<4xf32>
  return
}

// -----

func.func @format(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected a format such as e5m10, got 'm10e5'}}
  %0 = stablehlo.reduce_precision %a, format = m10e5 : tensor<4xf32>
  return
}

// -----

func.func @constant() {
  // expected-error @+1 {{expected the elements of a tensor, got "four"}}
  %0 = stablehlo.constant "four"
  return
}

// -----

func.func @applies(%a: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{'func.return' cannot be applied by stablehlo.reduce}}
  %0 = stablehlo.reduce(%a init: %z) applies func.return across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @applies_two(%a: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{'applies' needs one result of ranked tensor type}}
  %0:2 = stablehlo.reduce(%a init: %z), (%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @window(%a: tensor<1x8x3xf32>, %k: tensor<3x3x4xf32>) {
  // expected-error @+1 {{a window has no 'stripe'}}
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stripe = [1]} : (tensor<1x8x3xf32>, tensor<3x3x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @while_types(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.while' has 1 operands and types for 2}}
  %0 = stablehlo.while(%x = %a) : tensor<4xf32>, tensor<4xf32> cond {} do {}
  return
}

// -----

func.func @constant_of_type() {
  // expected-error @+1 {{expected a dictionary, got 1 : i64}}
  %0 = stablehlo.constant() <1> {value = dense<1> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @constant_operands(%a: tensor<i8>) {
  // expected-error @+1 {{expected ')'}}
  %0 = stablehlo.constant(%a) {value = dense<1> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 0.5>>
  return
}
