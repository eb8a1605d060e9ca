// RUN: stitch-opt %s -split-input-file --stitch-pipeline=device=h200 --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s

// The symbol is an argument of each kernel that depends on it. It says how many tasks have rows, and which is the last of them; with
// the largest size in types and grid. A result that is returned again is copied where it is computed; an input that may be in the memory of the
// result that it is, by a kernel of its own, as much as there is.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: %[[X:.*]]: memref<72000xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly, stitch.size = array<i64: 1, 3000>}, %[[B:.*]]: memref<1xi32> {{{[^}]*}}}, %[[SUM:.*]]: memref<6000xf32> {llvm.align = 16 : i64, llvm.noalias, stitch.size = array<i64: 1, 3000>}, %[[D:.*]]: memref<72000xf32> {llvm.align = 16 : i64, llvm.noalias, stitch.size = array<i64: 1, 3000>}, %[[AGAIN:.*]]: memref<72000xf32> {llvm.align = 16 : i64, llvm.noalias, stitch.size = array<i64: 1, 3000>})
// CHECK-SAME: grid = 375, block = 64
// CHECK: %[[VALUE:.*]] = memref.load %[[B]][%c0] : memref<1xi32>
// CHECK: %[[INDEX:.*]] = arith.index_castui %[[VALUE]]
// CHECK: %[[ROWS:.*]] = arith.muli %[[INDEX]], %c2
// CHECK: %[[ROUNDED:.*]] = arith.addi %[[ROWS]], %c15
// CHECK: %[[TASKS:.*]] = arith.divui %[[ROUNDED]], %c16
// CHECK: %[[HAS_TASK:.*]] = arith.cmpi ult, %block_id_x, %[[TASKS]]
// CHECK: scf.if %[[HAS_TASK]]
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %c1
// CHECK: %[[IN_ROWS:.*]] = arith.cmpi ule, %[[ROW:.*]], %[[LAST]]
// CHECK: arith.minui %[[ROW]], %[[LAST]]
// CHECK: arith.andi %{{.*}}, %[[IN_ROWS]]
// CHECK: memref.store %{{.*}}, %[[SUM]]
// CHECK: vector.store %{{.*}}, %[[D]]
// CHECK: vector.store %{{.*}}, %[[AGAIN]]

// CHECK-LABEL: gpu.func @copy_1
// CHECK-SAME: stitch.size = array<i64: 1, 3000>}, %arg1: memref<1xi32>
// CHECK: %[[VALUE:.*]] = memref.load %arg1
// CHECK: %[[INDEX:.*]] = arith.index_castui %[[VALUE]]
// CHECK: %[[COUNT:.*]] = arith.muli %[[INDEX]], %c24
// CHECK: scf.for %{{.*}} to %[[COUNT]] step

// CHECK-LABEL: func.func @main
// CHECK: %[[SYMBOL:.*]] = memref.reinterpret_cast %arg2 to offset: [0], sizes: [1], strides: [1] : memref<i32> to memref<1xi32>
// CHECK: gpu.launch_func @kernels::@fusion_0 blocks in (%c375{{.*}}args(%{{.*}} : memref<72000xf32>, %[[SYMBOL]] : memref<1xi32>
// CHECK: call @dot_0
// CHECK: gpu.launch_func @kernels::@copy_1 {{.*}}, %[[SYMBOL]] : memref<1xi32>
// CHECK: @dot_0{{.*}}symbols = array<i64: 1, 0, 1>
func.func @main(%x: tensor<6000x12xf32, "b"> {stitch.donated = 4 : i64}, %w: tensor<12x5xf32>, %b: tensor<i32> {stitch.symbol = {name = "b", low = 1 : i64, high = 3000 : i64}})
    -> (tensor<6000xf32, "b">, tensor<6000x12xf32, "b">, tensor<6000x5xf32, "b">, tensor<6000x12xf32, "b">, tensor<6000x12xf32, "b">) {
  %sum = tg.reduce add %x dims [1] : (tensor<6000x12xf32, "b">) -> tensor<6000xf32, "b">
  %rows = tg.broadcast %sum dims [0] : (tensor<6000xf32, "b">) -> tensor<6000x12xf32, "b">
  %d = tg.div %x, %rows : tensor<6000x12xf32, "b">
  %dot = tg.dot %d, %w contract [1] x [0] : (tensor<6000x12xf32, "b">, tensor<12x5xf32>) -> tensor<6000x5xf32, "b">
  return %sum, %d, %dot, %d, %x : tensor<6000xf32, "b">, tensor<6000x12xf32, "b">, tensor<6000x5xf32, "b">, tensor<6000x12xf32, "b">, tensor<6000x12xf32, "b">
}

// -----

// Elements in one row: those of `y` come in fours for every n, so four are one access; one for each n are not.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: stitch.size = array<i64: 2, 1000>
// CHECK: memref.load %arg0[%{{.*}}] : memref<1000xf32>
// CHECK: memref.store %{{.*}}, %arg3
// CHECK: vector.load %arg1[%{{.*}}] {alignment = 16 : i64} : memref<4000xf32>, vector<4xf32>
// CHECK: vector.store %{{.*}}, %arg4
func.func @main(%x: tensor<1000xf32, "n">, %y: tensor<4000xf32, "n">, %n: tensor<i32> {stitch.symbol = {name = "n", low = 1 : i64, high = 1000 : i64}})
    -> (tensor<1000xf32, "n">, tensor<4000xf32, "n">) {
  %a = tg.exp %x : tensor<1000xf32, "n">
  %c = tg.exp %y : tensor<4000xf32, "n">
  return %a, %c : tensor<1000xf32, "n">, tensor<4000xf32, "n">
}

// -----

// Columns: rows past the last one are the identity; kept elements are there for all sizes; the sweep behind them stores the rows that
// there are, from registers.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: %[[ROWS:.*]] = arith.index_castui
// CHECK: %[[LAST:.*]] = arith.subi %[[ROWS]], %c1
// CHECK: %[[IN_ROWS:.*]] = arith.cmpi ule, %[[ROW:.*]], %[[LAST]]
// CHECK: memref.load %arg0
// CHECK: arith.select %[[IN_ROWS]], %{{.*}}, %cst
// CHECK: gpu.barrier
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ROW]], %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK: memref.store %{{.*}}, %arg2
// CHECK: scf.if %[[IN_ROWS]] {
// CHECK: memref.store %{{.*}}, %arg3
func.func @main(%x: tensor<40x96xf32, "b">, %b: tensor<i32> {stitch.symbol = {name = "b", low = 1 : i64, high = 40 : i64}}) -> (tensor<40x96xf32, "b">, tensor<96xf32>) {
  %sum = tg.reduce add %x dims [0] : (tensor<40x96xf32, "b">) -> tensor<96xf32>
  %root = tg.rsqrt %sum : tensor<96xf32>
  %roots = tg.broadcast %root dims [1] : (tensor<96xf32>) -> tensor<40x96xf32, "b">
  %y = tg.mul %x, %roots : tensor<40x96xf32, "b">
  return %y, %root : tensor<40x96xf32, "b">, tensor<96xf32>
}
