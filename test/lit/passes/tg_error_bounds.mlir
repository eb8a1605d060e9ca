// RUN: stitch-opt %s --tg-error-bounds --split-input-file | FileCheck %s

// Moving elements is exact; what is exact stays without a bound of its own.
// CHECK: -> (tensor<3x4xf32> {jax.result_info = "x", stitch.bound = {depth = 1 : i64, discontinuous = 0 : i64, largest_roundoff = 0.000000e+00 : f64, longest_reduction = 0 : i64, sum = 0.000000e+00 : f64, variance = 0.000000e+00 : f64}}
// CHECK-SAME: tensor<4x3xf32> {stitch.bound = {depth = 0 : i64, discontinuous = 0 : i64, largest_roundoff = 0.000000e+00 : f64, longest_reduction = 0 : i64, sum = 0.000000e+00 : f64, variance = 0.000000e+00 : f64}}
func.func @main(%a: tensor<4x3xf32>) -> (tensor<3x4xf32> {jax.result_info = "x"}, tensor<4x3xf32>) {
  %0 = tg.transpose %a permutation [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return %0, %a : tensor<3x4xf32>, tensor<4x3xf32>
}

// -----

// One addition: u^2 = 2^-48. A sum of 16: 16 u^2 more. An exponential: (8 u)^2 = 64 u^2 more, 81 u^2 in all.
// CHECK: -> (tensor<4x16xf32> {stitch.bound = {depth = 1 : i64, {{[^}]*}}longest_reduction = 0 : i64, {{[^}]*}}variance = 3.5527136788005009E-15 : f64}}
// CHECK-SAME: tensor<4xf32> {stitch.bound = {depth = 3 : i64, {{[^}]*}}longest_reduction = 16 : i64, {{[^}]*}}variance = 2.8776980798284058E-13 : f64}}
func.func @main(%a: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4xf32>) {
  %0 = tg.add %a, %a : tensor<4x16xf32>
  %1 = tg.reduce add %0 dims [1] : (tensor<4x16xf32>) -> tensor<4xf32>
  %2 = tg.exp %1 : tensor<4xf32>
  return %0, %2 : tensor<4x16xf32>, tensor<4xf32>
}

// -----

// An exponential that becomes an operand of a product in 16 bits may be approximated by a kernel of attention (docs/precision.md): 212 u, and the
// function's own 8 u: (212^2 + 8^2) 2^-48 = 1.599e-10. One that becomes an operand in f32, or stays, counts 8 u alone.
// CHECK: -> (tensor<4x16xf32> {stitch.bound = {depth = 1 : i64, {{[^}]*}}variance = 1.5990053725545295E-10 : f64}}, tensor<4x4xf32> {{.*}}, tensor<4x16xf32> {stitch.bound = {depth = 2 : i64, {{[^}]*}}variance = 2.2737367544323206E-13 : f64}})
func.func @main(%a: tensor<4x16xf32>, %v: tensor<16x4xbf16>) -> (tensor<4x16xf32>, tensor<4x4xf32>, tensor<4x16xf32>) {
  %0 = tg.exp %a : tensor<4x16xf32>
  %1 = tg.convert %0 : (tensor<4x16xf32>) -> tensor<4x16xbf16>
  %2 = tg.dot %1, %v contract [1] x [0] : (tensor<4x16xbf16>, tensor<16x4xbf16>) -> tensor<4x4xf32>
  %3 = tg.neg %a : tensor<4x16xf32>
  %4 = tg.exp %3 : tensor<4x16xf32>
  return %0, %2, %4 : tensor<4x16xf32>, tensor<4x4xf32>, tensor<4x16xf32>
}

// -----

// f16 accumulates in f32 (u = 2^-24) and is rounded once (u = 2^-11): 64 * 2^-48 + 2^-22. Widening is exact.
// CHECK: -> (tensor<4x4xf32> {stitch.bound = {depth = 2 : i64, {{[^}]*}}longest_reduction = 64 : i64, {{[^}]*}}variance = 2.38418806{{.*}}E-7 : f64}}
func.func @main(%a: tensor<4x64xf16>, %b: tensor<64x4xf16>) -> tensor<4x4xf32> {
  %0 = tg.dot %a, %b contract [1] x [0] : (tensor<4x64xf16>, tensor<64x4xf16>) -> tensor<4x4xf16>
  %1 = tg.convert %0 : (tensor<4x4xf16>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// So may be one that becomes an operand in TF32: (212^2 + 8^2) 2^-48; of full precision 8 u alone.
// CHECK: -> (tensor<4x16xf32> {stitch.bound = {depth = 1 : i64, {{[^}]*}}variance = 1.5990053725545295E-10 : f64}}, tensor<4x16xf32> {stitch.bound = {depth = 2 : i64, {{[^}]*}}variance = 2.2737367544323206E-13 : f64}}, {{.*}}, {{.*}})
func.func @main(%a: tensor<4x16xf32>, %v: tensor<16x4xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = tg.exp %a : tensor<4x16xf32>
  %1 = tg.dot %0, %v contract [1] x [0] precision tf32 : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  %2 = tg.neg %a : tensor<4x16xf32>
  %3 = tg.exp %2 : tensor<4x16xf32>
  %4 = tg.dot %3, %v contract [1] x [0] precision full : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  return %0, %3, %1, %4 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Operands that may be rounded to TF32 (u = 2^-11), both of them: 64 * 2^-48 + 2 * 2^-22. Others are not.
// CHECK: -> (tensor<4x4xf32> {stitch.bound = {{{.*}}largest_roundoff = 4.88281{{.*}}E-4 : f64, {{.*}}variance = 4.76837385{{.*}}E-7 : f64}}
// CHECK-SAME: tensor<4x4xf32> {stitch.bound = {{{[^}]*}}largest_roundoff = 5.96{{.*}}E-8 : f64, {{[^}]*}}variance = 2.2737{{.*}}E-13 : f64}}
func.func @main(%a: tensor<4x64xf32>, %b: tensor<64x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = tg.dot %a, %b contract [1] x [0] precision tf32 : (tensor<4x64xf32>, tensor<64x4xf32>) -> tensor<4x4xf32>
  %1 = tg.dot %a, %b contract [1] x [0] precision full : (tensor<4x64xf32>, tensor<64x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A comparison of floats makes what depends on it discontinuous, one of integers does not.
// CHECK: -> (tensor<4xf32> {stitch.bound = {depth = 2 : i64, discontinuous = 1 : i64
// CHECK-SAME: tensor<4xf32> {stitch.bound = {depth = 2 : i64, discontinuous = 0 : i64
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tg.compare lt, %a, %b : tensor<4xf32>
  %1 = tg.select %0, %a, %b : tensor<4xi1>, tensor<4xf32>
  %2 = tg.compare lt, %i, %i : tensor<4xi32>
  %3 = tg.select %2, %a, %b : tensor<4xi1>, tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A sort moves elements, windows and cumulative operations round as often as they combine: 9 * 2^-48 and 32 * 2^-48; extremes do not; a
// body does what its operations do, here one sum of two.
// CHECK: -> (tensor<32xf32> {stitch.bound = {depth = 1 : i64, discontinuous = 1 : i64, largest_roundoff = 0.000000e+00 : f64, longest_reduction = 0 : i64, sum = 0.000000e+00 : f64, variance = 0.000000e+00 : f64}}
// CHECK-SAME: tensor<4x4xf32> {stitch.bound = {depth = 1 : i64, discontinuous = 0 : i64, {{[^}]*}}longest_reduction = 9 : i64, {{[^}]*}}variance = 3.197442{{[0-9]*}}E-14 : f64}}
// CHECK-SAME: tensor<4x4xf32> {stitch.bound = {depth = 1 : i64, discontinuous = 0 : i64, largest_roundoff = 0.000000e+00 : f64, longest_reduction = 0 : i64, sum = 0.000000e+00 : f64, variance = 0.000000e+00 : f64}}
// CHECK-SAME: tensor<32xf32> {stitch.bound = {depth = 1 : i64, discontinuous = 0 : i64, {{[^}]*}}longest_reduction = 32 : i64, {{[^}]*}}variance = 1.136868{{[0-9]*}}E-13 : f64}}
// CHECK-SAME: tensor<f32> {stitch.bound = {depth = 1 : i64, discontinuous = 0 : i64, {{[^}]*}}longest_reduction = 32 : i64, {{[^}]*}}variance = 1.136868{{[0-9]*}}E-13 : f64}}
func.func @main(%a: tensor<32xf32>, %b: tensor<12x12xf32>, %c: tensor<f32>)
    -> (tensor<32xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<32xf32>, tensor<f32>) {
  %0 = tg.sort %a dim 0 : tensor<32xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %before = tg.compare lt, %x, %y : tensor<f32>
    tg.yield %before : tensor<i1>
  }
  %1 = tg.reduce_window add %b window_dimensions [3, 3] window_strides [3, 3] base_dilations [1, 1] window_dilations [1, 1]
      padding_low [0, 0] padding_high [0, 0] : (tensor<12x12xf32>) -> tensor<4x4xf32>
  %2 = tg.reduce_window max %b window_dimensions [3, 3] window_strides [3, 3] base_dilations [1, 1] window_dilations [1, 1]
      padding_low [0, 0] padding_high [0, 0] : (tensor<12x12xf32>) -> tensor<4x4xf32>
  %3 = tg.cumulative add %a dim 0 : tensor<32xf32>
  %4 = tg.general_reduce %a inits %c dims [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = tg.add %x, %y : tensor<f32>
    tg.yield %s : tensor<f32>
  }
  return %0, %1, %2, %3, %4 : tensor<32xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<32xf32>, tensor<f32>
}

// -----

// Narrow formats: functions are computed in f32 and rounded once. The errors of complex numbers are relative to their
// magnitudes.
// CHECK-LABEL: @main(%arg0: tensor<8xf8E4M3FN>,
// CHECK-SAME: tensor<8xf8E4M3FN> {stitch.bound = {depth = 2 : i64, {{[^}]*}}largest_roundoff = 6.250000e-02 : f64, longest_reduction = 0 : i64, sum = 0.125{{[0-9]*}} : f64, variance = 0.007812{{[0-9]*}} : f64}}
// CHECK-SAME: tensor<f8E5M2> {stitch.bound = {{[^}]*}}largest_roundoff = 1.250000e-01 : f64, longest_reduction = 8 : i64, sum = 0.1250004{{[0-9]*}} : f64,
// CHECK-SAME: tensor<8xf8E5M2> {stitch.bound = {{[^}]*}}sum = 1.250000e-01 : f64,
// CHECK-SAME: tensor<8xcomplex<f32>> {stitch.bound = {{[^}]*}}sum = 1.78813934{{[0-9]*}}E-7 : f64,
// CHECK-SAME: tensor<complex<f32>> {stitch.bound = {{[^}]*}}sum = 4.76837158{{[0-9]*}}E-7 : f64,
// CHECK-SAME: tensor<8xi1> {stitch.bound = {depth = 1 : i64, discontinuous = 1 : i64,
func.func @main(%a: tensor<8xf8E4M3FN>, %b: tensor<8xf8E5M2>, %c: tensor<8xcomplex<f32>>)
    -> (tensor<8xf8E4M3FN>, tensor<f8E5M2>, tensor<8xf8E5M2>, tensor<8xcomplex<f32>>, tensor<complex<f32>>, tensor<8xi1>) {
  %0 = tg.exp %a : tensor<8xf8E4M3FN>
  %1 = tg.mul %0, %a : tensor<8xf8E4M3FN>
  %2 = tg.reduce add %b dims [0] : (tensor<8xf8E5M2>) -> tensor<f8E5M2>
  %3 = tg.convert %a : (tensor<8xf8E4M3FN>) -> tensor<8xf8E5M2>
  %4 = tg.mul %c, %c : tensor<8xcomplex<f32>>
  %5 = tg.reduce add %c dims [0] : (tensor<8xcomplex<f32>>) -> tensor<complex<f32>>
  %6 = tg.compare ne, %c, %c : tensor<8xcomplex<f32>>
  return %1, %2, %3, %4, %5, %6
      : tensor<8xf8E4M3FN>, tensor<f8E5M2>, tensor<8xf8E5M2>, tensor<8xcomplex<f32>>, tensor<complex<f32>>, tensor<8xi1>
}

// -----

// A row of a factor, 16 u^2, and of a system of equations as much again. A transform has 5 stages of 11 u^2 and 2 u^2 for 4 x 8 points,
// (9 + 3) + (9 + 5) + 2 for 15, and by Bluestein's algorithm for 131 points 3 (8 + 2) 11 + 3 (9 + 1) + 2. In f64 64 points are (9 + 64) + 2.
// CHECK: longest_reduction = 16 : i64, sum = {{[^}]*}}variance = 1.1368683772161603E-13 : f64
// CHECK-SAME: longest_reduction = 12 : i64, sum = {{[^}]*}}variance = 2.0250467969162855E-13 : f64
// CHECK-SAME: longest_reduction = 15 : i64, sum = {{[^}]*}}variance = 9.9475983006414026E-14 : f64
// CHECK-SAME: longest_reduction = 131 : i64, sum = {{[^}]*}}variance = 1.2860823517257813E-12 : f64
// CHECK-SAME: longest_reduction = 64 : i64, sum = {{[^}]*}}variance = 9.244463733058732E-31 : f64
func.func @main(%a: tensor<16x16xf32>, %b: tensor<16x3xf32>, %x: tensor<4x8xf32>, %y: tensor<15xcomplex<f32>>,
                %z: tensor<131xcomplex<f32>>, %d: tensor<64xcomplex<f64>>)
    -> (tensor<16x3xf32>, tensor<4x5xcomplex<f32>>, tensor<15xcomplex<f32>>, tensor<131xcomplex<f32>>, tensor<64xcomplex<f64>>) {
  %0 = tg.cholesky lower %a : tensor<16x16xf32>
  %1 = tg.triangular_solve left lower %0, %b : tensor<16x16xf32>, tensor<16x3xf32>
  %2 = tg.fft rfft %x length [4, 8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  %3 = tg.fft fft %y length [15] : (tensor<15xcomplex<f32>>) -> tensor<15xcomplex<f32>>
  %4 = tg.fft ifft %z length [131] : (tensor<131xcomplex<f32>>) -> tensor<131xcomplex<f32>>
  %5 = tg.fft fft %d length [64] : (tensor<64xcomplex<f64>>) -> tensor<64xcomplex<f64>>
  return %1, %2, %3, %4, %5
      : tensor<16x3xf32>, tensor<4x5xcomplex<f32>>, tensor<15xcomplex<f32>>, tensor<131xcomplex<f32>>, tensor<64xcomplex<f64>>
}

// -----

// A loop that nobody can count is counted once, and one of three iterations three times; the predicate of the former compares floats.
// CHECK: discontinuous = 1 : i64, {{[^}]*}}variance = 3.5527136788005009E-15 : f64
// CHECK-SAME: discontinuous = 0 : i64, {{[^}]*}}variance = 1.0658141036401503E-14 : f64
func.func @main(%x: tensor<4xf32>, %limit: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tg.while(%v = %x) : tensor<4xf32> cond {
    %2 = tg.reduce max %v dims [0] : (tensor<4xf32>) -> tensor<f32>
    %3 = tg.compare lt, %2, %limit : tensor<f32>
    tg.yield %3 : tensor<i1>
  } do {
    %2 = tg.mul %v, %v : tensor<4xf32>
    tg.yield %2 : tensor<4xf32>
  }
  %1 = tg.while(%v = %x) : tensor<4xf32> attributes {trip_count = 3 : i64} cond {
    %true = tg.constant dense<true> : tensor<i1>
    tg.yield %true : tensor<i1>
  } do {
    %2 = tg.mul %v, %v : tensor<4xf32>
    tg.yield %2 : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
