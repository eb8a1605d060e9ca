// RUN: stitch-opt %s --convert-stitch-to-gpu | FileCheck %s

// Several products are one call. Both calls are the same function, although they share other operands.

// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = memref.reinterpret_cast %arg0 {{.*}} to memref<32xf32>
// CHECK: %[[X0:.*]] = memref.reinterpret_cast %[[X]] to
// CHECK: %[[A:.*]] = memref.reinterpret_cast %arg1 {{.*}} to memref<24xf32>
// CHECK: %[[A0:.*]] = memref.reinterpret_cast %[[A]] to
// CHECK: %[[X1:.*]] = memref.reinterpret_cast %[[X]] to
// CHECK: %[[B:.*]] = memref.reinterpret_cast %arg2 {{.*}} to memref<24xf32>
// CHECK: %[[B0:.*]] = memref.reinterpret_cast %[[B]] to
// CHECK: memref.reinterpret_cast %[[X]] to
// CHECK: memref.reinterpret_cast %[[A]] to
// CHECK: %[[Y:.*]] = memref.reinterpret_cast %arg3 {{.*}} to memref<32xf32>
// CHECK: %[[Y0:.*]] = memref.reinterpret_cast %[[Y]] to
// CHECK: %[[A1:.*]] = memref.reinterpret_cast %[[A]] to
// CHECK: call @dots_0(%[[X0]], %[[A0]], %{{.*}}, %[[X1]], %[[B0]], %{{.*}})
// CHECK: call @dots_0({{.*}}, %[[Y0]], %[[A1]], %{{.*}})
// CHECK: func.func private @dots_0(memref<8x4xf32>, memref<4x6xf32>, memref<8x6xf32>, memref<8x4xf32>, memref<4x6xf32>, memref<8x6xf32>)
// CHECK-SAME: stitch.library = {count = 2 : i64, kind = "dots", lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>,
// CHECK-SAME: types = [memref<8x4xf32>, memref<4x6xf32>, memref<8x6xf32>]
// CHECK-NOT: @dots_1
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<8x4xf32>, %a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %y: tensor<8x4xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>) {
    %0:2 = stitch.library_call(%l0 = %x, %r0 = %a, %l1 = %x, %r1 = %b) : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<8x4xf32>, tensor<4x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
      %2 = tg.dot %l0, %r0 contract [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      %3 = tg.dot %l1, %r1 contract [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      stitch.yield %2, %3 : tensor<8x6xf32>, tensor<8x6xf32>
    }
    %1:2 = stitch.library_call(%l0 = %x, %r0 = %a, %l1 = %y, %r1 = %a) : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<8x4xf32>, tensor<4x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
      %2 = tg.dot %l0, %r0 contract [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      %3 = tg.dot %l1, %r1 contract [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      stitch.yield %2, %3 : tensor<8x6xf32>, tensor<8x6xf32>
    }
    return %0#0, %0#1, %1#0, %1#1 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>
  }
}
