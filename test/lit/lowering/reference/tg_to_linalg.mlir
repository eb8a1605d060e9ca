// RUN: stitch-opt %s -split-input-file -convert-tg-to-linalg=library-dot-min-flops=1024 | FileCheck %s

// CHECK-DAG: #[[ID1:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
func.func @elementwise(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[INIT:.*]] = tensor.empty() : tensor<8xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[ID1]], #[[ID1]], #[[ID1]]], iterator_types = ["parallel"]}
  // CHECK-SAME: ins(%[[X]], %[[Y]] : tensor<8xf32>, tensor<8xf32>) outs(%[[INIT]] : tensor<8xf32>)
  // CHECK: %[[M:.*]] = arith.maximumf
  // CHECK: linalg.yield %[[M]] : f32
  %0 = tg.max %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// 16-bit floats are computed in f32.
// CHECK-LABEL: func.func @bf16
func.func @bf16(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  // CHECK: %[[W:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: %[[E:.*]] = math.exp %[[W]] : f32
  // CHECK: arith.truncf %[[E]] : f32 to bf16
  %0 = tg.exp %x : tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// -----

// Unsigned integers become signless, in signatures too; the operation remembers.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: (%{{.*}}: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi1>)
func.func @unsigned(%x: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xi1>) {
  // CHECK: arith.constant dense<[1, 2, 3, -56]> : tensor<4xi8>
  %c = tg.constant dense<[1, 2, 3, 200]> : tensor<4xui8>
  // CHECK: arith.maxui
  %0 = tg.max %x, %c : tensor<4xui8>
  // CHECK: arith.cmpi ult
  %1 = tg.compare lt, %0, %c : tensor<4xui8>
  // CHECK: call @callee(%{{.*}}) : (tensor<4xi8>) -> tensor<4xi8>
  %2 = call @callee(%0) : (tensor<4xui8>) -> tensor<4xui8>
  return %2, %1 : tensor<4xui8>, tensor<4xi1>
}
// CHECK: func.func private @callee(tensor<4xi8>) -> tensor<4xi8>
func.func private @callee(tensor<4xui8>) -> tensor<4xui8>

// -----

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<2xui16>, tensor<2xi1>, tensor<4xf32>) {
  // CHECK: arith.constant dense<-1> : tensor<2xi16>
  %0 = tg.constant dense<65535> : tensor<2xui16>
  // CHECK: arith.constant dense<[true, false]> : tensor<2xi1>
  %1 = tg.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: arith.constant dense<1.000000e+00> : tensor<4xf32>
  %2 = tg.constant dense<1.0> : tensor<4xf32>
  return %0, %1, %2 : tensor<2xui16>, tensor<2xi1>, tensor<4xf32>
}

// -----

// A scalar predicate stands for all elements.
// CHECK-DAG: #[[SCALAR:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @scalar_operands
func.func @scalar_operands(%p: tensor<i1>, %s: tensor<f32>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[SCALAR]],
  // CHECK: arith.select
  %0 = tg.select %p, %x, %x : tensor<i1>, tensor<2x3xf32>
  // CHECK: arith.maximumf
  // CHECK-NEXT: arith.minimumf
  %1 = tg.clamp %s, %0, %s : tensor<f32>, tensor<2x3xf32>, tensor<f32>
  return %1 : tensor<2x3xf32>
}

// -----

// CHECK-DAG: #[[DIM1:.*]] = affine_map<(d0, d1, d2) -> (0, d1)>
// CHECK-DAG: #[[PERM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
// CHECK-LABEL: func.func @maps
func.func @maps(%x: tensor<1x3xf32>) -> tensor<3x4x2xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[DIM1]],
  %0 = tg.broadcast %x dims [0, 1] : (tensor<1x3xf32>) -> tensor<2x3x4xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[PERM]],
  %1 = tg.transpose %0 permutation [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  return %1 : tensor<3x4x2xf32>
}

// -----

