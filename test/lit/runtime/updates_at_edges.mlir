// RUN: stitch-compile %s --checks -o %t.so
// RUN: stitch-run %t.so --check --thread-order=0 | FileCheck %s
// RUN: stitch-run %t.so --check --thread-order=7 | FileCheck %s
// RUN: stitch-opt %s --stitch-pipeline=plan=astitch --convert-stitch-to-gpu | FileCheck %s --check-prefix=KERNEL

// Blocks store a slice of a donated cache whose ends are in the middle of a vector; others read the rest of the cache. They load the elements that are theirs alone, not
// vectors with elements that the former store: no race. Other inputs are loaded by vectors.

// CHECK: ok: 1 of 1 launches checked alone, 0 wrong

// KERNEL-LABEL: gpu.func @fusion_0(
// KERNEL-SAME: %[[CACHE:arg[0-9]+]]: memref<130xbf16> {llvm.align = 16 : i64},
// KERNEL-SAME: %[[OTHER:arg[0-9]+]]: memref<130xbf16> {llvm.align = 16 : i64, llvm.noalias
// KERNEL-NOT: vector.load %[[CACHE]]
// KERNEL: vector.load %[[OTHER]]
// KERNEL-NOT: vector.load %[[CACHE]]
// KERNEL: gpu.return
func.func @main(%cache: tensor<130xbf16> {stitch.donated = 0 : i64}, %update: tensor<40xbf16>, %start: tensor<i32>, %other: tensor<130xbf16>) -> (tensor<130xbf16>, tensor<130xbf16>) {
  %0 = tg.tanh %update : tensor<40xbf16>
  %1 = tg.dynamic_update_slice %cache[%start], %0 : (tensor<130xbf16>, tensor<40xbf16>, tensor<i32>) -> tensor<130xbf16>
  %2 = tg.max %1, %other : tensor<130xbf16>
  return %1, %2 : tensor<130xbf16>, tensor<130xbf16>
}
