// Every verifier, and what it says.
// RUN: stitch-opt %s -verify-diagnostics -split-input-file

func.func @f(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tg.add' op operand 'rhs' has type 'tensor<4xf32>' but 'lhs' has type 'tensor<8xf32>'}}
  %0 = "tg.add"(%a, %b) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.add' op result has type 'tensor<4xf32>' but operand 'lhs' has type 'tensor<8xf32>'}}
  %0 = "tg.add"(%a, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %b: tensor<8xf16>) {
  // expected-error@+1 {{'tg.add' op operand 'rhs' has type 'tensor<8xf16>' but 'lhs' has type 'tensor<8xf32>'}}
  %0 = "tg.add"(%a, %b) : (tensor<8xf32>, tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %b: tensor<?xf32>) {
  // expected-error@+1 {{'tg.add' op operand 'rhs' has type 'tensor<?xf32>' but 'lhs' has type 'tensor<8xf32>'}}
  %0 = "tg.add"(%a, %b) : (tensor<8xf32>, tensor<?xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error@+1 {{'tg.add' op operand #0 must be ranked tensor of a supported element type, but got 'f32'}}
  %0 = "tg.add"(%a, %a) : (f32, f32) -> f32
  return
}

// -----

func.func @f(%a: tensor<8xi3>) {
  // expected-error@+1 {{'tg.add' op operand #0 must be ranked tensor of a supported element type, but got 'tensor<8xi3>'}}
  %0 = "tg.add"(%a, %a) : (tensor<8xi3>, tensor<8xi3>) -> tensor<8xi3>
  return
}

// -----

func.func @f(%a: tensor<8xsi32>) {
  // expected-error@+1 {{'tg.add' op operand #0 must be ranked tensor of a supported element type, but got 'tensor<8xsi32>'}}
  %0 = "tg.add"(%a, %a) : (tensor<8xsi32>, tensor<8xsi32>) -> tensor<8xsi32>
  return
}

// -----

func.func @f(%a: tensor<*xf32>) {
  // expected-error@+1 {{'tg.add' op operand #0 must be ranked tensor of a supported element type, but got 'tensor<*xf32>'}}
  %0 = "tg.add"(%a, %a) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a: tensor<8xindex>) {
  // expected-error@+1 {{'tg.add' op operand #0 must be ranked tensor of a supported element type, but got 'tensor<8xindex>'}}
  %0 = "tg.add"(%a, %a) : (tensor<8xindex>, tensor<8xindex>) -> tensor<8xindex>
  return
}

// -----

func.func @f(%a: tensor<8xi1>) {
  // expected-error@+1 {{'tg.sub' op operand #0 must be ranked tensor of integers, floats or complex numbers, but got 'tensor<8xi1>'}}
  %0 = tg.sub %a, %a : tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<8xi1>) {
  // expected-error@+1 {{'tg.div' op operand #0 must be ranked tensor of integers, floats or complex numbers, but got 'tensor<8xi1>'}}
  %0 = tg.div %a, %a : tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'tg.rem' op operand #0 must be ranked tensor of integers or floats, but got 'tensor<8xcomplex<f32>>'}}
  %0 = tg.rem %a, %a : tensor<8xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<8xi1>) {
  // expected-error@+1 {{'tg.pow' op operand #0 must be ranked tensor of integers, floats or complex numbers, but got 'tensor<8xi1>'}}
  %0 = tg.pow %a, %a : tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tg.mul' op operand 'rhs' has type 'tensor<4xf32>' but 'lhs' has type 'tensor<8xf32>'}}
  %0 = "tg.mul"(%a, %b) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tg.max' op operand 'rhs' has type 'tensor<4xf32>' but 'lhs' has type 'tensor<8xf32>'}}
  %0 = "tg.max"(%a, %b) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tg.min' op operand 'rhs' has type 'tensor<4xf32>' but 'lhs' has type 'tensor<8xf32>'}}
  %0 = "tg.min"(%a, %b) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.atan2' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.atan2 %a, %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.and' op operand #0 must be ranked tensor of integers or predicates, but got 'tensor<8xf32>'}}
  %0 = tg.and %a, %a : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.or' op operand #0 must be ranked tensor of integers or predicates, but got 'tensor<8xf32>'}}
  %0 = tg.or %a, %a : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.xor' op operand #0 must be ranked tensor of integers or predicates, but got 'tensor<8xf32>'}}
  %0 = tg.xor %a, %a : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xi1>) {
  // expected-error@+1 {{'tg.shl' op operand #0 must be ranked tensor of integers, but got 'tensor<8xi1>'}}
  %0 = tg.shl %a, %a : tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.shr_arith' op operand #0 must be ranked tensor of integers, but got 'tensor<8xf32>'}}
  %0 = tg.shr_arith %a, %a : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.shr_logic' op operand #0 must be ranked tensor of integers, but got 'tensor<8xf32>'}}
  %0 = tg.shr_logic %a, %a : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'tg.abs' op result #0 must be ranked tensor of integers or floats, but got 'tensor<8xcomplex<f32>>'}}
  %0 = "tg.abs"(%a) : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.abs' op result has type 'tensor<4xf32>' but 'tensor<8xf32>' follows from the operands, 'tensor<8xf32>'}}
  %0 = "tg.abs"(%a) : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<8xi1>) {
  // expected-error@+1 {{'tg.abs' op operand #0 must be ranked tensor of integers, floats or complex numbers, but got 'tensor<8xi1>'}}
  %0 = tg.abs %a : tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.neg' op result has type 'tensor<4xf32>' but operand 'operand' has type 'tensor<8xf32>'}}
  %0 = "tg.neg"(%a) : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<8xi1>) {
  // expected-error@+1 {{'tg.neg' op operand #0 must be ranked tensor of integers, floats or complex numbers, but got 'tensor<8xi1>'}}
  %0 = tg.neg %a : tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<8xi1>) {
  // expected-error@+1 {{'tg.sign' op operand #0 must be ranked tensor of integers, floats or complex numbers, but got 'tensor<8xi1>'}}
  %0 = tg.sign %a : tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.ceil' op operand #0 must be ranked tensor of floats, but got 'tensor<8xi32>'}}
  %0 = tg.ceil %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.floor' op operand #0 must be ranked tensor of floats, but got 'tensor<8xi32>'}}
  %0 = tg.floor %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.round' op operand #0 must be ranked tensor of floats, but got 'tensor<8xi32>'}}
  %0 = tg.round %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'tg.round_even' op operand #0 must be ranked tensor of floats, but got 'tensor<8xcomplex<f32>>'}}
  %0 = tg.round_even %a : tensor<8xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.exp' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.exp %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.expm1' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.expm1 %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.log' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.log %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.log1p' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.log1p %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.logistic' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.logistic %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.tanh' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.tanh %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.tan' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.tan %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.sin' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.sin %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.cos' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.cos %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.sqrt' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.sqrt %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.rsqrt' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.rsqrt %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.cbrt' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.cbrt %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'tg.erf' op operand #0 must be ranked tensor of floats, but got 'tensor<8xcomplex<f32>>'}}
  %0 = tg.erf %a : tensor<8xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.not' op operand #0 must be ranked tensor of integers or predicates, but got 'tensor<8xf32>'}}
  %0 = tg.not %a : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xi1>) {
  // expected-error@+1 {{'tg.popcnt' op operand #0 must be ranked tensor of integers, but got 'tensor<8xi1>'}}
  %0 = tg.popcnt %a : tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.clz' op operand #0 must be ranked tensor of integers, but got 'tensor<8xf32>'}}
  %0 = tg.clz %a : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.is_finite' op operand #0 must be ranked tensor of floats, but got 'tensor<8xi32>'}}
  %0 = tg.is_finite %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.is_finite' op result has type 'tensor<4xi1>' but 'tensor<8xi1>' follows from the operands, 'tensor<8xf32>'}}
  %0 = "tg.is_finite"(%a) : (tensor<8xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.real' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.real %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.imag' op operand #0 must be ranked tensor of floats or complex numbers, but got 'tensor<8xi32>'}}
  %0 = tg.imag %a : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.reduce_precision' op attribute 'exponent_bits' must not be less than 1, got 0}}
  %0 = tg.reduce_precision %a exponent_bits 0 mantissa_bits 7 : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.reduce_precision' op attribute 'mantissa_bits' must not be less than 0, got -1}}
  %0 = tg.reduce_precision %a exponent_bits 8 mantissa_bits -1 : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf16>) {
  // expected-error@+1 {{'tg.complex' op operand 'lhs' must have elements of f32 or f64, got 'tensor<8xf16>'}}
  %0 = tg.complex %a, %a : tensor<8xf16>
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tg.complex' op operand 'rhs' has type 'tensor<4xf32>' but 'lhs' has type 'tensor<8xf32>'}}
  %0 = "tg.complex"(%a, %b) : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'tg.compare' op complex numbers have no order: direction 'lt' for 'tensor<8xcomplex<f32>>'}}
  %0 = tg.compare lt, %a, %a : tensor<8xcomplex<f32>>
  return
}

// -----

func.func @f(%a: tensor<8xi32>) {
  // expected-error@+1 {{'tg.compare' op attribute 'total_order' is for floats, got 'tensor<8xi32>'}}
  %0 = tg.compare lt, %a, %a total_order : tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tg.compare' op operand 'rhs' has type 'tensor<4xf32>' but 'lhs' has type 'tensor<8xf32>'}}
  %0 = "tg.compare"(%a, %b) <{direction = 0 : i32}> : (tensor<8xf32>, tensor<4xf32>) -> tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.compare' op result has type 'tensor<4xi1>' but 'tensor<8xi1>' follows from the operands, 'tensor<8xf32>', 'tensor<8xf32>'}}
  %0 = "tg.compare"(%a, %a) <{direction = 0 : i32}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{invalid properties {direction = 6 : i32} for op tg.compare: Invalid attribute `direction` in property conversion: 6 : i32}}
  %0 = "tg.compare"(%a, %a) <{direction = 6 : i32}> : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.compare' op requires attribute 'direction'}}
  %0 = "tg.compare"(%a, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return
}

// -----

func.func @f(%a: tensor<4xi1>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'tg.select' op operand 'pred' has type 'tensor<4xi1>': neither rank 0 nor the shape of 'on_true', 'tensor<8xf32>'}}
  %0 = tg.select %a, %b, %b : tensor<4xi1>, tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xi32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'tg.select' op operand #0 must be ranked tensor of i1, but got 'tensor<8xi32>'}}
  %0 = tg.select %a, %b, %b : tensor<8xi32>, tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xi1>, %b: tensor<8xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{'tg.select' op 'on_false' has type 'tensor<4xf32>' but 'on_true' has type 'tensor<8xf32>'}}
  %0 = "tg.select"(%a, %b, %c) : (tensor<8xi1>, tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %b: tensor<8xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{'tg.clamp' op operand 'min' has type 'tensor<4xf32>': neither rank 0 nor the shape of 'operand', 'tensor<8xf32>'}}
  %0 = tg.clamp %a, %b, %c : tensor<4xf32>, tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @f(%a: tensor<f32>, %b: tensor<8xf32>, %c: tensor<f16>) {
  // expected-error@+1 {{'tg.clamp' op operand 'max' has type 'tensor<f16>' but 'operand' has type 'tensor<8xf32>'}}
  %0 = tg.clamp %a, %b, %c : tensor<f32>, tensor<8xf32>, tensor<f16>
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{'tg.fma' op operand 'c' has type 'tensor<4xf32>' but 'a' has type 'tensor<8xf32>'}}
  %0 = "tg.fma"(%a, %b, %c) : (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.convert' op result has type 'tensor<4xf16>': not the shape of 'operand', 'tensor<8xf32>'}}
  %0 = tg.convert %a : (tensor<8xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.bitcast_convert' op cannot cast 'tensor<8xf32>' to 'tensor<8xi16>': 'tensor<8xf32>' stands for 'tensor<8x2xi16>'}}
  %0 = tg.bitcast_convert %a : (tensor<8xf32>) -> tensor<8xi16>
  return
}

// -----

func.func @f(%a: tensor<8xi1>) {
  // expected-error@+1 {{'tg.bitcast_convert' op cannot cast 'tensor<8xi1>' to 'tensor<8xi8>': 'tensor<8xi8>' stands for 'tensor<8x8xi1>'}}
  %0 = tg.bitcast_convert %a : (tensor<8xi1>) -> tensor<8xi8>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tg.constant' op 'result' has type 'tensor<8xf32>' but 'value' has type 'tensor<4xf32>'}}
  %0 = "tg.constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tg.constant' op result #0 must be ranked tensor of a supported element type, but got 'vector<4xi32>'}}
  %0 = tg.constant dense<1> : vector<4xi32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tg.iota' op attribute 'dim' has dimension 1, which is not in [0, 1)}}
  %0 = tg.iota dim 1 : tensor<8xi32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tg.iota' op result must have a static shape, got 'tensor<?xi32>'}}
  %0 = tg.iota dim 0 : tensor<?xi32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tg.broadcast' op attribute 'dims' has 2 entries for 1 dimensions}}
  %0 = tg.broadcast %a dims [0, 1] : (tensor<4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tg.broadcast' op attribute 'dims' has dimension 2, which is not in [0, 2)}}
  %0 = tg.broadcast %a dims [2] : (tensor<4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>) {
  // expected-error@+1 {{'tg.broadcast' op attribute 'dims' has dimension 1 twice}}
  %0 = tg.broadcast %a dims [1, 1] : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tg.broadcast' op dimension 0 of 'operand', 'tensor<4xf32>', has size 4: neither 1 nor the size of dimension 0 of the result, 'tensor<8x4xf32>'}}
  %0 = tg.broadcast %a dims [0] : (tensor<4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tg.broadcast' op result has type 'tensor<8x4xf16>': not the element type of 'operand', 'tensor<4xf32>'}}
  %0 = tg.broadcast %a dims [1] : (tensor<4xf32>) -> tensor<8x4xf16>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tg.broadcast' op dimension 0 of the result, 'tensor<?x4xf32>', is dynamic and no dimension of 'operand', 'tensor<4xf32>', gives its size}}
  %0 = tg.broadcast %a dims [1] : (tensor<4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.reshape' op result has type 'tensor<31xf32>', 31 elements, but 'operand' has type 'tensor<8x4xf32>', 32 elements}}
  %0 = tg.reshape %a : (tensor<8x4xf32>) -> tensor<31xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.reshape' op result has type 'tensor<32xf16>': not the element type of 'operand', 'tensor<8x4xf32>'}}
  %0 = tg.reshape %a : (tensor<8x4xf32>) -> tensor<32xf16>
  return
}

// -----

func.func @f(%a: tensor<?x4xf32>) {
  // expected-error@+1 {{'tg.reshape' op result has type 'tensor<?x?xf32>': at most one dimension of it can be dynamic}}
  %0 = tg.reshape %a : (tensor<?x4xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.transpose' op attribute 'permutation' has 1 entries for 2 dimensions}}
  %0 = tg.transpose %a permutation [0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.transpose' op attribute 'permutation' has dimension 2, which is not in [0, 2)}}
  %0 = tg.transpose %a permutation [0, 2] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.transpose' op attribute 'permutation' has dimension 0 twice}}
  %0 = tg.transpose %a permutation [0, 0] : (tensor<8x4xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.transpose' op result has type 'tensor<8x4xf32>' but 'tensor<4x8xf32>' follows from the operands, 'tensor<8x4xf32>'}}
  %0 = tg.transpose %a permutation [1, 0] : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.reverse' op attribute 'dims' has dimension 2, which is not in [0, 2)}}
  %0 = tg.reverse %a dims [2] : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.reverse' op attribute 'dims' has dimension 1 twice}}
  %0 = tg.reverse %a dims [1, 1] : tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.slice' op attribute 'starts' has 1 entries for 2 dimensions}}
  %0 = tg.slice %a [0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.slice' op [0, 9) is not within dimension 0 of 'operand', 'tensor<8x4xf32>'}}
  %0 = tg.slice %a [0:9, 0:4] : (tensor<8x4xf32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.slice' op [5, 4) is not within dimension 0 of 'operand', 'tensor<8x4xf32>'}}
  %0 = tg.slice %a [5:4, 0:4] : (tensor<8x4xf32>) -> tensor<0x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.slice' op attribute 'strides' must not be less than 1, got 0}}
  %0 = tg.slice %a [0:8:0, 0:4] : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.slice' op result has type 'tensor<2x4xf32>' but 'tensor<3x4xf32>' follows from the operands, 'tensor<8x4xf32>'}}
  %0 = tg.slice %a [0:8:3, 0:4] : (tensor<8x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.slice' op attribute 'starts' must not be less than 0, got -1}}
  %0 = tg.slice %a [-1:8, 0:4] : (tensor<8x4xf32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{'tg.dynamic_slice' op has 1 start indices for 'operand', 'tensor<8x4xf32>'}}
  %0 = tg.dynamic_slice %a[%b] sizes [1, 4] : (tensor<8x4xf32>, tensor<i32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<i32>, %c: tensor<i64>) {
  // expected-error@+1 {{'tg.dynamic_slice' op start indices have different types, 'tensor<i32>' and 'tensor<i64>'}}
  %0 = tg.dynamic_slice %a[%b, %c] sizes [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i64>) -> tensor<1x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{'tg.dynamic_slice' op a slice of 5 does not fit dimension 1 of 'operand', 'tensor<8x4xf32>'}}
  %0 = tg.dynamic_slice %a[%b, %b] sizes [1, 5] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<1xi32>) {
  // expected-error@+1 {{'tg.dynamic_slice' op operand #1 must be variadic of ranked tensor of one integer (rank 0), but got 'tensor<1xi32>'}}
  %0 = tg.dynamic_slice %a[%b, %b] sizes [1, 4] : (tensor<8x4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<1x5xf32>, %c: tensor<i32>) {
  // expected-error@+1 {{'tg.dynamic_update_slice' op operand 'update', 'tensor<1x5xf32>', does not fit dimension 1 of 'operand', 'tensor<8x4xf32>'}}
  %0 = tg.dynamic_update_slice %a[%c, %c], %b : (tensor<8x4xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<4xf32>, %c: tensor<i32>) {
  // expected-error@+1 {{'tg.dynamic_update_slice' op operand 'update', 'tensor<4xf32>', must have the rank and element type of 'operand', 'tensor<8x4xf32>'}}
  %0 = tg.dynamic_update_slice %a[%c, %c], %b : (tensor<8x4xf32>, tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<1x4xf32>, %c: tensor<i32>) {
  // expected-error@+1 {{'tg.dynamic_update_slice' op has 1 start indices for 'operand', 'tensor<8x4xf32>'}}
  %0 = tg.dynamic_update_slice %a[%c], %b : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<i32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'tg.pad' op attribute 'low' has 1 entries for 2 dimensions}}
  %0 = tg.pad %a, %b low [0] high [0, 0] interior [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'tg.pad' op attribute 'interior' must not be less than 0, got -1}}
  %0 = tg.pad %a, %b low [0, 0] high [0, 0] interior [0, -1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'tg.pad' op dimension 1 of 'operand', 'tensor<8x4xf32>', would have the size -1}}
  %0 = tg.pad %a, %b low [0, -3] high [0, -2] interior [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<f32>) {
  // expected-error@+1 {{'tg.pad' op result has type 'tensor<8x4xf32>' but 'tensor<8x5xf32>' follows from the operands, 'tensor<8x4xf32>', 'tensor<f32>'}}
  %0 = tg.pad %a, %b low [0, 1] high [0, 0] interior [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<f16>) {
  // expected-error@+1 {{'tg.pad' op operand 'padding_value', 'tensor<f16>', must have rank 0 and the element type of 'operand', 'tensor<8x4xf32>'}}
  %0 = tg.pad %a, %b low [0, 0] high [0, 0] interior [0, 0] : (tensor<8x4xf32>, tensor<f16>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<8x5xf32>) {
  // expected-error@+1 {{'tg.concatenate' op inputs 'tensor<8x4xf32>' and 'tensor<8x5xf32>' differ in more than dimension 0}}
  %0 = tg.concatenate %a, %b dim 0 : (tensor<8x4xf32>, tensor<8x5xf32>) -> tensor<16x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.concatenate' op attribute 'dim' has dimension 2, which is not in [0, 2)}}
  %0 = tg.concatenate %a, %b dim 2 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{'tg.concatenate' op result has type 'tensor<16x4xf32>' but 'tensor<10x4xf32>' follows from the operands, 'tensor<8x4xf32>', 'tensor<2x4xf32>'}}
  %0 = tg.concatenate %a, %b dim 0 : (tensor<8x4xf32>, tensor<2x4xf32>) -> tensor<16x4xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tg.concatenate' op has no inputs}}
  %0 = "tg.concatenate"() <{dim = 0 : i64}> : () -> tensor<16x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>) {
  // expected-error@+1 {{'tg.gather' op dimension 0 is removed from slices, so its slice size must be 1, got 2}}
  %0 = tg.gather %a, %b offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [2, 4] : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>) {
  // expected-error@+1 {{'tg.gather' op a slice of 5 does not fit dimension 1 of 'operand', 'tensor<100x4xf32>'}}
  %0 = tg.gather %a, %b offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 5] : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>) {
  // expected-error@+1 {{'tg.gather' op attribute 'start_index_map and operand_batching_dims' has 2 entries but an index of 'tensor<8xi32>' has 1}}
  %0 = tg.gather %a, %b offset_dims [1] collapsed_slice_dims [0] start_index_map [0, 1] index_vector_dim 1 slice_sizes [1, 4] : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>) {
  // expected-error@+1 {{'tg.gather' op attribute 'start_index_map and operand_batching_dims' has dimension 2, which is not in [0, 2)}}
  %0 = tg.gather %a, %b offset_dims [1] collapsed_slice_dims [0] start_index_map [2] index_vector_dim 1 slice_sizes [1, 4] : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>) {
  // expected-error@+1 {{'tg.gather' op attribute 'offset_dims' has dimension 2, which is not in [0, 2)}}
  %0 = tg.gather %a, %b offset_dims [2] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>) {
  // expected-error@+1 {{'tg.gather' op attribute 'offset_dims' must be in increasing order}}
  %0 = tg.gather %a, %b offset_dims [1, 0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<8x1x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>) {
  // expected-error@+1 {{'tg.gather' op attribute 'index_vector_dim' is 2, which is not in [0, 1]}}
  %0 = tg.gather %a, %b offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 2 slice_sizes [1, 4] : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>) {
  // expected-error@+1 {{'tg.gather' op result has type 'tensor<9x4xf32>' but 'tensor<8x4xf32>' follows from the operands, 'tensor<100x4xf32>', 'tensor<8xi32>'}}
  %0 = tg.gather %a, %b offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<100x4xf32>, tensor<8xi32>) -> tensor<9x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8x0xi32>) {
  // expected-error@+1 {{'tg.gather' op batching dimension 0 of 'operand', 'tensor<100x4xf32>', and dimension 0 of the indices, 'tensor<8x0xi32>', differ in size}}
  %0 = tg.gather %a, %b offset_dims [1] operand_batching_dims [0] start_indices_batching_dims [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<100x4xf32>, tensor<8x0xi32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<8x0xi32>) {
  // expected-error@+1 {{'tg.gather' op attribute 'operand_batching_dims' has 1 entries but 'start_indices_batching_dims' has 0}}
  %0 = tg.gather %a, %b offset_dims [1] operand_batching_dims [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<8x0xi32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'tg.gather' op operand #1 must be ranked tensor of integers that are indices, but got 'tensor<8xf32>'}}
  %0 = tg.gather %a, %b offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<100x4xf32>, tensor<8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>, %c: tensor<8x5xf32>) {
  // expected-error@+1 {{'tg.scatter' op dimension 1 of 'updates', 'tensor<8x5xf32>', does not fit 'operand', 'tensor<100x4xf32>'}}
  %0 = tg.scatter add %a, %b, %c update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<100x4xf32>, tensor<8xi32>, tensor<8x5xf32>) -> tensor<100x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>, %c: tensor<7x4xf32>) {
  // expected-error@+1 {{'tg.scatter' op dimension 0 of 'updates', 'tensor<7x4xf32>', does not fit 'scatter_indices', 'tensor<8xi32>'}}
  %0 = tg.scatter add %a, %b, %c update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<100x4xf32>, tensor<8xi32>, tensor<7x4xf32>) -> tensor<100x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>, %c: tensor<8x4xf16>) {
  // expected-error@+1 {{'tg.scatter' op operand 'updates', 'tensor<8x4xf16>', must have the element type of 'operand', 'tensor<100x4xf32>'}}
  %0 = tg.scatter add %a, %b, %c update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<100x4xf32>, tensor<8xi32>, tensor<8x4xf16>) -> tensor<100x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>, %c: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.scatter' op operand 'updates', 'tensor<8x4xf32>', must have 1 dimensions: 1 of 'scatter_indices', 'tensor<8xi32>', and 0 'update_window_dims'}}
  %0 = tg.scatter add %a, %b, %c inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<100x4xf32>, tensor<8xi32>, tensor<8x4xf32>) -> tensor<100x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>, %c: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.scatter' op kind 'and' does not apply to 'operand', 'tensor<100x4xf32>'}}
  %0 = tg.scatter and %a, %b, %c update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<100x4xf32>, tensor<8xi32>, tensor<8x4xf32>) -> tensor<100x4xf32>
  return
}

// -----

func.func @f(%a: tensor<100x4xf32>, %b: tensor<8xi32>, %c: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.scatter' op result has type 'tensor<99x4xf32>' but 'tensor<100x4xf32>' follows from the operands, 'tensor<100x4xf32>', 'tensor<8xi32>', 'tensor<8x4xf32>'}}
  %0 = tg.scatter replace %a, %b, %c update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<100x4xf32>, tensor<8xi32>, tensor<8x4xf32>) -> tensor<99x4xf32>
  return
}

// -----

func.func @f(%a: tensor<64x128xf32>) {
  // expected-error@+1 {{'tg.reduce' op attribute 'dims' has dimension 2, which is not in [0, 2)}}
  %0 = tg.reduce add %a dims [2] : (tensor<64x128xf32>) -> tensor<64xf32>
  return
}

// -----

func.func @f(%a: tensor<64x128xf32>) {
  // expected-error@+1 {{'tg.reduce' op attribute 'dims' has dimension 1 twice}}
  %0 = tg.reduce add %a dims [1, 1] : (tensor<64x128xf32>) -> tensor<64xf32>
  return
}

// -----

func.func @f(%a: tensor<64x128xf32>) {
  // expected-error@+1 {{'tg.reduce' op result has type 'tensor<128xf32>' but 'tensor<64xf32>' follows from the operands, 'tensor<64x128xf32>'}}
  %0 = tg.reduce add %a dims [1] : (tensor<64x128xf32>) -> tensor<128xf32>
  return
}

// -----

func.func @f(%a: tensor<64x128xf32>) {
  // expected-error@+1 {{'tg.reduce' op kind 'and' does not apply to 'operand', 'tensor<64x128xf32>'}}
  %0 = tg.reduce and %a dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  return
}

// -----

func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'tg.reduce' op kind 'max' does not apply to 'operand', 'tensor<8xcomplex<f32>>'}}
  %0 = tg.reduce max %a dims [0] : (tensor<8xcomplex<f32>>) -> tensor<complex<f32>>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.reduce' op requires attribute 'kind'}}
  %0 = "tg.reduce"(%a) <{dims = array<i64: 0>}> : (tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a: tensor<64x128xf32>) {
  // expected-error@+1 {{'tg.arg_reduce' op kind must be 'min' or 'max', got 'add'}}
  %0:2 = tg.arg_reduce add %a dim 1 : (tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64xi32>)
  return
}

// -----

func.func @f(%a: tensor<64x128xf32>) {
  // expected-error@+1 {{'tg.arg_reduce' op attribute 'dim' has dimension 2, which is not in [0, 2)}}
  %0:2 = tg.arg_reduce max %a dim 2 : (tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64xi32>)
  return
}

// -----

func.func @f(%a: tensor<64x128xf32>) {
  // expected-error@+1 {{'tg.arg_reduce' op 'value' has type 'tensor<128xf32>' but 'tensor<64xf32>' follows from 'operand', 'tensor<64x128xf32>'}}
  %0:2 = tg.arg_reduce max %a dim 1 : (tensor<64x128xf32>) -> (tensor<128xf32>, tensor<64xi32>)
  return
}

// -----

func.func @f(%a: tensor<64x128xf32>) {
  // expected-error@+1 {{'tg.arg_reduce' op result 'index' has type 'tensor<128xi32>': not the shape of 'value', 'tensor<64xf32>'}}
  %0:2 = tg.arg_reduce max %a dim 1 : (tensor<64x128xf32>) -> (tensor<64xf32>, tensor<128xi32>)
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<5x2xf32>) {
  // expected-error@+1 {{'tg.dot' op contracted dimension 1 of 'lhs', 'tensor<8x4xf32>', and dimension 0 of 'rhs', 'tensor<5x2xf32>', differ in size}}
  %0 = tg.dot %a, %b contract [1] x [0] : (tensor<8x4xf32>, tensor<5x2xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) {
  // expected-error@+1 {{'tg.dot' op result has type 'tensor<2x8xf32>' but 'tensor<8x2xf32>' follows from 'lhs', 'tensor<8x4xf32>', and 'rhs', 'tensor<4x2xf32>'}}
  %0 = tg.dot %a, %b contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) {
  // expected-error@+1 {{'tg.dot' op attribute 'lhs_batch and lhs_contract' has dimension 2, which is not in [0, 2)}}
  %0 = tg.dot %a, %b contract [2] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.dot' op attribute 'lhs_batch and lhs_contract' has dimension 0 twice}}
  %0 = tg.dot %a, %b batch [0] x [0] contract [0] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>) {
  // expected-error@+1 {{'tg.dot' op has 2 contracted dimensions of 'lhs' and 1 of 'rhs'}}
  %0 = tg.dot %a, %b contract [0, 1] x [0] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dot_precision(%a: tensor<8x4xf16>, %b: tensor<4x2xf16>) {
  // expected-error@+1 {{'tg.dot' op precision tf32 is of operands and a result in f32, not of 'tensor<8x4xf16>'}}
  %0 = tg.dot %a, %b contract [1] x [0] precision tf32 : (tensor<8x4xf16>, tensor<4x2xf16>) -> tensor<8x2xf16>
  return
}

// -----

func.func @dot_precision_of_result(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) {
  // expected-error@+1 {{'tg.dot' op precision tf32 is of operands and a result in f32, not of 'tensor<8x2xf64>'}}
  %0 = tg.dot %a, %b contract [1] x [0] precision tf32 : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf64>
  return
}

// -----

func.func @dot_precision_unknown(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>) {
  // expected-error@+1 {{custom op 'tg.dot' expected string or keyword containing one of the following enum values for attribute 'precision' [tf32, full]}}
  %0 = tg.dot %a, %b contract [1] x [0] precision half : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @f(%a: tensor<8x4xf32>, %b: tensor<7x4xf32>) {
  // expected-error@+1 {{'tg.dot' op batch dimension 0 of 'lhs', 'tensor<8x4xf32>', and dimension 0 of 'rhs', 'tensor<7x4xf32>', differ in size}}
  %0 = tg.dot %a, %b batch [0] x [0] contract [1] x [1] : (tensor<8x4xf32>, tensor<7x4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x3x3xf32>) {
  // expected-error@+1 {{'tg.convolution' op attribute 'window_strides' has 2 entries for 1 dimensions}}
  %0 = tg.convolution %a, %b dims [b, f, 0] x [o, i, 0] -> [b, f, 0] window_strides [1, 1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] : (tensor<2x3x8xf32>, tensor<16x3x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x3x3xf32>) {
  // expected-error@+1 {{'tg.convolution' op result has type 'tensor<2x16x7xf32>' but 'tensor<2x16x8xf32>' follows from 'lhs', 'tensor<2x3x8xf32>', and 'rhs', 'tensor<16x3x3xf32>'}}
  %0 = tg.convolution %a, %b dims [b, f, 0] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] : (tensor<2x3x8xf32>, tensor<16x3x3xf32>) -> tensor<2x16x7xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x4x3xf32>) {
  // expected-error@+1 {{'tg.convolution' op 'lhs', 'tensor<2x3x8xf32>', has 3 features but 'rhs', 'tensor<16x4x3xf32>', takes 4 in each of 1 groups}}
  %0 = tg.convolution %a, %b dims [b, f, 0] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] : (tensor<2x3x8xf32>, tensor<16x4x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x1x3xf32>) {
  // expected-error@+1 {{'tg.convolution' op 'rhs', 'tensor<16x1x3xf32>', has 16 output features, no multiple of 3 groups}}
  %0 = tg.convolution %a, %b dims [b, f, 0] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] feature_group_count 3 : (tensor<2x3x8xf32>, tensor<16x1x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x3x3xf32>) {
  // expected-error@+1 {{'tg.convolution' op attribute 'rhs_dilation' must not be less than 1, got 0}}
  %0 = tg.convolution %a, %b dims [b, f, 0] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [0] : (tensor<2x3x8xf32>, tensor<16x3x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x3x3xf32>) {
  // expected-error@+1 {{'tg.convolution' op attribute 'window_reversal' has 2 entries for 1 dimensions}}
  %0 = tg.convolution %a, %b dims [b, f, 0] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] window_reversal [true, true] : (tensor<2x3x8xf32>, tensor<16x3x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x3x3xf32>) {
  // expected-error@+1 {{'tg.convolution' op feature_group_count = 0 and batch_group_count = 1: both must be positive, and one of them 1}}
  %0 = tg.convolution %a, %b dims [b, f, 0] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] feature_group_count 0 : (tensor<2x3x8xf32>, tensor<16x3x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x3x3xf32>) {
  // expected-error@+1 {{custom op 'tg.convolution' dimension 'b' is there twice}}
  %0 = tg.convolution %a, %b dims [b, b, 0] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] : (tensor<2x3x8xf32>, tensor<16x3x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x3x3xf32>) {
  // expected-error@+1 {{custom op 'tg.convolution' expected dimensions 'b' and 'f'}}
  %0 = tg.convolution %a, %b dims [b, 1, 0] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] : (tensor<2x3x8xf32>, tensor<16x3x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x3x3xf32>) {
  // expected-error@+1 {{custom op 'tg.convolution' spatial dimensions must be numbered from 0}}
  %0 = tg.convolution %a, %b dims [b, f, 1] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] : (tensor<2x3x8xf32>, tensor<16x3x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x3x3xf32>) {
  // expected-error@+1 {{custom op 'tg.convolution' expected 'b', 'f' or a number}}
  %0 = tg.convolution %a, %b dims [b, c, 0] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] : (tensor<2x3x8xf32>, tensor<16x3x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3x8xf32>, %b: tensor<16x3x3xf32>) {
  // expected-error@+1 {{'tg.convolution' op names 4 dimensions of 'lhs', 'tensor<2x3x8xf32>'}}
  %0 = tg.convolution %a, %b dims [b, f, 0, 1] x [o, i, 0] -> [b, f, 0] window_strides [1] padding_low [1] padding_high [1] lhs_dilation [1] rhs_dilation [1] : (tensor<2x3x8xf32>, tensor<16x3x3xf32>) -> tensor<2x16x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.reduce_window' op result has type 'tensor<4x5xf32>' but 'tensor<4x4xf32>' follows from the operands, 'tensor<4x8xf32>'}}
  %0 = tg.reduce_window max %a window_dimensions [1, 2] window_strides [1, 2] base_dilations [1, 1] window_dilations [1, 1] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.reduce_window' op attribute 'window_dimensions' must not be less than 1, got 0}}
  %0 = tg.reduce_window max %a window_dimensions [1, 0] window_strides [1, 2] base_dilations [1, 1] window_dilations [1, 1] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.reduce_window' op attribute 'window_strides' has 1 entries for 2 dimensions}}
  %0 = tg.reduce_window max %a window_dimensions [1, 2] window_strides [1] base_dilations [1, 1] window_dilations [1, 1] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.reduce_window' op kind 'or' does not apply to 'operand', 'tensor<4x8xf32>'}}
  %0 = tg.reduce_window or %a window_dimensions [1, 2] window_strides [1, 2] base_dilations [1, 1] window_dilations [1, 1] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x4xf32>) {
  // expected-error@+1 {{'tg.select_and_scatter' op select_kind must be 'min' or 'max', got 'add'}}
  %0 = tg.select_and_scatter add add %a, %b window_dimensions [1, 2] window_strides [1, 2] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x5xf32>) {
  // expected-error@+1 {{'tg.select_and_scatter' op 'source' has type 'tensor<4x5xf32>' but 'tensor<4x4xf32>' follows from 'operand', 'tensor<4x8xf32>'}}
  %0 = tg.select_and_scatter max add %a, %b window_dimensions [1, 2] window_strides [1, 2] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x4xf32>) {
  // expected-error@+1 {{'tg.select_and_scatter' op 'result' has type 'tensor<4x7xf32>' but 'tensor<4x8xf32>' follows from 'operand', 'tensor<4x8xf32>'}}
  %0 = tg.select_and_scatter max add %a, %b window_dimensions [1, 2] window_strides [1, 2] padding_low [0, 0] padding_high [0, 0] : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.cumulative' op attribute 'dim' has dimension 2, which is not in [0, 2)}}
  %0 = tg.cumulative add %a dim 2 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.cumulative' op kind 'xor' does not apply to 'operand', 'tensor<4x8xf32>'}}
  %0 = tg.cumulative xor %a dim 1 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.top_k' op attribute 'k' is 9, not in the last dimension of 'operand', 'tensor<4x8xf32>'}}
  %0:2 = tg.top_k %a k 9 : (tensor<4x8xf32>) -> (tensor<4x9xf32>, tensor<4x9xi32>)
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.top_k' op 'values' has type 'tensor<4x4xf32>' but 'tensor<4x3xf32>' follows from 'operand', 'tensor<4x8xf32>'}}
  %0:2 = tg.top_k %a k 3 : (tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x3xi32>)
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.top_k' op 'indices' has type 'tensor<4x4xi32>' but 'tensor<4x3xi32>' follows from 'operand', 'tensor<4x8xf32>'}}
  %0:2 = tg.top_k %a k 3 : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x4xi32>)
  return
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{'tg.top_k' op operand 'operand' must have a dimension, got 'tensor<f32>'}}
  %0:2 = tg.top_k %a k 1 : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.softmax' op attribute 'dim' has dimension 2, which is not in [0, 2)}}
  %0 = tg.softmax %a dim 2 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.log_softmax' op attribute 'dim' has dimension -1, which is not in [0, 2)}}
  %0 = tg.log_softmax %a dim -1 : tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xi32>) {
  // expected-error@+1 {{'tg.gelu' op operand #0 must be ranked tensor of floats, but got 'tensor<4x8xi32>'}}
  %0 = tg.gelu %a : tensor<4x8xi32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tg.layer_norm' op 'scale' has type 'tensor<4xf32>' but 'tensor<8xf32>' follows from 'operand', 'tensor<4x8xf32>'}}
  %0 = tg.layer_norm %a, %b, %b dims [1] epsilon 1.0e-5 : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'tg.layer_norm' op attribute 'dims' has dimension 2, which is not in [0, 2)}}
  %0 = tg.layer_norm %a, %b, %b dims [2] epsilon 1.0e-5 : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tg.batch_norm_training' op 'scale' has type 'tensor<4xf32>' but 'tensor<8xf32>' follows from 'operand', 'tensor<4x8xf32>'}}
  %0:3 = tg.batch_norm_training %a, %b, %b feature_index 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tg.batch_norm_training' op attribute 'feature_index' has dimension 2, which is not in [0, 2)}}
  %0:3 = tg.batch_norm_training %a, %b, %b feature_index 2 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'tg.batch_norm_inference' op 'result' has type 'tensor<4x7xf32>' but 'tensor<4x8xf32>' follows from 'operand', 'tensor<4x8xf32>'}}
  %0 = tg.batch_norm_inference %a, %b, %b, %b, %b feature_index 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<4x7xf32>) {
  // expected-error@+1 {{'tg.batch_norm_grad' op 'grad_output' has type 'tensor<4x7xf32>' but 'tensor<4x8xf32>' follows from 'operand', 'tensor<4x8xf32>'}}
  %0:3 = tg.batch_norm_grad %a, %b, %b, %b, %c feature_index 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x7xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a: tensor<i32>) {
  // expected-error@+1 {{'tg.rng' op a normal distribution is of floats, got 'tensor<8xi32>'}}
  %0 = tg.rng normal %a, %a : (tensor<i32>, tensor<i32>) -> tensor<8xi32>
  return
}

// -----

func.func @f(%a: tensor<f32>, %b: tensor<f16>) {
  // expected-error@+1 {{'tg.rng' op 'b' has type 'tensor<f16>' but 'tensor<f32>' follows from 'result', 'tensor<8xf32>'}}
  %0 = tg.rng uniform %a, %b : (tensor<f32>, tensor<f16>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{'tg.rng' op result must have a static shape, got 'tensor<?xf32>'}}
  %0 = tg.rng uniform %a, %a : (tensor<f32>, tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<2xui64>) {
  // expected-error@+1 {{'tg.rng_bit_generator' op 'output_state' has type 'tensor<3xui64>' but 'tensor<2xui64>' follows from 'initial_state', 'tensor<2xui64>'}}
  %0:2 = tg.rng_bit_generator philox %a : (tensor<2xui64>) -> (tensor<3xui64>, tensor<8xui32>)
  return
}

// -----

func.func @f(%a: tensor<2xui64>) {
  // expected-error@+1 {{'tg.rng_bit_generator' op 'output' must have a static shape, got 'tensor<?xui32>'}}
  %0:2 = tg.rng_bit_generator philox %a : (tensor<2xui64>) -> (tensor<2xui64>, tensor<?xui32>)
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.all_reduce' op attribute 'groups' must be a matrix, got 'tensor<2xi64>'}}
  %0 = tg.all_reduce add %a groups dense<[0, 1]> : tensor<2xi64> : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.all_reduce' op attribute 'groups' has process 0 twice}}
  %0 = tg.all_reduce add %a groups dense<[[0, 0]]> : tensor<1x2xi64> : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.all_reduce' op kind 'and' does not apply to 'operand', 'tensor<8xf32>'}}
  %0 = tg.all_reduce and %a groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.all_gather' op 'result' has type 'tensor<8xf32>' but 'tensor<16xf32>' follows from 'operand', 'tensor<8xf32>'}}
  %0 = tg.all_gather %a groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.all_gather' op attribute 'groups' must have groups of one size}}
  %0 = tg.all_gather %a groups dense<[[0, -1]]> : tensor<1x2xi64> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{'tg.all_gather' op 'operand' must have a dimension, got 'tensor<f32>'}}
  %0 = tg.all_gather %a groups dense<[[0, 1]]> : tensor<1x2xi64> : (tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.reduce_scatter' op dimension 0 of 'operand', 'tensor<8xf32>', has no 3 equal parts}}
  %0 = tg.reduce_scatter add %a groups dense<[[0, 1, 2]]> : tensor<1x3xi64> : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<7x4xf32>) {
  // expected-error@+1 {{'tg.all_to_all' op dimension 0 of 'operand', 'tensor<7x4xf32>', has no 2 equal parts}}
  %0 = tg.all_to_all %a groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<7x4xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.all_to_all' op attribute 'groups' must have groups of one size}}
  %0 = tg.all_to_all %a groups dense<> : tensor<1x0xi64> : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.collective_broadcast' op attribute 'groups' has the process -2}}
  %0 = tg.collective_broadcast %a groups dense<[[0, -2]]> : tensor<1x2xi64> : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.collective_permute' op attribute 'pairs' has process 0 twice as a source}}
  %0 = tg.collective_permute %a pairs dense<[[0, 1], [0, 2]]> : tensor<2x2xi64> : tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.collective_permute' op attribute 'pairs' must have two columns, got 'tensor<1x3xi64>'}}
  %0 = tg.collective_permute %a pairs dense<[[0, 1, 2]]> : tensor<1x3xi64> : tensor<8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tg.process_id' op result #0 must be ranked tensor of one integer (rank 0), but got 'tensor<2xui32>'}}
  %0 = tg.process_id : tensor<2xui32>
  return
}

// -----

func.func @f(%a: f32) {
  // expected-error@+1 {{'tg.optimization_barrier' op operand #0 must be variadic of ranked tensor of a supported element type, but got 'f32'}}
  %0 = tg.optimization_barrier %a : f32
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.optimization_barrier' op result has type 'tensor<4xf32>' but 'tensor<8xf32>' follows from the operands, 'tensor<8xf32>'}}
  %0 = "tg.optimization_barrier"(%a) : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.custom_call' op requires attribute 'call_target_name'}}
  %0 = "tg.custom_call"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: i32) {
  // expected-error@+1 {{'tg.custom_call' op operand #0 must be variadic of ranked tensor of a supported element type, but got 'i32'}}
  %0 = tg.custom_call "f"(%a) : (i32) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<f32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'tg.clamp' op 'result' has type 'tensor<4xf32>' but 'operand' has type 'tensor<8xf32>'}}
  %0 = "tg.clamp"(%a, %b, %a) : (tensor<f32>, tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{'tg.layer_norm' op 'offset' has type 'tensor<4xf32>' but 'scale' has type 'tensor<8xf32>'}}
  %0 = "tg.layer_norm"(%a, %b, %c) <{dims = array<i64: 1>, epsilon = 1.0e-5 : f64}> : (tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<7xf32>) {
  // expected-error@+1 {{'tg.batch_norm_inference' op 'mean' has type 'tensor<7xf32>' but 'scale' has type 'tensor<8xf32>'}}
  %0 = tg.batch_norm_inference %a, %b, %b, %c, %b feature_index 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<7xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tg.yield' op expects parent op to be one of 'tg.sort, tg.while, tg.if, tg.case, tg.general_cumulative, tg.general_reduce, tg.general_reduce_window, tg.general_scatter, tg.general_select_and_scatter'}}
  tg.yield
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.sort' op attribute 'dim' has dimension 1, which is not in [0, 1)}}
  %0 = tg.sort %a dim 1 : tensor<8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %p = tg.compare lt, %x, %y : tensor<f32>
    tg.yield %p : tensor<i1>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  // expected-error@+1 {{'tg.sort' op comparator takes 'tensor<f32>' but 'tensor<f32>', 'tensor<f32>' follows from the inputs}}
  %0 = tg.sort %a dim 0 : tensor<8xf32> {
  ^bb0(%x: tensor<f32>):
    %p = tg.compare lt, %x, %x : tensor<f32>
    tg.yield %p : tensor<i1>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  %0 = tg.sort %a dim 0 : tensor<8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    // expected-error@+1 {{'tg.yield' op yields 'tensor<f32>' where tensor<i1> is expected}}
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tg.sort' op inputs 'tensor<8xf32>' and 'tensor<4xf32>' differ in shape}}
  %0:2 = tg.sort %a, %b dim 0 : tensor<8xf32>, tensor<4xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %u: tensor<f32>):
    %p = tg.compare lt, %x, %y : tensor<f32>
    tg.yield %p : tensor<i1>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>) {
  %0 = tg.while(%x = %a) : tensor<8xf32> cond {
    // expected-error@+1 {{'tg.yield' op yields ('tensor<8xf32>') where ('tensor<i1>') is expected}}
    tg.yield %x : tensor<8xf32>
  } do {
    tg.yield %x : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %p: tensor<i1>) {
  %0 = tg.while(%x = %a) : tensor<8xf32> cond {
    tg.yield %p : tensor<i1>
  } do {
    // expected-error@+1 {{'tg.yield' op yields ('tensor<i1>') where ('tensor<8xf32>') is expected}}
    tg.yield %p : tensor<i1>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{'tg.while' op condition takes ('tensor<4xf32>') where ('tensor<8xf32>') is expected}}
  %0 = "tg.while"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    tg.yield %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<8xf32>):
    tg.yield %x : tensor<8xf32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %p: tensor<i1>) {
  // expected-error@+1 {{'tg.while' op has results ('tensor<4xf32>') but 'inits' ('tensor<8xf32>')}}
  %0 = "tg.while"(%a) ({
  ^bb0(%x: tensor<8xf32>):
    tg.yield %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<8xf32>):
    tg.yield %x : tensor<8xf32>
  }) : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %p: tensor<i1>) {
  %0 = tg.if %p : (tensor<i1>) -> tensor<8xf32> {
    tg.yield %a : tensor<8xf32>
  } else {
    // expected-error@+1 {{'tg.yield' op yields ('tensor<i1>') where ('tensor<8xf32>') is expected}}
    tg.yield %p : tensor<i1>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %p: tensor<8xi1>) {
  // expected-error@+1 {{'tg.if' op operand #0 must be ranked tensor of one i1 (rank 0), but got 'tensor<8xi1>'}}
  %0 = tg.if %p : (tensor<8xi1>) -> tensor<8xf32> {
    tg.yield %a : tensor<8xf32>
  } else {
    tg.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %i: tensor<i32>) {
  %0 = tg.case %i : (tensor<i32>) -> tensor<8xf32> {
    tg.yield %a : tensor<8xf32>
  }, {
    // expected-error@+1 {{'tg.yield' op yields ('tensor<i32>') where ('tensor<8xf32>') is expected}}
    tg.yield %i : tensor<i32>
  }
  return
}

// -----

func.func @f(%i: tensor<i32>) {
  // expected-error@+1 {{'tg.case' op has no regions}}
  %0 = "tg.case"(%i) : (tensor<i32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<i32>) {
  // expected-error@+1 {{'tg.general_reduce' op initial value of type 'tensor<i32>' is not one element of input 'tensor<4x8xf32>'}}
  %0 = tg.general_reduce %a inits %z dims [1] : (tensor<4x8xf32>, tensor<i32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'tg.general_reduce' op 'result' has type 'tensor<8xf32>' but 'tensor<4xf32>' follows from 'input', 'tensor<4x8xf32>'}}
  %0 = tg.general_reduce %a inits %z dims [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'tg.general_reduce' op inputs 'tensor<4x8xf32>' and 'tensor<8x4xf32>' differ in shape}}
  %0:2 = tg.general_reduce %a, %b inits %z, %z dims [1] : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<8xf32>) {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %v: tensor<f32>, %w: tensor<f32>):
    tg.yield %x, %y : tensor<f32>, tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'tg.general_reduce' op body takes ('tensor<f32>', 'tensor<i32>') where ('tensor<f32>', 'tensor<f32>') is expected}}
  %0 = tg.general_reduce %a inits %z dims [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<i32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tg.general_cumulative' op attribute 'dim' has dimension 2, which is not in [0, 2)}}
  %0 = tg.general_cumulative %a dim 2 : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tg.general_cumulative' op is exclusive, so that its first result is the initial value, but has none}}
  %0 = tg.general_cumulative %a dim 1 exclusive : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tg.general_cumulative' op has 1 inputs but 2 initial values}}
  %0 = tg.general_cumulative %a inits %z, %z dim 1 : (tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> tensor<4x8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tg.general_cumulative' op initial value of type 'tensor<i32>' is not one element of input 'tensor<4x8xf32>'}}
  %0 = tg.general_cumulative %a inits %i dim 1 : (tensor<4x8xf32>, tensor<i32>) -> tensor<4x8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{'tg.general_cumulative' op has 1 inputs but 2 results}}
  %0:2 = tg.general_cumulative %a dim 1 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tg.general_cumulative' op results are of other types than inputs}}
  %0 = tg.general_cumulative %a dim 1 : (tensor<4x8xf32>) -> tensor<4x7xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %z: tensor<f32>, %i: tensor<i32>) {
  // expected-error@+1 {{'tg.general_cumulative' op body takes ('tensor<f32>') where ('tensor<f32>', 'tensor<f32>') is expected}}
  %0 = tg.general_cumulative %a dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%x: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %z: tensor<f32>) {
  // expected-error@+1 {{'tg.general_reduce_window' op 'result' has type 'tensor<8xf32>' but 'tensor<4xf32>' follows from 'input', 'tensor<8xf32>'}}
  %0 = tg.general_reduce_window %a inits %z window_dimensions [2] window_strides [2] base_dilations [1] window_dilations [1] padding_low [0] padding_high [0] : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %i: tensor<3xi32>, %u: tensor<4xf32>) {
  // expected-error@+1 {{'tg.general_scatter' op dimension 0 of 'updates', 'tensor<4xf32>', does not fit 'scatter_indices', 'tensor<3xi32>'}}
  %0 = tg.general_scatter %a at %i updates %u inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8xf32>, tensor<3xi32>, tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%a: tensor<8xf32>, %s: tensor<4xf32>, %z: tensor<f32>) {
  %0 = tg.general_select_and_scatter %a, %s, %z window_dimensions [2] window_strides [2] padding_low [0] padding_high [0] : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    // expected-error@+1 {{'tg.yield' op yields ('tensor<f32>') where ('tensor<i1>') is expected}}
    tg.yield %x : tensor<f32>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    tg.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'tg.fft' op 'operand' of transform 'fft' must be complex, got 'tensor<4x6xf32>'}}
  %0 = tg.fft fft %x length [6] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x4xcomplex<f32>>) {
  // expected-error@+1 {{'tg.fft' op 'result' of transform 'irfft' must be real, got 'tensor<4x6xcomplex<f32>>'}}
  %0 = tg.fft irfft %x length [6] : (tensor<4x4xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<6xcomplex<f32>>) {
  // expected-error@+1 {{'tg.fft' op attribute 'length' has 2 entries: it must have 1 to 3, and no more than 'operand', 'tensor<6xcomplex<f32>>', has dimensions}}
  %0 = tg.fft fft %x length [6, 6] : (tensor<6xcomplex<f32>>) -> tensor<6xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'tg.fft' op attribute 'length' is 8 for dimension 1 of 'operand', 'tensor<4x6xf32>'}}
  %0 = tg.fft rfft %x length [8] : (tensor<4x6xf32>) -> tensor<4x5xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{'tg.fft' op 'result' has type 'tensor<4x3xcomplex<f32>>' but 'tensor<4x4xcomplex<f32>>' follows from 'operand', 'tensor<4x6xf32>'}}
  %0 = tg.fft rfft %x length [6] : (tensor<4x6xf32>) -> tensor<4x3xcomplex<f32>>
  return
}

