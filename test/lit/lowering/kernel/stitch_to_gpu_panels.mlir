// RUN: stitch-opt %s --stitch-pipeline --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: stitch-opt %s --stitch-pipeline --stitch-verify-plan -o /dev/null
// RUN: stitch-compile %s -o %t.so --device="h200, sms = 8" --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2

// A panel: statistics of columns, what is normalised with them, and an update of the size of a row. The threads of a block read their two
// steps of the rows once, the last of them with a mask, and keep them for the second sweep and the third; the results of a warp's rows
// of threads meet by shuffles, those of the warps in shared memory. So the kernel moves its inputs and outputs and nothing else.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: barriers = 0>, stitch.rounds = array<i64: 1, 1>, stitch.traffic = array<i64: 80160, 80160>
// CHECK-NOT: scf.for
// CHECK-COUNT-2: vector.load %arg0
// CHECK-NOT: vector.load %arg0
// CHECK-COUNT-16: gpu.shuffle
// CHECK: gpu.barrier
// CHECK-COUNT-16: gpu.shuffle
// CHECK: vector.store {{.*}} %arg3
// CHECK: gpu.barrier
// CHECK-COUNT-16: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-2: vector.store {{.*}} %arg2
// CHECK-NOT: vector.store
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, sms = 8>} {
  func.func @main(%x: tensor<333x60xf32>, %old: tensor<60xf32>) -> (tensor<333x60xf32>, tensor<60xf32>) {
    %n = tg.constant dense<333.0> : tensor<60xf32>
    %sum = tg.reduce add %x dims [0] : (tensor<333x60xf32>) -> tensor<60xf32>
    %mean = tg.div %sum, %n : tensor<60xf32>
    %mb = tg.broadcast %mean dims [1] : (tensor<60xf32>) -> tensor<333x60xf32>
    %d = tg.sub %x, %mb : tensor<333x60xf32>
    %dd = tg.mul %d, %d : tensor<333x60xf32>
    %squares = tg.reduce add %dd dims [0] : (tensor<333x60xf32>) -> tensor<60xf32>
    %variance = tg.div %squares, %n : tensor<60xf32>
    %one = tg.constant dense<1.0> : tensor<60xf32>
    %v1 = tg.add %variance, %one : tensor<60xf32>
    %r = tg.rsqrt %v1 : tensor<60xf32>
    %rb = tg.broadcast %r dims [1] : (tensor<60xf32>) -> tensor<333x60xf32>
    %y = tg.mul %d, %rb : tensor<333x60xf32>
    %new = tg.add %old, %mean : tensor<60xf32>
    return %y, %new : tensor<333x60xf32>, tensor<60xf32>
  }
}
