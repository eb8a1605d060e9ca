// RUN: stitch-compile %s --target=sm_90 --device=h200 --emit=ptx --pipeline=plan=thin -o - | FileCheck %s
// RUN: stitch-compile %s -o %t.so --pipeline=plan=thin && stitch-run %t.so --check --seed=1 --thread-order=3

// The factor of a product's rows is a quotient: ptxas makes a branch of each reciprocal, and moves no load across it. All that an iteration
// of the loop loads comes before the first.
// CHECK-LABEL: .entry fusion_0
// CHECK: ld.global.nc.v4
// CHECK-NOT: {{rcp|div}}.rn
// CHECK: ld.global.nc.v4
// CHECK-NOT: {{rcp|div}}.rn
// CHECK: ld.global.nc.v4
// CHECK-NOT: {{rcp|div}}.rn
// CHECK: ld.global.nc.v4
// CHECK: rcp.rn
// CHECK-NOT: ld.global.nc
// CHECK: rcp.rn
// CHECK: bra
func.func @main(%gate: tensor<3072xf32>, %up: tensor<3072xf32>, %weight: tensor<3072x1024xf16>) -> tensor<1024xf32> {
  %g = stablehlo.convert %gate : (tensor<3072xf32>) -> tensor<3072xf16>
  %u = stablehlo.convert %up : (tensor<3072xf32>) -> tensor<3072xf16>
  %n = stablehlo.negate %g : tensor<3072xf16>
  %e = stablehlo.exponential %n : tensor<3072xf16>
  %one = stablehlo.constant dense<1.0> : tensor<3072xf16>
  %d = stablehlo.add %e, %one : tensor<3072xf16>
  %q = stablehlo.divide %one, %d : tensor<3072xf16>
  %s = stablehlo.multiply %g, %q : tensor<3072xf16>
  %a = stablehlo.multiply %s, %u : tensor<3072xf16>
  %p = stablehlo.dot_general %a, %weight, contracting_dims = [0] x [0] : (tensor<3072xf16>, tensor<3072x1024xf16>) -> tensor<1024xf32>
  return %p : tensor<1024xf32>
}