// -----

func.func @f(%x: tensor<4x3xcomplex<f32>>) {
  // expected-error@+1 {{'tg.fft' op 'operand' has type 'tensor<4x3xcomplex<f32>>' but 'tensor<4x4xcomplex<f32>>' follows from 'result', 'tensor<4x7xf32>'}}
  %0 = tg.fft irfft %x length [7] : (tensor<4x3xcomplex<f32>>) -> tensor<4x7xf32>
  return
}

// -----

func.func @f(%x: tensor<4x4xf16>) {
  // expected-error@+1 {{'tg.cholesky' op operand #0 must be ranked tensor of f32, f64, or complex numbers of them, but got 'tensor<4x4xf16>'}}
  %0 = tg.cholesky lower %x : tensor<4x4xf16>
  return
}

// -----

func.func @f(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{'tg.cholesky' op operand 'operand' must hold square matrices, got 'tensor<4x3xf32>'}}
  %0 = tg.cholesky lower %x : tensor<4x3xf32>
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf64>) {
  // expected-error@+1 {{'tg.triangular_solve' op 'a', 'tensor<4x4xf32>', and 'b', 'tensor<4x4xf64>', differ in their element types}}
  %0 = tg.triangular_solve left lower %a, %b : tensor<4x4xf32>, tensor<4x4xf64>
  return
}

