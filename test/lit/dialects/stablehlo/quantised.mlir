// Quantised types, and what the pretty form has of them: as the generic form says it.
// RUN: stitch-opt %s --mlir-print-op-generic | FileCheck %s

!axis = tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5:-3, 0.25}>>
!unsigned = tensor<2x!quant.uniform<u8:bf16, 0.5:3>>

// CHECK: (tensor<2xf32>) -> (tensor<2x!quant.uniform<i8<-127:127>:f32:0, {5.000000e-01:-3,2.500000e-01}>>
func.func @main(%a: tensor<2xf32>) -> (!axis, !unsigned) {
  // CHECK: "stablehlo.uniform_quantize"(%{{.*}}) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8<-127:127>:f32:0
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> !axis
  // CHECK: "stablehlo.uniform_dequantize"(%{{.*}}) : (tensor<2x!quant.uniform<{{.*}}>>) -> tensor<2xf32>
  %1 = stablehlo.uniform_dequantize %0 : (!axis) -> tensor<2xf32>
  // CHECK: "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8<-127:127>:f32:0
  %2 = stablehlo.constant() {value = dense<[1, 2]> : tensor<2xi8>} : () -> !axis
  // CHECK: "stablehlo.constant"() <{value = dense<255> : tensor<2xui8>}> : () -> tensor<2x!quant.uniform<u8:bf16, 5.000000e-01:3>>
  %3 = stablehlo.constant() <{value = dense<255> : tensor<2xui8>}> : () -> !unsigned
  // CHECK: "stablehlo.add"(%{{.*}}, %{{.*}}) : (tensor<2x!quant.uniform<i8<-127:127>:f32:0, {{.*}}>>, tensor<2x!quant
  %4 = stablehlo.add %0, %2 : !axis
  // CHECK: -> tensor<2x!quant.uniform<u8:f32, 1.000000e+00:7>>
  %7 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<ui8:f32, 1.0:7>>
  return %4, %3 : !axis, !unsigned
}
