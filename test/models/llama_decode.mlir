module @jit_layer attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<96xbf16>, %arg1: tensor<i32>, %arg2: tensor<40x3x16xbf16>, %arg3: tensor<40x3x16xbf16>, %arg4: tensor<260x96xbf16>, %arg5: tensor<96x260xbf16>, %arg6: tensor<96xbf16>, %arg7: tensor<96x48xbf16>, %arg8: tensor<96x96xbf16>, %arg9: tensor<96xbf16>, %arg10: tensor<96x96xbf16>, %arg11: tensor<96x260xbf16>, %arg12: tensor<96x48xbf16>) -> (tensor<96xbf16> {jax.result_info = "result[0]"}, tensor<40x3x16xbf16> {jax.result_info = "result[1]"}, tensor<40x3x16xbf16> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<96xbf16>) -> tensor<96xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<96xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<96xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_0 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %7 = stablehlo.add %5, %6 : tensor<1xf32>
    %8 = stablehlo.rsqrt %7 : tensor<1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<1xf32>) -> tensor<96xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<96xf32>
    %11 = stablehlo.convert %10 : (tensor<96xf32>) -> tensor<96xbf16>
    %12 = stablehlo.multiply %11, %arg6 : tensor<96xbf16>
    %13 = stablehlo.dot_general %12, %arg10, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<96xbf16>, tensor<96x96xbf16>) -> tensor<96xbf16>
    %14 = stablehlo.reshape %13 : (tensor<96xbf16>) -> tensor<6x16xbf16>
    %15 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %16 = stablehlo.iota dim = 0 : tensor<8xf32>
    %17 = stablehlo.negate %16 : tensor<8xf32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %19 = stablehlo.divide %17, %18 : tensor<8xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %21 = stablehlo.power %20, %19 : tensor<8xf32>
    %22 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<8xf32>
    %24 = stablehlo.slice %14 [0:6, 0:8] : (tensor<6x16xbf16>) -> tensor<6x8xbf16>
    %25 = stablehlo.convert %24 : (tensor<6x8xbf16>) -> tensor<6x8xf32>
    %26 = stablehlo.slice %14 [0:6, 8:16] : (tensor<6x16xbf16>) -> tensor<6x8xbf16>
    %27 = stablehlo.convert %26 : (tensor<6x8xbf16>) -> tensor<6x8xf32>
    %28 = stablehlo.cosine %23 : tensor<8xf32>
    %29 = stablehlo.sine %23 : tensor<8xf32>
    %30 = stablehlo.broadcast_in_dim %28, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<6x8xf32>
    %32 = stablehlo.multiply %25, %31 : tensor<6x8xf32>
    %33 = stablehlo.broadcast_in_dim %29, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<6x8xf32>
    %35 = stablehlo.multiply %27, %34 : tensor<6x8xf32>
    %36 = stablehlo.subtract %32, %35 : tensor<6x8xf32>
    %37 = stablehlo.broadcast_in_dim %28, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<6x8xf32>
    %39 = stablehlo.multiply %27, %38 : tensor<6x8xf32>
    %40 = stablehlo.broadcast_in_dim %29, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<6x8xf32>
    %42 = stablehlo.multiply %25, %41 : tensor<6x8xf32>
    %43 = stablehlo.add %39, %42 : tensor<6x8xf32>
    %44 = stablehlo.concatenate %36, %43, dim = 1 : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x16xf32>
    %45 = stablehlo.convert %44 : (tensor<6x16xf32>) -> tensor<6x16xbf16>
    %46 = stablehlo.dot_general %12, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<96xbf16>, tensor<96x48xbf16>) -> tensor<48xbf16>
    %47 = stablehlo.reshape %46 : (tensor<48xbf16>) -> tensor<3x16xbf16>
    %48 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %49 = stablehlo.iota dim = 0 : tensor<8xf32>
    %50 = stablehlo.negate %49 : tensor<8xf32>
    %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %52 = stablehlo.divide %50, %51 : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %54 = stablehlo.power %53, %52 : tensor<8xf32>
    %55 = stablehlo.broadcast_in_dim %48, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %56 = stablehlo.multiply %55, %54 : tensor<8xf32>
    %57 = stablehlo.slice %47 [0:3, 0:8] : (tensor<3x16xbf16>) -> tensor<3x8xbf16>
    %58 = stablehlo.convert %57 : (tensor<3x8xbf16>) -> tensor<3x8xf32>
    %59 = stablehlo.slice %47 [0:3, 8:16] : (tensor<3x16xbf16>) -> tensor<3x8xbf16>
    %60 = stablehlo.convert %59 : (tensor<3x8xbf16>) -> tensor<3x8xf32>
    %61 = stablehlo.cosine %56 : tensor<8xf32>
    %62 = stablehlo.sine %56 : tensor<8xf32>
    %63 = stablehlo.broadcast_in_dim %61, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<3x8xf32>
    %65 = stablehlo.multiply %58, %64 : tensor<3x8xf32>
    %66 = stablehlo.broadcast_in_dim %62, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<3x8xf32>
    %68 = stablehlo.multiply %60, %67 : tensor<3x8xf32>
    %69 = stablehlo.subtract %65, %68 : tensor<3x8xf32>
    %70 = stablehlo.broadcast_in_dim %61, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<3x8xf32>
    %72 = stablehlo.multiply %60, %71 : tensor<3x8xf32>
    %73 = stablehlo.broadcast_in_dim %62, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<3x8xf32>
    %75 = stablehlo.multiply %58, %74 : tensor<3x8xf32>
    %76 = stablehlo.add %72, %75 : tensor<3x8xf32>
    %77 = stablehlo.concatenate %69, %76, dim = 1 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x16xf32>
    %78 = stablehlo.convert %77 : (tensor<3x16xf32>) -> tensor<3x16xbf16>
    %79 = stablehlo.dot_general %12, %arg12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<96xbf16>, tensor<96x48xbf16>) -> tensor<48xbf16>
    %80 = stablehlo.reshape %79 : (tensor<48xbf16>) -> tensor<3x16xbf16>
    %81 = stablehlo.broadcast_in_dim %78, dims = [1, 2] : (tensor<3x16xbf16>) -> tensor<1x3x16xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %82 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_6 = stablehlo.constant dense<40> : tensor<i32>
    %83 = stablehlo.add %arg1, %c_6 : tensor<i32>
    %84 = stablehlo.select %82, %83, %arg1 : tensor<i1>, tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %85 = stablehlo.dynamic_update_slice %arg2, %81, %84, %c_7, %c_8 : (tensor<40x3x16xbf16>, tensor<1x3x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x3x16xbf16>
    %86 = stablehlo.broadcast_in_dim %80, dims = [1, 2] : (tensor<3x16xbf16>) -> tensor<1x3x16xbf16>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %87 = stablehlo.compare LT, %arg1, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_10 = stablehlo.constant dense<40> : tensor<i32>
    %88 = stablehlo.add %arg1, %c_10 : tensor<i32>
    %89 = stablehlo.select %87, %88, %arg1 : tensor<i1>, tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %90 = stablehlo.dynamic_update_slice %arg3, %86, %89, %c_11, %c_12 : (tensor<40x3x16xbf16>, tensor<1x3x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<40x3x16xbf16>
    %91 = stablehlo.reshape %45 : (tensor<6x16xbf16>) -> tensor<3x2x16xbf16>
    %92 = stablehlo.dot_general %91, %85, batching_dims = [0] x [1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x2x16xbf16>, tensor<40x3x16xbf16>) -> tensor<3x2x40xf32>
    %cst_13 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3x2x40xf32>
    %94 = stablehlo.divide %92, %93 : tensor<3x2x40xf32>
    %95 = stablehlo.iota dim = 0 : tensor<40xi32>
    %96 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<40xi32>
    %97 = stablehlo.compare LE, %95, %96, SIGNED : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi1>
    %cst_14 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %98 = call @_where(%97, %94, %cst_14) : (tensor<40xi1>, tensor<3x2x40xf32>, tensor<f32>) -> tensor<3x2x40xf32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %99 = stablehlo.reduce(%98 init: %cst_15) applies stablehlo.maximum across dimensions = [2] : (tensor<3x2x40xf32>, tensor<f32>) -> tensor<3x2xf32>
    %cst_16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %101 = stablehlo.maximum %100, %99 : tensor<3x2xf32>
    %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1] : (tensor<3x2xf32>) -> tensor<3x2x1xf32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [0, 1, 2] : (tensor<3x2x1xf32>) -> tensor<3x2x40xf32>
    %104 = stablehlo.subtract %98, %103 : tensor<3x2x40xf32>
    %105 = stablehlo.exponential %104 : tensor<3x2x40xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %106 = stablehlo.reduce(%105 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<3x2x40xf32>, tensor<f32>) -> tensor<3x2xf32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [0, 1] : (tensor<3x2xf32>) -> tensor<3x2x1xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2] : (tensor<3x2x1xf32>) -> tensor<3x2x40xf32>
    %109 = stablehlo.divide %105, %108 : tensor<3x2x40xf32>
    %110 = stablehlo.convert %109 : (tensor<3x2x40xf32>) -> tensor<3x2x40xbf16>
    %111 = stablehlo.dot_general %110, %90, batching_dims = [0] x [1], contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x2x40xbf16>, tensor<40x3x16xbf16>) -> tensor<3x2x16xbf16>
    %112 = stablehlo.reshape %111 : (tensor<3x2x16xbf16>) -> tensor<96xbf16>
    %113 = stablehlo.dot_general %112, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<96xbf16>, tensor<96x96xbf16>) -> tensor<96xbf16>
    %114 = stablehlo.add %arg0, %113 : tensor<96xbf16>
    %115 = stablehlo.convert %114 : (tensor<96xbf16>) -> tensor<96xf32>
    %116 = stablehlo.multiply %115, %115 : tensor<96xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%116 init: %cst_18) applies stablehlo.add across dimensions = [0] : (tensor<96xf32>, tensor<f32>) -> tensor<f32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_19 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %120 = stablehlo.divide %118, %119 : tensor<1xf32>
    %cst_20 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %122 = stablehlo.add %120, %121 : tensor<1xf32>
    %123 = stablehlo.rsqrt %122 : tensor<1xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0] : (tensor<1xf32>) -> tensor<96xf32>
    %125 = stablehlo.multiply %115, %124 : tensor<96xf32>
    %126 = stablehlo.convert %125 : (tensor<96xf32>) -> tensor<96xbf16>
    %127 = stablehlo.multiply %126, %arg9 : tensor<96xbf16>
    %128 = stablehlo.dot_general %127, %arg5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<96xbf16>, tensor<96x260xbf16>) -> tensor<260xbf16>
    %129 = call @silu(%128) : (tensor<260xbf16>) -> tensor<260xbf16>
    %130 = stablehlo.dot_general %127, %arg11, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<96xbf16>, tensor<96x260xbf16>) -> tensor<260xbf16>
    %131 = stablehlo.multiply %129, %130 : tensor<260xbf16>
    %132 = stablehlo.dot_general %131, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<260xbf16>, tensor<260x96xbf16>) -> tensor<96xbf16>
    %133 = stablehlo.add %114, %132 : tensor<96xbf16>
    return %133, %85, %90 : tensor<96xbf16>, tensor<40x3x16xbf16>, tensor<40x3x16xbf16>
  }
  func.func private @_where(%arg0: tensor<40xi1>, %arg1: tensor<3x2x40xf32>, %arg2: tensor<f32>) -> tensor<3x2x40xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<40xi1>) -> tensor<3x2x40xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x2x40xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<3x2x40xi1>, tensor<3x2x40xf32>
    return %3 : tensor<3x2x40xf32>
  }
  func.func private @silu(%arg0: tensor<260xbf16>) -> tensor<260xbf16> {
    %0 = stablehlo.negate %arg0 : tensor<260xbf16>
    %1 = stablehlo.exponential %0 : tensor<260xbf16>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<260xbf16>
    %3 = stablehlo.add %2, %1 : tensor<260xbf16>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<260xbf16>
    %5 = stablehlo.divide %4, %3 : tensor<260xbf16>
    %6 = stablehlo.multiply %arg0, %5 : tensor<260xbf16>
    return %6 : tensor<260xbf16>
  }
}
