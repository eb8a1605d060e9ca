// RUN: stitch-opt %s -allow-unregistered-dialect -stitch-pipeline="plan=astitch device=simt" -convert-stitch-to-gpu 2>/dev/null | FileCheck %s
// RUN: stitch-opt %s -allow-unregistered-dialect -stitch-pipeline="plan=astitch device=simt" -convert-stitch-to-gpu="borders=tensor" 2>/dev/null | FileCheck %s --check-prefix=TENSOR
// RUN: stitch-opt %s -allow-unregistered-dialect -pass-pipeline="builtin.module(func.func(stitch-pipeline{plan=astitch device=simt}),convert-stitch-to-gpu)" 2>/dev/null | FileCheck %s --check-prefix=FUNCTIONS
// RUN: not stitch-opt %s -allow-unregistered-dialect -convert-stitch-to-gpu 2>&1 | FileCheck %s --check-prefix=UNPLANNED

// UNPLANNED: error: 'tg.exp' op has no implementation outside of kernels and libraries: run the planning passes (stitch-pipeline) first

// Kernels are there once for all functions, under a name that is free, as host functions are.

// CHECK: module attributes {gpu.container_module
// CHECK: func.func private @kernels()
// CHECK: gpu.module @kernels_0
// CHECK: gpu.func @fusion_0
// CHECK: gpu.func @fusion_1
// CHECK: gpu.func @fusion_2
// CHECK: gpu.func @fusion_3
// CHECK-NOT: gpu.func
func.func private @kernels()
func.func private @f_graph_0()

// CHECK: func.func private @f_graph_1(%{{.*}}: memref<64x128xf32>, %{{.*}}: memref<64x128xf32>, %{{.*}}: memref<0xi8>)
// CHECK: gpu.launch_func @kernels_0::@fusion_0
// CHECK: func.func private @f_graph_2(%{{.*}}: memref<64x64xf32>, %{{.*}}: memref<64x64xf32>, %{{.*}}: memref<0xi8>)
// CHECK: gpu.launch_func @kernels_0::@fusion_1
// CHECK-LABEL: func.func @f(
// CHECK: %[[A:.*]] = bufferization.to_buffer %arg0 read_only : tensor<64x128xf32> to memref<64x128xf32>
// CHECK: %[[B:.*]] = memref.alloc() {alignment = 256 : i64} : memref<64x128xf32>
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 256 : i64} : memref<0xi8>
// CHECK: call @f_graph_1(%[[A]], %[[B]], %[[ARENA]])
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[B]] restrict :
// CHECK: linalg.matmul ins(%[[T]], %arg1
// CHECK: call @f_graph_2
func.func @f(%a: tensor<64x128xf32>, %w: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %0 = tg.exp %a : tensor<64x128xf32>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<64x128xf32>, tensor<128x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tg.tanh %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// A function that is nothing but a graph, with the first kernel again: memrefs, or, with tensors on the borders, a call.

// CHECK-LABEL: func.func @whole(
// CHECK-SAME: %{{.*}}: memref<64x128xf32>, %{{.*}}: memref<64x128xf32>, %{{.*}}: memref<0xi8>)
// CHECK: gpu.launch_func @kernels_0::@fusion_0
// TENSOR-LABEL: func.func @whole(
// TENSOR-SAME: %{{.*}}: tensor<64x128xf32>) -> tensor<64x128xf32>
// TENSOR: call @whole_graph_0
func.func @whole(%a: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = tg.exp %a : tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// Booleans, small and unsigned integers cross the border as the bytes that kernels have; what is not planned and constant is one of
// arith; an arena with barrier counters is zeroed.

// CHECK-LABEL: func.func @types(
// CHECK: %[[BITCAST:.*]] = tensor.bitcast %arg0 : tensor<16xui8> to tensor<16xi8>
// CHECK: bufferization.to_buffer %[[BITCAST]] read_only
// CHECK: call @types_graph_0
// CHECK: arith.trunci %{{.*}} : tensor<16xi8> to tensor<16xi1>
// CHECK: "test.use"
func.func @types(%a: tensor<16xui8>) {
  %c = tg.constant dense<3> : tensor<16xui8>
  %0 = tg.compare lt, %a, %c : tensor<16xui8>
  %1 = tg.constant dense<2.0> : tensor<4xf32>
  "test.use"(%0, %1) : (tensor<16xi1>, tensor<4xf32>) -> ()
  return
}

// A function that is called keeps its type where functions are planned one by one.

// FUNCTIONS-LABEL: func.func @callee(
// FUNCTIONS-SAME: tensor<8xf32>) -> tensor<8xf32>
// FUNCTIONS: call @callee_graph_0
// FUNCTIONS-LABEL: func.func @caller(
// FUNCTIONS: call @callee(
func.func @callee(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tg.neg %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @caller(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @callee(%a) : (tensor<8xf32>) -> tensor<8xf32>
  "test.use"(%0) : (tensor<8xf32>) -> ()
  return %0 : tensor<8xf32>
}
