// RUN: %python %S/Inputs/try_template.py stitch-compile %s "h200, sms = 4, cluster_blocks = 1, bandwidth_gbps = 200" | FileCheck %s --match-full-lines --strict-whitespace

// Column sums that go along with the rows, in shared memory (SHARED) or in registers (THREAD).

//      CHECK:plan: reduce_0[GRID-CTA_1,THREAD_4-CTA_512-THREAD_4]; sub_0[GRID-CTA_1,THREAD_4-CTA_512-THREAD_4]; reduce_1[SHARED-GRID_4-CTA_1,THREAD_4-CTA_512-THREAD_4]G; reduce_2[SHARED-GRID_4-CTA_1,THREAD_4-CTA_512-THREAD_4]G;

// TRY: reduce_0[GRID-CTA_1,THREAD_4-CTA_512-THREAD_4]; sub_0[GRID-CTA_1,THREAD_4-CTA_512-THREAD_4]; reduce_1[THREAD-GRID_4-CTA_1,THREAD_4-CTA_512-THREAD_4]G; reduce_2[THREAD-GRID_4-CTA_1,THREAD_4-CTA_512-THREAD_4]G;
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID-CTA_1,THREAD_4-CTA_512-THREAD_4]; sub_0[GRID-CTA_1,THREAD_4-CTA_512-THREAD_4]; reduce_1[THREAD-GRID_4-CTA_1,THREAD_4-CTA_512-THREAD_4]G; reduce_2[THREAD-GRID_4-CTA_1,THREAD_4-CTA_512-THREAD_4]G;

// One of them here, one there.
// TRY: reduce_0[GRID-CTA_1,THREAD_8-CTA_256-THREAD_4]; sub_0[GRID-CTA_1,THREAD_8-CTA_256-THREAD_4]; reduce_1[SHARED-GRID_4-CTA_1,THREAD_8-CTA_256-THREAD_4]G; reduce_2[THREAD-GRID_4-CTA_1,THREAD_8-CTA_256-THREAD_4]G;
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID-CTA_1,THREAD_8-CTA_256-THREAD_4]; sub_0[GRID-CTA_1,THREAD_8-CTA_256-THREAD_4]; reduce_1[SHARED-GRID_4-CTA_1,THREAD_8-CTA_256-THREAD_4]G; reduce_2[THREAD-GRID_4-CTA_1,THREAD_8-CTA_256-THREAD_4]G;

// Several rows of threads have them in registers alone.
// TRY: reduce_0[GRID-CTA_2,THREAD_8-CTA_256-THREAD_4]; sub_0[GRID-CTA_2,THREAD_8-CTA_256-THREAD_4]; reduce_1[SHARED-GRID_4-CTA_2,THREAD_8-CTA_256-THREAD_4]G; reduce_2[THREAD-GRID_4-CTA_2,THREAD_8-CTA_256-THREAD_4]G;
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}} error: 'stitch.fusion' op cannot have the template in line 2 of 'FILE': sums are in shared memory where a block carries one row of columns: a carried mapping with block_rows = 1

func.func @main(%x: tensor<40x8192xf32>, %y: tensor<40x8192xf32>) -> (tensor<40x8192xf32>, tensor<8192xf32>, tensor<8192xf32>) {
  %p = tg.mul %x, %y : tensor<40x8192xf32>
  %sum = tg.reduce add %p dims [1] : (tensor<40x8192xf32>) -> tensor<40xf32>
  %s = tg.broadcast %sum dims [0] : (tensor<40xf32>) -> tensor<40x8192xf32>
  %q = tg.mul %y, %s : tensor<40x8192xf32>
  %d = tg.sub %x, %q : tensor<40x8192xf32>
  %c = tg.reduce add %p dims [0] : (tensor<40x8192xf32>) -> tensor<8192xf32>
  %m = tg.reduce max %d dims [0] : (tensor<40x8192xf32>) -> tensor<8192xf32>
  return %d, %c, %m : tensor<40x8192xf32>, tensor<8192xf32>, tensor<8192xf32>
}
