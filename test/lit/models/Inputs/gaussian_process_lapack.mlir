// gaussian_process.mlir as JAX prints it for a CPU: potrf and trsm of LAPACK are custom calls.
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
    %28:2 = stablehlo.custom_call @lapack_spotrf_ffi(%27) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=37, j=37, k=37, l=37}, custom>} : (tensor<37x37xf32>) -> (tensor<37x37xf32>, tensor<i32>)
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<i32>
    %30 = stablehlo.compare EQ, %28#1, %29, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %31 = stablehlo.broadcast_in_dim %30, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %33 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<37x37xi1>
    %34 = stablehlo.select %33, %28#0, %32 : tensor<37x37xi1>, tensor<37x37xf32>
    %35 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %37 = stablehlo.add %35, %36 : tensor<37x37xi32>
    %38 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %39 = stablehlo.compare GE, %37, %38, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %41 = stablehlo.select %39, %34, %40 : tensor<37x37xi1>, tensor<37x37xf32>
    %42 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %43 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %44 = stablehlo.add %42, %43 : tensor<37x37xi32>
    %45 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %46 = stablehlo.compare GE, %44, %45, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %47 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %49 = stablehlo.add %47, %48 : tensor<37x37xi32>
    %50 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %51 = stablehlo.compare EQ, %49, %50, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %52 = stablehlo.convert %51 : (tensor<37x37xi1>) -> tensor<37x37xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %54 = stablehlo.add %53, %52 : tensor<37x37xf32>
    %55 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %56 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %57 = stablehlo.add %55, %56 : tensor<37x37xi32>
    %58 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %59 = stablehlo.compare GE, %57, %58, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %61 = stablehlo.select %59, %41, %60 : tensor<37x37xi1>, tensor<37x37xf32>
    %62:5 = call @_cho_solve(%61, %arg3) : (tensor<37x37xf32>, tensor<37xf32>) -> (tensor<37xf32>, tensor<37x37xi1>, tensor<37x1xf32>, tensor<37x37xi1>, tensor<37x1xf32>)
    %63 = stablehlo.dot_general %arg3, %62#0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<37xf32>, tensor<37xf32>) -> tensor<f32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %64 = stablehlo.multiply %cst_12, %63 : tensor<f32>
    %65:4 = call @diagonal(%61) : (tensor<37x37xf32>) -> (tensor<37xf32>, tensor<i32>, tensor<37x37xf32>, tensor<37x2xi32>)
    %66 = stablehlo.log %65#0 : tensor<37xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.reduce(%66 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<37xf32>, tensor<f32>) -> tensor<f32>
    %68 = stablehlo.add %64, %67 : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<37xf32>
    %70 = stablehlo.divide %69, %65#0 : tensor<37xf32>
    %71 = call @diagonal_0(%65#1, %65#2, %65#3, %70) : (tensor<i32>, tensor<37x37xf32>, tensor<37x2xi32>, tensor<37xf32>) -> tensor<37x37xf32>
    %cst_15 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %72 = stablehlo.multiply %cst_15, %cst_16 : tensor<f32>
    %73 = stablehlo.dot_general %72, %arg3, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<f32>, tensor<37xf32>) -> tensor<37xf32>
    %74 = call @_cho_solve_1(%62#1, %62#2, %61, %62#3, %62#4, %73) : (tensor<37x37xi1>, tensor<37x1xf32>, tensor<37x37xf32>, tensor<37x37xi1>, tensor<37x1xf32>, tensor<37xf32>) -> tensor<37x37xf32>
    %75 = stablehlo.add %71, %74 : tensor<37x37xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %77 = stablehlo.select %59, %75, %76 : tensor<37x37xi1>, tensor<37x37xf32>
    %78 = stablehlo.dot_general %77, %41, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<37x37xf32>, tensor<37x37xf32>) -> tensor<37x37xf32>
    %79 = stablehlo.transpose %78, dims = [1, 0] : (tensor<37x37xf32>) -> tensor<37x37xf32>
    %80 = stablehlo.divide %79, %54 : tensor<37x37xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %82 = stablehlo.select %46, %80, %81 : tensor<37x37xi1>, tensor<37x37xf32>
    %83 = stablehlo.custom_call @lapack_strsm_ffi(%41, %82) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=37, j=37, k=37, l=37, m=37, n=37}, custom>} : (tensor<37x37xf32>, tensor<37x37xf32>) -> tensor<37x37xf32>
    %84 = stablehlo.custom_call @lapack_strsm_ffi(%41, %83) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=37, j=37, k=37, l=37, m=37, n=37}, custom>} : (tensor<37x37xf32>, tensor<37x37xf32>) -> tensor<37x37xf32>
    %cst_19 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %86 = stablehlo.divide %84, %85 : tensor<37x37xf32>
    %87 = stablehlo.transpose %86, dims = [1, 0] : (tensor<37x37xf32>) -> tensor<37x37xf32>
    %88 = stablehlo.add %86, %87 : tensor<37x37xf32>
    %89 = stablehlo.multiply %88, %20 : tensor<37x37xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<37x37xf32>, tensor<f32>) -> tensor<f32>
    %91 = stablehlo.multiply %88, %13 : tensor<37x37xf32>
    %92 = stablehlo.multiply %10, %91 : tensor<37x37xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.reduce(%92 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<37x37xf32>, tensor<f32>) -> tensor<f32>
    %94 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %95 = stablehlo.multiply %91, %94 : tensor<37x37xf32>
    %cst_22 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %97 = stablehlo.multiply %96, %95 : tensor<37x37xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1] : (tensor<37x37xf32>) -> tensor<37x37x3xf32>
    %99 = stablehlo.multiply %6, %98 : tensor<37x37x3xf32>
    %100 = stablehlo.multiply %98, %6 : tensor<37x37x3xf32>
    %101 = stablehlo.add %99, %100 : tensor<37x37x3xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%101 init: %cst_23) applies stablehlo.add across dimensions = [1] : (tensor<37x37x3xf32>, tensor<f32>) -> tensor<37x3xf32>
    %103 = stablehlo.reshape %102 : (tensor<37x3xf32>) -> tensor<37x1x3xf32>
    %104 = stablehlo.negate %101 : tensor<37x37x3xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.reduce(%104 init: %cst_24) applies stablehlo.add across dimensions = [0] : (tensor<37x37x3xf32>, tensor<f32>) -> tensor<37x3xf32>
    %106 = stablehlo.reshape %105 : (tensor<37x3xf32>) -> tensor<1x37x3xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %107 = stablehlo.reduce(%106 init: %cst_25) applies stablehlo.add across dimensions = [0] : (tensor<1x37x3xf32>, tensor<f32>) -> tensor<37x3xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.reduce(%103 init: %cst_26) applies stablehlo.add across dimensions = [1] : (tensor<37x1x3xf32>, tensor<f32>) -> tensor<37x3xf32>
    %109 = stablehlo.add %107, %108 : tensor<37x3xf32>
    %110 = stablehlo.multiply %90, %1 : tensor<f32>
    %111 = stablehlo.multiply %93, %0 : tensor<f32>
    return %68, %111, %110, %109 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<37x3xf32>
  }
  func.func private @_cho_solve(%arg0: tensor<37x37xf32>, %arg1: tensor<37xf32>) -> (tensor<37xf32>, tensor<37x37xi1>, tensor<37x1xf32>, tensor<37x37xi1>, tensor<37x1xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<37xf32>) -> tensor<37x1xf32>
    %1 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %0) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=37, j=37, k=37, l=1, m=37, n=1}, custom>} : (tensor<37x37xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
    %2 = stablehlo.iota dim = 0 : tensor<37x37xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<37x37xi32>
    %4 = stablehlo.add %2, %3 : tensor<37x37xi32>
    %5 = stablehlo.iota dim = 1 : tensor<37x37xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<37x37xi32>, tensor<37x37xi32>) -> tensor<37x37xi1>
    %7 = stablehlo.reshape %1 : (tensor<37x1xf32>) -> tensor<37xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<37xf32>) -> tensor<37x1xf32>
    %9 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %8) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=37, j=37, k=37, l=1, m=37, n=1}, custom>} : (tensor<37x37xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
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
    %1 = stablehlo.custom_call @lapack_strsm_ffi(%arg2, %0) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=37, j=37, k=37, l=1, m=37, n=1}, custom>} : (tensor<37x37xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
    %2 = stablehlo.custom_call @lapack_strsm_ffi(%arg2, %0) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=37, j=37, k=37, l=1, m=37, n=1}, custom>} : (tensor<37x37xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
    %3 = stablehlo.dot_general %2, %arg4, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<37x1xf32>, tensor<37x1xf32>) -> tensor<37x37xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<37x37xf32>) -> tensor<37x37xf32>
    %5 = stablehlo.negate %4 : tensor<37x37xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %7 = stablehlo.select %arg3, %5, %6 : tensor<37x37xi1>, tensor<37x37xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<37x1xf32>, tensor<f32>) -> tensor<37xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<37xf32>) -> tensor<37x1xf32>
    %10 = stablehlo.custom_call @lapack_strsm_ffi(%arg2, %9) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=37, j=37, k=37, l=1, m=37, n=1}, custom>} : (tensor<37x37xf32>, tensor<37x1xf32>) -> tensor<37x1xf32>
    %11 = stablehlo.dot_general %10, %arg1, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<37x1xf32>, tensor<37x1xf32>) -> tensor<37x37xf32>
    %12 = stablehlo.negate %11 : tensor<37x37xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<37x37xf32>
    %14 = stablehlo.select %arg0, %12, %13 : tensor<37x37xi1>, tensor<37x37xf32>
    %15 = stablehlo.add %7, %14 : tensor<37x37xf32>
    return %15 : tensor<37x37xf32>
  }
}
