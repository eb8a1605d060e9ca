// RUN: stitch-compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s
// RUN: stitch-compile %s -o %t.so && stitch-run %t.so --check --seed=1
// RUN: %python %source/test/operations/narrow_reciprocals.py | FileCheck %s --check-prefix=ALL
// ALL: 32639 reciprocals, 0 wrong

// The reciprocal of a bf16 that is rounded to bf16 is one instruction.
// CHECK-LABEL: .entry fusion_0
// CHECK: rcp.approx.f32
// CHECK-NOT: rcp.rn

// That of an f16 is not: 11 bits and those of f32 leave no room. Nor is what f32 reads, too, or a quotient of two.
// CHECK: rcp.rn.f32
// CHECK: rcp.rn.f32
// CHECK: div.rn.f32
func.func @main(%x: tensor<4099xbf16>, %y: tensor<4099xf16>, %z: tensor<4099xbf16>) -> (tensor<4099xbf16>, tensor<4099xf16>, tensor<4099xf32>, tensor<4099xbf16>) {
  %one = tg.constant dense<1.0> : tensor<4099xbf16>
  %half = tg.constant dense<1.0> : tensor<4099xf16>
  %wide = tg.constant dense<1.0> : tensor<4099xf32>
  %a = tg.div %one, %x : tensor<4099xbf16>
  %b = tg.div %half, %y : tensor<4099xf16>
  %w = tg.convert %z : (tensor<4099xbf16>) -> tensor<4099xf32>
  %c = tg.div %wide, %w : tensor<4099xf32>
  %d = tg.div %z, %x : tensor<4099xbf16>
  return %a, %b, %c, %d : tensor<4099xbf16>, tensor<4099xf16>, tensor<4099xf32>, tensor<4099xbf16>
}
