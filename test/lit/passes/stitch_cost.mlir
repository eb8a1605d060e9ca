// RUN: stitch-opt %s -stitch-pipeline=plan=astitch --stitch-remarks 2>&1 | FileCheck %s
// RUN: stitch-opt %s -stitch-pipeline=plan=astitch -o %t.mlir
// RUN: stitch-opt %t.mlir -stitch-cost -o %t.2
// RUN: diff %t.mlir %t.2
// RUN: stitch-opt %S/Inputs/split_result.mlir -stitch-pipeline=plan=astitch --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: stitch-opt %S/Inputs/library_products.mlir -stitch-pipeline=plan=astitch --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-cost 2>&1 | FileCheck %s --check-prefix=DEVICE

// What a plan costs, term by term. The exponential reads 4 MiB and writes 4 MiB: 8388608 bytes at nine tenths of 4800 GB/s are 1942 ns. The
// product reads and writes 12 MiB; cuBLASLt takes 2500 ns for it at least.

// CHECK: the kernel costs {{[0-9]+}} ns: launch 900, barriers 0, latency 600, memory 1942 (4194304 bytes read, 4194304 written), instructions {{[0-9]+}}, further rounds {{[0-9]+}}; 1 phases, {{[0-9]+}} rounds; runs 1 times
// CHECK: the call costs 6913 ns: launch 900, barriers 0, latency 3100, memory 2913 (8388608 bytes read, 4194304 written), instructions 0, further rounds 0; 1 phases, 1 rounds; runs 1 times
// CHECK: the plan costs {{[0-9]+}} ns: launches 1800, barriers 0, latency 3700, memory 4855 (12582912 bytes read, 8388608 written)

// A small product, whose sums are split, is two kernels: 2500 ns, 550 for the second one's launch, and 1500 for it. One of 16 bits over few
// elements takes 1500 ns, a convolution 4000.

// LIBRARY: library_products.mlir:4:{{.*}} the call costs 5789 ns: launch 550, barriers 0, latency 5150,
// LIBRARY: library_products.mlir:5:{{.*}} latency 2100,
// LIBRARY: library_products.mlir:6:{{.*}} latency 4600,

// Blocks share the rows of a reduction that is a result: a barrier, and a second phase that reads what each has left (32 x 256
// sums of four bytes beside the 64 MiB). Of 256 bytes of each row for a block memory moves hardly more than these, in 15538 ns; few
// multiprocessors read what is left, in 267 ns.

// SPLIT: the kernel costs 19455 ns: launch 550, barriers 1540, latency 1560, memory 15805 (67141632 bytes read, 33792 written), {{.*}}; 2 phases, 2 rounds

// DEVICE: has no device whose times could be told
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @main(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %e = tg.exp %x : tensor<1024x1024xf32>
    %0 = tg.dot %e, %w contract [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    return %0 : tensor<1024x1024xf32>
  }
}
