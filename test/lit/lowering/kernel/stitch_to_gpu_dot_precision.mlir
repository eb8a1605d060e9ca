// RUN: stitch-opt %s --convert-stitch-to-gpu | FileCheck %s

// What may be done to the operands of a product is said to the library, one call at a time; products that differ in it
// are not one function.

// CHECK-DAG: func.func private @dot_0({{.*}}stitch.library = {kind = "dot", {{.*}}precision = 1 : i32
// CHECK-DAG: func.func private @dot_1({{.*}}stitch.library = {kind = "dot", {{.*}}precision = 2 : i32
// CHECK-DAG: func.func private @dot_2({{.*}}rhs_contract = array<i64: 0>}}
// CHECK-DAG: func.func private @dots_3({{.*}}kind = "dots", {{.*}}precision = 1 : i32
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<8x4xf32>, %a: tensor<4x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>) {
    %0 = stitch.library_call(%l = %x, %r = %a) : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32> {
      %5 = tg.dot %l, %r contract [1] x [0] precision tf32 : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      stitch.yield %5 : tensor<8x6xf32>
    }
    %1 = stitch.library_call(%l = %x, %r = %a) : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32> {
      %5 = tg.dot %l, %r contract [1] x [0] precision full : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      stitch.yield %5 : tensor<8x6xf32>
    }
    %2 = stitch.library_call(%l = %x, %r = %a) : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32> {
      %5 = tg.dot %l, %r contract [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      stitch.yield %5 : tensor<8x6xf32>
    }
    %3:2 = stitch.library_call(%l0 = %x, %r0 = %a, %l1 = %x, %r1 = %a) : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<8x4xf32>, tensor<4x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
      %5 = tg.dot %l0, %r0 contract [1] x [0] precision tf32 : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      %6 = tg.dot %l1, %r1 contract [1] x [0] precision tf32 : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      stitch.yield %5, %6 : tensor<8x6xf32>, tensor<8x6xf32>
    }
    return %0, %1, %2, %3#0, %3#1 : tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>
  }
}
