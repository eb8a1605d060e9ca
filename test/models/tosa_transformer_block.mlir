module {
  func.func public @main(%x: tensor<1x19x48xf32> loc("x"), %ln1_scale: tensor<1x1x48xf32> loc("ln1_scale"), %ln1_bias: tensor<1x1x48xf32> loc("ln1_bias"), %wq: tensor<1x48x48xf32> loc("wq"), %wk: tensor<1x48x48xf32> loc("wk"), %wv: tensor<1x48x48xf32> loc("wv"), %wo: tensor<1x48x48xf32> loc("wo"), %bo: tensor<1x1x48xf32> loc("bo"), %ln2_scale: tensor<1x1x48xf32> loc("ln2_scale"), %ln2_bias: tensor<1x1x48xf32> loc("ln2_bias"), %w1: tensor<1x48x96xf32> loc("w1"), %b1: tensor<1x1x96xf32> loc("b1"), %w2: tensor<1x96x48xf32> loc("w2"), %b2: tensor<1x1x48xf32> loc("b2")) -> tensor<1x19x48xf32> {
    %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
    %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
    %rd = "tosa.const"() {values = dense<2.083333333e-02> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
    %eps = "tosa.const"() {values = dense<1.0e-05> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
    %scale = "tosa.const"() {values = dense<2.886751346e-01> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
    %half = "tosa.const"() {values = dense<0.5> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
    %one = "tosa.const"() {values = dense<1.0> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
    %rsqrt2 = "tosa.const"() {values = dense<7.071067812e-01> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
    %heads = tosa.const_shape {values = dense<[1, 19, 4, 12]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %batch = tosa.const_shape {values = dense<[4, 19, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %unbatch = tosa.const_shape {values = dense<[1, 4, 19, 12]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %rows = tosa.const_shape {values = dense<[1, 19, 48]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %0 = tosa.reduce_sum %x {axis = 2 : i32} : (tensor<1x19x48xf32>) -> tensor<1x19x1xf32>
    %1 = tosa.mul %0, %rd, %shift : (tensor<1x19x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x19x1xf32>
    %2 = tosa.sub %x, %1 : (tensor<1x19x48xf32>, tensor<1x19x1xf32>) -> tensor<1x19x48xf32>
    %3 = tosa.mul %2, %2, %shift : (tensor<1x19x48xf32>, tensor<1x19x48xf32>, tensor<1xi8>) -> tensor<1x19x48xf32>
    %4 = tosa.reduce_sum %3 {axis = 2 : i32} : (tensor<1x19x48xf32>) -> tensor<1x19x1xf32>
    %5 = tosa.mul %4, %rd, %shift : (tensor<1x19x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x19x1xf32>
    %6 = tosa.add %5, %eps : (tensor<1x19x1xf32>, tensor<1x1x1xf32>) -> tensor<1x19x1xf32>
    %7 = tosa.rsqrt %6 : (tensor<1x19x1xf32>) -> tensor<1x19x1xf32>
    %8 = tosa.mul %2, %7, %shift : (tensor<1x19x48xf32>, tensor<1x19x1xf32>, tensor<1xi8>) -> tensor<1x19x48xf32>
    %9 = tosa.mul %8, %ln1_scale, %shift : (tensor<1x19x48xf32>, tensor<1x1x48xf32>, tensor<1xi8>) -> tensor<1x19x48xf32>
    %10 = tosa.add %9, %ln1_bias : (tensor<1x19x48xf32>, tensor<1x1x48xf32>) -> tensor<1x19x48xf32>
    %11 = tosa.matmul %10, %wq, %zero, %zero : (tensor<1x19x48xf32>, tensor<1x48x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x19x48xf32>
    %12 = tosa.reshape %11, %heads : (tensor<1x19x48xf32>, !tosa.shape<4>) -> tensor<1x19x4x12xf32>
    %13 = tosa.transpose %12 {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x19x4x12xf32>) -> tensor<1x4x19x12xf32>
    %14 = tosa.reshape %13, %batch : (tensor<1x4x19x12xf32>, !tosa.shape<3>) -> tensor<4x19x12xf32>
    %15 = tosa.matmul %10, %wk, %zero, %zero : (tensor<1x19x48xf32>, tensor<1x48x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x19x48xf32>
    %16 = tosa.reshape %15, %heads : (tensor<1x19x48xf32>, !tosa.shape<4>) -> tensor<1x19x4x12xf32>
    %17 = tosa.transpose %16 {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x19x4x12xf32>) -> tensor<1x4x19x12xf32>
    %18 = tosa.reshape %17, %batch : (tensor<1x4x19x12xf32>, !tosa.shape<3>) -> tensor<4x19x12xf32>
    %19 = tosa.matmul %10, %wv, %zero, %zero : (tensor<1x19x48xf32>, tensor<1x48x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x19x48xf32>
    %20 = tosa.reshape %19, %heads : (tensor<1x19x48xf32>, !tosa.shape<4>) -> tensor<1x19x4x12xf32>
    %21 = tosa.transpose %20 {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x19x4x12xf32>) -> tensor<1x4x19x12xf32>
    %22 = tosa.reshape %21, %batch : (tensor<1x4x19x12xf32>, !tosa.shape<3>) -> tensor<4x19x12xf32>
    %23 = tosa.transpose %18 {perms = array<i32: 0, 2, 1>} : (tensor<4x19x12xf32>) -> tensor<4x12x19xf32>
    %24 = tosa.matmul %14, %23, %zero, %zero : (tensor<4x19x12xf32>, tensor<4x12x19xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x19x19xf32>
    %25 = tosa.mul %24, %scale, %shift : (tensor<4x19x19xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<4x19x19xf32>
    %26 = tosa.reduce_max %25 {axis = 2 : i32} : (tensor<4x19x19xf32>) -> tensor<4x19x1xf32>
    %27 = tosa.sub %25, %26 : (tensor<4x19x19xf32>, tensor<4x19x1xf32>) -> tensor<4x19x19xf32>
    %28 = tosa.exp %27 : (tensor<4x19x19xf32>) -> tensor<4x19x19xf32>
    %29 = tosa.reduce_sum %28 {axis = 2 : i32} : (tensor<4x19x19xf32>) -> tensor<4x19x1xf32>
    %30 = tosa.reciprocal %29 : (tensor<4x19x1xf32>) -> tensor<4x19x1xf32>
    %31 = tosa.mul %28, %30, %shift : (tensor<4x19x19xf32>, tensor<4x19x1xf32>, tensor<1xi8>) -> tensor<4x19x19xf32>
    %32 = tosa.matmul %31, %22, %zero, %zero : (tensor<4x19x19xf32>, tensor<4x19x12xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x19x12xf32>
    %33 = tosa.reshape %32, %unbatch : (tensor<4x19x12xf32>, !tosa.shape<4>) -> tensor<1x4x19x12xf32>
    %34 = tosa.transpose %33 {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x4x19x12xf32>) -> tensor<1x19x4x12xf32>
    %35 = tosa.reshape %34, %rows : (tensor<1x19x4x12xf32>, !tosa.shape<3>) -> tensor<1x19x48xf32>
    %36 = tosa.matmul %35, %wo, %zero, %zero : (tensor<1x19x48xf32>, tensor<1x48x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x19x48xf32>
    %37 = tosa.add %36, %bo : (tensor<1x19x48xf32>, tensor<1x1x48xf32>) -> tensor<1x19x48xf32>
    %38 = tosa.add %x, %37 : (tensor<1x19x48xf32>, tensor<1x19x48xf32>) -> tensor<1x19x48xf32>
    %39 = tosa.reduce_sum %38 {axis = 2 : i32} : (tensor<1x19x48xf32>) -> tensor<1x19x1xf32>
    %40 = tosa.mul %39, %rd, %shift : (tensor<1x19x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x19x1xf32>
    %41 = tosa.sub %38, %40 : (tensor<1x19x48xf32>, tensor<1x19x1xf32>) -> tensor<1x19x48xf32>
    %42 = tosa.mul %41, %41, %shift : (tensor<1x19x48xf32>, tensor<1x19x48xf32>, tensor<1xi8>) -> tensor<1x19x48xf32>
    %43 = tosa.reduce_sum %42 {axis = 2 : i32} : (tensor<1x19x48xf32>) -> tensor<1x19x1xf32>
    %44 = tosa.mul %43, %rd, %shift : (tensor<1x19x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x19x1xf32>
    %45 = tosa.add %44, %eps : (tensor<1x19x1xf32>, tensor<1x1x1xf32>) -> tensor<1x19x1xf32>
    %46 = tosa.rsqrt %45 : (tensor<1x19x1xf32>) -> tensor<1x19x1xf32>
    %47 = tosa.mul %41, %46, %shift : (tensor<1x19x48xf32>, tensor<1x19x1xf32>, tensor<1xi8>) -> tensor<1x19x48xf32>
    %48 = tosa.mul %47, %ln2_scale, %shift : (tensor<1x19x48xf32>, tensor<1x1x48xf32>, tensor<1xi8>) -> tensor<1x19x48xf32>
    %49 = tosa.add %48, %ln2_bias : (tensor<1x19x48xf32>, tensor<1x1x48xf32>) -> tensor<1x19x48xf32>
    %50 = tosa.matmul %49, %w1, %zero, %zero : (tensor<1x19x48xf32>, tensor<1x48x96xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x19x96xf32>
    %51 = tosa.add %50, %b1 : (tensor<1x19x96xf32>, tensor<1x1x96xf32>) -> tensor<1x19x96xf32>
    %52 = tosa.mul %51, %rsqrt2, %shift : (tensor<1x19x96xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x19x96xf32>
    %53 = tosa.erf %52 : (tensor<1x19x96xf32>) -> tensor<1x19x96xf32>
    %54 = tosa.mul %51, %half, %shift : (tensor<1x19x96xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x19x96xf32>
    %55 = tosa.add %53, %one : (tensor<1x19x96xf32>, tensor<1x1x1xf32>) -> tensor<1x19x96xf32>
    %56 = tosa.mul %54, %55, %shift : (tensor<1x19x96xf32>, tensor<1x19x96xf32>, tensor<1xi8>) -> tensor<1x19x96xf32>
    %57 = tosa.matmul %56, %w2, %zero, %zero : (tensor<1x19x96xf32>, tensor<1x96x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x19x48xf32>
    %58 = tosa.add %57, %b2 : (tensor<1x19x48xf32>, tensor<1x1x48xf32>) -> tensor<1x19x48xf32>
    %59 = tosa.add %38, %58 : (tensor<1x19x48xf32>, tensor<1x19x48xf32>) -> tensor<1x19x48xf32>
    return %59 : tensor<1x19x48xf32>
  }
}
