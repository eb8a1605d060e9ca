module @jit_main attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8192x768xf32>, %arg1: tensor<8192x768xf32>, %arg2: tensor<768xf32>, %arg3: tensor<768xf32>, %arg4: tensor<8192x768xf32>) -> (tensor<8192x768xf32> {jax.result_info = "result[0]"}, tensor<8192x768xf32> {jax.result_info = "result[1]"}, tensor<768xf32> {jax.result_info = "result[2]"}, tensor<768xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8192x768xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8192x768xf32>, tensor<f32>) -> tensor<8192xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8192xf32>) -> tensor<8192x1xf32>
    %cst_0 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8192x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<8192x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8192x1xf32>) -> tensor<8192x768xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<8192x768xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<8192x768xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<8192x768xf32>, tensor<f32>) -> tensor<8192xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<8192xf32>) -> tensor<8192x1xf32>
    %cst_2 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8192x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<8192x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8192x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<8192x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<8192x1xf32>
    %15 = stablehlo.divide %14, %13 : tensor<8192x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8192x1xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<8192x1xf32>
    %18 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<8192x1xf32>) -> tensor<8192x768xf32>
    %19 = stablehlo.multiply %6, %18 : tensor<8192x768xf32>
    %20 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<768xf32>) -> tensor<1x768xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<1x768xf32>) -> tensor<8192x768xf32>
    %22 = stablehlo.multiply %19, %21 : tensor<8192x768xf32>
    %23 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<768xf32>) -> tensor<1x768xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<1x768xf32>) -> tensor<8192x768xf32>
    %25 = stablehlo.add %22, %24 : tensor<8192x768xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%arg4 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<8192x768xf32>, tensor<f32>) -> tensor<768xf32>
    %27 = stablehlo.reshape %26 : (tensor<768xf32>) -> tensor<1x768xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<1x768xf32>, tensor<f32>) -> tensor<768xf32>
    %29 = stablehlo.multiply %19, %arg4 : tensor<8192x768xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<8192x768xf32>, tensor<f32>) -> tensor<768xf32>
    %31 = stablehlo.reshape %30 : (tensor<768xf32>) -> tensor<1x768xf32>
    %32 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<1x768xf32>) -> tensor<8192x768xf32>
    %33 = stablehlo.multiply %arg4, %32 : tensor<8192x768xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%31 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<1x768xf32>, tensor<f32>) -> tensor<768xf32>
    %35 = stablehlo.multiply %6, %33 : tensor<8192x768xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<8192x768xf32>, tensor<f32>) -> tensor<8192xf32>
    %37 = stablehlo.reshape %36 : (tensor<8192xf32>) -> tensor<8192x1xf32>
    %38 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<8192x1xf32>) -> tensor<8192x768xf32>
    %39 = stablehlo.multiply %33, %38 : tensor<8192x768xf32>
    %40 = stablehlo.multiply %37, %17 : tensor<8192x1xf32>
    %cst_10 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8192x1xf32>
    %42 = stablehlo.divide %40, %41 : tensor<8192x1xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%42 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<8192x1xf32>, tensor<f32>) -> tensor<8192xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<8192xf32>) -> tensor<8192x768xf32>
    %45 = stablehlo.multiply %6, %44 : tensor<8192x768xf32>
    %46 = stablehlo.add %39, %45 : tensor<8192x768xf32>
    %47 = stablehlo.multiply %44, %6 : tensor<8192x768xf32>
    %48 = stablehlo.add %46, %47 : tensor<8192x768xf32>
    %49 = stablehlo.negate %48 : tensor<8192x768xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<8192x768xf32>, tensor<f32>) -> tensor<8192xf32>
    %51 = stablehlo.reshape %50 : (tensor<8192xf32>) -> tensor<8192x1xf32>
    %cst_13 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8192x1xf32>
    %53 = stablehlo.divide %51, %52 : tensor<8192x1xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_14) applies stablehlo.add across dimensions = [1] : (tensor<8192x1xf32>, tensor<f32>) -> tensor<8192xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0] : (tensor<8192xf32>) -> tensor<8192x768xf32>
    %56 = stablehlo.add %48, %55 : tensor<8192x768xf32>
    return %25, %56, %34, %28 : tensor<8192x768xf32>, tensor<8192x768xf32>, tensor<768xf32>, tensor<768xf32>
  }
}
