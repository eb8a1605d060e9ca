// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_80})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s

// Two choices with one condition, and a store between them. What the kernel only reads is loaded by one branch, before the store.
// CHECK-LABEL: .visible .entry inputs(
// CHECK: ld.global
// CHECK: ld.global
// CHECK: st.global
// CHECK: ret;

// The store may be to what the second choice reads: an input without noalias, which a carried value or a buffer of slices is. It stays behind.
// CHECK-LABEL: .visible .entry ordered(
// CHECK: st.global
// CHECK: ld.global
// CHECK: ret;

// So it does where a barrier is between, and others write what is read.
// CHECK-LABEL: .visible .entry waits(
// CHECK: bar.sync
// CHECK: ld.global
// CHECK: ret;

// What has moved up before a later choice of another condition moves on where an earlier one needs it.
// CHECK-LABEL: .visible .entry moved_twice(
// CHECK-COUNT-2: ld.global
// CHECK: ret;
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @inputs(%x: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %out: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %i = gpu.thread_id x
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %j = arith.addi %i, %c32 : index
    %c = arith.cmpi ult, %i, %c16 : index
    %a = scf.if %c -> f32 {
      %v = memref.load %x[%i] : memref<64xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %a, %out[%j] : memref<64xf32>
    %b = scf.if %c -> f32 {
      %v = memref.load %x[%j] : memref<64xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %b, %out[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @ordered(%x: memref<64xf32> {llvm.align = 16 : i64, llvm.readonly}, %out: memref<64xf32> {llvm.align = 16 : i64}) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %i = gpu.thread_id x
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %j = arith.addi %i, %c32 : index
    %c = arith.cmpi ult, %i, %c16 : index
    %a = scf.if %c -> f32 {
      %v = memref.load %x[%i] : memref<64xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %a, %out[%j] : memref<64xf32>
    %b = scf.if %c -> f32 {
      %v = memref.load %x[%j] : memref<64xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %b, %out[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @waits(%x: memref<64xf32> {llvm.align = 16 : i64}, %out: memref<64xf32> {llvm.align = 16 : i64}) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %i = gpu.thread_id x
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpi ult, %i, %c16 : index
    %a = scf.if %c -> f32 {
      %v = memref.load %x[%i] : memref<64xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    gpu.barrier
    %b = scf.if %c -> f32 {
      %v = memref.load %x[%i] : memref<64xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    %sum = arith.addf %a, %b : f32
    memref.store %sum, %out[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @moved_twice(%x: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %out: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
      attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
    %i = gpu.thread_id x
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %p = arith.cmpi ult, %i, %c8 : index
    %q = arith.cmpi ult, %i, %c16 : index
    %first = scf.if %p -> f32 {
      %v = memref.load %x[%i] : memref<64xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    %second = scf.if %q -> f32 {
      %v = memref.load %x[%i] : memref<64xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    %j = arith.addi %i, %c32 : index
    %third = scf.if %q -> f32 {
      %v = memref.load %x[%j] : memref<64xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    %fourth = scf.if %p -> f32 {
      %v = memref.load %x[%j] : memref<64xf32>
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    %sum0 = arith.addf %first, %second : f32
    %sum1 = arith.addf %third, %fourth : f32
    %sum = arith.mulf %sum0, %sum1 : f32
    memref.store %sum, %out[%i] : memref<64xf32>
    gpu.return
  }
}
}
