// RUN: stitch-opt %s -tg-simplify | FileCheck %s
// RUN: stitch-opt %s -tg-simplify=without=SliceOfBroadcast | FileCheck %s --check-prefix=WITHOUT
// RUN: stitch-opt %s -tg-simplify=without=PadOfPad,SliceOfBroadcast | FileCheck %s --check-prefix=WITHOUT
// RUN: stitch-opt %S/Inputs/slice_in_call.mlir -tg-simplify=without=SliceOfBroadcast | FileCheck %s --check-prefix=WITHOUT
// RUN: not stitch-opt %s -tg-simplify=without=SliceOfBroadcast,NoSuchPattern -o %t 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Patterns can be left out by their names (bench/patterns says so what each is worth), where calls are inlined, too.

// CHECK-NOT: tg.broadcast
// WITHOUT: tg.broadcast
// UNKNOWN: error: {{.*}}tg-simplify: no pattern is called 'NoSuchPattern' (dialects/tg/tg_canonicalize*.cpp)
func.func @main(%x: tensor<4xf32>) -> tensor<2x1xf32> {
  %0 = tg.broadcast %x dims [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %1 = tg.slice %0 [0:2, 3:4] : (tensor<4x8xf32>) -> tensor<2x1xf32>
  return %1 : tensor<2x1xf32>
}
