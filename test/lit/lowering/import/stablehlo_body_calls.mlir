// RUN: stitch-opt %s --convert-stablehlo-to-tg --tg-simplify | FileCheck %s
// RUN: stitch-compile %s -o %t.so && stitch-run %t.so --check
// RUN: sed 's/func.call @_where(%%c, %%a, %%b)/func.call @larger(%%a, %%b)/; /@larger(%%a, %%b)/s/tensor<i1>, //' %s | not stitch-opt --convert-stablehlo-to-tg 2>&1 | FileCheck %s --check-prefix=CIRCLE

// Functions that bodies call, from functions too, are put in their place: jnp.where in a reducer.
// CIRCLE: error: 'func.call' op calls 'larger', which calls itself: a recursion cannot be inlined

func.func private @_where(%c: tensor<i1>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>
  return %0 : tensor<f32>
}
func.func private @larger(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %0 = func.call @_where(%c, %a, %b) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @before(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}

// CHECK-NOT: call
// CHECK: tg.general_reduce
// CHECK: tg.compare gt
// CHECK: tg.select
// CHECK: tg.reduce_window add
// CHECK: tg.scatter add
// CHECK: tg.sort
// CHECK: tg.compare lt
// CHECK: tg.while
func.func @main(%x: tensor<4x5xf32>, %s: tensor<f32>, %i: tensor<2x1xi32>, %u: tensor<2x5xf32>, %n: tensor<i32>)
    -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %s) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = func.call @larger(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = func.call @sum(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x4xf32>
  %2 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = func.call @sum(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<2x1xi32>, tensor<2x5xf32>) -> tensor<4x5xf32>
  %3 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = func.call @before(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %4:2 = "stablehlo.while"(%s, %n) ({
  ^bb0(%a: tensor<f32>, %k: tensor<i32>):
    %three = stablehlo.constant dense<3> : tensor<i32>
    %r = stablehlo.compare LT, %k, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %k: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r = func.call @sum(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %j = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %r, %j : tensor<f32>, tensor<i32>
  }) : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  return %0, %1, %2, %3, %4#0 : tensor<4xf32>, tensor<4x4xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<f32>
}
