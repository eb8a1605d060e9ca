// RUN: stitch-opt %s -split-input-file --stablehlo-refine-shapes=dims=b=5 | FileCheck %s
// RUN: stitch-opt %s -split-input-file --stablehlo-refine-shapes=dims=b=5 --convert-stablehlo-to-tg --tg-simplify | FileCheck %s --check-prefix=TG

// What jax.export writes: the symbol is the parameter of the function that has the model.

// CHECK-LABEL: func.func public @main(%arg0: tensor<5x4xf32>, %arg1: tensor<4xf32>) -> tensor<5x4xf32>
// CHECK-NOT: shape_assertion
// CHECK: "stablehlo.dynamic_broadcast_in_dim"({{.*}}) -> tensor<5x4xf32>
// CHECK: "stablehlo.add"(%arg0, {{.*}}) : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
// CHECK-NOT: func.func private
// TG-LABEL: func.func public @main(%arg0: tensor<5x4xf32>, %arg1: tensor<4xf32>) -> tensor<5x4xf32>
// TG-NEXT: tg.broadcast
// TG-NEXT: tg.add
// TG-NEXT: return
func.func public @main(%arg0: tensor<?x4xf32>, %arg1: tensor<4xf32>) -> tensor<?x4xf32> {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %1 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%1, %0) {error_message = "b is {0}"} : (tensor<i1>, tensor<i32>) -> ()
  %2 = call @model(%0, %arg0, %arg1) : (tensor<i32>, tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}
func.func private @model(%arg0: tensor<i32> {jax.global_constant = "b"}, %arg1: tensor<?x4xf32>, %arg2: tensor<4xf32>) -> tensor<?x4xf32> {
  %c = stablehlo.constant dense<4> : tensor<1xi32>
  %0 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.concatenate %0, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_broadcast_in_dim %arg2, %1, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %3 = stablehlo.add %arg1, %2 : tensor<?x4xf32>
  return %3 : tensor<?x4xf32>
}

// -----

// Names that are given, and limits.

