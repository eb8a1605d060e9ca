// RUN: stitch-compile %s --device=simt --checks -o %t.so
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0 | FileCheck %s
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1 | FileCheck %s
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2 | FileCheck %s
// RUN: stitch-compile %s --device=simt --emit=gpu -o - | FileCheck %s --check-prefix=KERNEL

// On a small device each thread has several elements of a tile. Windows of five lie across the ends of tiles, in the first scatter; in the second the
// keys of elements that follow each other are not in order, and each searches for itself; in the third each update is an element.
// CHECK: 0 wrong

// Blocks that copy tiles search once for a tile, and in a tile for an element.
// KERNEL-LABEL: gpu.func @scatter
// KERNEL: math.ctlz
// KERNEL: scf.if
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<997x5xf32>, %arg1: tensor<6000xi32>, %arg2: tensor<6000x5xf32>, %arg3: tensor<133x101xf32>, %arg4: tensor<40xi32>, %arg5: tensor<133x40xf32>, %arg6: tensor<9001xf32>, %arg7: tensor<300xi32>, %arg8: tensor<300xf32>) -> (tensor<997x5xf32> {jax.result_info = "result[0]"}, tensor<133x101xf32> {jax.result_info = "result[1]"}, tensor<9001xf32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6000xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6000xi32>, tensor<6000xi32>) -> tensor<6000xi1>
    %c_0 = stablehlo.constant dense<997> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6000xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6000xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6000xi1>, tensor<6000xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<6000xi32>) -> tensor<6000x1xi32>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %21 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %21 : tensor<f32>
    }) : (tensor<997x5xf32>, tensor<6000x1xi32>, tensor<6000x5xf32>) -> tensor<997x5xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %8 = stablehlo.compare LT, %arg4, %7, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %c_2 = stablehlo.constant dense<101> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %10 = stablehlo.add %arg4, %9 : tensor<40xi32>
    %11 = stablehlo.select %8, %10, %arg4 : tensor<40xi1>, tensor<40xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<40xi32>) -> tensor<40x1xi32>
    %13 = "stablehlo.scatter"(%arg3, %12, %arg5) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %21 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %21 : tensor<f32>
    }) : (tensor<133x101xf32>, tensor<40x1xi32>, tensor<133x40xf32>) -> tensor<133x101xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<300xi32>
    %15 = stablehlo.compare LT, %arg7, %14, SIGNED : (tensor<300xi32>, tensor<300xi32>) -> tensor<300xi1>
    %c_4 = stablehlo.constant dense<9001> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<300xi32>
    %17 = stablehlo.add %arg7, %16 : tensor<300xi32>
    %18 = stablehlo.select %15, %17, %arg7 : tensor<300xi1>, tensor<300xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<300xi32>) -> tensor<300x1xi32>
    %20 = "stablehlo.scatter"(%arg6, %19, %arg8) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %21 = stablehlo.multiply %arg9, %arg10 : tensor<f32>
      stablehlo.return %21 : tensor<f32>
    }) : (tensor<9001xf32>, tensor<300x1xi32>, tensor<300xf32>) -> tensor<9001xf32>
    return %6, %13, %20 : tensor<997x5xf32>, tensor<133x101xf32>, tensor<9001xf32>
  }
}
