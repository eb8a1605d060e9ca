// RUN: stitch-opt %s -stitch-outline -stitch-remote -stitch-dominants | FileCheck %s

// With as many rows as columns the number of elements does not tell which of them a value belongs to: what is made of sums of columns
// does not go with the rows, where it would wait behind a barrier for all tasks of a loop.

// CHECK-LABEL: func.func @square
// CHECK: tg.reduce add {{.*}} dims [1] {stitch.group = [[ROWS:[0-9]+]] : i64, stitch.role = #stitch.role<dominant>}
// CHECK: tg.neg {{.*}} {stitch.group = [[ROWS]] : i64, stitch.role = #stitch.role<sub_dominant>}
// CHECK: tg.reduce add {{.*}} dims [0]
// CHECK: tg.exp {{.*}} stitch.role = #stitch.role<dominant>}
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @square(%x: tensor<512x512xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512x512xf32>) {
    %0 = tg.reduce add %x dims [1] : (tensor<512x512xf32>) -> tensor<512xf32>
    %1 = tg.neg %0 : tensor<512xf32>
    %2 = tg.broadcast %0 dims [0] : (tensor<512xf32>) -> tensor<512x512xf32>
    %3 = tg.mul %x, %2 : tensor<512x512xf32>
    %4 = tg.reduce add %x dims [0] : (tensor<512x512xf32>) -> tensor<512xf32>
    %5 = tg.exp %4 : tensor<512xf32>
    return %1, %5, %3 : tensor<512xf32>, tensor<512xf32>, tensor<512x512xf32>
  }
}
