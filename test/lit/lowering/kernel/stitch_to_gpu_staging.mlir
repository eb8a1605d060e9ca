// REQUIRES: long-tests
// RUN: stitch-opt %s --stitch-pipeline=plan=astitch --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: stitch-compile --pipeline=plan=astitch %s --target=simt,sm_90 --no-cubins -o %t.so --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --device=simt --check --seed=3 --thread-order=2
// RUN: %python %source/test/mutation/mutate_barriers.py --compile stitch-compile --run stitch-run --expect-needed --option=--pipeline=plan=astitch %s | FileCheck %s --check-prefix=MUTATE
// RUN: stitch-compile --pipeline=plan=astitch %s --target=sm_90 --emit=ptx | FileCheck %s --check-prefix=PTX

// Loads go through shared memory (docs/ir.md, "Staged loads"): a thread copies what it loads in its first task, and in each task, behind its loads from
// there, what it loads in the next one. What all tasks load alike lies there from the beginning.

// Rows of a cluster.
// CHECK-LABEL: gpu.func @fusion_0
// CHECK: %[[SHARED:.*]] = gpu.dynamic_shared_memory
// CHECK: %[[VIEW:.*]] = memref.view %[[SHARED]]{{.*}} {stitch.own}
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy %arg0[%{{.*}}], %[[VIEW]][%{{.*}}], 4 {bypassL1}
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for %[[TASK:.*]] = %{{.*}} to %[[END:.*]] step %[[STEP:.*]] {
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: vector.load %[[VIEW]]
// CHECK-NOT: vector.load %arg0
// CHECK: %[[NEXT:.*]] = arith.addi %[[TASK]], %[[STEP]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[NEXT]], %[[END]]
// CHECK: scf.if %[[EXISTS]] {
// CHECK: nvgpu.device_async_copy %arg0[%{{.*}}], %[[VIEW]]
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: vector.load %arg0
// CHECK: gpu.return

// Column sums that go along with rows, whose scales stay: they are loaded from shared memory where they are needed, and copied once.
// CHECK-LABEL: gpu.func @fusion_1
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy %arg1[
// CHECK: scf.for
// CHECK-NOT: vector.load %arg
// CHECK-NOT: nvgpu.device_async_copy %arg1[
// CHECK: scf.yield
// CHECK: gpu.return

// MUTATE: nvvm.cp.async.commit.group: without a wait between
// MUTATE: nvvm.cp.async.wait.group: without a wait between
// MUTATE: [[N:[0-9]+]] of [[N]] deleted barriers of 2 kernels are found, 0 other failures

// PTX-LABEL: .entry fusion_0
// PTX: cp.async.cg.shared.global
// PTX: cp.async.wait_group
// PTX: ld.shared.v4
// PTX-LABEL: .entry fusion_1
module attributes {stitch.device = #stitch.device<h200, sms = 2, gpc_sms = 2, cluster_blocks = 2, bandwidth_gbps = 50>} {
  func.func @main(%x: tensor<9x65536xf32>, %y: tensor<201x2048xbf16>, %dy: tensor<201x2048xbf16>, %scale: tensor<2048xbf16>)
      -> (tensor<9x65536xf32>, tensor<201x2048xbf16>, tensor<2048xbf16>) {
    %m = tg.reduce max %x dims [1] : (tensor<9x65536xf32>) -> tensor<9xf32>
    %mb = tg.broadcast %m dims [0] : (tensor<9xf32>) -> tensor<9x65536xf32>
    %r = tg.sub %x, %mb : tensor<9x65536xf32>

    %sb = tg.broadcast %scale dims [1] : (tensor<2048xbf16>) -> tensor<201x2048xbf16>
    %w = tg.mul %dy, %sb : tensor<201x2048xbf16>
    %p = tg.mul %w, %y : tensor<201x2048xbf16>
    %s = tg.reduce add %p dims [1] : (tensor<201x2048xbf16>) -> tensor<201xbf16>
    %b = tg.broadcast %s dims [0] : (tensor<201xbf16>) -> tensor<201x2048xbf16>
    %dx = tg.sub %w, %b : tensor<201x2048xbf16>
    %q = tg.mul %dy, %y : tensor<201x2048xbf16>
    %g = tg.reduce add %q dims [0] : (tensor<201x2048xbf16>) -> tensor<2048xbf16>
    return %r, %dx, %g : tensor<9x65536xf32>, tensor<201x2048xbf16>, tensor<2048xbf16>
  }
}
