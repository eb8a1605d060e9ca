// RUN: stitch-compile %s --pipeline=plan=thin --target=sm_90 --emit=ptx -o %t.ptx && FileCheck %s --input-file=%t.ptx

// Eight rows times a matrix: a thread has sums enough to add each product to what has been summed up, by one instruction. Of 1,024 products of
// a round none is multiplied alone.

// CHECK-NOT: mul.rn.f32
// CHECK-COUNT-1024: fma.rn{{(.ftz)?}}.f32
// CHECK-NOT: mul.rn.f32
// CHECK: ret;
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<8x2048xbf16>, %w: tensor<2048x8192xbf16>) -> tensor<8x8192xbf16> {
    %p = "tg.dot"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<8x2048xbf16>, tensor<2048x8192xbf16>) -> tensor<8x8192xbf16>
    return %p : tensor<8x8192xbf16>
  }
}
