// RUN: stitch-opt %s --stitch-set-device=device=h200 --stitch-outline --stitch-remote=policy=walks --split-input-file | FileCheck %s
// RUN: stitch-opt %s --stitch-set-device=device=h200 --stitch-outline --stitch-remote=policy=walks --split-input-file --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s --stitch-set-device=device=h200 --stitch-outline --stitch-remote=policy=gain --split-input-file | FileCheck %s --check-prefix=DEPTHS

// APOLLO's algorithm 3: walks along the branches of a head or a tail find kernels to compose whatever their depths are.

// Two branches end in one dot (a tail: it reads both). The last kernels of both are small, and the first one of the
// longer branch is too large for the other's: by depths, the small ones are never beside each other, as the second
// kernel of the one branch has the depth of the first one of the other.

// REMARK: remark: 2 kernels of {{[0-9]+}} ns together, the longest of {{[0-9]+}} ns, are composed
// CHECK-LABEL: func.func @depths
// CHECK: %[[LARGE:.*]] = stitch.fusion
// CHECK-SAME: tensor<64000000xf32>
// CHECK: stitch.library_call
// CHECK: %[[SMALL:.*]]:2 = stitch.fusion
// CHECK-NOT: stitch.fusion
// CHECK: return
// DEPTHS-LABEL: func.func @depths
// DEPTHS-COUNT-3: = stitch.fusion
// DEPTHS: return
func.func @depths(%x: tensor<64000000xf32>, %y: tensor<17x32xf32>, %w: tensor<8000x40xf32>) -> tensor<8000x17xf32> {
  %0 = tg.exp %x : tensor<64000000xf32>
  %1 = tg.reshape %0 : (tensor<64000000xf32>) -> tensor<8000x8000xf32>
  %2 = tg.dot %1, %w contract [1] x [0] : (tensor<8000x8000xf32>, tensor<8000x40xf32>) -> tensor<8000x40xf32>
  %3 = tg.slice %2 [0:8000, 0:32] : (tensor<8000x40xf32>) -> tensor<8000x32xf32>
  %4 = tg.tanh %3 : tensor<8000x32xf32>
  %5 = tg.sin %y : tensor<17x32xf32>
  %6 = tg.dot %4, %5 contract [1] x [1] : (tensor<8000x32xf32>, tensor<17x32xf32>) -> tensor<8000x17xf32>
  return %6 : tensor<8000x17xf32>
}

// -----

// From a head, %0, forwards: the first kernels of both branches are one, and the second kernel of the longer branch is
// not beside it, though it would be the next of the branches that end in results: it waits for the first one.

// REMARK: remark: 2 kernels of {{[0-9]+}} ns together
// REMARK: remark: stays a kernel of its own: packed with the others it would be in a cycle
// CHECK-LABEL: func.func @circle
// CHECK: stitch.library_call
// CHECK: stitch.fusion
// CHECK: tg.exp
// CHECK: tg.cos
// CHECK: stitch.yield
// CHECK: stitch.library_call
// CHECK: stitch.fusion
// CHECK: tg.sin
func.func @circle(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = tg.dot %x, %y contract [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = tg.exp %0 : tensor<16x16xf32>
  %2 = tg.dot %1, %y contract [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %3 = tg.sin %2 : tensor<16x16xf32>
  %4 = tg.slice %0 [0:16, 0:16] : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %5 = tg.cos %4 : tensor<16x16xf32>
  return %3, %5 : tensor<16x16xf32>, tensor<16x16xf32>
}
