// RUN: stitch-opt %s --stitch-library-types | FileCheck %s

// 8-bit floats are multiplied as f16, summed in f32 and rounded once.
// CHECK-LABEL: @floats
// CHECK: %[[A:.*]] = tg.convert %arg0 : (tensor<4x8xf8E4M3FN>) -> tensor<4x8xf16>
// CHECK: %[[B:.*]] = tg.convert %arg1 : (tensor<8x4xf8E5M2>) -> tensor<8x4xf16>
// CHECK: %[[D:.*]] = tg.dot %[[A]], %[[B]] contract [1] x [0] : (tensor<4x8xf16>, tensor<8x4xf16>) -> tensor<4x4xf32>
// CHECK: tg.convert %[[D]] : (tensor<4x4xf32>) -> tensor<4x4xf8E4M3FN>
func.func @floats(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x4xf8E5M2>) -> tensor<4x4xf8E4M3FN> {
  %0 = tg.dot %a, %b contract [1] x [0] : (tensor<4x8xf8E4M3FN>, tensor<8x4xf8E5M2>) -> tensor<4x4xf8E4M3FN>
  return %0 : tensor<4x4xf8E4M3FN>
}

// f16 does not have the exponents of f8E8M0FNU; with bf16, which has, nothing is lost in it, but for the sum.
// CHECK-LABEL: @exponents
// CHECK: tg.dot {{.*}} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
// CHECK: tg.convert %arg2 : (tensor<8x4xf16>) -> tensor<8x4xf32>
// CHECK: tg.dot {{.*}} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
// CHECK: tg.dot {{.*}} : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
// CHECK: tg.convert {{.*}} -> tensor<4x4xbf16>
func.func @exponents(%a: tensor<4x8xf8E8M0FNU>, %b: tensor<8x4xf8E4M3>, %c: tensor<8x4xf16>, %d: tensor<8x4xbf16>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xbf16>) {
  %0 = tg.dot %a, %b contract [1] x [0] : (tensor<4x8xf8E8M0FNU>, tensor<8x4xf8E4M3>) -> tensor<4x4xf32>
  %1 = tg.dot %a, %c contract [1] x [0] : (tensor<4x8xf8E8M0FNU>, tensor<8x4xf16>) -> tensor<4x4xf32>
  %2 = tg.dot %a, %d contract [1] x [0] : (tensor<4x8xf8E8M0FNU>, tensor<8x4xbf16>) -> tensor<4x4xbf16>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xbf16>
}

// CHECK-LABEL: @integers
// CHECK: %[[D:.*]] = tg.dot {{.*}} : (tensor<4x8xi8>, tensor<8x4xi8>) -> tensor<4x4xi8>
// CHECK: tg.convert %[[D]] : (tensor<4x4xi8>) -> tensor<4x4xi4>
// CHECK: tg.dot {{.*}} : (tensor<4x8xui8>, tensor<8x4xui8>) -> tensor<4x4xui32>
func.func @integers(%a: tensor<4x8xi4>, %b: tensor<8x4xi4>, %c: tensor<4x8xui2>, %d: tensor<8x4xui4>)
    -> (tensor<4x4xi4>, tensor<4x4xui32>) {
  %0 = tg.dot %a, %b contract [1] x [0] : (tensor<4x8xi4>, tensor<8x4xi4>) -> tensor<4x4xi4>
  %1 = tg.dot %c, %d contract [1] x [0] : (tensor<4x8xui2>, tensor<8x4xui4>) -> tensor<4x4xui32>
  return %0, %1 : tensor<4x4xi4>, tensor<4x4xui32>
}

// Libraries have the others.
// CHECK-LABEL: @others
// CHECK-NEXT: tg.dot
// CHECK-NEXT: tg.dot
// CHECK-NEXT: return
func.func @others(%a: tensor<4x8xbf16>, %b: tensor<8x4xbf16>, %c: tensor<4x8xi1>, %d: tensor<8x4xi1>)
    -> (tensor<4x4xbf16>, tensor<4x4xi1>) {
  %0 = tg.dot %a, %b contract [1] x [0] : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xbf16>
  %1 = tg.dot %c, %d contract [1] x [0] : (tensor<4x8xi1>, tensor<8x4xi1>) -> tensor<4x4xi1>
  return %0, %1 : tensor<4x4xbf16>, tensor<4x4xi1>
}
