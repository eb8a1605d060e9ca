// RUN: stitch-opt %s -convert-linalg-to-tg -stitch-pipeline=device=simt -convert-stitch-to-gpu | FileCheck %s
// RUN: stitch-opt %s -convert-linalg-to-tg -stitch-pipeline=device=simt -convert-stitch-to-gpu=borders=tensor | FileCheck %s --check-prefix=BORDERS

// A slice of an argument that is updated in place: the kernel writes the slice alone, into the memory of the output, which the caller makes
// that of the argument.

// CHECK-LABEL: func.func @update(
// CHECK-SAME: stitch.updated = array<i64: 0, -1>

// Where the function takes tensors, which are values, the output begins as a copy of the argument.

// BORDERS: func.func private @update_graph_0({{.*}}stitch.updated = array<i64: {{0, -1|-1, 0}}>
// BORDERS: func.func @update(%arg0: tensor<64x128xf32>
// BORDERS: %[[OLD:.*]] = bufferization.to_buffer %arg0 read_only
// BORDERS: %[[NEW:.*]] = memref.alloc() {{.*}} : memref<64x128xf32>
// BORDERS: memref.copy %[[OLD]], %[[NEW]]
// BORDERS-NEXT: call @update_graph_0({{.*}}%[[NEW]]
// BORDERS-NEXT: %[[RESULT:.*]] = bufferization.to_tensor %[[NEW]]
// BORDERS-NEXT: %[[PLACED:.*]] = bufferization.materialize_in_destination %[[RESULT]] in %arg0
// BORDERS-NEXT: return %[[PLACED]]
func.func @update(%cache: tensor<64x128xf32>, %row: tensor<4x128xf32>) -> tensor<64x128xf32> {
  %e = linalg.exp ins(%row : tensor<4x128xf32>) outs(%row : tensor<4x128xf32>) -> tensor<4x128xf32>
  %new = tensor.insert_slice %e into %cache[8, 0] [4, 128] [1, 1] : tensor<4x128xf32> into tensor<64x128xf32>
  %0 = bufferization.materialize_in_destination %new in %cache : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// What is computed anew is copied to the argument in whose memory the caller reads it.

// CHECK-LABEL: func.func @step(
// CHECK-NOT: stitch.updated
// CHECK: memref.reinterpret_cast %arg0
// CHECK: memref.reinterpret_cast %arg1
// CHECK: memref.reinterpret_cast %arg2
// CHECK: %[[OUT:.*]] = memref.reinterpret_cast %arg2
// CHECK: %[[STATE:.*]] = memref.reinterpret_cast %arg0
// CHECK: gpu.launch_func @kernels::@fusion_
// CHECK: gpu.launch_func @kernels::@copy_{{.*}} args(%[[OUT]] : {{.*}}, %[[STATE]] :
// CHECK-NEXT: return
// BORDERS: func.func @step(%arg0: tensor<64x128xf32>
// BORDERS: call @step_graph_0(
// BORDERS: %[[SUM:.*]] = bufferization.to_tensor
// BORDERS-NEXT: bufferization.materialize_in_destination %[[SUM]] in %arg0
func.func @step(%state: tensor<64x128xf32>, %x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = arith.addf %state, %x : tensor<64x128xf32>
  %1 = bufferization.materialize_in_destination %0 in %state : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}

// What is returned as it came is copied, too. A function without kernels keeps its destination.

// CHECK-LABEL: func.func @as_it_came(%arg0: memref<4xf32>, %arg1: memref<4xf32>
// CHECK: gpu.launch_func @kernels::@copy_{{.*}} args(%arg2 : {{.*}}, %arg1 :
// CHECK-NEXT: return
// CHECK-LABEL: func.func @nothing_left(%arg0: tensor<4xf32>
// CHECK-NEXT: %[[PLACED:.*]] = bufferization.materialize_in_destination %arg0 in %arg0
// CHECK-NEXT: return %[[PLACED]]
func.func @as_it_came(%x: tensor<4xf32>, %state: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  %1 = bufferization.materialize_in_destination %x in %state : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @nothing_left(%state: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %state : tensor<4xf32>
  %1 = bufferization.materialize_in_destination %state in %state : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
