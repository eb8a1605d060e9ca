// RUN: stitch-opt %s -stitch-outline -stitch-remote=policy=exhaustive -stitch-dominants -stitch-thread-mapping -stitch-schemes -stitch-schedule -stitch-buffers -stitch-launch -stitch-cost --stitch-remarks -o /dev/null 2>&1 | FileCheck %s

// Loops of one phase: the sums of columns load 147 times in turn, 146 latencies of 600 ns behind the first one. The tasks of the sums of rows
// beside them, five rounds of them, wait for none of these. (A grid barrier is so slow that no blocks of different clusters share columns.)

// CHECK: group 0: column mapping of 300000 x 512, {{.*}} 1172 a thread
// CHECK: group 1: row mapping of 300000 x 8, {{.*}} 2344 tasks
// CHECK: the kernel costs {{[0-9]+}} ns: {{.*}} further rounds 87600; 1 phases, 6 rounds
module attributes {stitch.device = #stitch.device<h200, barrier_ns = 20000>} {
  func.func @main(%x: tensor<300000x512xf32>, %y: tensor<300000x8xf32>) -> (tensor<512xf32>, tensor<300000xf32>) {
    %c = tg.reduce add %x dims [0] : (tensor<300000x512xf32>) -> tensor<512xf32>
    %r = tg.reduce add %y dims [1] : (tensor<300000x8xf32>) -> tensor<300000xf32>
    return %c, %r : tensor<512xf32>, tensor<300000xf32>
  }
}
