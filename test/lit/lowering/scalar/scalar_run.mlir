// Elements at the values where a formula would go wrong that holds elsewhere. All operations and types: test/operations/op_table.py.
// RUN: stitch-opt %s -pass-pipeline='builtin.module(convert-tg-to-linalg,one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(stitch-release-buffers),stitch-outline-loops,func.func(convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf),stitch-cpu-math,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)' \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF64(tensor<*xf64>) attributes {llvm.emit_c_interface}

func.func @main() {
  call @logistic() : () -> ()
  call @erfc() : () -> ()
  call @reduce_precision() : () -> ()
  call @reduce_precision_to_exponents() : () -> ()
  call @reduce_precision_of_halves() : () -> ()
  return
}

// exp(89) overflows, 1 / (1 + exp(89)) is not yet zero.
func.func private @logistic() {
  %x = tg.constant dense<[-89.0, 89.0, 0x7F800000, 0xFF800000, 0x7FC00000, -0.0]> : tensor<6xf32>
  %logistic = tg.logistic %x : tensor<6xf32>
  %wide = tg.convert %logistic : (tensor<6xf32>) -> tensor<6xf64>
  // CHECK: [2.2{{[0-9]+}}e-39, 1, 1, 0, {{-?nan}}, 0.5]
  %print = tensor.cast %wide : tensor<6xf64> to tensor<*xf64>
  call @printMemrefF64(%print) : (tensor<*xf64>) -> ()
  return
}

// 1 - erf(x) has no digits left.
func.func private @erfc() {
  %x = tg.constant dense<[0.0, 5.0, 9.0, -9.0, 0x7F800000, 0x7FC00000]> : tensor<6xf32>
  %erfc = tg.erfc %x : tensor<6xf32>
  // CHECK: [1, 1.5374{{[0-9]+}}e-12, 4.1370{{[0-9]+}}e-37, 2, 0, {{-?nan}}]
  %print = tensor.cast %erfc : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print) : (tensor<*xf32>) -> ()
  return
}

// To nearest, ties to even, with a carry; beyond the exponent an infinity; subnormal numbers become zeros of their sign.
func.func private @reduce_precision() {
  %x = tg.constant dense<[1.125, 1.375, 1.9, 61440.0, 57344.0, -5.0e-5, 6.2e-5, 0x7FC00000, 0xFF800000]> : tensor<9xf32>
  %e5m2 = tg.reduce_precision %x exponent_bits 5 mantissa_bits 2 : tensor<9xf32>
  %e8m23 = tg.reduce_precision %x exponent_bits 8 mantissa_bits 23 : tensor<9xf32>
  // CHECK: [1, 1.5, 2, inf, 57344, -0, 6.10352e-05, {{-?nan}}, -inf]
  %print0 = tensor.cast %e5m2 : tensor<9xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [1.125, 1.375, 1.9, 61440, 57344, -5e-05, 6.2e-05, {{-?nan}}, -inf]
  %print1 = tensor.cast %e8m23 : tensor<9xf32> to tensor<*xf32>
  call @printMemrefF32(%print1) : (tensor<*xf32>) -> ()
  return
}

// Without mantissa bits: NaN is infinity, and ties go to the number whose biased exponent is even.
func.func private @reduce_precision_to_exponents() {
  %x = tg.constant dense<[1.125, 1.5, -3.0, 6.0, 1.9, 0x7FC00000, 0xFFC00000, 0xFF800000]> : tensor<8xf32>
  %e8m0 = tg.reduce_precision %x exponent_bits 8 mantissa_bits 0 : tensor<8xf32>
  %e2m0 = tg.reduce_precision %x exponent_bits 2 mantissa_bits 0 : tensor<8xf32>
  // CHECK: [1, 2, -2, 8, 2, inf, inf, -inf]
  %print0 = tensor.cast %e8m0 : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  // CHECK: [1, 2, -2, inf, 2, inf, inf, -inf]
  %print1 = tensor.cast %e2m0 : tensor<8xf32> to tensor<*xf32>
  call @printMemrefF32(%print1) : (tensor<*xf32>) -> ()
  return
}

func.func private @reduce_precision_of_halves() {
  %x = tg.constant dense<[1.125, 1.375, 240.0, 248.0, 0.0125, -0.016]> : tensor<6xf16>
  %e4m2 = tg.reduce_precision %x exponent_bits 4 mantissa_bits 2 : tensor<6xf16>
  %wide = tg.convert %e4m2 : (tensor<6xf16>) -> tensor<6xf32>
  // CHECK: [1, 1.5, inf, inf, 0, -0.015625]
  %print = tensor.cast %wide : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%print) : (tensor<*xf32>) -> ()
  return
}
