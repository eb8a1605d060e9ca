// RUN: stitch-opt %s --stitch-outline --stitch-remote=policy=exhaustive -o - | FileCheck %s
// RUN: stitch-opt %s --stitch-outline --stitch-remote -o - | FileCheck %s
// RUN: stitch-opt %s --stitch-outline --stitch-remote=policy=walks --stitch-communication=overlap=false -o - | FileCheck %s --check-prefix=WALKS

// Two layers: the update of the second one's parameter waits for the sum of its gradient. The gradient of the first one is made behind a
// product, as that sum is: without regard to the call both could be one kernel, and the first sum would wait for the second one.
module attributes {stitch.device = #stitch.device<h200>, stitch.partitions = 2 : i64} {
  func.func @main(%x: tensor<64x64xf32>, %p: tensor<64x64xf32>, %q: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %g = tg.exp %x : tensor<64x64xf32>
    %s = tg.all_reduce add %g groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<64x64xf32>
    %u = tg.sub %p, %s : tensor<64x64xf32>
    %d = tg.dot %g, %q contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %h = tg.tanh %d : tensor<64x64xf32>
    %t = tg.all_reduce add %h groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<64x64xf32>
    %v = tg.sub %q, %t : tensor<64x64xf32>
    return %u, %v : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
// CHECK: stitch.fusion
// CHECK-NEXT: tg.exp
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.tanh
// CHECK-NEXT: stitch.yield
// CHECK: stitch.fusion
// CHECK-NEXT: tg.sub
// CHECK-NEXT: tg.sub
// CHECK-NEXT: stitch.yield
// CHECK-NOT: stitch.fusion

// WALKS: tg.exp
// WALKS: tg.tanh
// WALKS-NEXT: stitch.yield
// WALKS: stitch.library_call
// WALKS-NEXT: tg.all_reduce
// WALKS-NEXT: tg.all_reduce
// WALKS: tg.sub
// WALKS-NEXT: tg.sub
