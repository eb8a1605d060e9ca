// REQUIRES: long-tests
// RUN: stitch-compile %s --target=sm_90 --device=h200 --emit=ptx --pipeline=plan=thin -o - | FileCheck %s
// RUN: stitch-compile %s -o %t.so --pipeline=plan=thin && stitch-run %t.so --check --seed=1 --thread-order=3

// The rows of a product: a batch is loaded in front of the loop, and the loop loads the next one before it computes with what it has.
// CHECK-LABEL: .entry fusion_0
// CHECK-NOT: {{^}}$L__
// CHECK-COUNT-8: ld.global.nc.v4
// CHECK-NOT: fma
// CHECK: {{^}}[[LOOP:\$L__BB0_[0-9]+]]:
// CHECK: setp
// CHECK: selp
// CHECK-NOT: fma
// CHECK-COUNT-8: ld.global.nc.v4
// CHECK: fma
// CHECK-NOT: ld.global.nc
// CHECK: bra [[LOOP]];
func.func @main(%x: tensor<8192xbf16>, %weight: tensor<8192x2048xbf16>) -> tensor<2048xbf16> {
  %p = stablehlo.dot_general %x, %weight, contracting_dims = [0] x [0] : (tensor<8192xbf16>, tensor<8192x2048xbf16>) -> tensor<2048xbf16>
  return %p : tensor<2048xbf16>
}
