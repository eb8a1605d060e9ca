// RUN: stitch-opt %s -split-input-file --stitch-pipeline='adaptive=true' --stitch-remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// A kernel that computes a thin product: a library call with a kernel behind it takes a fifth more by the model, which is
// for measurements to decide. What is left out for its length has its time told.

// REMARK: remark: can be planned in 2 ways, here and in 0 equal parts: as it is for {{[0-9]+}} ns, and with products by a library for {{[0-9]+}} ns
// REMARK: remark: plan=xla, here and in 0 equal parts, is left out, as it would make the file too long (option growth): {{[0-9]+}} ns, and {{[0-9]+}} ns as it is
// CHECK-LABEL: func.func @main
// CHECK: stitch.adaptive "thin_0" ["planned", "library"]
// CHECK: stitch.fusion
// CHECK: tg.reduce add
// CHECK: }, {
// CHECK: stitch.library_call
// CHECK-NEXT: tg.dot
// CHECK: stitch.fusion
// CHECK: tg.tanh
func.func @main(%x: tensor<1x4096xf16>, %w: tensor<4096x4096xf16>, %b: tensor<4096xf16>) -> tensor<1x4096xf16> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<1x4096xf16>, tensor<4096x4096xf16>) -> tensor<1x4096xf16>
  %1 = tg.broadcast %b dims [1] : (tensor<4096xf16>) -> tensor<1x4096xf16>
  %2 = tg.add %0, %1 : tensor<1x4096xf16>
  %3 = tg.tanh %2 : tensor<1x4096xf16>
  return %3 : tensor<1x4096xf16>
}

// -----

// Where it takes far longer, nothing varies.

// CHECK-LABEL: func.func @main
// CHECK-NOT: "thin_
func.func @main(%x: tensor<1x64xf16>, %w: tensor<64x64xf16>) -> tensor<1x64xf16> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<1x64xf16>, tensor<64x64xf16>) -> tensor<1x64xf16>
  return %0 : tensor<1x64xf16>
}

// -----

// A sum of squares is no product that a library computes.

// CHECK-LABEL: func.func @main
// CHECK-NOT: "thin_
func.func @main(%y: tensor<4096x4096xf32>) -> tensor<4096xf32> {
  %0 = tg.mul %y, %y : tensor<4096x4096xf32>
  %1 = tg.reduce add %0 dims [1] : (tensor<4096x4096xf32>) -> tensor<4096xf32>
  return %1 : tensor<4096xf32>
}