// CHECK-LABEL: func.func @main(%arg0: tensor<3x5xf32>
// CHECK-SAME: %arg1: tensor<5xf32>
// CHECK-SAME: -> (tensor<5xf32>, tensor<13x3xf32>, tensor<5x3xf32>)
// CHECK: "stablehlo.reduce"(%arg0
// CHECK: (tensor<3x5xf32>, tensor<f32>) -> tensor<5xf32>
// CHECK: "stablehlo.transpose"{{.*}}-> tensor<5x3xf32>
// CHECK: "stablehlo.pad"{{.*}}-> tensor<13x3xf32>
func.func @main(%arg0: tensor<3x?xf32, #stablehlo.bounds<?, 8>> {stitch.dims = ["", "b"]}, %arg1: tensor<?xf32> {stitch.dims = ["b"]})
    -> (tensor<?xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3x?xf32, #stablehlo.bounds<?, 8>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %1 = stablehlo.add %0, %arg1 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32>) -> tensor<?xf32>
  %2 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x?xf32, #stablehlo.bounds<?, 8>>) -> tensor<?x3xf32>
  %3 = stablehlo.pad %2, %z, low = [1, 0], high = [3, 0], interior = [1, 0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  return %1, %3, %2 : tensor<?xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

// -----

// A size that is set is a slice; dynamic slices of known size may start anywhere.

// CHECK-LABEL: func.func @main(%arg0: tensor<5x4xf32>{{.*}}, %arg1: tensor<2xi32>) -> (tensor<3x4xf32>, tensor<5x2xf32>)
// CHECK: "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 3, 4>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}>
// CHECK: "stablehlo.dynamic_slice"({{.*}}) <{slice_sizes = array<i64: 5, 2>}>
func.func @main(%arg0: tensor<?x4xf32> {stitch.dims = ["b", ""]}, %arg1: tensor<2xi32>) -> (tensor<?x4xf32, #stablehlo.bounds<4, ?>>, tensor<?x2xf32>) {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.set_dimension_size %arg0, %three, dim = 0 : (tensor<?x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<4, ?>>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %size = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %list = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %sizes = stablehlo.concatenate %list, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %limits = stablehlo.add %arg1, %sizes : tensor<2xi32>
  %1 = stablehlo.real_dynamic_slice %arg0, %arg1, %limits, %ones : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  return %0, %1 : tensor<?x4xf32, #stablehlo.bounds<4, ?>>, tensor<?x2xf32>
}

// -----

// Loops and branches; a value that goes round unchanged may be a size.

// CHECK-LABEL: func.func @main(%arg0: tensor<5xf32>{{.*}}, %arg1: tensor<i1>) -> tensor<5xf32>
// CHECK: "stablehlo.while"
// CHECK: ^bb0(%{{.*}}: tensor<5xf32>, %{{.*}}: tensor<i32>):
// CHECK: "stablehlo.dynamic_broadcast_in_dim"{{.*}}-> tensor<5xf32>
// CHECK: "stablehlo.if"
// CHECK: (tensor<i1>) -> tensor<5xf32>
func.func @main(%arg0: tensor<?xf32> {stitch.dims = ["b"]}, %arg1: tensor<i1>) -> tensor<?xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %size = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %0:2 = stablehlo.while(%x = %arg0, %n = %size) : tensor<?xf32>, tensor<i32>
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %list = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %ones = stablehlo.dynamic_broadcast_in_dim %one, %list, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
      %next = stablehlo.add %x, %ones : tensor<?xf32>
      stablehlo.return %next, %n : tensor<?xf32>, tensor<i32>
    }
  %1 = "stablehlo.if"(%arg1) ({
    stablehlo.return %0#0 : tensor<?xf32>
  }, {
    %neg = stablehlo.negate %0#0 : tensor<?xf32>
    stablehlo.return %neg : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Convolutions, gathers, dots, windows.

// CHECK-LABEL: func.func @main(%arg0: tensor<5x8x8x3xf32>{{.*}}, %arg1: tensor<3x3x3x4xf32>, %arg2: tensor<5x2xi32>{{.*}})
// CHECK: "stablehlo.convolution"{{.*}}-> tensor<5x4x4x4xf32>
// CHECK: "stablehlo.gather"{{.*}}-> tensor<5x3xf32>
// CHECK: "stablehlo.dot_general"{{.*}}-> tensor<5x4x4x4x4xf32>
// CHECK: "stablehlo.reduce_window"
// CHECK: (tensor<5x3xf32>, tensor<f32>) -> tensor<5x3xf32>
func.func @main(%arg0: tensor<?x8x8x3xf32> {stitch.dims = ["b", "", "", ""]}, %arg1: tensor<3x3x3x4xf32>, %arg2: tensor<?x2xi32> {stitch.dims = ["b", ""]})
    -> (tensor<?x?x4x4x4xf32>, tensor<?x3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<?x4x4x4xf32>
  %1 = "stablehlo.gather"(%arg0, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1, 3>}> : (tensor<?x8x8x3xf32>, tensor<?x2xi32>) -> tensor<?x3xf32>
  %2 = stablehlo.dot_general %0, %0, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<?x4x4x4xf32>, tensor<?x4x4x4xf32>) -> tensor<?x?x4x4xf32>
  %3 = stablehlo.dot_general %0, %0, batching_dims = [0, 3] x [0, 3], contracting_dims = [] x [] : (tensor<?x4x4x4xf32>, tensor<?x4x4x4xf32>) -> tensor<?x?x4x4x4x4xf32>
  %4 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<?x4x4x4xf32>, tensor<?x4x4x4xf32>) -> tensor<?x?x4x4x4xf32>
  %5 = "stablehlo.reduce_window"(%1, %z) <{window_dimensions = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  return %4, %5 : tensor<?x?x4x4x4xf32>, tensor<?x3xf32>
}
