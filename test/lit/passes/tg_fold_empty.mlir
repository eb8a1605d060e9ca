// RUN: stitch-opt %s --split-input-file --tg-fold-empty | FileCheck %s

// What has no elements becomes a constant, what reads nothing else what it makes of nothing.
// CHECK-LABEL: @reduces
// CHECK-NOT: tg.reduce
// CHECK-DAG: %[[ZERO:.*]] = tg.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-DAG: %[[ONE:.*]] = tg.constant dense<1> : tensor<8xi32>
// CHECK-DAG: %[[LEAST:.*]] = tg.constant dense<-2147483648> : tensor<8xi32>
// CHECK-DAG: %[[LARGEST:.*]] = tg.constant dense<2147483647> : tensor<8xi32>
// CHECK-DAG: %[[ALL:.*]] = tg.constant dense<-1> : tensor<8xi32>
// CHECK-DAG: %[[UNSIGNED:.*]] = tg.constant dense<255> : tensor<8xui8>
// CHECK-DAG: %[[INFINITY:.*]] = tg.constant dense<0xFF800000> : tensor<8xf32>
// CHECK-DAG: %[[TRUE:.*]] = tg.constant dense<true> : tensor<8xi1>
// CHECK: return %[[ZERO]], %[[ONE]], %[[LEAST]], %[[LARGEST]], %[[ALL]], %[[UNSIGNED]], %[[INFINITY]], %[[TRUE]]
func.func @reduces(%f: tensor<0x8xf32>, %i: tensor<0x8xi32>, %u: tensor<0x8xui8>, %p: tensor<0x8xi1>)
    -> (tensor<8xf32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xui8>, tensor<8xf32>, tensor<8xi1>) {
  %0 = tg.exp %f : tensor<0x8xf32>
  %1 = tg.reduce add %0 dims [0] : (tensor<0x8xf32>) -> tensor<8xf32>
  %2 = tg.reduce mul %i dims [0] : (tensor<0x8xi32>) -> tensor<8xi32>
  %3 = tg.reduce max %i dims [0] : (tensor<0x8xi32>) -> tensor<8xi32>
  %4 = tg.reduce min %i dims [0] : (tensor<0x8xi32>) -> tensor<8xi32>
  %5 = tg.reduce and %i dims [0] : (tensor<0x8xi32>) -> tensor<8xi32>
  %6 = tg.reduce min %u dims [0] : (tensor<0x8xui8>) -> tensor<8xui8>
  %7 = tg.reduce max %f dims [0] : (tensor<0x8xf32>) -> tensor<8xf32>
  %8 = tg.reduce and %p dims [0] : (tensor<0x8xi1>) -> tensor<8xi1>
  return %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<8xf32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xui8>, tensor<8xf32>, tensor<8xi1>
}

// -----

