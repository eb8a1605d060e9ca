// RUN: stitch-opt %s -split-input-file -verify-diagnostics --tg-dynamic-dims

// What does the same for all sizes.
func.func @main(%x: tensor<8x6xf32, "b">, %w: tensor<6x4xf32>, %table: tensor<10x4xf32>, %i: tensor<8x1xi32, "b">,
                %b: tensor<i32> {stitch.symbol = {name = "b", low = 1 : i64, high = 8 : i64}})
    -> (tensor<24x2xf32, "b">, tensor<8x4xf32, "b">, tensor<6x6xf32>) {
  %dot = tg.dot %x, %w contract [1] x [0] : (tensor<8x6xf32, "b">, tensor<6x4xf32>) -> tensor<8x4xf32, "b">
  %sum = tg.reduce add %dot dims [1] : (tensor<8x4xf32, "b">) -> tensor<8xf32, "b">
  %rows = tg.broadcast %sum dims [0] : (tensor<8xf32, "b">) -> tensor<8x4xf32, "b">
  %ones = tg.constant dense<1.0> : tensor<8x4xf32, "b">
  %a = tg.add %rows, %ones : tensor<8x4xf32, "b">
  %picked = "tg.gather"(%table, %i) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, slice_sizes = array<i64: 1, 4>, index_vector_dim = 1 : i64} : (tensor<10x4xf32>, tensor<8x1xi32, "b">) -> tensor<8x4xf32, "b">
  %c = tg.mul %a, %picked : tensor<8x4xf32, "b">
  %columns = tg.reduce add %x dims [0] : (tensor<8x6xf32, "b">) -> tensor<6xf32>
  %outer = tg.dot %x, %x contract [0] x [0] : (tensor<8x6xf32, "b">, tensor<8x6xf32, "b">) -> tensor<6x6xf32>
  %flat = tg.reshape %x : (tensor<8x6xf32, "b">) -> tensor<24x2xf32, "b">
  return %flat, %c, %outer : tensor<24x2xf32, "b">, tensor<8x4xf32, "b">, tensor<6x6xf32>
}

// -----

func.func @main(%x: tensor<8x6xf32, "b">) -> tensor<8x6xf32, "b"> {
  // expected-error@+1 {{reverses the outermost dimension, whose size 'b' is open: compile for one size, as in --dim b=8}}
  %0 = tg.reverse %x dims [0] : tensor<8x6xf32, "b">
  return %0 : tensor<8x6xf32, "b">
}

// -----

func.func @main(%x: tensor<8x6xf32, "b">) -> tensor<3x6xf32> {
  // expected-error@+1 {{takes a part of the outermost dimension}}
  %0 = "tg.slice"(%x) {starts = array<i64: 0, 0>, limits = array<i64: 3, 6>, strides = array<i64: 1, 1>} : (tensor<8x6xf32, "b">) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// -----

func.func @main(%x: tensor<8x6xf32, "b">) -> tensor<6x8xf32> {
  // expected-error@+1 {{moves the outermost dimension}}
  %0 = tg.transpose %x permutation [1, 0] : (tensor<8x6xf32, "b">) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// -----

func.func @main(%x: tensor<8x6xf32, "b">) -> tensor<16x6xf32> {
  // expected-error@+1 {{joins along the outermost dimension}}
  %0 = "tg.concatenate"(%x, %x) {dim = 0 : i64} : (tensor<8x6xf32, "b">, tensor<8x6xf32, "b">) -> tensor<16x6xf32>
  return %0 : tensor<16x6xf32>
}

// -----

// What a simplification has forgotten shows.
func.func @main(%x: tensor<8x6xf32, "b">, %y: tensor<8x6xf32>) -> tensor<48xf32> {
  // expected-error@+1 {{has operands or results with and without the open size 'b'}}
  %0 = tg.reshape %x : (tensor<8x6xf32, "b">) -> tensor<48xf32>
  return %0 : tensor<48xf32>
}

// -----

func.func @main(%x: tensor<8x6xf32, "b">, %y: tensor<8x6xf32, "c">) -> tensor<8x8xf32, "b"> {
  // expected-error@+1 {{combines different dimensions with the outermost one}}
  %0 = tg.dot %x, %y contract [1] x [1] : (tensor<8x6xf32, "b">, tensor<8x6xf32, "c">) -> tensor<8x8xf32, "b">
  return %0 : tensor<8x8xf32, "b">
}

// -----

// Rows by their indices; one beyond the last row is that.
func.func @main(%x: tensor<8x6xf32, "b">, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "tg.gather"(%x, %i) {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, slice_sizes = array<i64: 1, 6>, index_vector_dim = 1 : i64} : (tensor<8x6xf32, "b">, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// -----

func.func @main(%x: tensor<8x6xf32, "b">) -> tensor<8x6xf32, "b"> {
  // expected-error@+1 {{has no rule for an outermost dimension}}
  %0 = "tg.cumulative"(%x) {kind = 0 : i32, dim = 1 : i64} : (tensor<8x6xf32, "b">) -> tensor<8x6xf32, "b">
  return %0 : tensor<8x6xf32, "b">
}

// -----

// Gathers: windows that cover the outermost dimension, and one row's elements for each row of the indices.
func.func @main(%x: tensor<8x6xf32, "b">, %start: tensor<1xi32>, %i: tensor<8x1x1xi32, "b">,
                %b: tensor<i32> {stitch.symbol = {name = "b", low = 1 : i64, high = 8 : i64}})
    -> (tensor<8x4xf32, "b">, tensor<8x1xf32, "b">) {
  %columns = tg.gather %x, %start offset_dims [0, 1] start_index_map [1] index_vector_dim 0 slice_sizes [8, 4] : (tensor<8x6xf32, "b">, tensor<1xi32>) -> tensor<8x4xf32, "b">
  %along = tg.gather %x, %i collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [0] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1] : (tensor<8x6xf32, "b">, tensor<8x1x1xi32, "b">) -> tensor<8x1xf32, "b">
  return %columns, %along : tensor<8x4xf32, "b">, tensor<8x1xf32, "b">
}

// -----

func.func @main(%x: tensor<8x6xf32, "b">, %start: tensor<1xi32>) -> tensor<3x6xf32> {
  // expected-error@+1 {{picks elements along the outermost dimension}}
  %0 = tg.gather %x, %start offset_dims [0, 1] start_index_map [0] index_vector_dim 0 slice_sizes [3, 6] : (tensor<8x6xf32, "b">, tensor<1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// -----

func.func @main(%x: tensor<8x6xf32, "b">, %i: tensor<8x1xi32, "b">) -> tensor<8x6xf32, "b"> {
  // expected-error@+1 {{picks elements along the outermost dimension}}
  %0 = tg.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 6] : (tensor<8x6xf32, "b">, tensor<8x1xi32, "b">) -> tensor<8x6xf32, "b">
  return %0 : tensor<8x6xf32, "b">
}
