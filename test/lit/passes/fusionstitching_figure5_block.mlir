// RUN: stitch-opt %s --stitch-pipeline=device=h200 --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s --stitch-pipeline=device=h200 | FileCheck %s --check-prefix=PLAN
// RUN: stitch-opt %s --stitch-pipeline=device=h200 --convert-stitch-to-gpu --canonicalize | FileCheck %s --check-prefix=KERNEL
// RUN: stitch-compile %s --device=h200 --target=simt --checks -o %t.so
// RUN: stitch-run %t.so --device=simt --check --thread-order=3 | FileCheck %s --check-prefix=SIMT

// FusionStitching figure 5 (d), block composition: operations with loops of their own, over 64 and over 1024 elements of a row, pass
// values on through shared memory. The threads that compute the 64 exponentials are not those that need them. (The paper's example ends in a
// product; ours are calls of libraries.)

// REMARK: regional: its readers stay within the block
// REMARK: shared memory: 64 bytes for reductions, 256 for values

// PLAN: shared = 320
// PLAN: tg.exp {{.*}}#stitch.buffer<shared, offset = 64, size = 256>{{.*}}<row, rows = 60, columns = 64, block_rows = 1, row_threads = 256, {{.*}}scheme<regional>
// PLAN: tg.reduce {{.*}}<row, rows = 60, columns = 1024, block_rows = 1, row_threads = 256, vector = 4, {{.*}}scheme<regional>
// PLAN: tg.div {{.*}}<row, rows = 60, columns = 1024, block_rows = 1, row_threads = 256, vector = 4, {{.*}}scheme<independent>

// KERNEL: gpu.func @fusion_0
// KERNEL: vector.store {{.*}} memref<64xf32, #gpu.address_space<workgroup>>
// KERNEL: gpu.barrier
// KERNEL: memref.load {{.*}} memref<64xf32, #gpu.address_space<workgroup>>
// KERNEL: gpu.shuffle
// KERNEL: gpu.barrier
// KERNEL-NOT: stitch.grid_barrier
// KERNEL: vector.store {{.*}} memref<61440xf32>
// KERNEL: gpu.return

// SIMT: 1 of 1 launches checked alone, 0 wrong
func.func @main(%a: tensor<60x64xf32>, %b: tensor<60x64x16xf32>) -> tensor<60x64x16xf32> {
  %exp = tg.exp %a : tensor<60x64xf32>
  %wide = tg.broadcast %exp dims [0, 1] : (tensor<60x64xf32>) -> tensor<60x64x16xf32>
  %mul = tg.mul %b, %wide : tensor<60x64x16xf32>
  %sum = tg.reduce add %mul dims [1, 2] : (tensor<60x64x16xf32>) -> tensor<60xf32>
  %all = tg.broadcast %sum dims [0] : (tensor<60xf32>) -> tensor<60x64x16xf32>
  %div = tg.div %mul, %all : tensor<60x64x16xf32>
  return %div : tensor<60x64x16xf32>
}
