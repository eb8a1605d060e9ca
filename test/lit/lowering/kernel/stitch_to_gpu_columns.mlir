// RUN: stitch-opt %s --stitch-pipeline --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: stitch-opt %s --stitch-pipeline --stitch-verify-plan
// RUN: stitch-compile %s -o %t.so --device="h200, sms = 8, registers_per_sm = 8192, threads_per_sm = 256" --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2

// Statistics of columns, what is normalised with them, and an update of the size of a row: one kernel without a grid barrier. A
// task sweeps over its rows three times; between, all rows of threads have the results of their columns in registers. The elements are
// too many for the registers, and are read in each sweep. The update is left to the first row of threads.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-NOT: stitch.grid_barrier
// CHECK: scf.for
// CHECK: {{(memref|vector)}}.load %arg0
// CHECK: gpu.barrier
// CHECK: arith.divf
// CHECK: scf.for
// CHECK: {{(memref|vector)}}.load %arg0
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: {{(memref|vector)}}.load %arg0
// CHECK: {{(memref|vector)}}.store {{.*}} %arg2
// CHECK-NOT: scf.for
// CHECK: gpu.return
module attributes {stitch.device = #stitch.device<h200, sms = 8, registers_per_sm = 8192, threads_per_sm = 256>} {
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
