// Bitcasts in kernels, to types of the same width, narrower and wider, beside a root of other elements.
// RUN: stitch-run %s --check | FileCheck %s
// CHECK: ok: output 0 {{.*}}i8[6,40,4]
// CHECK: ok: output 1 {{.*}}ui64[6,20]
// CHECK: ok: output 2 {{.*}}i16[6,40,2]
// CHECK: ok: output 3 {{.*}}i32[6]

func.func @main(%x: tensor<6x40xi32>, %y: tensor<6x20x2xi32>)
    -> (tensor<6x40x4xi8>, tensor<6x20xui64>, tensor<6x40x2xi16>, tensor<6xi32>) {
  %doubled = stablehlo.add %x, %x : tensor<6x40xi32>
  %bytes = stablehlo.bitcast_convert %doubled : (tensor<6x40xi32>) -> tensor<6x40x4xi8>
  %wide = stablehlo.bitcast_convert %y : (tensor<6x20x2xi32>) -> tensor<6x20xui64>
  %floats = stablehlo.bitcast_convert %doubled : (tensor<6x40xi32>) -> tensor<6x40xf32>
  %parts = stablehlo.bitcast_convert %floats : (tensor<6x40xf32>) -> tensor<6x40x2xi16>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.reduce(%doubled init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<6x40xi32>, tensor<i32>) -> tensor<6xi32>
  return %bytes, %wide, %parts, %sum : tensor<6x40x4xi8>, tensor<6x20xui64>, tensor<6x40x2xi16>, tensor<6xi32>
}
