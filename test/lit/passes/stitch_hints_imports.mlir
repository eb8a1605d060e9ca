// RUN: stitch-opt %s -convert-tosa-to-tg -convert-linalg-to-tg -stitch-pipeline="plan=astitch" | FileCheck %s

// Hints on operations of TOSA and linalg; in a module with operations of other dialects, each graph has its own.

// CHECK-LABEL: func.func @tosa
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.tanh
// CHECK-NEXT: stitch.yield
func.func @tosa(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tosa.exp %a {stitch.fuse = "alone"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = tosa.tanh %0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @linalg
// CHECK: arith.addf
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.tanh
// CHECK-NEXT: stitch.yield
// CHECK-NOT: stitch.rules
func.func @linalg(%a: tensor<64x64xf32>, %s: f32) -> (tensor<64x64xf32>, f32) {
  %t = arith.addf %s, %s : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %0 = linalg.exp {stitch.fuse = "alone"} ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.tanh ins(%0 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1, %t : tensor<64x64xf32>, f32
}
