// RUN: %python %S/Inputs/try_template.py stitch-compile %s v100 | FileCheck %s --match-full-lines --strict-whitespace

// A stack of two vectors with an element for each of 40 rows. It stays one with other threads, and where the sums are split; through other
// rows and columns it is none.

//      CHECK:plan: reduce_0[GRID-CTA_2,CTA_16-THREAD_4]; reduce_1[GRID-CTA_2,CTA_16-THREAD_4]; tanh_0<40x2>[GRID-CTA_2,CTA_16];

// TRY: reduce_0[GRID-CTA_2,CTA_64]; reduce_1[GRID-CTA_2,CTA_64]; tanh_0<40x2>[GRID-CTA_2,CTA_64];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID-CTA_2,CTA_64]; reduce_1[GRID-CTA_2,CTA_64]; tanh_0<40x2>[GRID-CTA_2,CTA_64];

// TRY: reduce_0[GRID-CTA_2,GRID_2-CTA_32]G; reduce_1[GRID-CTA_2,GRID_2-CTA_32]G; tanh_0<40x2>[GRID-CTA_2,CTA_32];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID-WARP_2,GRID_2-CTA_32]G; reduce_1[GRID-WARP_2,GRID_2-CTA_32]G; tanh_0<40x2>[GRID-WARP_2,CTA_32];

// TRY: reduce_0[GRID-CTA_8,CTA_16-THREAD_4]G; reduce_1[GRID-CTA_8,CTA_16-THREAD_4]G; tanh_0[GRID,GRID_1-CTA_128];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID-CTA_8,CTA_16-THREAD_4]G; reduce_1[GRID-CTA_8,CTA_16-THREAD_4]G; tanh_0[GRID,GRID_1-CTA_128];

// Fewer threads of a row than the stack has vectors.

// TRY: reduce_0[GRID-CTA_64,THREAD_64-CTA_1]; reduce_1[GRID-CTA_64,THREAD_64-CTA_1]; tanh_0<40x2>[GRID-CTA_64,CTA_1];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: error: 'stitch.fusion' op cannot have the template in line 2 of 'FILE': 'tg.tanh' op cannot be a stack of vectors: {{.*}}

func.func @main(%x: tensor<40x64xf32>) -> tensor<2x40xf32> {
  %0 = tg.reduce add %x dims [1] : (tensor<40x64xf32>) -> tensor<40xf32>
  %1 = tg.reduce max %x dims [1] : (tensor<40x64xf32>) -> tensor<40xf32>
  %2 = tg.broadcast %0 dims [1] : (tensor<40xf32>) -> tensor<1x40xf32>
  %3 = tg.broadcast %1 dims [1] : (tensor<40xf32>) -> tensor<1x40xf32>
  %4 = tg.concatenate %2, %3 dim 0 : (tensor<1x40xf32>, tensor<1x40xf32>) -> tensor<2x40xf32>
  %5 = tg.tanh %4 : tensor<2x40xf32>
  return %5 : tensor<2x40xf32>
}
