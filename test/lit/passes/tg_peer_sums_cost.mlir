// RUN: stitch-opt %s --tg-peer-sums --split-input-file -o - | FileCheck %s

// A sum whose call a product hides, which neither waits for it nor comes before it, stays a call.
module attributes {stitch.device = #stitch.device<h200>, stitch.partitions = 2 : i64} {
  func.func @main(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %0 = tg.all_reduce add %a groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<16x16xf32>
    %1 = tg.dot %b, %b contract [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK: tg.all_reduce

// -----

// One between products that wait for each other is a part of the kernels behind it.
module attributes {stitch.device = #stitch.device<h200>, stitch.partitions = 2 : i64} {
  func.func @main(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %0 = tg.dot %a, %b contract [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %1 = tg.all_reduce add %0 groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<16x16xf32>
    %2 = tg.dot %1, %b contract [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK-NOT: tg.all_reduce
// CHECK-COUNT-2: tg.collective_broadcast
// CHECK: tg.add

// -----

// Below 0.4 MB at once, above that in two steps.
module attributes {stitch.device = #stitch.device<h200>, stitch.partitions = 8 : i64} {
  func.func @main(%a: tensor<8x256xf32>, %b: tensor<512x1024xf32>) -> (tensor<8x256xf32>, tensor<512x1024xf32>) {
    %0 = tg.all_reduce add %a groups dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64> : tensor<8x256xf32>
    %1 = tg.all_reduce max %b groups dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64> : tensor<512x1024xf32>
    return %0, %1 : tensor<8x256xf32>, tensor<512x1024xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK-COUNT-8: tg.collective_broadcast %arg0
// CHECK-NOT: tg.dynamic_slice
// CHECK: tg.collective_broadcast %arg1
// CHECK: tg.dynamic_slice

// -----

// Larger than a bucket: the latency of a call is a small part of it.
module attributes {stitch.device = #stitch.device<h200>, stitch.partitions = 2 : i64} {
  func.func @main(%a: tensor<16777216xf32>) -> tensor<16777216xf32> {
    %0 = tg.all_reduce add %a groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<16777216xf32>
    return %0 : tensor<16777216xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK: tg.all_reduce
