// RUN: stitch-compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s
// RUN: stitch-compile %s --target=sm_80 --emit=ptx --pipeline=precision=strict -o - | FileCheck %s --check-prefix=STRICT
// RUN: stitch-compile %s -o %t.so && stitch-run %t.so --check --seed=1

// A logistic function divides by what lies between one and two: an approximate reciprocal and a step of Newton's, which is what ptxas makes of
// rcp.rn but for its test for large and small divisors.

// CHECK-LABEL: .entry
// CHECK: ex2.approx
// CHECK: rcp.approx.ftz.f32 [[R:%f[0-9]+|%r[0-9]+]], [[Y:%f[0-9]+|%r[0-9]+]]
// CHECK: fma.rn.f32
// CHECK: fma.rn.f32
// CHECK-NOT: div.rn
// CHECK-NOT: rcp.rn
// STRICT: div.rn.f32
func.func @main(%x: tensor<4099xf32>) -> tensor<4099xf32> {
  %0 = tg.logistic %x : tensor<4099xf32>
  return %0 : tensor<4099xf32>
}
