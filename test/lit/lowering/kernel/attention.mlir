// REQUIRES: long-tests
// RUN: rm -rf %t && split-file %s %t
// RUN: stitch-compile %t/f32.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %t/f32.mlir
// RUN: stitch-compile %t/f32.mlir --pipeline=plan=attention-always --target=sm_80 --emit=ptx -o - | FileCheck %t/f32.mlir --check-prefix=PTX
// RUN: stitch-compile %t/f32.mlir --pipeline=plan=attention-always --emit=plan -o - | stitch-opt --stitch-cost --stitch-remarks -o %t/out 2>&1 | FileCheck %t/f32.mlir --check-prefix=COST
// RUN: stitch-compile %t/bf16.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %t/bf16.mlir
// RUN: stitch-compile %t/bf16.mlir --pipeline=plan=attention-always --target=sm_80 --emit=ptx -o - | FileCheck %t/bf16.mlir --check-prefix=PTX
// RUN: stitch-compile %t/bf16.mlir --pipeline=plan=attention-always --target=sm_80 --emit=ptx -o %t/ptx
// RUN: sh -c 'echo $(grep -c ldmatrix.sync.aligned.m8n8.x4.shared.b16 %t/ptx) rows; echo $(grep -c ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 %t/ptx) transposed; echo $(grep -c "ldmatrix\|ld.shared" %t/ptx) in all' | FileCheck %t/bf16.mlir --check-prefix=LOADS
// RUN: grep -c 'mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32$' %t/ptx | FileCheck %t/bf16.mlir --check-prefix=PRODUCTS
// RUN: stitch-compile %t/bf16.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %s --check-prefix=FOLDED
// RUN: stitch-compile %t/bf16.mlir --pipeline='plan=attention-always precision=strict' --emit=gpu -o - | FileCheck %s --check-prefix=STRICT
// RUN: FileCheck %t/bf16.mlir --check-prefix=WAITS --input-file=%t/ptx
// RUN: stitch-compile %t/bf16.mlir --pipeline=plan=attention-always --emit=gpu -o - | stitch-opt --gpu-to-ptx=arch=sm_75 | FileCheck %t/bf16.mlir --check-prefix=TURING
// RUN: stitch-compile %t/bf16.mlir --pipeline=plan=attention-always --emit=gpu -o - | stitch-opt --gpu-to-ptx=arch=sm_70 | FileCheck %t/bf16.mlir --check-prefix=OLD
// RUN: sed s/4x128x32x/4x128x24x/g %t/bf16.mlir > %t/odd.mlir
// RUN: stitch-compile %t/odd.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %s --check-prefix=ODD

// An exponential that may be approximated is 2^(x log2(e) - M): a multiply-add and an instruction. Where a maximum of the lane's rows is large, a branch
// subtracts it first. What rows subtract is off by their M's rounding, which the sums and the result are corrected by behind the loop. With
// precision=strict exponentials are those of the graph.
// FOLDED: math.absf
// FOLDED: arith.cmpf olt, {{.*}} : f32
// FOLDED: %[[X:[0-9]+]]:36 = scf.if
// FOLDED-COUNT-2: arith.subf
// FOLDED-NEXT: scf.yield
// FOLDED-NEXT: } else {
// FOLDED: %[[M:.*]] = arith.negf %[[X]]#16
// FOLDED: %[[Y:.*]] = math.fma %[[X]]#0, %{{.*}}, %[[M]] : f32
// FOLDED-NEXT: math.exp2 %[[Y]] fastmath<afn> : f32
// FOLDED: stitch.alternates
// FOLDED: math.exp2
// FOLDED: arith.mulf
// STRICT-NOT: math.exp2
// STRICT: math.exp {{.*}} : f32
// STRICT-NOT: math.exp2

// What a branch leaves of weights is their words, for which two elements are converted at once.
// RUN: mkdir -p %t/sizes
// RUN: %python %S/../../models/Inputs/attention_sizes.py %t/sizes causal
// RUN: stitch-compile %t/sizes/bf16_64.mlir --pipeline=plan=attention-always --target=sm_80 --emit=gpu -o - | FileCheck %s --check-prefix=WORDS
// RUN: stitch-compile %t/sizes/bf16_64.mlir --pipeline=plan=attention-always --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=PAIRS
// WORDS: scf.if {{.*}} -> (f32, {{.*}}, vector<2xbf16>) {
// PAIRS-NOT: cvt.rn.bf16.f32
// PAIRS-COUNT-16: cvt.rn.bf16x2.f32
// PAIRS-NOT: cvt.rn.bf16.f32

