// RUN: stitch-opt %s -stitch-pipeline="plan=astitch" 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: stitch-opt %s -pass-pipeline="builtin.module(func.func(stitch-pipeline{plan=astitch}))" 2>/dev/null | FileCheck %s --check-prefix=FUNCTIONS
// RUN: not stitch-opt %s -stitch-pipeline="adaptive=true" 2>&1 | FileCheck %s --check-prefix=ADAPTIVE
// RUN: not stitch-opt %s -stitch-pipeline="streams=2" 2>&1 | FileCheck %s --check-prefix=STREAMS
// RUN: not stitch-opt %s -pass-pipeline="builtin.module(stitch-each-graph{passes='stitch-outlin'})" 2>&1 | FileCheck %s --check-prefix=PASSES

// REMARK: remark: stitch-pipeline: operations of other dialects stay where they are: arith (4), linalg (1), func (2), scf (2), cf (3)
// ADAPTIVE: [[@LINE+22]]:{{.*}}error: {{.*}}is one of several graphs, or one between operations of other dialects, and adaptive=true takes a module that is one graph
// STREAMS: and streams takes a module that is one graph
// PASSES: error: {{.*}}option 'passes' does not parse: {{.*}}'stitch-outlin' does not refer to a registered pass

// What stands between operations of other dialects is planned where it is; constants of arith are constants of the graph. The
// addition, which needs no result of the product, goes to the hyperbolic tangent, behind it.

// CHECK: module attributes {stitch.device = #stitch.device<h200>}
// CHECK-LABEL: func.func @between
// CHECK: stitch.fusion(%{{.*}} = %arg0)
// CHECK-NEXT: tg.exp
// CHECK: linalg.matmul
// CHECK-NEXT: stitch.fusion
// CHECK-DAG: tg.tanh
// CHECK-DAG: tg.constant {{.*}}dense<1.000000e+00>
// CHECK-NOT: stitch.fusion
// FUNCTIONS: module {
// FUNCTIONS: func.func @between{{.*}} attributes {stitch.device = #stitch.device<h200>}
// FUNCTIONS: stitch.fusion
// FUNCTIONS: linalg.matmul
// FUNCTIONS: stitch.fusion
func.func @between(%a: tensor<64x128xf32>, %w: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %0 = tg.exp %a : tensor<64x128xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %o = arith.constant dense<1.0> : tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<64x128xf32>, tensor<128x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tg.tanh %1 : tensor<64x64xf32>
  %3 = tg.add %2, %o : tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// A call of a function without a body, and of one that calls itself, stays; one of a private graph is part of the graph, and the
// function is gone.

// CHECK: func.func private @outside
// CHECK-NOT: @helper
// CHECK-LABEL: func.func @calls
// CHECK: %[[H:.*]] = stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK: %[[E:.*]] = call @outside(%[[H]])
// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %[[E]])
// CHECK: stitch.fusion(%{{.*}} = %[[X]], %{{.*}} = %[[H]])
// CHECK: scf.yield
// FUNCTIONS: func.func private @helper
// FUNCTIONS: stitch.fusion
// FUNCTIONS: call @helper
// FUNCTIONS: stitch.fusion
func.func private @outside(tensor<8x8xf32>) -> tensor<8x8xf32>
func.func private @helper(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tg.exp %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @calls(%a: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = call @helper(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = call @outside(%h) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %e) -> tensor<8x8xf32> {
    %1 = tg.mul %x, %h : tensor<8x8xf32>
    %2 = tg.tanh %1 : tensor<8x8xf32>
    scf.yield %2 : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @recursive
// CHECK: call @recursive
// CHECK: stitch.fusion
func.func @recursive(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @recursive(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = tg.exp %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Functions that are graphs, each for itself; also @main, which another one calls.

// CHECK-LABEL: func.func @main
// CHECK: stitch.fusion
// CHECK: tg.exp
// CHECK-LABEL: func.func @whole
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK: tg.reduce add
// CHECK-NOT: call
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %h = call @helper(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %h : tensor<8x8xf32>
}
func.func @whole(%a: tensor<8x8xf32>) -> tensor<8xf32> {
  %h = call @main(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = tg.reduce add %h dims [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Blocks that branch.

// CHECK-LABEL: func.func @branches
// CHECK: stitch.fusion
// CHECK: cf.cond_br
// CHECK: ^bb1
// CHECK: stitch.fusion
// CHECK: cf.br
// CHECK: ^bb2
// CHECK-NEXT: cf.br
func.func @branches(%a: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %0 = tg.exp %a : tensor<8xf32>
  cf.cond_br %c, ^then, ^else
^then:
  %1 = tg.neg %0 : tensor<8xf32>
  cf.br ^end(%1 : tensor<8xf32>)
^else:
  cf.br ^end(%0 : tensor<8xf32>)
^end(%2: tensor<8xf32>):
  return %2 : tensor<8xf32>
}

// A module within the module.

// CHECK: module @inner attributes {stitch.device = #stitch.device<h200>}
// CHECK: stitch.fusion
module @inner {
  func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = tg.exp %a : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// What only passes through a function may have a dynamic shape, or be sparse.

// CHECK-LABEL: func.func @passes(
// CHECK: %[[F:.*]] = stitch.fusion
// CHECK: return %arg0, %[[F]]
func.func @passes(%a: tensor<?xf32>, %b: tensor<64x128xf32>) -> (tensor<?xf32>, tensor<64x128xf32>) {
  %0 = tg.exp %b : tensor<64x128xf32>
  return %a, %0 : tensor<?xf32>, tensor<64x128xf32>
}
func.func @sparse(%a: tensor<64x64xf32, #sparse_tensor.encoding<{map = (d0, d1) -> (d0 : dense, d1 : compressed)}>>)
    -> tensor<64x64xf32, #sparse_tensor.encoding<{map = (d0, d1) -> (d0 : dense, d1 : compressed)}>> {
  return %a : tensor<64x64xf32, #sparse_tensor.encoding<{map = (d0, d1) -> (d0 : dense, d1 : compressed)}>>
}
