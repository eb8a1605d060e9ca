// RUN: %python %S/Inputs/try_template.py stitch-compile %s h200 | FileCheck %s --match-full-lines --strict-whitespace

// A template has a schedule for a value that the plan computes in each group that reads it: it becomes a root, of a group of its own.

//      CHECK:plan: reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]; neg_0<512x300>[THREAD_16-CTA_32,GRID-CTA_8];

// TRY: tanh_0[GRID,GRID_600-CTA_256]G; reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]; neg_0[GRID_2-CTA_256];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'reduce_1' is in scratch memory, not in no memory

// TRY: tanh_0[GRID,GRID_150-CTA_256-THREAD_4]G; reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]G; neg_0[GRID_2-CTA_256];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      tanh_0[GRID,GRID_150-CTA_256-THREAD_4]G; reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]G; neg_0[GRID_2-CTA_256];

// What only the last group computes.

// TRY: reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]G; exp_0[GRID_2-CTA_256]G; neg_0[GRID_2-CTA_256];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]G; exp_0[GRID_2-CTA_256]G; neg_0[GRID_2-CTA_256];

// TRY: constant_0[GRID_2-CTA_256]G; reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]G; neg_0[GRID_2-CTA_256];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: the kernel computes no 'constant_0' that could be kept

// TRY: tanh_0[GRID,GRID_600-CTA_256]S; reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]; neg_0[GRID_2-CTA_256];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'tanh_0' cannot be in shared memory: it and its reader do not both go by rows

// TRY: tanh_0[GRID,GRID_600-CTA_256]; reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]; neg_0[GRID_2-CTA_256];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'tanh_0' is in scratch memory, not in no memory

// TRY: tanh_1[GRID,GRID_600-CTA_256]G; reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]; neg_0[GRID_2-CTA_256];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'tanh_1': the kernel has no such root

// TRY: mul_0[GRID_2-CTA_256]G; reduce_0[GRID-CTA_2,CTA_128-THREAD_4]; reduce_1[THREAD_16-CTA_32,GRID-CTA_8]; neg_0[GRID_2-CTA_256];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'reduce_1' is in scratch memory, not in no memory

func.func @main(%x: tensor<512x300xf32>, %b: tensor<300xf32>) -> (tensor<512xf32>, tensor<300xf32>, tensor<300xf32>) {
  %bb = tg.broadcast %b dims [1] : (tensor<300xf32>) -> tensor<512x300xf32>
  %s = tg.add %x, %bb : tensor<512x300xf32>
  %t = tg.tanh %s : tensor<512x300xf32>
  %r = tg.reduce add %t dims [1] : (tensor<512x300xf32>) -> tensor<512xf32>
  %c = tg.reduce add %t dims [0] : (tensor<512x300xf32>) -> tensor<300xf32>
  %two = tg.constant dense<2.0> : tensor<300xf32>
  %m = tg.mul %c, %two : tensor<300xf32>
  %e = tg.exp %m : tensor<300xf32>
  %n = tg.neg %e : tensor<300xf32>
  return %r, %c, %n : tensor<512xf32>, tensor<300xf32>, tensor<300xf32>
}
