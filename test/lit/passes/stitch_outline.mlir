// RUN: stitch-opt %s -stitch-outline -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline=max-ops=2 -split-input-file | FileCheck %s --check-prefix=MAXOPS
// RUN: stitch-opt %s -stitch-outline=scope=xla -split-input-file | FileCheck %s --check-prefix=XLA

// A residual connection around a dot: fusing what is before and behind it would be a cycle.

// CHECK-LABEL: func.func @residual
// CHECK: %[[A:.*]] = stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: stitch.yield
// CHECK: %[[DOT:.*]] = stitch.library_call({{.*}} = %[[A]],
// CHECK-NEXT: tg.dot
// CHECK: %[[B:.*]] = stitch.fusion({{.*}} = %[[DOT]], {{.*}} = %[[A]])
// CHECK-NEXT: tg.add
// CHECK-NEXT: tg.neg
// CHECK-NOT: stitch.fusion
// CHECK: return %[[B]]
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.exp %x : tensor<4x8xf32>
  %1 = tg.dot %0, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = tg.add %1, %0 : tensor<4x8xf32>
  %3 = tg.neg %2 : tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// -----

// What is used late only is computed there; constants and broadcasts are cloned, never passed.

// CHECK-LABEL: func.func @sink
// CHECK: stitch.library_call
// CHECK: stitch.fusion(%{{.*}} = %arg2, %{{.*}} = %{{.*}}) : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: tg.exp %{{.*}} : tensor<8xf32>
// CHECK: tg.broadcast
// CHECK: tg.mul
// CHECK: stitch.yield
// CHECK: stitch.library_call
// CHECK: stitch.fusion({{.*}}) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK: tg.constant
// CHECK: tg.broadcast
func.func @sink(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %one = tg.constant dense<1.0> : tensor<4x8xf32>
  %e = tg.exp %b : tensor<8xf32>
  %bb = tg.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %eb = tg.broadcast %e dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = tg.mul %0, %eb : tensor<4x8xf32>
  %2 = tg.add %1, %one : tensor<4x8xf32>
  %3 = tg.dot %2, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %4 = tg.add %3, %one : tensor<4x8xf32>
  %5 = tg.mul %4, %bb : tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// -----

// Reshapes at a border are views outside.

// CHECK-LABEL: func.func @views
// CHECK: %[[IN:.*]] = tg.reshape %arg0
// CHECK: %[[DOT:.*]] = stitch.library_call(%{{.*}} = %[[IN]]
// CHECK: %[[F:.*]] = stitch.fusion(%{{.*}} = %[[DOT]])
// CHECK-NEXT: tg.neg
// CHECK-NEXT: stitch.yield
// CHECK: %[[OUT:.*]] = tg.reshape %[[F]]
// CHECK-NEXT: return %[[OUT]]
func.func @views(%x: tensor<32xf32>, %w: tensor<8x8xf32>) -> tensor<2x16xf32> {
  %0 = tg.reshape %x : (tensor<32xf32>) -> tensor<4x8xf32>
  %1 = tg.dot %0, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = tg.neg %1 : tensor<4x8xf32>
  %3 = tg.reshape %2 : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return %3 : tensor<2x16xf32>
}

// -----

// A broadcast that a library call needs must be computed; operations that neither side can hold stay where they are.

// CHECK-LABEL: func.func @outside
// CHECK: %[[C:.*]] = tg.constant dense<[1.0{{.*}}, 2.0{{.*}}]>
// CHECK: %[[B:.*]] = stitch.fusion(%{{.*}} = %arg0)
// CHECK-NEXT: tg.broadcast
// CHECK: %[[DOT:.*]] = stitch.library_call({{.*}} = %[[B]]
// CHECK: return %[[DOT]], %[[C]]
func.func @outside(%x: tensor<8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<2xf32>) {
  %b = tg.broadcast %x dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %0 = tg.dot %b, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %c = tg.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0, %c : tensor<4x8xf32>, tensor<2xf32>
}

// -----

// Halved in program order when a bound is exceeded; with the scope of XLA cut behind the reduce.

// MAXOPS-LABEL: func.func @softmax
// MAXOPS: stitch.fusion
// MAXOPS: tg.reduce max
// MAXOPS: tg.sub
// MAXOPS: stitch.yield
// MAXOPS: stitch.fusion
// MAXOPS: tg.exp
// MAXOPS: stitch.yield
// MAXOPS: stitch.fusion
// MAXOPS: tg.reduce add
// MAXOPS: tg.div
// MAXOPS-NOT: stitch.fusion

// XLA-LABEL: func.func @softmax
// XLA: stitch.fusion
// XLA: tg.reduce max
// XLA: stitch.fusion
// XLA: tg.exp
// XLA: tg.reduce add
// XLA: stitch.fusion
// XLA: tg.div
// XLA-NOT: stitch.fusion

// CHECK-LABEL: func.func @softmax
// CHECK: stitch.fusion
// CHECK-NOT: stitch.fusion
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = tg.reduce max %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %mb = tg.broadcast %m dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %d = tg.sub %x, %mb : tensor<4x8xf32>
  %e = tg.exp %d : tensor<4x8xf32>
  %s = tg.reduce add %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %sb = tg.broadcast %s dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %r = tg.div %e, %sb : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
