// RUN: stitch-opt %s -tg-simplify --stitch-remarks 2>&1 | FileCheck %s

// CHECK: remark: tg-simplify: 9 operations became 5: 1 calls, 2 rounds
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tg.add %x, %y : tensor<8xf32>
  %1 = call @f(%y, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = tg.mul %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tg.add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}
