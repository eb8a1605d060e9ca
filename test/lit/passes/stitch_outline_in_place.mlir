// RUN: stitch-opt %s --stitch-outline -split-input-file | FileCheck %s

// What reads an updated cache in a fusion has an update of its own there; the one that goes round is in place, and stays outside.
// CHECK-LABEL: func.func @cache
// CHECK: tg.while(%{{[a-z0-9]+}} = %{{[a-z0-9_]+}}, %[[CACHE:[a-z0-9]+]] = 
// CHECK: do {
// CHECK: %[[FUSION:.*]]:{{[0-9]}} = stitch.fusion(
// CHECK-SAME: = %[[CACHE]]
// CHECK: tg.dynamic_update_slice %
// CHECK-NOT: stitch.in_place
// CHECK: tg.reduce
// CHECK: stitch.yield
// CHECK: tg.dynamic_update_slice %[[CACHE]][{{.*}} {stitch.in_place}
func.func @cache(%start: tensor<64x8xf32>, %x: tensor<1x8xf32>) -> (tensor<64x8xf32>, tensor<64xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %n = tg.constant dense<10> : tensor<i32>
  %none = tg.constant dense<0.0> : tensor<64xf32>
  %r:4 = tg.while(%i = %zero, %c = %start, %h = %x, %o = %none) : tensor<i32>, tensor<64x8xf32>, tensor<1x8xf32>, tensor<64xf32> attributes {trip_count = 10 : i64} cond {
    %t = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %t : tensor<i1>
  } do {
    %k = tg.tanh %h : tensor<1x8xf32>
    %u = tg.dynamic_update_slice %c[%i, %zero], %k : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
    %b = tg.broadcast %k dims [0, 1] : (tensor<1x8xf32>) -> tensor<64x8xf32>
    %m = tg.mul %u, %b : tensor<64x8xf32>
    %s = tg.reduce add %m dims [1] : (tensor<64x8xf32>) -> tensor<64xf32>
    %j = tg.add %i, %one : tensor<i32>
    tg.yield %j, %u, %k, %s : tensor<i32>, tensor<64x8xf32>, tensor<1x8xf32>, tensor<64xf32>
  }
  return %r#1, %r#3 : tensor<64x8xf32>, tensor<64xf32>
}

// -----

// A library reads the cache where it is, behind the update: there is no other one.
// CHECK-LABEL: func.func @library
// CHECK-SAME: %[[CACHE:.*]]: tensor<64x8xf32> {stitch.donated = 1 : i64}
// CHECK: %[[UPDATED:.*]] = tg.dynamic_update_slice %[[CACHE]][{{.*}} {stitch.in_place}
// CHECK-NOT: tg.dynamic_update_slice
// CHECK: stitch.library_call(%{{.*}} = %[[UPDATED]]
func.func @library(%cache: tensor<64x8xf32> {stitch.donated = 1 : i64}, %row: tensor<1x8xf32>, %position: tensor<i32>, %w: tensor<8x8xf32>) -> (tensor<64x8xf32>, tensor<64x8xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %k = tg.tanh %row : tensor<1x8xf32>
  %u = tg.dynamic_update_slice %cache[%position, %zero], %k : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
  %d = tg.dot %u, %w contract [1] x [0] : (tensor<64x8xf32>, tensor<8x8xf32>) -> tensor<64x8xf32>
  return %d, %u : tensor<64x8xf32>, tensor<64x8xf32>
}

// -----

// Not in place: nobody gives the memory; the cache is read as it was, too; it is returned twice; another result has its memory.
// All four are computed as a whole, in a fusion.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: tg.dynamic_update_slice
// CHECK: stitch.fusion(
// CHECK-COUNT-4: tg.dynamic_update_slice
// CHECK: stitch.yield
// CHECK-NOT: tg.dynamic_update_slice
// CHECK: return
func.func @stays(%a: tensor<64x8xf32>, %b: tensor<64x8xf32> {stitch.donated = 1 : i64}, %c: tensor<64x8xf32> {stitch.donated = 3 : i64}, %d: tensor<64x8xf32> {stitch.donated = 0 : i64},
                 %row: tensor<1x8xf32>, %position: tensor<i32>) -> (tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %ua = tg.dynamic_update_slice %a[%position, %zero], %row : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
  %ub = tg.dynamic_update_slice %b[%position, %zero], %row : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
  %old = tg.add %b, %ub : tensor<64x8xf32>
  %uc = tg.dynamic_update_slice %c[%position, %zero], %row : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
  %ud = tg.dynamic_update_slice %d[%position, %zero], %row : (tensor<64x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<64x8xf32>
  return %ua, %ub, %old, %uc, %uc, %ud : tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>
}