// Of 24 features, three fragments: two are loaded together, and one by itself.
// ODD: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// ODD: nvgpu.ldmatrix {{.*}} {numTiles = 2 : i32, transpose = true} : {{.*}} -> vector<2x2xbf16>
// RUN: stitch-compile %t/bf16.mlir --pipeline=plan=attention-always --target=sm_75,sm_90 --emit=plan -o - | FileCheck %t/bf16.mlir --check-prefix=V100
// RUN: stitch-compile %t/bf16.mlir --pipeline=plan=attention-always --device=v100 --emit=plan -o - | FileCheck %t/bf16.mlir --check-prefix=V100
// RUN: sed s/bf16/f16/g %t/bf16.mlir > %t/f16.mlir
// RUN: stitch-compile %t/f16.mlir --pipeline=plan=attention-always --target=sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=F16
// F16: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// RUN: stitch-compile %t/f16.mlir --pipeline=plan=attention-always --device=t4 --target=sm_75 --emit=ptx -o - | FileCheck %s --check-prefix=TURING-F16
// TURING-F16: ldmatrix.sync.aligned
// TURING-F16-COUNT-64: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// TURING-F16-NOT: mma.sync
// TURING-F16-NOT: shfl.sync.idx

// RUN: stitch-compile %t/causal.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %t/causal.mlir
// RUN: stitch-compile %t/causal.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %s --check-prefix=SHOWN
// RUN: sed -e 's/tg.select .p,/tg.select %%both,/' -e 's/^  .s = /  %%both = tg.and %%p, %%given : tensor<4x128x128xi1>\n&/' -e 's/%%q: /%%given: tensor<4x128x128xi1>, &/' %t/causal.mlir > %t/both.mlir
// RUN: stitch-compile %t/both.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %s --check-prefix=BOTH
// Where a mask shows all keys of a tile to all rows of a warp, scores are not selected; not so if it is not the only one.
// SHOWN-COUNT-3: arith.minsi
// SHOWN: %[[ALL:.*]] = arith.minsi %
// SHOWN: scf.for
// SHOWN: %[[SHOWN:.*]] = arith.cmpi sle, %{{.*}}, %[[ALL]]
// SHOWN-NEXT: scf.if %[[SHOWN]] -> (f32,
// SHOWN-NEXT: scf.yield
// SHOWN-NEXT: } else {
// SHOWN: arith.select
// SHOWN: math.exp
// BOTH: arith.maxsi
// BOTH-NOT: arith.minsi
// BOTH: gpu.return
// RUN: sed s/tg.compare.ge/tg.compare\ ne/ %t/causal.mlir > %t/diagonal.mlir
// RUN: stitch-compile %t/diagonal.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %s --check-prefix=DIAGONAL
// DIAGONAL: gpu.func
// DIAGONAL-NOT: scf.if {{.*}} -> (f32,
// DIAGONAL: gpu.return

// RUN: stitch-compile %S/../../models/Inputs/attention_gradient.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %s --check-prefix=GRADIENT
// RUN: sed -e 's/%do: tensor<2x2x37x40xf32>/%do: tensor<2x2x37x40xf32>, %given: tensor<37x37xi1>/' -e 's/tg.broadcast %causal/tg.broadcast %given/' %S/../../models/Inputs/attention_gradient.mlir > %t/given.mlir
// RUN: stitch-compile %t/given.mlir --pipeline=plan=attention-always --emit=gpu -o - | FileCheck %s --check-prefix=GIVEN

// Kernels of gradients: in both passes of the one that keeps queries, and in the one that keeps keys, a warp to which the mask shows nothing of a
// tile asks whether its exponentials are 0, too; if so, it computes neither scores nor what is made of them. A mask that
// is no comparison of numbers of rows and keys has to be read: it hides nothing.
// GRADIENT: gpu.func @fusion_1
// GRADIENT-COUNT-5: gpu.shuffle
// GRADIENT: %[[ANY:.*]] = arith.cmpi ne
// GRADIENT: %[[SEEN:.*]] = scf.if %[[ANY]] -> (i1)
// GRADIENT: scf.yield %true
// GRADIENT: math.exp
// GRADIENT: arith.cmpf une
// GRADIENT-COUNT-5: gpu.shuffle
// GRADIENT: scf.if %[[SEEN]] -> (f32, f32) {
// GRADIENT-COUNT-2: stitch.rolled
// GRADIENT: } else {
// GRADIENT-NEXT: scf.yield
// GRADIENT: scf.if {{.*}} -> (i1)
// GRADIENT: scf.if {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32) {
// GRADIENT: gpu.func @fusion_2
// GRADIENT: scf.if {{.*}} -> (i1)
// GRADIENT: scf.if {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) {
// GIVEN-NOT: scf.if {{.*}} -> (i1)
// GIVEN: gpu.func @fusion_2
// GIVEN-NOT: scf.if {{.*}} -> (i1)

