// RUN: stitch-opt %s --stitch-communication=bucket=1 -o - | FileCheck %s
// RUN: stitch-opt %s --stitch-communication=bucket=0 -o - | FileCheck %s --check-prefix=APART

// Sums that differ in nothing but shape are one call, unless one needs another; a maximum, and a sum of another group, are not of it. 1 KB is
// as much as the first two.
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%a: tensor<16x8xf32>, %b: tensor<128xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>)
      -> (tensor<16x8xf32>, tensor<128xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stitch.library_call(%x = %a) : (tensor<16x8xf32>) -> tensor<16x8xf32> {
      %s = tg.all_reduce add %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<16x8xf32>
      stitch.yield %s : tensor<16x8xf32>
    }
    %1 = stitch.library_call(%x = %b) : (tensor<128xf32>) -> tensor<128xf32> {
      %s = tg.all_reduce add %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<128xf32>
      stitch.yield %s : tensor<128xf32>
    }
    %2 = stitch.library_call(%x = %c) : (tensor<4xf32>) -> tensor<4xf32> {
      %s = tg.all_reduce add %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<4xf32>
      stitch.yield %s : tensor<4xf32>
    }
    %3 = stitch.library_call(%x = %2) : (tensor<4xf32>) -> tensor<4xf32> {
      %s = tg.all_reduce add %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<4xf32>
      stitch.yield %s : tensor<4xf32>
    }
    %4 = stitch.library_call(%x = %d) : (tensor<4xf32>) -> tensor<4xf32> {
      %s = tg.all_reduce add %x groups dense<[[0], [1]]> : tensor<2x1xi64> : tensor<4xf32>
      stitch.yield %s : tensor<4xf32>
    }
    return %0, %1, %2, %3, %4 : tensor<16x8xf32>, tensor<128xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
// CHECK: %[[BOTH:.*]]:2 = stitch.library_call(%{{.*}} = %arg0, %{{.*}} = %arg1)
// CHECK-NEXT: tg.all_reduce add
// CHECK-NEXT: tg.all_reduce add
// CHECK-NEXT: stitch.yield
// CHECK: %[[FIRST:.*]] = stitch.library_call(%{{.*}} = %arg2)
// CHECK: %[[OTHER:.*]] = stitch.library_call(%{{.*}} = %arg3)
// CHECK-NEXT: tg.all_reduce add %{{.*}} groups dense<{{\[\[}}0], [1]]>
// CHECK: %[[SECOND:.*]] = stitch.library_call(%{{.*}} = %[[FIRST]])
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1, %[[FIRST]], %[[SECOND]], %[[OTHER]]
// APART-COUNT-5: stitch.library_call
