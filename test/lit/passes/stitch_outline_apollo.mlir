// RUN: stitch-opt %s -split-input-file -stitch-outline=scope=apollo | FileCheck %s

// APOLLO's aggregation rules, tables 1 and 2.

// Rules 1, 4 and 7: the reduction takes in what is before it and, going through the same rows, what is behind it.

// CHECK-LABEL: func.func @softmax
// CHECK: stitch.fusion
// CHECK: tg.reduce max
// CHECK: tg.reduce add
// CHECK: tg.div
// CHECK-NOT: stitch.fusion
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = tg.neg %x : tensor<64x128xf32>
  %max = tg.reduce max %0 dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  %maxes = tg.broadcast %max dims [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %less = tg.sub %0, %maxes : tensor<64x128xf32>
  %e = tg.exp %less : tensor<64x128xf32>
  %sum = tg.reduce add %e dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  %sums = tg.broadcast %sum dims [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %1 = tg.div %e, %sums : tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}

// -----

// Rule 8 asks for the same canonical form: reductions along rows and along columns stay apart.

// CHECK-LABEL: func.func @forms
// CHECK: stitch.fusion
// CHECK: tg.exp
// CHECK: tg.reduce add {{.*}} dims [1]
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK: tg.reduce add {{.*}} dims [0]
// CHECK-NEXT: stitch.yield
func.func @forms(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<128xf32>) {
  %e = tg.exp %x : tensor<64x128xf32>
  %row = tg.reduce add %e dims [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  %rows = tg.broadcast %row dims [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %y = tg.mul %e, %rows : tensor<64x128xf32>
  %column = tg.reduce add %y dims [0] : (tensor<64x128xf32>) -> tensor<128xf32>
  return %y, %column : tensor<64x128xf32>, tensor<128xf32>
}

// -----

// What is opaque (a gather here) has no rule, and ends what is before it and what is behind it.

// CHECK-LABEL: func.func @opaque
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.pad
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.log
// CHECK-NEXT: stitch.yield
func.func @opaque(%x: tensor<16xf32>, %p: tensor<f32>) -> tensor<18xf32> {
  %e = tg.exp %x : tensor<16xf32>
  %y = tg.pad %e, %p low [1] high [1] interior [0] : (tensor<16xf32>, tensor<f32>) -> tensor<18xf32>
  %0 = tg.log %y : tensor<18xf32>
  return %0 : tensor<18xf32>
}

// -----

// Two paths lead from the exponential to the sum: over the gather's result they would form a cycle, so they stay apart
// although rule 1 has their types.

// CHECK-LABEL: func.func @cycle
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.reverse
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.add
// CHECK-NEXT: stitch.yield
func.func @cycle(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tg.exp %x : tensor<16xf32>
  %r = tg.reverse %e dims [0] : tensor<16xf32>
  %0 = tg.add %e, %r : tensor<16xf32>
  return %0 : tensor<16xf32>
}
