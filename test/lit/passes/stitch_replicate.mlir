// RUN: stitch-opt %S/Inputs/norm_product.mlir -stitch-pipeline=plan=thin | FileCheck %s
// RUN: stitch-opt %S/Inputs/norm_product.mlir -stitch-pipeline=plan=thin --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: sed 's/<h200>/<h200, barrier_ns = 1, clock_mhz = 100>/' %S/Inputs/norm_product.mlir | stitch-opt -stitch-pipeline=plan=thin --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=CHEAP
// RUN: stitch-opt %S/Inputs/norm_product.mlir -stitch-pipeline=plan=thin -convert-stitch-to-gpu | FileCheck %s --check-prefix=KERNEL
// RUN: stitch-opt %S/Inputs/norm_product.mlir -stitch-pipeline=plan=thin | sed '/tg.rsqrt/s/shared, offset = [0-9]*, size = 16>/shared, offset = 256, size = 16>/' | not stitch-opt -stitch-verify-plan 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: stitch-compile %S/Inputs/norm_product.mlir -o %t.so --pipeline=plan=thin --checks
// RUN: stitch-run %t.so --check | FileCheck %s --check-prefix=DONE
// RUN: stitch-run %t.so --check --thread-order=2 | FileCheck %s --check-prefix=DONE

// The norm of three rows is the task of every block: nothing waits for a block that computes it. What the products read of it is in the
// block's shared memory, with all of its elements. The products' loop comes behind it in the same phase.

// REMARK: remark: every block computes group 0 for itself: the kernel takes {{[0-9]+}} ns, {{[0-9]+}} ns if they wait for it
// CHECK: barriers = 0>
// CHECK-SAME: #stitch.schedule<[<phase = 0, mapping = <row, rows = 3, columns = 500, {{.*}}replicated>>, <phase = 0, mapping = <column
// CHECK: tg.add {{.*}}#stitch.buffer<shared, offset = {{[0-9]+}}, size = 3008>{{.*}}replicated>{{.*}}<regional>
// CHECK: tg.reduce add %{{[0-9]+}} dims [1] {{.*}}replicated>{{.*}}<regional>
// CHECK: tg.rsqrt {{.*}}#stitch.buffer<shared, offset = {{[0-9]+}}, size = 16>{{.*}}replicated>{{.*}}<regional>

// Where barriers cost little and instructions much, the blocks wait.
// CHEAP: remark: no group is computed by every block: the kernel would take {{[0-9]+}} ns, and takes {{[0-9]+}} ns

// Block 0 alone stores the sum of the inputs, which is a result; all of them store it for themselves.
// KERNEL: %[[BLOCK:.*]] = gpu.block_id
// KERNEL: %[[FIRST:.*]] = arith.cmpi eq, %[[BLOCK]], %{{.*}} : index
// KERNEL: %[[STORES:.*]] = arith.andi %{{.*}}, %[[FIRST]]
// KERNEL: scf.if %[[STORES]] {
// KERNEL: memref<1500xbf16>
// KERNEL: gpu.barrier

// OVERLAP: has a buffer that overlaps one whose value is still read

// DONE: ok: 1 of 1 launches checked alone, 0 wrong
