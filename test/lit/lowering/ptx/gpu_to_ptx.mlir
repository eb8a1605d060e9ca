// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_90})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s
// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_70 libdevice=none})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefix=NONE

// CHECK: gpu.binary @kernels
// CHECK-SAME: #nvvm.target<chip = "sm_90"
// CHECK: .target sm_90
// CHECK: .extern .shared .align 16 .b8 [[SHARED:[a-zA-Z_0-9]+]][];
// NONE: .target sm_70

// CHECK-LABEL: .visible .entry add(
// CHECK: .reqntid 256, 1, 1
// CHECK: .maxnreg 64
// CHECK-NOT: .local
// CHECK-COUNT-2: ld.global.nc.v4.b32
// CHECK-NOT: call
// CHECK: st.global.v4.b32

// CHECK-LABEL: .visible .entry softmax(
// CHECK-NOT: .local
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK: st.shared.b32
// CHECK: bar.sync 0;
// CHECK: ld.shared.v4.b32 {{.*}}[[SHARED]]
// CHECK: bar.sync 0;
// CHECK-COUNT-4: div.rn.f32
// CHECK: st.global.v4.b32

// What is exchanged across the grid barrier is never read through the non-coherent path.
// CHECK-LABEL: .visible .entry split_sum(
// CHECK: ld.global.nc.v4.b32
// CHECK: st.global.b32
// CHECK: bar.sync 0;
// CHECK: fence.acq_rel.gpu;
// CHECK-NEXT: atom.global.add.u32
// CHECK: ld.relaxed.gpu.global.b32
// CHECK: nanosleep.u32
// CHECK: ld.relaxed.gpu.global.b32
// CHECK: fence.acq_rel.gpu;
// CHECK: bar.sync 0;
// CHECK-NOT: ld.global.nc
// CHECK: ld.global.v4.b32

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%a: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                  %b: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                  %out: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 256, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 4, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %c1024 = arith.constant 1024 : index
      %c4 = arith.constant 4 : index
      %base = arith.muli %bid, %c1024 : index
      %off = arith.muli %tid, %c4 : index
      %i = arith.addi %base, %off : index
      %x = vector.load %a[%i] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      %y = vector.load %b[%i] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      %e = math.exp %x : vector<4xf32>
      %s = arith.addf %e, %y : vector<4xf32>
      vector.store %s, %out[%i] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      gpu.return
    }
    // 8 rows of 512, one row a block of 128 threads: 4 values a thread.
    gpu.func @softmax(%in: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                      %out: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 128, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 8, block = 128, registers = 32, shared = 32, scratch = 0, barriers = 0>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %c512 = arith.constant 512 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %base = arith.muli %bid, %c512 : index
      %off = arith.muli %tid, %c4 : index
      %i = arith.addi %base, %off : index
      %x = vector.load %in[%i] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      %x0 = vector.extract %x[0] : f32 from vector<4xf32>
      %x1 = vector.extract %x[1] : f32 from vector<4xf32>
      %x2 = vector.extract %x[2] : f32 from vector<4xf32>
      %x3 = vector.extract %x[3] : f32 from vector<4xf32>
      %m0 = arith.maximumf %x0, %x1 : f32
      %m1 = arith.maximumf %x2, %x3 : f32
      %m2 = arith.maximumf %m0, %m1 : f32
      %w32 = arith.constant 32 : i32
      %o16 = arith.constant 16 : i32
      %o8 = arith.constant 8 : i32
      %o4 = arith.constant 4 : i32
      %o2 = arith.constant 2 : i32
      %o1 = arith.constant 1 : i32
      %s16, %p16 = gpu.shuffle xor %m2, %o16, %w32 : f32
      %m3 = arith.maximumf %m2, %s16 : f32
      %s8, %p8 = gpu.shuffle xor %m3, %o8, %w32 : f32
      %m4 = arith.maximumf %m3, %s8 : f32
      %s4, %p4 = gpu.shuffle xor %m4, %o4, %w32 : f32
      %m5 = arith.maximumf %m4, %s4 : f32
      %s2, %p2 = gpu.shuffle xor %m5, %o2, %w32 : f32
      %m6 = arith.maximumf %m5, %s2 : f32
      %s1, %p1 = gpu.shuffle xor %m6, %o1, %w32 : f32
      %m7 = arith.maximumf %m6, %s1 : f32
      %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %smax = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
      %ssum = memref.view %shared[%c16][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
      %warp = arith.divui %tid, %c32 : index
      %lane = arith.remui %tid, %c32 : index
      %first = arith.cmpi eq, %lane, %c0 : index
      scf.if %first {
        memref.store %m7, %smax[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %ninf = arith.constant 0xFF800000 : f32
      %mx = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %ninf) -> f32 {
        %v = memref.load %smax[%k] : memref<4xf32, #gpu.address_space<workgroup>>
        %n = arith.maximumf %acc, %v : f32
        scf.yield %n : f32
      }
      %mb = vector.broadcast %mx : f32 to vector<4xf32>
      %d = arith.subf %x, %mb : vector<4xf32>
      %e = math.exp %d : vector<4xf32>
      %zero = arith.constant 0.0 : f32
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> f32 {
        %v = vector.extract %e[%k] : f32 from vector<4xf32>
        %n = arith.addf %acc, %v : f32
        scf.yield %n : f32
      }
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %sum) -> f32 {
        %ki = arith.index_cast %k : index to i32
        %o = arith.shrui %o16, %ki : i32
        %s, %p = gpu.shuffle xor %acc, %o, %w32 : f32
        %n = arith.addf %acc, %s : f32
        scf.yield %n : f32
      }
      %r1, %q1 = gpu.shuffle xor %r, %o1, %w32 : f32
      %r2 = arith.addf %r, %r1 : f32
      scf.if %first {
        memref.store %r2, %ssum[%warp] : memref<4xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %sv = vector.load %ssum[%c0] {alignment = 16 : i64} : memref<4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
      %t0 = vector.extract %sv[0] : f32 from vector<4xf32>
      %t1 = vector.extract %sv[1] : f32 from vector<4xf32>
      %t2 = vector.extract %sv[2] : f32 from vector<4xf32>
      %t3 = vector.extract %sv[3] : f32 from vector<4xf32>
      %u0 = arith.addf %t0, %t1 : f32
      %u1 = arith.addf %u0, %t2 : f32
      %u2 = arith.addf %u1, %t3 : f32
      %sb = vector.broadcast %u2 : f32 to vector<4xf32>
      %y = arith.divf %e, %sb : vector<4xf32>
      vector.store %y, %out[%i] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
      gpu.return
    }
    gpu.func @split_sum(%in: memref<8192xf16> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                      %out: memref<8xf32> {llvm.align = 16 : i64, llvm.noalias},
                      %scratch: memref<128xi8> {llvm.align = 16 : i64, llvm.noalias},
                      %counter: memref<1xi32> {llvm.align = 16 : i64}) kernel
        attributes {gpu.known_block_size = array<i32: 32, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 32, block = 32, registers = 64, shared = 0, scratch = 128, barriers = 1>} {
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %c256 = arith.constant 256 : index
      %c8 = arith.constant 8 : index
      %c4 = arith.constant 4 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %base = arith.muli %bid, %c256 : index
      %off = arith.muli %tid, %c8 : index
      %i = arith.addi %base, %off : index
      %x = vector.load %in[%i] {alignment = 16 : i64} : memref<8192xf16>, vector<8xf16>
      %xf = arith.extf %x : vector<8xf16> to vector<8xf32>
      %zero = arith.constant 0.0 : f32
      %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> f32 {
        %v = vector.extract %xf[%k] : f32 from vector<8xf32>
        %n = arith.addf %acc, %v : f32
        scf.yield %n : f32
      }
      %w32 = arith.constant 32 : i32
      %o16 = arith.constant 16 : i32
      %c5 = arith.constant 5 : index
      %r = scf.for %k = %c0 to %c5 step %c1 iter_args(%acc = %sum) -> f32 {
        %ki = arith.index_cast %k : index to i32
        %o = arith.shrui %o16, %ki : i32
        %s, %p = gpu.shuffle xor %acc, %o, %w32 : f32
        %n = arith.addf %acc, %s : f32
        scf.yield %n : f32
      }
      %part = memref.view %scratch[%c0][] : memref<128xi8> to memref<32xf32>
      %first = arith.cmpi eq, %tid, %c0 : index
      scf.if %first {
        memref.store %r, %part[%bid] : memref<32xf32>
      }
      stitch.grid_barrier %counter : memref<1xi32>
      %mine = arith.cmpi ult, %bid, %c8 : index
      %go = arith.andi %first, %mine : i1
      scf.if %go {
        %j = arith.muli %bid, %c4 : index
        %v = vector.load %part[%j] {alignment = 16 : i64} : memref<32xf32>, vector<4xf32>
        %t = vector.reduction <add>, %v : vector<4xf32> into f32
        memref.store %t, %out[%bid] : memref<8xf32>
      }
      gpu.return
    }
  }
}