//--- f32.mlir

// Queries go to shared memory once, with the first tile of keys and values; then a loop over tiles, of which the next one is
// copied to another buffer while one is computed with, carries the maximum and the sum of two rows, and 16
// elements of the result. The scores, 128 x 128 of each batch, are nowhere in memory: what is read and written are
// queries, keys, values and the result.

// CHECK: gpu.func @fusion_0
// CHECK-SAME: stitch.traffic = array<i64: 196608, 65536>
// CHECK-COUNT-20: nvgpu.device_async_copy %arg{{.*}}, 4 {bypassL1} : memref<16384xf32> to memref<{{.*}}xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK: %[[TILES:.*]]:20 = scf.for {{.*}} = %c0{{.*}} to %c4{{.*}} step %c1
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK: scf.if
// CHECK-COUNT-16: nvgpu.device_async_copy
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK: scf.for
// CHECK-COUNT-2: gpu.shuffle
// CHECK: math.exp
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: stitch.alternates, stitch.rolled
// CHECK: gpu.shuffle
// CHECK: arith.divf {{.*}} fastmath<arcp>
// CHECK: vector.store {{.*}} : memref<16384xf32>, vector<2xf32>

// PTX: ld.shared.v4
// PTX: shfl.sync.bfly
// PTX: ex2.approx

// COST: remark: the kernel costs {{.*}} (196608 bytes read, 65536 written)
func.func @main(%q: tensor<4x128x32xf32>, %k: tensor<4x128x32xf32>, %v: tensor<4x128x32xf32>) -> tensor<4x128x32xf32> {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<4x128x32xf32>, tensor<4x128x32xf32>) -> tensor<4x128x128xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<4x128x128xf32>) -> tensor<4x128xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x128xf32>
  %3 = tg.sub %0, %2 : tensor<4x128x128xf32>
  %4 = tg.exp %3 : tensor<4x128x128xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<4x128x128xf32>) -> tensor<4x128xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x128xf32>
  %7 = tg.div %4, %6 : tensor<4x128x128xf32>
  %8 = tg.dot %7, %v batch [0] x [0] contract [2] x [1] : (tensor<4x128x128xf32>, tensor<4x128x32xf32>) -> tensor<4x128x32xf32>
  return %8 : tensor<4x128x32xf32>
}

//--- bf16.mlir
// In bf16 by tensor cores: for a tile of 64 keys 8 fragments of scores, each of 2 products over 16 elements, and 4
// fragments of the result, each of 4 products over 16 keys. A warp loads four matrices at once: those of 16 queries, of
// two fragments of keys, and, transposed, of values. Weights stay in registers, so that there is one barrier and not two.

// CHECK: stitch.launch = #stitch.launch<grid = 32, block = 32
// CHECK: scf.for {{.*}} = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy %arg{{.*}}, 8 {bypassL1}
// CHECK: nvvm.cp.async.commit.group
// CHECK: memref.view {{.*}} {stitch.halves
// CHECK-NOT: gpu.barrier
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false} : memref<{{.*}}xbf16, #gpu.address_space<workgroup>> -> vector<4x2xbf16>
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = false}
// CHECK-COUNT-16: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK: gpu.shuffle
// CHECK: nvgpu.ldmatrix {{.*}} {numTiles = 4 : i32, transpose = true}
// CHECK-COUNT-16: nvgpu.mma.sync
// CHECK-NOT: nvgpu.mma.sync

// PTX: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PRODUCTS: {{^}}32{{$}}
// LOADS: 10 rows
// LOADS: 8 transposed
// LOADS: 18 in all
// WAITS: cp.async.commit_group
// WAITS: cp.async.wait_group 0
// WAITS-NEXT: bar.sync
// WAITS-NOT: bar.sync

