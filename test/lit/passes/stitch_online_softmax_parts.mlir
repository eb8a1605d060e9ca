// Products of f32 weights with what is converted from bf16: bf16 parts, from sm_80 on.
// RUN: stitch-opt %s -pass-pipeline='builtin.module(stitch-set-device{device=h200},stitch-online-softmax{choose=always})' | FileCheck %s
// RUN: stitch-opt %s -pass-pipeline='builtin.module(stitch-set-device{device=t4},stitch-online-softmax{choose=always})' | FileCheck %s --check-prefix=OLD

// CHECK: stitch.attention = #stitch.attention<mma, {{.*}}gradient = true>
// CHECK: tg.dot {{.*}} {stitch.bf16_parts} : (tensor<2x64x64xf32>, tensor<2x64x16xf32>) -> tensor<2x64x16xf32>
// CHECK: stitch.attention = #stitch.attention<mma, {{.*}}gradient = true>
// CHECK: tg.dot {{.*}} {stitch.bf16_parts} : (tensor<2x64x64xf32>, tensor<2x64x16xf32>) -> tensor<2x64x16xf32>
// OLD: gradient = true
// OLD-NOT: stitch.bf16_parts
func.func @main(%q: tensor<2x64x16xbf16>, %k: tensor<2x64x16xbf16>, %v: tensor<2x64x16xbf16>, %g: tensor<2x64x16xbf16>)
    -> (tensor<2x64x16xbf16>, tensor<2x64x16xf32>, tensor<2x64x16xf32>, tensor<2x64x16xbf16>) {
  %0 = tg.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x16xbf16>, tensor<2x64x16xbf16>) -> tensor<2x64x64xf32>
  %1 = tg.reduce max %0 dims [2] : (tensor<2x64x64xf32>) -> tensor<2x64xf32>
  %2 = tg.broadcast %1 dims [0, 1] : (tensor<2x64xf32>) -> tensor<2x64x64xf32>
  %3 = tg.sub %0, %2 : tensor<2x64x64xf32>
  %4 = tg.exp %3 : tensor<2x64x64xf32>
  %5 = tg.reduce add %4 dims [2] : (tensor<2x64x64xf32>) -> tensor<2x64xf32>
  %6 = tg.broadcast %5 dims [0, 1] : (tensor<2x64xf32>) -> tensor<2x64x64xf32>
  %7 = tg.div %4, %6 : tensor<2x64x64xf32>
  %8 = tg.convert %7 : (tensor<2x64x64xf32>) -> tensor<2x64x64xbf16>
  %9 = tg.dot %8, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x64xbf16>, tensor<2x64x16xbf16>) -> tensor<2x64x16xbf16>
  %10 = tg.dot %g, %v batch [0] x [0] contract [2] x [2] : (tensor<2x64x16xbf16>, tensor<2x64x16xbf16>) -> tensor<2x64x64xf32>
  %11 = tg.mul %10, %7 : tensor<2x64x64xf32>
  %12 = tg.reduce add %11 dims [2] : (tensor<2x64x64xf32>) -> tensor<2x64xf32>
  %13 = tg.broadcast %12 dims [0, 1] : (tensor<2x64xf32>) -> tensor<2x64x64xf32>
  %14 = tg.sub %10, %13 : tensor<2x64x64xf32>
  %15 = tg.mul %14, %7 : tensor<2x64x64xf32>
  %16 = tg.convert %k : (tensor<2x64x16xbf16>) -> tensor<2x64x16xf32>
  %17 = tg.dot %15, %16 batch [0] x [0] contract [2] x [1] : (tensor<2x64x64xf32>, tensor<2x64x16xf32>) -> tensor<2x64x16xf32>
  %18 = tg.convert %q : (tensor<2x64x16xbf16>) -> tensor<2x64x16xf32>
  %19 = tg.dot %15, %18 batch [0] x [0] contract [1] x [1] : (tensor<2x64x64xf32>, tensor<2x64x16xf32>) -> tensor<2x64x16xf32>
  %20 = tg.dot %8, %g batch [0] x [0] contract [1] x [1] : (tensor<2x64x64xbf16>, tensor<2x64x16xbf16>) -> tensor<2x64x16xbf16>
  return %9, %17, %19, %20 : tensor<2x64x16xbf16>, tensor<2x64x16xf32>, tensor<2x64x16xf32>, tensor<2x64x16xbf16>
}
