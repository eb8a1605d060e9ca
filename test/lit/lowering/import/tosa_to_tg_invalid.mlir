// RUN: stitch-opt %s --convert-tosa-to-tg -verify-diagnostics -split-input-file

func.func @custom(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tosa.custom' op cannot be converted to tg: custom operator 'fancy' of domain 'acme' is unknown}}
  %0 = tosa.custom %a {operator_name = "fancy", domain_name = "acme", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

module {
  module {
    // expected-error@+1 {{'tosa.variable' op cannot be converted to tg: it is not in the module that is converted, or in a function of it}}
    tosa.variable @counter = dense<0> : tensor<1xi32>
  }
}

// -----

// expected-error@+1 {{'tosa.variable' op cannot be converted to tg: dynamic shapes are not supported}}
tosa.variable @v : tensor<?xi32>

// -----

// expected-error@+1 {{'tosa.variable' op cannot be converted to tg: its initial value is not dense elements of the variable's type}}
"tosa.variable"() <{initial_value = dense<7> : tensor<1xi32>, sym_name = "v", type = i32, var_shape = dense<2> : tensor<1xindex>}> : () -> ()

// -----

tosa.variable @v : tensor<i32>
func.func @condition(%x: tensor<i32>, %p: tensor<i1>) -> tensor<i32> {
  // expected-error@+1 {{'tosa.while_loop' op cannot be converted to tg: its condition writes a variable}}
  %r = tosa.while_loop (%a = %x) : (tensor<i32>) -> tensor<i32> {
    tosa.variable_write @v, %a : tensor<i32>
    tosa.yield %p : tensor<i1>
  } do {
  ^bb0(%a: tensor<i32>):
    tosa.yield %a : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

tosa.variable @v : tensor<i32>
func.func private @f(%x: tensor<i32>) -> tensor<i32> {
  %c = tosa.variable_read @v : tensor<i32>
  %d = call @g(%c) : (tensor<i32>) -> tensor<i32>
  return %d : tensor<i32>
}
func.func private @g(%x: tensor<i32>) -> tensor<i32> {
  // expected-error@+1 {{'func.call' op cannot be converted to tg: the function calls itself}}
  %d = call @f(%x) : (tensor<i32>) -> tensor<i32>
  return %d : tensor<i32>
}

// -----

tosa.variable @v : tensor<i32>
func.func @region(%p: i1) {
  // expected-error@+1 {{'scf.if' op cannot be converted to tg: it has a region that accesses variables}}
  scf.if %p {
    %c = tosa.variable_read @v : tensor<i32>
    scf.yield
  }
  return
}

// -----

func.func @mxint8_constant() -> tensor<2x!tosa.mxint8> {
  // expected-error@+1 {{'tosa.const' op cannot be converted to tg: its elements must be dense integers}}
  %0 = "tosa.const"() {values = dense<"0x0102"> : tensor<2x!tosa.mxint8>} : () -> tensor<2x!tosa.mxint8>
  return %0 : tensor<2x!tosa.mxint8>
}

// -----

func.func @mxint8(%a: tensor<1x32x!tosa.mxint8>) -> tensor<1x32x!tosa.mxint8> {
  // expected-error@+1 {{'tosa.add' op cannot be converted to tg: TOSA does not give it a meaning on mxint8}}
  %0 = tosa.add %a, %a : (tensor<1x32x!tosa.mxint8>, tensor<1x32x!tosa.mxint8>) -> tensor<1x32x!tosa.mxint8>
  // expected-error@+1 {{'tosa.abs' op cannot be converted to tg: TOSA does not give it a meaning on mxint8}}
  %1 = tosa.abs %0 : (tensor<1x32x!tosa.mxint8>) -> tensor<1x32x!tosa.mxint8>
  return %1 : tensor<1x32x!tosa.mxint8>
}

// -----

func.func @quantised(%a: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>> {
  // expected-error@+1 {{'tosa.abs' op cannot be converted to tg: operand 0 has type tensor<4x!quant.uniform<i8:f32, 5.000000e-01>>: quantised arithmetic is not supported}}
  %0 = tosa.abs %a : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5>>
}

// -----

func.func @resource() -> tensor<4xi48> {
  // expected-error@+1 {{'tosa.const' op cannot be converted to tg: its elements must be dense integers}}
  %0 = "tosa.const"() {values = dense_resource<weights> : tensor<4xi48>} : () -> tensor<4xi48>
  return %0 : tensor<4xi48>
}

// -----

func.func @multiplier(%a: tensor<4xi48>, %m: tensor<1xi32>) -> tensor<4xi32> {
  %s = "tosa.const"() {values = dense<30> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi48>} : () -> tensor<1xi48>
  %y = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  // expected-error@+1 {{'tosa.rescale' op cannot be converted to tg: integers of 48 bits are signed, and have multipliers of 16 bits}}
  %0 = tosa.rescale %a, %m, %s, %z, %y {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4xi48>, tensor<1xi32>, tensor<1xi8>, tensor<1xi48>, tensor<1xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @wide(%a: tensor<4xi64>, %m: tensor<1xi16>) -> tensor<4xi32> {
  %s = "tosa.const"() {values = dense<30> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %y = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  // expected-error@+1 {{'tosa.rescale' op cannot be converted to tg: TOSA rescales no 64-bit integers, and to none}}
  %0 = tosa.rescale %a, %m, %s, %z, %y {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = false} : (tensor<4xi64>, tensor<1xi16>, tensor<1xi8>, tensor<1xi64>, tensor<1xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @narrow(%a: tensor<4xi4>) -> tensor<4xi4> {
  // expected-error@+1 {{'tosa.abs' op cannot be converted to tg: operand 0 has type tensor<4xi4>: TOSA does not give the operation a meaning on that element type}}
  %0 = tosa.abs %a : (tensor<4xi4>) -> tensor<4xi4>
  return %0 : tensor<4xi4>
}

// -----

func.func @unsigned(%a: tensor<4xui8>) -> tensor<4xui8> {
  // expected-error@+1 {{'tosa.add' op cannot be converted to tg: operand 0 has type tensor<4xui8>: TOSA does not give the operation a meaning on that element type}}
  %0 = tosa.add %a, %a : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// -----

func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tosa.exp' op cannot be converted to tg: operand 0 has type tensor<?xf32>: dynamic shapes are not supported}}
  %0 = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @unranked(%a: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{'tosa.exp' op cannot be converted to tg: operand 0 has type tensor<*xf32>: only ranked tensors are supported}}
  %0 = tosa.exp %a : (tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @shift(%a: tensor<4xi32>, %s: tensor<1xi8>) -> tensor<4xi32> {
  // expected-error@+1 {{'tosa.mul' op cannot be converted to tg: the shift is not a constant}}
  %0 = tosa.mul %a, %a, %s : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @shift_range(%a: tensor<4xi32>) -> tensor<4xi32> {
  %s = "tosa.const"() {values = dense<63> : tensor<1xi8>} : () -> tensor<1xi8>
  // expected-error@+1 {{'tosa.mul' op cannot be converted to tg: the shift, 63, is not between 0 and 62}}
  %0 = tosa.mul %a, %a, %s : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @zero_point(%a: tensor<1x2x3xi8>, %b: tensor<1x3x2xi8>, %z: tensor<1xi8>) -> tensor<1x2x2xi32> {
  // expected-error@+1 {{'tosa.matmul' op cannot be converted to tg: a zero point is not a constant}}
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x2x3xi8>, tensor<1x3x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2xi32>
  return %0 : tensor<1x2x2xi32>
}

// -----

func.func @table(%a: tensor<4xi8>, %t: tensor<255xi8>) -> tensor<4xi8> {
  // expected-error@+1 {{'tosa.table' op}}
  %0 = tosa.table %a, %t : (tensor<4xi8>, tensor<255xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @negative_padding(%a: tensor<4xf32>) -> tensor<?xf32> {
  %p = tosa.const_shape {values = dense<[-1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %v = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  // expected-error@+1 {{'tosa.pad' op cannot be converted to tg: result 0 has type tensor<?xf32>: dynamic shapes are not supported}}
  %0 = tosa.pad %a, %p, %v : (tensor<4xf32>, !tosa.shape<2>, tensor<1xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @division_by_zero() {
  %a = tosa.const_shape {values = dense<[4, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[2, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error@+1 {{'tosa.div_floor_shape' op cannot be converted to tg: element 1 has no value}}
  %0 = tosa.div_floor_shape %a, %b : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  return
}

// -----

func.func @returned_shape() -> !tosa.shape<2> {
  // expected-error@+1 {{'tosa.const_shape' op cannot be converted to tg: 'func.return' uses the shape}}
  %a = tosa.const_shape {values = dense<[4, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  return %a : !tosa.shape<2>
}

// -----

func.func @rescale_shift(%a: tensor<4xi8>) -> tensor<4xi8> {
  %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<63> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  // expected-error@+1 {{'tosa.rescale' op cannot be converted to tg: the shift, 63, is not between 2 and 62}}
  %0 = tosa.rescale %a, %m, %s, %z, %z {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<4xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// All errors are reported.
func.func @several(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'tosa.exp' op cannot be converted to tg}}
  %0 = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{'tosa.log' op cannot be converted to tg}}
  %1 = tosa.log %0 : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
