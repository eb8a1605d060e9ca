// RUN: stitch-opt %s --split-input-file --stitch-set-device=device=h200 --stitch-fuse-products | FileCheck %s
// RUN: stitch-opt %s --split-input-file --stitch-set-device=device=h200 --stitch-fuse-products --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s --split-input-file --stitch-pipeline='device=h200 plan=apollo' | FileCheck %s --check-prefix=PLAN
// RUN: stitch-opt %s --split-input-file --stitch-pipeline='device=h200 plan=fusionstitching' | FileCheck %s --check-prefix=PLAN

// APOLLO's rule 6: elementwise operations in front of a product are in its kernel. The columns are cut, so that there
// are blocks for the device: a batch of products of 16 columns.

// REMARK: remark: with what is in front of it it is one kernel of {{[0-9]+}} ns, apart 2 launches of {{[0-9]+}} ns: one kernel
// CHECK-LABEL: func.func @before
// CHECK: stitch.fusion
// CHECK-SAME: stitch.attention = #stitch.attention<fma, rows = 16, keys = 32, buffers = 2, gradient = true>
// CHECK-SAME: grid = 256
// CHECK: tg.exp
// CHECK: tg.dot {{.*}} -> tensor<16x256x16xf32>
// CHECK: stitch.yield {{.*}} : tensor<256x256xf32>
// CHECK-NOT: tg.exp
// PLAN-LABEL: func.func @before
// PLAN: stitch.fusion
// PLAN-NOT: stitch.library_call
// PLAN-NOT: stitch.fusion
// PLAN: return
func.func @before(%x: tensor<256x512xf32>, %w: tensor<512x256xf32>) -> tensor<256x256xf32> {
  %0 = tg.exp %x : tensor<256x512xf32>
  %1 = tg.dot %0, %w contract [1] x [0] : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}

// -----

// And those behind it. The library would do no tanh.

// REMARK: remark: with what is behind it it is one kernel
// CHECK-LABEL: func.func @behind
// CHECK: stitch.fusion
// CHECK: tg.dot
// CHECK: tg.tanh
// CHECK-NEXT: stitch.yield
// PLAN-LABEL: func.func @behind
// PLAN: stitch.fusion
// PLAN-NOT: stitch.library_call
// PLAN-NOT: stitch.fusion
// PLAN: return
func.func @behind(%x: tensor<256x512xf32>, %w: tensor<512x256xf32>) -> tensor<256x256xf32> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  %1 = tg.tanh %0 : tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}

// -----

// What others need is a result, too. A product behind the group ends it, for what is behind that in the block, too: it
// might need what the fusion leaves.

// REMARK: remark: with what is behind it it is one kernel
// CHECK-LABEL: func.func @results
// CHECK: %[[FUSION:.*]]:2 = stitch.fusion
// CHECK: tg.dot
// CHECK: tg.tanh
// CHECK: tg.logistic
// CHECK: stitch.yield {{.*}}, {{.*}} :
// CHECK: tg.dot %[[FUSION]]#1
// CHECK: tg.dot %[[FUSION]]#0
func.func @results(%x: tensor<256x512xf32>, %w: tensor<512x256xf32>, %v: tensor<256x64xf32>) -> (tensor<256x256xf32>, tensor<256x64xf32>, tensor<256x64xf32>) {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  %1 = tg.tanh %0 : tensor<256x256xf32>
  %2 = tg.logistic %1 : tensor<256x256xf32>
  %3 = tg.dot %2, %v contract [1] x [0] : (tensor<256x256xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
  %4 = tg.dot %1, %v contract [1] x [0] : (tensor<256x256xf32>, tensor<256x64xf32>) -> tensor<256x64xf32>
  return %1, %3, %4 : tensor<256x256xf32>, tensor<256x64xf32>, tensor<256x64xf32>
}

// -----

// Nothing is saved where the operations are part of other kernels anyway, or where a library does what is behind.

// REMARK-NOT: remark: with
// CHECK-LABEL: func.func @part_of_others
// CHECK-NOT: stitch.fusion
func.func @part_of_others(%x: tensor<256x512xf32>, %w: tensor<512x256xf32>) -> (tensor<256xf32>, tensor<256x256xf32>) {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  %1 = tg.tanh %0 : tensor<256x256xf32>
  %2 = tg.reduce add %1 dims [1] : (tensor<256x256xf32>) -> tensor<256xf32>
  %3 = tg.dot %x, %w contract [1] x [0] : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  %4 = tg.broadcast %2 dims [0] : (tensor<256xf32>) -> tensor<256x256xf32>
  %5 = tg.add %3, %4 : tensor<256x256xf32>
  return %2, %5 : tensor<256xf32>, tensor<256x256xf32>
}

// -----

// A large product with little around it stays a library's.

// REMARK: remark: with what is in front of it it is one kernel of {{[0-9]+}} ns, apart 2 launches of {{[0-9]+}} ns: apart
// CHECK-LABEL: func.func @large
// CHECK-NOT: stitch.fusion
func.func @large(%x: tensor<8192x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<8192x4096xf32> {
  %0 = tg.exp %x : tensor<8192x4096xf32>
  %1 = tg.dot %0, %w contract [1] x [0] : (tensor<8192x4096xf32>, tensor<4096x4096xf32>) -> tensor<8192x4096xf32>
  return %1 : tensor<8192x4096xf32>
}
