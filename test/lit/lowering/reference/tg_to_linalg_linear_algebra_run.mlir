// What the reference computes for Fourier transforms, Cholesky factors and triangular systems.
// RUN: stitch-opt %s -pass-pipeline='builtin.module(convert-tg-to-linalg,canonicalize,one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(canonicalize,stitch-release-buffers),stitch-outline-loops,func.func(convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf),stitch-cpu-math,convert-math-to-libm,convert-to-llvm,reconcile-unrealized-casts)' \
// RUN:   | mlir-runner -e main -entry-point-result=void -shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s

func.func private @printMemrefF64(tensor<*xf64>) attributes {llvm.emit_c_interface}

func.func private @show(%x: tensor<3x3xf64>) {
  %print = tensor.cast %x : tensor<3x3xf64> to tensor<*xf64>
  call @printMemrefF64(%print) : (tensor<*xf64>) -> ()
  return
}

func.func private @show_line(%x: tensor<4xf64>) {
  %print = tensor.cast %x : tensor<4xf64> to tensor<*xf64>
  call @printMemrefF64(%print) : (tensor<*xf64>) -> ()
  return
}

func.func @main() {
  call @factors() : () -> ()
  call @solutions() : () -> ()
  call @transforms() : () -> ()
  return
}

func.func private @factors() {
  // Only one triangle is read.
  // CHECK: [2, 0, 0]
  // CHECK-NEXT: [3, 5, 0]
  // CHECK-NEXT: [1, 2, 3]
  %lower = tg.constant dense<[[4.0, 99.0, 98.0], [6.0, 34.0, 97.0], [2.0, 13.0, 14.0]]> : tensor<3x3xf64>
  %l = tg.cholesky lower %lower : tensor<3x3xf64>
  call @show(%l) : (tensor<3x3xf64>) -> ()
  // CHECK: [2, 3, 1]
  // CHECK-NEXT: [0, 5, 2]
  // CHECK-NEXT: [0, 0, 3]
  %upper = tg.constant dense<[[4.0, 6.0, 2.0], [99.0, 34.0, 13.0], [98.0, 97.0, 14.0]]> : tensor<3x3xf64>
  %u = tg.cholesky upper %upper : tensor<3x3xf64>
  call @show(%u) : (tensor<3x3xf64>) -> ()
  // What is not positive definite has no factor at all, even if only the last pivot says so.
  // CHECK: [nan, 0, 0]
  // CHECK-NEXT: [nan, nan, 0]
  // CHECK-NEXT: [nan, nan, nan]
  %semidefinite = tg.constant dense<[[4.0, 0.0, 0.0], [6.0, 34.0, 0.0], [2.0, 13.0, 5.0]]> : tensor<3x3xf64>
  %n = tg.cholesky lower %semidefinite : tensor<3x3xf64>
  call @show(%n) : (tensor<3x3xf64>) -> ()
  // [[4, 2 - 2i], [2 + 2i, 3]] = L L^H with L = [[2, 0], [1 + i, 1]]. The imaginary part of a diagonal is not read.
  %re = tg.constant dense<[[4.0, 9.0], [2.0, 3.0]]> : tensor<2x2xf64>
  %im = tg.constant dense<[[7.0, 9.0], [2.0, 7.0]]> : tensor<2x2xf64>
  %hermitian = tg.complex %re, %im : tensor<2x2xf64>
  %c = tg.cholesky lower %hermitian : tensor<2x2xcomplex<f64>>
  // CHECK: [2, 0, 1, 1]
  // CHECK: [0, 0, 1, 0]
  call @show_complex(%c) : (tensor<2x2xcomplex<f64>>) -> ()
  return
}

