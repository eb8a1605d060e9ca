// RUN: stitch-opt %s --split-input-file --pass-pipeline="builtin.module(stitch-set-device,stitch-patterns,stitch-verify-plan)" | FileCheck %s
// RUN: stitch-opt %s --split-input-file --pass-pipeline="builtin.module(stitch-set-device,stitch-patterns{most=1})" | FileCheck %s --check-prefix=ONE

// Rows and columns are reduced: as a kernel, with its whole plan. The graph is gone.

// CHECK-LABEL: func.func @main(
// CHECK: stitch.fusion
// CHECK: stitch.launch
// CHECK: tg.reduce max
// CHECK: tg.reduce add
// CHECK-NOT: stitch.saved
func.func @main(%x: tensor<4096x512xf32>) -> (tensor<4096x512xf32>, tensor<512xf32>) {
  %m = tg.reduce max %x dims [1] : (tensor<4096x512xf32>) -> tensor<4096xf32>
  %mb = tg.broadcast %m dims [0] : (tensor<4096xf32>) -> tensor<4096x512xf32>
  %s = tg.sub %x, %mb : tensor<4096x512xf32>
  %e = tg.exp %s : tensor<4096x512xf32>
  %c = tg.reduce add %e dims [0] : (tensor<4096x512xf32>) -> tensor<512xf32>
  return %e, %c : tensor<4096x512xf32>, tensor<512xf32>
}

// -----

// All of one kind: the model knows it well enough.

// CHECK-LABEL: func.func @main()
// CHECK-NEXT: return
func.func @main(%x: tensor<4096x512xf32>) -> tensor<4096x512xf32> {
  %m = tg.reduce max %x dims [1] : (tensor<4096x512xf32>) -> tensor<4096xf32>
  %mb = tg.broadcast %m dims [0] : (tensor<4096xf32>) -> tensor<4096x512xf32>
  %s = tg.sub %x, %mb : tensor<4096x512xf32>
  return %s : tensor<4096x512xf32>
}

// -----

// Loops have graphs of their own; the loop's pattern also with the counter, as it would be stitched.

// CHECK-LABEL: func.func @main(
// CHECK-NOT: tg.while
// CHECK-COUNT-3: stitch.fusion
// CHECK-NOT: stitch.fusion
// ONE: tensor<300x70xf32>
// ONE-COUNT-1: stitch.fusion
// ONE-NOT: stitch.fusion
func.func @main(%x: tensor<300x70xf32>, %n: tensor<i32>) -> (tensor<70xf32>, tensor<300x70xf32>) {
  %r = tg.reduce add %x dims [1] : (tensor<300x70xf32>) -> tensor<300xf32>
  %rb = tg.broadcast %r dims [0] : (tensor<300xf32>) -> tensor<300x70xf32>
  %y = tg.mul %x, %rb : tensor<300x70xf32>
  %c = tg.reduce add %y dims [0] : (tensor<300x70xf32>) -> tensor<70xf32>
  %ten = tg.constant dense<10> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %w:3 = tg.while(%i = %n, %a = %c, %z = %x) : tensor<i32>, tensor<70xf32>, tensor<300x70xf32> cond {
    %less = tg.compare lt, %i, %ten : tensor<i32>
    tg.yield %less : tensor<i1>
  } do {
    %next = tg.add %i, %one : tensor<i32>
    %r2 = tg.reduce add %z dims [1] : (tensor<300x70xf32>) -> tensor<300xf32>
    %rb2 = tg.broadcast %r2 dims [0] : (tensor<300xf32>) -> tensor<300x70xf32>
    %y2 = tg.mul %z, %rb2 : tensor<300x70xf32>
    %c2 = tg.reduce add %y2 dims [0] : (tensor<300x70xf32>) -> tensor<70xf32>
    tg.yield %next, %c2, %z : tensor<i32>, tensor<70xf32>, tensor<300x70xf32>
  }
  return %w#1, %y : tensor<70xf32>, tensor<300x70xf32>
}
