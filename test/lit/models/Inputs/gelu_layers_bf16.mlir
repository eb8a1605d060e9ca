// Two layers with GELU (tanh) between products and residual connections, with a loss and the gradients of all parameters, in bf16: jax.grad of it, as
// JAX prints it.
module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<72xbf16>, %arg1: tensor<20xbf16>, %arg2: tensor<20x72xbf16>, %arg3: tensor<72x20xbf16>, %arg4: tensor<72xbf16>, %arg5: tensor<20xbf16>, %arg6: tensor<20x72xbf16>, %arg7: tensor<72x20xbf16>, %arg8: tensor<13x20xbf16>, %arg9: tensor<13x20xbf16>) -> (tensor<72xbf16> {jax.result_info = "result[0]['b1']"}, tensor<20xbf16> {jax.result_info = "result[0]['b2']"}, tensor<20x72xbf16> {jax.result_info = "result[0]['w1']"}, tensor<72x20xbf16> {jax.result_info = "result[0]['w2']"}, tensor<72xbf16> {jax.result_info = "result[1]['b1']"}, tensor<20xbf16> {jax.result_info = "result[1]['b2']"}, tensor<20x72xbf16> {jax.result_info = "result[1]['w1']"}, tensor<72x20xbf16> {jax.result_info = "result[1]['w2']"}) {
    %0 = stablehlo.dot_general %arg8, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<13x20xbf16>, tensor<20x72xbf16>) -> tensor<13x72xbf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<72xbf16>) -> tensor<1x72xbf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x72xbf16>) -> tensor<13x72xbf16>
    %3 = stablehlo.add %0, %2 : tensor<13x72xbf16>
    %4 = stablehlo.multiply %3, %3 : tensor<13x72xbf16>
    %5 = stablehlo.multiply %4, %3 : tensor<13x72xbf16>
    %6 = stablehlo.multiply %3, %3 : tensor<13x72xbf16>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %8 = stablehlo.multiply %7, %6 : tensor<13x72xbf16>
    %cst_0 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %10 = stablehlo.multiply %9, %5 : tensor<13x72xbf16>
    %11 = stablehlo.add %3, %10 : tensor<13x72xbf16>
    %cst_1 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %13 = stablehlo.multiply %12, %11 : tensor<13x72xbf16>
    %14 = stablehlo.tanh %13 : tensor<13x72xbf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %16 = stablehlo.subtract %15, %14 : tensor<13x72xbf16>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %18 = stablehlo.add %17, %14 : tensor<13x72xbf16>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %20 = stablehlo.multiply %19, %18 : tensor<13x72xbf16>
    %21 = stablehlo.multiply %3, %20 : tensor<13x72xbf16>
    %22 = stablehlo.dot_general %21, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<13x72xbf16>, tensor<72x20xbf16>) -> tensor<13x20xbf16>
    %23 = stablehlo.add %arg8, %22 : tensor<13x20xbf16>
    %24 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<20xbf16>) -> tensor<1x20xbf16>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<1x20xbf16>) -> tensor<13x20xbf16>
    %26 = stablehlo.add %23, %25 : tensor<13x20xbf16>
    %27 = stablehlo.dot_general %26, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<13x20xbf16>, tensor<20x72xbf16>) -> tensor<13x72xbf16>
    %28 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<72xbf16>) -> tensor<1x72xbf16>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<1x72xbf16>) -> tensor<13x72xbf16>
    %30 = stablehlo.add %27, %29 : tensor<13x72xbf16>
    %31 = stablehlo.multiply %30, %30 : tensor<13x72xbf16>
    %32 = stablehlo.multiply %31, %30 : tensor<13x72xbf16>
    %33 = stablehlo.multiply %30, %30 : tensor<13x72xbf16>
    %cst_5 = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %34 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %35 = stablehlo.multiply %34, %33 : tensor<13x72xbf16>
    %cst_6 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %37 = stablehlo.multiply %36, %32 : tensor<13x72xbf16>
    %38 = stablehlo.add %30, %37 : tensor<13x72xbf16>
    %cst_7 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %40 = stablehlo.multiply %39, %38 : tensor<13x72xbf16>
    %41 = stablehlo.tanh %40 : tensor<13x72xbf16>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %42 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %43 = stablehlo.subtract %42, %41 : tensor<13x72xbf16>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %44 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %45 = stablehlo.add %44, %41 : tensor<13x72xbf16>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %46 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %47 = stablehlo.multiply %46, %45 : tensor<13x72xbf16>
    %48 = stablehlo.multiply %30, %47 : tensor<13x72xbf16>
    %49 = stablehlo.dot_general %48, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<13x72xbf16>, tensor<72x20xbf16>) -> tensor<13x20xbf16>
    %50 = stablehlo.add %26, %49 : tensor<13x20xbf16>
    %51 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<20xbf16>) -> tensor<1x20xbf16>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1] : (tensor<1x20xbf16>) -> tensor<13x20xbf16>
    %53 = stablehlo.add %50, %52 : tensor<13x20xbf16>
    %54 = stablehlo.subtract %53, %arg9 : tensor<13x20xbf16>
    %55 = stablehlo.convert %54 : (tensor<13x20xbf16>) -> tensor<13x20xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<13x20xf32>
    %57 = stablehlo.multiply %56, %55 : tensor<13x20xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_13 = stablehlo.constant dense<2.600000e+02> : tensor<f32>
    %58 = stablehlo.divide %cst_12, %cst_13 : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<f32>) -> tensor<13x20xf32>
    %60 = stablehlo.multiply %59, %57 : tensor<13x20xf32>
    %61 = stablehlo.convert %60 : (tensor<13x20xf32>) -> tensor<13x20xbf16>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %62 = stablehlo.reduce(%61 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<13x20xbf16>, tensor<bf16>) -> tensor<20xbf16>
    %63 = stablehlo.reshape %62 : (tensor<20xbf16>) -> tensor<1x20xbf16>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %64 = stablehlo.reduce(%63 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<1x20xbf16>, tensor<bf16>) -> tensor<20xbf16>
    %65 = stablehlo.dot_general %61, %48, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<13x20xbf16>, tensor<13x72xbf16>) -> tensor<20x72xbf16>
    %66 = stablehlo.transpose %65, dims = [1, 0] : (tensor<20x72xbf16>) -> tensor<72x20xbf16>
    %67 = stablehlo.dot_general %61, %arg7, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<13x20xbf16>, tensor<72x20xbf16>) -> tensor<13x72xbf16>
    %68 = stablehlo.multiply %30, %67 : tensor<13x72xbf16>
    %69 = stablehlo.multiply %67, %47 : tensor<13x72xbf16>
    %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %70 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %71 = stablehlo.multiply %70, %68 : tensor<13x72xbf16>
    %72 = stablehlo.multiply %71, %43 : tensor<13x72xbf16>
    %73 = stablehlo.multiply %72, %41 : tensor<13x72xbf16>
    %74 = stablehlo.add %72, %73 : tensor<13x72xbf16>
    %cst_17 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %75 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %76 = stablehlo.multiply %75, %74 : tensor<13x72xbf16>
    %77 = stablehlo.add %69, %76 : tensor<13x72xbf16>
    %cst_18 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %78 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %79 = stablehlo.multiply %78, %76 : tensor<13x72xbf16>
    %80 = stablehlo.multiply %79, %35 : tensor<13x72xbf16>
    %81 = stablehlo.add %77, %80 : tensor<13x72xbf16>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %82 = stablehlo.reduce(%81 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<13x72xbf16>, tensor<bf16>) -> tensor<72xbf16>
    %83 = stablehlo.reshape %82 : (tensor<72xbf16>) -> tensor<1x72xbf16>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %84 = stablehlo.reduce(%83 init: %cst_20) applies stablehlo.add across dimensions = [0] : (tensor<1x72xbf16>, tensor<bf16>) -> tensor<72xbf16>
    %85 = stablehlo.dot_general %81, %26, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<13x72xbf16>, tensor<13x20xbf16>) -> tensor<72x20xbf16>
    %86 = stablehlo.transpose %85, dims = [1, 0] : (tensor<72x20xbf16>) -> tensor<20x72xbf16>
    %87 = stablehlo.dot_general %81, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<13x72xbf16>, tensor<20x72xbf16>) -> tensor<13x20xbf16>
    %88 = stablehlo.add %61, %87 : tensor<13x20xbf16>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %89 = stablehlo.reduce(%88 init: %cst_21) applies stablehlo.add across dimensions = [0] : (tensor<13x20xbf16>, tensor<bf16>) -> tensor<20xbf16>
    %90 = stablehlo.reshape %89 : (tensor<20xbf16>) -> tensor<1x20xbf16>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %91 = stablehlo.reduce(%90 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<1x20xbf16>, tensor<bf16>) -> tensor<20xbf16>
    %92 = stablehlo.dot_general %88, %21, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<13x20xbf16>, tensor<13x72xbf16>) -> tensor<20x72xbf16>
    %93 = stablehlo.transpose %92, dims = [1, 0] : (tensor<20x72xbf16>) -> tensor<72x20xbf16>
    %94 = stablehlo.dot_general %88, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<13x20xbf16>, tensor<72x20xbf16>) -> tensor<13x72xbf16>
    %95 = stablehlo.multiply %3, %94 : tensor<13x72xbf16>
    %96 = stablehlo.multiply %94, %20 : tensor<13x72xbf16>
    %cst_23 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %97 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %98 = stablehlo.multiply %97, %95 : tensor<13x72xbf16>
    %99 = stablehlo.multiply %98, %16 : tensor<13x72xbf16>
    %100 = stablehlo.multiply %99, %14 : tensor<13x72xbf16>
    %101 = stablehlo.add %99, %100 : tensor<13x72xbf16>
    %cst_24 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %102 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %103 = stablehlo.multiply %102, %101 : tensor<13x72xbf16>
    %104 = stablehlo.add %96, %103 : tensor<13x72xbf16>
    %cst_25 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %105 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<bf16>) -> tensor<13x72xbf16>
    %106 = stablehlo.multiply %105, %103 : tensor<13x72xbf16>
    %107 = stablehlo.multiply %106, %8 : tensor<13x72xbf16>
    %108 = stablehlo.add %104, %107 : tensor<13x72xbf16>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %109 = stablehlo.reduce(%108 init: %cst_26) applies stablehlo.add across dimensions = [0] : (tensor<13x72xbf16>, tensor<bf16>) -> tensor<72xbf16>
    %110 = stablehlo.reshape %109 : (tensor<72xbf16>) -> tensor<1x72xbf16>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %111 = stablehlo.reduce(%110 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<1x72xbf16>, tensor<bf16>) -> tensor<72xbf16>
    %112 = stablehlo.dot_general %108, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<13x72xbf16>, tensor<13x20xbf16>) -> tensor<72x20xbf16>
    %113 = stablehlo.transpose %112, dims = [1, 0] : (tensor<72x20xbf16>) -> tensor<20x72xbf16>
    return %111, %91, %113, %93, %84, %64, %86, %66 : tensor<72xbf16>, tensor<20xbf16>, tensor<20x72xbf16>, tensor<72x20xbf16>, tensor<72xbf16>, tensor<20xbf16>, tensor<20x72xbf16>, tensor<72x20xbf16>
  }
}

