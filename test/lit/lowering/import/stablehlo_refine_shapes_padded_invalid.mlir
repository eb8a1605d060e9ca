// RUN: stitch-opt %s -split-input-file -verify-diagnostics --stablehlo-refine-shapes="dims=t=1..8 padded=true"

func.func @main(%x: tensor<4x?xf32> {stitch.dims = ["", "t"]}) -> tensor<4x2xf32> {
  // expected-error@+1 {{'stablehlo.slice' op takes 2 elements of dimension 1, which may have fewer: t}}
  %0 = stablehlo.slice %x [0:4, 0:2] : (tensor<4x?xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

func.func @main(%x: tensor<?x4xf32> {stitch.dims = ["t", ""]}, %i: tensor<i32>) -> tensor<2x4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  // expected-error@+1 {{'stablehlo.dynamic_slice' op takes 2 elements of dimension 0, which may have fewer: t}}
  %0 = stablehlo.dynamic_slice %x, %i, %c, sizes = [2, 4] : (tensor<?x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<?x?xf32> {stitch.dims = ["t", "t"]}) -> tensor<?x?xf32> {
  // expected-error@+1 {{'stablehlo.cholesky' op has a matrix of an open size, t x t}}
  %0 = stablehlo.cholesky %x, lower = true : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @main(%x: tensor<?x4xf32> {stitch.dims = ["t", ""]}, %s: tensor<4xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{'stablehlo.batch_norm_training' op has no rule for tensors that are padded to the size of a bucket: compile for one size, as in --dim b=8}}
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 1.0e-05 : f32, feature_index = 1 : i64}> : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0 : tensor<?x4xf32>
}

// -----

func.func @main(%x: tensor<?xf32> {stitch.dims = ["t"]}) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // expected-error@+1 {{'stablehlo.pad' op has a dimension 0 of size 1 * t - 2, which is negative for some of the sizes asked for}}
  %0 = stablehlo.pad %x, %zero, low = [-2], high = [0], interior = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A result that may be empty has no rows.
func.func @main(%x: tensor<?xf32> {stitch.dims = ["t"]}) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [-1], high = [0], interior = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  // expected-error@+1 {{takes or returns a tensor of 1 * t - 1, which may be empty or too large to be padded}}
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32> {stitch.dims = ["t"]}, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'stablehlo.scatter' op names a dimension that its operand has not}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [3], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<?xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?xf32> {stitch.dims = ["t"]}, %m: tensor<2xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{'stablehlo.add' op has operands of different shapes}}
  %0 = "stablehlo.add"(%x, %m) : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<?x!quant.uniform<i8:f32, 0.5>> {stitch.dims = ["t"]}, %i: tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 0.5>> {
  // expected-error@+1 {{'stablehlo.reduce' op has a quantised type, which cannot be padded to the size of a bucket: compile for one size, as in --dim b=8}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<?x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<!quant.uniform<i8:f32, 0.5>>
}
