// The special functions of CHLO from StableHLO to kernels: on the simt device as in the reference, in f32 without libdevice, and
// in f64 with it. How exact they are: test/operations/op_table.md.
// RUN: stitch-compile %s --target=simt -o %t.so
// RUN: stitch-run %t.so --device=simt --check --seed=5 --thread-order=3 | FileCheck %s --check-prefix=SIMT
// RUN: stitch-compile %s --emit=gpu -o - | stitch-opt -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_80 libdevice=none})' | FileCheck %s --check-prefix=NONE
// RUN: sed s/f32/f64/g %s > %t.f64.mlir
// RUN: stitch-compile %t.f64.mlir --target=simt -o %t.f64.so
// RUN: stitch-run %t.f64.so --device=simt --check --seed=6 | FileCheck %t.f64.mlir --check-prefix=SIMT

// SIMT-COUNT-7: ok: output
// NONE: gpu.binary @kernels
// NONE-NOT: __nv_

func.func public @main(%x: tensor<37xf32>) -> (tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<f32>) {
  %two = stablehlo.constant dense<2.0> : tensor<37xf32>
  %0 = chlo.lgamma %x : tensor<37xf32> -> tensor<37xf32>
  %1 = chlo.digamma %x : tensor<37xf32> -> tensor<37xf32>
  %2 = stablehlo.tanh %x : tensor<37xf32>
  %3 = chlo.erf_inv %2 : tensor<37xf32> -> tensor<37xf32>
  %4 = chlo.bessel_i1e %x : tensor<37xf32> -> tensor<37xf32>
  %5 = chlo.zeta %two, %x : tensor<37xf32>, tensor<37xf32> -> tensor<37xf32>
  %6 = chlo.polygamma %two, %x : tensor<37xf32>, tensor<37xf32> -> tensor<37xf32>
  // Of a reduction.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %7 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<37xf32>, tensor<f32>) -> tensor<f32>
  %8 = chlo.bessel_i1e %7 : tensor<f32> -> tensor<f32>
  return %0, %1, %3, %4, %5, %6, %8 : tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<f32>
}
