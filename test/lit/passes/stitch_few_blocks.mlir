// RUN: stitch-opt %s -split-input-file -stitch-few-blocks --stitch-remarks 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: stitch-opt %s -split-input-file -pass-pipeline="builtin.module(stitch-few-blocks,stitch-dominants,stitch-thread-mapping,stitch-axes,stitch-tiles,stitch-replicate,stitch-schemes,stitch-schedule,stitch-buffers,stitch-launch,stitch-resident,stitch-staging,stitch-verify-plan)" | FileCheck %s --check-prefix=PLAN

// Products with two small matrices, one behind the other: one block waits for itself, and has what is between them in its shared memory. The weights
// of all iterations are in its registers. The counter is that of the iteration, and read from no memory.
// CHECK-LABEL: func.func @step
// CHECK: stitch.fusion
// CHECK-SAME: stitch.blocks = 1 : i64
// REMARK: its grid is one block: the kernel takes {{[0-9]+}} ns, else {{[0-9]+}} ns
// PLAN-LABEL: func.func @step
// PLAN: stitch.fusion
// PLAN-SAME: stitch.launch = #stitch.launch<grid = 1, block = {{[0-9]+}}, registers = {{[0-9]+}}, shared = {{[0-9]+}}, scratch = 0, barriers = 2>
// PLAN: tg.tanh
// PLAN-SAME: stitch.buffer = #stitch.buffer<shared
// PLAN-SAME: stitch.scheme = #stitch.scheme<global>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @step(%h0: tensor<64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64xf32> {
    %r = tg.while(%h = %h0) : tensor<64xf32> attributes {trip_count = 100 : i64} cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      %f = stitch.fusion(%a = %h, %b = %v, %d = %w) : (tensor<64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64xf32> attributes {stitch.persistent} {
        %1 = tg.broadcast %a dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
        %2 = tg.mul %1, %b : tensor<64x64xf32>
        %3 = tg.reduce add %2 dims [0] : (tensor<64x64xf32>) -> tensor<64xf32>
        %4 = tg.tanh %3 : tensor<64xf32>
        %5 = tg.broadcast %4 dims [0] : (tensor<64xf32>) -> tensor<64x64xf32>
        %6 = tg.mul %5, %d : tensor<64x64xf32>
        %7 = tg.reduce add %6 dims [0] : (tensor<64x64xf32>) -> tensor<64xf32>
        %8 = tg.tanh %7 : tensor<64xf32>
        stitch.yield %8 : tensor<64xf32>
      }
      tg.yield %f : tensor<64xf32>
    }
    return %r : tensor<64xf32>
  }
}

// -----

// Larger ones need the registers of a cluster.
// CHECK-LABEL: func.func @cluster
// CHECK: stitch.fusion
// CHECK-SAME: stitch.blocks = 8 : i64
// REMARK: its grid is one cluster: the kernel takes {{[0-9]+}} ns, else {{[0-9]+}} ns
// PLAN-LABEL: func.func @cluster
// PLAN: stitch.fusion
// PLAN-SAME: stitch.launch = #stitch.launch<grid = 8, block = {{[0-9]+}}, registers = {{[0-9]+}}, shared = {{[0-9]+}}, scratch = {{[0-9]+}}, barriers = {{[0-9]+}}, cluster = 8>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @cluster(%h0: tensor<256xf32>, %v: tensor<256x512xf32>, %w: tensor<512x256xf32>) -> tensor<256xf32> {
    %r = tg.while(%h = %h0) : tensor<256xf32> attributes {trip_count = 100 : i64} cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      %f = stitch.fusion(%a = %h, %b = %v, %d = %w) : (tensor<256xf32>, tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256xf32> attributes {stitch.persistent} {
        %1 = tg.broadcast %a dims [0] : (tensor<256xf32>) -> tensor<256x512xf32>
        %2 = tg.mul %1, %b : tensor<256x512xf32>
        %3 = tg.reduce add %2 dims [0] : (tensor<256x512xf32>) -> tensor<512xf32>
        %4 = tg.tanh %3 : tensor<512xf32>
        %5 = tg.broadcast %4 dims [0] : (tensor<512xf32>) -> tensor<512x256xf32>
        %6 = tg.mul %5, %d : tensor<512x256xf32>
        %7 = tg.reduce add %6 dims [0] : (tensor<512x256xf32>) -> tensor<256xf32>
        %8 = tg.tanh %7 : tensor<256xf32>
        stitch.yield %8 : tensor<256xf32>
      }
      tg.yield %f : tensor<256xf32>
    }
    return %r : tensor<256xf32>
  }
}

// -----

// Weights of 64 MB: one block a multiprocessor keeps more of them in its registers than two do.
// CHECK-LABEL: func.func @weights
// CHECK: stitch.fusion
// CHECK-SAME: stitch.one_per_sm
// REMARK: its grid has one block a multiprocessor: the kernel takes {{[0-9]+}} ns, else {{[0-9]+}} ns
// PLAN-LABEL: func.func @weights
// PLAN: stitch.fusion
// PLAN-SAME: stitch.launch = #stitch.launch<grid = {{[0-9]+}}, block = 256, registers = 255
// PLAN-SAME: stitch.resident = [{group = {{[0-9]+}} : i64, input = 1 : i64, offset = {{[0-9]+}} : i64, registers = 4{{[0-9]}} : i64, shared = {{[0-9]+}} : i64}]
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @weights(%h0: tensor<2048xf32>, %w: tensor<2048x8192xf32>) -> tensor<2048xf32> {
    %r = tg.while(%h = %h0) : tensor<2048xf32> attributes {trip_count = 50 : i64} cond {
      %c = tg.constant dense<true> : tensor<i1>
      tg.yield %c : tensor<i1>
    } do {
      %f = stitch.fusion(%a = %h, %b = %w) : (tensor<2048xf32>, tensor<2048x8192xf32>) -> tensor<2048xf32> attributes {stitch.persistent} {
        %1 = tg.broadcast %a dims [0] : (tensor<2048xf32>) -> tensor<2048x8192xf32>
        %2 = tg.mul %1, %b : tensor<2048x8192xf32>
        %3 = tg.reduce add %2 dims [0] : (tensor<2048x8192xf32>) -> tensor<8192xf32>
        %4 = tg.slice %3 [0:2048] : (tensor<8192xf32>) -> tensor<2048xf32>
        %5 = tg.slice %3 [4096:6144] : (tensor<8192xf32>) -> tensor<2048xf32>
        %6 = tg.tanh %4 : tensor<2048xf32>
        %7 = tg.mul %6, %5 : tensor<2048xf32>
        stitch.yield %7 : tensor<2048xf32>
      }
      tg.yield %f : tensor<2048xf32>
    }
    return %r : tensor<2048xf32>
  }
}

// -----

// What takes all multiprocessors keeps them: a cluster would move its bytes for longer than they wait.
// CHECK-LABEL: func.func @large
// CHECK-NOT: stitch.blocks
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @large(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %f = stitch.fusion(%a = %x) : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
      %1 = tg.reduce add %a dims [0] : (tensor<4096x4096xf32>) -> tensor<4096xf32>
      %2 = tg.broadcast %1 dims [1] : (tensor<4096xf32>) -> tensor<4096x4096xf32>
      %3 = tg.sub %a, %2 : tensor<4096x4096xf32>
      stitch.yield %3 : tensor<4096x4096xf32>
    }
    return %f : tensor<4096x4096xf32>
  }
}
