// RUN: stitch-opt %s -convert-linalg-to-tg=dims=b=16,arg0.1=8,arg2.0=16 | FileCheck %s
// RUN: not stitch-opt %s -convert-linalg-to-tg=dims=b=16,c=8 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not stitch-opt %s -convert-linalg-to-tg=dims=b=x 2>&1 | FileCheck %s --check-prefix=WRONG

// Open sizes of arguments get the sizes that are given, all other types follow.

// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<16x8xf32>
// CHECK-SAME: -> (tensor<16x4xf32>, tensor<16xf32>)
// CHECK: tg.dot %arg0, %arg1 contract [1] x [0] : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
// CHECK: tg.tanh
// CHECK: tg.reduce add %{{.*}} dims [1] : (tensor<16x4xf32>) -> tensor<16xf32>
// CHECK-NOT: tensor<?
// NONE: has no argument with a dimension 'c' of unknown size
// WRONG: error: pass 'convert-linalg-to-tg': option 'dims' must be sizes such as b=8,arg1.0=4, and is 'b=x'
func.func @main(%x: tensor<?x?xf32> {stitch.dims = ["b", ""]}, %w: tensor<8x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<8x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%m, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    %u = math.tanh %t : f32
    linalg.yield %u : f32
  } -> tensor<?x4xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce { arith.addf } ins(%s : tensor<?x4xf32>) outs(%f1 : tensor<?xf32>) dimensions = [1]
  return %s, %r : tensor<?x4xf32>, tensor<?xf32>
}
