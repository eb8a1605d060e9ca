// RUN: stitch-opt %s --split-input-file --stitch-outline --stitch-enumerate='saturated-flops=4096 growth=1000' | FileCheck %s
// RUN: stitch-opt %s --split-input-file --stitch-outline --stitch-enumerate='saturated-flops=4096 growth=1000' --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s --split-input-file --stitch-outline --stitch-enumerate='groups=false ladders=false' | FileCheck %s --check-prefix=OFF
// OFF-NOT: stitch.adaptive

// Three products with a common operand; the fusion behind them reads slices of the product that is there instead. Or one
// call computes them with their operands where they are, each argument of which is read by one of them.

// REMARK: remark: 3 products with a common operand, 4 versions, 1 fusions read their results in place
// REMARK: remark: 1 adaptive variables: 10^0.5 combinations, of which 4 are to be run
// CHECK-LABEL: func.func @main(%arg0: tensor<8x4xf32>
// CHECK-SAME: attributes {stitch.update = ["parallel", "products_0"]}
// CHECK: %[[R:.*]] = stitch.adaptive "products_0" ["apart", "by_2", "all", "batched"] : tensor<8x2xf32> {
// CHECK-COUNT-3: tg.dot {{.*}} -> tensor<8x2xf32>
// CHECK: stitch.fusion({{.*}}) : (tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
// CHECK: }, {
// CHECK: stitch.fusion(%[[A:.*]] = %arg1, %[[B:.*]] = %arg2)
// CHECK-NEXT: tg.concatenate %[[A]], %[[B]] dim 1
// CHECK: tg.dot {{.*}} -> tensor<8x4xf32>
// CHECK: tg.dot {{.*}} -> tensor<8x2xf32>
// CHECK: stitch.fusion({{.*}}) : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
// CHECK-NEXT: tg.slice {{.*}} [0:8, 0:2]
// CHECK-NEXT: tg.slice {{.*}} [0:8, 2:4]
// CHECK: }, {
// CHECK: tg.dot {{.*}} -> tensor<8x6xf32>
// CHECK: tg.slice {{.*}} [0:8, 4:6]
// CHECK: }, {
// CHECK-NEXT: %[[P:.*]]:3 = stitch.library_call(%[[X0:.*]] = %arg0, %[[A0:.*]] = %arg1, %[[X1:.*]] = %arg0, %[[B0:.*]] = %arg2, %[[X2:.*]] = %arg0, %[[C0:.*]] = %arg3)
// CHECK-NEXT: %[[D0:.*]] = tg.dot %[[X0]], %[[A0]] contract [1] x [0]
// CHECK-NEXT: %[[D1:.*]] = tg.dot %[[X1]], %[[B0]] contract [1] x [0]
// CHECK-NEXT: %[[D2:.*]] = tg.dot %[[X2]], %[[C0]] contract [1] x [0]
// CHECK-NEXT: stitch.yield %[[D0]], %[[D1]], %[[D2]]
// CHECK: stitch.fusion({{.*}} = %[[P]]#0, {{.*}} = %[[P]]#1, {{.*}} = %[[P]]#2)
// CHECK: return %[[R]]
func.func @main(%x: tensor<8x4xf32>, %a: tensor<4x2xf32>, %b: tensor<4x2xf32>, %c: tensor<4x2xf32>) -> tensor<8x2xf32> {
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %2 = tg.dot %x, %c contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %3 = tg.mul %0, %1 : tensor<8x2xf32>
  %4 = tg.mul %3, %2 : tensor<8x2xf32>
  return %4 : tensor<8x2xf32>
}

// -----

// Another weight behind the common operand on the left; sizes may differ, but not in a batch. Results that leave are copied by one kernel.

// CHECK-LABEL: func.func @main(%arg0: tensor<4x2xf32>
// CHECK: stitch.adaptive "products_0" ["apart", "all"] : tensor<8x2xf32>, tensor<3x2xf32>
// CHECK: tg.concatenate {{.*}} dim 0 : (tensor<8x4xf32>, tensor<3x4xf32>) -> tensor<11x4xf32>
// CHECK: tg.dot {{.*}} -> tensor<11x2xf32>
// CHECK: %[[S:.*]]:2 = stitch.fusion
// CHECK: tg.slice {{.*}} [0:8, 0:2]
// CHECK: tg.slice {{.*}} [8:11, 0:2]
// CHECK: stitch.yield %[[S]]#0, %[[S]]#1
func.func @main(%w: tensor<4x2xf32>, %a: tensor<8x4xf32>, %b: tensor<3x4xf32>) -> (tensor<8x2xf32>, tensor<3x2xf32>) {
  %0 = tg.dot %a, %w contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = tg.dot %b, %w contract [1] x [0] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<8x2xf32>, tensor<3x2xf32>
}

