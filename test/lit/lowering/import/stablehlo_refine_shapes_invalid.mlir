// RUN: stitch-opt %s -split-input-file -verify-diagnostics --stablehlo-refine-shapes=dims=b=5

// expected-error@+1 {{has dimension 1 of argument 0, 'arg0.1', without a size: give one, as in --dim arg0.1=8}}
func.func @main(%arg0: tensor<?x?xf32> {stitch.dims = ["b", ""]}) -> tensor<?x?xf32> {
  return %arg0 : tensor<?x?xf32>
}

// -----

// expected-error@+1 {{has no dimension 'b' of unknown size; there are: arg0.1, c}}
func.func @main(%arg0: tensor<3x?xf32>, %arg1: tensor<?xf32> {stitch.dims = ["c"]}) -> tensor<3x?xf32> {
  return %arg0 : tensor<3x?xf32>
}

// -----

// expected-error@+1 {{has dimension 0 of argument 0, 'b', of at most 4, got 5}}
func.func @main(%arg0: tensor<?xf32, #stablehlo.bounds<4>> {stitch.dims = ["b"]}) -> tensor<?xf32, #stablehlo.bounds<4>> {
  return %arg0 : tensor<?xf32, #stablehlo.bounds<4>>
}

// -----

func.func @main(%arg0: tensor<?xf32> {stitch.dims = ["b"]}) -> tensor<?xf32> {
  %c = stablehlo.constant dense<8> : tensor<i32>
  %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %1 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // expected-error@+1 {{does not hold for the sizes asked for: expected at least 8, but found 5.}}
  stablehlo.custom_call @shape_assertion(%1, %0) {error_message = "expected at least 8, but found {0}."} : (tensor<i1>, tensor<i32>) -> ()
  return %arg0 : tensor<?xf32>
}

// -----

func.func @main(%arg0: tensor<?xf32> {stitch.dims = ["b"]}, %arg1: tensor<1xi32>) -> tensor<?xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  // expected-error@+1 {{has a result whose shape, operand 1, does not follow from the sizes of the inputs}}
  %0 = stablehlo.dynamic_broadcast_in_dim %c, %arg1, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%arg0: tensor<?xf32> {stitch.dims = ["b"]}) -> tensor<8xf32> {
  %c = stablehlo.constant dense<8> : tensor<1xi32>
  %z = stablehlo.constant dense<1.0> : tensor<8xf32>
  // expected-error@+1 {{has operands of different shapes: 5 and 8}}
  %0 = stablehlo.add %arg0, %z : (tensor<?xf32>, tensor<8xf32>) -> tensor<?xf32>
  return %z : tensor<8xf32>
}

// -----

func.func @main(%arg0: tensor<?xf32> {stitch.dims = ["b"]}) -> tensor<?x4xf32> {
  %size = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %list = stablehlo.broadcast_in_dim %size, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  // expected-error@+1 {{has dimension 1 of size 4 in its type, but it is 5}}
  %0 = stablehlo.dynamic_broadcast_in_dim %c, %list, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @main(%arg0: tensor<?xf32> {stitch.dims = ["b"]}) -> tensor<?xf32> {
  %0 = call @f(%arg0) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @f(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{calls a function that calls itself}}
  %0 = call @f(%arg0) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%arg0: tensor<?xf32> {stitch.dims = ["b"]}, %arg1: tensor<i1>) -> tensor<?xf32> {
  // expected-error@+1 {{has a value 0 whose shape changes from one iteration to the next}}
  %0 = stablehlo.while(%x = %arg0) : tensor<?xf32>
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %twice = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      stablehlo.return %twice : tensor<?xf32>
    }
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%arg0: tensor<?xf32> {stitch.dims = ["b"]}) -> tensor<?xf32> {
  // expected-error@+1 {{has a result whose shape cannot be found out}}
  %0 = stablehlo.custom_call @unknown(%arg0) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
