// The bits of a maximum or minimum are compared, too: -0 is less than +0, in whatever order the two are given.

// RUN: stitch-run %s --check | FileCheck %s
// RUN: stitch-run %s --check --seed=3 --thread-order=3 | FileCheck %s
// CHECK: ok: output 0
// CHECK-NEXT: ok: output 1
// CHECK-NEXT: ok: output 2
// CHECK-NEXT: ok: output 3
// CHECK-NEXT: ok: {{[0-9]+}} of {{[0-9]+}} launches checked alone, 0 wrong; {{[0-9]+}} elements{{$}}

func.func @main(%a: tensor<64x9xf32>, %b: tensor<64x9xf32>)
    -> (tensor<64x9xi32>, tensor<64x9xi32>, tensor<64xi32>, tensor<64xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<64x9xf32>
  %x = stablehlo.multiply %a, %zero : tensor<64x9xf32>
  %y = stablehlo.multiply %b, %zero : tensor<64x9xf32>
  %max = stablehlo.maximum %x, %y : tensor<64x9xf32>
  %min = stablehlo.minimum %x, %y : tensor<64x9xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %most = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x9xf32>, tensor<f32>) -> tensor<64xf32>
  %least = stablehlo.reduce(%y init: %high) applies stablehlo.minimum across dimensions = [1] : (tensor<64x9xf32>, tensor<f32>) -> tensor<64xf32>
  %0 = stablehlo.bitcast_convert %max : (tensor<64x9xf32>) -> tensor<64x9xi32>
  %1 = stablehlo.bitcast_convert %min : (tensor<64x9xf32>) -> tensor<64x9xi32>
  %2 = stablehlo.bitcast_convert %most : (tensor<64xf32>) -> tensor<64xi32>
  %3 = stablehlo.bitcast_convert %least : (tensor<64xf32>) -> tensor<64xi32>
  return %0, %1, %2, %3 : tensor<64x9xi32>, tensor<64x9xi32>, tensor<64xi32>, tensor<64xi32>
}
