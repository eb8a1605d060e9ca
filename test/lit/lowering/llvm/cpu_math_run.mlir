// Rounding to 16-bit floats, compared with rounding by division: to nearest, and with the CPU rounding upward, up or down.
// RUN: stitch-opt %s -stitch-cpu-math=rounding-mode=true -convert-to-llvm -reconcile-unrealized-casts | mlir-translate -mlir-to-llvmir -o %t.ll
// RUN: %clang -Wno-override-module -O2 -frounding-math %t.ll %S/Inputs/cpu_math_run.c -lm --rtlib=compiler-rt -o %t
// RUN: %t | FileCheck %s

// CHECK: f16: 0 of {{[0-9]+}} are wrong, 50 % of the inexact ones go up
// CHECK: bf16: 0 of {{[0-9]+}} are wrong, 50 % of the inexact ones go up
func.func @to_f16(%x: f32) -> i16 {
  %0 = arith.truncf %x : f32 to f16
  %1 = arith.bitcast %0 : f16 to i16
  return %1 : i16
}
func.func @to_bf16(%x: f32) -> i16 {
  %0 = arith.truncf %x : f32 to bf16
  %1 = arith.bitcast %0 : bf16 to i16
  return %1 : i16
}
