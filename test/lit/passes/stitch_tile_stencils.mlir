// RUN: stitch-opt %s -split-input-file -stitch-tile-stencils -canonicalize | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=tiled -stitch-verify-plan | FileCheck %s --check-prefix=PLAN
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-tile-stencils 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: has no device to tell costs for: set stitch.device on the module

// Periodic steps: a tile begins before its own elements, and the input continues at its other end.

// CHECK-LABEL: func.func @periodic
// CHECK-SAME: (%[[X:.*]]: tensor<4096x4096xf32>)
// CHECK: tg.concatenate %{{.*}}, %[[X]], %{{.*}} dim 0
// CHECK: tg.gather {{.*}} offset_dims [2, 3] start_index_map [0, 1] index_vector_dim 2
// CHECK-COUNT-3: tg.tanh {{.*}} : tensor<{{[0-9]+x[0-9]+x[0-9]+x[0-9]+}}xf32>
// CHECK-NOT: tg.tanh
// CHECK: tg.transpose {{.*}} permutation [0, 2, 1, 3] {stitch.joins_tiles}
// CHECK: %[[ALL:.*]] = tg.reshape {{.*}} -> tensor<4096x4096xf32>
// CHECK: return %[[ALL]]

// The steps of a tile are one kernel, whose values are regional; its result is stored where the tile belongs.
// PLAN-LABEL: func.func @periodic
// PLAN: stitch.fusion
// PLAN-NOT: stitch.fusion
// PLAN: tg.tanh {{.*}}#stitch.mapping<row{{.*}}#stitch.scheme<regional>
// PLAN: tg.transpose {{.*}}stitch.by_operand
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @periodic(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %0 = tg.slice %x [4095:4096, 0:4096] : (tensor<4096x4096xf32>) -> tensor<1x4096xf32>
    %1 = tg.slice %x [0:4095, 0:4096] : (tensor<4096x4096xf32>) -> tensor<4095x4096xf32>
    %2 = tg.concatenate %0, %1 dim 0 : (tensor<1x4096xf32>, tensor<4095x4096xf32>) -> tensor<4096x4096xf32>
    %3 = tg.add %x, %2 : tensor<4096x4096xf32>
    %4 = tg.tanh %3 : tensor<4096x4096xf32>
    %5 = tg.slice %4 [1:4096, 0:4096] : (tensor<4096x4096xf32>) -> tensor<4095x4096xf32>
    %6 = tg.slice %4 [0:1, 0:4096] : (tensor<4096x4096xf32>) -> tensor<1x4096xf32>
    %7 = tg.concatenate %5, %6 dim 0 : (tensor<4095x4096xf32>, tensor<1x4096xf32>) -> tensor<4096x4096xf32>
    %8 = tg.add %4, %7 : tensor<4096x4096xf32>
    %9 = tg.tanh %8 : tensor<4096x4096xf32>
    %10 = tg.slice %9 [4094:4096, 0:4096] : (tensor<4096x4096xf32>) -> tensor<2x4096xf32>
    %11 = tg.slice %9 [0:4094, 0:4096] : (tensor<4096x4096xf32>) -> tensor<4094x4096xf32>
    %12 = tg.concatenate %10, %11 dim 0 : (tensor<2x4096xf32>, tensor<4094x4096xf32>) -> tensor<4096x4096xf32>
    %13 = tg.add %9, %12 : tensor<4096x4096xf32>
    %14 = tg.tanh %13 : tensor<4096x4096xf32>
    return %14 : tensor<4096x4096xf32>
  }
}

// -----

// Zeros around each value: a choice by the position in the whole value. Sizes that nothing divides leave a part out.

// CHECK-LABEL: func.func @padded
// CHECK: tg.iota
// CHECK: tg.compare
// CHECK: tg.select
// CHECK: tg.slice {{.*}} -> tensor<100003xf32>
// CHECK-NEXT: return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @padded(%x: tensor<100003xf32>) -> tensor<100003xf32> {
    %zero = tg.constant dense<0.0> : tensor<f32>
    %0 = tg.pad %x, %zero low [1] high [1] interior [0] : (tensor<100003xf32>, tensor<f32>) -> tensor<100005xf32>
    %1 = tg.slice %0 [0:100003] : (tensor<100005xf32>) -> tensor<100003xf32>
    %2 = tg.slice %0 [2:100005] : (tensor<100005xf32>) -> tensor<100003xf32>
    %3 = tg.add %1, %2 : tensor<100003xf32>
    %4 = tg.tanh %3 : tensor<100003xf32>
    %5 = tg.pad %4, %zero low [1] high [1] interior [0] : (tensor<100003xf32>, tensor<f32>) -> tensor<100005xf32>
    %6 = tg.slice %5 [0:100003] : (tensor<100005xf32>) -> tensor<100003xf32>
    %7 = tg.slice %5 [2:100005] : (tensor<100005xf32>) -> tensor<100003xf32>
    %8 = tg.add %6, %7 : tensor<100003xf32>
    %9 = tg.tanh %8 : tensor<100003xf32>
    return %9 : tensor<100003xf32>
  }
}

// -----

// One step, a value that is a result, too, and a transpose between steps: nothing is tiled.

// CHECK-LABEL: func.func @stays
// CHECK-NOT: tg.gather
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @stays(%x: tensor<500x500xf32>) -> (tensor<496x500xf32>, tensor<498x500xf32>) {
    %0 = tg.slice %x [0:498, 0:500] : (tensor<500x500xf32>) -> tensor<498x500xf32>
    %1 = tg.slice %x [2:500, 0:500] : (tensor<500x500xf32>) -> tensor<498x500xf32>
    %2 = tg.add %0, %1 : tensor<498x500xf32>
    %3 = tg.slice %2 [0:496, 0:500] : (tensor<498x500xf32>) -> tensor<496x500xf32>
    %4 = tg.slice %2 [2:498, 0:500] : (tensor<498x500xf32>) -> tensor<496x500xf32>
    %5 = tg.add %3, %4 : tensor<496x500xf32>
    return %5, %2 : tensor<496x500xf32>, tensor<498x500xf32>
  }
}
