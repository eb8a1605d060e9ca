// Complex numbers in order of real and then of imaginary parts, in kernels and as what reduces; their bits; predicates are one bit each.
// RUN: stitch-run %s --check | FileCheck %s
// RUN: stitch-compile %s --emit=ptx --target=sm_90 | FileCheck %s --check-prefix=PTX
// CHECK: ok: output 0 {{.*}}complex<f32>[64,32]
// CHECK: ok: output 1 {{.*}}complex<f32>[64]
// CHECK: ok: output 2 {{.*}}complex<f32>[64,2]
// CHECK: ok: output 3 {{.*}}complex<f64>[64]
// CHECK: ok: output 4 {{.*}}i64[]
// CHECK: ok: output 5 {{.*}}i1[64]
// CHECK: 0 wrong
// PTX: .entry fusion_0

func.func @main(%x: tensor<64x32xcomplex<f32>>, %y: tensor<64x32xcomplex<f32>>, %z: tensor<64xcomplex<f64>>, %p: tensor<64xi1>)
    -> (tensor<64x32xcomplex<f32>>, tensor<64xcomplex<f32>>, tensor<64x2xcomplex<f32>>, tensor<64xcomplex<f64>>, tensor<i64>, tensor<64xi1>) {
  %greater = stablehlo.maximum %x, %y : tensor<64x32xcomplex<f32>>
  %range = stablehlo.minimum %greater, %x : tensor<64x32xcomplex<f32>>
  %init = stablehlo.constant dense<(0.5, -1.0)> : tensor<complex<f32>>
  %most = stablehlo.reduce(%range init: %init) applies stablehlo.maximum across dimensions = [1]
      : (tensor<64x32xcomplex<f32>>, tensor<complex<f32>>) -> tensor<64xcomplex<f32>>
  %parts = stablehlo.bitcast_convert %z : (tensor<64xcomplex<f64>>) -> tensor<64x2xcomplex<f32>>
  %reversed = stablehlo.reverse %parts, dims = [0] : tensor<64x2xcomplex<f32>>
  %whole = stablehlo.bitcast_convert %reversed : (tensor<64x2xcomplex<f32>>) -> tensor<64xcomplex<f64>>
  %not = stablehlo.not %p : tensor<64xi1>
  %bits = stablehlo.bitcast_convert %not : (tensor<64xi1>) -> tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %next = stablehlo.add %bits, %one : tensor<i64>
  %predicates = stablehlo.bitcast_convert %next : (tensor<i64>) -> tensor<64xi1>
  return %greater, %most, %parts, %whole, %bits, %predicates
      : tensor<64x32xcomplex<f32>>, tensor<64xcomplex<f32>>, tensor<64x2xcomplex<f32>>, tensor<64xcomplex<f64>>, tensor<i64>, tensor<64xi1>
}
