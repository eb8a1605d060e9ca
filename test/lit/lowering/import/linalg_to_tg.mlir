// RUN: stitch-opt %s -convert-linalg-to-tg -verify-diagnostics | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#first = affine_map<(d0, d1) -> (0, d1)>
#none = affine_map<(d0, d1) -> ()>

// Named operations; a fill with the identity of a reduction is not added.

// CHECK-LABEL: func.func @named
// CHECK: tg.dot %arg0, %arg1 contract [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: tg.dot %{{.*}} contract [1] x [0]
// CHECK-NEXT: tg.add
// CHECK-NEXT: tg.transpose %{{.*}} permutation [1, 0]
// CHECK-NEXT: tg.exp
// CHECK-NOT: linalg
func.func @named(%a: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%a, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.matmul ins(%1, %1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%1 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = linalg.transpose ins(%2 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %4 = linalg.exp ins(%3 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// Batches; products of 16-bit floats that are summed in f32; a transposed right operand; integers are widened first.

// CHECK-LABEL: func.func @products
// CHECK: tg.dot %arg0, %arg1 batch [0] x [0] contract [2] x [1] : (tensor<2x4x8xf16>, tensor<2x8x3xf16>) -> tensor<2x4x3xf32>
// CHECK-DAG: %[[X:.*]] = tg.convert %arg2 : (tensor<4x8xi8>) -> tensor<4x8xi32>
// CHECK-DAG: %[[Y:.*]] = tg.convert %arg3 : (tensor<3x8xi8>) -> tensor<3x8xi32>
// CHECK: tg.dot %[[X]], %[[Y]] contract [1] x [1] : (tensor<4x8xi32>, tensor<3x8xi32>) -> tensor<4x3xi32>
// CHECK: tg.add %arg5
func.func @products(%a: tensor<2x4x8xf16>, %b: tensor<2x8x3xf16>, %c: tensor<4x8xi8>, %d: tensor<3x8xi8>, %zero: tensor<2x4x3xf32>,
                    %i: tensor<4x3xi32>) -> (tensor<2x4x3xf32>, tensor<4x3xi32>) {
  %cst = arith.constant dense<0.0> : tensor<2x4x3xf32>
  %1 = linalg.batch_matmul ins(%a, %b : tensor<2x4x8xf16>, tensor<2x8x3xf16>) outs(%cst : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]} ins(%c, %d : tensor<4x8xi8>, tensor<3x8xi8>) outs(%i : tensor<4x3xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %wx = arith.extsi %x : i8 to i32
    %wy = arith.extsi %y : i8 to i32
    %p = arith.muli %wx, %wy : i32
    %r = arith.addi %s, %p : i32
    linalg.yield %r : i32
  } -> tensor<4x3xi32>
  return %1, %2 : tensor<2x4x3xf32>, tensor<4x3xi32>
}

// Projected permutations with constants, numbers from outside, indices, and an output in another order.

// CHECK-LABEL: func.func @maps
// CHECK-DAG: tg.broadcast %arg1 dims [0]
// CHECK-DAG: tg.broadcast %arg2 dims [1]
// CHECK-DAG: tg.slice %arg3 [0:1, 0:8]
// CHECK-DAG: tensor.from_elements %arg4 : tensor<f32>
// CHECK-DAG: tg.iota dim 1 : tensor<4x8xi64>
// CHECK: tg.transpose %{{.*}} permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
func.func @maps(%a: tensor<4x8xf32>, %r: tensor<4xf32>, %c: tensor<8xf32>, %f: tensor<3x8xf32>, %n: f32) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #rows, #columns, #first, #none, #swapped], iterator_types = ["parallel", "parallel"]}
      ins(%a, %r, %c, %f, %n : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<3x8xf32>, f32) outs(%e : tensor<8x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %u: f32, %v: f32, %o: f32):
    %1 = arith.addf %x, %y : f32
    %2 = arith.mulf %1, %z : f32
    %3 = arith.maximumf %2, %u : f32
    %4 = arith.subf %3, %v : f32
    %5 = linalg.index 1 : index
    %6 = arith.index_cast %5 : index to i32
    %7 = arith.sitofp %6 : i32 to f32
    %8 = arith.addf %4, %7 : f32
    linalg.yield %8 : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Reductions with what is reduced in the body, and an accumulator that is not the identity.

// CHECK-LABEL: func.func @reductions
// CHECK: %[[S:.*]] = tg.mul %arg0, %arg0
// CHECK: %[[R:.*]] = tg.reduce add %[[S]] dims [1]
// CHECK: tg.add %arg1, %[[R]]
// CHECK: tg.reduce max %arg0 dims [0]
// CHECK-NEXT: return
func.func @reductions(%a: tensor<4x8xf32>, %i: tensor<4xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.mulf %x, %x : f32
    %r = arith.addf %s, %o : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %inf = arith.constant dense<0xFF800000> : tensor<8xf32>
  %1 = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%inf : tensor<8xf32>) dimensions = [0] (%x: f32, %o: f32) {
    %r = arith.maximumf %o, %x : f32
    linalg.yield %r : f32
  }
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}

// Comparisons of floats keep what they say of NaN; unsigned integers; booleans.

// CHECK-LABEL: func.func @comparisons
// CHECK: tg.compare le
// CHECK-NEXT: tg.not
// CHECK: tg.bitcast_convert %arg1 : (tensor<8xi32>) -> tensor<8xui32>
// CHECK: tg.compare lt
// CHECK: tg.and
// CHECK: tg.neg
func.func @comparisons(%a: tensor<8xf32>, %b: tensor<8xi32>, %c: tensor<8xi32>, %d: tensor<8xf32>) -> tensor<8xi32> {
  %0 = arith.cmpf ugt, %a, %d : tensor<8xf32>
  %1 = arith.cmpi ult, %b, %c : tensor<8xi32>
  %2 = arith.muli %0, %1 : tensor<8xi1>
  %3 = arith.extsi %2 : tensor<8xi1> to tensor<8xi32>
  return %3 : tensor<8xi32>
}

// Movement.

// CHECK-LABEL: func.func @movement
// CHECK: tg.slice %arg0 [1:3, 0:7:2]
// CHECK: tg.slice %arg0 [2:3, 0:8]
// CHECK-NEXT: tg.reshape {{.*}} -> tensor<8xf32>
// CHECK: tg.pad %{{.*}} low [1, 0] high [0, 2] interior [0, 0]
// CHECK: tg.concatenate {{.*}} dim 0
// CHECK: tg.dynamic_update_slice
// CHECK: tg.reshape {{.*}} -> tensor<32xf32>
func.func @movement(%a: tensor<4x8xf32>, %b: tensor<3x6xf32>) -> (tensor<2x4xf32>, tensor<8xf32>, tensor<6x6xf32>, tensor<32xf32>) {
  %0 = tensor.extract_slice %a[1, 0] [2, 4] [1, 2] : tensor<4x8xf32> to tensor<2x4xf32>
  %1 = tensor.extract_slice %a[2, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
  %c = arith.constant 1.0 : f32
  %2 = tensor.pad %0 low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<2x4xf32> to tensor<3x6xf32>
  %3 = tensor.concat dim(0) %2, %b : (tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<6x6xf32>
  %4 = tensor.insert_slice %0 into %a[2, 4] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x8xf32>
  %5 = tensor.collapse_shape %4 [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  return %0, %1, %3, %5 : tensor<2x4xf32>, tensor<8xf32>, tensor<6x6xf32>, tensor<32xf32>
}

// Windows.

// CHECK-LABEL: func.func @windows
// CHECK: tg.convolution %arg0, %arg1 dims [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f] window_strides [2, 2]
// CHECK-NEXT: tg.reduce_window max %{{.*}} window_dimensions [1, 2, 2, 1] window_strides [1, 2, 2, 1]
// CHECK-NEXT: return
func.func @windows(%x: tensor<1x17x17x3xf32>, %f: tensor<3x3x3x5xf32>) -> tensor<1x4x4x5xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x8x8x5xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %f : tensor<1x17x17x3xf32>, tensor<3x3x3x5xf32>) outs(%zero : tensor<1x8x8x5xf32>) -> tensor<1x8x8x5xf32>
  %inf = arith.constant dense<0xFF800000> : tensor<1x4x4x5xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %1 = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%0, %w : tensor<1x8x8x5xf32>, tensor<2x2xf32>) outs(%inf : tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %1 : tensor<1x4x4x5xf32>
}

// Windows of any linalg.generic; a result of dimensions of one element; other places.

// CHECK-LABEL: func.func @generic_windows
// CHECK: %[[M:.*]] = tg.mul %arg0, %arg0
// CHECK-NEXT: tg.reduce_window add %[[M]] window_dimensions [1, 3] window_strides [1, 2] base_dilations [1, 1] window_dilations [1, 1]
// CHECK-NEXT: tg.slice %arg0 [0:2, 1:8:2]
// CHECK-NEXT: tg.reverse %{{.*}} dims [1]
// CHECK: tg.reduce add %arg0 dims [1]
// CHECK-NEXT: tg.reshape {{.*}} -> tensor<2x1xf32>
// CHECK: tg.gather %arg0, %{{.*}} offset_dims [0] collapsed_slice_dims [1] start_index_map [1] index_vector_dim 2 slice_sizes [2, 1]
func.func @generic_windows(%a: tensor<2x9xf32>, %w: tensor<3xf32>, %e: tensor<2x4xf32>, %k: tensor<2x1xf32>, %u: tensor<2x4x3xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x4x3xf32>) {
  %zero = arith.constant dense<0.0> : tensor<2x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i * 2 + j)>, affine_map<(b, i, j) -> (j)>, affine_map<(b, i, j) -> (b, i)>],
                       iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %w : tensor<2x9xf32>, tensor<3xf32>) outs(%zero : tensor<2x4xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %x : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, i) -> (b, i * -2 + 7)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<2x9xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<2x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x9xf32>) outs(%k : tensor<2x1xf32>) {
  ^bb0(%x: f32, %s: f32):
    %r = arith.addf %x, %s : f32
    linalg.yield %r : f32
  } -> tensor<2x1xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i * 2 + j)>, affine_map<(b, i, j) -> (b, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<2x9xf32>) outs(%u : tensor<2x4x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<2x4x3xf32>
  return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x4x3xf32>
}

