// RUN: stitch-opt %s --split-input-file --stitch-set-device=device=h200 --stitch-outline='scope=apollo' | FileCheck %s
// RUN: stitch-opt %s --split-input-file --stitch-set-device=device=h200 --stitch-outline='scope=apollo layers=1' | FileCheck %s --check-prefix=LAYER1
// RUN: stitch-opt %s --split-input-file --stitch-set-device=device=h200 --stitch-outline='scope=apollo layers=0' | FileCheck %s --check-prefix=UNFUSED

// APOLLO's algorithm 2: of two reductions in loops of the same form and sizes, tiles and settings must be the same, too.
// A thread reads eight elements of f16 at once, and four of f32: two kernels.

// CHECK-LABEL: func.func @other_settings
// CHECK: stitch.fusion
// CHECK: tg.reduce max
// CHECK: stitch.fusion
// CHECK: tg.reduce add
func.func @other_settings(%x: tensor<4096x768xf32>) -> tensor<4096xf16> {
  %0 = tg.reduce max %x dims [1] : (tensor<4096x768xf32>) -> tensor<4096xf32>
  %1 = tg.broadcast %0 dims [0] : (tensor<4096xf32>) -> tensor<4096x768xf32>
  %2 = tg.sub %x, %1 : tensor<4096x768xf32>
  %3 = tg.convert %2 : (tensor<4096x768xf32>) -> tensor<4096x768xf16>
  %4 = tg.reduce add %3 dims [1] : (tensor<4096x768xf16>) -> tensor<4096xf16>
  return %4 : tensor<4096xf16>
}

// -----

// The same of one type is one kernel; without the rules of the second layer, two; without any, as many as operations.

// CHECK-LABEL: func.func @same_settings
// CHECK: stitch.fusion
// CHECK-NOT: stitch.fusion
// CHECK: return
// LAYER1-LABEL: func.func @same_settings
// LAYER1-COUNT-2: stitch.fusion
// LAYER1-NOT: stitch.fusion
// LAYER1: return
// UNFUSED-LABEL: func.func @same_settings
// UNFUSED-COUNT-4: stitch.fusion
// UNFUSED-NOT: stitch.fusion
// UNFUSED: return
func.func @same_settings(%x: tensor<4096x768xf32>) -> tensor<4096xf32> {
  %0 = tg.reduce max %x dims [1] : (tensor<4096x768xf32>) -> tensor<4096xf32>
  %1 = tg.broadcast %0 dims [0] : (tensor<4096xf32>) -> tensor<4096x768xf32>
  %2 = tg.sub %x, %1 : tensor<4096x768xf32>
  %3 = tg.exp %2 : tensor<4096x768xf32>
  %4 = tg.reduce add %3 dims [1] : (tensor<4096x768xf32>) -> tensor<4096xf32>
  return %4 : tensor<4096xf32>
}
