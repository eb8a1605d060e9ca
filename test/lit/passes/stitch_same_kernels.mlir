// RUN: stitch-opt %s --stitch-same-kernels | FileCheck %s --check-prefix=MARKED
// RUN: stitch-opt %s --pass-pipeline="builtin.module(stitch-same-kernels,stitch-dominants,stitch-thread-mapping,stitch-axes,stitch-tiles,stitch-schemes,stitch-schedule,stitch-buffers,stitch-launch,stitch-staging,stitch-same-kernels{planned=true},stitch-verify-plan)" -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s
// RUN: stitch-opt %s --stitch-same-kernels --stitch-remarks | FileCheck %s --check-prefix=ALONE
// RUN: sed 's/stitch.device = #stitch.device<h200>/&, stitch.rules = []/' %s | stitch-opt --stitch-same-kernels | FileCheck %s --check-prefix=ALONE

// The third fusion is the same kernel as the first: its plan is a copy, with its own operands and locations, and nothing is left of numbers. The second one
// has another constant, the fourth one stands in a loop, which makes no difference, and the last one has a loop inside.
// MARKED-LABEL: func.func @main
// MARKED: stitch.fusion
// MARKED-NOT: same_as
// MARKED: stitch.fusion
// MARKED-NOT: same_as
// MARKED: stitch.fusion
// MARKED-SAME: stitch.same_as = 0 : i64
// MARKED: stitch.fusion
// MARKED-SAME: stitch.same_as = 0 : i64
// MARKED: stitch.fusion
// MARKED-NOT: same_as
// MARKED: return

// ALONE-NOT: same_as
// ALONE: return

// CHECK-NOT: same_as
// CHECK-NOT: stitch.operation
// CHECK-LABEL: func.func @main
// CHECK: stitch.fusion(%{{.*}} = %arg0)
// CHECK-SAME: stitch.launch = #stitch.launch<[[LAUNCH:.*]]>
// CHECK: tg.reduce
// CHECK-SAME: stitch.mapping = #stitch.mapping<[[MAPPING:.*]]>,
// CHECK-SAME: loc("first_sum")
// CHECK: } loc("first")
// CHECK: stitch.fusion
// CHECK: %[[THIRD:.*]] = stitch.fusion(%{{.*}} = %arg1)
// CHECK-SAME: stitch.launch = #stitch.launch<[[LAUNCH]]>
// CHECK: tg.reduce
// CHECK-SAME: stitch.mapping = #stitch.mapping<[[MAPPING]]>,
// CHECK-SAME: loc("third_sum")
// CHECK: tg.broadcast {{.*}}loc("third_row")
// CHECK: tg.sub {{.*}}loc("third_minus")
// CHECK: } loc("third")
// CHECK: stitch.fusion
// CHECK-SAME: stitch.launch = #stitch.launch<[[LAUNCH]]>
// CHECK: loc("fourth_sum")
// CHECK: return %{{.*}}, %{{.*}}, %[[THIRD]]
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<64x512xf32>, %y: tensor<64x512xf32>, %true: tensor<i1>) -> (tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>) {
    %first = stitch.fusion(%a = %x) : (tensor<64x512xf32>) -> tensor<64x512xf32> {
      %0 = tg.reduce add %a dims [1] : (tensor<64x512xf32>) -> tensor<64xf32> loc("first_sum")
      %1 = tg.broadcast %0 dims [0] : (tensor<64xf32>) -> tensor<64x512xf32> loc("first_row")
      %2 = tg.sub %a, %1 : tensor<64x512xf32> loc("first_minus")
      stitch.yield %2 : tensor<64x512xf32>
    } loc("first")
    %second = stitch.fusion(%a = %x) : (tensor<64x512xf32>) -> tensor<64x512xf32> {
      %0 = tg.reduce max %a dims [1] : (tensor<64x512xf32>) -> tensor<64xf32>
      %1 = tg.broadcast %0 dims [0] : (tensor<64xf32>) -> tensor<64x512xf32>
      %2 = tg.sub %a, %1 : tensor<64x512xf32>
      stitch.yield %2 : tensor<64x512xf32>
    }
    %third = stitch.fusion(%a = %y) : (tensor<64x512xf32>) -> tensor<64x512xf32> {
      %0 = tg.reduce add %a dims [1] : (tensor<64x512xf32>) -> tensor<64xf32> loc("third_sum")
      %1 = tg.broadcast %0 dims [0] : (tensor<64xf32>) -> tensor<64x512xf32> loc("third_row")
      %2 = tg.sub %a, %1 : tensor<64x512xf32> loc("third_minus")
      stitch.yield %2 : tensor<64x512xf32>
    } loc("third")
    %4 = tg.while(%v = %x) : tensor<64x512xf32> attributes {trip_count = 4 : i64} cond {
      tg.yield %true : tensor<i1>
    } do {
      %fourth = stitch.fusion(%a = %v) : (tensor<64x512xf32>) -> tensor<64x512xf32> {
        %0 = tg.reduce add %a dims [1] : (tensor<64x512xf32>) -> tensor<64xf32> loc("fourth_sum")
        %1 = tg.broadcast %0 dims [0] : (tensor<64xf32>) -> tensor<64x512xf32>
        %2 = tg.sub %a, %1 : tensor<64x512xf32>
        stitch.yield %2 : tensor<64x512xf32>
      }
      tg.yield %fourth : tensor<64x512xf32>
    }
    %5 = tg.while(%v = %x) : tensor<64x512xf32> attributes {trip_count = 4 : i64} cond {
      tg.yield %true : tensor<i1>
    } do {
      %fifth = stitch.fusion(%a = %v) : (tensor<64x512xf32>) -> tensor<64x512xf32> attributes {stitch.persistent} {
        %0 = tg.reduce add %a dims [1] : (tensor<64x512xf32>) -> tensor<64xf32>
        %1 = tg.broadcast %0 dims [0] : (tensor<64xf32>) -> tensor<64x512xf32>
        %2 = tg.sub %a, %1 : tensor<64x512xf32>
        stitch.yield %2 : tensor<64x512xf32>
      }
      tg.yield %fifth : tensor<64x512xf32>
    }
    return %first, %second, %third, %4, %5 : tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xf32>
  }
}
