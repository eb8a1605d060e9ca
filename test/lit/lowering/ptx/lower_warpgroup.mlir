// Products of warpgroups: wgmma for sm_90a; for others products of each warp, from the same panels.
// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_90a})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s
// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_90})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefix=WARP
// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_100})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefix=WARP
// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_70})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefix=OLD
// RUN: stitch-opt %s -gpu-to-simt | FileCheck %s --check-prefix=SIMT

// Panels begin at multiples of 1024 bytes.
// CHECK: .target sm_90a
// CHECK: .shared .align 1024 .b8
// CHECK-LABEL: .entry product(
// What was stored in shared memory is ordered for wgmma before the barrier.
// CHECK: fence.proxy.async.shared::cta;
// CHECK: bar{{.*}}.sync 0;
// The warpgroup's barrier is number 1 and up.
// CHECK: bar.red.or.pred %p{{[0-9]+}}, 1, 128, %p{{[0-9]+}};
// CHECK: wgmma.fence.sync.aligned;
// The second 16 elements that are contracted are 32 bytes further, 2 units, of A and of B.
// CHECK-NEXT: add.s64 rhs, %rd{{[0-9]+}}, 0;
// CHECK-NEXT: add.s64 lhs, %rd{{[0-9]+}}, 0;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {[[C:%.*]]}, lhs, rhs, none, 1, 1, 0, 0;
// CHECK-NEXT: add.s64 rhs, %rd{{[0-9]+}}, 2;
// CHECK-NEXT: add.s64 lhs, %rd{{[0-9]+}}, 2;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {[[C]]}, lhs, rhs, all, 1, 1, 0, 0;
// CHECK-NEXT: wgmma.commit_group.sync.aligned;
// CHECK-NEXT: wgmma.wait_group.sync.aligned 0;
// Rows of B that are contracted are 128 bytes each; A is in registers; the sums are added to.
// CHECK: wgmma.fence.sync.aligned;
// CHECK-NEXT: add.s64 rhs, %rd{{[0-9]+}}, 0;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {[[D:%.*]]}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, rhs, all, 1, 1, 1;
// CHECK-NEXT: wgmma.commit_group.sync.aligned;
// CHECK-NOT: ldmatrix

// WARP-NOT: wgmma
// WARP-NOT: barrier.cta.red
// WARP: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// WARP: mma.sync.aligned.m16n8k16
// WARP: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// WARP: mma.sync.aligned.m16n8k16
// OLD-NOT: mma.sync
// OLD: shfl.sync
// SIMT-NOT: warpgroup

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @product(%a: memref<4096xf16> {llvm.align = 16 : i64}, %b: memref<1024xf16> {llvm.align = 16 : i64}, %c: memref<512xf32> {llvm.align = 16 : i64}) kernel
        attributes {gpu.known_block_size = array<i32: 128, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 1, block = 128, registers = 64, shared = 10240, scratch = 0, barriers = 0>} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c1024 = arith.constant 1024 : index
      %c8192 = arith.constant 8192 : index
      %zero = arith.constant 0.0 : f32
      %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %q = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4096xf16, #gpu.address_space<workgroup>>
      %k = memref.view %shared[%c8192][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<1024xf16, #gpu.address_space<workgroup>>
      %tid = gpu.thread_id x
      %first = arith.muli %tid, %c8 : index
      %rows = vector.load %a[%first] : memref<4096xf16>, vector<8xf16>
      vector.store %rows, %q[%first] : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      %other = vector.load %b[%first] : memref<1024xf16>, vector<8xf16>
      vector.store %other, %k[%first] : memref<1024xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      gpu.barrier
      %x = memref.load %c[%tid] : memref<512xf32>
      %is = arith.cmpf ogt, %x, %zero : f32
      %any = stitch.warpgroup_any %is : i1
      scf.if %any {
        %s:2 = "stitch.warpgroup_product"(%q, %c0, %k) {operandSegmentSizes = array<i32: 0, 1, 1, 1, 0>, depth = 32 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64} : (memref<4096xf16, #gpu.address_space<workgroup>>, index, memref<1024xf16, #gpu.address_space<workgroup>>) -> (vector<2x2xf32>, vector<2x2xf32>)
        %e000 = vector.extract %s#0[0, 0] : f32 from vector<2x2xf32>
        %h000 = arith.truncf %e000 : f32 to f16
        %e001 = vector.extract %s#0[0, 1] : f32 from vector<2x2xf32>
        %h001 = arith.truncf %e001 : f32 to f16
        %e010 = vector.extract %s#0[1, 0] : f32 from vector<2x2xf32>
        %h010 = arith.truncf %e010 : f32 to f16
        %e011 = vector.extract %s#0[1, 1] : f32 from vector<2x2xf32>
        %h011 = arith.truncf %e011 : f32 to f16
        %e100 = vector.extract %s#1[0, 0] : f32 from vector<2x2xf32>
        %h100 = arith.truncf %e100 : f32 to f16
        %e101 = vector.extract %s#1[0, 1] : f32 from vector<2x2xf32>
        %h101 = arith.truncf %e101 : f32 to f16
        %e110 = vector.extract %s#1[1, 0] : f32 from vector<2x2xf32>
        %h110 = arith.truncf %e110 : f32 to f16
        %e111 = vector.extract %s#1[1, 1] : f32 from vector<2x2xf32>
        %h111 = arith.truncf %e111 : f32 to f16
        %words = vector.from_elements %h000, %h001, %h010, %h011, %h100, %h101, %h110, %h111 : vector<4x2xf16>
        %o:2 = "stitch.warpgroup_product"(%words, %k, %s#0, %s#1) {operandSegmentSizes = array<i32: 1, 0, 0, 1, 2>, depth = 16 : i64, lhs_rows = 64 : i64, rhs_rows = 16 : i64, transposed} : (vector<4x2xf16>, memref<1024xf16, #gpu.address_space<workgroup>>, vector<2x2xf32>, vector<2x2xf32>) -> (vector<2x2xf32>, vector<2x2xf32>)
        %sum = arith.addf %o#0, %o#1 : vector<2x2xf32>
        %first_row = vector.extract %sum[0] : vector<2xf32> from vector<2x2xf32>
        %to = arith.muli %tid, %c4 : index
        vector.store %first_row, %c[%to] : memref<512xf32>, vector<2xf32>
      }
      gpu.return
    }
  }
}
