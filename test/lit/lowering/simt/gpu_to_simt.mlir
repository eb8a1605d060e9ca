// RUN: stitch-opt %s -gpu-to-simt -split-input-file | FileCheck %s

// A barrier and a shuffle; the declaration of a library function that the module has already stays the only one.

// CHECK-LABEL: module attributes {gpu.container_module} {
// CHECK-COUNT-1: @expf(f32) -> f32
// CHECK-LABEL: llvm.func @kernel_simt(
// CHECK-SAME: %[[THREAD:.*]]: !llvm.ptr, %[[ARGUMENTS:.*]]: !llvm.ptr) -> !llvm.ptr
// CHECK-SAME: presplitcoroutine
// CHECK-DAG: %[[BARRIER:.*]] = llvm.mlir.constant(1 : i32) : i32
// CHECK-DAG: %[[SHUFFLE:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK: llvm.intr.coro.id
// CHECK: %[[SIZE:.*]] = llvm.intr.coro.size : i64
// CHECK: %[[CAPACITY:.*]] = llvm.getelementptr %[[THREAD]][40]
// CHECK: llvm.icmp "uge" %[[SIZE]]
// CHECK: llvm.store %[[SIZE]], %[[CAPACITY]]
// CHECK: %[[HANDLE:.*]] = llvm.intr.coro.begin
// CHECK: llvm.load %[[ARGUMENTS]]
// CHECK: %[[STOP:.*]] = llvm.getelementptr %[[THREAD]][48]
// CHECK: llvm.store %[[BARRIER]], %[[STOP]]
// CHECK: llvm.intr.coro.suspend
// CHECK: llvm.call @expf
// CHECK: %[[VALUE:.*]] = llvm.getelementptr %[[THREAD]][56]
// CHECK: llvm.store %{{.*}}, %[[VALUE]] : i64
// CHECK: llvm.store %[[SHUFFLE]]
// CHECK: llvm.intr.coro.suspend
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: llvm.intr.coro.end %[[HANDLE]]
// CHECK: llvm.return %[[HANDLE]]

// While there are launches their kernels stay; everything around the kernels does anyway.
// CHECK: gpu.module @kernels
// CHECK: func.func @host
// CHECK: gpu.launch_func
// CHECK: memref.load

module attributes {gpu.container_module} {
  llvm.func @expf(f32) -> f32
  gpu.module @kernels {
    gpu.func @kernel(%a: memref<64xf32>) kernel {
      %tid = gpu.thread_id x
      %c16 = arith.constant 16 : i32
      %c32 = arith.constant 32 : i32
      gpu.barrier
      %x = memref.load %a[%tid] : memref<64xf32>
      %e = math.exp %x : f32
      %s, %p = gpu.shuffle xor %e, %c16, %c32 : f32
      memref.store %s, %a[%tid] : memref<64xf32>
      gpu.return
    }
  }
  func.func @host(%a: memref<64xf32>, %i: index) -> f32 {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>)
    %x = memref.load %a[%i] : memref<64xf32>
    return %x : f32
  }
}

// -----

// Any text is the name of a symbol.

// CHECK: llvm.func @"a ( b_simt"(
module {
  gpu.module @names {
    gpu.func @"a ( b"() kernel {
      gpu.return
    }
  }
}
