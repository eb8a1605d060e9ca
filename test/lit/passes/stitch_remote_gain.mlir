// RUN: stitch-opt %s --stitch-set-device=device=h200 --stitch-outline --stitch-remote=policy=gain -split-input-file | FileCheck %s
// RUN: stitch-opt %s --stitch-set-device=device=h200 --stitch-outline --stitch-remote=policy=gain -split-input-file --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: not stitch-opt %s --stitch-outline --stitch-remote=policy=gain -split-input-file 2>&1 | FileCheck %s --check-prefix=DEVICE

// APOLLO, equation 3: the sum of the costs less the largest of them, here with the launches of an H200 and inputs read
// once.

// DEVICE: error: 'func.func' op has no device to estimate gains for

// Kernels of a few bytes take the latency of memory; together they take it once, and one launch.

// REMARK: remark: 2 kernels of 1200 ns together, the longest of 600 ns, are composed: a gain of
// REMARK: remark: 2 fusions of depth 1 merged
// CHECK-LABEL: func.func @small
// CHECK: :2 = stitch.fusion
// CHECK-NOT: stitch.fusion
func.func @small(%x: tensor<4x8xf32>, %y: tensor<17xf32>) -> (tensor<4x8xf32>, tensor<17xf32>) {
  %0 = tg.exp %x : tensor<4x8xf32>
  %1 = tg.exp %y : tensor<17xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<17xf32>
}

// -----

// Two kernels that fill the device, on different spaces: a launch is nothing beside what the one's blocks may cost the
// other.

// REMARK-NOT: are composed
// CHECK-LABEL: func.func @large
// CHECK-COUNT-2: = stitch.fusion
func.func @large(%x: tensor<8192x8192xf32>, %y: tensor<64000000xf32>) -> (tensor<8192x8192xf32>, tensor<64000000xf32>) {
  %0 = tg.exp %x : tensor<8192x8192xf32>
  %1 = tg.exp %y : tensor<64000000xf32>
  return %0, %1 : tensor<8192x8192xf32>, tensor<64000000xf32>
}

// -----

// Heaviest first: the large one stays alone, the two small ones, behind it in the order, are composed.

// REMARK: remark: 2 kernels of 1200 ns together
// CHECK-LABEL: func.func @overweight
// CHECK: stitch.fusion({{.*}} = %arg0)
// CHECK-SAME: -> tensor<5xf32>
// CHECK: :2 = stitch.fusion({{.*}} = %arg1, {{.*}} = %arg2)
func.func @overweight(%x: tensor<256000000xf32>, %y: tensor<4x8xf32>, %z: tensor<17xf32>)
    -> (tensor<5xf32>, tensor<4x8xf32>, tensor<17xf32>) {
  %0 = tg.reshape %x : (tensor<256000000xf32>) -> tensor<5x51200000xf32>
  %1 = tg.reduce add %0 dims [1] : (tensor<5x51200000xf32>) -> tensor<5xf32>
  %2 = tg.exp %y : tensor<4x8xf32>
  %3 = tg.exp %z : tensor<17xf32>
  return %1, %2, %3 : tensor<5xf32>, tensor<4x8xf32>, tensor<17xf32>
}

// -----

// One space: no risk, so two launches become one however large they are.

// CHECK-LABEL: func.func @alike
// CHECK: :2 = stitch.fusion
// CHECK-NOT: stitch.fusion
func.func @alike(%x: tensor<64000000xf32>, %y: tensor<64000000xf32>) -> (tensor<64000000xf32>, tensor<64000000xf32>) {
  %0 = tg.exp %x : tensor<64000000xf32>
  %1 = tg.exp %y : tensor<64000000xf32>
  return %0, %1 : tensor<64000000xf32>, tensor<64000000xf32>
}

// -----

// A large input that both read is read once: the time for its bytes is gained.

// REMARK: remark: 2 fusions of depth 1 merged: {{.*}}, 1 inputs, 2 results
// CHECK-LABEL: func.func @shared_input
// CHECK: :2 = stitch.fusion
func.func @shared_input(%x: tensor<8000x8000xf32>) -> (tensor<8000xf32>, tensor<100x100xf32>) {
  %0 = tg.reduce add %x dims [1] : (tensor<8000x8000xf32>) -> tensor<8000xf32>
  %1 = tg.slice %x [0:100, 0:100] : (tensor<8000x8000xf32>) -> tensor<100x100xf32>
  %2 = tg.exp %1 : tensor<100x100xf32>
  return %0, %2 : tensor<8000xf32>, tensor<100x100xf32>
}

// -----

// Of the stack, the first kernel reads one slice, so that it is a small one, too.

// REMARK: remark: 2 kernels of 1200 ns together, the longest of 600 ns, are composed
// CHECK-LABEL: func.func @slice
// CHECK: :2 = stitch.fusion
// CHECK-NOT: stitch.fusion
func.func @slice(%stack: tensor<100000x128x8xf32>, %i: tensor<i32>, %y: tensor<17xf32>) -> (tensor<1x128x8xf32>, tensor<17xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %0 = tg.dynamic_slice %stack[%i, %zero, %zero] sizes [1, 128, 8] : (tensor<100000x128x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x128x8xf32>
  %1 = tg.exp %0 : tensor<1x128x8xf32>
  %2 = tg.exp %y : tensor<17xf32>
  return %1, %2 : tensor<1x128x8xf32>, tensor<17xf32>
}