// -----

// Constants are laid out side by side when the model is compiled, in two ways at most.

// CHECK-LABEL: func.func @main(%arg0: tensor<2x2xf32>)
// CHECK: stitch.adaptive "products_0" ["apart", "all", "batched"]
// CHECK: }, {
// CHECK-NEXT: tg.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 5.000000e+00, 5.000000e+00, 7.000000e+00, 8.000000e+00], [3.000000e+00, 4.000000e+00, 5.000000e+00, 5.000000e+00, 9.000000e+00, 1.000000e+01]]>
// CHECK-NEXT: stitch.library_call
func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %a = tg.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = tg.constant dense<5.0> : tensor<2x2xf32>
  %c = tg.constant dense<[[7.0, 8.0], [9.0, 10.0]]> : tensor<2x2xf32>
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = tg.dot %x, %c contract [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// A ladder: what is contracted is put side by side, and chunks are added by the library. The fusion reads the sum.

// REMARK: remark: sum of 3 products, 3 versions
// CHECK-LABEL: func.func @main(%arg0: tensor<4x8xf32>
// CHECK: %[[R:.*]] = stitch.adaptive "ladder_0" ["apart", "by_2", "all"] : tensor<8x2xf32> {
// CHECK: %[[X:.*]] = stitch.library_call({{.*}}) : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
// CHECK: %[[Y:.*]] = stitch.library_call({{.*}} = %[[X]])
// CHECK-NEXT: tg.dot
// CHECK-NEXT: tg.add
// CHECK: stitch.library_call({{.*}} = %[[Y]])
// CHECK: }, {
// CHECK: tg.dot {{.*}} contract [0] x [0] : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
// CHECK: }, {
// CHECK: tg.concatenate {{.*}} dim 0 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
// CHECK-NEXT: tg.concatenate {{.*}} dim 0 : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<12x2xf32>
// CHECK: tg.dot {{.*}} contract [0] x [0] : (tensor<12x8xf32>, tensor<12x2xf32>) -> tensor<8x2xf32>
// CHECK: stitch.fusion(%[[S:.*]] = %[[R]], %{{.*}} = %arg6) : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32> {
// CHECK-NEXT: tg.add %{{.*}}, %[[S]]
// CHECK-NEXT: tg.exp
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>, %x: tensor<4x2xf32>, %y: tensor<4x2xf32>, %z: tensor<4x2xf32>, %w: tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %0 = tg.dot %a, %x contract [0] x [0] : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = tg.dot %b, %y contract [0] x [0] : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %2 = tg.dot %c, %z contract [0] x [0] : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %3 = tg.add %0, %1 : tensor<8x2xf32>
  %4 = tg.add %3, %2 : tensor<8x2xf32>
  %5 = tg.add %w, %4 : tensor<8x2xf32>
  %6 = tg.exp %5 : tensor<8x2xf32>
  return %4, %6 : tensor<8x2xf32>, tensor<8x2xf32>
}

// -----

// A sum that is all that a fusion computes leaves no fusion.

// CHECK-LABEL: func.func @main(%arg0: tensor<4x8xf32>
// CHECK: %[[R:.*]] = stitch.adaptive "ladder_0"
// CHECK-NOT: stitch.fusion({{.*}}%[[R]]
// CHECK: return %[[R]]
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> tensor<8x2xf32> {
  %0 = tg.dot %a, %x contract [0] x [0] : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = tg.dot %b, %y contract [0] x [0] : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %2 = tg.add %0, %1 : tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}

// -----

// A path leads from one product to the other: they are no group, whatever they share.

// CHECK-LABEL: func.func @main(%arg0: tensor<4x4xf32>
// CHECK-NOT: stitch.adaptive
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tg.exp %0 : tensor<4x4xf32>
  %2 = tg.dot %1, %w contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Two groups that would need each other's results: the second is left alone. %0 and %3 share %x, %1 and %2 share %y;
// %1 reads %0, and %3 reads %2.

