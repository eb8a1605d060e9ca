// RUN: stitch-opt %s -split-input-file -stitch-schedule | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-schedule -stitch-remarks -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not stitch-opt %S/Inputs/no_schemes.mlir -stitch-schedule 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: no_schemes.mlir:4:10: error: 'tg.exp' op is a root but has no stitch.mapping or no stitch.scheme: run stitch-schemes first
// ERROR: no_schemes.mlir:11:8: error: 'stitch.fusion' op has no root: there is nothing to compute

// A row's sum, what reads it in the task, and what reads that behind a barrier: two phases, and in the first task two passes over the row.
// A split reduce that is a result has a loop that finishes it. Members have no place of their own.

// CHECK-LABEL: func.func @rows(
// CHECK: stitch.schedule = #stitch.schedule<[<phase = 0, mapping = <row, rows = 64, columns = 32, {{[^>]*}}>>,
// CHECK-SAME: <phase = 0, mapping = <column, rows = 64, columns = 32, {{[^>]*}}split = 2>>,
// CHECK-SAME: <phase = 1, mapping = <row, rows = 64, columns = 1, {{[^>]*}}>>,
// CHECK-SAME: <phase = 1, mapping = <flat, rows = 1, columns = 32, block_rows = 1, row_threads = 256, vector = 1, unroll = 1, split = 1>>]>
// CHECK: tg.reduce add {{.*}} stitch.task = #stitch.task<loop = 0, stage = 0>
// CHECK-NOT: stitch.task
// CHECK: tg.sub {{.*}} stitch.task = #stitch.task<loop = 0, stage = 1>
// CHECK: tg.reduce max {{.*}} stitch.task = #stitch.task<loop = 0, stage = 1, until = 1>
// CHECK: tg.exp {{.*}} stitch.task = #stitch.task<loop = 2, stage = 2>
// CHECK: tg.reduce add {{.*}} dims [0] {{.*}} stitch.task = #stitch.task<loop = 1, stage = 0, until = 1, finished_in = 3>
// REMARK: remark: 4 task loops in 2 phases
#rows = #stitch.mapping<row, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 1>
#once = #stitch.mapping<row, rows = 64, columns = 1, block_rows = 16, row_threads = 16, vector = 1, unroll = 1, split = 1>
#column = #stitch.mapping<column, rows = 64, columns = 32, block_rows = 32, row_threads = 8, vector = 4, unroll = 1, split = 2>
func.func @rows(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64xf32>, tensor<32xf32>) {
  %0:3 = stitch.fusion(%a = %x) : (tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64xf32>, tensor<32xf32>) {
    %1 = tg.reduce add %a dims [1] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #rows} : (tensor<64x32xf32>) -> tensor<64xf32>
    %2 = tg.broadcast %1 dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<64xf32>) -> tensor<64x32xf32>
    %3 = tg.sub %a, %2 {stitch.group = 0 : i64, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #rows} : tensor<64x32xf32>
    %4 = tg.reduce max %3 dims [1] {stitch.group = 0 : i64, stitch.role = #stitch.role<sub_dominant>, stitch.scheme = #stitch.scheme<global>, stitch.mapping = #rows} : (tensor<64x32xf32>) -> tensor<64xf32>
    %5 = tg.exp %4 {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #once} : tensor<64xf32>
    %6 = tg.reduce add %a dims [0] {stitch.group = 2 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<global>, stitch.mapping = #column} : (tensor<64x32xf32>) -> tensor<32xf32>
    stitch.yield %3, %5, %6 : tensor<64x32xf32>, tensor<64xf32>, tensor<32xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<64x32xf32>, tensor<64xf32>, tensor<32xf32>
}

// -----

// A panel: the sums of columns, the kept elements that read them in front of the second pass, and what reads these in it. All of one loop.

// CHECK-LABEL: func.func @panel(
// CHECK: stitch.schedule = #stitch.schedule<[<phase = 0, mapping = <column, rows = 16, columns = 64, {{[^>]*}}>>]>
// CHECK: tg.reduce add {{.*}} stitch.task = #stitch.task<loop = 0, stage = 0>
// CHECK: tg.exp {{.*}} stitch.task = #stitch.task<loop = 0, stage = 1>
// CHECK: tg.mul {{.*}} stitch.task = #stitch.task<loop = 0, stage = 1>
// REMARK: remark: 1 task loops in 1 phases
#column = #stitch.mapping<column, rows = 16, columns = 64, block_rows = 8, row_threads = 8, vector = 4, unroll = 2, split = 1>
#kept = #stitch.mapping<kept, rows = 16, columns = 64, block_rows = 8, row_threads = 8, vector = 4, unroll = 2, split = 1>
func.func @panel(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %0 = stitch.fusion(%a = %x) : (tensor<16x64xf32>) -> tensor<16x64xf32> {
    %1 = tg.reduce add %a dims [0] {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #column} : (tensor<16x64xf32>) -> tensor<64xf32>
    %2 = tg.exp %1 {stitch.group = 1 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<regional>, stitch.mapping = #kept} : tensor<64xf32>
    %3 = tg.broadcast %2 dims [1] {stitch.group = 2 : i64, stitch.role = #stitch.role<member>, stitch.scheme = #stitch.scheme<local>} : (tensor<64xf32>) -> tensor<16x64xf32>
    %4 = tg.mul %a, %3 {stitch.group = 2 : i64, stitch.role = #stitch.role<dominant>, stitch.scheme = #stitch.scheme<independent>, stitch.mapping = #column} : tensor<16x64xf32>
    stitch.yield %4 : tensor<16x64xf32>
  }
  return %0 : tensor<16x64xf32>
}