// -----

func.func @f(%a: tensor<2x4x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error@+1 {{'tg.triangular_solve' op 'b', 'tensor<2x4x5xf32>', must have the batch of 'a', 'tensor<2x4x4xf32>', and as many columns}}
  %0 = tg.triangular_solve right lower %a, %b : tensor<2x4x4xf32>, tensor<2x4x5xf32>
  return
}

// -----

func.func @f(%a: tensor<2x4x4xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error@+1 {{'tg.triangular_solve' op 'b', 'tensor<3x4x5xf32>', must have the batch of 'a', 'tensor<2x4x4xf32>', and as many rows}}
  %0 = tg.triangular_solve left lower %a, %b : tensor<2x4x4xf32>, tensor<3x4x5xf32>
  return
}

// -----

func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'tg.bitcast_convert' op cannot cast 'tensor<8xcomplex<f32>>' to 'tensor<8x2xf32>': complex numbers are cast to complex numbers only}}
  %0 = tg.bitcast_convert %a : (tensor<8xcomplex<f32>>) -> tensor<8x2xf32>
  return
}

// -----

func.func @f(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{'tg.max' op operand #0 must be ranked tensor of integers, floats or predicates, but got 'tensor<8xcomplex<f32>>'}}
  %0 = tg.max %a, %a : tensor<8xcomplex<f32>>
  return
}
