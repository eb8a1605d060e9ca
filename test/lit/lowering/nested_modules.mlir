// RUN: stitch-opt %s -stitch-pipeline=device=simt -convert-stitch-to-gpu | FileCheck %s
// RUN: stitch-opt %s -stitch-pipeline=device=simt -convert-stitch-to-gpu -gpu-to-ptx | FileCheck %s --check-prefix=PTX --implicit-check-not=gpu.module
// RUN: stitch-opt %s -stitch-pipeline=device=simt -convert-stitch-to-gpu -gpu-to-ptx=format=nvvm | FileCheck %s --check-prefix=NVVM --implicit-check-not=gpu.func
// RUN: stitch-opt %s -stitch-pipeline=device=simt -convert-stitch-to-gpu -gpu-to-simt -convert-launches-to-simt | FileCheck %s --check-prefix=SIMT --implicit-check-not=gpu.module --implicit-check-not=gpu.launch

// Modules in modules: each has its own kernels, and what becomes of them.

// CHECK: module @outer
// CHECK-NEXT: module @a
// CHECK-NEXT: gpu.module @kernels
// CHECK: module @b
// CHECK-NEXT: module @c
// CHECK-NEXT: gpu.module @kernels
// CHECK: gpu.launch_func @kernels::@fusion_0

// PTX: module @a
// PTX-NEXT: gpu.binary @kernels
// PTX: module @c
// PTX-NEXT: gpu.binary @kernels
// PTX: gpu.binary @kernels
// PTX: func.func @top

// NVVM: module @a
// NVVM: llvm.func @fusion_0
// NVVM: module @c
// NVVM: llvm.func @fusion_0
// NVVM: llvm.func @fusion_0

// SIMT: module @a
// SIMT: llvm.func @stitchSimtLaunchOnce
// SIMT: llvm.func @fusion_0_simt
// SIMT: module @c
// SIMT: llvm.func @stitchSimtLaunchOnce
// SIMT: llvm.func @fusion_0_simt
module @outer {
  module @a {
    func.func @main(%x: tensor<8x16xf32>) -> tensor<8xf32> {
      %0 = tg.exp %x : tensor<8x16xf32>
      %1 = tg.reduce add %0 dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }
  }
  module @b {
    module @c {
      func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
        %0 = tg.tanh %x : tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    }
  }
  func.func @top(%x: tensor<4xf16>) -> tensor<4xf16> {
    %0 = tg.tanh %x : tensor<4xf16>
    return %0 : tensor<4xf16>
  }
}
