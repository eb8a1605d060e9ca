// RUN: stitch-opt %s --stitch-remote=policy=gain | FileCheck %s

// What the lighter of two kernels writes into a buffer stands between them: the fusion is in the place of the first one, not of the heavier one.

// CHECK-LABEL: func.func @first
// CHECK: %[[BOTH:.*]]:2 = stitch.fusion
// CHECK: tg.dynamic_update_slice %{{.*}}, %[[BOTH]]#1
// CHECK-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @first(%cache: tensor<9xf32> {stitch.donated = 0 : i64}, %x: tensor<6xf32>, %y: tensor<4096x256xf32>, %i: tensor<i32>) -> (tensor<9xf32>, tensor<4096x256xf32>) {
    %c = tg.cumulative min %y dim 0 : tensor<4096x256xf32>
    %0 = stitch.fusion(%a = %x) : (tensor<6xf32>) -> tensor<6xf32> {
      %t = tg.tanh %a : tensor<6xf32>
      stitch.yield %t : tensor<6xf32>
    }
    %1 = tg.dynamic_update_slice %cache[%i], %0 {stitch.in_place} : (tensor<9xf32>, tensor<6xf32>, tensor<i32>) -> tensor<9xf32>
    %2 = stitch.fusion(%b = %c) : (tensor<4096x256xf32>) -> tensor<4096x256xf32> {
      %t = tg.exp %b : tensor<4096x256xf32>
      stitch.yield %t : tensor<4096x256xf32>
    }
    return %1, %2 : tensor<9xf32>, tensor<4096x256xf32>
  }
}
