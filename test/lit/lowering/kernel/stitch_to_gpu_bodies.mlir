// Reductions and windows with bodies, stitched with what is around them: by rows, by columns, over several blocks; what a body captures
// is a constant. The reference goes row by row, so only order-independent bodies are compared.
// RUN: stitch-run %s --check --thread-order=1 -- --checks --target=simt,sm_80 | FileCheck %s
// RUN: stitch-compile %s --emit=plan -o - | FileCheck %s --check-prefix=PLAN
// CHECK-COUNT-6: ok: output
// PLAN: stitch.fusion
// PLAN: tg.reduce_window {{.*}}role<{{dominant|sub_dominant}}>
// PLAN: return

func.func @main(%x: tensor<9x3000xf32>, %i: tensor<9x3000xi32>, %image: tensor<2x3x20x20xf32>)
    -> (tensor<9xf32>, tensor<9x3000xf32>, tensor<3000xi32>, tensor<2x3x9x9xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) {
  %lowest = tg.constant dense<0xFF800000> : tensor<f32>
  %zero = tg.constant dense<0> : tensor<i32>
  %seven = tg.constant dense<7> : tensor<i32>
  %y = tg.tanh %x : tensor<9x3000xf32>
  %rows:2 = tg.general_reduce %y, %i inits %lowest, %zero dims [1]
      : (tensor<9x3000xf32>, tensor<9x3000xi32>, tensor<f32>, tensor<i32>) -> (tensor<9xf32>, tensor<9xi32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %m = tg.max %a, %c : tensor<f32>
    %masked = tg.and %d, %seven : tensor<i32>
    %kept = tg.and %b, %seven : tensor<i32>
    %o = tg.xor %kept, %masked : tensor<i32>
    tg.yield %m, %o : tensor<f32>, tensor<i32>
  }
  %wide = tg.broadcast %rows#0 dims [0] : (tensor<9xf32>) -> tensor<9x3000xf32>
  %scaled = tg.sub %y, %wide : tensor<9x3000xf32>
  %columns:2 = tg.general_reduce %y, %i inits %lowest, %zero dims [0]
      : (tensor<9x3000xf32>, tensor<9x3000xi32>, tensor<f32>, tensor<i32>) -> (tensor<3000xf32>, tensor<3000xi32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %m = tg.max %a, %c : tensor<f32>
    %o = tg.add %b, %d : tensor<i32>
    tg.yield %m, %o : tensor<f32>, tensor<i32>
  }
  %e = tg.exp %image : tensor<2x3x20x20xf32>
  %pooled = tg.reduce_window max %e window_dimensions [1, 1, 3, 3] window_strides [1, 1, 2, 2] base_dilations [1, 1, 1, 1]
      window_dilations [1, 1, 1, 1] padding_low [0, 0, 0, 0] padding_high [0, 0, 0, 0] : (tensor<2x3x20x20xf32>) -> tensor<2x3x9x9xf32>
  %again:2 = tg.general_reduce_window %pooled, %pooled inits %lowest, %lowest window_dimensions [1, 1, 3, 3]
      window_strides [1, 1, 2, 2] base_dilations [1, 1, 1, 1] window_dilations [1, 1, 1, 1] padding_low [0, 0, 0, 0]
      padding_high [0, 0, 0, 0] : (tensor<2x3x9x9xf32>, tensor<2x3x9x9xf32>, tensor<f32>, tensor<f32>)
      -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %m = tg.max %a, %c : tensor<f32>
    tg.yield %m, %d : tensor<f32>, tensor<f32>
  }
  return %rows#0, %scaled, %columns#1, %pooled, %again#0, %again#1 : tensor<9xf32>, tensor<9x3000xf32>, tensor<3000xi32>,
      tensor<2x3x9x9xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>
}
