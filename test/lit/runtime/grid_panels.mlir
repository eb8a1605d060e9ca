// RUN: stitch-opt %s -stitch-pipeline=plan=astitch --stitch-remarks 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: stitch-compile %s --pipeline=plan=astitch --checks -o %t.so
// RUN: stitch-run %t.so --check | FileCheck %s
// RUN: stitch-run %t.so --check --seed=1 --thread-order=3 | FileCheck %s
// RUN: stitch-run %t.so --check --seed=2 --thread-order=7 | FileCheck %s

// Blocks keep chunks of the rows of all columns across grid barriers. The sums are results, too: in the second phase a block beside those of the
// chunks finishes them. In the others it goes through the last chunk, and stores nothing.

// PLAN: remark: grids of {{[0-9]+}} blocks of 256 threads keep
// PLAN: remark: 8 tasks in blocks of 256: {{.*}} grid of 8
// PLAN: tg.reduce add {{.*}}<column, {{.*}}split = 7>

// CHECK: ok: 1 of 1 launches checked alone, 0 wrong

module attributes {stitch.device = #stitch.device<h200, sms = 7, bandwidth_gbps = 50, cluster_blocks = 1, barrier_ns = 100>} {
  func.func @main(%x: tensor<3001x30xf32>) -> (tensor<3001x30xf32>, tensor<30xf32>) {
    %sum = tg.reduce add %x dims [0] : (tensor<3001x30xf32>) -> tensor<30xf32>
    %m = tg.broadcast %sum dims [1] : (tensor<30xf32>) -> tensor<3001x30xf32>
    %d = tg.sub %x, %m : tensor<3001x30xf32>
    %most = tg.reduce max %d dims [0] : (tensor<3001x30xf32>) -> tensor<30xf32>
    %b = tg.broadcast %most dims [1] : (tensor<30xf32>) -> tensor<3001x30xf32>
    %y = tg.sub %d, %b : tensor<3001x30xf32>
    return %y, %sum : tensor<3001x30xf32>, tensor<30xf32>
  }
}
