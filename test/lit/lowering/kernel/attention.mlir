// RUN: stitch-compile %s --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %s
// RUN: stitch-compile %s --pipeline=plan=attention-always --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: stitch-compile %s --pipeline=plan=attention-always --emit=plan -o - | stitch-opt --stitch-cost --stitch-remarks -o %t 2>&1 | FileCheck %s --check-prefix=COST

// Queries go to shared memory once; then a loop over tiles of keys carries the maximum and the sum of two rows, and 16
// elements of the result. The scores, 128 x 128 of each batch, are nowhere in memory: what is read and written are
// queries, keys, values and the result.

// CHECK: gpu.func @fusion_0
// CHECK-SAME: stitch.traffic = array<i64: 196608, 65536>
// CHECK: scf.for
// CHECK: vector.store
// CHECK: %[[TILES:.*]]:20 = scf.for {{.*}} = %c0{{.*}} to %c4{{.*}} step %c1
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-2: gpu.shuffle
// CHECK: math.exp
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: stitch.rolled
// CHECK: gpu.shuffle
// CHECK: arith.divf
// CHECK: vector.store {{.*}} : memref<16384xf32>, vector<2xf32>

// PTX: ld.shared.v4
// PTX: shfl.sync.bfly
// PTX: ex2.approx

// COST: remark: the kernel costs {{.*}} (196608 bytes read, 65536 written)
func.func @main(%q: tensor<4x128x32xf32>, %k: tensor<4x128x32xf32>, %v: tensor<4x128x32xf32>) -> tensor<4x128x32xf32> {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<4x128x32xf32>, tensor<4x128x32xf32>) -> tensor<4x128x128xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<4x128x128xf32>) -> tensor<4x128xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x128xf32>
  %3 = tg.sub %0, %2 : tensor<4x128x128xf32>
  %4 = tg.exp %3 : tensor<4x128x128xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<4x128x128xf32>) -> tensor<4x128xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x128xf32>
  %7 = tg.div %4, %6 : tensor<4x128x128xf32>
  %8 = tg.dot %7, %v batch [0] x [0] contract [2] x [1] : (tensor<4x128x128xf32>, tensor<4x128x32xf32>) -> tensor<4x128x32xf32>
  return %8 : tensor<4x128x32xf32>
}
