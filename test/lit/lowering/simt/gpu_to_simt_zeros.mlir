// RUN: stitch-opt %s -gpu-to-simt | FileCheck %s

// The larger of +0 and -0 is +0, the smaller -0: llvm.maximum and llvm.minimum, no comparison and selection.

// CHECK-LABEL: llvm.func @kernel_simt(
// CHECK-NOT: llvm.select
// CHECK: llvm.intr.maximum
// CHECK: llvm.intr.minimum
// CHECK: llvm.intr.maximum
// CHECK-NOT: llvm.select

gpu.module @kernels {
  gpu.func @kernel(%a: memref<64xf32>, %h: memref<64xf16>) kernel {
    %tid = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    %x = memref.load %a[%tid] : memref<64xf32>
    %0 = arith.maximumf %x, %zero : f32
    %1 = arith.minimumf %0, %x : f32
    memref.store %1, %a[%tid] : memref<64xf32>
    %y = memref.load %h[%tid] : memref<64xf16>
    %half = arith.constant 0.0 : f16
    %2 = arith.maximumf %y, %half : f16
    memref.store %2, %h[%tid] : memref<64xf16>
    gpu.return
  }
}
