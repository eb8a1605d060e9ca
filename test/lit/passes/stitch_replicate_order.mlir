// RUN: stitch-opt %s -pass-pipeline="builtin.module(stitch-thin-products,stitch-outline,stitch-dominants,stitch-thread-mapping,stitch-replicate,stitch-schemes,stitch-schedule,stitch-buffers,stitch-launch,stitch-verify-plan)" > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: sed 's/loop = 2, stage = 2>/loop = 0, stage = 2>/' %t.mlir | not stitch-opt -stitch-verify-plan 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: stitch-compile %t.mlir -o %t.so
// RUN: stitch-run %t.so --check --thread-order=2 | FileCheck %s --check-prefix=DONE

// A row, groups of it, and the row again, with what both have: three loops that every block goes through, in this order. The last has the
// mapping of the first, which comes before what it reads.

// CHECK: barriers = 0>
// CHECK-SAME: #stitch.schedule<[<phase = 0, mapping = <row, rows = 1, columns = 128, {{[^>]*}}replicated>>, <phase = 0, mapping = <row, rows = 16, columns = 8, {{[^>]*}}replicated>>, <phase = 0, mapping = <row, rows = 1, columns = 128, {{[^>]*}}replicated>>, <phase = 0, mapping = <column
// ORDER: is computed in loop 0 and reads a replicated value that is computed behind it, in loop 1
// DONE: ok: 1 of 1 launches checked alone, 0 wrong
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<1x128xf32>, %w: tensor<128x300xf32>) -> (tensor<1x300xf32>, tensor<1x128xf32>) {
    %s = tg.reduce add %x dims [1] : (tensor<1x128xf32>) -> tensor<1xf32>
    %t = tg.broadcast %s dims [0] : (tensor<1xf32>) -> tensor<1x128xf32>
    %a = tg.sub %x, %t : tensor<1x128xf32>
    %e = tg.exp %a : tensor<1x128xf32>
    %g = tg.reshape %e : (tensor<1x128xf32>) -> tensor<1x16x8xf32>
    %m = tg.reduce max %g dims [2] : (tensor<1x16x8xf32>) -> tensor<1x16xf32>
    %n = tg.broadcast %m dims [0, 1] : (tensor<1x16xf32>) -> tensor<1x16x8xf32>
    %d = tg.div %g, %n : tensor<1x16x8xf32>
    %f = tg.reshape %d : (tensor<1x16x8xf32>) -> tensor<1x128xf32>
    %r = tg.reduce add %f dims [1] : (tensor<1x128xf32>) -> tensor<1xf32>
    %q = tg.broadcast %r dims [0] : (tensor<1xf32>) -> tensor<1x128xf32>
    %y = tg.div %f, %q : tensor<1x128xf32>
    %p = "tg.dot"(%y, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x128xf32>, tensor<128x300xf32>) -> tensor<1x300xf32>
    return %p, %e : tensor<1x300xf32>, tensor<1x128xf32>
  }
}
