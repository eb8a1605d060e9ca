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
