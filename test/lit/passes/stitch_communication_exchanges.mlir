// RUN: stitch-opt %s --stitch-communication -o - | FileCheck %s
// RUN: stitch-opt %s --stitch-communication --convert-stitch-to-gpu -o - | FileCheck %s --check-prefix=HOST

// The tensor of each member in order is one call. Two that are not in order, and one alone, stay apart.
module attributes {stitch.device = #stitch.device<h200>, stitch.partitions = 2 : i64} {
  func.func @main(%a: tensor<64xf32>, %b: tensor<4xf32>)
      -> (tensor<64xf32>, tensor<64xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stitch.library_call(%x = %a) : (tensor<64xf32>) -> tensor<64xf32> {
      %s = tg.collective_broadcast %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<64xf32>
      stitch.yield %s : tensor<64xf32>
    }
    %1 = stitch.library_call(%x = %a) : (tensor<64xf32>) -> tensor<64xf32> {
      %s = tg.collective_broadcast %x groups dense<[[1, 0]]> : tensor<1x2xi64> : tensor<64xf32>
      stitch.yield %s : tensor<64xf32>
    }
    %2 = stitch.library_call(%x = %b) : (tensor<4xf32>) -> tensor<4xf32> {
      %s = tg.collective_broadcast %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<4xf32>
      stitch.yield %s : tensor<4xf32>
    }
    %3 = stitch.library_call(%x = %b) : (tensor<4xf32>) -> tensor<4xf32> {
      %s = tg.collective_broadcast %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<4xf32>
      stitch.yield %s : tensor<4xf32>
    }
    return %0, %1, %2, %3 : tensor<64xf32>, tensor<64xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
// CHECK: %[[BOTH:.*]]:2 = stitch.library_call(%{{.*}} = %arg0)
// CHECK-NEXT: tg.collective_broadcast %{{.*}} groups dense<{{\[\[}}0, 1]]>
// CHECK-NEXT: tg.collective_broadcast %{{.*}} groups dense<{{\[\[}}1, 0]]>
// CHECK-NEXT: stitch.yield
// CHECK: %[[C:.*]] = stitch.library_call(%{{.*}} = %arg1)
// CHECK: %[[D:.*]] = stitch.library_call(%{{.*}} = %arg1)
// CHECK: return %[[BOTH]]#0, %[[BOTH]]#1, %[[C]], %[[D]]

// Results that are returned are in the outputs: there is no window for them.
// HOST: func.func @main
// HOST-NOT: stitch.windows
// HOST: call @operands_of_all_0(%arg0, %{{.*}}, %arg0, %{{.*}})
// HOST: @operands_of_all_0{{.*}}groups = dense<{{\[\[}}0, 1]]> : tensor<1x2xi64>, kind = "operands_of_all", members = 2 : i64