// A reshape is a view.
// CHECK-LABEL: func.func @reshape
func.func @reshape(%x: tensor<2x6xf32>, %s: tensor<f32>) -> (tensor<3x4xf32>, tensor<1x1xf32>, tensor<f32>) {
  // CHECK: %[[F:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<2x6xf32> into tensor<12xf32>
  // CHECK: tensor.expand_shape %[[F]] {{\[\[}}0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
  %0 = tg.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>
  // CHECK: tensor.expand_shape %{{.*}} [] output_shape [1] : tensor<f32> into tensor<1xf32>
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  %1 = tg.reshape %s : (tensor<f32>) -> tensor<1x1xf32>
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<1x1xf32> into tensor<1xf32>
  // CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1xf32> into tensor<f32>
  %2 = tg.reshape %1 : (tensor<1x1xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<3x4xf32>, tensor<1x1xf32>, tensor<f32>
}

// -----

// A sum of f32 is kept in f64, of bf16 in f32; a maximum needs neither.
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @reduce
func.func @reduce(%x: tensor<4x8xf32>, %h: tensor<4x8xbf16>) -> (tensor<4xf32>, tensor<8xbf16>, tensor<4xf32>) {
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[ROWS]]], iterator_types = ["parallel", "reduction"]}
  // CHECK-SAME: outs(%{{.*}} : tensor<4xf64>)
  // CHECK: arith.extf %{{.*}} : f32 to f64
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f64
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  %0 = tg.reduce add %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[COLUMNS]]], iterator_types = ["reduction", "parallel"]}
  // CHECK-SAME: outs(%{{.*}} : tensor<8xf32>)
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  %1 = tg.reduce add %h dims [0] : (tensor<4x8xbf16>) -> tensor<8xbf16>
  // CHECK: arith.constant 0xFF800000 : f32
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf32>)
  // CHECK: arith.maximumf
  // CHECK-NOT: arith.truncf
  // CHECK: return
  %2 = tg.reduce max %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<8xbf16>, tensor<4xf32>
}

// -----

// Small dots are loops, with batch, row, column and contracted dimensions in this order; f16 is summed in f32.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @small_dot
func.func @small_dot(%a: tensor<2x5x3xf16>, %b: tensor<4x2x5xf16>) -> tensor<2x3x4xf16> {
  // CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
  // CHECK-SAME: outs(%{{.*}} : tensor<2x3x4xf32>)
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %0 = tg.dot %a, %b batch [0] x [1] contract [1] x [2] : (tensor<2x5x3xf16>, tensor<4x2x5xf16>) -> tensor<2x3x4xf16>
  return %0 : tensor<2x3x4xf16>
}

// -----

// Large ones are library calls. Equal problems share a function; names that are taken are left alone.
// CHECK: module attributes {stitch.library_calls = [
// CHECK-SAME: {kind = "dot", lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>, types = [memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>]},
// CHECK-SAME: {kind = "dot", lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 1>, types = [memref<8x8xui8>, memref<8x8xui8>, memref<8x8xui32>]}]}
// CHECK-LABEL: func.func @large_dot
// CHECK-SAME: %[[A:.*]]: tensor<8x8xf32>
func.func @large_dot(%a: tensor<8x8xf32>, %u: tensor<8x8xui8>) -> (tensor<8x8xf32>, tensor<8x8xui32>) {
  // CHECK: %[[L:.*]] = bufferization.to_buffer %[[A]] read_only : tensor<8x8xf32> to memref<8x8xf32>
  // CHECK: %[[R:.*]] = bufferization.to_buffer %[[A]] read_only
  // CHECK: %[[O:.*]] = memref.alloc() {{.*}} : memref<8x8xf32>
  // CHECK: call @dot_1(%[[L]], %[[R]], %[[O]])
  // CHECK: bufferization.to_tensor %[[O]] restrict
  %0 = tg.dot %a, %a contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: call @dot_1(
  %1 = tg.dot %0, %0 contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: call @dot_2(
  %2 = tg.dot %u, %u contract [1] x [1] : (tensor<8x8xui8>, tensor<8x8xui8>) -> tensor<8x8xui32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xui32>
}
func.func private @dot_0()
// CHECK: func.func private @dot_1(memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) attributes {stitch.library = {kind = "dot", lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>}}
// CHECK: func.func private @dot_2(memref<8x8xi8>, memref<8x8xi8>, memref<8x8xi32>)

// -----

// Operations of other dialects stay.
// CHECK-LABEL: func.func @foreign
func.func @foreign(%x: tensor<4xf32>) -> f32 {
  // CHECK: %[[C:.*]] = arith.constant 0 : index
  %c = arith.constant 0 : index
  // CHECK: %[[N:.*]] = linalg.generic
  %0 = tg.neg %x : tensor<4xf32>
  // CHECK: tensor.extract %[[N]][%[[C]]]
  %1 = tensor.extract %0[%c] : tensor<4xf32>
  return %1 : f32
}
