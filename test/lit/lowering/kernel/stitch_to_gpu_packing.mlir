// RUN: stitch-compile %s --device="h200, sms = 4, bandwidth_gbps = 100, gpc_sms = 4" --target=sm_90 --emit=gpu -o %t.gpu.mlir
// RUN: stitch-opt %t.gpu.mlir --canonicalize --cse | FileCheck %s
// RUN: stitch-compile %s --device="h200, sms = 4, bandwidth_gbps = 100, gpc_sms = 4" --target=simt --checks -o %t.so
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2

// Thirteen independent loops in one kernel: two with more tasks, four with three each, and seven with one each. A block finds its task by
// comparisons, the fewer the more tasks a loop has; among seven loops with equally many tasks by an indirect branch.

// CHECK: gpu.func @fusion_0
// CHECK-SAME: grid = 30, block = 256
// CHECK-SAME: stitch.rounds = array<i64: 1, 1>
// CHECK-NOT: scf.for
// CHECK: %[[BLOCK:.*]] = gpu.block_id
// CHECK-NEXT: %[[LARGE:.*]] = arith.cmpi ult, %[[BLOCK]], %c11
// CHECK-NEXT: scf.if %[[LARGE]] {
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi ult, %[[BLOCK]], %c6
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK: math.exp
// CHECK: } else {
// CHECK-NEXT: arith.subi %[[BLOCK]], %c6
// CHECK: } else {
// CHECK-NEXT: %[[OF_THREE:.*]] = arith.cmpi ult, %[[BLOCK]], %c23
// CHECK-NEXT: scf.if %[[OF_THREE]] {
// CHECK-NEXT: arith.cmpi ult, %[[BLOCK]], %c17
// CHECK: math.absf
// CHECK: %[[SMALL:.*]] = arith.subi %[[BLOCK]], %c23
// CHECK-NEXT: scf.index_switch %[[SMALL]]
// CHECK-COUNT-6: case
// CHECK: default
// CHECK: gpu.return
func.func @main(%x0: tensor<100xf32>, %x1: tensor<200xf32>, %x2: tensor<300xf32>, %x3: tensor<400xf32>, %x4: tensor<500xf32>, %x5: tensor<600xf32>, %x6: tensor<700xf32>, %x7: tensor<3000xf32>, %x8: tensor<2100xf32>, %x9: tensor<2500xf32>, %x10: tensor<2900xf32>, %x11: tensor<5000xf32>, %x12: tensor<6000xf32>) -> (tensor<100xf32>, tensor<200xf32>, tensor<300xf32>, tensor<400xf32>, tensor<500xf32>, tensor<600xf32>, tensor<700xf32>, tensor<3000xf32>, tensor<2100xf32>, tensor<2500xf32>, tensor<2900xf32>, tensor<5000xf32>, tensor<6000xf32>) {
  %y0 = tg.neg %x0 : tensor<100xf32>
  %y1 = tg.neg %x1 : tensor<200xf32>
  %y2 = tg.neg %x2 : tensor<300xf32>
  %y3 = tg.neg %x3 : tensor<400xf32>
  %y4 = tg.neg %x4 : tensor<500xf32>
  %y5 = tg.neg %x5 : tensor<600xf32>
  %y6 = tg.neg %x6 : tensor<700xf32>
  %y7 = tg.abs %x7 : tensor<3000xf32>
  %y8 = tg.abs %x8 : tensor<2100xf32>
  %y9 = tg.abs %x9 : tensor<2500xf32>
  %y10 = tg.abs %x10 : tensor<2900xf32>
  %y11 = tg.exp %x11 : tensor<5000xf32>
  %y12 = tg.exp %x12 : tensor<6000xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8, %y9, %y10, %y11, %y12 : tensor<100xf32>, tensor<200xf32>, tensor<300xf32>, tensor<400xf32>, tensor<500xf32>, tensor<600xf32>, tensor<700xf32>, tensor<3000xf32>, tensor<2100xf32>, tensor<2500xf32>, tensor<2900xf32>, tensor<5000xf32>, tensor<6000xf32>
}
