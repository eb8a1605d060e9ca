// A layer of FNet with its gradients: jax.value_and_grad of x + fft2(x).real, a norm, GELU between two dots, as JAX prints it.
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x24x60xf32>, %arg1: tensor<60x64xf32>, %arg2: tensor<64x60xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<2x24x60xf32> {jax.result_info = "result[1][0]"}, tensor<60x64xf32> {jax.result_info = "result[1][1]"}, tensor<64x60xf32> {jax.result_info = "result[1][2]"}) {
    %0 = call @fft(%arg0) : (tensor<2x24x60xf32>) -> tensor<2x24x60xcomplex<f32>>
    %1 = stablehlo.real %0 : (tensor<2x24x60xcomplex<f32>>) -> tensor<2x24x60xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<2x24x60xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x24x60xf32>, tensor<f32>) -> tensor<2x24xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %6 = stablehlo.divide %4, %5 : tensor<2x24x1xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x24x1xf32>) -> tensor<2x24x60xf32>
    %8 = stablehlo.subtract %2, %7 : tensor<2x24x60xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9:4 = call @_var(%2, %c) : (tensor<2x24x60xf32>, tensor<i32>) -> (tensor<2x24x1xf32>, tensor<2x24x60xf32>, tensor<f32>, tensor<i1>)
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %11 = stablehlo.add %9#0, %10 : tensor<2x24x1xf32>
    %12 = stablehlo.rsqrt %11 : tensor<2x24x1xf32>
    %13 = stablehlo.divide %12, %11 : tensor<2x24x1xf32>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %15 = stablehlo.multiply %14, %13 : tensor<2x24x1xf32>
    %16 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<2x24x1xf32>) -> tensor<2x24x60xf32>
    %17 = stablehlo.multiply %8, %16 : tensor<2x24x60xf32>
    %18 = stablehlo.dot_general %17, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x24x60xf32>, tensor<60x64xf32>) -> tensor<2x24x64xf32>
    %19 = stablehlo.multiply %18, %18 : tensor<2x24x64xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<2x24x64xf32>
    %21 = stablehlo.multiply %18, %18 : tensor<2x24x64xf32>
    %cst_3 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x24x64xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<2x24x64xf32>
    %cst_4 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x24x64xf32>
    %25 = stablehlo.multiply %24, %20 : tensor<2x24x64xf32>
    %26 = stablehlo.add %18, %25 : tensor<2x24x64xf32>
    %cst_5 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x24x64xf32>
    %28 = stablehlo.multiply %27, %26 : tensor<2x24x64xf32>
    %29 = stablehlo.tanh %28 : tensor<2x24x64xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x24x64xf32>
    %31 = stablehlo.subtract %30, %29 : tensor<2x24x64xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x24x64xf32>
    %33 = stablehlo.add %32, %29 : tensor<2x24x64xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x24x64xf32>
    %35 = stablehlo.multiply %34, %33 : tensor<2x24x64xf32>
    %36 = stablehlo.multiply %18, %35 : tensor<2x24x64xf32>
    %37 = stablehlo.dot_general %36, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x24x64xf32>, tensor<64x60xf32>) -> tensor<2x24x60xf32>
    %38 = stablehlo.add %17, %37 : tensor<2x24x60xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_9) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x24x60xf32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x24x60xf32>
    %41 = stablehlo.dot_general %40, %36, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x60xf32>, tensor<2x24x64xf32>) -> tensor<60x64xf32>
    %42 = stablehlo.transpose %41, dims = [1, 0] : (tensor<60x64xf32>) -> tensor<64x60xf32>
    %43 = stablehlo.dot_general %40, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x60xf32>, tensor<64x60xf32>) -> tensor<2x24x64xf32>
    %44 = stablehlo.multiply %18, %43 : tensor<2x24x64xf32>
    %45 = stablehlo.multiply %43, %35 : tensor<2x24x64xf32>
    %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x24x64xf32>
    %47 = stablehlo.multiply %46, %44 : tensor<2x24x64xf32>
    %48 = stablehlo.multiply %47, %31 : tensor<2x24x64xf32>
    %49 = stablehlo.multiply %48, %29 : tensor<2x24x64xf32>
    %50 = stablehlo.add %48, %49 : tensor<2x24x64xf32>
    %cst_12 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x24x64xf32>
    %52 = stablehlo.multiply %51, %50 : tensor<2x24x64xf32>
    %53 = stablehlo.add %45, %52 : tensor<2x24x64xf32>
    %cst_13 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x24x64xf32>
    %55 = stablehlo.multiply %54, %52 : tensor<2x24x64xf32>
    %56 = stablehlo.multiply %55, %23 : tensor<2x24x64xf32>
    %57 = stablehlo.add %53, %56 : tensor<2x24x64xf32>
    %58 = stablehlo.dot_general %57, %17, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x64xf32>, tensor<2x24x60xf32>) -> tensor<64x60xf32>
    %59 = stablehlo.transpose %58, dims = [1, 0] : (tensor<64x60xf32>) -> tensor<60x64xf32>
    %60 = stablehlo.dot_general %57, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x24x64xf32>, tensor<60x64xf32>) -> tensor<2x24x60xf32>
    %61 = stablehlo.add %40, %60 : tensor<2x24x60xf32>
    %62 = stablehlo.multiply %8, %61 : tensor<2x24x60xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.reduce(%62 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<2x24x60xf32>, tensor<f32>) -> tensor<2x24xf32>
    %64 = stablehlo.reshape %63 : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %65 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<2x24x1xf32>) -> tensor<2x24x60xf32>
    %66 = stablehlo.multiply %61, %65 : tensor<2x24x60xf32>
    %67 = stablehlo.multiply %64, %15 : tensor<2x24x1xf32>
    %68 = call @_var_0(%9#1, %9#2, %9#3, %67) : (tensor<2x24x60xf32>, tensor<f32>, tensor<i1>, tensor<2x24x1xf32>) -> tensor<2x24x60xf32>
    %69 = stablehlo.negate %66 : tensor<2x24x60xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.reduce(%69 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<2x24x60xf32>, tensor<f32>) -> tensor<2x24xf32>
    %71 = stablehlo.reshape %70 : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %72 = stablehlo.add %68, %66 : tensor<2x24x60xf32>
    %cst_16 = stablehlo.constant dense<6.000000e+01> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %74 = stablehlo.divide %71, %73 : tensor<2x24x1xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%74 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<2x24x1xf32>, tensor<f32>) -> tensor<2x24xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x60xf32>
    %77 = stablehlo.add %72, %76 : tensor<2x24x60xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x24x60xf32>
    %79 = stablehlo.complex %77, %78 : tensor<2x24x60xcomplex<f32>>
    %80 = call @fft_2(%79) : (tensor<2x24x60xcomplex<f32>>) -> tensor<2x24x60xf32>
    %81 = stablehlo.add %77, %80 : tensor<2x24x60xf32>
    return %39, %81, %59, %42 : tensor<f32>, tensor<2x24x60xf32>, tensor<60x64xf32>, tensor<64x60xf32>
  }
  func.func private @fft(%arg0: tensor<2x24x60xf32>) -> tensor<2x24x60xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<2x24x60xf32>) -> tensor<2x24x60xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [24, 60] : (tensor<2x24x60xcomplex<f32>>) -> tensor<2x24x60xcomplex<f32>>
    return %1 : tensor<2x24x60xcomplex<f32>>
  }
  func.func private @_var(%arg0: tensor<2x24x60xf32>, %arg1: tensor<i32>) -> (tensor<2x24x1xf32>, tensor<2x24x60xf32>, tensor<f32>, tensor<i1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x24x60xf32>, tensor<f32>) -> tensor<2x24xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x24x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x24x1xf32>) -> tensor<2x24x60xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x24x60xf32>
    %6 = chlo.square %5 : tensor<2x24x60xf32> -> tensor<2x24x60xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x24x60xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<2x24x60xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<6.000000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<2x24x60xf32>, tensor<f32>) -> tensor<2x24xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<2x24x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = call @_where(%15, %14, %cst_5) : (tensor<i1>, tensor<2x24x1xf32>, tensor<f32>) -> tensor<2x24x1xf32>
    return %16, %8, %10, %15 : tensor<2x24x1xf32>, tensor<2x24x60xf32>, tensor<f32>, tensor<i1>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<2x24x1xf32>, %arg2: tensor<f32>) -> tensor<2x24x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<2x24x1xf32>
    return %2 : tensor<2x24x1xf32>
  }
  func.func private @_var_0(%arg0: tensor<2x24x60xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<2x24x1xf32>) -> tensor<2x24x60xf32> {
    %0 = call @_where_1(%arg2, %arg3) : (tensor<i1>, tensor<2x24x1xf32>) -> tensor<2x24x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %2 = stablehlo.divide %0, %1 : tensor<2x24x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x24x1xf32>, tensor<f32>) -> tensor<2x24xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x60xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<2x24x60xf32>
    %6 = stablehlo.negate %5 : tensor<2x24x60xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<2x24x60xf32>, tensor<f32>) -> tensor<2x24xf32>
    %8 = stablehlo.reshape %7 : (tensor<2x24xf32>) -> tensor<2x24x1xf32>
    %cst_1 = stablehlo.constant dense<6.000000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<2x24x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<2x24x1xf32>, tensor<f32>) -> tensor<2x24xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x24xf32>) -> tensor<2x24x60xf32>
    %13 = stablehlo.add %5, %12 : tensor<2x24x60xf32>
    return %13 : tensor<2x24x60xf32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<2x24x1xf32>) -> tensor<2x24x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x24x1xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<2x24x1xf32>
    return %1 : tensor<2x24x1xf32>
  }
  func.func private @fft_2(%arg0: tensor<2x24x60xcomplex<f32>>) -> tensor<2x24x60xf32> {
    %0 = call @fft_3(%arg0) : (tensor<2x24x60xcomplex<f32>>) -> tensor<2x24x60xcomplex<f32>>
    %1 = stablehlo.real %0 : (tensor<2x24x60xcomplex<f32>>) -> tensor<2x24x60xf32>
    %2 = stablehlo.convert %1 : tensor<2x24x60xf32>
    return %2 : tensor<2x24x60xf32>
  }
  func.func private @fft_3(%arg0: tensor<2x24x60xcomplex<f32>>) -> tensor<2x24x60xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = FFT, length = [24, 60] : (tensor<2x24x60xcomplex<f32>>) -> tensor<2x24x60xcomplex<f32>>
    return %0 : tensor<2x24x60xcomplex<f32>>
  }
}
