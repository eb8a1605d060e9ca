// RUN: stitch-opt %s -split-input-file --stitch-pipeline=plan=persistent-never --stitch-launch-phases --stitch-remarks 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: stitch-opt %s -split-input-file --stitch-pipeline=plan=persistent-never --stitch-launch-phases --stitch-verify-plan -o /dev/null
// RUN: stitch-opt %s -split-input-file --stitch-pipeline=plan=astitch | FileCheck %s --check-prefix=ASTITCH
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-launch-phases 2>&1 | FileCheck %s --check-prefix=DEVICE

// DEVICE: has no device to tell costs for

// Sums of columns are complete behind a grid barrier, which takes longer than a launch: three products of one row, one
// behind the other, are three kernels. AStitch's plan has barriers.

// REMARK: phases as kernels of their own take {{[0-9]+}} ns, with grid barriers {{[0-9]+}}: they are launched
// CHECK-LABEL: func.func @chain
// CHECK: %[[FIRST:.*]] = stitch.fusion
// CHECK-SAME: barriers = 0>
// CHECK: %[[SECOND:.*]] = stitch.fusion({{.*}} = %[[FIRST]]
// CHECK-SAME: barriers = 0>
// CHECK: stitch.fusion({{.*}} = %[[SECOND]]
// CHECK-SAME: barriers = 0>
// CHECK-NOT: barriers = {{[1-9]}}
// CHECK: return
// ASTITCH-LABEL: func.func @chain
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @chain(%x: tensor<1x2048xbf16>, %a: tensor<2048x2048xbf16>, %b: tensor<2048x2048xbf16>, %c: tensor<2048x2048xbf16>) -> tensor<1x2048xbf16> {
    %0 = tg.dot %x, %a contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<1x2048xbf16>
    %1 = tg.tanh %0 : tensor<1x2048xbf16>
    %2 = tg.dot %1, %b contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<1x2048xbf16>
    %3 = tg.tanh %2 : tensor<1x2048xbf16>
    %4 = tg.dot %3, %c contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<1x2048xbf16>
    return %4 : tensor<1x2048xbf16>
  }
}

// -----

// Where a launch takes longer than a barrier, the kernel stays whole.

// REMARK: phases as kernels of their own take {{[0-9]+}} ns, with grid barriers {{[0-9]+$}}
// CHECK-LABEL: func.func @barriers
// CHECK: stitch.fusion
// CHECK-SAME: barriers = {{[1-9]}}>
// CHECK-NOT: stitch.fusion
// CHECK: return
module attributes {stitch.device = #stitch.device<h200, launch_ns = 5000>} {
  func.func @barriers(%x: tensor<1x2048xbf16>, %a: tensor<2048x2048xbf16>, %b: tensor<2048x2048xbf16>) -> tensor<1x2048xbf16> {
    %0 = tg.dot %x, %a contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<1x2048xbf16>
    %1 = tg.tanh %0 : tensor<1x2048xbf16>
    %2 = tg.dot %1, %b contract [1] x [0] : (tensor<1x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<1x2048xbf16>
    return %2 : tensor<1x2048xbf16>
  }
}