func.func private @show_complex(%x: tensor<2x2xcomplex<f64>>) {
  %line = tg.reshape %x : (tensor<2x2xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  %re = tg.real %line : tensor<4xcomplex<f64>>
  %im = tg.imag %line : tensor<4xcomplex<f64>>
  call @show_line(%re) : (tensor<4xf64>) -> ()
  call @show_line(%im) : (tensor<4xf64>) -> ()
  return
}

func.func private @solutions() {
  %l = tg.constant dense<[[2.0, 99.0, 98.0], [3.0, 5.0, 97.0], [1.0, 2.0, 4.0]]> : tensor<3x3xf64>
  // L X with X = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
  // CHECK: [1, 2, 3]
  // CHECK-NEXT: [4, 5, 6]
  // CHECK-NEXT: [7, 8, 9]
  %b = tg.constant dense<[[2.0, 4.0, 6.0], [23.0, 31.0, 39.0], [37.0, 44.0, 51.0]]> : tensor<3x3xf64>
  %x = tg.triangular_solve left lower %l, %b : tensor<3x3xf64>, tensor<3x3xf64>
  call @show(%x) : (tensor<3x3xf64>) -> ()
  // X L
  // CHECK: [1, 2, 3]
  // CHECK-NEXT: [4, 5, 6]
  // CHECK-NEXT: [7, 8, 9]
  %bl = tg.constant dense<[[11.0, 16.0, 12.0], [29.0, 37.0, 24.0], [47.0, 58.0, 36.0]]> : tensor<3x3xf64>
  %xr = tg.triangular_solve right lower %l, %bl : tensor<3x3xf64>, tensor<3x3xf64>
  call @show(%xr) : (tensor<3x3xf64>) -> ()
  // The diagonal of ones is not read: L^T X
  // CHECK: [1, 2, 3]
  // CHECK-NEXT: [4, 5, 6]
  // CHECK-NEXT: [7, 8, 9]
  %bt = tg.constant dense<[[20.0, 25.0, 30.0], [18.0, 21.0, 24.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf64>
  %xt = tg.triangular_solve left lower %l, %bt transposition transpose unit_diagonal : tensor<3x3xf64>, tensor<3x3xf64>
  call @show(%xt) : (tensor<3x3xf64>) -> ()
  // [[1, i], [0, 1]]^H X = B with X = 1.
  %re = tg.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf64>
  %im = tg.constant dense<[[0.0, 1.0], [0.0, 0.0]]> : tensor<2x2xf64>
  %a = tg.complex %re, %im : tensor<2x2xf64>
  %zero = tg.constant dense<0.0> : tensor<2x2xf64>
  %minus = tg.constant dense<[[0.0, 0.0], [-1.0, 0.0]]> : tensor<2x2xf64>
  %bc = tg.complex %re, %minus : tensor<2x2xf64>
  %xc = tg.triangular_solve left upper %a, %bc transposition adjoint : tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>
  // CHECK: [1, 0, 0, 1]
  // CHECK: [0, 0, 0, 0]
  call @show_complex(%xc) : (tensor<2x2xcomplex<f64>>) -> ()
  return
}

func.func private @transforms() {
  // The roots of one; quarters of the circle are exact.
  %x = tg.constant dense<[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]> : tensor<6xf64>
  // CHECK: [1, 0.5, -0.5, -1]
  // CHECK: [{{-?}}0, -0.866025, -0.866025, {{-?}}0]
  %half = tg.fft rfft %x length [6] : (tensor<6xf64>) -> tensor<4xcomplex<f64>>
  %re = tg.real %half : tensor<4xcomplex<f64>>
  %im = tg.imag %half : tensor<4xcomplex<f64>>
  call @show_line(%re) : (tensor<4xf64>) -> ()
  call @show_line(%im) : (tensor<4xf64>) -> ()
  // Two dimensions, forward: [[1, 2], [3, 4i]]
  %p = tg.constant dense<[[1.0, 2.0], [3.0, 0.0]]> : tensor<2x2xf64>
  %q = tg.constant dense<[[0.0, 0.0], [0.0, 4.0]]> : tensor<2x2xf64>
  %m = tg.complex %p, %q : tensor<2x2xf64>
  // CHECK: [6, 2, 0, -4]
  // CHECK: [4, -4, -4, 4]
  %f = tg.fft fft %m length [2, 2] : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>
  call @show_complex(%f) : (tensor<2x2xcomplex<f64>>) -> ()
  // CHECK: [1, 2, 3, 0]
  // CHECK: [0, 0, 0, 4]
  %back = tg.fft ifft %f length [2, 2] : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>
  call @show_complex(%back) : (tensor<2x2xcomplex<f64>>) -> ()
  // Imaginary parts of elements that are their own conjugates are ignored: half a spectrum of four points.
  %hr = tg.constant dense<[10.0, -2.0, -2.0]> : tensor<3xf64>
  %hi = tg.constant dense<[5.0, 2.0, 7.0]> : tensor<3xf64>
  %h = tg.complex %hr, %hi : tensor<3xf64>
  // CHECK: [1, 2, 3, 4]
  %r = tg.fft irfft %h length [4] : (tensor<3xcomplex<f64>>) -> tensor<4xf64>
  call @show_line(%r) : (tensor<4xf64>) -> ()
  return
}
