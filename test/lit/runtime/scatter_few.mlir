// RUN: stitch-compile %s --device=simt --checks -o %t.so
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0 | FileCheck %s
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1 | FileCheck %s
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2 | FileCheck %s
// RUN: stitch-compile %s --device=simt --emit=gpu -o - | FileCheck %s --check-prefix=KERNEL

// Updates that reach few elements: rows; single elements; rows of a batch, in 16 bits; many updates of the same three rows; truth values that are
// set. Warps copy what no update reaches, each element once; then threads go through the elements of each key.
// CHECK: 0 wrong

// Of a tile that no window reaches all accesses have 16 bytes, and loads come first.
// KERNEL-LABEL: gpu.func @scatter
// KERNEL: scf.if
// KERNEL: else
// KERNEL-COUNT-8: vector.load %arg0{{.*}}vector<4xf32>
// KERNEL-NOT: vector.load
// KERNEL-COUNT-8: vector.store {{.*}}vector<4xf32>
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3001x12xf32>, %arg1: tensor<700xi32>, %arg2: tensor<700x12xf32>, %arg3: tensor<9001xf32>, %arg4: tensor<900xi32>, %arg5: tensor<900xf32>, %arg6: tensor<33x401x5xf16>, %arg7: tensor<33x20xi32>, %arg8: tensor<33x20x5xf16>, %arg9: tensor<2003x4xf32>, %arg10: tensor<300xi32>, %arg11: tensor<300x4xf32>, %arg12: tensor<1501x7xi1>, %arg13: tensor<60xi32>, %arg14: tensor<60x7xi1>) -> (tensor<3001x12xf32> {jax.result_info = "result[0]"}, tensor<9001xf32> {jax.result_info = "result[1]"}, tensor<33x401x5xf16> {jax.result_info = "result[2]"}, tensor<2003x4xf32> {jax.result_info = "result[3]"}, tensor<1501x7xi1> {jax.result_info = "result[4]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<700xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<700xi32>, tensor<700xi32>) -> tensor<700xi1>
    %c_0 = stablehlo.constant dense<3001> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<700xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<700xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<700xi1>, tensor<700xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<700xi32>) -> tensor<700x1xi32>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg15: tensor<f32>, %arg16: tensor<f32>):
      %36 = stablehlo.add %arg15, %arg16 : tensor<f32>
      stablehlo.return %36 : tensor<f32>
    }) : (tensor<3001x12xf32>, tensor<700x1xi32>, tensor<700x12xf32>) -> tensor<3001x12xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<900xi32>
    %8 = stablehlo.compare LT, %arg4, %7, SIGNED : (tensor<900xi32>, tensor<900xi32>) -> tensor<900xi1>
    %c_2 = stablehlo.constant dense<9001> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<900xi32>
    %10 = stablehlo.add %arg4, %9 : tensor<900xi32>
    %11 = stablehlo.select %8, %10, %arg4 : tensor<900xi1>, tensor<900xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<900xi32>) -> tensor<900x1xi32>
    %13 = "stablehlo.scatter"(%arg3, %12, %arg5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg15: tensor<f32>, %arg16: tensor<f32>):
      %36 = stablehlo.add %arg15, %arg16 : tensor<f32>
      stablehlo.return %36 : tensor<f32>
    }) : (tensor<9001xf32>, tensor<900x1xi32>, tensor<900xf32>) -> tensor<9001xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<33x20xi32>
    %15 = stablehlo.compare LT, %arg7, %14, SIGNED : (tensor<33x20xi32>, tensor<33x20xi32>) -> tensor<33x20xi1>
    %c_4 = stablehlo.constant dense<401> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<33x20xi32>
    %17 = stablehlo.add %arg7, %16 : tensor<33x20xi32>
    %18 = stablehlo.select %15, %17, %arg7 : tensor<33x20xi1>, tensor<33x20xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<33x20xi32>) -> tensor<33x20x1xi32>
    %20 = "stablehlo.scatter"(%arg6, %19, %arg8) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg15: tensor<f16>, %arg16: tensor<f16>):
      %36 = stablehlo.add %arg15, %arg16 : tensor<f16>
      stablehlo.return %36 : tensor<f16>
    }) : (tensor<33x401x5xf16>, tensor<33x20x1xi32>, tensor<33x20x5xf16>) -> tensor<33x401x5xf16>
    %c_5 = stablehlo.constant dense<3> : tensor<i32>
    %21 = call @remainder(%arg10, %c_5) : (tensor<300xi32>, tensor<i32>) -> tensor<300xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<300xi32>
    %23 = stablehlo.compare LT, %21, %22, SIGNED : (tensor<300xi32>, tensor<300xi32>) -> tensor<300xi1>
    %c_7 = stablehlo.constant dense<2003> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<300xi32>
    %25 = stablehlo.add %21, %24 : tensor<300xi32>
    %26 = stablehlo.select %23, %25, %21 : tensor<300xi1>, tensor<300xi32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<300xi32>) -> tensor<300x1xi32>
    %28 = "stablehlo.scatter"(%arg9, %27, %arg11) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg15: tensor<f32>, %arg16: tensor<f32>):
      %36 = stablehlo.multiply %arg15, %arg16 : tensor<f32>
      stablehlo.return %36 : tensor<f32>
    }) : (tensor<2003x4xf32>, tensor<300x1xi32>, tensor<300x4xf32>) -> tensor<2003x4xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<60xi32>
    %30 = stablehlo.compare LT, %arg13, %29, SIGNED : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi1>
    %c_9 = stablehlo.constant dense<1501> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<60xi32>
    %32 = stablehlo.add %arg13, %31 : tensor<60xi32>
    %33 = stablehlo.select %30, %32, %arg13 : tensor<60xi1>, tensor<60xi32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<60xi32>) -> tensor<60x1xi32>
    %35 = "stablehlo.scatter"(%arg12, %34, %arg14) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg15: tensor<i1>, %arg16: tensor<i1>):
      stablehlo.return %arg16 : tensor<i1>
    }) : (tensor<1501x7xi1>, tensor<60x1xi32>, tensor<60x7xi1>) -> tensor<1501x7xi1>
    return %6, %13, %20, %28, %35 : tensor<3001x12xf32>, tensor<9001xf32>, tensor<33x401x5xf16>, tensor<2003x4xf32>, tensor<1501x7xi1>
  }
  func.func private @remainder(%arg0: tensor<300xi32>, %arg1: tensor<i32>) -> tensor<300xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<300xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<300xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<300xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<300xi32>, tensor<300xi32>) -> tensor<300xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<300xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<300xi32>, tensor<300xi32>) -> tensor<300xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<300xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<300xi1>, tensor<300xi1>) -> tensor<300xi1>
    %12 = stablehlo.and %11, %6 : tensor<300xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<300xi32>
    %14 = stablehlo.add %4, %13 : tensor<300xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<300xi1>, tensor<300xi32>
    return %15 : tensor<300xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
