// RUN: stitch-opt %s -split-input-file -stitch-running-softmax=choose=always | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-running-softmax | FileCheck %s --check-prefix=MODEL
// RUN: not stitch-opt %s -split-input-file -stitch-running-softmax=choose=sometimes 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-running-softmax 2>&1 | FileCheck %s --check-prefix=DEVICE

// ERROR: option 'choose' must be model or always, and is 'sometimes'
// DEVICE: has no device to tell costs for

// A maximum and a sum become one reduction. The row is short: it stays in registers, and is read once anyway.

// CHECK-LABEL: func.func @softmax
// CHECK-DAG: %[[ONES:.*]] = tg.constant dense<1.000000e+00> : tensor<5x7xf32>
// CHECK-DAG: %[[LOWEST:.*]] = tg.constant dense<0xFF800000> : tensor<f32>
// CHECK-DAG: %[[ZERO:.*]] = tg.constant dense<0.000000e+00> : tensor<f32>
// CHECK: %[[R:.*]]:2 = tg.general_reduce %arg0, %[[ONES]] inits %[[LOWEST]], %[[ZERO]] dims [1]
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[L:.*]]: tensor<f32>, %[[C:.*]]: tensor<f32>, %[[K:.*]]: tensor<f32>):
// CHECK: %[[T:.*]] = tg.exp
// CHECK: %[[LEFT:.*]] = tg.fma %[[K]], %[[T]], %[[L]]
// CHECK: %[[RIGHT:.*]] = tg.fma %[[L]], %[[T]], %[[K]]
// CHECK: %[[SUM:.*]] = tg.select %{{.*}}, %[[LEFT]], %[[RIGHT]]
// CHECK: %[[MAX:.*]] = tg.max %[[A]], %[[C]]
// CHECK: tg.yield %[[MAX]], %[[SUM]]
// CHECK: tg.broadcast %[[R]]#0
// CHECK: %[[APART:.*]] = tg.sub %[[R]]#0, %[[R]]#0
// CHECK: %[[FACTOR:.*]] = tg.exp %[[APART]]
// CHECK: %[[TOTAL:.*]] = tg.mul %[[R]]#1, %[[FACTOR]]
// CHECK: tg.broadcast %[[TOTAL]]
// CHECK-NOT: tg.reduce
// MODEL-LABEL: func.func @softmax
// MODEL: tg.reduce max
// MODEL: tg.reduce add
module attributes {stitch.device = #stitch.device<a100>} {
  func.func @softmax(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
    %0 = tg.reduce max %x dims [1] : (tensor<5x7xf32>) -> tensor<5xf32>
    %1 = tg.broadcast %0 dims [0] : (tensor<5xf32>) -> tensor<5x7xf32>
    %2 = tg.sub %x, %1 : tensor<5x7xf32>
    %3 = tg.exp %2 : tensor<5x7xf32>
    %4 = tg.reduce add %3 dims [1] : (tensor<5x7xf32>) -> tensor<5xf32>
    %5 = tg.broadcast %4 dims [0] : (tensor<5xf32>) -> tensor<5x7xf32>
    %6 = tg.div %3, %5 : tensor<5x7xf32>
    return %6 : tensor<5x7xf32>
  }
}

// -----

// JAX's logsumexp subtracts nothing where the maximum is infinite. The rows are long.

// CHECK-LABEL: func.func @logsumexp
// CHECK: %[[R:.*]]:2 = tg.general_reduce
// CHECK: %[[FINITE:.*]] = tg.is_finite %[[R]]#0
// CHECK: %[[M:.*]] = tg.select %[[FINITE]], %[[R]]#0
// CHECK: tg.sub %[[R]]#0, %[[M]]
// MODEL-LABEL: func.func @logsumexp
// MODEL: tg.general_reduce
module attributes {stitch.device = #stitch.device<a100>} {
  func.func @logsumexp(%x: tensor<3x65536xf64>) -> tensor<3xf64> {
    %zero = tg.constant dense<0.0> : tensor<3xf64>
    %0 = tg.reduce max %x dims [1] : (tensor<3x65536xf64>) -> tensor<3xf64>
    %1 = tg.is_finite %0 : tensor<3xf64>
    %2 = tg.select %1, %0, %zero : tensor<3xi1>, tensor<3xf64>
    %3 = tg.broadcast %2 dims [0] : (tensor<3xf64>) -> tensor<3x65536xf64>
    %4 = tg.sub %x, %3 : tensor<3x65536xf64>
    %5 = tg.exp %4 : tensor<3x65536xf64>
    %6 = tg.reduce add %5 dims [1] : (tensor<3x65536xf64>) -> tensor<3xf64>
    %7 = tg.log %6 : tensor<3xf64>
    %8 = tg.add %7, %2 : tensor<3xf64>
    return %8 : tensor<3xf64>
  }
}

// -----

// What is left alone: weights that the graph rounds to bf16, the maximum of something else, over other dimensions, and
// one that is broadcast along columns.

// CHECK-LABEL: func.func @others
// CHECK-NOT: tg.general_reduce
// MODEL-LABEL: func.func @others
module attributes {stitch.device = #stitch.device<a100>} {
  func.func @others(%b: tensor<5x7xbf16>, %x: tensor<7x7xf32>, %y: tensor<7x7xf32>) -> (tensor<5xbf16>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) {
    %0 = tg.reduce max %b dims [1] : (tensor<5x7xbf16>) -> tensor<5xbf16>
    %1 = tg.broadcast %0 dims [0] : (tensor<5xbf16>) -> tensor<5x7xbf16>
    %2 = tg.sub %b, %1 : tensor<5x7xbf16>
    %3 = tg.exp %2 : tensor<5x7xbf16>
    %4 = tg.reduce add %3 dims [1] : (tensor<5x7xbf16>) -> tensor<5xbf16>
    %5 = tg.reduce max %x dims [1] : (tensor<7x7xf32>) -> tensor<7xf32>
    %6 = tg.broadcast %5 dims [0] : (tensor<7xf32>) -> tensor<7x7xf32>
    %7 = tg.sub %y, %6 : tensor<7x7xf32>
    %8 = tg.exp %7 : tensor<7x7xf32>
    %9 = tg.reduce add %8 dims [1] : (tensor<7x7xf32>) -> tensor<7xf32>
    %10 = tg.reduce max %x dims [0] : (tensor<7x7xf32>) -> tensor<7xf32>
    %11 = tg.broadcast %10 dims [0] : (tensor<7xf32>) -> tensor<7x7xf32>
    %12 = tg.sub %x, %11 : tensor<7x7xf32>
    %13 = tg.exp %12 : tensor<7x7xf32>
    %14 = tg.reduce add %13 dims [1] : (tensor<7x7xf32>) -> tensor<7xf32>
    %15 = tg.broadcast %5 dims [1] : (tensor<7xf32>) -> tensor<7x7xf32>
    %16 = tg.sub %x, %15 : tensor<7x7xf32>
    %17 = tg.exp %16 : tensor<7x7xf32>
    %18 = tg.reduce add %17 dims [1] : (tensor<7x7xf32>) -> tensor<7xf32>
    return %4, %9, %14, %18 : tensor<5xbf16>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>
  }
}
