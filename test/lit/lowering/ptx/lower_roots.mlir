// RUN: stitch-compile %s --target=sm_80 --device=a100 --emit=ptx -o - | FileCheck %s
// RUN: stitch-compile %s -o %t.so && stitch-run %t.so --check --seed=1

// The square roots of a vector's elements: the largest of their tests decides for all of them whether the three instructions are enough that ptxas
// makes of sqrt.rn. Behind them, where that does not hold, are the instructions themselves.

// CHECK-LABEL: .entry fusion_0
// CHECK: max.u32
// CHECK: max.u32
// CHECK: max.u32 [[MOST:%r[0-9]+]],
// CHECK-NEXT: setp.gt.u32 %p{{[0-9]+}}, [[MOST]], 1920991231;
// CHECK: rsqrt.approx.ftz.f32 [[R:%r[0-9]+]], [[X:%r[0-9]+]]
// CHECK-NEXT: mul.rn.f32 [[S:%r[0-9]+]], [[X]], [[R]]
// CHECK-NEXT: mul.rn.f32 [[HALF:%r[0-9]+]], [[R]], 0f3F000000
// CHECK: fma.rn.f32 [[REST:%r[0-9]+]], %r{{[0-9]+}}, [[S]], [[X]]
// CHECK-NEXT: fma.rn.f32 %r{{[0-9]+}}, [[REST]], [[HALF]], [[S]]
// CHECK-COUNT-3: rsqrt.approx.ftz.f32

// A root of a root waits for it, and one alone is ptxas's business.
// CHECK-NOT: sqrt
// CHECK: sqrt.rn.f32 [[FIRST:%r[0-9]+]],
// CHECK-NEXT: sqrt.rn.f32 %r{{[0-9]+}}, [[FIRST]];

// CHECK-COUNT-4: sqrt.rn.f32
// CHECK-NOT: sqrt
func.func @main(%x: tensor<64x4096xf32>, %y: tensor<7xf32>) -> (tensor<64x4096xf32>, tensor<7xf32>) {
  %0 = tg.sqrt %x : tensor<64x4096xf32>
  %1 = tg.sqrt %y : tensor<7xf32>
  %2 = tg.sqrt %1 : tensor<7xf32>
  return %0, %2 : tensor<64x4096xf32>, tensor<7xf32>
}
