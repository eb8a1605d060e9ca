// RUN: stitch-compile %s --target=sm_90 --device=h200 --emit=ptx --pipeline=plan=thin -o - | FileCheck %s
// RUN: stitch-compile %s -o %t.so --pipeline=plan=thin && stitch-run %t.so --check --seed=1 --thread-order=3

// Four heads are rotated: a concatenation for each of them, with one condition. They are one branch, whose sides load the heads together.
// CHECK-LABEL: .entry fusion_0
// CHECK: bra [[ELSE:\$L[A-Z0-9_]+]];
// CHECK-NOT: bra
// CHECK-COUNT-12: ld.global.nc.v4
// CHECK-NOT: bra{{ }}
// CHECK: bra.uni
// CHECK: [[ELSE]]:
// CHECK-COUNT-12: ld.global.nc.v4
func.func @main(%q: tensor<2048xf32>, %c: tensor<32xf32>, %s: tensor<32xf32>, %k: tensor<8x1024x64xbf16>) -> tensor<8x4x1024xf32> {
  %qb = stablehlo.convert %q : (tensor<2048xf32>) -> tensor<2048xbf16>
  %qr = stablehlo.reshape %qb : (tensor<2048xbf16>) -> tensor<32x64xbf16>
  %a = stablehlo.slice %qr [0:32, 0:32] : (tensor<32x64xbf16>) -> tensor<32x32xbf16>
  %b = stablehlo.slice %qr [0:32, 32:64] : (tensor<32x64xbf16>) -> tensor<32x32xbf16>
  %af = stablehlo.convert %a : (tensor<32x32xbf16>) -> tensor<32x32xf32>
  %bf = stablehlo.convert %b : (tensor<32x32xbf16>) -> tensor<32x32xf32>
  %cb = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<32xf32>) -> tensor<32x32xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<32xf32>) -> tensor<32x32xf32>
  %1 = stablehlo.multiply %af, %cb : tensor<32x32xf32>
  %2 = stablehlo.multiply %bf, %sb : tensor<32x32xf32>
  %3 = stablehlo.subtract %1, %2 : tensor<32x32xf32>
  %4 = stablehlo.multiply %bf, %cb : tensor<32x32xf32>
  %5 = stablehlo.multiply %af, %sb : tensor<32x32xf32>
  %6 = stablehlo.add %4, %5 : tensor<32x32xf32>
  %7 = stablehlo.concatenate %3, %6, dim = 1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x64xf32>
  %8 = stablehlo.convert %7 : (tensor<32x64xf32>) -> tensor<32x64xbf16>
  %9 = stablehlo.reshape %8 : (tensor<32x64xbf16>) -> tensor<8x4x64xbf16>
  %p = stablehlo.dot_general %9, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x4x64xbf16>, tensor<8x1024x64xbf16>) -> tensor<8x4x1024xf32>
  return %p : tensor<8x4x1024xf32>
}
