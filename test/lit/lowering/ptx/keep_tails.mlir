// RUN: stitch-compile %s --pipeline=plan=astitch --target=sm_90 --emit=nvvm -o - | FileCheck %s --check-prefix=NVVM
// RUN: stitch-compile %s --pipeline=plan=astitch --target=sm_90 --cache=off --emit=ptx -o - | FileCheck %s
// RUN: stitch-compile %s --pipeline=plan=astitch --target=sm_80 --cache=off --emit=ptx -o - | FileCheck %s

// 946253 elements of 2 bytes end 10 bytes behind the last whole 16. The last vector is five loads, which LLVM would make one of 16 bytes: six bytes
// behind the tensor. Four are one load of 8 bytes.

// NVVM: llvm.load volatile
// NVVM-NOT: llvm.load volatile
// CHECK-NOT: v4.b32 {{.*}}+1892496]
// CHECK: ld.global{{.*}}v2.b32 {{.*}}+1892496]
// CHECK-NEXT: ld.{{(volatile.)?}}global{{.*}}b16 {{.*}}+1892504]
// CHECK-NOT: +1892506]
func.func @main(%x: tensor<77x12289xbf16>, %b: tensor<12289xbf16>) -> tensor<77x12289xbf16> {
  %0 = tg.broadcast %b dims [1] : (tensor<12289xbf16>) -> tensor<77x12289xbf16>
  %1 = tg.add %x, %0 : tensor<77x12289xbf16>
  return %1 : tensor<77x12289xbf16>
}
