// Complex numbers in every kind of memory: inputs, outputs, constants, buffers, partial results.
func.func @main(%a: tensor<33x16xcomplex<f32>>, %b: tensor<16x24xcomplex<f32>>, %c: tensor<7x1000xcomplex<f64>>, %i: tensor<9xi32>, %u: tensor<9x16xcomplex<f32>>, %r: tensor<33x16xf32>) 
 -> (tensor<33x16xcomplex<f32>>, tensor<16x33xcomplex<f32>>, tensor<33xcomplex<f32>>, tensor<16xcomplex<f32>>, tensor<33x24xcomplex<f32>>, tensor<7x1000xcomplex<f64>>, tensor<33x16xcomplex<f32>>, tensor<33x16xcomplex<f32>>, tensor<2x2xcomplex<f32>>, tensor<9x16xcomplex<f32>>, tensor<66x16xcomplex<f32>>, tensor<33x16xf32>, tensor<7xcomplex<f64>>, tensor<33x16xcomplex<f32>>,tensor<3xcomplex<f64>>, tensor<1000xcomplex<f64>>) {
  %0 = tg.mul %a, %a : tensor<33x16xcomplex<f32>>
  %1 = tg.exp %0 : tensor<33x16xcomplex<f32>>
  %s = "tg.reduce"(%1) {kind = 0 : i32, dims = array<i64: 1>} : (tensor<33x16xcomplex<f32>>) -> tensor<33xcomplex<f32>>
  %sb = "tg.broadcast"(%s) {dims = array<i64: 0>} : (tensor<33xcomplex<f32>>) -> tensor<33x16xcomplex<f32>>
  %n = tg.div %1, %sb : tensor<33x16xcomplex<f32>>
  %t = "tg.transpose"(%n) {permutation = array<i64: 1, 0>} : (tensor<33x16xcomplex<f32>>) -> tensor<16x33xcomplex<f32>>
  %col = "tg.reduce"(%0) {kind = 0 : i32, dims = array<i64: 0>} : (tensor<33x16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
  %d = tg.dot %n, %b contract [1] x [0] : (tensor<33x16xcomplex<f32>>, tensor<16x24xcomplex<f32>>) -> tensor<33x24xcomplex<f32>>
  %cm = "tg.reduce"(%c) {kind = 1 : i32, dims = array<i64: 1>} : (tensor<7x1000xcomplex<f64>>) -> tensor<7xcomplex<f64>>
  %cs = "tg.reduce"(%c) {kind = 0 : i32, dims = array<i64: 1>} : (tensor<7x1000xcomplex<f64>>) -> tensor<7xcomplex<f64>>
  %cb = "tg.broadcast"(%cs) {dims = array<i64: 0>} : (tensor<7xcomplex<f64>>) -> tensor<7x1000xcomplex<f64>>
  %cn = tg.sub %c, %cb : tensor<7x1000xcomplex<f64>>
  %cc = "tg.cumulative"(%a) {kind = 0 : i32, dim = 0 : i64} : (tensor<33x16xcomplex<f32>>) -> tensor<33x16xcomplex<f32>>
  %sc = "tg.scatter"(%a, %i, %u) {kind = 0 : i32, update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : (tensor<33x16xcomplex<f32>>, tensor<9xi32>, tensor<9x16xcomplex<f32>>) -> tensor<33x16xcomplex<f32>>
  %k = "tg.constant"() {value = dense<[[(1.0, 2.0), (3.0, 4.0)], [(5.0, -6.0), (7.0, 8.0)]]> : tensor<2x2xcomplex<f32>>} : () -> tensor<2x2xcomplex<f32>>
  %k2 = "tg.constant"() {value = dense<(1.0, 2.0)> : tensor<3xcomplex<f64>>} : () -> tensor<3xcomplex<f64>>
  %g = "tg.gather"(%a, %i) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 16>} : (tensor<33x16xcomplex<f32>>, tensor<9xi32>) -> tensor<9x16xcomplex<f32>>
  %cat = "tg.concatenate"(%0, %n) {dim = 0 : i64} : (tensor<33x16xcomplex<f32>>, tensor<33x16xcomplex<f32>>) -> tensor<66x16xcomplex<f32>>
  %abs = "tg.abs"(%n) : (tensor<33x16xcomplex<f32>>) -> tensor<33x16xf32>
  %im = tg.complex %abs, %r : tensor<33x16xf32>
  %ccol = "tg.reduce"(%c) {kind = 0 : i32, dims = array<i64: 0>} : (tensor<7x1000xcomplex<f64>>) -> tensor<1000xcomplex<f64>>
  func.return %n, %t, %s, %col, %d, %cn, %cc, %sc, %k, %g, %cat, %abs, %cm, %im, %k2, %ccol : tensor<33x16xcomplex<f32>>, tensor<16x33xcomplex<f32>>, tensor<33xcomplex<f32>>, tensor<16xcomplex<f32>>, tensor<33x24xcomplex<f32>>, tensor<7x1000xcomplex<f64>>, tensor<33x16xcomplex<f32>>, tensor<33x16xcomplex<f32>>, tensor<2x2xcomplex<f32>>, tensor<9x16xcomplex<f32>>, tensor<66x16xcomplex<f32>>, tensor<33x16xf32>, tensor<7xcomplex<f64>>, tensor<33x16xcomplex<f32>>, tensor<3xcomplex<f64>>, tensor<1000xcomplex<f64>>
}
