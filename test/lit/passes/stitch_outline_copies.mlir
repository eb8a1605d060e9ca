// RUN: stitch-opt %s -stitch-outline | FileCheck %s
// RUN: stitch-opt %s -stitch-outline -stitch-remote=policy=exhaustive | FileCheck %s --check-prefix=MERGED

// Arguments that are returned, in whatever dimensions, and results that are returned twice are copied by kernels that run anyway. Of an argument
// whose memory is the result's nothing is.

// CHECK-LABEL: func.func @main
// CHECK: %[[TWICE:.*]]:3 = stitch.fusion(
// CHECK:   %[[EXP:.*]] = tg.exp
// CHECK:   tg.reshape %[[EXP]] : (tensor<7x9xf32>) -> tensor<7x9xf32>
// CHECK:   %[[OTHER:.*]] = tg.reshape %[[EXP]] : (tensor<7x9xf32>) -> tensor<9x7xf32>
// CHECK:   tg.reshape %[[OTHER]] : (tensor<9x7xf32>) -> tensor<9x7xf32>
// CHECK: %[[X:.*]] = stitch.fusion(%[[ARGUMENT:.*]] = %arg0)
// CHECK:   tg.reshape %[[ARGUMENT]] : (tensor<7x9xf32>) -> tensor<7x9xf32>
// CHECK: %[[FLAT:.*]] = stitch.fusion({{.*}} = %arg0)
// CHECK:   tg.reshape {{.*}} : (tensor<63xf32>) -> tensor<63xf32>
// CHECK: %[[Y:.*]] = stitch.fusion({{.*}} = %arg1)
// CHECK: return %[[X]], %[[FLAT]], %[[Y]], %arg2, %[[TWICE]]#0, %[[TWICE]]#1, %[[TWICE]]#2

// MERGED-LABEL: func.func @main
// MERGED: stitch.fusion
// MERGED-NOT: stitch.fusion
// MERGED: return

// Constants are in memory.
// CHECK-LABEL: func.func @constants
// CHECK-NOT: stitch.fusion
// CHECK: return
func.func @main(%x: tensor<7x9xf32>, %y: tensor<5xi32>, %z: tensor<7x9xf32> {stitch.donated = 3 : i64}) -> (tensor<7x9xf32>, tensor<63xf32>, tensor<5xi32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<9x7xf32>) {
  %flat = tg.reshape %x : (tensor<7x9xf32>) -> tensor<63xf32>
  %e = tg.exp %x : tensor<7x9xf32>
  %r = tg.reshape %e : (tensor<7x9xf32>) -> tensor<9x7xf32>
  return %x, %flat, %y, %z, %e, %e, %r : tensor<7x9xf32>, tensor<63xf32>, tensor<5xi32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<9x7xf32>
}

func.func @constants() -> (tensor<2xf32>, tensor<2xf32>) {
  %c = tg.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %c, %c : tensor<2xf32>, tensor<2xf32>
}
