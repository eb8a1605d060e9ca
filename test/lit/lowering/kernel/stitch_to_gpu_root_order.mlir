// RUN: stitch-opt %s -split-input-file --stitch-schedule --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s

// Two gradients, each read by two roots, of eight elements a thread. In the plan's order both wait for their second readers: too many
// registers, so the roots that read one gradient follow each other.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-COUNT-2: vector.load %arg0
// CHECK: vector.store %{{.*}}, %arg4
// CHECK-COUNT-2: vector.load %arg2
// CHECK: vector.store %{{.*}}, %arg6
// CHECK-COUNT-2: vector.load %arg1
// CHECK: vector.store %{{.*}}, %arg5
// CHECK-COUNT-2: vector.load %arg3
// CHECK: vector.store %{{.*}}, %arg7
func.func @main(%arg0: tensor<2048xf32>, %arg1: tensor<2048xf32>, %arg2: tensor<2048xf32>, %arg3: tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) {
  %0:4 = stitch.fusion(%g = %arg0, %h = %arg1, %x = %arg2, %y = %arg3) : (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 40, shared = 0, scratch = 0, barriers = 0>} {
    %1 = tg.mul %g, %g {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 4, unroll = 2, split = 1>} : tensor<2048xf32>
    %2 = tg.mul %h, %h {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 4, unroll = 2, split = 1>} : tensor<2048xf32>
    %3 = tg.sub %x, %g {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 4, unroll = 2, split = 1>} : tensor<2048xf32>
    %4 = tg.sub %y, %h {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 4, unroll = 2, split = 1>} : tensor<2048xf32>
    stitch.yield %1, %2, %3, %4 : tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>
}

// -----

// With a few registers more the plan's order stays.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-COUNT-2: vector.load %arg0
// CHECK: vector.store %{{.*}}, %arg4
// CHECK-COUNT-2: vector.load %arg1
// CHECK: vector.store %{{.*}}, %arg5
// CHECK-COUNT-2: vector.load %arg2
// CHECK: vector.store %{{.*}}, %arg6
// CHECK-COUNT-2: vector.load %arg3
// CHECK: vector.store %{{.*}}, %arg7
func.func @main(%arg0: tensor<2048xf32>, %arg1: tensor<2048xf32>, %arg2: tensor<2048xf32>, %arg3: tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) {
  %0:4 = stitch.fusion(%g = %arg0, %h = %arg1, %x = %arg2, %y = %arg3) : (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 56, shared = 0, scratch = 0, barriers = 0>} {
    %1 = tg.mul %g, %g {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 4, unroll = 2, split = 1>} : tensor<2048xf32>
    %2 = tg.mul %h, %h {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 4, unroll = 2, split = 1>} : tensor<2048xf32>
    %3 = tg.sub %x, %g {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 4, unroll = 2, split = 1>} : tensor<2048xf32>
    %4 = tg.sub %y, %h {stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #stitch.mapping<flat, rows = 1, columns = 2048, block_rows = 1, row_threads = 256, vector = 4, unroll = 2, split = 1>} : tensor<2048xf32>
    stitch.yield %1, %2, %3, %4 : tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>
}
