// The negative log likelihood of a Gaussian process and its gradients, by the exponents of scale and noise and by the points:
//   k = exp(-|x_i - x_j|^2 scale / 2) + noise I;  l = cholesky(k);  dot(y, cho_solve(l, y)) / 2 + sum(log(diagonal(l)))
// as JAX prints it for a TPU: jax.jit(jax.value_and_grad(f, argnums=(0, 1))).trace(...).lower(lowering_platforms=("tpu",)).as_text()
module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<37x3xf32>, %arg3: tensor<37xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1][0][0]"}, tensor<f32> {jax.result_info = "result[1][0][1]"}, tensor<37x3xf32> {jax.result_info = "result[1][1]"}) {
    %0 = stablehlo.exponential %arg0 : tensor<f32>
    %1 = stablehlo.exponential %arg1 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [0, 2] : (tensor<37x3xf32>) -> tensor<37x1x3xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [1, 2] : (tensor<37x3xf32>) -> tensor<1x37x3xf32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<37x1x3xf32>) -> tensor<37x37x3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<1x37x3xf32>) -> tensor<37x37x3xf32>
    %6 = stablehlo.subtract %4, %5 : tensor<37x37x3xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<37x37x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<37x37x3xf32>, tensor<f32>) -> tensor<37x37xf32>
    %cst_0 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<37x37xf32>
    %11 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<37x37xf32>
    %13 = stablehlo.exponential %12 : tensor<37x37xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %14 = stablehlo.add %1, %cst_1 : tensor<f32>
    %15 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %16 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %18 = stablehlo.add %15, %17 : tensor<37x37xi32>
    %19 = stablehlo.compare EQ, %18, %16, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %20 = stablehlo.convert %19 : (tensor<37x37xi1>) -> tensor<37x37xf32>
    %21 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %22 = stablehlo.multiply %21, %20 : tensor<37x37xf32>
    %23 = stablehlo.add %13, %22 : tensor<37x37xf32>
    %24 = stablehlo.transpose %23, dims = [1, 0] : (tensor<37x37xf32>) -> tensor<37x37xf32>
    %25 = stablehlo.add %23, %24 : tensor<37x37xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %27 = stablehlo.divide %25, %26 : tensor<37x37xf32>
    %28 = stablehlo.cholesky %27, lower = true : tensor<37x37xf32>
    %29 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %31 = stablehlo.add %29, %30 : tensor<37x37xi32>
    %32 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %33 = stablehlo.compare GE, %31, %32, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %35 = stablehlo.select %33, %28, %34 : tensor<37x37xi1>, tensor<37x37xf32>
    %36 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %37 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %38 = stablehlo.add %36, %37 : tensor<37x37xi32>
    %39 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %40 = stablehlo.compare GE, %38, %39, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %41 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %43 = stablehlo.add %41, %42 : tensor<37x37xi32>
    %44 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %45 = stablehlo.compare EQ, %43, %44, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %46 = stablehlo.convert %45 : (tensor<37x37xi1>) -> tensor<37x37xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %48 = stablehlo.add %47, %46 : tensor<37x37xf32>
    %49 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %50 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %51 = stablehlo.add %49, %50 : tensor<37x37xi32>
    %52 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %53 = stablehlo.compare GE, %51, %52, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %55 = stablehlo.select %53, %35, %54 : tensor<37x37xi1>, tensor<37x37xf32>
    %56:5 = call @_cho_solve(%55, %arg3) : (tensor<37x37xf32>, tensor<37xf32>) -> (tensor<37xf32>, tensor<37x37xi1>, tensor<37x1xf32>, tensor<37x37xi1>, tensor<37x1xf32>)
    %57 = stablehlo.dot_general %arg3, %56#0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<37xf32>, tensor<37xf32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %58 = stablehlo.multiply %cst_10, %57 : tensor<f32>
    %59:4 = call @diagonal(%55) : (tensor<37x37xf32>) -> (tensor<37xf32>, tensor<i32>, tensor<37x37xf32>, tensor<37x2xi32>)
    %60 = stablehlo.log %59#0 : tensor<37xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.reduce(%60 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<37xf32>, tensor<f32>) -> tensor<f32>
    %62 = stablehlo.add %58, %61 : tensor<f32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<37xf32>
    %64 = stablehlo.divide %63, %59#0 : tensor<37xf32>
    %65 = call @diagonal_0(%59#1, %59#2, %59#3, %64) : (tensor<i32>, tensor<37x37xf32>, tensor<37x2xi32>, tensor<37xf32>) -> tensor<37x37xf32>
    %cst_13 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %66 = stablehlo.multiply %cst_13, %cst_14 : tensor<f32>
    %67 = stablehlo.dot_general %66, %arg3, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<f32>, tensor<37xf32>) -> tensor<37xf32>
    %68 = call @_cho_solve_1(%56#1, %56#2, %55, %56#3, %56#4, %67) : (tensor<37x37xi1>, tensor<37x1xf32>, tensor<37x37xf32>, tensor<37x37xi1>, tensor<37x1xf32>, tensor<37xf32>) -> tensor<37x37xf32>
    %69 = stablehlo.add %65, %68 : tensor<37x37xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %71 = stablehlo.select %53, %69, %70 : tensor<37x37xi1>, tensor<37x37xf32>
    %72 = stablehlo.dot_general %71, %35, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<37x37xf32>, tensor<37x37xf32>) -> tensor<37x37xf32>
    %73 = stablehlo.transpose %72, dims = [1, 0] : (tensor<37x37xf32>) -> tensor<37x37xf32>
    %74 = stablehlo.divide %73, %48 : tensor<37x37xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %76 = stablehlo.select %40, %74, %75 : tensor<37x37xi1>, tensor<37x37xf32>
    %77 = "stablehlo.triangular_solve"(%35, %76) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<37x37xf32>, tensor<37x37xf32>) -> tensor<37x37xf32>
    %78 = "stablehlo.triangular_solve"(%35, %77) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<37x37xf32>, tensor<37x37xf32>) -> tensor<37x37xf32>
    %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %80 = stablehlo.divide %78, %79 : tensor<37x37xf32>
    %81 = stablehlo.transpose %80, dims = [1, 0] : (tensor<37x37xf32>) -> tensor<37x37xf32>
    %82 = stablehlo.add %80, %81 : tensor<37x37xf32>
    %83 = stablehlo.multiply %82, %20 : tensor<37x37xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_18) applies stablehlo.add across dimensions = [0, 1] : (tensor<37x37xf32>, tensor<f32>) -> tensor<f32>
    %85 = stablehlo.multiply %82, %13 : tensor<37x37xf32>
    %86 = stablehlo.multiply %10, %85 : tensor<37x37xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_19) applies stablehlo.add across dimensions = [0, 1] : (tensor<37x37xf32>, tensor<f32>) -> tensor<f32>
    %88 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %89 = stablehlo.multiply %85, %88 : tensor<37x37xf32>
    %cst_20 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %91 = stablehlo.multiply %90, %89 : tensor<37x37xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1] : (tensor<37x37xf32>) -> tensor<37x37x3xf32>
    %93 = stablehlo.multiply %6, %92 : tensor<37x37x3xf32>
    %94 = stablehlo.multiply %92, %6 : tensor<37x37x3xf32>
    %95 = stablehlo.add %93, %94 : tensor<37x37x3xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_21) applies stablehlo.add across dimensions = [1] : (tensor<37x37x3xf32>, tensor<f32>) -> tensor<37x3xf32>
    %97 = stablehlo.reshape %96 : (tensor<37x3xf32>) -> tensor<37x1x3xf32>
    %98 = stablehlo.negate %95 : tensor<37x37x3xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.reduce(%98 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<37x37x3xf32>, tensor<f32>) -> tensor<37x3xf32>
    %100 = stablehlo.reshape %99 : (tensor<37x3xf32>) -> tensor<1x37x3xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%100 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<1x37x3xf32>, tensor<f32>) -> tensor<37x3xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%97 init: %cst_24) applies stablehlo.add across dimensions = [1] : (tensor<37x1x3xf32>, tensor<f32>) -> tensor<37x3xf32>
    %103 = stablehlo.add %101, %102 : tensor<37x3xf32>
    %104 = stablehlo.multiply %84, %1 : tensor<f32>
    %105 = stablehlo.multiply %87, %0 : tensor<f32>
    return %62, %105, %104, %103 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<37x3xf32>
  }
  func.func private @_cho_solve(%arg0: tensor<37x37xf32>, %arg1: tensor<37xf32>) -> (tensor<37xf32>, tensor<37x37xi1>, tensor<37x1xf32>, tensor<37x37xi1>, tensor<37x1xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<37xf32>) -> tensor<37x1xf32>
    %1 = "stablehlo.triangular_solve"(%arg0, %0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<37x37xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
    %2 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %4 = stablehlo.add %2, %3 : tensor<37x37xi32>
    %5 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %7 = stablehlo.reshape %1 : (tensor<37x1xf32>) -> tensor<37xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<37xf32>) -> tensor<37x1xf32>
    %9 = "stablehlo.triangular_solve"(%arg0, %8) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<37x37xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
    %10 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %12 = stablehlo.add %10, %11 : tensor<37x37xi32>
    %13 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %14 = stablehlo.compare GE, %12, %13, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %15 = stablehlo.reshape %9 : (tensor<37x1xf32>) -> tensor<37xf32>
    return %15, %6, %1, %14, %9 : tensor<37xf32>, tensor<37x37xi1>, tensor<37x1xf32>, tensor<37x37xi1>, tensor<37x1xf32>
  }
  func.func private @diagonal(%arg0: tensor<37x37xf32>) -> (tensor<37xf32>, tensor<i32>, tensor<37x37xf32>, tensor<37x2xi32>) {
    %0 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %1 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %3 = stablehlo.add %0, %2 : tensor<37x37xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %5 = stablehlo.convert %4 : (tensor<37x37xi1>) -> tensor<37x37xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = "stablehlo.case"(%c_0) ({
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %7:3 = "stablehlo.case"(%6) ({
      %8 = stablehlo.iota dim = 0 : tensor<37xi32>
      %9 = stablehlo.iota dim = 0 : tensor<37xi32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<37xi32>
      %11 = stablehlo.compare LT, %8, %10, SIGNED : (tensor<37xi32>, tensor<37xi32>) -> tensor<37xi1>
      %c_2 = stablehlo.constant dense<37> : tensor<i32>
      %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<37xi32>
      %13 = stablehlo.add %8, %12 : tensor<37xi32>
      %14 = stablehlo.select %11, %13, %8 : tensor<37xi1>, tensor<37xi32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<37xi32>
      %16 = stablehlo.compare LT, %9, %15, SIGNED : (tensor<37xi32>, tensor<37xi32>) -> tensor<37xi1>
      %c_4 = stablehlo.constant dense<37> : tensor<i32>
      %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<37xi32>
      %18 = stablehlo.add %9, %17 : tensor<37xi32>
      %19 = stablehlo.select %16, %18, %9 : tensor<37xi1>, tensor<37xi32>
      %20 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<37xi32>) -> tensor<37x1xi32>
      %21 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<37xi32>) -> tensor<37x1xi32>
      %22 = stablehlo.concatenate %20, %21, dim = 1 : (tensor<37x1xi32>, tensor<37x1xi32>) -> tensor<37x2xi32>
      %23 = "stablehlo.gather"(%arg0, %22) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<37x37xf32>, tensor<37x2xi32>) -> tensor<37xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %24 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
      stablehlo.return %23, %24, %22 : tensor<37xf32>, tensor<37x37xf32>, tensor<37x2xi32>
    }) : (tensor<i32>) -> (tensor<37xf32>, tensor<37x37xf32>, tensor<37x2xi32>)
    return %7#0, %c_0, %7#1, %7#2 : tensor<37xf32>, tensor<i32>, tensor<37x37xf32>, tensor<37x2xi32>
  }
  func.func private @diagonal_0(%arg0: tensor<i32>, %arg1: tensor<37x37xf32>, %arg2: tensor<37x2xi32>, %arg3: tensor<37xf32>) -> tensor<37x37xf32> {
    %0 = "stablehlo.case"(%arg0) ({
      %c = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }, {
      %c = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
      %3 = "stablehlo.scatter"(%2, %arg2, %arg3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %4 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }) : (tensor<37x37xf32>, tensor<37x2xi32>, tensor<37xf32>) -> tensor<37x37xf32>
      stablehlo.return %3 : tensor<37x37xf32>
    }) : (tensor<i32>) -> tensor<37x37xf32>
    return %1 : tensor<37x37xf32>
  }
  func.func private @_cho_solve_1(%arg0: tensor<37x37xi1>, %arg1: tensor<37x1xf32>, %arg2: tensor<37x37xf32>, %arg3: tensor<37x37xi1>, %arg4: tensor<37x1xf32>, %arg5: tensor<37xf32>) -> tensor<37x37xf32> {
    %0 = stablehlo.broadcast_in_dim %arg5, dims = [0] : (tensor<37xf32>) -> tensor<37x1xf32>
    %1 = "stablehlo.triangular_solve"(%arg2, %0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<37x37xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
    %2 = "stablehlo.triangular_solve"(%arg2, %0) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<37x37xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
    %3 = stablehlo.dot_general %2, %arg4, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<37x1xf32>, tensor<37x1xf32>) -> tensor<37x37xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<37x37xf32>) -> tensor<37x37xf32>
    %5 = stablehlo.negate %4 : tensor<37x37xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %7 = stablehlo.select %arg3, %5, %6 : tensor<37x37xi1>, tensor<37x37xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<37x1xf32>, tensor<f32>) -> tensor<37xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<37xf32>) -> tensor<37x1xf32>
    %10 = "stablehlo.triangular_solve"(%arg2, %9) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<37x37xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
    %11 = stablehlo.dot_general %10, %arg1, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<37x1xf32>, tensor<37x1xf32>) -> tensor<37x37xf32>
    %12 = stablehlo.negate %11 : tensor<37x37xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %14 = stablehlo.select %arg0, %12, %13 : tensor<37x37xi1>, tensor<37x37xf32>
    %15 = stablehlo.add %7, %14 : tensor<37x37xf32>
    return %15 : tensor<37x37xf32>
  }
}
