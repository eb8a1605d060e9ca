// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch-by-cost --stitch-remarks -o /dev/null 2>&1 | FileCheck %s

// What latency costs (ir/plan/cost.h, costOfTasks). The second of 133 rows is one multiprocessor's second, which issues twice as much
// as each of 132: 2 for the sum and 4 for a quarter of an access, for 8192 elements on 128 lanes at 1.98 GHz.

// CHECK: the kernel costs {{[0-9]+}} ns: {{.*}} latency 780, {{.*}} instructions 97, further rounds 0; 1 phases, 1 rounds
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @even(%x: tensor<132x8192xf32>) -> tensor<132xf32> {
    %0 = tg.reduce add %x dims [1] : (tensor<132x8192xf32>) -> tensor<132xf32>
    return %0 : tensor<132xf32>
  }
}

// -----

// CHECK: the kernel costs {{[0-9]+}} ns: {{.*}} latency 780, {{.*}} instructions 194, further rounds 0; 1 phases, 1 rounds
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @uneven(%x: tensor<133x8192xf32>) -> tensor<133xf32> {
    %0 = tg.reduce add %x dims [1] : (tensor<133x8192xf32>) -> tensor<133xf32>
    return %0 : tensor<133xf32>
  }
}

// -----

// Tasks are loaded one after the other by each block: 11 rounds of 660 blocks wait 10 times more than one.

// CHECK: the kernel costs {{[0-9]+}} ns: {{.*}} latency 600, {{.*}} further rounds 6000; 1 phases, 11 rounds
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @rounds(%x: tensor<5400x5400xf32>) -> tensor<5400x5400xf32> {
    %0 = tg.neg %x : tensor<5400x5400xf32>
    return %0 : tensor<5400x5400xf32>
  }
}

// -----

// A thread of a column sum has registers for eight of its 32 rows at once; those behind wait for these.

// CHECK: the kernel costs {{[0-9]+}} ns: {{.*}} latency 780, {{.*}} further rounds 1800; 1 phases, 1 rounds
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @columns(%x: tensor<2048x8192xf32>) -> tensor<8192xf32> {
    %0 = tg.reduce add %x dims [0] : (tensor<2048x8192xf32>) -> tensor<8192xf32>
    return %0 : tensor<8192xf32>
  }
}

// -----

// Four rows beside 256 other tasks: those multiprocessors that have the rows issue as long as without the others, 8192 additions and a
// quarter as many accesses of four instructions each, by 128 lanes.

// CHECK: the kernel costs {{[0-9]+}} ns: {{.*}} instructions 97, further rounds 0; 1 phases, 1 rounds
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @beside(%x: tensor<4x8192xf32>, %y: tensor<256x1024xf32>) -> (tensor<4xf32>, tensor<256x1024xf32>) {
    %0 = tg.reduce add %x dims [1] : (tensor<4x8192xf32>) -> tensor<4xf32>
    %1 = tg.neg %y : tensor<256x1024xf32>
    return %0, %1 : tensor<4xf32>, tensor<256x1024xf32>
  }
}

// -----

// The 15 clusters of 8 blocks that there is room for read their parts of a row, compute and exchange together, and hide little of each other:
// 34 latencies of 2960 ns more, two exchanges of 1180 ns in each. On top of the 251718 ns of memory, of which the last 2 of 512 rows take more than their part, come eight tenths of these, 80512 ns, and
// 28509 ns, 0.35 of the time of the instructions, as the blocks copy what they read next (stitch-staging) meanwhile.

// CHECK: threads copy the 256 bytes of their next task {{.*}}, grid of 120
// CHECK: the kernel costs 364599 ns: launch 900, barriers 0, latency 2960, memory 251718 {{.*}} instructions 81455, further rounds 100640; 1 phases, 35 rounds
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @cluster(%x: tensor<512x262144xf32>) -> tensor<512x262144xf32> {
    %max = tg.reduce max %x dims [1] : (tensor<512x262144xf32>) -> tensor<512xf32>
    %b = tg.broadcast %max dims [0] : (tensor<512xf32>) -> tensor<512x262144xf32>
    %shifted = tg.sub %x, %b : tensor<512x262144xf32>
    %e = tg.exp %shifted : tensor<512x262144xf32>
    %sum = tg.reduce add %e dims [1] : (tensor<512x262144xf32>) -> tensor<512xf32>
    %c = tg.broadcast %sum dims [0] : (tensor<512xf32>) -> tensor<512x262144xf32>
    %y = tg.div %e, %c : tensor<512x262144xf32>
    return %y : tensor<512x262144xf32>
  }
}
