// RUN: stitch-run %s --check | FileCheck %s

// An index of what is padded goes below zero where it is not read, by its bounds: 175 - i for i up to 303. Divided, it must be rounded
// down, for a multiple of the divisor has been taken out of it: (16 * 11 * r + 175 - i) / 16 = 11 * (r + 1) + (-1 - i) / 16.

// CHECK: ok: output 0 'out0' f32[4,304]: max absolute error 0,
// CHECK: ok: output 1 'out1' f32[4,304]: max absolute error 0,
// CHECK: ok: {{.*}} launches checked alone, 0 wrong
func.func @main(%x: tensor<4x11xf32>, %y: tensor<16xf32>) -> (tensor<4x304xf32>, tensor<4x304xf32>) {
  %zero = tg.constant dense<0.0> : tensor<f32>
  %b = tg.broadcast %x dims [0, 1] : (tensor<4x11xf32>) -> tensor<4x11x16xf32>
  %m = tg.reshape %b : (tensor<4x11x16xf32>) -> tensor<4x176xf32>
  %r = tg.reverse %m dims [1] : tensor<4x176xf32>
  %0 = tg.pad %r, %zero low [0, 0] high [0, 128] interior [0, 0] : (tensor<4x176xf32>, tensor<f32>) -> tensor<4x304xf32>
  %c = tg.broadcast %y dims [2] : (tensor<16xf32>) -> tensor<4x11x16xf32>
  %n = tg.reshape %c : (tensor<4x11x16xf32>) -> tensor<4x176xf32>
  %s = tg.reverse %n dims [1] : tensor<4x176xf32>
  %1 = tg.pad %s, %zero low [0, 0] high [0, 128] interior [0, 0] : (tensor<4x176xf32>, tensor<f32>) -> tensor<4x304xf32>
  return %0, %1 : tensor<4x304xf32>, tensor<4x304xf32>
}
