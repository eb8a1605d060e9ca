// RUN: stitch-opt %s --stitch-communication=bucket=1 -o - | FileCheck %s
// RUN: stitch-opt %s --stitch-communication=bucket=0 -o - | FileCheck %s --check-prefix=APART
// RUN: stitch-opt %s --stitch-communication='bucket=1 overlap=false' -o - | FileCheck %s --check-prefix=ONE

// Sums come right behind what they need, those that fit are one call, and what waits for them comes behind what does
// not: the second product runs beside the first sum.
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%a: tensor<16x8xf32>, %b: tensor<8x8xf32>, %c: tensor<4xf32>, %m: tensor<64xf32>)
      -> (tensor<16x8xf32>, tensor<4xf32>, tensor<16x8xf32>, tensor<64xf32>) {
    %0 = stitch.library_call(%x = %a, %y = %b) : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32> {
      %d = tg.dot %x, %y contract [1] x [0] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
      stitch.yield %d : tensor<16x8xf32>
    }
    %1 = stitch.library_call(%x = %0) : (tensor<16x8xf32>) -> tensor<16x8xf32> {
      %s = tg.all_reduce add %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<16x8xf32>
      stitch.yield %s : tensor<16x8xf32>
    }
    %2 = stitch.library_call(%x = %1, %y = %b) : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32> {
      %d = tg.dot %x, %y contract [1] x [0] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
      stitch.yield %d : tensor<16x8xf32>
    }
    %3 = stitch.library_call(%x = %a, %y = %b) : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32> {
      %d = tg.dot %x, %y contract [1] x [0] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
      stitch.yield %d : tensor<16x8xf32>
    }
    %4 = stitch.library_call(%x = %c) : (tensor<4xf32>) -> tensor<4xf32> {
      %s = tg.all_reduce add %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<4xf32>
      stitch.yield %s : tensor<4xf32>
    }
    %5 = stitch.library_call(%x = %m) : (tensor<64xf32>) -> tensor<64xf32> {
      %s = tg.all_reduce max %x groups dense<[[0, 1]]> : tensor<1x2xi64> : tensor<64xf32>
      stitch.yield %s : tensor<64xf32>
    }
    return %2, %4, %3, %5 : tensor<16x8xf32>, tensor<4xf32>, tensor<16x8xf32>, tensor<64xf32>
  }
}
// CHECK: func.func @main
// CHECK-SAME: stitch.hidden =
// CHECK: stitch.library_call(%{{.*}} = %arg2){{.*}}stitch.streams = {epoch = 1 : i64, stream = 1 : i64, super_epoch = 0 : i64}
// CHECK-NEXT: tg.all_reduce add
// CHECK: stitch.library_call(%{{.*}} = %arg3){{.*}}stream = 1
// CHECK-NEXT: tg.all_reduce max
// CHECK: %[[DOT:.*]] = stitch.library_call(%{{.*}} = %arg0, %{{.*}} = %arg1)
// CHECK-NEXT: tg.dot
// CHECK: %[[SUM:.*]] = stitch.library_call(%{{.*}} = %[[DOT]]){{.*}}stream = 1
// CHECK-NEXT: tg.all_reduce add
// CHECK: stitch.library_call(%{{.*}} = %arg0, %{{.*}} = %arg1)
// CHECK-NEXT: tg.dot
// CHECK: stitch.library_call(%{{.*}} = %[[SUM]]
// CHECK-NEXT: tg.dot
// APART-COUNT-3: tg.all_reduce
// ONE-NOT: stitch.streams
// ONE-NOT: stitch.hidden

