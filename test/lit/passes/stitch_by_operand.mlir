// RUN: stitch-opt %s -stitch-set-device=device=h200 -stitch-outline -stitch-dominants -stitch-thread-mapping -stitch-schemes -stitch-schedule -stitch-buffers -stitch-launch -stitch-verify-plan -split-input-file | FileCheck %s
// RUN: %python %S/../split_file.py %s %t
// RUN: stitch-compile %t.0.mlir -o %t.0.so --target=simt --checks
// RUN: stitch-run %t.0.so --check --seed=1 --thread-order=1
// RUN: stitch-compile %t.1.mlir -o %t.1.so --target=simt --checks
// RUN: stitch-run %t.1.so --check --seed=2 --thread-order=2
// RUN: stitch-compile %t.2.mlir -o %t.2.so --target=simt --checks
// RUN: stitch-run %t.2.so --check --seed=3 --thread-order=0
// RUN: stitch-compile %t.3.mlir -o %t.3.so --target=simt --checks
// RUN: stitch-run %t.3.so --check --seed=4 --thread-order=3

// What a fusion's results are moved to: stored by the threads that have the elements, without a barrier.

// CHECK-LABEL: func.func @main
// CHECK: barriers = 0
// CHECK: tg.transpose {{.*}} {stitch.by_operand, stitch.group = 0 : i64, stitch.mapping = #stitch.mapping<row, rows = 30, columns = 20,
func.func @main(%x: tensor<30x20xf32>) -> tensor<20x30xf32> {
  %m = tg.reduce max %x dims [1] : (tensor<30x20xf32>) -> tensor<30xf32>
  %ms = tg.broadcast %m dims [0] : (tensor<30xf32>) -> tensor<30x20xf32>
  %c = tg.sub %x, %ms : tensor<30x20xf32>
  %e = tg.exp %c : tensor<30x20xf32>
  %t = tg.transpose %e permutation [1, 0] : (tensor<30x20xf32>) -> tensor<20x30xf32>
  return %t : tensor<20x30xf32>
}

// -----

// The first row of a normalisation whose rows are all results, too: BERT's pooler.

// CHECK-LABEL: func.func @main
// CHECK: barriers = 0
// CHECK: tg.slice {{.*}} {stitch.by_operand, stitch.group = 0 : i64, stitch.mapping = #stitch.mapping<row, rows = 7, columns = 768,
func.func @main(%x: tensor<7x768xf32>) -> (tensor<7x768xf32>, tensor<1x768xf32>) {
  %m = tg.reduce max %x dims [1] : (tensor<7x768xf32>) -> tensor<7xf32>
  %ms = tg.broadcast %m dims [0] : (tensor<7xf32>) -> tensor<7x768xf32>
  %c = tg.sub %x, %ms : tensor<7x768xf32>
  %0 = tg.slice %c [2:3, 0:768] : (tensor<7x768xf32>) -> tensor<1x768xf32>
  return %c, %0 : tensor<7x768xf32>, tensor<1x768xf32>
}

// -----

// A slice and a reversal across rows, and a slice that cuts vectors apart: four elements a thread, from the third on.

// CHECK-LABEL: func.func @main
// CHECK: barriers = 0
// CHECK: tg.slice {{.*}} {stitch.by_operand,
// CHECK: tg.reverse {{.*}} {stitch.by_operand,
func.func @main(%x: tensor<6x64xf32>) -> (tensor<4x33xf32>, tensor<6x64xf32>) {
  %m = tg.reduce max %x dims [1] : (tensor<6x64xf32>) -> tensor<6xf32>
  %ms = tg.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x64xf32>
  %c = tg.sub %x, %ms : tensor<6x64xf32>
  %0 = tg.slice %c [1:5, 3:36] : (tensor<6x64xf32>) -> tensor<4x33xf32>
  %1 = tg.reverse %c dims [0] : tensor<6x64xf32>
  return %0, %1 : tensor<4x33xf32>, tensor<6x64xf32>
}

// -----

// Within its rows an operation needs none of this.

// CHECK-LABEL: func.func @main
// CHECK: barriers = 0
// CHECK: tg.reverse
// CHECK-NOT: stitch.by_operand
// CHECK: return
func.func @main(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %m = tg.reduce max %x dims [1] : (tensor<6x64xf32>) -> tensor<6xf32>
  %ms = tg.broadcast %m dims [0] : (tensor<6xf32>) -> tensor<6x64xf32>
  %c = tg.sub %x, %ms : tensor<6x64xf32>
  %0 = tg.reverse %c dims [1] : tensor<6x64xf32>
  return %0 : tensor<6x64xf32>
}

// -----

// A large transpose would scatter its elements over the cache's sectors: a barrier is cheaper.

// CHECK-LABEL: func.func @main
// CHECK: barriers = 1
// CHECK: tg.transpose
// CHECK-NOT: stitch.by_operand
// CHECK: return
func.func @main(%x: tensor<8192x1024xf32>) -> tensor<1024x8192xf32> {
  %m = tg.reduce max %x dims [1] : (tensor<8192x1024xf32>) -> tensor<8192xf32>
  %ms = tg.broadcast %m dims [0] : (tensor<8192xf32>) -> tensor<8192x1024xf32>
  %c = tg.sub %x, %ms : tensor<8192x1024xf32>
  %t = tg.transpose %c permutation [1, 0] : (tensor<8192x1024xf32>) -> tensor<1024x8192xf32>
  return %t : tensor<1024x8192xf32>
}
