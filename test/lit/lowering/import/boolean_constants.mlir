// A long constant of booleans has a byte for each (JAX 0.10 prints it so) or a bit for each (MLIR 22); the size tells which.
// RUN: stitch-opt %s --convert-stablehlo-to-tg --split-input-file | FileCheck %s
// RUN: stitch-opt --convert-stablehlo-to-tg --split-input-file < %s | FileCheck %s

// CHECK-LABEL: @bytes
// CHECK: tg.constant dense<{{\[\[}}true, false, true], [false, false, false], [true, true, true]]> : tensor<3x3xi1>
func.func @bytes() -> tensor<3x3xi1> {
  %0 = stablehlo.constant dense<"0x010001000000010101"> : tensor<3x3xi1>
  return %0 : tensor<3x3xi1>
}

// CHECK-LABEL: @bits
// CHECK: tg.constant dense<{{\[\[}}true, false, true], [false, false, false], [true, true, true]]> : tensor<3x3xi1>
func.func @bits() -> tensor<3x3xi1> {
  %0 = stablehlo.constant dense<"0xC501"> : tensor<3x3xi1>
  return %0 : tensor<3x3xi1>
}

// CHECK-LABEL: @generic
// CHECK: tg.constant dense<[true, false]> : tensor<2xi1>
func.func @generic() -> tensor<2xi1> {
  %0 = "stablehlo.constant"() <{value = dense<"0x0100">
    : tensor<2xi1>}> : () -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// One boolean looks the same in both forms; one byte for more of them stands for all.
// CHECK-LABEL: @one
// CHECK-DAG: tg.constant dense<true> : tensor<1xi1>
// CHECK-DAG: tg.constant dense<true> : tensor<i1>
// CHECK-DAG: tg.constant dense<true> : tensor<9xi1>
func.func @one() -> (tensor<1xi1>, tensor<i1>, tensor<9xi1>) {
  %0 = stablehlo.constant dense<"0x01"> : tensor<1xi1>
  %1 = stablehlo.constant dense<"0x01"> : tensor<i1>
  %2 = stablehlo.constant dense<"0xFF"> : tensor<9xi1>
  return %0, %1, %2 : tensor<1xi1>, tensor<i1>, tensor<9xi1>
}

// Other types and texts are left alone, "dense<\"0x0100\"> : tensor<2xi1>" too.
// CHECK-LABEL: @others
// CHECK: tg.constant dense<[1, 0]> : tensor<2xi8>
func.func @others() -> tensor<2xi8> attributes {text = "dense<\"0x0100\"> : tensor<2xi1>"} {
  %0 = stablehlo.constant dense<"0x0100"> : tensor<2xi8>
  return %0 : tensor<2xi8>
}
