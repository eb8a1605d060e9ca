// Tensors without elements as inputs, outputs and in between.
func.func @main(%a: tensor<0x8xf32>, %b: tensor<4x0xf32>, %c: tensor<4x8xf32>, %i: tensor<0xi32>, %z: tensor<0x5xcomplex<f32>>, %p: tensor<i1>, %n: tensor<3x0xi32>)
 -> (tensor<0x8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<0x8xf32>, tensor<4x8xf32>, tensor<5xcomplex<f32>>, tensor<0x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %0 = tg.exp %a : tensor<0x8xf32>
  %1 = "tg.reduce"(%0) {kind = 3 : i32, dims = array<i64: 0>} : (tensor<0x8xf32>) -> tensor<8xf32>
  %2 = "tg.dot"(%b, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x0xf32>, tensor<0x8xf32>) -> tensor<4x8xf32>
  %3 = "tg.add"(%2, %c) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "tg.concatenate"(%a, %c, %a) {dim = 0 : i64} : (tensor<0x8xf32>, tensor<4x8xf32>, tensor<0x8xf32>) -> tensor<4x8xf32>
  %5 = "tg.scatter"(%c, %i, %a) {kind = 0 : i32, update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : (tensor<4x8xf32>, tensor<0xi32>, tensor<0x8xf32>) -> tensor<4x8xf32>
  %6 = "tg.gather"(%c, %i) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 8>} : (tensor<4x8xf32>, tensor<0xi32>) -> tensor<0x8xf32>
  %half = "tg.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %7 = "tg.pad"(%a, %half) {low = array<i64: 4, 0>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>} : (tensor<0x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %8 = "tg.reduce"(%z) {kind = 0 : i32, dims = array<i64: 0>} : (tensor<0x5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %9 = "tg.if"(%p) ({
    "tg.yield"(%a) : (tensor<0x8xf32>) -> ()
  }, {
    "tg.yield"(%0) : (tensor<0x8xf32>) -> ()
  }) : (tensor<i1>) -> tensor<0x8xf32>
  %10 = "tg.reduce"(%n) {kind = 3 : i32, dims = array<i64: 1>} : (tensor<3x0xi32>) -> tensor<3xi32>
  %11 = "tg.reduce"(%n) {kind = 2 : i32, dims = array<i64: 1>} : (tensor<3x0xi32>) -> tensor<3xi32>
  %12 = "tg.reduce"(%n) {kind = 1 : i32, dims = array<i64: 1>} : (tensor<3x0xi32>) -> tensor<3xi32>
  %13 = "tg.reduce"(%n) {kind = 4 : i32, dims = array<i64: 1>} : (tensor<3x0xi32>) -> tensor<3xi32>
  func.return %0, %1, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13 : tensor<0x8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<0x8xf32>, tensor<4x8xf32>, tensor<5xcomplex<f32>>, tensor<0x8xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}
