// RUN: stitch-opt %s -stitch-outline=epilogues=false -stitch-remote -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline=epilogues=false -stitch-remote=policy=exhaustive -split-input-file | FileCheck %s --check-prefix=EXHAUSTIVE
// RUN: stitch-opt %s -stitch-outline=epilogues=false -stitch-remote=max-ops=3 -split-input-file | FileCheck %s --check-prefix=BOUND
// RUN: not stitch-opt %s -stitch-remote=policy=none -split-input-file 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: option 'policy' must be similar, exhaustive, gain or walks, and is 'none'

// The biases behind three dots of one input: no path between them, spaces of one size.

// CHECK-LABEL: func.func @qkv
// CHECK-COUNT-3: stitch.library_call
// CHECK: %[[QKV:.*]]:3 = stitch.fusion
// CHECK-NOT: stitch.fusion
// CHECK: return %[[QKV]]#0, %[[QKV]]#1, %[[QKV]]#2

// Four operations in two of them are more than three.

// BOUND-LABEL: func.func @qkv
// BOUND-COUNT-3: = stitch.fusion
func.func @qkv(%x: tensor<4x8xf32>, %wq: tensor<8x8xf32>, %wk: tensor<8x8xf32>, %wv: tensor<8x8xf32>, %b: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %bb = tg.broadcast %b dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %q = tg.dot %x, %wq contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %k = tg.dot %x, %wk contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %v = tg.dot %x, %wv contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %qb = tg.add %q, %bb : tensor<4x8xf32>
  %kb = tg.add %k, %bb : tensor<4x8xf32>
  %vb = tg.add %v, %bb : tensor<4x8xf32>
  return %qb, %kb, %vb : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A path leads from the first to the second fusion: they stay apart whatever the policy.

// CHECK-LABEL: func.func @path
// CHECK-COUNT-2: = stitch.fusion
// EXHAUSTIVE-LABEL: func.func @path
// EXHAUSTIVE-COUNT-2: = stitch.fusion
func.func @path(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.exp %x : tensor<4x8xf32>
  %1 = tg.dot %0, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = tg.add %1, %0 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Spaces of different sizes: together only if all are, or if they read the same input.

// CHECK-LABEL: func.func @sizes
// CHECK: %[[A:.*]]:2 = stitch.fusion({{.*}} = %arg0)
// CHECK: %[[B:.*]] = stitch.fusion({{.*}} = %arg1)
// EXHAUSTIVE-LABEL: func.func @sizes
// EXHAUSTIVE: :3 = stitch.fusion
// EXHAUSTIVE-NOT: stitch.fusion
func.func @sizes(%x: tensor<4x8xf32>, %y: tensor<16xf32>) -> (tensor<4x8xf32>, tensor<16xf32>, tensor<4xf32>) {
  %0 = tg.exp %x : tensor<4x8xf32>
  %1 = tg.exp %y : tensor<16xf32>
  %2 = tg.reduce add %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<16xf32>, tensor<4xf32>
}
