// RUN: stitch-opt %s --stitch-pipeline=plan=astitch --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: stitch-opt %s --stitch-pipeline=plan=astitch --stitch-verify-plan
// RUN: stitch-compile %s --pipeline=plan=astitch -o %t.so --device="h200, sms = 8" --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2

// Sums by rows and by columns: each element is loaded once, in the task loop over rows, which carries the column sums in
// registers. Behind the loop the block's rows of threads combine theirs; the block's partial result goes to scratch memory.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: %[[SUMS:.*]]:16 = scf.for {{.*}} iter_args(
// CHECK-COUNT-4: vector.load %arg0
// CHECK-NOT: vector.load %arg0
// CHECK: gpu.shuffle
// CHECK: scf.yield
// CHECK: }
// CHECK: gpu.shuffle xor %[[SUMS]]#0
// CHECK: gpu.shuffle xor %[[SUMS]]#1
// CHECK: gpu.barrier
// CHECK: memref.view %arg3
// CHECK: stitch.grid_barrier
// CHECK-NOT: %arg0
// CHECK: memref.store {{.*}}%arg2
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, sms = 8>} {
  func.func @main(%x: tensor<1003x60xf32>) -> (tensor<1003xf32>, tensor<60xf32>) {
    %r = tg.reduce add %x dims [1] : (tensor<1003x60xf32>) -> tensor<1003xf32>
    %c = tg.reduce add %x dims [0] : (tensor<1003x60xf32>) -> tensor<60xf32>
    return %r, %c : tensor<1003xf32>, tensor<60xf32>
  }
}
