// The norm of three rows, which are a result, too, and two products with it.
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<3x500xbf16>, %y: tensor<3x500xbf16>, %v: tensor<500x160xbf16>, %w: tensor<500x160xbf16>) -> (tensor<3x500xbf16>, tensor<3x160xbf16>, tensor<3x160xbf16>) {
    %s = tg.add %x, %y : tensor<3x500xbf16>
    %f = tg.convert %s : (tensor<3x500xbf16>) -> tensor<3x500xf32>
    %q = tg.mul %f, %f : tensor<3x500xf32>
    %t = tg.reduce add %q dims [1] : (tensor<3x500xf32>) -> tensor<3xf32>
    %r = tg.rsqrt %t : tensor<3xf32>
    %b = tg.broadcast %r dims [0] : (tensor<3xf32>) -> tensor<3x500xf32>
    %n = tg.mul %f, %b : tensor<3x500xf32>
    %h = tg.convert %n : (tensor<3x500xf32>) -> tensor<3x500xbf16>
    %p = "tg.dot"(%h, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<3x500xbf16>, tensor<500x160xbf16>) -> tensor<3x160xbf16>
    %o = "tg.dot"(%h, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<3x500xbf16>, tensor<500x160xbf16>) -> tensor<3x160xbf16>
    return %s, %p, %o : tensor<3x500xbf16>, tensor<3x160xbf16>, tensor<3x160xbf16>
  }
}
