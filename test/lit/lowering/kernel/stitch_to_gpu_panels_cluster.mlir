// RUN: stitch-opt %s --stitch-pipeline --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: stitch-opt %s --stitch-pipeline --stitch-verify-plan -o /dev/null
// RUN: stitch-compile %s -o %t.so --device="h200, sms = 8, gpc_sms = 8, bandwidth_gbps = 100" --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2
// RUN: %python %source/test/mutation/mutate_barriers.py --compile stitch-compile --run stitch-run --expect-needed "--option=--device=h200, sms = 8, gpc_sms = 8, bandwidth_gbps = 100" %s | FileCheck %s --check-prefix=MUTATE

// A panel of a cluster: each block has a part of the rows in registers. Its warps leave their results in its shared memory, and the
// block its own behind them, where the other blocks read it. What there is once for a column, the first row of threads of the first block
// stores.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: barriers = 0, cluster = 4>, stitch.rounds = array<i64: 1, 1>, stitch.traffic = array<i64: 159680, 159680>
// CHECK: %[[RANK:.*]] = gpu.cluster_block_id
// CHECK-NOT: scf.for
// CHECK-COUNT-4: vector.load %arg0
// CHECK-NOT: vector.load %arg0
// CHECK: gpu.barrier
// CHECK: stitch.cluster_barrier
// CHECK: stitch.cluster_memory
// CHECK: gpu.shuffle
// CHECK: vector.store {{.*}} %arg3
// CHECK: gpu.barrier
// CHECK: stitch.cluster_barrier
// CHECK-COUNT-4: vector.store {{.*}} %arg2
// CHECK: stitch.cluster_barrier
// CHECK-NOT: stitch.cluster_barrier
// CHECK: gpu.return

// MUTATE: 5 of 5 deleted barriers of {{[0-9]+}} kernels are found, 0 other failures
module attributes {stitch.device = #stitch.device<h200, sms = 8, gpc_sms = 8, bandwidth_gbps = 100>} {
  func.func @main(%x: tensor<997x40xf32>, %old: tensor<40xf32>) -> (tensor<997x40xf32>, tensor<40xf32>) {
    %n = tg.constant dense<997.0> : tensor<40xf32>
    %sum = tg.reduce add %x dims [0] : (tensor<997x40xf32>) -> tensor<40xf32>
    %mean = tg.div %sum, %n : tensor<40xf32>
    %mb = tg.broadcast %mean dims [1] : (tensor<40xf32>) -> tensor<997x40xf32>
    %d = tg.sub %x, %mb : tensor<997x40xf32>
    %dd = tg.mul %d, %d : tensor<997x40xf32>
    %squares = tg.reduce add %dd dims [0] : (tensor<997x40xf32>) -> tensor<40xf32>
    %variance = tg.div %squares, %n : tensor<40xf32>
    %one = tg.constant dense<1.0> : tensor<40xf32>
    %v1 = tg.add %variance, %one : tensor<40xf32>
    %r = tg.rsqrt %v1 : tensor<40xf32>
    %rb = tg.broadcast %r dims [1] : (tensor<40xf32>) -> tensor<997x40xf32>
    %y = tg.mul %d, %rb : tensor<997x40xf32>
    %new = tg.add %old, %mean : tensor<40xf32>
    return %y, %new : tensor<997x40xf32>, tensor<40xf32>
  }
}
