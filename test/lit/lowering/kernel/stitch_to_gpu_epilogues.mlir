// RUN: stitch-opt %s --convert-stitch-to-gpu | FileCheck %s

// Operands follow the result: bias, preactivation, sum. Each result of a call has its memory.

// CHECK: %[[GELU:.*]] = memref.view %arg10[%c0]
// CHECK: %[[GELU0:.*]] = memref.reinterpret_cast %[[GELU]]
// CHECK: %[[OPERAND:.*]] = memref.view %arg10[%c256]
// CHECK: %[[OPERAND0:.*]] = memref.reinterpret_cast %[[OPERAND]]
// CHECK: %[[GELU1:.*]] = memref.reinterpret_cast %[[GELU]]
// CHECK: %[[OPERAND1:.*]] = memref.reinterpret_cast %[[OPERAND]]
// CHECK: call @dot_0(%{{.*}}, %{{.*}}, %[[GELU0]], %arg2, %[[OPERAND0]])
// CHECK: call @dot_1(%[[GELU1]], %{{.*}}, %{{.*}}, %[[OPERAND1]], %arg4)
// CHECK: call @dot_2(%{{.*}}, %{{.*}}, %{{.*}}, %arg6)
// CHECK: call @dot_3(%{{.*}}, %{{.*}}, %{{.*}}, %arg8)
// CHECK: func.func private @dot_0(memref<4x8xf16>, memref<8x8xf16>, memref<4x8xf16>, memref<8xf16>, memref<4x8xf16>)
// CHECK-SAME: activation = "gelu", bias_dims = array<i64: 1>, {{.*}}preactivation
// CHECK: func.func private @dot_1(memref<4x8xf16>, memref<8x8xf16>, memref<4x8xf16>, memref<4x8xf16>, memref<8xf16>)
// CHECK-SAME: activation = "gelu_gradient", {{.*}}sum = "result"
// CHECK: func.func private @dot_2(memref<4x8xf16>, memref<4x8xf16>, memref<8x8xf16>, memref<8xf16>)
// CHECK-SAME: sum = "rhs"
// CHECK: func.func private @dot_3(memref<4x8xf16>, memref<4x8xf16>, memref<8x8xf16>, memref<8xf16>)
// CHECK-SAME: sum = "lhs"
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>, %b: tensor<8xf16>)
      -> (tensor<4x8xf16>, tensor<8xf16>, tensor<8x8xf16>, tensor<8xf16>, tensor<8x8xf16>, tensor<8xf16>, tensor<4x8xf16>) {
    %0:2 = stitch.library_call(%a0 = %x, %a1 = %w, %a2 = %b) : (tensor<4x8xf16>, tensor<8x8xf16>, tensor<8xf16>) -> (tensor<4x8xf16>, tensor<4x8xf16>) {
      %d = tg.dot %a0, %a1 contract [1] x [0] : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
      %w0 = tg.broadcast %a2 dims [1] : (tensor<8xf16>) -> tensor<4x8xf16>
      %s = tg.add %d, %w0 : tensor<4x8xf16>
      %g = tg.gelu %s approximate : tensor<4x8xf16>
      stitch.yield %g, %s : tensor<4x8xf16>, tensor<4x8xf16>
    }
    %1:2 = stitch.library_call(%a0 = %0#0, %a1 = %w, %a2 = %0#1) : (tensor<4x8xf16>, tensor<8x8xf16>, tensor<4x8xf16>) -> (tensor<4x8xf16>, tensor<8xf16>) {
      %d = tg.dot %a0, %a1 contract [1] x [1] : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
      %g = tg.gelu_gradient %a2, %d approximate : tensor<4x8xf16>
      %s = tg.reduce add %g dims [0] : (tensor<4x8xf16>) -> tensor<8xf16>
      stitch.yield %g, %s : tensor<4x8xf16>, tensor<8xf16>
    }
    %2:2 = stitch.library_call(%a0 = %x, %a1 = %0#0) : (tensor<4x8xf16>, tensor<4x8xf16>) -> (tensor<8x8xf16>, tensor<8xf16>) {
      %d = tg.dot %a0, %a1 contract [0] x [0] : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<8x8xf16>
      %s = tg.reduce add %a1 dims [0] : (tensor<4x8xf16>) -> tensor<8xf16>
      stitch.yield %d, %s : tensor<8x8xf16>, tensor<8xf16>
    }
    %3:2 = stitch.library_call(%a0 = %0#0, %a1 = %x) : (tensor<4x8xf16>, tensor<4x8xf16>) -> (tensor<8x8xf16>, tensor<8xf16>) {
      %d = tg.dot %a0, %a1 contract [0] x [0] : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<8x8xf16>
      %s = tg.reduce add %a0 dims [0] : (tensor<4x8xf16>) -> tensor<8xf16>
      stitch.yield %d, %s : tensor<8x8xf16>, tensor<8xf16>
    }
    %4 = stitch.library_call(%a0 = %x, %a1 = %w) : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16> {
      %d = tg.dot %a0, %a1 contract [1] x [0] : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
      %g = tg.gelu %d approximate : tensor<4x8xf16>
      stitch.yield %g : tensor<4x8xf16>
    }
    return %1#0, %1#1, %2#0, %2#1, %3#0, %3#1, %4
        : tensor<4x8xf16>, tensor<8xf16>, tensor<8x8xf16>, tensor<8xf16>, tensor<8x8xf16>, tensor<8xf16>, tensor<4x8xf16>
  }
}
