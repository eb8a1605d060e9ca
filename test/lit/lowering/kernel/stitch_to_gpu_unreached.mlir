// RUN: stitch-compile %s -o %t.so
// RUN: stitch-run %t.so --device=simt --check

// A regional value is read through a pad: where all that a thread reads is padding, its index lies outside of the value's
// row, and is never used.

func.func @main(%a: tensor<5x5x5x10xi32>, %b: tensor<64x20xf32>)
    -> (tensor<5x5x5x10xi32>, tensor<i32>, tensor<10x7x4x13xi32>, tensor<64x20xf32>, tensor<64xf32>) {
  %x = tg.abs %a : tensor<5x5x5x10xi32>
  %c = tg.constant dense<3> : tensor<i32>
  %p = tg.pad %x, %c low [3, 0, -1, 3] high [2, 2, 0, 0] interior [0, 0, 0, 0] : (tensor<5x5x5x10xi32>, tensor<i32>) -> tensor<10x7x4x13xi32>
  %r = tg.reduce max %p dims [0, 1, 2, 3] : (tensor<10x7x4x13xi32>) -> tensor<i32>
  %n = tg.neg %p : tensor<10x7x4x13xi32>

  %y = tg.exp %b : tensor<64x20xf32>
  %one = tg.constant dense<1.0> : tensor<f32>
  %q = tg.pad %y, %one low [0, 300] high [0, 300] interior [0, 0] : (tensor<64x20xf32>, tensor<f32>) -> tensor<64x620xf32>
  %s = tg.reduce add %q dims [1] : (tensor<64x620xf32>) -> tensor<64xf32>
  return %x, %r, %n, %y, %s : tensor<5x5x5x10xi32>, tensor<i32>, tensor<10x7x4x13xi32>, tensor<64x20xf32>, tensor<64xf32>
}
