// The reference path as a whole: compiled, linked with the runtime and called from C.
// RUN: stitch-opt %s -stitch-reference=library-dot-min-flops=1 | mlir-translate -mlir-to-llvmir -o %t.ll
// RUN: %clang -Wno-override-module -O1 -I%source %t.ll %S/Inputs/reference_run.c %runtime -ldnnl -lm -o %t
// RUN: %t | FileCheck %s

// CHECK: status: 0
// CHECK: message: ok
// CHECK: product: 4 5 10 11
// CHECK: again: 4 5 10 11
// CHECK: transposed: 4 10 5 11
// CHECK: constant: 0.5 -1
// CHECK: same: 1 0 1
// CHECK: inverse: 0 1 0
// CHECK: doubled: 144 14
// CHECK: squares: 66 75 150 171
// A call that fails shows in the result, and nothing is computed by libraries after it.
// CHECK: status: 4
// CHECK: message: library call 1: unknown kind 99
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %p: tensor<3xi1>, %u: tensor<2xui8>)
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<3xi1>, tensor<3xi1>, tensor<2xui8>, tensor<2x2xf32>) {
  %0 = tg.dot %a, %b contract [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = tg.transpose %0 permutation [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = tg.constant dense<[0.5, -1.0]> : tensor<2xf32>
  %3 = tg.not %p : tensor<3xi1>
  %4 = tg.add %u, %u : tensor<2xui8>
  %5 = tg.dot %0, %0 contract [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %0, %1, %2, %p, %3, %4, %5
      : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<3xi1>, tensor<3xi1>, tensor<2xui8>, tensor<2x2xf32>
}
