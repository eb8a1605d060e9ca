// RUN: %python %S/Inputs/try_template.py stitch-compile %s h200 | FileCheck %s --match-full-lines --strict-whitespace

// The only group that reads the exponentials computes the maximum that they are computed from, too: a group cannot be behind itself.

//      CHECK:plan: reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[GRID-CTA_2,CTA_128-THREAD_4];

// TRY: exp_0[GRID,GRID_600-CTA_256]G; reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[GRID-CTA_2,CTA_128-THREAD_4];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'exp_0' cannot be kept: the group that reads it computes its operands

func.func @main(%x: tensor<512x300xf32>) -> tensor<512xf32> {
  %m = tg.reduce max %x dims [1] : (tensor<512x300xf32>) -> tensor<512xf32>
  %b = tg.broadcast %m dims [0] : (tensor<512xf32>) -> tensor<512x300xf32>
  %s = tg.sub %x, %b : tensor<512x300xf32>
  %e = tg.exp %s : tensor<512x300xf32>
  %r = tg.reduce add %e dims [1] : (tensor<512x300xf32>) -> tensor<512xf32>
  return %r : tensor<512xf32>
}
