// The extreme element and its index: by rows, columns and over blocks, with and without readers in the same kernel.
// REQUIRES: long-tests
// RUN: stitch-run %s --check --thread-order=2 -- --checks | FileCheck %s
// CHECK-COUNT-16: ok: output

func.func @main(%a: tensor<64x130xf32>, %b: tensor<33x7x5xf16>, %l: tensor<3x30000xf32>, %c: tensor<5000x40xi8>, %d: tensor<64x33xi1>, %u: tensor<7x4000xui16>, %q: tensor<500x6x9xbf16>) -> (tensor<64xf32>, tensor<64xi32>, tensor<33x5xf16>, tensor<33x5xi64>, tensor<64x130xf32>, tensor<3xf32>, tensor<3xi32>, tensor<40xi8>, tensor<40xi32>, tensor<64xi1>, tensor<64xi32>, tensor<7xui16>, tensor<7xui32>, tensor<500x9xbf16>, tensor<500x9xi32>, tensor<3x30000xf32>) {
  %e = "tg.exp"(%a) : (tensor<64x130xf32>) -> tensor<64x130xf32>
  %v, %i = tg.arg_reduce max %e dim 1 : (tensor<64x130xf32>) -> (tensor<64xf32>, tensor<64xi32>)
  %v2, %i2 = tg.arg_reduce min %b dim 1 : (tensor<33x7x5xf16>) -> (tensor<33x5xf16>, tensor<33x5xi64>)
  %v3, %i3 = tg.arg_reduce max %l dim 1 : (tensor<3x30000xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  %v4, %i4 = tg.arg_reduce max %c dim 0 : (tensor<5000x40xi8>) -> (tensor<40xi8>, tensor<40xi32>)
  %v5, %i5 = tg.arg_reduce max %d dim 1 : (tensor<64x33xi1>) -> (tensor<64xi1>, tensor<64xi32>)
  %v6, %i6 = tg.arg_reduce min %u dim 1 : (tensor<7x4000xui16>) -> (tensor<7xui16>, tensor<7xui32>)
  %v7, %i7 = tg.arg_reduce min %q dim 1 : (tensor<500x6x9xbf16>) -> (tensor<500x9xbf16>, tensor<500x9xi32>)
  %cc = "tg.convert"(%i) : (tensor<64xi32>) -> tensor<64xf32>
  %s = "tg.mul"(%cc, %v) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %bb = "tg.broadcast"(%s) {dims = array<i64: 0>} : (tensor<64xf32>) -> tensor<64x130xf32>
  %r = "tg.sub"(%e, %bb) : (tensor<64x130xf32>, tensor<64x130xf32>) -> tensor<64x130xf32>
  %bl = "tg.broadcast"(%v3) {dims = array<i64: 0>} : (tensor<3xf32>) -> tensor<3x30000xf32>
  %il = "tg.convert"(%i3) : (tensor<3xi32>) -> tensor<3xf32>
  %il2 = "tg.broadcast"(%il) {dims = array<i64: 0>} : (tensor<3xf32>) -> tensor<3x30000xf32>
  %rl = "tg.sub"(%l, %bl) : (tensor<3x30000xf32>, tensor<3x30000xf32>) -> tensor<3x30000xf32>
  %rl2 = "tg.add"(%rl, %il2) : (tensor<3x30000xf32>, tensor<3x30000xf32>) -> tensor<3x30000xf32>
  return %v, %i, %v2, %i2, %r, %v3, %i3, %v4, %i4, %v5, %i5, %v6, %i6, %v7, %i7, %rl2: tensor<64xf32>, tensor<64xi32>, tensor<33x5xf16>, tensor<33x5xi64>, tensor<64x130xf32>, tensor<3xf32>, tensor<3xi32>, tensor<40xi8>, tensor<40xi32>, tensor<64xi1>, tensor<64xi32>, tensor<7xui16>, tensor<7xui32>, tensor<500x9xbf16>, tensor<500x9xi32>, tensor<3x30000xf32>
}