// CHECK-LABEL: @others
// CHECK-SAME: %[[A:.*]]: tensor<0x8xf32>, %[[B:.*]]: tensor<4x0xf32>, %[[C:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<f32>
// CHECK-DAG: %[[EMPTY:.*]] = tg.constant dense<> : tensor<0x8xf32>
// CHECK-DAG: %[[ZERO:.*]] = tg.constant dense<0.000000e+00> : tensor<4x8xf32>
// CHECK-DAG: %[[PADDING:.*]] = tg.broadcast %[[S]] dims [] : (tensor<f32>) -> tensor<4x8xf32>
// CHECK-DAG: %[[JOINED:.*]] = tg.concatenate %[[C]], %[[C]]
// CHECK: return %[[EMPTY]], %[[ZERO]], %[[PADDING]], %[[JOINED]], %[[C]]
func.func @others(%a: tensor<0x8xf32>, %b: tensor<4x0xf32>, %c: tensor<4x8xf32>, %s: tensor<f32>)
    -> (tensor<0x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>, tensor<4x8xf32>) {
  %0 = tg.neg %a : tensor<0x8xf32>
  %1 = tg.dot %b, %a contract [1] x [0] : (tensor<4x0xf32>, tensor<0x8xf32>) -> tensor<4x8xf32>
  %2 = "tg.pad"(%a, %s) {low = array<i64: 4, 0>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>} : (tensor<0x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = "tg.concatenate"(%a, %c, %a, %c) {dim = 0 : i64} : (tensor<0x8xf32>, tensor<4x8xf32>, tensor<0x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %i = "tg.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %4 = "tg.dynamic_update_slice"(%c, %a, %i, %i) : (tensor<4x8xf32>, tensor<0x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  return %0, %1, %2, %3, %4 : tensor<0x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>, tensor<4x8xf32>
}

// -----

// Loops and branches carry nothing that has no elements.
// CHECK-LABEL: @control
// CHECK: %[[LOOP:.*]] = tg.while(%{{.*}} = %arg1) : tensor<i32> cond {
// CHECK: tg.if %{{.*}} : (tensor<i1>) -> tensor<i32>
// CHECK-NOT: tensor<0x8xf32>) -> 
// CHECK: return %{{.*}}, %[[LOOP]], %{{.*}} : tensor<0x8xf32>, tensor<i32>, tensor<i32>
func.func @control(%a: tensor<0x8xf32>, %n: tensor<i32>, %p: tensor<i1>) -> (tensor<0x8xf32>, tensor<i32>, tensor<i32>) {
  %0:2 = "tg.while"(%a, %n) ({
  ^bb0(%x: tensor<0x8xf32>, %i: tensor<i32>):
    %ten = "tg.constant"() {value = dense<10> : tensor<i32>} : () -> tensor<i32>
    %c = tg.compare lt, %i, %ten : tensor<i32>
    "tg.yield"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<0x8xf32>, %i: tensor<i32>):
    %y = tg.exp %x : tensor<0x8xf32>
    %one = "tg.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %j = tg.add %i, %one : tensor<i32>
    "tg.yield"(%y, %j) : (tensor<0x8xf32>, tensor<i32>) -> ()
  }) : (tensor<0x8xf32>, tensor<i32>) -> (tensor<0x8xf32>, tensor<i32>)
  %1:2 = "tg.if"(%p) ({
    "tg.yield"(%n, %a) : (tensor<i32>, tensor<0x8xf32>) -> ()
  }, {
    "tg.yield"(%0#1, %0#0) : (tensor<i32>, tensor<0x8xf32>) -> ()
  }) : (tensor<i1>) -> (tensor<i32>, tensor<0x8xf32>)
  return %1#1, %0#1, %1#0 : tensor<0x8xf32>, tensor<i32>, tensor<i32>
}

// -----

// Of a scatter only updates without elements are nothing: an index without elements is where the operand begins.
// CHECK-LABEL: @vectors
// CHECK-SAME: %[[X:.*]]: tensor<4x5xf32>, %[[U:.*]]: tensor<4x5xf32>, %[[V:.*]]: tensor<4x2xf32>, %[[I:.*]]: tensor<0xi32>, %[[R:[^:]*]]: tensor<1x4x5xf32>
// CHECK: %[[SUM:.*]] = tg.add %[[X]], %[[U]]
// CHECK: %[[ROW:.*]] = tg.reshape %[[R]] : (tensor<1x4x5xf32>) -> tensor<4x5xf32>
// CHECK: %[[FIRST:.*]] = tg.constant dense<0> : tensor<1xi32>
// CHECK: %[[PART:.*]] = tg.scatter replace %[[X]], %[[FIRST]], %[[V]] update_window_dims [0, 1] scatter_dims_to_operand_dims [0] index_vector_dim 0
// CHECK: %[[BODY:.*]] = tg.general_scatter %[[X]] at %{{.*}} updates %[[V]] update_window_dims [0, 1] scatter_dims_to_operand_dims [0]
// CHECK: return %[[U]], %[[SUM]], %[[ROW]], %[[PART]], %[[BODY]]
func.func @vectors(%x: tensor<4x5xf32>, %u: tensor<4x5xf32>, %v: tensor<4x2xf32>, %i: tensor<0xi32>, %r: tensor<1x4x5xf32>)
    -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = tg.scatter replace %x, %i, %u update_window_dims [0, 1] index_vector_dim 0 : (tensor<4x5xf32>, tensor<0xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = tg.scatter add %x, %i, %u update_window_dims [0, 1] index_vector_dim 0 : (tensor<4x5xf32>, tensor<0xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %j = tg.constant dense<> : tensor<1x0xi32>
  %2 = tg.scatter replace %x, %j, %r update_window_dims [1, 2] index_vector_dim 1 : (tensor<4x5xf32>, tensor<1x0xi32>, tensor<1x4x5xf32>) -> tensor<4x5xf32>
  %3 = tg.scatter replace %x, %i, %v update_window_dims [0, 1] index_vector_dim 0 : (tensor<4x5xf32>, tensor<0xi32>, tensor<4x2xf32>) -> tensor<4x5xf32>
  %4 = tg.general_scatter %x at %i updates %v update_window_dims [0, 1] index_vector_dim 0 : (tensor<4x5xf32>, tensor<0xi32>, tensor<4x2xf32>) -> tensor<4x5xf32> {
  ^bb0(%old: tensor<f32>, %update: tensor<f32>):
    %5 = tg.sub %old, %update : tensor<f32>
    tg.yield %5 : tensor<f32>
  }
  return %0, %1, %2, %3, %4 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

// Where no dimension is left that an index could be of, there is one more.
// CHECK-LABEL: @ranks
// CHECK-SAME: %[[S:.*]]: tensor<f32>, %[[U:.*]]: tensor<3xf32>, %[[W:[^:]*]]: tensor<6xf32>
// CHECK: %[[ONE:.*]] = tg.reshape %[[S]] : (tensor<f32>) -> tensor<1xf32>
// CHECK: %[[SUM:.*]] = tg.scatter add %[[ONE]], %{{.*}}, %[[U]] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1
// CHECK: %[[SCALAR:.*]] = tg.reshape %[[SUM]] : (tensor<1xf32>) -> tensor<f32>
// CHECK: tg.scatter mul %{{.*}}, %{{.*}}, %[[W]] inserted_window_dims [1] input_batching_dims [0] scatter_indices_batching_dims [0] scatter_dims_to_operand_dims [1]
// CHECK: tg.gather %{{.*}}, %{{.*}} collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1] : (tensor<1xf32>, tensor<3x1xi32>) -> tensor<3xf32>
func.func @ranks(%s: tensor<f32>, %u: tensor<3xf32>, %w: tensor<6xf32>) -> (tensor<f32>, tensor<6xf32>, tensor<3xf32>) {
  %i = tg.constant dense<> : tensor<3x0xi32>
  %j = tg.constant dense<> : tensor<6x0xi32>
  %0 = tg.scatter add %s, %i, %u index_vector_dim 1 : (tensor<f32>, tensor<3x0xi32>, tensor<3xf32>) -> tensor<f32>
  %1 = tg.scatter mul %w, %j, %w input_batching_dims [0] scatter_indices_batching_dims [0] index_vector_dim 1 : (tensor<6xf32>, tensor<6x0xi32>, tensor<6xf32>) -> tensor<6xf32>
  %2 = tg.gather %s, %i index_vector_dim 1 slice_sizes [] : (tensor<f32>, tensor<3x0xi32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<f32>, tensor<6xf32>, tensor<3xf32>
}
