// RUN: stitch-opt %s -allow-unregistered-dialect -convert-linalg-to-tg -stitch-pipeline=device=a100 -convert-stitch-to-gpu -verify-diagnostics=only-expected | FileCheck %s

// What torch-mlir prints for a sort and a cumulative sum is of its dialect tm_tensor: it stays, in generic form, and what is around it is kernels.

// CHECK: gpu.module @kernels
// CHECK-LABEL: func.func private @scan_graph_0
// CHECK: gpu.launch_func
// CHECK-LABEL: func.func private @scan_graph_1
// CHECK: gpu.launch_func
// CHECK-LABEL: func.func @scan
// CHECK: call @scan_graph_0
// CHECK: "tm_tensor.scan"
// CHECK: call @scan_graph_1
// CHECK-NOT: linalg.
func.func @scan(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %e = linalg.exp ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s:2 = "tm_tensor.scan"(%e, %x, %zero) <{dimension = 1 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    "tm_tensor.yield"(%sum) : (f32) -> ()
  }) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  %t = linalg.tanh ins(%s#0 : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %t : tensor<4x8xf32>
}
