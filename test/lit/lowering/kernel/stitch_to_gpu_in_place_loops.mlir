// RUN: stitch-compile %s --emit=gpu -o - | FileCheck %s
// RUN: stitch-compile %s -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 && stitch-run %t.so --check --seed=3 --thread-order=2 && stitch-run %t.so --check --seed=4 --thread-order=5

// Two buffers change places in each iteration, of which one gets a row, or stays as it is, and the other one a row that it had before. They are
// copied once, into the memory of the results, and memrefs go round. The kernels have operand and result as one argument.
// CHECK: gpu.func @scatter_{{[0-9]+}}(%{{.*}}: memref<640xf32> {llvm.align = 16 : i64}, %{{.*}}: memref<1xi32> {{{.*}}llvm.readonly}, %{{.*}}: memref<{{[0-9]+}}xf32> {{{.*}}llvm.readonly})
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: gpu.launch_func {{ *}}@kernels::@copy_
// CHECK: scf.for {{.*}} iter_args(
// CHECK-SAME: %[[X:[a-z0-9]+]] = %{{[^,]*}}, %[[Y:[a-z0-9]+]] = %{{[^,)]*}}) ->
// CHECK-NOT: copy_
// CHECK: gpu.launch_func {{ *}}@kernels::@scatter_{{.*}} args(%[[Y]] : memref<640xf32>
// CHECK-NOT: copy_
// CHECK: scf.if
// CHECK: gpu.launch_func {{ *}}@kernels::@scatter_{{.*}} args(%[[X]] : memref<640xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK: scf.yield %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[Y]], %[[X]] :
// CHECK-NEXT: }
// CHECK-NOT: copy_
// CHECK: return
func.func @main(%x: tensor<40x16xf32>, %y: tensor<40x16xf32>, %u: tensor<16xf32>) -> (tensor<40x16xf32>, tensor<40x16xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<9> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %c = %x, %d = %y) : tensor<i32>, tensor<40x16xf32>, tensor<40x16xf32>
   cond {
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %three = stablehlo.constant dense<3> : tensor<i32>
    %p = stablehlo.compare GT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %new = "stablehlo.if"(%p) ({
      %at = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
      %s = "stablehlo.scatter"(%c, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %sum = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }) : (tensor<40x16xf32>, tensor<1xi32>, tensor<16xf32>) -> tensor<40x16xf32>
      stablehlo.return %s : tensor<40x16xf32>
    }, {
      stablehlo.return %c : tensor<40x16xf32>
    }) : (tensor<i1>) -> tensor<40x16xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %row = stablehlo.dynamic_slice %d, %i, %zero, sizes = [2, 16] : (tensor<40x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x16xf32>
    %tanh = stablehlo.tanh %row : tensor<2x16xf32>
    %to = stablehlo.reshape %j : (tensor<i32>) -> tensor<1xi32>
    %rows = "stablehlo.scatter"(%d, %to, %tanh) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) : (tensor<40x16xf32>, tensor<1xi32>, tensor<2x16xf32>) -> tensor<40x16xf32>
    stablehlo.return %j, %rows, %new : tensor<i32>, tensor<40x16xf32>, tensor<40x16xf32>
  }
  return %r#1, %r#2 : tensor<40x16xf32>, tensor<40x16xf32>
}
