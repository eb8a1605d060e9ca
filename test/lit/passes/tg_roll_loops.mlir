// RUN: stitch-opt %s --tg-roll-loops -split-input-file | FileCheck %s
// RUN: stitch-opt %s --tg-roll-loops --stitch-remarks -split-input-file -o %t.out 2>&1 | FileCheck %s --check-prefix=REMARK

// Four steps: each reads its slice of x, in pairs of rows, and its state; what they return is stacked. The concatenation in front of a product is of its own step.
// REMARK: 4 equal steps of 3 operations are a loop
// CHECK-LABEL: func.func @steps
// CHECK-SAME: %[[X:.*]]: tensor<8x3xf32>, %[[H:.*]]: tensor<2x3xf32>, %[[W:.*]]: tensor<6x3xf32>
// CHECK: %[[BLOCKS:.*]] = tg.reshape %[[X]] : (tensor<8x3xf32>) -> tensor<4x2x3xf32>
// CHECK: %[[LOOP:.*]]:3 = tg.while(%[[K:.*]] = %{{.*}}, %[[STATE:.*]] = %[[H]], %[[STACK:.*]] = %{{.*}}) : tensor<i32>, tensor<2x3xf32>, tensor<4x2x3xf32> attributes {trip_count = 4 : i64}
// CHECK: do {
// CHECK: tg.dynamic_slice %[[BLOCKS]][%[[K]], {{.*}}] sizes [1, 2, 3]
// CHECK: tg.concatenate %{{.*}}, %[[STATE]] dim 1
// CHECK: tg.dot %{{.*}}, %[[W]] contract [1] x [0]
// CHECK: %[[NEXT:.*]] = tg.tanh
// CHECK: tg.dynamic_update_slice %[[STACK]][%[[K]]
// CHECK: }
// CHECK-NOT: tg.dot
// CHECK: return %[[LOOP]]#2, %[[LOOP]]#1
func.func @steps(%x: tensor<8x3xf32>, %h: tensor<2x3xf32>, %w: tensor<6x3xf32>) -> (tensor<4x2x3xf32>, tensor<2x3xf32>) {
  %s0 = tg.slice %x [0:2, 0:3] : (tensor<8x3xf32>) -> tensor<2x3xf32>
  %c0 = tg.concatenate %s0, %h dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %d0 = tg.dot %c0, %w contract [1] x [0] : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
  %h0 = tg.tanh %d0 : tensor<2x3xf32>
  %r0 = tg.reshape %h0 : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  %s1 = tg.slice %x [2:4, 0:3] : (tensor<8x3xf32>) -> tensor<2x3xf32>
  %c1 = tg.concatenate %s1, %h0 dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %d1 = tg.dot %c1, %w contract [1] x [0] : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
  %h1 = tg.tanh %d1 : tensor<2x3xf32>
  %r1 = tg.reshape %h1 : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  %s2 = tg.slice %x [4:6, 0:3] : (tensor<8x3xf32>) -> tensor<2x3xf32>
  %c2 = tg.concatenate %s2, %h1 dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %d2 = tg.dot %c2, %w contract [1] x [0] : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
  %h2 = tg.tanh %d2 : tensor<2x3xf32>
  %r2 = tg.reshape %h2 : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  %s3 = tg.slice %x [6:8, 0:3] : (tensor<8x3xf32>) -> tensor<2x3xf32>
  %c3 = tg.concatenate %s3, %h2 dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %d3 = tg.dot %c3, %w contract [1] x [0] : (tensor<2x6xf32>, tensor<6x3xf32>) -> tensor<2x3xf32>
  %h3 = tg.tanh %d3 : tensor<2x3xf32>
  %r3 = tg.reshape %h3 : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  %all = tg.concatenate %r0, %r1, %r2, %r3 dim 0 : (tensor<1x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<4x2x3xf32>
  return %all, %h3 : tensor<4x2x3xf32>, tensor<2x3xf32>
}

// -----

// As a backward pass has it: slices in reverse, a sum of products whose first term stands alone, and a last step whose state nobody needs. The first step, which has no state
// to begin with, stays in front of the loop.
// REMARK: 5 equal steps of 6 operations are a loop
// CHECK-LABEL: func.func @backward
// CHECK-SAME: %[[X:.*]]: tensor<6x2x3xf32>, %[[Y:.*]]: tensor<6x2x8xf32>, %[[W:.*]]: tensor<3x8xf32>
// CHECK: %[[FIRST:.*]] = tg.dot %{{.*}}, %{{.*}} contract [0] x [0]
// CHECK: tg.while(%[[K:.*]] = %{{.*}}, %[[G:.*]] = %{{.*}}, %[[SUM:.*]] = %[[FIRST]]{{.*}}attributes {trip_count = 5 : i64}
// CHECK: do {
// CHECK: tg.dot %[[G]], %[[W]] contract [1] x [1]
// CHECK: %[[AT:.*]] = tg.sub %{{.*}}, %[[K]]
// CHECK: tg.dynamic_slice %[[Y]][%[[AT]], {{.*}}] sizes [1, 2, 8]
// CHECK: tg.add %[[SUM]]
// CHECK: tg.yield
// CHECK-NOT: tg.dot
func.func @backward(%x: tensor<6x2x3xf32>, %y: tensor<6x2x8xf32>, %w: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %x0 = tg.slice %x [5:6, 0:2, 0:3] : (tensor<6x2x3xf32>) -> tensor<1x2x3xf32>
  %i0 = tg.reshape %x0 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %y0 = tg.slice %y [5:6, 0:2, 0:8] : (tensor<6x2x8xf32>) -> tensor<1x2x8xf32>
  %f0 = tg.reshape %y0 : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
  %g0 = tg.tanh %f0 : tensor<2x8xf32>
  %t0 = tg.dot %i0, %g0 contract [0] x [0] : (tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
  %x1 = tg.slice %x [4:5, 0:2, 0:3] : (tensor<6x2x3xf32>) -> tensor<1x2x3xf32>
  %i1 = tg.reshape %x1 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %y1 = tg.slice %y [4:5, 0:2, 0:8] : (tensor<6x2x8xf32>) -> tensor<1x2x8xf32>
  %f1 = tg.reshape %y1 : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
  %d1 = tg.dot %g0, %w contract [1] x [1] : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  %p1 = tg.concatenate %d1, %d1, %d1 dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  %q1 = tg.slice %p1 [0:2, 0:8] : (tensor<2x9xf32>) -> tensor<2x8xf32>
  %g1 = tg.mul %q1, %f1 : tensor<2x8xf32>
  %t1 = tg.dot %i1, %g1 contract [0] x [0] : (tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
  %a1 = tg.add %t0, %t1 : tensor<3x8xf32>
  %x2 = tg.slice %x [3:4, 0:2, 0:3] : (tensor<6x2x3xf32>) -> tensor<1x2x3xf32>
  %i2 = tg.reshape %x2 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %y2 = tg.slice %y [3:4, 0:2, 0:8] : (tensor<6x2x8xf32>) -> tensor<1x2x8xf32>
  %f2 = tg.reshape %y2 : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
  %d2 = tg.dot %g1, %w contract [1] x [1] : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  %p2 = tg.concatenate %d2, %d2, %d2 dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  %q2 = tg.slice %p2 [0:2, 0:8] : (tensor<2x9xf32>) -> tensor<2x8xf32>
  %g2 = tg.mul %q2, %f2 : tensor<2x8xf32>
  %t2 = tg.dot %i2, %g2 contract [0] x [0] : (tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
  %a2 = tg.add %a1, %t2 : tensor<3x8xf32>
  %x3 = tg.slice %x [2:3, 0:2, 0:3] : (tensor<6x2x3xf32>) -> tensor<1x2x3xf32>
  %i3 = tg.reshape %x3 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %y3 = tg.slice %y [2:3, 0:2, 0:8] : (tensor<6x2x8xf32>) -> tensor<1x2x8xf32>
  %f3 = tg.reshape %y3 : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
  %d3 = tg.dot %g2, %w contract [1] x [1] : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  %p3 = tg.concatenate %d3, %d3, %d3 dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  %q3 = tg.slice %p3 [0:2, 0:8] : (tensor<2x9xf32>) -> tensor<2x8xf32>
  %g3 = tg.mul %q3, %f3 : tensor<2x8xf32>
  %t3 = tg.dot %i3, %g3 contract [0] x [0] : (tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
  %a3 = tg.add %a2, %t3 : tensor<3x8xf32>
  %x4 = tg.slice %x [1:2, 0:2, 0:3] : (tensor<6x2x3xf32>) -> tensor<1x2x3xf32>
  %i4 = tg.reshape %x4 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %y4 = tg.slice %y [1:2, 0:2, 0:8] : (tensor<6x2x8xf32>) -> tensor<1x2x8xf32>
  %f4 = tg.reshape %y4 : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
  %d4 = tg.dot %g3, %w contract [1] x [1] : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  %p4 = tg.concatenate %d4, %d4, %d4 dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  %q4 = tg.slice %p4 [0:2, 0:8] : (tensor<2x9xf32>) -> tensor<2x8xf32>
  %g4 = tg.mul %q4, %f4 : tensor<2x8xf32>
  %t4 = tg.dot %i4, %g4 contract [0] x [0] : (tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
  %a4 = tg.add %a3, %t4 : tensor<3x8xf32>
  %x5 = tg.slice %x [0:1, 0:2, 0:3] : (tensor<6x2x3xf32>) -> tensor<1x2x3xf32>
  %i5 = tg.reshape %x5 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  %y5 = tg.slice %y [0:1, 0:2, 0:8] : (tensor<6x2x8xf32>) -> tensor<1x2x8xf32>
  %f5 = tg.reshape %y5 : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
  %d5 = tg.dot %g4, %w contract [1] x [1] : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  %p5 = tg.concatenate %d5, %d5, %d5 dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  %q5 = tg.slice %p5 [0:2, 0:8] : (tensor<2x9xf32>) -> tensor<2x8xf32>
  %g5 = tg.mul %q5, %f5 : tensor<2x8xf32>
  %t5 = tg.dot %i5, %g5 contract [0] x [0] : (tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<3x8xf32>
  %a5 = tg.add %a4, %t5 : tensor<3x8xf32>
  return %a5 : tensor<3x8xf32>
}

// -----

// No recurrence: products with one weight that do not need each other, three that do, and four steps of which each second one computes something else.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: tg.while
func.func @stays(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>, %v: tensor<3x3xf32>, %u: tensor<3x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %a0 = tg.tanh %x : tensor<2x3xf32>
  %b0 = tg.dot %a0, %w contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %a1 = tg.exp %x : tensor<2x3xf32>
  %b1 = tg.dot %a1, %w contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %a2 = tg.neg %x : tensor<2x3xf32>
  %b2 = tg.dot %a2, %w contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %a3 = tg.logistic %x : tensor<2x3xf32>
  %b3 = tg.dot %a3, %w contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %s0 = tg.add %b0, %b1 : tensor<2x3xf32>
  %s1 = tg.add %b2, %b3 : tensor<2x3xf32>
  %s = tg.mul %s0, %s1 : tensor<2x3xf32>
  %c0 = tg.dot %x, %v contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %e0 = tg.tanh %c0 : tensor<2x3xf32>
  %c1 = tg.dot %e0, %v contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %e1 = tg.tanh %c1 : tensor<2x3xf32>
  %c2 = tg.dot %e1, %v contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %e2 = tg.tanh %c2 : tensor<2x3xf32>
  %f0 = tg.dot %x, %u contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %g0 = tg.tanh %f0 : tensor<2x3xf32>
  %f1 = tg.dot %g0, %u contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %g1 = tg.exp %f1 : tensor<2x3xf32>
  %f2 = tg.dot %g1, %u contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %g2 = tg.tanh %f2 : tensor<2x3xf32>
  %f3 = tg.dot %g2, %u contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %g3 = tg.exp %f3 : tensor<2x3xf32>
  return %s, %e2, %g3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// What has 16 dimensions can't be stacked.
// CHECK-LABEL: func.func @most_dimensions
// CHECK-NOT: tg.while
func.func @most_dimensions(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>, %w: tensor<3x3xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32> {
  %d0 = tg.dot %x, %w contract [15] x [0] : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>, tensor<3x3xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>
  %h0 = tg.tanh %d0 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>
  %d1 = tg.dot %h0, %w contract [15] x [0] : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>, tensor<3x3xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>
  %h1 = tg.tanh %d1 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>
  %d2 = tg.dot %h1, %w contract [15] x [0] : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>, tensor<3x3xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>
  %h2 = tg.tanh %d2 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>
  %d3 = tg.dot %h2, %w contract [15] x [0] : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>, tensor<3x3xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>
  %h3 = tg.tanh %d3 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>
  return %h3 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>
}

// -----

// Slices of no elements are no blocks of their tensor: they are copied next to each other.
// REMARK: 4 equal steps of 5 operations are a loop
// CHECK-LABEL: func.func @no_elements
// CHECK: tg.while
// CHECK: %[[SLICE:.*]] = tg.dynamic_slice %{{.*}} sizes [1, 0, 3]
// CHECK: %[[NONE:.*]] = tg.reshape %[[SLICE]]
// CHECK: tg.dot %{{.*}}, %[[NONE]]
func.func @no_elements(%x: tensor<4x3xf32>, %h: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %s0 = tg.slice %x [0:0, 0:3] : (tensor<4x3xf32>) -> tensor<0x3xf32>
  %d0 = tg.dot %h, %w contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %e0 = tg.slice %d0 [0:2, 1:1] : (tensor<2x3xf32>) -> tensor<2x0xf32>
  %n0 = tg.dot %e0, %s0 contract [1] x [0] : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %a0 = tg.add %d0, %n0 : tensor<2x3xf32>
  %h0 = tg.tanh %a0 : tensor<2x3xf32>
  %s1 = tg.slice %x [1:1, 0:3] : (tensor<4x3xf32>) -> tensor<0x3xf32>
  %d1 = tg.dot %h0, %w contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %e1 = tg.slice %d1 [0:2, 1:1] : (tensor<2x3xf32>) -> tensor<2x0xf32>
  %n1 = tg.dot %e1, %s1 contract [1] x [0] : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %a1 = tg.add %d1, %n1 : tensor<2x3xf32>
  %h1 = tg.tanh %a1 : tensor<2x3xf32>
  %s2 = tg.slice %x [2:2, 0:3] : (tensor<4x3xf32>) -> tensor<0x3xf32>
  %d2 = tg.dot %h1, %w contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %e2 = tg.slice %d2 [0:2, 1:1] : (tensor<2x3xf32>) -> tensor<2x0xf32>
  %n2 = tg.dot %e2, %s2 contract [1] x [0] : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %a2 = tg.add %d2, %n2 : tensor<2x3xf32>
  %h2 = tg.tanh %a2 : tensor<2x3xf32>
  %s3 = tg.slice %x [3:3, 0:3] : (tensor<4x3xf32>) -> tensor<0x3xf32>
  %d3 = tg.dot %h2, %w contract [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %e3 = tg.slice %d3 [0:2, 1:1] : (tensor<2x3xf32>) -> tensor<2x0xf32>
  %n3 = tg.dot %e3, %s3 contract [1] x [0] : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %a3 = tg.add %d3, %n3 : tensor<2x3xf32>
  %h3 = tg.tanh %a3 : tensor<2x3xf32>
  return %h3 : tensor<2x3xf32>
}
