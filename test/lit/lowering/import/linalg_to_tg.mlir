// RUN: stitch-opt %s -convert-linalg-to-tg -verify-diagnostics | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#swapped = affine_map<(d0, d1) -> (d1, d0)>
#first = affine_map<(d0, d1) -> (0, d1)>
#none = affine_map<(d0, d1) -> ()>
#scaled = affine_map<(d0, d1) -> (d0 * 2 + d1)>

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
// CHECK: tg.reduce_window max %{{.*}} window_dimensions [1, 2, 2, 1] window_strides [1, 2, 2, 1]
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

// What has no counterpart stays, and is counted: maps that are no projected permutations, open sizes, and operations that tg
// does not have.

// CHECK-LABEL: func.func @stays
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: math.exp2
// CHECK-NOT: tg.
func.func @stays(%a: tensor<9xf32>, %d: tensor<?xf32>, %e: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<?xf32>, tensor<4x2xf32>) {
  // expected-remark @+1 {{convert-linalg-to-tg: 2 of 'linalg.generic' stay: tg has no counterpart of these forms or types}}
  %0 = linalg.generic {indexing_maps = [#scaled, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<9xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4x2xf32>
  %1 = linalg.exp ins(%d : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  // expected-remark @+1 {{convert-linalg-to-tg: 1 of 'math.exp2' stay}}
  %2 = math.exp2 %0 : tensor<4x2xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<?xf32>, tensor<4x2xf32>
}
