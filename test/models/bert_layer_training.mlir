module @jit_bert_layer_training attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x24x128xf32> loc("hidden"), %arg1: tensor<2x24xi32> loc("mask"), %arg2: tensor<128xf32> loc("parameters.attention.output.LayerNorm.bias"), %arg3: tensor<128xf32> loc("parameters.attention.output.LayerNorm.scale"), %arg4: tensor<128xf32> loc("parameters.attention.output.dense.bias"), %arg5: tensor<128x128xf32> loc("parameters.attention.output.dense.kernel"), %arg6: tensor<128xf32> loc("parameters.attention.self.key.bias"), %arg7: tensor<128x128xf32> loc("parameters.attention.self.key.kernel"), %arg8: tensor<128xf32> loc("parameters.attention.self.query.bias"), %arg9: tensor<128x128xf32> loc("parameters.attention.self.query.kernel"), %arg10: tensor<128xf32> loc("parameters.attention.self.value.bias"), %arg11: tensor<128x128xf32> loc("parameters.attention.self.value.kernel"), %arg12: tensor<512xf32> loc("parameters.intermediate.dense.bias"), %arg13: tensor<128x512xf32> loc("parameters.intermediate.dense.kernel"), %arg14: tensor<128xf32> loc("parameters.output.LayerNorm.bias"), %arg15: tensor<128xf32> loc("parameters.output.LayerNorm.scale"), %arg16: tensor<128xf32> loc("parameters.output.dense.bias"), %arg17: tensor<512x128xf32> loc("parameters.output.dense.kernel"), %arg18: tensor<2x24x128xf32> loc("target")) -> (tensor<128xf32> {jax.result_info = "result['gradients'][0]['attention']['output']['LayerNorm']['bias']"}, tensor<128xf32> {jax.result_info = "result['gradients'][0]['attention']['output']['LayerNorm']['scale']"}, tensor<128xf32> {jax.result_info = "result['gradients'][0]['attention']['output']['dense']['bias']"}, tensor<128x128xf32> {jax.result_info = "result['gradients'][0]['attention']['output']['dense']['kernel']"}, tensor<128xf32> {jax.result_info = "result['gradients'][0]['attention']['self']['key']['bias']"}, tensor<128x128xf32> {jax.result_info = "result['gradients'][0]['attention']['self']['key']['kernel']"}, tensor<128xf32> {jax.result_info = "result['gradients'][0]['attention']['self']['query']['bias']"}, tensor<128x128xf32> {jax.result_info = "result['gradients'][0]['attention']['self']['query']['kernel']"}, tensor<128xf32> {jax.result_info = "result['gradients'][0]['attention']['self']['value']['bias']"}, tensor<128x128xf32> {jax.result_info = "result['gradients'][0]['attention']['self']['value']['kernel']"}, tensor<512xf32> {jax.result_info = "result['gradients'][0]['intermediate']['dense']['bias']"}, tensor<128x512xf32> {jax.result_info = "result['gradients'][0]['intermediate']['dense']['kernel']"}, tensor<128xf32> {jax.result_info = "result['gradients'][0]['output']['LayerNorm']['bias']"}, tensor<128xf32> {jax.result_info = "result['gradients'][0]['output']['LayerNorm']['scale']"}, tensor<128xf32> {jax.result_info = "result['gradients'][0]['output']['dense']['bias']"}, tensor<512x128xf32> {jax.result_info = "result['gradients'][0]['output']['dense']['kernel']"}, tensor<2x24x128xf32> {jax.result_info = "result['gradients'][1]"}, tensor<f32> {jax.result_info = "result['loss']"}) {
    %0 = stablehlo.dot_general %arg0, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<128x128xf32>) -> tensor<2x24x128xf32>
    %1 = stablehlo.reshape %arg8 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x24x128xf32>
    %4 = stablehlo.dot_general %arg0, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<128x128xf32>) -> tensor<2x24x128xf32>
    %5 = stablehlo.reshape %arg6 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %7 = stablehlo.add %4, %6 : tensor<2x24x128xf32>
    %8 = stablehlo.dot_general %arg0, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<128x128xf32>) -> tensor<2x24x128xf32>
    %9 = stablehlo.reshape %arg10 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %11 = stablehlo.add %8, %10 : tensor<2x24x128xf32>
    %12 = stablehlo.reshape %3 : (tensor<2x24x128xf32>) -> tensor<2x24x4x32xf32>
    %13 = stablehlo.reshape %7 : (tensor<2x24x128xf32>) -> tensor<2x24x4x32xf32>
    %14 = stablehlo.reshape %11 : (tensor<2x24x128xf32>) -> tensor<2x24x4x32xf32>
    %15 = stablehlo.broadcast_in_dim %arg1, dims = [0, 3] : (tensor<2x24xi32>) -> tensor<2x1x1x24xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x1x1x24xi32>
    %17 = stablehlo.compare GT, %15, %16, SIGNED : (tensor<2x1x1x24xi32>, tensor<2x1x1x24xi32>) -> tensor<2x1x1x24xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x1x1x24xf32>
    %19 = stablehlo.convert %18 : tensor<2x1x1x24xf32>
    %cst_0 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x1x1x24xf32>
    %21 = stablehlo.select %17, %19, %20 : tensor<2x1x1x24xi1>, tensor<2x1x1x24xf32>
    %cst_1 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %22 = stablehlo.sqrt %cst_1 : tensor<f32>
    %23 = stablehlo.convert %22 : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<2x24x4x32xf32>
    %25 = stablehlo.divide %12, %24 : tensor<2x24x4x32xf32>
    %26 = stablehlo.dot_general %25, %13, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x24x4x32xf32>, tensor<2x24x4x32xf32>) -> tensor<2x4x24x24xf32>
    %27 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2, 3] : (tensor<2x1x1x24xf32>) -> tensor<2x4x24x24xf32>
    %28 = stablehlo.add %26, %27 : tensor<2x4x24x24xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x24x24xf32>, tensor<f32>) -> tensor<2x4x24xf32>
    %30 = stablehlo.reshape %29 : (tensor<2x4x24xf32>) -> tensor<2x4x24x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<2x4x24x1xf32>) -> tensor<2x4x24x24xf32>
    %32 = stablehlo.compare EQ, %28, %31, FLOAT : (tensor<2x4x24x24xf32>, tensor<2x4x24x24xf32>) -> tensor<2x4x24x24xi1>
    %33 = stablehlo.convert %32 : (tensor<2x4x24x24xi1>) -> tensor<2x4x24x24xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x4x24x24xf32>, tensor<f32>) -> tensor<2x4x24xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x4x24xf32>
    %36 = stablehlo.maximum %35, %29 : tensor<2x4x24xf32>
    %37 = stablehlo.compare EQ, %29, %36, FLOAT : (tensor<2x4x24xf32>, tensor<2x4x24xf32>) -> tensor<2x4x24xi1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x4x24xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x4x24xf32>
    %40 = stablehlo.select %37, %38, %39 : tensor<2x4x24xi1>, tensor<2x4x24xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x4x24xf32>
    %42 = stablehlo.compare EQ, %41, %36, FLOAT : (tensor<2x4x24xf32>, tensor<2x4x24xf32>) -> tensor<2x4x24xi1>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x4x24xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x4x24xf32>
    %45 = stablehlo.select %42, %43, %44 : tensor<2x4x24xi1>, tensor<2x4x24xf32>
    %46 = stablehlo.divide %40, %45 : tensor<2x4x24xf32>
    %47 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<2x4x24xf32>) -> tensor<2x4x24x1xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<2x4x24x1xf32>) -> tensor<2x4x24x24xf32>
    %49 = stablehlo.subtract %28, %48 : tensor<2x4x24x24xf32>
    %50 = stablehlo.exponential %49 : tensor<2x4x24x24xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.reduce(%50 init: %cst_10) applies stablehlo.add across dimensions = [3] : (tensor<2x4x24x24xf32>, tensor<f32>) -> tensor<2x4x24xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2] : (tensor<2x4x24xf32>) -> tensor<2x4x24x1xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<2x4x24x1xf32>) -> tensor<2x4x24x24xf32>
    %54 = stablehlo.divide %50, %53 : tensor<2x4x24x24xf32>
    %55 = stablehlo.multiply %52, %52 : tensor<2x4x24x1xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x4x24x1xf32>
    %57 = stablehlo.divide %56, %55 : tensor<2x4x24x1xf32>
    %58 = stablehlo.dot_general %14, %54, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x24x4x32xf32>, tensor<2x4x24x24xf32>) -> tensor<2x4x32x24xf32>
    %59 = stablehlo.transpose %58, dims = [0, 3, 1, 2] : (tensor<2x4x32x24xf32>) -> tensor<2x24x4x32xf32>
    %60 = stablehlo.reshape %59 : (tensor<2x24x4x32xf32>) -> tensor<2x24x128xf32>
    %61 = stablehlo.dot_general %60, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<128x128xf32>) -> tensor<2x24x128xf32>
    %62 = stablehlo.reshape %arg4 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %64 = stablehlo.add %61, %63 : tensor<2x24x128xf32>
    %65 = stablehlo.add %64, %arg0 : tensor<2x24x128xf32>
    %66 = chlo.square %65 : tensor<2x24x128xf32> -> tensor<2x24x128xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x24x128xf32>
    %68 = stablehlo.multiply %67, %65 : tensor<2x24x128xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.reduce(%65 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<2x24xf32>
    %cst_14 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %71 = stablehlo.divide %69, %70 : tensor<2x24xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%66 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<2x24xf32>
    %cst_16 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %74 = stablehlo.divide %72, %73 : tensor<2x24xf32>
    %75 = chlo.square %71 : tensor<2x24xf32> -> tensor<2x24xf32>
    %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %77 = stablehlo.multiply %76, %71 : tensor<2x24xf32>
    %78 = stablehlo.subtract %74, %75 : tensor<2x24xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %80 = stablehlo.maximum %79, %78 : tensor<2x24xf32>
    %81 = stablehlo.compare EQ, %78, %80, FLOAT : (tensor<2x24xf32>, tensor<2x24xf32>) -> tensor<2x24xi1>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %84 = stablehlo.select %81, %82, %83 : tensor<2x24xi1>, tensor<2x24xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %86 = stablehlo.compare EQ, %85, %80, FLOAT : (tensor<2x24xf32>, tensor<2x24xf32>) -> tensor<2x24xi1>
    %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %89 = stablehlo.select %86, %87, %88 : tensor<2x24xi1>, tensor<2x24xf32>
    %90 = stablehlo.divide %84, %89 : tensor<2x24xf32>
    %91 = stablehlo.broadcast_in_dim %71, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %92 = stablehlo.broadcast_in_dim %80, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %93 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2] : (tensor<2x24x1xf32>) -> tensor<2x24x128xf32>
    %94 = stablehlo.subtract %65, %93 : tensor<2x24x128xf32>
    %cst_24 = stablehlo.constant dense<9.99999996E-13> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %96 = stablehlo.add %92, %95 : tensor<2x24x1xf32>
    %97 = stablehlo.rsqrt %96 : tensor<2x24x1xf32>
    %98 = stablehlo.divide %97, %96 : tensor<2x24x1xf32>
    %cst_25 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %100 = stablehlo.multiply %99, %98 : tensor<2x24x1xf32>
    %101 = stablehlo.reshape %arg3 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %102 = stablehlo.broadcast_in_dim %97, dims = [0, 1, 2] : (tensor<2x24x1xf32>) -> tensor<2x24x128xf32>
    %103 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %104 = stablehlo.multiply %102, %103 : tensor<2x24x128xf32>
    %105 = stablehlo.multiply %94, %104 : tensor<2x24x128xf32>
    %106 = stablehlo.reshape %arg2 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %108 = stablehlo.add %105, %107 : tensor<2x24x128xf32>
    %109 = stablehlo.dot_general %108, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<128x512xf32>) -> tensor<2x24x512xf32>
    %110 = stablehlo.reshape %arg12 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %111 = stablehlo.broadcast_in_dim %110, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<2x24x512xf32>
    %112 = stablehlo.add %109, %111 : tensor<2x24x512xf32>
    %cst_26 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2x24x512xf32>
    %114 = stablehlo.multiply %113, %112 : tensor<2x24x512xf32>
    %115 = stablehlo.negate %112 : tensor<2x24x512xf32>
    %cst_27 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x24x512xf32>
    %117 = stablehlo.multiply %115, %116 : tensor<2x24x512xf32>
    %118 = chlo.erfc %117 : tensor<2x24x512xf32> -> tensor<2x24x512xf32>
    %119 = chlo.square %117 : tensor<2x24x512xf32> -> tensor<2x24x512xf32>
    %120 = stablehlo.negate %119 : tensor<2x24x512xf32>
    %121 = stablehlo.exponential %120 : tensor<2x24x512xf32>
    %122 = stablehlo.multiply %114, %118 : tensor<2x24x512xf32>
    %123 = stablehlo.dot_general %122, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x24x512xf32>, tensor<512x128xf32>) -> tensor<2x24x128xf32>
    %124 = stablehlo.reshape %arg16 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %126 = stablehlo.add %123, %125 : tensor<2x24x128xf32>
    %127 = stablehlo.add %126, %108 : tensor<2x24x128xf32>
    %128 = chlo.square %127 : tensor<2x24x128xf32> -> tensor<2x24x128xf32>
    %cst_28 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2x24x128xf32>
    %130 = stablehlo.multiply %129, %127 : tensor<2x24x128xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.reduce(%127 init: %cst_29) applies stablehlo.add across dimensions = [2] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<2x24xf32>
    %cst_30 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %133 = stablehlo.divide %131, %132 : tensor<2x24xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %134 = stablehlo.reduce(%128 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<2x24xf32>
    %cst_32 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %136 = stablehlo.divide %134, %135 : tensor<2x24xf32>
    %137 = chlo.square %133 : tensor<2x24xf32> -> tensor<2x24xf32>
    %cst_33 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %139 = stablehlo.multiply %138, %133 : tensor<2x24xf32>
    %140 = stablehlo.subtract %136, %137 : tensor<2x24xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %142 = stablehlo.maximum %141, %140 : tensor<2x24xf32>
    %143 = stablehlo.compare EQ, %140, %142, FLOAT : (tensor<2x24xf32>, tensor<2x24xf32>) -> tensor<2x24xi1>
    %cst_35 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %146 = stablehlo.select %143, %144, %145 : tensor<2x24xi1>, tensor<2x24xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %148 = stablehlo.compare EQ, %147, %142, FLOAT : (tensor<2x24xf32>, tensor<2x24xf32>) -> tensor<2x24xi1>
    %cst_38 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %151 = stablehlo.select %148, %149, %150 : tensor<2x24xi1>, tensor<2x24xf32>
    %152 = stablehlo.divide %146, %151 : tensor<2x24xf32>
    %153 = stablehlo.broadcast_in_dim %133, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %154 = stablehlo.broadcast_in_dim %142, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %155 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<2x24x1xf32>) -> tensor<2x24x128xf32>
    %156 = stablehlo.subtract %127, %155 : tensor<2x24x128xf32>
    %cst_40 = stablehlo.constant dense<9.99999996E-13> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %158 = stablehlo.add %154, %157 : tensor<2x24x1xf32>
    %159 = stablehlo.rsqrt %158 : tensor<2x24x1xf32>
    %160 = stablehlo.divide %159, %158 : tensor<2x24x1xf32>
    %cst_41 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %162 = stablehlo.multiply %161, %160 : tensor<2x24x1xf32>
    %163 = stablehlo.reshape %arg15 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %164 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2] : (tensor<2x24x1xf32>) -> tensor<2x24x128xf32>
    %165 = stablehlo.broadcast_in_dim %163, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %166 = stablehlo.multiply %164, %165 : tensor<2x24x128xf32>
    %167 = stablehlo.multiply %156, %166 : tensor<2x24x128xf32>
    %168 = stablehlo.reshape %arg14 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %169 = stablehlo.broadcast_in_dim %168, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %170 = stablehlo.add %167, %169 : tensor<2x24x128xf32>
    %171 = stablehlo.subtract %170, %arg18 : tensor<2x24x128xf32>
    %172 = chlo.square %171 : tensor<2x24x128xf32> -> tensor<2x24x128xf32>
    %cst_42 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<2x24x128xf32>
    %174 = stablehlo.multiply %173, %171 : tensor<2x24x128xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.reduce(%172 init: %cst_43) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<f32>
    %cst_44 = stablehlo.constant dense<6.144000e+03> : tensor<f32>
    %176 = stablehlo.divide %175, %cst_44 : tensor<f32>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_46 = stablehlo.constant dense<6.144000e+03> : tensor<f32>
    %177 = stablehlo.divide %cst_45, %cst_46 : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %177, dims = [] : (tensor<f32>) -> tensor<2x24x128xf32>
    %179 = stablehlo.multiply %178, %174 : tensor<2x24x128xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.reduce(%179 init: %cst_47) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<128xf32>
    %181 = stablehlo.reshape %180 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %182 = stablehlo.reshape %181 : (tensor<1x1x128xf32>) -> tensor<128xf32>
    %183 = stablehlo.multiply %156, %179 : tensor<2x24x128xf32>
    %184 = stablehlo.multiply %179, %166 : tensor<2x24x128xf32>
    %185 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2] : (tensor<2x24x1xf32>) -> tensor<2x24x128xf32>
    %186 = stablehlo.multiply %185, %183 : tensor<2x24x128xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.reduce(%186 init: %cst_48) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<128xf32>
    %188 = stablehlo.reshape %187 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %189 = stablehlo.broadcast_in_dim %163, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %190 = stablehlo.multiply %183, %189 : tensor<2x24x128xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %191 = stablehlo.reduce(%190 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<2x24xf32>
    %192 = stablehlo.reshape %191 : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %193 = stablehlo.reshape %188 : (tensor<1x1x128xf32>) -> tensor<128xf32>
    %194 = stablehlo.multiply %192, %162 : tensor<2x24x1xf32>
    %195 = stablehlo.negate %184 : tensor<2x24x128xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %196 = stablehlo.reduce(%195 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<2x24xf32>
    %197 = stablehlo.reshape %196 : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.reduce(%194 init: %cst_51) applies stablehlo.add across dimensions = [2] : (tensor<2x24x1xf32>, tensor<f32>) -> tensor<2x24xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %199 = stablehlo.reduce(%197 init: %cst_52) applies stablehlo.add across dimensions = [2] : (tensor<2x24x1xf32>, tensor<f32>) -> tensor<2x24xf32>
    %200 = stablehlo.multiply %198, %152 : tensor<2x24xf32>
    %201 = stablehlo.negate %200 : tensor<2x24xf32>
    %202 = stablehlo.multiply %201, %139 : tensor<2x24xf32>
    %203 = stablehlo.add %199, %202 : tensor<2x24xf32>
    %cst_53 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %205 = stablehlo.divide %200, %204 : tensor<2x24xf32>
    %206 = stablehlo.broadcast_in_dim %205, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x128xf32>
    %cst_54 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %207 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %208 = stablehlo.divide %203, %207 : tensor<2x24xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x128xf32>
    %210 = stablehlo.add %184, %209 : tensor<2x24x128xf32>
    %211 = stablehlo.multiply %206, %130 : tensor<2x24x128xf32>
    %212 = stablehlo.add %210, %211 : tensor<2x24x128xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %213 = stablehlo.reduce(%212 init: %cst_55) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<128xf32>
    %214 = stablehlo.reshape %213 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %215 = stablehlo.reshape %214 : (tensor<1x1x128xf32>) -> tensor<128xf32>
    %216 = stablehlo.dot_general %212, %122, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<2x24x512xf32>) -> tensor<128x512xf32>
    %217 = stablehlo.transpose %216, dims = [1, 0] : (tensor<128x512xf32>) -> tensor<512x128xf32>
    %218 = stablehlo.dot_general %212, %arg17, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<512x128xf32>) -> tensor<2x24x512xf32>
    %219 = stablehlo.multiply %114, %218 : tensor<2x24x512xf32>
    %220 = stablehlo.multiply %218, %118 : tensor<2x24x512xf32>
    %cst_56 = stablehlo.constant dense<-1.12837923> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<2x24x512xf32>
    %222 = stablehlo.multiply %221, %219 : tensor<2x24x512xf32>
    %223 = stablehlo.multiply %222, %121 : tensor<2x24x512xf32>
    %cst_57 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<2x24x512xf32>
    %225 = stablehlo.multiply %223, %224 : tensor<2x24x512xf32>
    %226 = stablehlo.negate %225 : tensor<2x24x512xf32>
    %cst_58 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<2x24x512xf32>
    %228 = stablehlo.multiply %227, %220 : tensor<2x24x512xf32>
    %229 = stablehlo.add %226, %228 : tensor<2x24x512xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %230 = stablehlo.reduce(%229 init: %cst_59) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x24x512xf32>, tensor<f32>) -> tensor<512xf32>
    %231 = stablehlo.reshape %230 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %232 = stablehlo.reshape %231 : (tensor<1x1x512xf32>) -> tensor<512xf32>
    %233 = stablehlo.dot_general %229, %108, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x512xf32>, tensor<2x24x128xf32>) -> tensor<512x128xf32>
    %234 = stablehlo.transpose %233, dims = [1, 0] : (tensor<512x128xf32>) -> tensor<128x512xf32>
    %235 = stablehlo.dot_general %229, %arg13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x512xf32>, tensor<128x512xf32>) -> tensor<2x24x128xf32>
    %236 = stablehlo.add %212, %235 : tensor<2x24x128xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %237 = stablehlo.reduce(%236 init: %cst_60) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<128xf32>
    %238 = stablehlo.reshape %237 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %239 = stablehlo.reshape %238 : (tensor<1x1x128xf32>) -> tensor<128xf32>
    %240 = stablehlo.multiply %94, %236 : tensor<2x24x128xf32>
    %241 = stablehlo.multiply %236, %104 : tensor<2x24x128xf32>
    %242 = stablehlo.broadcast_in_dim %97, dims = [0, 1, 2] : (tensor<2x24x1xf32>) -> tensor<2x24x128xf32>
    %243 = stablehlo.multiply %242, %240 : tensor<2x24x128xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %244 = stablehlo.reduce(%243 init: %cst_61) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<128xf32>
    %245 = stablehlo.reshape %244 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %246 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2] : (tensor<1x1x128xf32>) -> tensor<2x24x128xf32>
    %247 = stablehlo.multiply %240, %246 : tensor<2x24x128xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %248 = stablehlo.reduce(%247 init: %cst_62) applies stablehlo.add across dimensions = [2] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<2x24xf32>
    %249 = stablehlo.reshape %248 : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %250 = stablehlo.reshape %245 : (tensor<1x1x128xf32>) -> tensor<128xf32>
    %251 = stablehlo.multiply %249, %100 : tensor<2x24x1xf32>
    %252 = stablehlo.negate %241 : tensor<2x24x128xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %253 = stablehlo.reduce(%252 init: %cst_63) applies stablehlo.add across dimensions = [2] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<2x24xf32>
    %254 = stablehlo.reshape %253 : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.reduce(%251 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<2x24x1xf32>, tensor<f32>) -> tensor<2x24xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %256 = stablehlo.reduce(%254 init: %cst_65) applies stablehlo.add across dimensions = [2] : (tensor<2x24x1xf32>, tensor<f32>) -> tensor<2x24xf32>
    %257 = stablehlo.multiply %255, %90 : tensor<2x24xf32>
    %258 = stablehlo.negate %257 : tensor<2x24xf32>
    %259 = stablehlo.multiply %258, %77 : tensor<2x24xf32>
    %260 = stablehlo.add %256, %259 : tensor<2x24xf32>
    %cst_66 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %262 = stablehlo.divide %257, %261 : tensor<2x24xf32>
    %263 = stablehlo.broadcast_in_dim %262, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x128xf32>
    %cst_67 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %264 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %265 = stablehlo.divide %260, %264 : tensor<2x24xf32>
    %266 = stablehlo.broadcast_in_dim %265, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x128xf32>
    %267 = stablehlo.add %241, %266 : tensor<2x24x128xf32>
    %268 = stablehlo.multiply %263, %68 : tensor<2x24x128xf32>
    %269 = stablehlo.add %267, %268 : tensor<2x24x128xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %270 = stablehlo.reduce(%269 init: %cst_68) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<128xf32>
    %271 = stablehlo.reshape %270 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %272 = stablehlo.reshape %271 : (tensor<1x1x128xf32>) -> tensor<128xf32>
    %273 = stablehlo.dot_general %269, %60, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<2x24x128xf32>) -> tensor<128x128xf32>
    %274 = stablehlo.transpose %273, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %275 = stablehlo.dot_general %269, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<128x128xf32>) -> tensor<2x24x128xf32>
    %276 = stablehlo.reshape %275 : (tensor<2x24x128xf32>) -> tensor<2x24x4x32xf32>
    %277 = stablehlo.transpose %276, dims = [0, 2, 3, 1] : (tensor<2x24x4x32xf32>) -> tensor<2x4x32x24xf32>
    %278 = stablehlo.dot_general %277, %14, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x4x32x24xf32>, tensor<2x24x4x32xf32>) -> tensor<2x4x24x24xf32>
    %279 = stablehlo.dot_general %277, %54, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x32x24xf32>, tensor<2x4x24x24xf32>) -> tensor<2x4x32x24xf32>
    %280 = stablehlo.transpose %279, dims = [0, 3, 1, 2] : (tensor<2x4x32x24xf32>) -> tensor<2x24x4x32xf32>
    %281 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2, 3] : (tensor<2x4x24x1xf32>) -> tensor<2x4x24x24xf32>
    %282 = stablehlo.multiply %278, %281 : tensor<2x4x24x24xf32>
    %283 = stablehlo.multiply %282, %50 : tensor<2x4x24x24xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %284 = stablehlo.reduce(%283 init: %cst_69) applies stablehlo.add across dimensions = [3] : (tensor<2x4x24x24xf32>, tensor<f32>) -> tensor<2x4x24xf32>
    %285 = stablehlo.reshape %284 : (tensor<2x4x24xf32>) -> tensor<2x4x24x1xf32>
    %286 = stablehlo.negate %285 : tensor<2x4x24x1xf32>
    %287 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<2x4x24x1xf32>) -> tensor<2x4x24x24xf32>
    %288 = stablehlo.divide %278, %287 : tensor<2x4x24x24xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %289 = stablehlo.reduce(%286 init: %cst_70) applies stablehlo.add across dimensions = [3] : (tensor<2x4x24x1xf32>, tensor<f32>) -> tensor<2x4x24xf32>
    %290 = stablehlo.broadcast_in_dim %289, dims = [0, 1, 2] : (tensor<2x4x24xf32>) -> tensor<2x4x24x24xf32>
    %291 = stablehlo.add %288, %290 : tensor<2x4x24x24xf32>
    %292 = stablehlo.multiply %291, %50 : tensor<2x4x24x24xf32>
    %293 = stablehlo.dot_general %292, %25, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x24x24xf32>, tensor<2x24x4x32xf32>) -> tensor<2x4x24x32xf32>
    %294 = stablehlo.transpose %293, dims = [0, 2, 1, 3] : (tensor<2x4x24x32xf32>) -> tensor<2x24x4x32xf32>
    %295 = stablehlo.dot_general %292, %13, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x24x24xf32>, tensor<2x24x4x32xf32>) -> tensor<2x4x24x32xf32>
    %296 = stablehlo.transpose %295, dims = [0, 2, 1, 3] : (tensor<2x4x24x32xf32>) -> tensor<2x24x4x32xf32>
    %297 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<2x24x4x32xf32>
    %298 = stablehlo.divide %296, %297 : tensor<2x24x4x32xf32>
    %299 = stablehlo.reshape %280 : (tensor<2x24x4x32xf32>) -> tensor<2x24x128xf32>
    %300 = stablehlo.reshape %294 : (tensor<2x24x4x32xf32>) -> tensor<2x24x128xf32>
    %301 = stablehlo.reshape %298 : (tensor<2x24x4x32xf32>) -> tensor<2x24x128xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %302 = stablehlo.reduce(%299 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<128xf32>
    %303 = stablehlo.reshape %302 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %304 = stablehlo.reshape %303 : (tensor<1x1x128xf32>) -> tensor<128xf32>
    %305 = stablehlo.dot_general %299, %arg0, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<2x24x128xf32>) -> tensor<128x128xf32>
    %306 = stablehlo.transpose %305, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %307 = stablehlo.dot_general %299, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<128x128xf32>) -> tensor<2x24x128xf32>
    %308 = stablehlo.add %269, %307 : tensor<2x24x128xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %309 = stablehlo.reduce(%300 init: %cst_72) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<128xf32>
    %310 = stablehlo.reshape %309 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %311 = stablehlo.reshape %310 : (tensor<1x1x128xf32>) -> tensor<128xf32>
    %312 = stablehlo.dot_general %300, %arg0, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<2x24x128xf32>) -> tensor<128x128xf32>
    %313 = stablehlo.transpose %312, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %314 = stablehlo.dot_general %300, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<128x128xf32>) -> tensor<2x24x128xf32>
    %315 = stablehlo.add %308, %314 : tensor<2x24x128xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %316 = stablehlo.reduce(%301 init: %cst_73) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x24x128xf32>, tensor<f32>) -> tensor<128xf32>
    %317 = stablehlo.reshape %316 : (tensor<128xf32>) -> tensor<1x1x128xf32>
    %318 = stablehlo.reshape %317 : (tensor<1x1x128xf32>) -> tensor<128xf32>
    %319 = stablehlo.dot_general %301, %arg0, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<2x24x128xf32>) -> tensor<128x128xf32>
    %320 = stablehlo.transpose %319, dims = [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %321 = stablehlo.dot_general %301, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x128xf32>, tensor<128x128xf32>) -> tensor<2x24x128xf32>
    %322 = stablehlo.add %315, %321 : tensor<2x24x128xf32>
    return %239, %250, %272, %274, %311, %313, %318, %320, %304, %306, %232, %234, %182, %193, %215, %217, %322, %176 : tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x128xf32>, tensor<128xf32>, tensor<128x128xf32>, tensor<512xf32>, tensor<128x512xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<512x128xf32>, tensor<2x24x128xf32>, tensor<f32>
  }
}
