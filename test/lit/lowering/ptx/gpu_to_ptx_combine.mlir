// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_90})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s

// LLVM moves what is used once to the block of its use: sums to behind the loop, where all that they add up waits.
// A kernel without registers for that has the sums before the loop.

// CHECK-LABEL: .visible .entry sinks(
// CHECK: .maxnreg 64
// CHECK-NOT: add.rn.f32
// CHECK: $L__BB
// CHECK: bra
// CHECK-COUNT-8: add.rn.f32
// CHECK: ret;

// CHECK-LABEL: .visible .entry combines_early(
// CHECK: .maxnreg 8
// CHECK-COUNT-4: add.rn.f32
// CHECK: $L__BB
// CHECK: bra
// CHECK-COUNT-4: add.rn.f32
// CHECK-NOT: add.rn.f32
// CHECK: ret;
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sinks(%in: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                     %out: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %thread = gpu.thread_id x
      %start = arith.constant 4096 : index
      %step = arith.constant 256 : index
      %end = arith.constant 16384 : index
      %zero = arith.constant 0.0 : f32
      %place0 = arith.constant 0 : index
      %i0 = arith.addi %thread, %place0 : index
      %x0 = memref.load %in[%i0] : memref<16384xf32>
      %place1 = arith.constant 256 : index
      %i1 = arith.addi %thread, %place1 : index
      %x1 = memref.load %in[%i1] : memref<16384xf32>
      %place2 = arith.constant 512 : index
      %i2 = arith.addi %thread, %place2 : index
      %x2 = memref.load %in[%i2] : memref<16384xf32>
      %place3 = arith.constant 768 : index
      %i3 = arith.addi %thread, %place3 : index
      %x3 = memref.load %in[%i3] : memref<16384xf32>
      %place4 = arith.constant 1024 : index
      %i4 = arith.addi %thread, %place4 : index
      %x4 = memref.load %in[%i4] : memref<16384xf32>
      %place5 = arith.constant 1280 : index
      %i5 = arith.addi %thread, %place5 : index
      %x5 = memref.load %in[%i5] : memref<16384xf32>
      %place6 = arith.constant 1536 : index
      %i6 = arith.addi %thread, %place6 : index
      %x6 = memref.load %in[%i6] : memref<16384xf32>
      %place7 = arith.constant 1792 : index
      %i7 = arith.addi %thread, %place7 : index
      %x7 = memref.load %in[%i7] : memref<16384xf32>
      %s0 = arith.addf %x0, %x1 : f32
      %s1 = arith.addf %x2, %x3 : f32
      %s2 = arith.addf %x4, %x5 : f32
      %s3 = arith.addf %x6, %x7 : f32
      %rest = scf.for %task = %start to %end step %step iter_args(%sum = %zero) -> f32 {
        %place = arith.addi %task, %thread : index
        %x = memref.load %in[%place] : memref<16384xf32>
        %next = arith.addf %sum, %x : f32
        scf.yield %next : f32
      } {stitch.rolled}
      %t0 = arith.addf %rest, %s0 : f32
      %t1 = arith.addf %t0, %s1 : f32
      %t2 = arith.addf %t1, %s2 : f32
      %t3 = arith.addf %t2, %s3 : f32
      memref.store %t3, %out[%thread] : memref<16384xf32>
      gpu.return
    }

    gpu.func @combines_early(%in: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                              %out: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 8, shared = 0, scratch = 0, barriers = 0>} {
      %thread = gpu.thread_id x
      %start = arith.constant 4096 : index
      %step = arith.constant 256 : index
      %end = arith.constant 16384 : index
      %zero = arith.constant 0.0 : f32
      %place0 = arith.constant 0 : index
      %i0 = arith.addi %thread, %place0 : index
      %x0 = memref.load %in[%i0] : memref<16384xf32>
      %place1 = arith.constant 256 : index
      %i1 = arith.addi %thread, %place1 : index
      %x1 = memref.load %in[%i1] : memref<16384xf32>
      %place2 = arith.constant 512 : index
      %i2 = arith.addi %thread, %place2 : index
      %x2 = memref.load %in[%i2] : memref<16384xf32>
      %place3 = arith.constant 768 : index
      %i3 = arith.addi %thread, %place3 : index
      %x3 = memref.load %in[%i3] : memref<16384xf32>
      %place4 = arith.constant 1024 : index
      %i4 = arith.addi %thread, %place4 : index
      %x4 = memref.load %in[%i4] : memref<16384xf32>
      %place5 = arith.constant 1280 : index
      %i5 = arith.addi %thread, %place5 : index
      %x5 = memref.load %in[%i5] : memref<16384xf32>
      %place6 = arith.constant 1536 : index
      %i6 = arith.addi %thread, %place6 : index
      %x6 = memref.load %in[%i6] : memref<16384xf32>
      %place7 = arith.constant 1792 : index
      %i7 = arith.addi %thread, %place7 : index
      %x7 = memref.load %in[%i7] : memref<16384xf32>
      %s0 = arith.addf %x0, %x1 : f32
      %s1 = arith.addf %x2, %x3 : f32
      %s2 = arith.addf %x4, %x5 : f32
      %s3 = arith.addf %x6, %x7 : f32
      %rest = scf.for %task = %start to %end step %step iter_args(%sum = %zero) -> f32 {
        %place = arith.addi %task, %thread : index
        %x = memref.load %in[%place] : memref<16384xf32>
        %next = arith.addf %sum, %x : f32
        scf.yield %next : f32
      } {stitch.rolled}
      %t0 = arith.addf %rest, %s0 : f32
      %t1 = arith.addf %t0, %s1 : f32
      %t2 = arith.addf %t1, %s2 : f32
      %t3 = arith.addf %t2, %s3 : f32
      memref.store %t3, %out[%thread] : memref<16384xf32>
      gpu.return
    }
  }
}