// Older architectures get the same by shuffles; and a plan for one by multiply-adds.
// TURING-NOT: mma.sync
// TURING-NOT: cp.async
// TURING: ld.global.nc.v
// TURING: st.shared.v
// TURING: ldmatrix.sync.aligned
// TURING: shfl.sync.idx
// OLD-NOT: mma.sync
// OLD-NOT: ldmatrix
// OLD: shfl.sync.idx
// V100: stitch.attention = #stitch.attention<fma
func.func @main(%q: tensor<4x128x32xbf16>, %k: tensor<4x128x32xbf16>, %v: tensor<4x128x32xbf16>) -> tensor<4x128x32xbf16> {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<4x128x32xbf16>, tensor<4x128x32xbf16>) -> tensor<4x128x128xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<4x128x128xf32>) -> tensor<4x128xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x128xf32>
  %3 = tg.sub %0, %2 : tensor<4x128x128xf32>
  %4 = tg.exp %3 : tensor<4x128x128xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<4x128x128xf32>) -> tensor<4x128xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x128xf32>
  %7 = tg.div %4, %6 : tensor<4x128x128xf32>
  %8 = tg.convert %7 : (tensor<4x128x128xf32>) -> tensor<4x128x128xbf16>
  %9 = tg.dot %8, %v batch [0] x [0] contract [2] x [1] : (tensor<4x128x128xbf16>, tensor<4x128x32xbf16>) -> tensor<4x128x32xbf16>
  return %9 : tensor<4x128x32xbf16>
}

//--- causal.mlir
// Rows see keys up to their own number: a warp whose last row is before the tile's first key computes no scores of it, if
// all of its maxima are far above the mask's constant.

// CHECK: gpu.func @fusion_0
// CHECK-COUNT-3: arith.maxsi
// CHECK: %[[LAST:.*]] = arith.maxsi
// CHECK: scf.for {{.*}} -> (f32,
// CHECK: %[[BEGIN:.*]] = arith.index_cast
// CHECK: %[[SEEN:.*]] = arith.cmpi sle, %[[BEGIN]], %[[LAST]]
// CHECK-COUNT-2: arith.cmpf oge
// CHECK-COUNT-3: gpu.shuffle
// CHECK: %[[NEAR:.*]] = arith.cmpi ne
// CHECK: %[[IF:.*]] = arith.ori %[[SEEN]], %[[NEAR]]
// The barrier tells whether any warp sees the tile, or any thread has brought what is infinite: else it is left out.
// CHECK: %[[COUNTS:.*]] = scf.if %[[IF]] -> (i1)
// CHECK: scf.yield %true
// CHECK: arith.cmpf une
// CHECK: %[[ANY:.*]] = stitch.block_any %[[COUNTS]]
// CHECK: scf.if %[[ANY]] -> (f32,
// CHECK: scf.if %[[IF]] -> (f32,
// CHECK: math.exp
// CHECK: } else {
// CHECK-NOT: math.exp
// CHECK: gpu.barrier
// CHECK: math.fma
func.func @main(%q: tensor<4x128x32xf32>, %k: tensor<4x128x32xf32>, %v: tensor<4x128x32xf32>) -> tensor<4x128x32xf32> {
  %low = tg.constant dense<-1.0e9> : tensor<4x128x128xf32>
  %i = tg.iota dim 0 : tensor<128xi32>
  %r = tg.broadcast %i dims [1] : (tensor<128xi32>) -> tensor<4x128x128xi32>
  %c = tg.broadcast %i dims [2] : (tensor<128xi32>) -> tensor<4x128x128xi32>
  %p = tg.compare ge, %r, %c : tensor<4x128x128xi32>
  %s = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<4x128x32xf32>, tensor<4x128x32xf32>) -> tensor<4x128x128xf32>
  %0 = tg.select %p, %s, %low : tensor<4x128x128xi1>, tensor<4x128x128xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<4x128x128xf32>) -> tensor<4x128xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x128xf32>
  %3 = tg.sub %0, %2 : tensor<4x128x128xf32>
  %4 = tg.exp %3 : tensor<4x128x128xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<4x128x128xf32>) -> tensor<4x128xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x128xf32>
  %7 = tg.div %4, %6 : tensor<4x128x128xf32>
  %8 = tg.dot %7, %v batch [0] x [0] contract [2] x [1] : (tensor<4x128x128xf32>, tensor<4x128x32xf32>) -> tensor<4x128x32xf32>
  return %8 : tensor<4x128x32xf32>
}
