// RUN: stitch-opt %s -split-input-file -verify-diagnostics --stablehlo-refine-shapes="dims=t=2..8,s=1..4 padded=true" --canonicalize | FileCheck %s

// What callers pass and receive are rows, as many as the run has; the program gathers the padded tensor from them.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[ROWS:.*]]: tensor<24x4xf32, "t"> {stitch.dims = {{.*}}, stitch.sizes = [3, ["t", 1, 0], 4]}
// CHECK-SAME: %[[S:[^:]*]]: tensor<i32> {stitch.symbol = {high = 4 : i64, low = 1 : i64, name = "s"}}
// CHECK-SAME: -> (tensor<24x4xf32, "t"> {stitch.sizes = [3, ["t", 1, 0], 4]}
// CHECK-DAG: %[[COLUMN:.*]] = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<3x8xi32>
// CHECK-DAG: %[[STRIDE:.*]] = "stablehlo.broadcast_in_dim"(%{{.*}}) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<3x8xi32>
// CHECK: %[[AT:.*]] = "stablehlo.add"
// CHECK: %[[PADDED:.*]] = "stablehlo.gather"(%[[ROWS]], %[[AT]]) {{.*}}slice_sizes = array<i64: 1, 4>{{.*}} -> tensor<3x8x4xf32>
// CHECK: %[[TANH:.*]] = "stablehlo.tanh"(%[[PADDED]])
// CHECK-NOT: select
// CHECK: "stablehlo.gather"(%{{.*}}, %{{.*}}){{.*}} -> tensor<24x4xf32, "t">
func.func @main(%x: tensor<3x?x4xf32> {stitch.dims = ["", "t", ""]}, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> (tensor<3x?x4xf32>, tensor<?xf32>) {
  %0 = stablehlo.tanh %x : tensor<3x?x4xf32>
  return %0, %y : tensor<3x?x4xf32>, tensor<?xf32>
}

// -----

// A sum has zeros in the padding; one along another dimension has no mask.

// CHECK-LABEL: func.func @main(
// CHECK: %[[BELOW:.*]] = "stablehlo.compare"(%{{.*}}) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
// CHECK: %[[MASK:.*]] = "stablehlo.broadcast_in_dim"(%[[BELOW]]) <{broadcast_dimensions = array<i64: 0>}>
// CHECK: %[[MASKED:.*]] = "stablehlo.select"(%[[MASK]], %[[X:.*]], %{{.*}})
// CHECK: "stablehlo.reduce"(%[[MASKED]],{{.*}}dimensions = array<i64: 0>
// CHECK: "stablehlo.reduce"(%[[X]],{{.*}}dimensions = array<i64: 1>
func.func @main(%x: tensor<?x4xf32> {stitch.dims = ["t", ""]}, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> (tensor<4xf32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1 : tensor<4xf32>, tensor<?xf32>
}

// -----

// A softmax has one mask, that of its maximum: the exponentials of its padding are zero, in the sum and in the product. The other
// operand of the product is masked: it may be NaN.

// CHECK-LABEL: func.func @main(
// CHECK: %[[INF:.*]] = "stablehlo.constant"() <{value = dense<0xFF800000>
// CHECK: %[[MASKED:.*]] = "stablehlo.select"(%{{.*}}, %{{.*}}, %{{.*}}) {{.*}}tensor<3x8xf32>
// CHECK: %[[MAX:.*]] = "stablehlo.reduce"(%[[MASKED]],
// CHECK: stablehlo.maximum
// CHECK: %[[DIFF:.*]] = "stablehlo.subtract"(%[[MASKED]],
// CHECK: %[[EXP:.*]] = "stablehlo.exponential"(%[[DIFF]])
// CHECK: "stablehlo.reduce"(%[[EXP]],
// CHECK: %[[P:.*]] = "stablehlo.divide"(%[[EXP]],
// CHECK: %[[V:.*]] = "stablehlo.select"({{.*}}tensor<8x4xf32>
// CHECK-NOT: select
// CHECK: "stablehlo.dot_general"(%[[P]], %[[V]])
func.func @main(%x: tensor<3x?xf32> {stitch.dims = ["", "t"]}, %v: tensor<?x4xf32> {stitch.dims = ["t", ""]}, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> tensor<3x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %t = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x?xf32>) -> tensor<i32>
  %list = stablehlo.reshape %t : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %three, %list, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %max = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %maxs = stablehlo.dynamic_broadcast_in_dim %max, %shape, dims = [0] : (tensor<3xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %d = stablehlo.subtract %x, %maxs : tensor<3x?xf32>
  %e = stablehlo.exponential %d : tensor<3x?xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %sums = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = [0] : (tensor<3xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %p = stablehlo.divide %e, %sums : tensor<3x?xf32>
  %0 = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<3x?xf32>, tensor<?x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// 3 x t as 3 * t: the elements stay where they are, and the mask knows which they are. Back again nothing is moved either.

// CHECK-LABEL: func.func @main(
// CHECK: %[[X:.*]] = "stablehlo.gather"({{.*}} -> tensor<3x8x4xf32>
// CHECK: %[[FLAT:.*]] = "stablehlo.reshape"(%[[X]]) : (tensor<3x8x4xf32>) -> tensor<24x4xf32>
// CHECK: "stablehlo.broadcast_in_dim"({{.*}} -> tensor<3x8xi1>
// CHECK: "stablehlo.reshape"({{.*}} : (tensor<3x8xi1>) -> tensor<24xi1>
// CHECK: "stablehlo.select"(%{{.*}}, %[[FLAT]], %{{.*}})
// CHECK: "stablehlo.reshape"(%[[FLAT]]) : (tensor<24x4xf32>) -> tensor<3x8x4xf32>
func.func @main(%x: tensor<3x?x4xf32> {stitch.dims = ["", "t", ""]}, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> (tensor<4xf32>, tensor<3x?x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %threes = stablehlo.constant dense<3> : tensor<1xi32>
  %fours = stablehlo.constant dense<4> : tensor<1xi32>
  %t = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x?x4xf32>) -> tensor<i32>
  %rows = stablehlo.multiply %t, %three : tensor<i32>
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %l = stablehlo.reshape %t : (tensor<i32>) -> tensor<1xi32>
  %flat = stablehlo.concatenate %r, %fours, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %back = stablehlo.concatenate %threes, %l, %fours, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %0 = stablehlo.dynamic_reshape %x, %flat : (tensor<3x?x4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.dynamic_reshape %0, %back : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<3x?x4xf32>
  return %1, %2 : tensor<4xf32>, tensor<3x?x4xf32>
}

// -----

// t x 3 as 3 x t is another order of the elements: they are gathered, by the run's size.

// CHECK-LABEL: func.func @main(
// CHECK: "stablehlo.remainder"
// CHECK: "stablehlo.divide"
// CHECK: "stablehlo.gather"({{.*}} -> tensor<3x8xf32>
func.func @main(%x: tensor<?x3xf32> {stitch.dims = ["t", ""]}, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %threes = stablehlo.constant dense<3> : tensor<1xi32>
  %t = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %l = stablehlo.reshape %t : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %threes, %l, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x3xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// The second operand is written behind the run's elements of the first. The size of the result, t + s, is a symbol of its own, and
// so is the number of its rows.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<i32> {stitch.symbol = {high = 12 : i64, low = 3 : i64, name = "t + s", sum = {{\[\[}}"t", 1, 0], ["s", 1, 0]]}}
// CHECK-SAME: -> (tensor<12x4xf32, "t + s"> {stitch.sizes = {{\[\[}}"t + s", 1, 0], 4]})
// CHECK: %[[LONG:.*]] = "stablehlo.pad"({{.*}} -> tensor<12x4xf32>
// CHECK: "stablehlo.dynamic_update_slice"(%[[LONG]], %{{.*}}, %arg2,
func.func @main(%x: tensor<?x4xf32> {stitch.dims = ["t", ""]}, %y: tensor<?x4xf32> {stitch.dims = ["s", ""]}) -> tensor<?x4xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// Movement by the run's size: the last row, and all of them the other way round.

// CHECK-LABEL: func.func @main(
// CHECK: %[[LAST:.*]] = "stablehlo.add"(%arg2, %{{.*}}) : (tensor<i32>, tensor<i32>)
// CHECK: "stablehlo.dynamic_slice"(%[[X:.*]], %[[LAST2:.*]], %{{.*}}) <{slice_sizes = array<i64: 1, 4>}>
// CHECK: %[[REVERSED:.*]] = "stablehlo.reverse"(%[[X]])
// CHECK: %[[LONG:.*]] = "stablehlo.pad"(%[[REVERSED]],
// CHECK: "stablehlo.dynamic_slice"(%[[LONG]],{{.*}}slice_sizes = array<i64: 8, 4>
func.func @main(%x: tensor<?x4xf32> {stitch.dims = ["t", ""]}, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> (tensor<1x4xf32>, tensor<?x4xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %fours = stablehlo.constant dense<4> : tensor<1xi32>
  %t = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %before = stablehlo.subtract %t, %one : tensor<i32>
  %b = stablehlo.reshape %before : (tensor<i32>) -> tensor<1xi32>
  %l = stablehlo.reshape %t : (tensor<i32>) -> tensor<1xi32>
  %starts = stablehlo.concatenate %b, %zeros, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %limits = stablehlo.concatenate %l, %fours, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.real_dynamic_slice %x, %starts, %limits, %ones : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x4xf32>
  %1 = stablehlo.reverse %x, dims = [0] : tensor<?x4xf32>
  return %0, %1 : tensor<1x4xf32>, tensor<?x4xf32>
}

// -----

// Behind the elements comes the value that is padded with; before them nothing needs to be done.

// CHECK-LABEL: func.func @main(
// CHECK: %[[PAD:.*]] = "stablehlo.pad"({{.*}}edge_padding_high = array<i64: 2>{{.*}}edge_padding_low = array<i64: 1>
// CHECK: %[[END:.*]] = "stablehlo.add"(%arg2
// CHECK: "stablehlo.select"(%{{.*}}, %[[PAD]], %{{.*}}) {{.*}}tensor<11xf32>
// CHECK: "stablehlo.pad"({{.*}}edge_padding_high = array<i64: 0>{{.*}}edge_padding_low = array<i64: 2>
// CHECK-NOT: stablehlo.select
func.func @main(%x: tensor<?xf32> {stitch.dims = ["t"]}, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %0 = stablehlo.pad %x, %half, low = [1], high = [2], interior = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = stablehlo.pad %x, %half, low = [2], high = [0], interior = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Indices are clamped to the run's elements; updates without one are dropped.

// CHECK-LABEL: func.func @main(
// CHECK: %[[CLAMPED:.*]] = "stablehlo.clamp"(%{{.*}}, %[[I:arg[0-9]+]], %{{.*}}) : (tensor<5x1xi32>
// CHECK: "stablehlo.gather"(%{{.*}}, %[[CLAMPED]])
// CHECK: %[[WITHIN:.*]] = "stablehlo.compare"(%[[I]], %{{.*}}) <{comparison_direction = #stablehlo<comparison_direction LE>}>
// CHECK: %[[KEPT:.*]] = "stablehlo.select"(%[[WITHIN]], %[[I]], %{{.*}}) : (tensor<5x1xi1>
// CHECK: "stablehlo.scatter"(%{{.*}}, %[[KEPT]],
func.func @main(%x: tensor<?x4xf32> {stitch.dims = ["t", ""]}, %i: tensor<5x1xi32>, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> (tensor<5x4xf32>, tensor<?x4xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<?x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  %1 = "stablehlo.scatter"(%x, %i, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<5x4xf32>, tensor<?x4xf32>
}

// -----

// What is padding is sorted behind all else.

// CHECK-LABEL: func.func @main(
// CHECK: "stablehlo.sort"(%[[IS:.*]], %{{.*}}) <{dimension = 0 : i64, is_stable = true}>
// CHECK: ^bb0(%[[P:.*]]: tensor<i1>, %[[Q:.*]]: tensor<i1>, %[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
// CHECK: %[[LESS:.*]] = "stablehlo.compare"(%[[A]], %[[B]])
// CHECK: "stablehlo.or"
func.func @main(%x: tensor<?xf32> {stitch.dims = ["t"]}, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> tensor<?xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Windows that reach behind the elements find the initial value there.

// CHECK-LABEL: func.func @main(
// CHECK: %[[MASKED:.*]] = "stablehlo.select"({{.*}}tensor<8xf32>
// CHECK: "stablehlo.reduce_window"(%[[MASKED]],
// CHECK: "stablehlo.reduce_window"(%[[X:[0-9]+]],
func.func @main(%x: tensor<?xf32> {stitch.dims = ["t"]}, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  %1 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A loop over the open size goes round for the largest one. In iterations that the run has not, what is carried stays as it is, and
// what is stacked goes into the padding, where it is written at the counter; slices at the counter need no clamp.

// CHECK-LABEL: func.func @main(
// CHECK: "stablehlo.while"
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %{{.*}}: tensor<4xf32>, %{{.*}}: tensor<8x4xf32>):
// CHECK: %[[MOST:.*]] = "stablehlo.constant"() <{value = dense<8> : tensor<i32>}>
// CHECK: "stablehlo.compare"(%[[I]], %[[MOST]]) <{{{.*}}comparison_direction = #stablehlo<comparison_direction LT>
// CHECK: ^bb0(%[[N:.*]]: tensor<i32>, %[[SUM:.*]]: tensor<4xf32>, %[[STACK:.*]]: tensor<8x4xf32>):
// CHECK: %[[EXISTS:.*]] = "stablehlo.compare"(%[[N]], %arg2)
// CHECK: "stablehlo.dynamic_slice"(%{{.*}}, %[[N]], %{{.*}}) <{slice_sizes = array<i64: 1, 4>}>
// CHECK: %[[MORE:.*]] = "stablehlo.add"(%[[SUM]]
// CHECK: %[[WRITTEN:.*]] = "stablehlo.dynamic_update_slice"(%[[STACK]], %{{.*}}, %[[N]], %{{.*}})
// CHECK: %[[ALL:.*]] = "stablehlo.broadcast_in_dim"(%[[EXISTS]])
// CHECK: %[[KEPT:.*]] = "stablehlo.select"(%[[ALL]], %[[MORE]], %[[SUM]])
// CHECK: "stablehlo.return"(%{{.*}}, %[[KEPT]], %[[WRITTEN]])
func.func @main(%x: tensor<?x4xf32> {stitch.dims = ["t", ""]}, %y: tensor<?xf32> {stitch.dims = ["s"]}) -> (tensor<4xf32>, tensor<?x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %f = stablehlo.constant dense<0.0> : tensor<4xf32>
  %t = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %sum = %f, %stack = %x) : tensor<i32>, tensor<4xf32>, tensor<?x4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %t : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 4] : (tensor<?x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %line = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>
      %more = stablehlo.add %sum, %line : tensor<4xf32>
      %r = stablehlo.reshape %more : (tensor<4xf32>) -> tensor<1x4xf32>
      %written = stablehlo.dynamic_update_slice %stack, %r, %i, %zero : (tensor<?x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<?x4xf32>
      %n = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %n, %more, %written : tensor<i32>, tensor<4xf32>, tensor<?x4xf32>
    }
  return %0#1, %0#2 : tensor<4xf32>, tensor<?x4xf32>
}
