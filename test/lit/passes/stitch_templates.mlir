// RUN: stitch-opt %s --pass-pipeline="builtin.module(stitch-pipeline{device=v100 plan=astitch},stitch-templates{write=true})" | FileCheck %s --check-prefix=WRITE
// RUN: %python %S/Inputs/try_template.py stitch-compile %s v100 | FileCheck %s --match-full-lines --strict-whitespace

// Templates are written, and read back: also as the paper writes them (FusionStitching 5.2), without numbers.

// WRITE: stitch.template = "kernel {{[0-9a-f]+}}\0Areduce_0[GRID,GRID,GRID-CTA_16,CTA_16-THREAD_4];\0Amul_0[GRID,GRID,GRID-CTA_16,CTA_16-THREAD_4];\0A"

//      CHECK:plan: reduce_0[GRID,GRID,GRID-CTA_16,CTA_16-THREAD_4]; mul_0[GRID,GRID,GRID-CTA_16,CTA_16-THREAD_4];

// TRY: reduce_0[GRID,WARP,WARP,CTA]; mul_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID,GRID,GRID-WARP_4,CTA_32-THREAD_4]; mul_0[GRID,GRID,GRID-WARP_4,CTA_32-THREAD_4];

// TRY: reduce_0[GRID,CTA,CTA,THREAD]; mul_0[GRID,CTA,CTA,THREAD];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID,GRID,GRID-CTA_4,THREAD_64-CTA_1]; mul_0[GRID,GRID,GRID-CTA_4,THREAD_64-CTA_1];

// TRY: reduce_0[GRID_128-WARP_2,WARP,WARP,CTA_32-THREAD_2]; mul_0[GRID_128-WARP_2,WARP,WARP,CTA_32-THREAD_2];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID,GRID,GRID-WARP_8,CTA_32-THREAD_2]; mul_0[GRID,GRID,GRID-WARP_8,CTA_32-THREAD_2];

// A sum that others could take from registers goes through memory, and is read by threads of another shape; rows are split, and each
// thread that multiplies adds up the parts.

// TRY: reduce_0[GRID,WARP,WARP,CTA]G; mul_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID,GRID,GRID-WARP_4,CTA_32-THREAD_4]G; mul_0[GRID,GRID,GRID-WARP_4,CTA_32-THREAD_4];

// TRY: reduce_0[GRID,GRID,GRID-CTA_16,GRID_2-CTA_16-THREAD_2]G; mul_0[GRID,GRID,GRID-CTA_16,CTA_16-THREAD_4];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      reduce_0[GRID,GRID,GRID-CTA_16,GRID_2-CTA_16-THREAD_2]G; mul_0[GRID,GRID,GRID-CTA_16,CTA_16-THREAD_4];

// What cannot be met is refused, with the reason.

// TRY: reduce_0[GRID,WARP,WARP,CTA]S; mul_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: error: 'stitch.fusion' op cannot have the template in line 2 of 'FILE': 'reduce_0' is in no memory, not in shared memory

// TRY: reduce_0[GRID,GRID,GRID-CTA_16,GRID_2-CTA_16-THREAD_2]S; mul_0[GRID,GRID,GRID-CTA_16,CTA_16-THREAD_4];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'reduce_0' cannot be in shared memory: {{.*}}

// TRY: reduce_0[GRID,WARP,WARP,CTA]; mul_0[GRID,GRID,GRID-CTA_2,CTA_32];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'tg.mul' op has a mapping for blocks of 64 threads in a fusion whose blocks have 128

// TRY: reduce_0[GRID,WARP,WARP,CTA]; mul_0[GRID,GRID,GRID,GRID_512-CTA_128];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'tg.mul' op does not share rows, block_rows, row_threads and cluster with the dominant of its group

// TRY: reduce_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'mul_0': has no schedule: only a value in scratch memory that is neither a reduction nor a result can be computed again where it is read

// TRY: reduce_0[GRID_64-WARP_2,WARP,WARP,CTA]; mul_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'reduce_0': 1024 rows, 8 in a block, are GRID_128, not GRID_64

// TRY: reduce_0[GRID,WARP,WARP,CTA_64]; mul_0[GRID,WARP,WARP,CTA_64];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'reduce_0': a row for each WARP has 32 threads, not 64

// TRY: reduce_0[GRID,GRID,GRID-CTA_8,CLUSTER_2-CTA_16-THREAD_2]; mul_0[GRID,GRID,GRID-CTA_8,CLUSTER_2-CTA_16-THREAD_2];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: in a cluster a row has whole warps of each block, got row_threads = 16

// TRY: reduce_0[GRID,WARP,WARP,THREAD_2-CTA_32-THREAD_3]; mul_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'tg.reduce' op has vectors of 3, which do not divide its 64 columns

// TRY: reduce_0[GRID,WARP,CTA]; mul_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'reduce_0': has levels for 3 dimensions, but goes through 4

// TRY: reduce_0[GRID,WARP,WARP,CTB]; mul_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'reduce_0': expected GRID, CLUSTER, WARP, CTA, LANE or THREAD, not 'CTB]; mul_0['

// TRY: reduce_0[GRID,WARP,WARP,CTA] mul_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'reduce_0': expected ';' at the end of a schedule, not 'mul_0[GRID,W'

// TRY: reduce_0[GRID,WARP,WARP,CTA]; reduce_0[GRID,WARP,WARP,CTA]; mul_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'reduce_0': has two schedules

// TRY: reduce_0[GRID,WARP,WARP,CTA]; mul_0[GRID,WARP,WARP,CTA]; add_0[GRID_1-CTA_128];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'add_0': the kernel has no such root

// TRY: reduce_0[GRID,GRID,GRID-CTA_0,CTA_32]; mul_0[GRID,WARP,WARP,CTA];
//      CHECK:try: {{.*}}
// CHECK-NEXT:      {{.*}}: 'reduce_0': a level has at least one part, not 0
func.func @main(%x: tensor<256x2x2x64xf32>) -> tensor<256x2x2x64xf32> {
  %s = tg.reduce add %x dims [3] : (tensor<256x2x2x64xf32>) -> tensor<256x2x2xf32>
  %b = tg.broadcast %s dims [0, 1, 2] : (tensor<256x2x2xf32>) -> tensor<256x2x2x64xf32>
  %y = tg.mul %x, %b : tensor<256x2x2x64xf32>
  return %y : tensor<256x2x2x64xf32>
}
