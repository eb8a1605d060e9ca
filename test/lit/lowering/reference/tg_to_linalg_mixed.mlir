// RUN: stitch-opt %s -convert-tg-to-linalg | FileCheck %s

// Graphs between operations of other dialects, in blocks that branch and in regions.

// CHECK-LABEL: func.func @blocks
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: cf.cond_br
// CHECK: ^bb1
// CHECK: arith.negf
// CHECK-NOT: tg.
func.func @blocks(%x: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %0 = tg.exp %x : tensor<4xf32>
  cf.cond_br %p, ^a, ^b
^a:
  %1 = tg.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
^b:
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @regions
// CHECK-SAME: tensor<4xui8>
// CHECK: scf.for
// CHECK: tensor.bitcast %{{.*}} : tensor<4xui8> to tensor<4xi8>
// CHECK: arith.maxui
// CHECK: tensor.bitcast %{{.*}} : tensor<4xi8> to tensor<4xui8>
// CHECK-NOT: tg.
func.func @regions(%x: tensor<4xui8>, %y: tensor<4xui8>, %n: index) -> tensor<4xui8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%z = %x) -> tensor<4xui8> {
    %0 = tg.max %z, %y : tensor<4xui8>
    scf.yield %0 : tensor<4xui8>
  }
  return %r : tensor<4xui8>
}

// Large products are linalg, too, unless a library is asked for.

// CHECK-LABEL: func.func @product
// CHECK-NOT: call
// CHECK: linalg.generic
func.func @product(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tg.dot %x, %x contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Modules in modules, and results with a destination.

// CHECK: module @nested
// CHECK: func.func @inner
// CHECK-NOT: tg.
// CHECK: %[[EXP:.*]] = linalg.{{exp|generic}}
// CHECK: %[[PLACED:.*]] = bufferization.materialize_in_destination %{{.*}} in %arg1
// CHECK-NEXT: return %[[PLACED]]
module @nested {
  func.func @inner(%a: tensor<4xf32>, %b: tensor<4xf32> {stitch.destination = 0 : i64, stitch.donated = 0 : i64}) -> tensor<4xf32> {
    %0 = tg.exp %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
