module @jit_loss {
  func.func public @main(%arg0: tensor<640x2112xf32>, %arg1: tensor<640xi32>) -> (tensor<f32>, tensor<640x2112xf32>) {
    %cst = tg.constant dense<0.000000e+00> : tensor<640x2112xf32>
    %cst_0 = tg.constant dense<-1.562500e-03> : tensor<640xf32>
    %cst_1 = tg.constant dense<2112> : tensor<640xi32>
    %cst_2 = tg.constant dense<0> : tensor<640xi32>
    %cst_3 = tg.constant dense<6.400000e+02> : tensor<f32>
    %0 = tg.reduce max %arg0 dims [1] : (tensor<640x2112xf32>) -> tensor<640xf32>
    %1 = tg.broadcast %0 dims [0] : (tensor<640xf32>) -> tensor<640x2112xf32>
    %2 = tg.sub %arg0, %1 : tensor<640x2112xf32>
    %3 = tg.exp %2 : tensor<640x2112xf32>
    %4 = tg.reduce add %3 dims [1] : (tensor<640x2112xf32>) -> tensor<640xf32>
    %5 = tg.log %4 : tensor<640xf32>
    %6 = tg.broadcast %5 dims [0] : (tensor<640xf32>) -> tensor<640x2112xf32>
    %7 = tg.sub %2, %6 : tensor<640x2112xf32>
    %8 = tg.iota dim 0 : tensor<640xi32>
    %9 = tg.compare lt, %arg1, %cst_2 : tensor<640xi32>
    %10 = tg.add %arg1, %cst_1 : tensor<640xi32>
    %11 = tg.select %9, %10, %arg1 : tensor<640xi1>, tensor<640xi32>
    %12 = tg.reshape %8 : (tensor<640xi32>) -> tensor<640x1xi32>
    %13 = tg.reshape %11 : (tensor<640xi32>) -> tensor<640x1xi32>
    %14 = tg.concatenate %12, %13 dim 1 : (tensor<640x1xi32>, tensor<640x1xi32>) -> tensor<640x2xi32>
    %15 = tg.gather %7, %14 collapsed_slice_dims [0, 1] start_index_map [0, 1] index_vector_dim 1 slice_sizes [1, 1] : (tensor<640x2112xf32>, tensor<640x2xi32>) -> tensor<640xf32>
    %16 = tg.reduce add %15 dims [0] : (tensor<640xf32>) -> tensor<f32>
    %17 = tg.div %16, %cst_3 : tensor<f32>
    %18 = tg.neg %17 : tensor<f32>
    %19 = tg.scatter add %cst, %14, %cst_0 inserted_window_dims [0, 1] scatter_dims_to_operand_dims [0, 1] index_vector_dim 1 : (tensor<640x2112xf32>, tensor<640x2xi32>, tensor<640xf32>) -> tensor<640x2112xf32>
    %20 = tg.neg %19 : tensor<640x2112xf32>
    %21 = tg.reduce add %20 dims [1] : (tensor<640x2112xf32>) -> tensor<640xf32>
    %22 = tg.div %21, %4 : tensor<640xf32>
    %23 = tg.broadcast %22 dims [0] : (tensor<640xf32>) -> tensor<640x2112xf32>
    %24 = tg.mul %23, %3 : tensor<640x2112xf32>
    %25 = tg.add %19, %24 : tensor<640x2112xf32>
    return %18, %25 : tensor<f32>, tensor<640x2112xf32>
  }
}
