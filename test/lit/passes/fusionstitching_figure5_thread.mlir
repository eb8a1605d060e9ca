// RUN: stitch-opt %s --stitch-pipeline="device=h200 plan=astitch" --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s --stitch-pipeline="device=h200 plan=astitch" | FileCheck %s --check-prefix=PLAN
// RUN: stitch-opt %s --stitch-pipeline="device=h200 plan=astitch" --convert-stitch-to-gpu --canonicalize | FileCheck %s --check-prefix=KERNEL
// RUN: stitch-compile --pipeline=plan=astitch %s --device=h200 --target=simt --checks -o %t.so
// RUN: stitch-run %t.so --device=simt --check --thread-order=3 | FileCheck %s --check-prefix=SIMT

// FusionStitching figure 5 (b), thread composition: elementwise operations that depend on each other are one loop of a thread, their
// intermediate values its registers.

// REMARK: fusion of 4 operations

// PLAN: tg.add {{.*}}scheme<local>
// PLAN: tg.exp {{.*}}scheme<local>
// PLAN: tg.mul {{.*}}scheme<local>
// PLAN: tg.div {{.*}}<flat, rows = 1, columns = 5000, block_rows = 1, row_threads = 32, vector = 4, unroll = 1, split = 40>, {{.*}}scheme<independent>

// KERNEL: gpu.func @fusion_0
// KERNEL-SAME: shared = 0, scratch = 0, barriers = 0
// KERNEL-COUNT-3: vector.load
// KERNEL-NOT: vector.load
// KERNEL-NOT: memref.view
// KERNEL-COUNT-1: vector.store
// KERNEL-NOT: vector.store
// KERNEL: gpu.return

// SIMT: 1 of 1 launches checked alone, 0 wrong
func.func @main(%a: tensor<5000xf32>, %b: tensor<5000xf32>, %c: tensor<5000xf32>) -> tensor<5000xf32> {
  %add = tg.add %a, %b : tensor<5000xf32>
  %exp = tg.exp %add : tensor<5000xf32>
  %mul = tg.mul %exp, %c : tensor<5000xf32>
  %div = tg.div %mul, %add : tensor<5000xf32>
  return %div : tensor<5000xf32>
}