// Rows of a table, as torch-mlir writes an embedding; an output that nobody reads needs no counterpart; where the largest element is.

// CHECK-LABEL: func.func @rows
// CHECK: tg.gather %arg0, %{{.*}} offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 8]
// CHECK: tg.reduce max
// CHECK: tg.arg_reduce max %{{.*}} dim 1 : (tensor<5x8xf32>) -> (tensor<5xf32>, tensor<5xi32>)
func.func @rows(%t: tensor<7x8xf32>, %n: tensor<5xi64>) -> (tensor<5xf32>, tensor<5xi64>) {
  %c7 = arith.constant 7 : index
  %c0 = arith.constant 0 : i64
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<5x8xf32>
  // expected-remark @+1 {{convert-linalg-to-tg: 1 assertions of bodies are gone: an index beyond a tensor is clamped}}
  %0 = linalg.generic {indexing_maps = [#rows, #id], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<5xi64>) outs(%e : tensor<5x8xf32>) {
  ^bb0(%i: i64, %o: f32):
    %j = arith.index_cast %i : i64 to index
    %k = linalg.index 1 : index
    %c = arith.cmpi slt, %j, %c7 : index
    cf.assert %c, "index must be smaller than dim size"
    %x = tensor.extract %t[%j, %k] : tensor<7x8xf32>
    linalg.yield %x : f32
  } -> tensor<5x8xf32>
  %f = tensor.empty() : tensor<5xf32>
  %g = tensor.empty() : tensor<5xi64>
  %fill = linalg.fill ins(%inf : f32) outs(%f : tensor<5xf32>) -> tensor<5xf32>
  %fill_i = linalg.fill ins(%c0 : i64) outs(%g : tensor<5xi64>) -> tensor<5xi64>
  %1:2 = linalg.generic {indexing_maps = [#id, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<5x8xf32>) outs(%fill, %fill_i : tensor<5xf32>, tensor<5xi64>) {
  ^bb0(%x: f32, %m: f32, %i: i64):
    %k = linalg.index 1 : index
    %j = arith.index_cast %k : index to i64
    %r = arith.maximumf %x, %m : f32
    %c = arith.cmpf ogt, %x, %m : f32
    %s = arith.select %c, %j, %i : i64
    linalg.yield %r, %s : f32, i64
  } -> (tensor<5xf32>, tensor<5xi64>)
  %2:2 = linalg.generic {indexing_maps = [#id, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<5x8xf32>) outs(%fill, %fill_i : tensor<5xf32>, tensor<5xi64>) {
  ^bb0(%x: f32, %m: f32, %i: i64):
    %r = arith.maximumf %x, %m : f32
    linalg.yield %r, %i : f32, i64
  } -> (tensor<5xf32>, tensor<5xi64>)
  %3 = arith.addf %2#0, %1#0 : tensor<5xf32>
  return %3, %1#1 : tensor<5xf32>, tensor<5xi64>
}

// Elements of f8, unsigned ones, and what forgets its sizes.

// CHECK-LABEL: func.func @types
// CHECK: tg.convert %arg0 : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
// CHECK: tg.transpose %arg1 permutation [1, 0] : (tensor<2x3xui8>)
// CHECK: tg.concatenate %arg2, %arg2 dim 0
// CHECK-NOT: tensor.cast
func.func @types(%a: tensor<4xf8E4M3FN>, %b: tensor<2x3xui8>, %c: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<3x2xui8>, tensor<4x3xf32>) {
  %0 = arith.extf %a : tensor<4xf8E4M3FN> to tensor<4xf32>
  %e = tensor.empty() : tensor<3x2xui8>
  %1 = linalg.transpose ins(%b : tensor<2x3xui8>) outs(%e : tensor<3x2xui8>) permutation = [1, 0]
  %d = tensor.cast %c : tensor<2x3xf32> to tensor<?x3xf32>
  %2 = tensor.concat dim(0) %d, %d : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<4x3xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<3x2xui8>, tensor<4x3xf32>
}

// Slices at places that are computed, strided ones, pads with an index in the body, packs. (test/operations/linalg_forms.py runs these forms.)

// CHECK-LABEL: func.func @places
// CHECK: tg.dynamic_slice %arg0[%{{.*}}, %{{.*}}] sizes [4, 8]
// CHECK: tg.dynamic_update_slice
// CHECK: tg.pad %{{.*}} low [3, 1] high [7, 0] interior [4, 1]
// CHECK: tg.select
// CHECK: tg.transpose %{{.*}} permutation [2, 0, 3, 1] : (tensor<2x8x2x4xf32>) -> tensor<2x2x4x8xf32>
// CHECK: tg.transpose %{{.*}} permutation [1, 3, 0, 2]
func.func @places(%y: tensor<16x8xf32>, %s: tensor<2x4xf32>, %i: index, %p: tensor<2x2x4x8xf32>)
    -> (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<2x2x4x8xf32>, tensor<16x8xf32>) {
  %0 = tensor.extract_slice %y[%i, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
  %1 = tensor.insert_slice %0 into %y[%i, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<16x8xf32>
  %2 = tensor.insert_slice %s into %y[3, 1] [2, 4] [5, 2] : tensor<2x4xf32> into tensor<16x8xf32>
  %3 = linalg.pack %y outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 8] into %p : tensor<16x8xf32> -> tensor<2x2x4x8xf32>
  %4 = linalg.unpack %3 outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 8] into %y : tensor<2x2x4x8xf32> -> tensor<16x8xf32>
  return %0, %1, %2, %3, %4 : tensor<4x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<2x2x4x8xf32>, tensor<16x8xf32>
}

// In a function that is nothing but a graph, what is materialised in an argument is an update in place; in others the operation stays.

// CHECK-LABEL: func.func @in_place
// CHECK-SAME: %arg1: tensor<4x8xf32> {stitch.destination = 0 : i64, stitch.donated = 0 : i64}
// CHECK-NOT: materialize
// CHECK-LABEL: func.func @beside_others
// CHECK-NOT: stitch.donated
// CHECK: bufferization.materialize_in_destination
func.func @in_place(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = math.exp %a : tensor<4x8xf32>
  %1 = bufferization.materialize_in_destination %0 in %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
func.func @beside_others(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = math.exp %a : tensor<4x8xf32>
  %1 = bufferization.materialize_in_destination %0 in %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  call @other() : () -> ()
  return %1 : tensor<4x8xf32>
}
func.func private @other()

// What has no counterpart stays as it is, named operations by their names, and is counted: open sizes, reductions by what is no combiner,
// roundings that are none of tg's.

// CHECK-LABEL: func.func @stays
// CHECK: linalg.exp
// CHECK: linalg.generic
// CHECK: arith.truncf {{.*}} downward
// CHECK-NOT: tg.
func.func @stays(%d: tensor<?xf32>, %a: tensor<4x2xf32>, %i: tensor<4xf32>) -> (tensor<?xf32>, tensor<4xf32>, tensor<4x2xf16>) {
  // expected-remark @+1 {{convert-linalg-to-tg: 1 of 'linalg.exp' stay: tg has no counterpart of these forms or types}}
  %0 = linalg.exp ins(%d : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  // expected-remark @+1 {{convert-linalg-to-tg: 1 of 'linalg.generic' stay}}
  %1 = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x2xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%x: f32, %s: f32):
    %r = arith.divf %s, %x : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  // expected-remark @+1 {{convert-linalg-to-tg: 1 of 'arith.truncf' stay}}
  %2 = arith.truncf %a downward : tensor<4x2xf32> to tensor<4x2xf16>
  return %0, %1, %2 : tensor<?xf32>, tensor<4xf32>, tensor<4x2xf16>
}

// Operations of two results. Spaces of more than 2^31 iterations, and tensors of as many elements.

// CHECK-LABEL: func.func @sincos
// CHECK: %[[S:.*]] = tg.sin %arg0
// CHECK: %[[C:.*]] = tg.cos %arg0
// CHECK: return %[[S]], %[[C]]
func.func @sincos(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s, %c = math.sincos %a : tensor<4xf32>
  return %s, %c : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @normal
// CHECK: %[[LEAST:.*]] = tg.constant dense<1.17549435E-38>
// CHECK: %[[A:.*]] = tg.abs %arg0
// CHECK: %[[C:.*]] = tg.compare ge, %[[A]], %[[LEAST]]
// CHECK: %[[F:.*]] = tg.is_finite %arg0
// CHECK: tg.and %[[C]], %[[F]]
func.func @normal(%a: tensor<4xf32>) -> tensor<4xi1> {
  %0 = math.isnormal %a : tensor<4xf32>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: func.func @powers
// CHECK: tg.pow %arg0, %arg0 : tensor<4xi32>
func.func @powers(%a: tensor<4xi32>) -> tensor<4xi32> {
  %0 = math.ipowi %a, %a : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @large
// CHECK: tg.dot %arg0, %arg1 contract [1] x [0]
// CHECK-NOT: linalg.
// CHECK: tg.reduce add %{{.*}} dims [1] : (tensor<65536x65536xf32>) -> tensor<65536xf32>
func.func @large(%a: tensor<2048x2048xf32>, %b: tensor<2048x2048xf32>, %c: tensor<65536x65536xf32>, %e: tensor<65536xf32>) -> (tensor<2048x2048xf32>, tensor<65536xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<2048x2048xf32>, tensor<2048x2048xf32>) outs(%a : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %1 = linalg.exp ins(%c : tensor<65536x65536xf32>) outs(%c : tensor<65536x65536xf32>) -> tensor<65536x65536xf32>
  %2 = linalg.reduce ins(%1 : tensor<65536x65536xf32>) outs(%e : tensor<65536xf32>) dimensions = [1] (%x: f32, %o: f32) {
    %3 = arith.addf %x, %o : f32
    linalg.yield %3 : f32
  }
  return %0, %2 : tensor<2048x2048xf32>, tensor<65536xf32>
}
