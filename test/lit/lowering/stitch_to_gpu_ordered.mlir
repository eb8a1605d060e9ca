// RUN: stitch-opt %s -split-input-file --stitch-pipeline=device=h200 --convert-stitch-to-gpu | FileCheck %s
// RUN: stitch-opt %s -split-input-file --stitch-pipeline=device=h200 --convert-stitch-to-gpu --gpu-to-ptx=arch=sm_90 | FileCheck %s --check-prefix=PTX

// Eight roots, one after the other, that read more than a thread has registers for: each reads when those before it
// have stored.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: memref<4194304xf32> {{[{]}}llvm.align = 16 : i64, llvm.readonly}
// CHECK-SAME: memref<4194304xf16> {{[{]}}llvm.align = 16 : i64, llvm.noalias}
// PTX-NOT: ld.global.nc
// PTX: ld.global.v4.b32
// PTX-NOT: ld.global.nc
// PTX-LABEL: func.func @main
func.func @main(%a0: tensor<4194304xf32>, %a1: tensor<4194304xf32>, %a2: tensor<4194304xf32>, %a3: tensor<4194304xf32>, %a4: tensor<4194304xf32>, %a5: tensor<4194304xf32>, %a6: tensor<4194304xf32>, %a7: tensor<4194304xf32>) -> (tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>) {
  %0 = tg.convert %a0 : (tensor<4194304xf32>) -> tensor<4194304xf16>
  %1 = tg.convert %a1 : (tensor<4194304xf32>) -> tensor<4194304xf16>
  %2 = tg.convert %a2 : (tensor<4194304xf32>) -> tensor<4194304xf16>
  %3 = tg.convert %a3 : (tensor<4194304xf32>) -> tensor<4194304xf16>
  %4 = tg.convert %a4 : (tensor<4194304xf32>) -> tensor<4194304xf16>
  %5 = tg.convert %a5 : (tensor<4194304xf32>) -> tensor<4194304xf16>
  %6 = tg.convert %a6 : (tensor<4194304xf32>) -> tensor<4194304xf16>
  %7 = tg.convert %a7 : (tensor<4194304xf32>) -> tensor<4194304xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>, tensor<4194304xf16>
}

// -----

// One root's loads fit: they may be moved anywhere.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: memref<4194304xf32> {{[{]}}llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// PTX: ld.global.nc.v4.b32
func.func @main(%a: tensor<4194304xf32>) -> tensor<4194304xf16> {
  %0 = tg.convert %a : (tensor<4194304xf32>) -> tensor<4194304xf16>
  return %0 : tensor<4194304xf16>
}
