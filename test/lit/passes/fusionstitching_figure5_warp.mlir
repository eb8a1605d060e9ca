// RUN: stitch-opt %s --stitch-pipeline=device=h200 --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s --stitch-pipeline=device=h200 | FileCheck %s --check-prefix=PLAN
// RUN: stitch-opt %s --stitch-pipeline=device=h200 --convert-stitch-to-gpu --canonicalize | FileCheck %s --check-prefix=KERNEL
// RUN: stitch-compile %s --device=h200 --target=simt --checks -o %t.so
// RUN: stitch-run %t.so --device=simt --check --thread-order=3 | FileCheck %s --check-prefix=SIMT

// FusionStitching figure 5 (c), warp composition: a row is a warp's, which reduces it by shuffles. All of its threads have the sum in a
// register then, and the operation that reads it goes on with the elements that they have.

// REMARK: row mapping of 300 x 100, rows of the reduce: 4 rows of 32 threads in a block
// REMARK: regional: its readers stay within the block

// PLAN: shared = 0, scratch = 0, barriers = 0
// PLAN: tg.reduce {{.*}}<row, rows = 300, columns = 100, block_rows = 4, row_threads = 32, {{.*}}scheme<regional>
// PLAN: tg.mul {{.*}}<row, rows = 300, columns = 100, block_rows = 4, row_threads = 32, {{.*}}scheme<independent>

// KERNEL: gpu.func @fusion_0
// KERNEL-COUNT-2: vector.load
// KERNEL-NOT: vector.load
// KERNEL-COUNT-5: gpu.shuffle
// KERNEL-NOT: gpu.barrier
// KERNEL: vector.store
// KERNEL: gpu.return

// SIMT: 1 of 1 launches checked alone, 0 wrong
func.func @main(%a: tensor<300x100xf32>, %b: tensor<300x100xf32>) -> tensor<300x100xf32> {
  %add = tg.add %a, %b : tensor<300x100xf32>
  %sum = tg.reduce add %add dims [1] : (tensor<300x100xf32>) -> tensor<300xf32>
  %all = tg.broadcast %sum dims [0] : (tensor<300xf32>) -> tensor<300x100xf32>
  %mul = tg.mul %add, %all : tensor<300x100xf32>
  return %mul : tensor<300x100xf32>
}
