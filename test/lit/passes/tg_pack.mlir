// Elements of two and four bits become bytes at the borders of @main: rows that are whole bytes keep their shape, others become one
// row of bytes. An update of rows is one of bytes, and an argument that is returned is itself.
// RUN: stitch-opt %s --split-input-file --tg-pack --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @main(%arg0: tensor<4x3xi8> {stitch.packed = tensor<4x6xi4>}, %arg1: tensor<2xi8> {stitch.packed = tensor<7xui2>})
// CHECK-SAME: -> (tensor<4x3xi8> {stitch.packed = tensor<4x6xi4>}, tensor<2xi8> {stitch.packed = tensor<7xui2>}, tensor<2xi8> {stitch.packed = tensor<7xui2>})
func.func @main(%a: tensor<4x6xi4>, %b: tensor<7xui2>) -> (tensor<4x6xi4>, tensor<7xui2>, tensor<7xui2>) {
  // CHECK: %[[B:.*]] = tg.bitcast_convert %arg1 : (tensor<2xi8>) -> tensor<2x4xui2>
  // CHECK: %[[FLAT:.*]] = tg.reshape %[[B]] : (tensor<2x4xui2>) -> tensor<8xui2>
  // CHECK: %[[SEVEN:.*]] = tg.slice %[[FLAT]] {{.*}} -> tensor<7xui2>
  // CHECK: %[[A:.*]] = tg.bitcast_convert %arg0 : (tensor<4x3xi8>) -> tensor<4x3x2xi4>
  // CHECK: %[[ELEMENTS:.*]] = tg.reshape %[[A]] : (tensor<4x3x2xi4>) -> tensor<4x6xi4>
  // CHECK: %[[SUM:.*]] = tg.add %[[ELEMENTS]], %[[ELEMENTS]]
  %0 = tg.add %a, %a : tensor<4x6xi4>
  %1 = tg.add %b, %b : tensor<7xui2>
  // CHECK: %[[BYTES:.*]] = tg.reshape %[[SUM]] : (tensor<4x6xi4>) -> tensor<4x3x2xi4>
  // CHECK: tg.bitcast_convert %[[BYTES]] : (tensor<4x3x2xi4>) -> tensor<4x3xi8>
  // CHECK: tg.concatenate
  // CHECK: tg.bitcast_convert {{.*}} : (tensor<2x4xui2>) -> tensor<2xi8>
  return %0, %1, %b : tensor<4x6xi4>, tensor<7xui2>, tensor<7xui2>
}

// -----

// CHECK-LABEL: func.func @main(%arg0: tensor<16x4xi8> {stitch.donated = 0 : i64, stitch.packed = tensor<16x8xf4E2M1FN>}
func.func @main(%cache: tensor<16x8xf4E2M1FN> {stitch.donated = 0 : i64}, %new: tensor<1x8xf4E2M1FN>, %at: tensor<i32>) -> tensor<16x8xf4E2M1FN> {
  // CHECK: %[[UPDATED:.*]] = tg.dynamic_update_slice %arg0[%arg2, %{{.*}}], %{{.*}} : (tensor<16x4xi8>, tensor<1x4xi8>, tensor<i32>, tensor<i32>) -> tensor<16x4xi8>
  // CHECK: return %[[UPDATED]]
  %zero = tg.constant dense<0> : tensor<i32>
  %0 = tg.dynamic_update_slice %cache[%at, %zero], %new : (tensor<16x8xf4E2M1FN>, tensor<1x8xf4E2M1FN>, tensor<i32>, tensor<i32>) -> tensor<16x8xf4E2M1FN>
  return %0 : tensor<16x8xf4E2M1FN>
}

// -----

// Large constants have bytes in the model file, too: the first element in the lowest bits.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1024xi8>) -> tensor<1024xi8> {
  // CHECK: tg.constant dense<"0x2133{{3*}}"> : tensor<512xi8>
  %0 = tg.constant dense<"0x01020303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303030303"> : tensor<1024xi4>
  %1 = tg.convert %0 : (tensor<1024xi4>) -> tensor<1024xi8>
  %2 = tg.add %x, %1 : tensor<1024xi8>
  return %2 : tensor<1024xi8>
}

// -----

// expected-error@+1 {{argument 0 of type tensor<8x3xi4, "b"> has an open size, and rows that end inside a byte}}
func.func @main(%a: tensor<8x3xi4, "b">, %b: tensor<i32> {stitch.symbol = {name = "b", low = 1 : i64, high = 8 : i64}}) -> tensor<8x3xi32, "b"> {
  %0 = tg.convert %a : (tensor<8x3xi4, "b">) -> tensor<8x3xi32, "b">
  return %0 : tensor<8x3xi32, "b">
}
