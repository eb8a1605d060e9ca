// RUN: stitch-opt %s --convert-stitch-to-gpu | FileCheck %s
// RUN: stitch-opt %s --pass-pipeline='builtin.module(convert-stitch-to-gpu,func.func(convert-scf-to-cf),convert-host-to-llvm)' | FileCheck %s --check-prefix=LLVM

// Two operations of one variable take the same version. The runtime says which; what lies between is measured.

// CHECK-LABEL: func.func @main
// CHECK-SAME: stitch.adaptive = [{name = "p", versions = ["apart", "all"]}, {name = "q", versions = ["only"]}]
// CHECK-SAME: stitch.update = ["prefix", "p", {context = ["p"], variable = "q"}]
// CHECK: %[[P:.*]] = stitch.choose "p"
// CHECK-NEXT: scf.index_switch %[[P]]
// CHECK-NEXT: case 1 {
// CHECK: call @dot_1
// CHECK: default {
// CHECK: call @dot_0
// CHECK: stitch.chosen "p"
// CHECK: stitch.choose "q"
// CHECK: stitch.chosen "q"
// CHECK: stitch.choose "p"

// LLVM: llvm.func @stitchChoose(!llvm.ptr, i64) -> i64
// LLVM: llvm.func @stitchChosen(!llvm.ptr, i64)
// LLVM: llvm.func @stitch_host_main
// LLVM-SAME: stitch.adaptive = [{name = "p", versions = ["apart", "all"]}, {name = "q", versions = ["only"]}]
// LLVM-SAME: stitch.update = ["prefix", "p", {context = ["p"], variable = "q"}]
// LLVM: llvm.call @stitchChoose(%arg0, %{{.*}}) : (!llvm.ptr, i64) -> i64
// LLVM: llvm.switch
// LLVM: llvm.call @stitchChosen(%arg0, %{{.*}}) : (!llvm.ptr, i64) -> ()
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<8x4xf32>, %v: tensor<4x4xf32>) -> tensor<8x4xf32> attributes {stitch.update = ["prefix", "p", {context = ["p"], variable = "q"}]} {
    %0 = stitch.adaptive "p" ["apart", "all"] : tensor<8x4xf32> {
      %3 = stitch.library_call(%a = %x, %b = %v) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32> {
        %4 = tg.dot %a, %b contract [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
        stitch.yield %4 : tensor<8x4xf32>
      }
      stitch.yield %3 : tensor<8x4xf32>
    }, {
      %3 = stitch.library_call(%a = %x, %b = %v) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32> {
        %4 = tg.dot %a, %b contract [1] x [1] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
        stitch.yield %4 : tensor<8x4xf32>
      }
      stitch.yield %3 : tensor<8x4xf32>
    }
    %1 = stitch.adaptive "q" ["only"] : tensor<8x4xf32> {
      %3 = stitch.library_call(%a = %0, %b = %v) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32> {
        %4 = tg.dot %a, %b contract [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
        stitch.yield %4 : tensor<8x4xf32>
      }
      stitch.yield %3 : tensor<8x4xf32>
    }
    %2 = stitch.adaptive "p" ["apart", "all"] : tensor<8x4xf32> {
      stitch.yield %1 : tensor<8x4xf32>
    }, {
      stitch.yield %0 : tensor<8x4xf32>
    }
    return %2 : tensor<8x4xf32>
  }
}
