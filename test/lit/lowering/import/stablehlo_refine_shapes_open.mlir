// RUN: stitch-opt %s -split-input-file -verify-diagnostics --stablehlo-refine-shapes=dims=b=2..8 | FileCheck %s
// RUN: stitch-opt %s -split-input-file -verify-diagnostics --stablehlo-refine-shapes=dims=b=2..8 --convert-stablehlo-to-tg --tg-simplify | FileCheck %s --check-prefix=TG

// A range keeps the size open: the largest size is in the types, the symbol beside it, its value in an argument. Assertions hold for all
// sizes, and the size as data is the argument's.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %arg0: tensor<8x4xf32, "b">
// CHECK-SAME: %arg1: tensor<i32> {stitch.symbol = {high = 8 : i64, low = 2 : i64, name = "b"}}
// CHECK-SAME: -> (tensor<16x2xf32, "b">, tensor<4xf32>)
// CHECK-NOT: shape_assertion
// CHECK: "stablehlo.dynamic_reshape"{{.*}}-> tensor<16x2xf32, "b">
// CHECK: %[[TWICE:.*]] = "stablehlo.multiply"(%arg1
// CHECK: "stablehlo.convert"(%[[TWICE]])
// TG-LABEL: func.func @main(
// TG: tg.mul %arg1, %{{.*}} : tensor<i32>
func.func @main(%arg0: tensor<?x4xf32> {stitch.dims = ["b", ""]}) -> (tensor<?x2xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %twos = stablehlo.constant dense<2> : tensor<1xi32>
  %size = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %holds = stablehlo.compare GE, %size, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%holds, %size) {error_message = "b is {0}"} : (tensor<i1>, tensor<i32>) -> ()
  %twice = stablehlo.multiply %size, %two : tensor<i32>
  %list = stablehlo.reshape %twice : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %list, %twos, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %arg0, %shape : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  %rows = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %count = stablehlo.convert %rows : (tensor<i32>) -> tensor<f32>
  %counts = stablehlo.broadcast_in_dim %count, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %sum = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32>, tensor<f32>) -> tensor<4xf32>
  %mean = stablehlo.divide %sum, %counts : tensor<4xf32>
  return %0, %mean : tensor<?x2xf32>, tensor<4xf32>
}

// -----

func.func @main(%arg0: tensor<?x4xf32> {stitch.dims = ["b", ""]}) -> tensor<?xf32> {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %size = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %holds = stablehlo.compare GE, %size, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // expected-error@+1 {{does not hold for all of the sizes asked for: at least 3, not b}}
  stablehlo.custom_call @shape_assertion(%holds, %size) {error_message = "at least 3, not {0}"} : (tensor<i1>, tensor<i32>) -> ()
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%arg0: tensor<?x4xf32> {stitch.dims = ["b", ""]}) -> tensor<4x?xf32> {
  // expected-error@+1 {{has a dimension 1 of size b: only the outermost dimension can be open, as a multiple of a symbol; compile for one size, as in --dim b=8}}
  %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

func.func @main(%arg0: tensor<?x4xf32> {stitch.dims = ["b", ""]}, %arg1: tensor<3x4xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{has a dimension 0 of size 1 * b + 3: only the outermost dimension can be open, as a multiple of a symbol}}
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
