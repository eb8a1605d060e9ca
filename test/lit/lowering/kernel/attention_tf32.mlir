// REQUIRES: long-tests
// RUN: stitch-compile %s --pipeline=plan=attention-always --emit=gpu -o %t.gpu.mlir
// RUN: FileCheck %s --input-file=%t.gpu.mlir
// RUN: stitch-compile %s --pipeline=plan=attention-always --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: stitch-opt %t.gpu.mlir --gpu-to-ptx=arch=sm_75 | FileCheck %s --check-prefix=TURING
// RUN: stitch-opt %t.gpu.mlir --gpu-to-ptx=arch=sm_70 | FileCheck %s --check-prefix=OLD

// Attention in f32 whose products may round their operands to TF32: by tensor cores. Heads of 36 elements are four products of 8 and one of
// 4. The queries, which stay, are rounded as they are stored; keys and values are copied as they are, and rounded where they are by the
// thread that has copied them, behind its wait, for all warps. Weights are rounded by the lane that has them.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-NOT: device_async_copy
// CHECK: nvvm.convert.float.to.tf32 {{.*}} {rnd = #nvvm.fp_rnd_mode<rna>}
// CHECK: nvgpu.device_async_copy
// CHECK: scf.for
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NOT: gpu.barrier
// CHECK: vector.load {{.*}} {alignment = 16 : i64}
// CHECK: nvvm.convert.float.to.tf32
// CHECK: vector.store {{.*}} {alignment = 16 : i64}
// CHECK: gpu.barrier
// CHECK-NOT: nvvm.convert.float.to.tf32
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false} : memref<{{.*}}xf32, #gpu.address_space<workgroup>> -> vector<4x1xf32>
// CHECK: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 2 : i32, transpose = false} : memref<{{.*}}xf32, #gpu.address_space<workgroup>> -> vector<2x1xf32>
// CHECK-COUNT-8: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 4], tf32Enabled} : (vector<2x1xf32>, vector<1x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK-NOT: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 4]
// CHECK: gpu.shuffle
// CHECK-COUNT-4: nvvm.convert.float.to.tf32
// CHECK: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 8], tf32Enabled}

// PTX: cvt.rna.tf32.f32
// PTX: cp.async.cg.shared.global
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-DAG: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PTX-DAG: mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32

// An older architecture gets the same numbers by shuffles, which a plan for it does not ask for.
// TURING-NOT: mma.sync
// TURING-NOT: cvt.rna
// TURING: ldmatrix.sync.aligned
// TURING: shfl.sync.idx
// OLD-NOT: mma.sync
// OLD: shfl.sync.idx

// By multiply-adds on devices without, where the caller allows nothing, or where he forbids it; tf32=true is as good as what each product says.
// RUN: stitch-compile %s --pipeline=plan=attention-always --device=t4 --target=sm_75 --emit=plan -o - | FileCheck %s --check-prefix=FMA
// RUN: stitch-compile %s --pipeline=plan=attention-always --target=sm_75,sm_90 --emit=plan -o - | FileCheck %s --check-prefix=FMA
// RUN: sed 's/ precision tf32//' %s > %t.silent.mlir
// RUN: stitch-compile %t.silent.mlir --pipeline=plan=attention-always --emit=plan -o - | FileCheck %s --check-prefix=FMA
// RUN: stitch-compile %t.silent.mlir --pipeline='plan=attention-always tf32=true' --emit=plan -o - | FileCheck %s --check-prefix=MMA
// RUN: sed 's/precision tf32/precision full/' %s > %t.full.mlir
// RUN: stitch-compile %t.full.mlir --pipeline='plan=attention-always tf32=true' --emit=plan -o - | FileCheck %s --check-prefix=FMA
// FMA: stitch.attention = #stitch.attention<fma
// MMA: stitch.attention = #stitch.attention<mma

// If only the scores may be rounded, the product with the values is exact, beside.
// RUN: sed '/%8 = tg.dot/s/ precision tf32//' %s > %t.scores.mlir
// RUN: stitch-compile %t.scores.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %s --check-prefix=SCORES
// SCORES: nvgpu.mma.sync
// SCORES: math.exp {{.*}} : f32
// SCORES-NOT: nvgpu.mma.sync
// SCORES: math.fma
// SCORES-NOT: nvgpu.mma.sync

// Exponentials that become weights in TF32 are approximated, as those of 16 bits are.
// RUN: FileCheck %s --check-prefix=FOLDED --input-file=%t.gpu.mlir
// FOLDED: math.exp2 {{.*}} fastmath<afn> : f32

// Tiles of TF32 take less time by the model than multiply-adds.
// RUN: stitch-compile %s --pipeline=plan=attention-always --emit=plan --remarks -o %t.plan 2>&1 | FileCheck %s --check-prefix=COST
// RUN: stitch-compile %t.silent.mlir --pipeline=plan=attention-always --emit=plan --remarks -o %t.plan 2>&1 | FileCheck %s --check-prefix=COST-FMA
// COST: attention of 64 batches of 256 rows, 256 keys, 36 and 40 elements: as one kernel 5162 ns, by library calls
// COST-FMA: attention of 64 batches of 256 rows, 256 keys, 36 and 40 elements: as one kernel 12975 ns, by library calls

// RUN: sed 's/64x256x256/3x79x79/g; s/64x256/3x79/g' %s > %t.small.mlir
// RUN: stitch-compile %t.small.mlir --pipeline=plan=attention-always --target=simt --checks -o %t.so
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0 | FileCheck %s --check-prefix=RIGHT
// RUN: stitch-run %t.so --check --seed=3 --thread-order=5 | FileCheck %s --check-prefix=RIGHT
// RUN: stitch-run %t.so --check --seed=4 --thread-order=11 | FileCheck %s --check-prefix=RIGHT
// RIGHT: ok: output 0
// RIGHT: ok: 1 of 1 launches checked alone, 0 wrong
func.func @main(%q: tensor<64x256x36xf32>, %k: tensor<64x256x36xf32>, %v: tensor<64x256x40xf32>) -> tensor<64x256x40xf32> {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] precision tf32 : (tensor<64x256x36xf32>, tensor<64x256x36xf32>) -> tensor<64x256x256xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<64x256x256xf32>) -> tensor<64x256xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<64x256xf32>) -> tensor<64x256x256xf32>
  %3 = tg.sub %0, %2 : tensor<64x256x256xf32>
  %4 = tg.exp %3 : tensor<64x256x256xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<64x256x256xf32>) -> tensor<64x256xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<64x256xf32>) -> tensor<64x256x256xf32>
  %7 = tg.div %4, %6 : tensor<64x256x256xf32>
  %8 = tg.dot %7, %v batch [0] x [0] contract [2] x [1] precision tf32 : (tensor<64x256x256xf32>, tensor<64x256x40xf32>) -> tensor<64x256x40xf32>
  return %8 : tensor<64x256x40xf32>
}
