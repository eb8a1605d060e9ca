// The front end of a speech recogniser: log(|rfft(frames of 400 samples, windowed)|^2), as JAX prints it.
module @jit_spec attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x1600xf32>) -> (tensor<2x8x201xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:2, 0:400] : (tensor<2x1600xf32>) -> tensor<2x400xf32>
    %1 = stablehlo.slice %arg0 [0:2, 160:560] : (tensor<2x1600xf32>) -> tensor<2x400xf32>
    %2 = stablehlo.slice %arg0 [0:2, 320:720] : (tensor<2x1600xf32>) -> tensor<2x400xf32>
    %3 = stablehlo.slice %arg0 [0:2, 480:880] : (tensor<2x1600xf32>) -> tensor<2x400xf32>
    %4 = stablehlo.slice %arg0 [0:2, 640:1040] : (tensor<2x1600xf32>) -> tensor<2x400xf32>
    %5 = stablehlo.slice %arg0 [0:2, 800:1200] : (tensor<2x1600xf32>) -> tensor<2x400xf32>
    %6 = stablehlo.slice %arg0 [0:2, 960:1360] : (tensor<2x1600xf32>) -> tensor<2x400xf32>
    %7 = stablehlo.slice %arg0 [0:2, 1120:1520] : (tensor<2x1600xf32>) -> tensor<2x400xf32>
    %8 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<2x400xf32>) -> tensor<2x1x400xf32>
    %9 = stablehlo.broadcast_in_dim %1, dims = [0, 2] : (tensor<2x400xf32>) -> tensor<2x1x400xf32>
    %10 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<2x400xf32>) -> tensor<2x1x400xf32>
    %11 = stablehlo.broadcast_in_dim %3, dims = [0, 2] : (tensor<2x400xf32>) -> tensor<2x1x400xf32>
    %12 = stablehlo.broadcast_in_dim %4, dims = [0, 2] : (tensor<2x400xf32>) -> tensor<2x1x400xf32>
    %13 = stablehlo.broadcast_in_dim %5, dims = [0, 2] : (tensor<2x400xf32>) -> tensor<2x1x400xf32>
    %14 = stablehlo.broadcast_in_dim %6, dims = [0, 2] : (tensor<2x400xf32>) -> tensor<2x1x400xf32>
    %15 = stablehlo.broadcast_in_dim %7, dims = [0, 2] : (tensor<2x400xf32>) -> tensor<2x1x400xf32>
    %16 = stablehlo.concatenate %8, %9, %10, %11, %12, %13, %14, %15, dim = 1 : (tensor<2x1x400xf32>, tensor<2x1x400xf32>, tensor<2x1x400xf32>, tensor<2x1x400xf32>, tensor<2x1x400xf32>, tensor<2x1x400xf32>, tensor<2x1x400xf32>, tensor<2x1x400xf32>) -> tensor<2x8x400xf32>
    %17 = stablehlo.iota dim = 0 : tensor<400xf32>
    %cst = stablehlo.constant dense<6.28318548> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<400xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<400xf32>
    %cst_0 = stablehlo.constant dense<3.990000e+02> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<400xf32>
    %21 = stablehlo.divide %19, %20 : tensor<400xf32>
    %22 = stablehlo.cosine %21 : tensor<400xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<400xf32>
    %24 = stablehlo.subtract %23, %22 : tensor<400xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<400xf32>
    %26 = stablehlo.multiply %25, %24 : tensor<400xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [2] : (tensor<400xf32>) -> tensor<1x1x400xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<1x1x400xf32>) -> tensor<2x8x400xf32>
    %29 = stablehlo.multiply %16, %28 : tensor<2x8x400xf32>
    %30 = call @fft(%29) : (tensor<2x8x400xf32>) -> tensor<2x8x201xcomplex<f32>>
    %31 = stablehlo.real %30 : (tensor<2x8x201xcomplex<f32>>) -> tensor<2x8x201xf32>
    %32 = stablehlo.multiply %31, %31 : tensor<2x8x201xf32>
    %33 = stablehlo.imag %30 : (tensor<2x8x201xcomplex<f32>>) -> tensor<2x8x201xf32>
    %34 = stablehlo.multiply %33, %33 : tensor<2x8x201xf32>
    %35 = stablehlo.add %32, %34 : tensor<2x8x201xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x8x201xf32>
    %37 = stablehlo.add %35, %36 : tensor<2x8x201xf32>
    %38 = stablehlo.log %37 : tensor<2x8x201xf32>
    return %38 : tensor<2x8x201xf32>
  }
  func.func private @fft(%arg0: tensor<2x8x400xf32>) -> tensor<2x8x201xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [400] : (tensor<2x8x400xf32>) -> tensor<2x8x201xcomplex<f32>>
    return %0 : tensor<2x8x201xcomplex<f32>>
  }
}
