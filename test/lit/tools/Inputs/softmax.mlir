module {
  func.func @main(%logits: tensor<6x96xf32> loc("logits"), %weights: tensor<96x48xf32>, %table: tensor<10x48xf32>, %tokens: tensor<6xi32>)
      -> (tensor<6x96xf32>, tensor<6x48xf32>) {
    %0 = tg.reduce max %logits dims [1] : (tensor<6x96xf32>) -> tensor<6xf32>
    %1 = tg.broadcast %0 dims [0] : (tensor<6xf32>) -> tensor<6x96xf32>
    %2 = tg.sub %logits, %1 : tensor<6x96xf32>
    %3 = tg.exp %2 : tensor<6x96xf32>
    %4 = tg.reduce add %3 dims [1] : (tensor<6x96xf32>) -> tensor<6xf32>
    %5 = tg.broadcast %4 dims [0] : (tensor<6xf32>) -> tensor<6x96xf32>
    %6 = tg.div %3, %5 : tensor<6x96xf32>
    %7 = tg.dot %6, %weights contract [1] x [0] : (tensor<6x96xf32>, tensor<96x48xf32>) -> tensor<6x48xf32>
    %8 = tg.reshape %tokens : (tensor<6xi32>) -> tensor<6x1xi32>
    %9 = "tg.gather"(%table, %8) <{collapsed_slice_dims = array<i64: 0>, index_vector_dim = 1 : i64, offset_dims = array<i64: 1>, operand_batching_dims = array<i64>, slice_sizes = array<i64: 1, 48>, start_index_map = array<i64: 0>, start_indices_batching_dims = array<i64>}> : (tensor<10x48xf32>, tensor<6x1xi32>) -> tensor<6x48xf32>
    %10 = tg.add %7, %9 : tensor<6x48xf32>
    return %6, %10 : tensor<6x96xf32>, tensor<6x48xf32>
  }
}