// CHECK-LABEL: func.func @main(%arg0: tensor<4x4xf32>
// CHECK-COUNT-1: stitch.adaptive
// CHECK-NOT: stitch.adaptive
func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %v: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = tg.dot %x, %v contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tg.dot %y, %0 contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = tg.dot %y, %w contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = tg.dot %x, %2 contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A product of two groups stays in the larger one where the other is two without it (stitch_enumerate_strategies.mlir has
// the others). One product alone fills the device: %3 and %4 have one version.

// REMARK: remark: 1 of 3 products with a common operand belong to a larger group
// CHECK-LABEL: func.func @main(%arg0: tensor<8x4xf32>
// CHECK-COUNT-2: stitch.adaptive
// CHECK-NOT: stitch.adaptive
func.func @main(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %z: tensor<8x4xf32>, %a: tensor<4x2xf32>, %b: tensor<4x2xf32>, %c: tensor<4x2xf32>, %d: tensor<4x2xf32>, %big: tensor<64x64xf32>, %l: tensor<64x64xf32>, %r: tensor<64x64xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %2 = tg.dot %x, %c contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %5 = tg.dot %y, %a contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %6 = tg.dot %z, %a contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %7 = tg.dot %x, %d contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %3 = tg.dot %big, %l contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = tg.dot %big, %r contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1, %2, %5, %6, %7, %3, %4 : tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// A ladder of narrow floats would be rounded after each chunk: it stays as it is.

// CHECK-LABEL: func.func @main(%arg0: tensor<4x8xf16>
// CHECK-NOT: stitch.adaptive
func.func @main(%a: tensor<4x8xf16>, %b: tensor<4x8xf16>, %x: tensor<4x2xf16>, %y: tensor<4x2xf16>) -> tensor<8x2xf16> {
  %0 = tg.dot %a, %x contract [0] x [0] : (tensor<4x8xf16>, tensor<4x2xf16>) -> tensor<8x2xf16>
  %1 = tg.dot %b, %y contract [0] x [0] : (tensor<4x8xf16>, tensor<4x2xf16>) -> tensor<8x2xf16>
  %2 = tg.add %0, %1 : tensor<8x2xf16>
  return %2 : tensor<8x2xf16>
}

// -----

// Two rows of two products: common operands on both sides. All of them are one product of both lists side by side.

// REMARK: remark: 4 products with common operands on both sides, 3 versions, 0 fusions read their results in place
// CHECK-LABEL: func.func @main(%arg0: tensor<8x4xf32>
// CHECK: stitch.adaptive "products_0" ["apart", "rows_1", "all"]
// CHECK: }, {
// CHECK: tg.concatenate {{.*}} dim 1 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
// CHECK: tg.dot {{.*}} -> tensor<8x5xf32>
// CHECK: tg.dot {{.*}} -> tensor<6x5xf32>
// CHECK: tg.slice {{.*}} [0:8, 0:2]
// CHECK-NEXT: tg.slice {{.*}} [0:8, 2:5]
// CHECK-NEXT: tg.slice {{.*}} [0:6, 0:2]
// CHECK-NEXT: tg.slice {{.*}} [0:6, 2:5]
// CHECK: }, {
// CHECK: tg.concatenate {{.*}} dim 0 : (tensor<8x4xf32>, tensor<6x4xf32>) -> tensor<14x4xf32>
// CHECK-NEXT: tg.concatenate {{.*}} dim 1 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
// CHECK: tg.dot {{.*}} -> tensor<14x5xf32>
// CHECK: tg.slice {{.*}} [0:8, 0:5]
// CHECK-NEXT: tg.slice {{.*}} [0:8, 0:2]
// CHECK: tg.slice {{.*}} [8:14, 0:5]
// CHECK-NEXT: tg.slice {{.*}} [0:6, 0:2]
// CHECK: tg.slice {{.*}} [0:6, 2:5]
func.func @main(%x: tensor<8x4xf32>, %y: tensor<6x4xf32>, %v: tensor<4x2xf32>, %w: tensor<4x3xf32>) -> (tensor<8x2xf32>, tensor<8x3xf32>, tensor<6x2xf32>, tensor<6x3xf32>) {
  %0 = tg.dot %x, %v contract [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = tg.dot %x, %w contract [1] x [0] : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %2 = tg.dot %y, %v contract [1] x [0] : (tensor<6x4xf32>, tensor<4x2xf32>) -> tensor<6x2xf32>
  %3 = tg.dot %y, %w contract [1] x [0] : (tensor<6x4xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  return %0, %1, %2, %3 : tensor<8x2xf32>, tensor<8x3xf32>, tensor<6x2xf32>, tensor<6x3xf32>
}

// -----

// The second row needs the first one's results: each row is a group of its own, or none.

// CHECK-LABEL: func.func @main(%arg0: tensor<4x4xf32>
// CHECK: stitch.adaptive "products_0" ["apart", "all", "batched"] : tensor<4x4xf32>
// CHECK: stitch.adaptive "products_1" ["apart", "all", "batched"] : tensor<4x4xf32>
func.func @main(%x: tensor<4x4xf32>, %v: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tg.dot %x, %v contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tg.dot %x, %w contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = tg.mul %0, %1 : tensor<4x4xf32>
  %3 = tg.dot %2, %v contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = tg.dot %2, %w contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = tg.mul %3, %4 : tensor<4x4xf32>
  return %5 : tensor<4x4xf32>
}
