// RUN: stitch-opt %s -split-input-file --stitch-set-device=device=h200 -stitch-outline="scope=fusionstitching" --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --implicit-check-not="budget ends"

// FusionStitching 4.2.2: a dozen operations are explored to the end, whatever depends on what.

// CHECK: 1 of 63 patterns are chosen
func.func @main(%x: tensor<2048x1024xf32>, %g: tensor<1024xf32>) -> tensor<2048x1024xf32> {
  %c = tg.constant dense<0.0009765625> : tensor<2048xf32>
  %e = tg.constant dense<1.0e-5> : tensor<2048xf32>
  %s = tg.reduce add %x dims [1] : (tensor<2048x1024xf32>) -> tensor<2048xf32>
  %m = tg.mul %s, %c : tensor<2048xf32>
  %mb = tg.broadcast %m dims [0] : (tensor<2048xf32>) -> tensor<2048x1024xf32>
  %d = tg.sub %x, %mb : tensor<2048x1024xf32>
  %q = tg.mul %d, %d : tensor<2048x1024xf32>
  %v = tg.reduce add %q dims [1] : (tensor<2048x1024xf32>) -> tensor<2048xf32>
  %w = tg.mul %v, %c : tensor<2048xf32>
  %we = tg.add %w, %e : tensor<2048xf32>
  %r = tg.rsqrt %we : tensor<2048xf32>
  %rb = tg.broadcast %r dims [0] : (tensor<2048xf32>) -> tensor<2048x1024xf32>
  %n = tg.mul %d, %rb : tensor<2048x1024xf32>
  %gb = tg.broadcast %g dims [1] : (tensor<1024xf32>) -> tensor<2048x1024xf32>
  %y = tg.mul %n, %gb : tensor<2048x1024xf32>
  %t = tg.tanh %y : tensor<2048x1024xf32>
  %z = tg.add %t, %x : tensor<2048x1024xf32>
  return %z : tensor<2048x1024xf32>
}

// -----

// All that contains the exponential is a pattern: 2^11 - 1 of them.

// CHECK: 1 of 2047 patterns are chosen
func.func @main(%x: tensor<2048x1024xf32>) -> (tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>) {
  %r = tg.exp %x : tensor<2048x1024xf32>
  %f0 = tg.tanh %r : tensor<2048x1024xf32>
  %f1 = tg.sin %r : tensor<2048x1024xf32>
  %f2 = tg.cos %r : tensor<2048x1024xf32>
  %f3 = tg.logistic %r : tensor<2048x1024xf32>
  %f4 = tg.sqrt %r : tensor<2048x1024xf32>
  %f5 = tg.rsqrt %r : tensor<2048x1024xf32>
  %f6 = tg.cbrt %r : tensor<2048x1024xf32>
  %f7 = tg.abs %r : tensor<2048x1024xf32>
  %f8 = tg.neg %r : tensor<2048x1024xf32>
  %f9 = tg.log %r : tensor<2048x1024xf32>
  %f10 = tg.ceil %r : tensor<2048x1024xf32>
  return %f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9, %f10 : tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>, tensor<2048x1024xf32>
}
