// Associative scans and shifted sums as JAX prints them.

func.func @linear(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>) -> (tensor<64xf32>) {
  %0 = stablehlo.slice %arg0 [0:63:2] : (tensor<64xf32>) -> tensor<32xf32>
  %1 = stablehlo.slice %arg1 [0:63:2] : (tensor<64xf32>) -> tensor<32xf32>
  %2 = stablehlo.slice %arg0 [1:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  %3 = stablehlo.slice %arg1 [1:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  %4 = stablehlo.multiply %0, %2 : tensor<32xf32>
  %5 = stablehlo.multiply %2, %1 : tensor<32xf32>
  %6 = stablehlo.add %5, %3 : tensor<32xf32>
  %7 = stablehlo.slice %4 [0:31:2] : (tensor<32xf32>) -> tensor<16xf32>
  %8 = stablehlo.slice %6 [0:31:2] : (tensor<32xf32>) -> tensor<16xf32>
  %9 = stablehlo.slice %4 [1:32:2] : (tensor<32xf32>) -> tensor<16xf32>
  %10 = stablehlo.slice %6 [1:32:2] : (tensor<32xf32>) -> tensor<16xf32>
  %11 = stablehlo.multiply %7, %9 : tensor<16xf32>
  %12 = stablehlo.multiply %9, %8 : tensor<16xf32>
  %13 = stablehlo.add %12, %10 : tensor<16xf32>
  %14 = stablehlo.slice %11 [0:15:2] : (tensor<16xf32>) -> tensor<8xf32>
  %15 = stablehlo.slice %13 [0:15:2] : (tensor<16xf32>) -> tensor<8xf32>
  %16 = stablehlo.slice %11 [1:16:2] : (tensor<16xf32>) -> tensor<8xf32>
  %17 = stablehlo.slice %13 [1:16:2] : (tensor<16xf32>) -> tensor<8xf32>
  %18 = stablehlo.multiply %14, %16 : tensor<8xf32>
  %19 = stablehlo.multiply %16, %15 : tensor<8xf32>
  %20 = stablehlo.add %19, %17 : tensor<8xf32>
  %21 = stablehlo.slice %18 [0:7:2] : (tensor<8xf32>) -> tensor<4xf32>
  %22 = stablehlo.slice %20 [0:7:2] : (tensor<8xf32>) -> tensor<4xf32>
  %23 = stablehlo.slice %18 [1:8:2] : (tensor<8xf32>) -> tensor<4xf32>
  %24 = stablehlo.slice %20 [1:8:2] : (tensor<8xf32>) -> tensor<4xf32>
  %25 = stablehlo.multiply %21, %23 : tensor<4xf32>
  %26 = stablehlo.multiply %23, %22 : tensor<4xf32>
  %27 = stablehlo.add %26, %24 : tensor<4xf32>
  %28 = stablehlo.slice %25 [0:3:2] : (tensor<4xf32>) -> tensor<2xf32>
  %29 = stablehlo.slice %27 [0:3:2] : (tensor<4xf32>) -> tensor<2xf32>
  %30 = stablehlo.slice %25 [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
  %31 = stablehlo.slice %27 [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
  %32 = stablehlo.multiply %28, %30 : tensor<2xf32>
  %33 = stablehlo.multiply %30, %29 : tensor<2xf32>
  %34 = stablehlo.add %33, %31 : tensor<2xf32>
  %35 = stablehlo.slice %34 [0:1:2] : (tensor<2xf32>) -> tensor<1xf32>
  %36 = stablehlo.slice %32 [1:2:2] : (tensor<2xf32>) -> tensor<1xf32>
  %37 = stablehlo.slice %34 [1:2:2] : (tensor<2xf32>) -> tensor<1xf32>
  %38 = stablehlo.multiply %36, %35 : tensor<1xf32>
  %39 = stablehlo.add %38, %37 : tensor<1xf32>
  %40 = stablehlo.slice %39 [0:0] : (tensor<1xf32>) -> tensor<0xf32>
  %41 = stablehlo.slice %32 [2:2:2] : (tensor<2xf32>) -> tensor<0xf32>
  %42 = stablehlo.slice %34 [2:2:2] : (tensor<2xf32>) -> tensor<0xf32>
  %43 = stablehlo.multiply %41, %40 : tensor<0xf32>
  %44 = stablehlo.add %43, %42 : tensor<0xf32>
  %45 = stablehlo.slice %34 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %46 = stablehlo.concatenate %45, %44, dim = 0 : (tensor<1xf32>, tensor<0xf32>) -> tensor<1xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %47 = stablehlo.pad %46, %cst, low = [0], high = [1], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %48 = stablehlo.pad %39, %cst_0, low = [1], high = [0], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %49 = stablehlo.add %47, %48 : tensor<2xf32>
  %50 = stablehlo.slice %49 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %51 = stablehlo.slice %25 [2:4:2] : (tensor<4xf32>) -> tensor<1xf32>
  %52 = stablehlo.slice %27 [2:4:2] : (tensor<4xf32>) -> tensor<1xf32>
  %53 = stablehlo.multiply %51, %50 : tensor<1xf32>
  %54 = stablehlo.add %53, %52 : tensor<1xf32>
  %55 = stablehlo.slice %27 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  %56 = stablehlo.concatenate %55, %54, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %57 = stablehlo.pad %56, %cst_1, low = [0], high = [1], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %58 = stablehlo.pad %49, %cst_2, low = [1], high = [0], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %59 = stablehlo.add %57, %58 : tensor<4xf32>
  %60 = stablehlo.slice %59 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
  %61 = stablehlo.slice %18 [2:8:2] : (tensor<8xf32>) -> tensor<3xf32>
  %62 = stablehlo.slice %20 [2:8:2] : (tensor<8xf32>) -> tensor<3xf32>
  %63 = stablehlo.multiply %61, %60 : tensor<3xf32>
  %64 = stablehlo.add %63, %62 : tensor<3xf32>
  %65 = stablehlo.slice %20 [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %66 = stablehlo.concatenate %65, %64, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %67 = stablehlo.pad %66, %cst_3, low = [0], high = [1], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %68 = stablehlo.pad %59, %cst_4, low = [1], high = [0], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %69 = stablehlo.add %67, %68 : tensor<8xf32>
  %70 = stablehlo.slice %69 [0:7] : (tensor<8xf32>) -> tensor<7xf32>
  %71 = stablehlo.slice %11 [2:16:2] : (tensor<16xf32>) -> tensor<7xf32>
  %72 = stablehlo.slice %13 [2:16:2] : (tensor<16xf32>) -> tensor<7xf32>
  %73 = stablehlo.multiply %71, %70 : tensor<7xf32>
  %74 = stablehlo.add %73, %72 : tensor<7xf32>
  %75 = stablehlo.slice %13 [0:1] : (tensor<16xf32>) -> tensor<1xf32>
  %76 = stablehlo.concatenate %75, %74, dim = 0 : (tensor<1xf32>, tensor<7xf32>) -> tensor<8xf32>
  %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %77 = stablehlo.pad %76, %cst_5, low = [0], high = [1], interior = [1] : (tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %78 = stablehlo.pad %69, %cst_6, low = [1], high = [0], interior = [1] : (tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  %79 = stablehlo.add %77, %78 : tensor<16xf32>
  %80 = stablehlo.slice %79 [0:15] : (tensor<16xf32>) -> tensor<15xf32>
  %81 = stablehlo.slice %4 [2:32:2] : (tensor<32xf32>) -> tensor<15xf32>
  %82 = stablehlo.slice %6 [2:32:2] : (tensor<32xf32>) -> tensor<15xf32>
  %83 = stablehlo.multiply %81, %80 : tensor<15xf32>
  %84 = stablehlo.add %83, %82 : tensor<15xf32>
  %85 = stablehlo.slice %6 [0:1] : (tensor<32xf32>) -> tensor<1xf32>
  %86 = stablehlo.concatenate %85, %84, dim = 0 : (tensor<1xf32>, tensor<15xf32>) -> tensor<16xf32>
  %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %87 = stablehlo.pad %86, %cst_7, low = [0], high = [1], interior = [1] : (tensor<16xf32>, tensor<f32>) -> tensor<32xf32>
  %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %88 = stablehlo.pad %79, %cst_8, low = [1], high = [0], interior = [1] : (tensor<16xf32>, tensor<f32>) -> tensor<32xf32>
  %89 = stablehlo.add %87, %88 : tensor<32xf32>
  %90 = stablehlo.slice %89 [0:31] : (tensor<32xf32>) -> tensor<31xf32>
  %91 = stablehlo.slice %arg0 [2:64:2] : (tensor<64xf32>) -> tensor<31xf32>
  %92 = stablehlo.slice %arg1 [2:64:2] : (tensor<64xf32>) -> tensor<31xf32>
  %93 = stablehlo.multiply %91, %90 : tensor<31xf32>
  %94 = stablehlo.add %93, %92 : tensor<31xf32>
  %95 = stablehlo.slice %arg1 [0:1] : (tensor<64xf32>) -> tensor<1xf32>
  %96 = stablehlo.concatenate %95, %94, dim = 0 : (tensor<1xf32>, tensor<31xf32>) -> tensor<32xf32>
  %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %97 = stablehlo.pad %96, %cst_9, low = [0], high = [1], interior = [1] : (tensor<32xf32>, tensor<f32>) -> tensor<64xf32>
  %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %98 = stablehlo.pad %89, %cst_10, low = [1], high = [0], interior = [1] : (tensor<32xf32>, tensor<f32>) -> tensor<64xf32>
  %99 = stablehlo.add %97, %98 : tensor<64xf32>
  return %99 : tensor<64xf32>
}

func.func @both(%arg0: tensor<3x67xf32>, %arg1: tensor<3x67xf32>) -> (tensor<3x67xf32>, tensor<3x67xf32>) {
  %0 = stablehlo.slice %arg0 [0:3, 0:66:2] : (tensor<3x67xf32>) -> tensor<3x33xf32>
  %1 = stablehlo.slice %arg1 [0:3, 0:66:2] : (tensor<3x67xf32>) -> tensor<3x33xf32>
  %2 = stablehlo.slice %arg0 [0:3, 1:67:2] : (tensor<3x67xf32>) -> tensor<3x33xf32>
  %3 = stablehlo.slice %arg1 [0:3, 1:67:2] : (tensor<3x67xf32>) -> tensor<3x33xf32>
  %4 = stablehlo.multiply %0, %2 : tensor<3x33xf32>
  %5 = stablehlo.multiply %2, %1 : tensor<3x33xf32>
  %6 = stablehlo.add %5, %3 : tensor<3x33xf32>
  %7 = stablehlo.slice %4 [0:3, 0:32:2] : (tensor<3x33xf32>) -> tensor<3x16xf32>
  %8 = stablehlo.slice %6 [0:3, 0:32:2] : (tensor<3x33xf32>) -> tensor<3x16xf32>
  %9 = stablehlo.slice %4 [0:3, 1:33:2] : (tensor<3x33xf32>) -> tensor<3x16xf32>
  %10 = stablehlo.slice %6 [0:3, 1:33:2] : (tensor<3x33xf32>) -> tensor<3x16xf32>
  %11 = stablehlo.multiply %7, %9 : tensor<3x16xf32>
  %12 = stablehlo.multiply %9, %8 : tensor<3x16xf32>
  %13 = stablehlo.add %12, %10 : tensor<3x16xf32>
  %14 = stablehlo.slice %11 [0:3, 0:15:2] : (tensor<3x16xf32>) -> tensor<3x8xf32>
  %15 = stablehlo.slice %13 [0:3, 0:15:2] : (tensor<3x16xf32>) -> tensor<3x8xf32>
  %16 = stablehlo.slice %11 [0:3, 1:16:2] : (tensor<3x16xf32>) -> tensor<3x8xf32>
  %17 = stablehlo.slice %13 [0:3, 1:16:2] : (tensor<3x16xf32>) -> tensor<3x8xf32>
  %18 = stablehlo.multiply %14, %16 : tensor<3x8xf32>
  %19 = stablehlo.multiply %16, %15 : tensor<3x8xf32>
  %20 = stablehlo.add %19, %17 : tensor<3x8xf32>
  %21 = stablehlo.slice %18 [0:3, 0:7:2] : (tensor<3x8xf32>) -> tensor<3x4xf32>
  %22 = stablehlo.slice %20 [0:3, 0:7:2] : (tensor<3x8xf32>) -> tensor<3x4xf32>
  %23 = stablehlo.slice %18 [0:3, 1:8:2] : (tensor<3x8xf32>) -> tensor<3x4xf32>
  %24 = stablehlo.slice %20 [0:3, 1:8:2] : (tensor<3x8xf32>) -> tensor<3x4xf32>
  %25 = stablehlo.multiply %21, %23 : tensor<3x4xf32>
  %26 = stablehlo.multiply %23, %22 : tensor<3x4xf32>
  %27 = stablehlo.add %26, %24 : tensor<3x4xf32>
  %28 = stablehlo.slice %25 [0:3, 0:3:2] : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %29 = stablehlo.slice %27 [0:3, 0:3:2] : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %30 = stablehlo.slice %25 [0:3, 1:4:2] : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %31 = stablehlo.slice %27 [0:3, 1:4:2] : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %32 = stablehlo.multiply %28, %30 : tensor<3x2xf32>
  %33 = stablehlo.multiply %30, %29 : tensor<3x2xf32>
  %34 = stablehlo.add %33, %31 : tensor<3x2xf32>
  %35 = stablehlo.slice %32 [0:3, 0:1:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %36 = stablehlo.slice %34 [0:3, 0:1:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %37 = stablehlo.slice %32 [0:3, 1:2:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %38 = stablehlo.slice %34 [0:3, 1:2:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %39 = stablehlo.multiply %35, %37 : tensor<3x1xf32>
  %40 = stablehlo.multiply %37, %36 : tensor<3x1xf32>
  %41 = stablehlo.add %40, %38 : tensor<3x1xf32>
  %42 = stablehlo.slice %39 [0:3, 0:0] : (tensor<3x1xf32>) -> tensor<3x0xf32>
  %43 = stablehlo.slice %41 [0:3, 0:0] : (tensor<3x1xf32>) -> tensor<3x0xf32>
  %44 = stablehlo.slice %32 [0:3, 2:2:2] : (tensor<3x2xf32>) -> tensor<3x0xf32>
  %45 = stablehlo.slice %34 [0:3, 2:2:2] : (tensor<3x2xf32>) -> tensor<3x0xf32>
  %46 = stablehlo.multiply %42, %44 : tensor<3x0xf32>
  %47 = stablehlo.multiply %44, %43 : tensor<3x0xf32>
  %48 = stablehlo.add %47, %45 : tensor<3x0xf32>
  %49 = stablehlo.slice %32 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %50 = stablehlo.concatenate %49, %46, dim = 1 : (tensor<3x1xf32>, tensor<3x0xf32>) -> tensor<3x1xf32>
  %51 = stablehlo.slice %34 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %52 = stablehlo.concatenate %51, %48, dim = 1 : (tensor<3x1xf32>, tensor<3x0xf32>) -> tensor<3x1xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %53 = stablehlo.pad %50, %cst, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x2xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %54 = stablehlo.pad %39, %cst_0, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x2xf32>
  %55 = stablehlo.add %53, %54 : tensor<3x2xf32>
  %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %56 = stablehlo.pad %52, %cst_1, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x2xf32>
  %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %57 = stablehlo.pad %41, %cst_2, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<3x2xf32>
  %58 = stablehlo.add %56, %57 : tensor<3x2xf32>
  %59 = stablehlo.slice %55 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %60 = stablehlo.slice %58 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
  %61 = stablehlo.slice %25 [0:3, 2:4:2] : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %62 = stablehlo.slice %27 [0:3, 2:4:2] : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %63 = stablehlo.multiply %59, %61 : tensor<3x1xf32>
  %64 = stablehlo.multiply %61, %60 : tensor<3x1xf32>
  %65 = stablehlo.add %64, %62 : tensor<3x1xf32>
  %66 = stablehlo.slice %25 [0:3, 0:1] : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %67 = stablehlo.concatenate %66, %63, dim = 1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %68 = stablehlo.slice %27 [0:3, 0:1] : (tensor<3x4xf32>) -> tensor<3x1xf32>
  %69 = stablehlo.concatenate %68, %65, dim = 1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %70 = stablehlo.pad %67, %cst_3, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x4xf32>
  %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %71 = stablehlo.pad %55, %cst_4, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x4xf32>
  %72 = stablehlo.add %70, %71 : tensor<3x4xf32>
  %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %73 = stablehlo.pad %69, %cst_5, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x4xf32>
  %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %74 = stablehlo.pad %58, %cst_6, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x4xf32>
  %75 = stablehlo.add %73, %74 : tensor<3x4xf32>
  %76 = stablehlo.slice %72 [0:3, 0:3] : (tensor<3x4xf32>) -> tensor<3x3xf32>
  %77 = stablehlo.slice %75 [0:3, 0:3] : (tensor<3x4xf32>) -> tensor<3x3xf32>
  %78 = stablehlo.slice %18 [0:3, 2:8:2] : (tensor<3x8xf32>) -> tensor<3x3xf32>
  %79 = stablehlo.slice %20 [0:3, 2:8:2] : (tensor<3x8xf32>) -> tensor<3x3xf32>
  %80 = stablehlo.multiply %76, %78 : tensor<3x3xf32>
  %81 = stablehlo.multiply %78, %77 : tensor<3x3xf32>
  %82 = stablehlo.add %81, %79 : tensor<3x3xf32>
  %83 = stablehlo.slice %18 [0:3, 0:1] : (tensor<3x8xf32>) -> tensor<3x1xf32>
  %84 = stablehlo.concatenate %83, %80, dim = 1 : (tensor<3x1xf32>, tensor<3x3xf32>) -> tensor<3x4xf32>
  %85 = stablehlo.slice %20 [0:3, 0:1] : (tensor<3x8xf32>) -> tensor<3x1xf32>
  %86 = stablehlo.concatenate %85, %82, dim = 1 : (tensor<3x1xf32>, tensor<3x3xf32>) -> tensor<3x4xf32>
  %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %87 = stablehlo.pad %84, %cst_7, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x8xf32>
  %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %88 = stablehlo.pad %72, %cst_8, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x8xf32>
  %89 = stablehlo.add %87, %88 : tensor<3x8xf32>
  %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %90 = stablehlo.pad %86, %cst_9, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x8xf32>
  %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %91 = stablehlo.pad %75, %cst_10, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x8xf32>
  %92 = stablehlo.add %90, %91 : tensor<3x8xf32>
  %93 = stablehlo.slice %89 [0:3, 0:7] : (tensor<3x8xf32>) -> tensor<3x7xf32>
  %94 = stablehlo.slice %92 [0:3, 0:7] : (tensor<3x8xf32>) -> tensor<3x7xf32>
  %95 = stablehlo.slice %11 [0:3, 2:16:2] : (tensor<3x16xf32>) -> tensor<3x7xf32>
  %96 = stablehlo.slice %13 [0:3, 2:16:2] : (tensor<3x16xf32>) -> tensor<3x7xf32>
  %97 = stablehlo.multiply %93, %95 : tensor<3x7xf32>
  %98 = stablehlo.multiply %95, %94 : tensor<3x7xf32>
  %99 = stablehlo.add %98, %96 : tensor<3x7xf32>
  %100 = stablehlo.slice %11 [0:3, 0:1] : (tensor<3x16xf32>) -> tensor<3x1xf32>
  %101 = stablehlo.concatenate %100, %97, dim = 1 : (tensor<3x1xf32>, tensor<3x7xf32>) -> tensor<3x8xf32>
  %102 = stablehlo.slice %13 [0:3, 0:1] : (tensor<3x16xf32>) -> tensor<3x1xf32>
  %103 = stablehlo.concatenate %102, %99, dim = 1 : (tensor<3x1xf32>, tensor<3x7xf32>) -> tensor<3x8xf32>
  %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %104 = stablehlo.pad %101, %cst_11, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x16xf32>
  %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %105 = stablehlo.pad %89, %cst_12, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x16xf32>
  %106 = stablehlo.add %104, %105 : tensor<3x16xf32>
  %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %107 = stablehlo.pad %103, %cst_13, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x16xf32>
  %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %108 = stablehlo.pad %92, %cst_14, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x16xf32>
  %109 = stablehlo.add %107, %108 : tensor<3x16xf32>
  %110 = stablehlo.slice %4 [0:3, 2:33:2] : (tensor<3x33xf32>) -> tensor<3x16xf32>
  %111 = stablehlo.slice %6 [0:3, 2:33:2] : (tensor<3x33xf32>) -> tensor<3x16xf32>
  %112 = stablehlo.multiply %106, %110 : tensor<3x16xf32>
  %113 = stablehlo.multiply %110, %109 : tensor<3x16xf32>
  %114 = stablehlo.add %113, %111 : tensor<3x16xf32>
  %115 = stablehlo.slice %4 [0:3, 0:1] : (tensor<3x33xf32>) -> tensor<3x1xf32>
  %116 = stablehlo.concatenate %115, %112, dim = 1 : (tensor<3x1xf32>, tensor<3x16xf32>) -> tensor<3x17xf32>
  %117 = stablehlo.slice %6 [0:3, 0:1] : (tensor<3x33xf32>) -> tensor<3x1xf32>
  %118 = stablehlo.concatenate %117, %114, dim = 1 : (tensor<3x1xf32>, tensor<3x16xf32>) -> tensor<3x17xf32>
  %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %119 = stablehlo.pad %116, %cst_15, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<3x17xf32>, tensor<f32>) -> tensor<3x33xf32>
  %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %120 = stablehlo.pad %106, %cst_16, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<3x16xf32>, tensor<f32>) -> tensor<3x33xf32>
  %121 = stablehlo.add %119, %120 : tensor<3x33xf32>
  %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %122 = stablehlo.pad %118, %cst_17, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<3x17xf32>, tensor<f32>) -> tensor<3x33xf32>
  %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %123 = stablehlo.pad %109, %cst_18, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<3x16xf32>, tensor<f32>) -> tensor<3x33xf32>
  %124 = stablehlo.add %122, %123 : tensor<3x33xf32>
  %125 = stablehlo.slice %arg0 [0:3, 2:67:2] : (tensor<3x67xf32>) -> tensor<3x33xf32>
  %126 = stablehlo.slice %arg1 [0:3, 2:67:2] : (tensor<3x67xf32>) -> tensor<3x33xf32>
  %127 = stablehlo.multiply %121, %125 : tensor<3x33xf32>
  %128 = stablehlo.multiply %125, %124 : tensor<3x33xf32>
  %129 = stablehlo.add %128, %126 : tensor<3x33xf32>
  %130 = stablehlo.slice %arg0 [0:3, 0:1] : (tensor<3x67xf32>) -> tensor<3x1xf32>
  %131 = stablehlo.concatenate %130, %127, dim = 1 : (tensor<3x1xf32>, tensor<3x33xf32>) -> tensor<3x34xf32>
  %132 = stablehlo.slice %arg1 [0:3, 0:1] : (tensor<3x67xf32>) -> tensor<3x1xf32>
  %133 = stablehlo.concatenate %132, %129, dim = 1 : (tensor<3x1xf32>, tensor<3x33xf32>) -> tensor<3x34xf32>
  %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %134 = stablehlo.pad %131, %cst_19, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<3x34xf32>, tensor<f32>) -> tensor<3x67xf32>
  %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %135 = stablehlo.pad %121, %cst_20, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<3x33xf32>, tensor<f32>) -> tensor<3x67xf32>
  %136 = stablehlo.add %134, %135 : tensor<3x67xf32>
  %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %137 = stablehlo.pad %133, %cst_21, low = [0, 0], high = [0, 0], interior = [0, 1] : (tensor<3x34xf32>, tensor<f32>) -> tensor<3x67xf32>
  %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %138 = stablehlo.pad %124, %cst_22, low = [0, 1], high = [0, 1], interior = [0, 1] : (tensor<3x33xf32>, tensor<f32>) -> tensor<3x67xf32>
  %139 = stablehlo.add %137, %138 : tensor<3x67xf32>
  return %136, %139 : tensor<3x67xf32>, tensor<3x67xf32>
}

func.func @reversed(%arg0: tensor<65xi32>) -> (tensor<65xi32>) {
  %0 = stablehlo.reverse %arg0, dims = [0] : tensor<65xi32>
  %1 = stablehlo.slice %0 [0:64:2] : (tensor<65xi32>) -> tensor<32xi32>
  %2 = stablehlo.slice %0 [1:65:2] : (tensor<65xi32>) -> tensor<32xi32>
  %3 = stablehlo.minimum %1, %2 : tensor<32xi32>
  %4 = stablehlo.slice %3 [0:31:2] : (tensor<32xi32>) -> tensor<16xi32>
  %5 = stablehlo.slice %3 [1:32:2] : (tensor<32xi32>) -> tensor<16xi32>
  %6 = stablehlo.minimum %4, %5 : tensor<16xi32>
  %7 = stablehlo.slice %6 [0:15:2] : (tensor<16xi32>) -> tensor<8xi32>
  %8 = stablehlo.slice %6 [1:16:2] : (tensor<16xi32>) -> tensor<8xi32>
  %9 = stablehlo.minimum %7, %8 : tensor<8xi32>
  %10 = stablehlo.slice %9 [0:7:2] : (tensor<8xi32>) -> tensor<4xi32>
  %11 = stablehlo.slice %9 [1:8:2] : (tensor<8xi32>) -> tensor<4xi32>
  %12 = stablehlo.minimum %10, %11 : tensor<4xi32>
  %13 = stablehlo.slice %12 [0:3:2] : (tensor<4xi32>) -> tensor<2xi32>
  %14 = stablehlo.slice %12 [1:4:2] : (tensor<4xi32>) -> tensor<2xi32>
  %15 = stablehlo.minimum %13, %14 : tensor<2xi32>
  %16 = stablehlo.slice %15 [0:1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %17 = stablehlo.slice %15 [1:2:2] : (tensor<2xi32>) -> tensor<1xi32>
  %18 = stablehlo.minimum %16, %17 : tensor<1xi32>
  %19 = stablehlo.slice %18 [0:0] : (tensor<1xi32>) -> tensor<0xi32>
  %20 = stablehlo.slice %15 [2:2:2] : (tensor<2xi32>) -> tensor<0xi32>
  %21 = stablehlo.minimum %19, %20 : tensor<0xi32>
  %22 = stablehlo.slice %15 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %23 = stablehlo.concatenate %22, %21, dim = 0 : (tensor<1xi32>, tensor<0xi32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %24 = stablehlo.pad %23, %c, low = [0], high = [1], interior = [1] : (tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %25 = stablehlo.pad %18, %c_0, low = [1], high = [0], interior = [1] : (tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %26 = stablehlo.add %24, %25 : tensor<2xi32>
  %27 = stablehlo.slice %26 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %28 = stablehlo.slice %12 [2:4:2] : (tensor<4xi32>) -> tensor<1xi32>
  %29 = stablehlo.minimum %27, %28 : tensor<1xi32>
  %30 = stablehlo.slice %12 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
  %31 = stablehlo.concatenate %30, %29, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %c_1 = stablehlo.constant dense<0> : tensor<i32>
  %32 = stablehlo.pad %31, %c_1, low = [0], high = [1], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  %c_2 = stablehlo.constant dense<0> : tensor<i32>
  %33 = stablehlo.pad %26, %c_2, low = [1], high = [0], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  %34 = stablehlo.add %32, %33 : tensor<4xi32>
  %35 = stablehlo.slice %34 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
  %36 = stablehlo.slice %9 [2:8:2] : (tensor<8xi32>) -> tensor<3xi32>
  %37 = stablehlo.minimum %35, %36 : tensor<3xi32>
  %38 = stablehlo.slice %9 [0:1] : (tensor<8xi32>) -> tensor<1xi32>
  %39 = stablehlo.concatenate %38, %37, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
  %c_3 = stablehlo.constant dense<0> : tensor<i32>
  %40 = stablehlo.pad %39, %c_3, low = [0], high = [1], interior = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
  %c_4 = stablehlo.constant dense<0> : tensor<i32>
  %41 = stablehlo.pad %34, %c_4, low = [1], high = [0], interior = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
  %42 = stablehlo.add %40, %41 : tensor<8xi32>
  %43 = stablehlo.slice %42 [0:7] : (tensor<8xi32>) -> tensor<7xi32>
  %44 = stablehlo.slice %6 [2:16:2] : (tensor<16xi32>) -> tensor<7xi32>
  %45 = stablehlo.minimum %43, %44 : tensor<7xi32>
  %46 = stablehlo.slice %6 [0:1] : (tensor<16xi32>) -> tensor<1xi32>
  %47 = stablehlo.concatenate %46, %45, dim = 0 : (tensor<1xi32>, tensor<7xi32>) -> tensor<8xi32>
  %c_5 = stablehlo.constant dense<0> : tensor<i32>
  %48 = stablehlo.pad %47, %c_5, low = [0], high = [1], interior = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<16xi32>
  %c_6 = stablehlo.constant dense<0> : tensor<i32>
  %49 = stablehlo.pad %42, %c_6, low = [1], high = [0], interior = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<16xi32>
  %50 = stablehlo.add %48, %49 : tensor<16xi32>
  %51 = stablehlo.slice %50 [0:15] : (tensor<16xi32>) -> tensor<15xi32>
  %52 = stablehlo.slice %3 [2:32:2] : (tensor<32xi32>) -> tensor<15xi32>
  %53 = stablehlo.minimum %51, %52 : tensor<15xi32>
  %54 = stablehlo.slice %3 [0:1] : (tensor<32xi32>) -> tensor<1xi32>
  %55 = stablehlo.concatenate %54, %53, dim = 0 : (tensor<1xi32>, tensor<15xi32>) -> tensor<16xi32>
  %c_7 = stablehlo.constant dense<0> : tensor<i32>
  %56 = stablehlo.pad %55, %c_7, low = [0], high = [1], interior = [1] : (tensor<16xi32>, tensor<i32>) -> tensor<32xi32>
  %c_8 = stablehlo.constant dense<0> : tensor<i32>
  %57 = stablehlo.pad %50, %c_8, low = [1], high = [0], interior = [1] : (tensor<16xi32>, tensor<i32>) -> tensor<32xi32>
  %58 = stablehlo.add %56, %57 : tensor<32xi32>
  %59 = stablehlo.slice %0 [2:65:2] : (tensor<65xi32>) -> tensor<32xi32>
  %60 = stablehlo.minimum %58, %59 : tensor<32xi32>
  %61 = stablehlo.slice %0 [0:1] : (tensor<65xi32>) -> tensor<1xi32>
  %62 = stablehlo.concatenate %61, %60, dim = 0 : (tensor<1xi32>, tensor<32xi32>) -> tensor<33xi32>
  %c_9 = stablehlo.constant dense<0> : tensor<i32>
  %63 = stablehlo.pad %62, %c_9, low = [0], high = [0], interior = [1] : (tensor<33xi32>, tensor<i32>) -> tensor<65xi32>
  %c_10 = stablehlo.constant dense<0> : tensor<i32>
  %64 = stablehlo.pad %58, %c_10, low = [1], high = [1], interior = [1] : (tensor<32xi32>, tensor<i32>) -> tensor<65xi32>
  %65 = stablehlo.add %63, %64 : tensor<65xi32>
  %66 = stablehlo.reverse %65, dims = [0] : tensor<65xi32>
  return %66 : tensor<65xi32>
}

func.func @constant(%arg0: tensor<64xf32>) -> (tensor<64xf32>) {
  %0 = stablehlo.slice %arg0 [0:63:2] : (tensor<64xf32>) -> tensor<32xf32>
  %1 = stablehlo.slice %arg0 [1:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  %2 = stablehlo.add %0, %1 : tensor<32xf32>
  %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32xf32>
  %4 = stablehlo.add %2, %3 : tensor<32xf32>
  %5 = stablehlo.slice %4 [0:31:2] : (tensor<32xf32>) -> tensor<16xf32>
  %6 = stablehlo.slice %4 [1:32:2] : (tensor<32xf32>) -> tensor<16xf32>
  %7 = stablehlo.add %5, %6 : tensor<16xf32>
  %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
  %9 = stablehlo.add %7, %8 : tensor<16xf32>
  %10 = stablehlo.slice %9 [0:15:2] : (tensor<16xf32>) -> tensor<8xf32>
  %11 = stablehlo.slice %9 [1:16:2] : (tensor<16xf32>) -> tensor<8xf32>
  %12 = stablehlo.add %10, %11 : tensor<8xf32>
  %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %14 = stablehlo.add %12, %13 : tensor<8xf32>
  %15 = stablehlo.slice %14 [0:7:2] : (tensor<8xf32>) -> tensor<4xf32>
  %16 = stablehlo.slice %14 [1:8:2] : (tensor<8xf32>) -> tensor<4xf32>
  %17 = stablehlo.add %15, %16 : tensor<4xf32>
  %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %19 = stablehlo.add %17, %18 : tensor<4xf32>
  %20 = stablehlo.slice %19 [0:3:2] : (tensor<4xf32>) -> tensor<2xf32>
  %21 = stablehlo.slice %19 [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
  %22 = stablehlo.add %20, %21 : tensor<2xf32>
  %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %23 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %24 = stablehlo.add %22, %23 : tensor<2xf32>
  %25 = stablehlo.slice %24 [0:1:2] : (tensor<2xf32>) -> tensor<1xf32>
  %26 = stablehlo.slice %24 [1:2:2] : (tensor<2xf32>) -> tensor<1xf32>
  %27 = stablehlo.add %25, %26 : tensor<1xf32>
  %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %28 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1xf32>
  %29 = stablehlo.add %27, %28 : tensor<1xf32>
  %30 = stablehlo.slice %29 [0:0] : (tensor<1xf32>) -> tensor<0xf32>
  %31 = stablehlo.slice %24 [2:2:2] : (tensor<2xf32>) -> tensor<0xf32>
  %32 = stablehlo.add %30, %31 : tensor<0xf32>
  %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<0xf32>
  %34 = stablehlo.add %32, %33 : tensor<0xf32>
  %35 = stablehlo.slice %24 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %36 = stablehlo.concatenate %35, %34, dim = 0 : (tensor<1xf32>, tensor<0xf32>) -> tensor<1xf32>
  %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %37 = stablehlo.pad %36, %cst_6, low = [0], high = [1], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %38 = stablehlo.pad %29, %cst_7, low = [1], high = [0], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
  %39 = stablehlo.add %37, %38 : tensor<2xf32>
  %40 = stablehlo.slice %39 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
  %41 = stablehlo.slice %19 [2:4:2] : (tensor<4xf32>) -> tensor<1xf32>
  %42 = stablehlo.add %40, %41 : tensor<1xf32>
  %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %43 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<1xf32>
  %44 = stablehlo.add %42, %43 : tensor<1xf32>
  %45 = stablehlo.slice %19 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
  %46 = stablehlo.concatenate %45, %44, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %47 = stablehlo.pad %46, %cst_9, low = [0], high = [1], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %48 = stablehlo.pad %39, %cst_10, low = [1], high = [0], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  %49 = stablehlo.add %47, %48 : tensor<4xf32>
  %50 = stablehlo.slice %49 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
  %51 = stablehlo.slice %14 [2:8:2] : (tensor<8xf32>) -> tensor<3xf32>
  %52 = stablehlo.add %50, %51 : tensor<3xf32>
  %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %53 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %54 = stablehlo.add %52, %53 : tensor<3xf32>
  %55 = stablehlo.slice %14 [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %56 = stablehlo.concatenate %55, %54, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %57 = stablehlo.pad %56, %cst_12, low = [0], high = [1], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %58 = stablehlo.pad %49, %cst_13, low = [1], high = [0], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %59 = stablehlo.add %57, %58 : tensor<8xf32>
  %60 = stablehlo.slice %59 [0:7] : (tensor<8xf32>) -> tensor<7xf32>
  %61 = stablehlo.slice %9 [2:16:2] : (tensor<16xf32>) -> tensor<7xf32>
  %62 = stablehlo.add %60, %61 : tensor<7xf32>
  %cst_14 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %63 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<7xf32>
  %64 = stablehlo.add %62, %63 : tensor<7xf32>
  %65 = stablehlo.slice %9 [0:1] : (tensor<16xf32>) -> tensor<1xf32>
  %66 = stablehlo.concatenate %65, %64, dim = 0 : (tensor<1xf32>, tensor<7xf32>) -> tensor<8xf32>
  %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %67 = stablehlo.pad %66, %cst_15, low = [0], high = [1], interior = [1] : (tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %68 = stablehlo.pad %59, %cst_16, low = [1], high = [0], interior = [1] : (tensor<8xf32>, tensor<f32>) -> tensor<16xf32>
  %69 = stablehlo.add %67, %68 : tensor<16xf32>
  %70 = stablehlo.slice %69 [0:15] : (tensor<16xf32>) -> tensor<15xf32>
  %71 = stablehlo.slice %4 [2:32:2] : (tensor<32xf32>) -> tensor<15xf32>
  %72 = stablehlo.add %70, %71 : tensor<15xf32>
  %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %73 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<15xf32>
  %74 = stablehlo.add %72, %73 : tensor<15xf32>
  %75 = stablehlo.slice %4 [0:1] : (tensor<32xf32>) -> tensor<1xf32>
  %76 = stablehlo.concatenate %75, %74, dim = 0 : (tensor<1xf32>, tensor<15xf32>) -> tensor<16xf32>
  %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %77 = stablehlo.pad %76, %cst_18, low = [0], high = [1], interior = [1] : (tensor<16xf32>, tensor<f32>) -> tensor<32xf32>
  %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %78 = stablehlo.pad %69, %cst_19, low = [1], high = [0], interior = [1] : (tensor<16xf32>, tensor<f32>) -> tensor<32xf32>
  %79 = stablehlo.add %77, %78 : tensor<32xf32>
  %80 = stablehlo.slice %79 [0:31] : (tensor<32xf32>) -> tensor<31xf32>
  %81 = stablehlo.slice %arg0 [2:64:2] : (tensor<64xf32>) -> tensor<31xf32>
  %82 = stablehlo.add %80, %81 : tensor<31xf32>
  %cst_20 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %83 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<31xf32>
  %84 = stablehlo.add %82, %83 : tensor<31xf32>
  %85 = stablehlo.slice %arg0 [0:1] : (tensor<64xf32>) -> tensor<1xf32>
  %86 = stablehlo.concatenate %85, %84, dim = 0 : (tensor<1xf32>, tensor<31xf32>) -> tensor<32xf32>
  %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %87 = stablehlo.pad %86, %cst_21, low = [0], high = [1], interior = [1] : (tensor<32xf32>, tensor<f32>) -> tensor<64xf32>
  %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %88 = stablehlo.pad %79, %cst_22, low = [1], high = [0], interior = [1] : (tensor<32xf32>, tensor<f32>) -> tensor<64xf32>
  %89 = stablehlo.add %87, %88 : tensor<64xf32>
  return %89 : tensor<64xf32>
}

func.func @shifted(%arg0: tensor<64xf32>) -> (tensor<64xf32>) {
  %0 = stablehlo.slice %arg0 [0:63] : (tensor<64xf32>) -> tensor<63xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.pad %0, %cst, low = [1], high = [0], interior = [0] : (tensor<63xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<64xf32>
  %3 = stablehlo.slice %2 [0:62] : (tensor<64xf32>) -> tensor<62xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.pad %3, %cst_0, low = [2], high = [0], interior = [0] : (tensor<62xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.add %2, %4 : tensor<64xf32>
  %6 = stablehlo.slice %5 [0:60] : (tensor<64xf32>) -> tensor<60xf32>
  %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.pad %6, %cst_1, low = [4], high = [0], interior = [0] : (tensor<60xf32>, tensor<f32>) -> tensor<64xf32>
  %8 = stablehlo.add %5, %7 : tensor<64xf32>
  %9 = stablehlo.slice %8 [0:56] : (tensor<64xf32>) -> tensor<56xf32>
  %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %10 = stablehlo.pad %9, %cst_2, low = [8], high = [0], interior = [0] : (tensor<56xf32>, tensor<f32>) -> tensor<64xf32>
  %11 = stablehlo.add %8, %10 : tensor<64xf32>
  %12 = stablehlo.slice %11 [0:48] : (tensor<64xf32>) -> tensor<48xf32>
  %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %13 = stablehlo.pad %12, %cst_3, low = [16], high = [0], interior = [0] : (tensor<48xf32>, tensor<f32>) -> tensor<64xf32>
  %14 = stablehlo.add %11, %13 : tensor<64xf32>
  %15 = stablehlo.slice %14 [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %16 = stablehlo.pad %15, %cst_4, low = [32], high = [0], interior = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<64xf32>
  %17 = stablehlo.add %14, %16 : tensor<64xf32>
  return %17 : tensor<64xf32>
}

func.func @gap(%arg0: tensor<64xf32>) -> (tensor<64xf32>) {
  %0 = stablehlo.slice %arg0 [0:63] : (tensor<64xf32>) -> tensor<63xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.pad %0, %cst, low = [1], high = [0], interior = [0] : (tensor<63xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.add %arg0, %1 : tensor<64xf32>
  %3 = stablehlo.slice %2 [0:62] : (tensor<64xf32>) -> tensor<62xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.pad %3, %cst_0, low = [2], high = [0], interior = [0] : (tensor<62xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.add %2, %4 : tensor<64xf32>
  %6 = stablehlo.slice %5 [0:56] : (tensor<64xf32>) -> tensor<56xf32>
  %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.pad %6, %cst_1, low = [8], high = [0], interior = [0] : (tensor<56xf32>, tensor<f32>) -> tensor<64xf32>
  %8 = stablehlo.add %5, %7 : tensor<64xf32>
  %9 = stablehlo.slice %8 [0:48] : (tensor<64xf32>) -> tensor<48xf32>
  %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %10 = stablehlo.pad %9, %cst_2, low = [16], high = [0], interior = [0] : (tensor<48xf32>, tensor<f32>) -> tensor<64xf32>
  %11 = stablehlo.add %8, %10 : tensor<64xf32>
  %12 = stablehlo.slice %11 [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %13 = stablehlo.pad %12, %cst_3, low = [32], high = [0], interior = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<64xf32>
  %14 = stablehlo.add %11, %13 : tensor<64xf32>
  return %14 : tensor<64xf32>
}

func.func @no_identity(%arg0: tensor<64xf32>) -> (tensor<64xf32>) {
  %0 = stablehlo.slice %arg0 [0:63] : (tensor<64xf32>) -> tensor<63xf32>
  %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %1 = stablehlo.pad %0, %cst, low = [1], high = [0], interior = [0] : (tensor<63xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.multiply %arg0, %1 : tensor<64xf32>
  %3 = stablehlo.slice %2 [0:62] : (tensor<64xf32>) -> tensor<62xf32>
  %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %4 = stablehlo.pad %3, %cst_0, low = [2], high = [0], interior = [0] : (tensor<62xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.multiply %2, %4 : tensor<64xf32>
  %6 = stablehlo.slice %5 [0:60] : (tensor<64xf32>) -> tensor<60xf32>
  %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %7 = stablehlo.pad %6, %cst_1, low = [4], high = [0], interior = [0] : (tensor<60xf32>, tensor<f32>) -> tensor<64xf32>
  %8 = stablehlo.multiply %5, %7 : tensor<64xf32>
  %9 = stablehlo.slice %8 [0:56] : (tensor<64xf32>) -> tensor<56xf32>
  %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %10 = stablehlo.pad %9, %cst_2, low = [8], high = [0], interior = [0] : (tensor<56xf32>, tensor<f32>) -> tensor<64xf32>
  %11 = stablehlo.multiply %8, %10 : tensor<64xf32>
  %12 = stablehlo.slice %11 [0:48] : (tensor<64xf32>) -> tensor<48xf32>
  %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %13 = stablehlo.pad %12, %cst_3, low = [16], high = [0], interior = [0] : (tensor<48xf32>, tensor<f32>) -> tensor<64xf32>
  %14 = stablehlo.multiply %11, %13 : tensor<64xf32>
  %15 = stablehlo.slice %14 [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %16 = stablehlo.pad %15, %cst_4, low = [32], high = [0], interior = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<64xf32>
  %17 = stablehlo.multiply %14, %16 : tensor<64xf32>
  return %17 : tensor<64xf32>
}

// One step of another function.
func.func @another(%arg0: tensor<65xi32>) -> (tensor<65xi32>) {
  %0 = stablehlo.reverse %arg0, dims = [0] : tensor<65xi32>
  %1 = stablehlo.slice %0 [0:64:2] : (tensor<65xi32>) -> tensor<32xi32>
  %2 = stablehlo.slice %0 [1:65:2] : (tensor<65xi32>) -> tensor<32xi32>
  %3 = stablehlo.minimum %1, %2 : tensor<32xi32>
  %4 = stablehlo.slice %3 [0:31:2] : (tensor<32xi32>) -> tensor<16xi32>
  %5 = stablehlo.slice %3 [1:32:2] : (tensor<32xi32>) -> tensor<16xi32>
  %6 = stablehlo.minimum %4, %5 : tensor<16xi32>
  %7 = stablehlo.slice %6 [0:15:2] : (tensor<16xi32>) -> tensor<8xi32>
  %8 = stablehlo.slice %6 [1:16:2] : (tensor<16xi32>) -> tensor<8xi32>
  %9 = stablehlo.minimum %7, %8 : tensor<8xi32>
  %10 = stablehlo.slice %9 [0:7:2] : (tensor<8xi32>) -> tensor<4xi32>
  %11 = stablehlo.slice %9 [1:8:2] : (tensor<8xi32>) -> tensor<4xi32>
  %12 = stablehlo.minimum %10, %11 : tensor<4xi32>
  %13 = stablehlo.slice %12 [0:3:2] : (tensor<4xi32>) -> tensor<2xi32>
  %14 = stablehlo.slice %12 [1:4:2] : (tensor<4xi32>) -> tensor<2xi32>
  %15 = stablehlo.minimum %13, %14 : tensor<2xi32>
  %16 = stablehlo.slice %15 [0:1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %17 = stablehlo.slice %15 [1:2:2] : (tensor<2xi32>) -> tensor<1xi32>
  %18 = stablehlo.minimum %16, %17 : tensor<1xi32>
  %19 = stablehlo.slice %18 [0:0] : (tensor<1xi32>) -> tensor<0xi32>
  %20 = stablehlo.slice %15 [2:2:2] : (tensor<2xi32>) -> tensor<0xi32>
  %21 = stablehlo.minimum %19, %20 : tensor<0xi32>
  %22 = stablehlo.slice %15 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %23 = stablehlo.concatenate %22, %21, dim = 0 : (tensor<1xi32>, tensor<0xi32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %24 = stablehlo.pad %23, %c, low = [0], high = [1], interior = [1] : (tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %25 = stablehlo.pad %18, %c_0, low = [1], high = [0], interior = [1] : (tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %26 = stablehlo.add %24, %25 : tensor<2xi32>
  %27 = stablehlo.slice %26 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %28 = stablehlo.slice %12 [2:4:2] : (tensor<4xi32>) -> tensor<1xi32>
  %29 = stablehlo.minimum %27, %28 : tensor<1xi32>
  %30 = stablehlo.slice %12 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
  %31 = stablehlo.concatenate %30, %29, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %c_1 = stablehlo.constant dense<0> : tensor<i32>
  %32 = stablehlo.pad %31, %c_1, low = [0], high = [1], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  %c_2 = stablehlo.constant dense<0> : tensor<i32>
  %33 = stablehlo.pad %26, %c_2, low = [1], high = [0], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  %34 = stablehlo.add %32, %33 : tensor<4xi32>
  %35 = stablehlo.slice %34 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
  %36 = stablehlo.slice %9 [2:8:2] : (tensor<8xi32>) -> tensor<3xi32>
  %37 = stablehlo.minimum %35, %36 : tensor<3xi32>
  %38 = stablehlo.slice %9 [0:1] : (tensor<8xi32>) -> tensor<1xi32>
  %39 = stablehlo.concatenate %38, %37, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
  %c_3 = stablehlo.constant dense<0> : tensor<i32>
  %40 = stablehlo.pad %39, %c_3, low = [0], high = [1], interior = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
  %c_4 = stablehlo.constant dense<0> : tensor<i32>
  %41 = stablehlo.pad %34, %c_4, low = [1], high = [0], interior = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
  %42 = stablehlo.add %40, %41 : tensor<8xi32>
  %43 = stablehlo.slice %42 [0:7] : (tensor<8xi32>) -> tensor<7xi32>
  %44 = stablehlo.slice %6 [2:16:2] : (tensor<16xi32>) -> tensor<7xi32>
  %45 = stablehlo.minimum %43, %44 : tensor<7xi32>
  %46 = stablehlo.slice %6 [0:1] : (tensor<16xi32>) -> tensor<1xi32>
  %47 = stablehlo.concatenate %46, %45, dim = 0 : (tensor<1xi32>, tensor<7xi32>) -> tensor<8xi32>
  %c_5 = stablehlo.constant dense<0> : tensor<i32>
  %48 = stablehlo.pad %47, %c_5, low = [0], high = [1], interior = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<16xi32>
  %c_6 = stablehlo.constant dense<0> : tensor<i32>
  %49 = stablehlo.pad %42, %c_6, low = [1], high = [0], interior = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<16xi32>
  %50 = stablehlo.add %48, %49 : tensor<16xi32>
  %51 = stablehlo.slice %50 [0:15] : (tensor<16xi32>) -> tensor<15xi32>
  %52 = stablehlo.slice %3 [2:32:2] : (tensor<32xi32>) -> tensor<15xi32>
  %53 = stablehlo.minimum %51, %52 : tensor<15xi32>
  %54 = stablehlo.slice %3 [0:1] : (tensor<32xi32>) -> tensor<1xi32>
  %55 = stablehlo.concatenate %54, %53, dim = 0 : (tensor<1xi32>, tensor<15xi32>) -> tensor<16xi32>
  %c_7 = stablehlo.constant dense<0> : tensor<i32>
  %56 = stablehlo.pad %55, %c_7, low = [0], high = [1], interior = [1] : (tensor<16xi32>, tensor<i32>) -> tensor<32xi32>
  %c_8 = stablehlo.constant dense<0> : tensor<i32>
  %57 = stablehlo.pad %50, %c_8, low = [1], high = [0], interior = [1] : (tensor<16xi32>, tensor<i32>) -> tensor<32xi32>
  %58 = stablehlo.add %56, %57 : tensor<32xi32>
  %59 = stablehlo.slice %0 [2:65:2] : (tensor<65xi32>) -> tensor<32xi32>
  %60 = stablehlo.maximum %58, %59 : tensor<32xi32>
  %61 = stablehlo.slice %0 [0:1] : (tensor<65xi32>) -> tensor<1xi32>
  %62 = stablehlo.concatenate %61, %60, dim = 0 : (tensor<1xi32>, tensor<32xi32>) -> tensor<33xi32>
  %c_9 = stablehlo.constant dense<0> : tensor<i32>
  %63 = stablehlo.pad %62, %c_9, low = [0], high = [0], interior = [1] : (tensor<33xi32>, tensor<i32>) -> tensor<65xi32>
  %c_10 = stablehlo.constant dense<0> : tensor<i32>
  %64 = stablehlo.pad %58, %c_10, low = [1], high = [1], interior = [1] : (tensor<32xi32>, tensor<i32>) -> tensor<65xi32>
  %65 = stablehlo.add %63, %64 : tensor<65xi32>
  %66 = stablehlo.reverse %65, dims = [0] : tensor<65xi32>
  return %66 : tensor<65xi32>
}

// One slice of other elements.
func.func @elements(%arg0: tensor<65xi32>) -> (tensor<65xi32>) {
  %0 = stablehlo.reverse %arg0, dims = [0] : tensor<65xi32>
  %1 = stablehlo.slice %0 [0:64:2] : (tensor<65xi32>) -> tensor<32xi32>
  %2 = stablehlo.slice %0 [1:65:2] : (tensor<65xi32>) -> tensor<32xi32>
  %3 = stablehlo.minimum %1, %2 : tensor<32xi32>
  %4 = stablehlo.slice %3 [0:31:2] : (tensor<32xi32>) -> tensor<16xi32>
  %5 = stablehlo.slice %3 [1:32:2] : (tensor<32xi32>) -> tensor<16xi32>
  %6 = stablehlo.minimum %4, %5 : tensor<16xi32>
  %7 = stablehlo.slice %6 [0:15:2] : (tensor<16xi32>) -> tensor<8xi32>
  %8 = stablehlo.slice %6 [1:16:2] : (tensor<16xi32>) -> tensor<8xi32>
  %9 = stablehlo.minimum %7, %8 : tensor<8xi32>
  %10 = stablehlo.slice %9 [0:7:2] : (tensor<8xi32>) -> tensor<4xi32>
  %11 = stablehlo.slice %9 [1:8:2] : (tensor<8xi32>) -> tensor<4xi32>
  %12 = stablehlo.minimum %10, %11 : tensor<4xi32>
  %13 = stablehlo.slice %12 [0:3:2] : (tensor<4xi32>) -> tensor<2xi32>
  %14 = stablehlo.slice %12 [1:4:2] : (tensor<4xi32>) -> tensor<2xi32>
  %15 = stablehlo.minimum %13, %14 : tensor<2xi32>
  %16 = stablehlo.slice %15 [0:1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %17 = stablehlo.slice %15 [1:2:2] : (tensor<2xi32>) -> tensor<1xi32>
  %18 = stablehlo.minimum %16, %17 : tensor<1xi32>
  %19 = stablehlo.slice %18 [0:0] : (tensor<1xi32>) -> tensor<0xi32>
  %20 = stablehlo.slice %15 [2:2:2] : (tensor<2xi32>) -> tensor<0xi32>
  %21 = stablehlo.minimum %19, %20 : tensor<0xi32>
  %22 = stablehlo.slice %15 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %23 = stablehlo.concatenate %22, %21, dim = 0 : (tensor<1xi32>, tensor<0xi32>) -> tensor<1xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %24 = stablehlo.pad %23, %c, low = [0], high = [1], interior = [1] : (tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %c_0 = stablehlo.constant dense<0> : tensor<i32>
  %25 = stablehlo.pad %18, %c_0, low = [1], high = [0], interior = [1] : (tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  %26 = stablehlo.add %24, %25 : tensor<2xi32>
  %27 = stablehlo.slice %26 [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %28 = stablehlo.slice %12 [2:4:2] : (tensor<4xi32>) -> tensor<1xi32>
  %29 = stablehlo.minimum %27, %28 : tensor<1xi32>
  %30 = stablehlo.slice %12 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
  %31 = stablehlo.concatenate %30, %29, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %c_1 = stablehlo.constant dense<0> : tensor<i32>
  %32 = stablehlo.pad %31, %c_1, low = [0], high = [1], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  %c_2 = stablehlo.constant dense<0> : tensor<i32>
  %33 = stablehlo.pad %26, %c_2, low = [1], high = [0], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  %34 = stablehlo.add %32, %33 : tensor<4xi32>
  %35 = stablehlo.slice %34 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
  %36 = stablehlo.slice %9 [2:8:2] : (tensor<8xi32>) -> tensor<3xi32>
  %37 = stablehlo.minimum %35, %36 : tensor<3xi32>
  %38 = stablehlo.slice %9 [0:1] : (tensor<8xi32>) -> tensor<1xi32>
  %39 = stablehlo.concatenate %38, %37, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
  %c_3 = stablehlo.constant dense<0> : tensor<i32>
  %40 = stablehlo.pad %39, %c_3, low = [0], high = [1], interior = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
  %c_4 = stablehlo.constant dense<0> : tensor<i32>
  %41 = stablehlo.pad %34, %c_4, low = [1], high = [0], interior = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
  %42 = stablehlo.add %40, %41 : tensor<8xi32>
  %43 = stablehlo.slice %42 [0:7] : (tensor<8xi32>) -> tensor<7xi32>
  %44 = stablehlo.slice %6 [2:16:2] : (tensor<16xi32>) -> tensor<7xi32>
  %45 = stablehlo.minimum %43, %44 : tensor<7xi32>
  %46 = stablehlo.slice %6 [0:1] : (tensor<16xi32>) -> tensor<1xi32>
  %47 = stablehlo.concatenate %46, %45, dim = 0 : (tensor<1xi32>, tensor<7xi32>) -> tensor<8xi32>
  %c_5 = stablehlo.constant dense<0> : tensor<i32>
  %48 = stablehlo.pad %47, %c_5, low = [0], high = [1], interior = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<16xi32>
  %c_6 = stablehlo.constant dense<0> : tensor<i32>
  %49 = stablehlo.pad %42, %c_6, low = [1], high = [0], interior = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<16xi32>
  %50 = stablehlo.add %48, %49 : tensor<16xi32>
  %51 = stablehlo.slice %50 [0:15] : (tensor<16xi32>) -> tensor<15xi32>
  %52 = stablehlo.slice %3 [2:32:2] : (tensor<32xi32>) -> tensor<15xi32>
  %53 = stablehlo.minimum %51, %52 : tensor<15xi32>
  %54 = stablehlo.slice %3 [0:1] : (tensor<32xi32>) -> tensor<1xi32>
  %55 = stablehlo.concatenate %54, %53, dim = 0 : (tensor<1xi32>, tensor<15xi32>) -> tensor<16xi32>
  %c_7 = stablehlo.constant dense<0> : tensor<i32>
  %56 = stablehlo.pad %55, %c_7, low = [0], high = [1], interior = [1] : (tensor<16xi32>, tensor<i32>) -> tensor<32xi32>
  %c_8 = stablehlo.constant dense<0> : tensor<i32>
  %57 = stablehlo.pad %50, %c_8, low = [1], high = [0], interior = [1] : (tensor<16xi32>, tensor<i32>) -> tensor<32xi32>
  %58 = stablehlo.add %56, %57 : tensor<32xi32>
  %59 = stablehlo.slice %0 [1:64:2] : (tensor<65xi32>) -> tensor<32xi32>
  %60 = stablehlo.minimum %58, %59 : tensor<32xi32>
  %61 = stablehlo.slice %0 [0:1] : (tensor<65xi32>) -> tensor<1xi32>
  %62 = stablehlo.concatenate %61, %60, dim = 0 : (tensor<1xi32>, tensor<32xi32>) -> tensor<33xi32>
  %c_9 = stablehlo.constant dense<0> : tensor<i32>
  %63 = stablehlo.pad %62, %c_9, low = [0], high = [0], interior = [1] : (tensor<33xi32>, tensor<i32>) -> tensor<65xi32>
  %c_10 = stablehlo.constant dense<0> : tensor<i32>
  %64 = stablehlo.pad %58, %c_10, low = [1], high = [1], interior = [1] : (tensor<32xi32>, tensor<i32>) -> tensor<65xi32>
  %65 = stablehlo.add %63, %64 : tensor<65xi32>
  %66 = stablehlo.reverse %65, dims = [0] : tensor<65xi32>
  return %66 : tensor<65xi32>
}
