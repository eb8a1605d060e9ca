// StableHLO text as bytecode and back.
// RUN: stitch-opt %s --emit-bytecode -o %t.mlirbc
// RUN: stitch-opt %t.mlirbc --convert-stablehlo-to-tg | FileCheck %s
// RUN: stitch-compile %t.mlirbc --emit=tg | FileCheck %s

// CHECK: tg.reduce add
// CHECK: tg.compare lt
func.func @main(%a: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.compare LT, %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %1 : tensor<4xi1>
}
