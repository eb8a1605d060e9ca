// RUN: stitch-opt %s -stitch-outline -stitch-dominants -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline -stitch-dominants=merge=false -split-input-file | FileCheck %s --check-prefix=NOMERGE

// Softmax: both reduces, what is expensive before a broadcast and the result have one space: one group. Of two reduces the
// first dominates.

// CHECK-LABEL: func.func @softmax
// CHECK: tg.reduce max {{.*}}group = 0 : i64, stitch.role = #stitch.role<dominant>
// CHECK: tg.sub {{.*}}group = 0 : i64, stitch.role = #stitch.role<member>
// CHECK: tg.exp {{.*}}group = 0 : i64, stitch.role = #stitch.role<member>
// CHECK: tg.reduce add {{.*}}group = 0 : i64, stitch.role = #stitch.role<sub_dominant>
// CHECK: tg.div {{.*}}group = 0 : i64, stitch.role = #stitch.role<sub_dominant>

// Without merging each has its group, in topological order, and its own copy of the exponential.

// NOMERGE-LABEL: func.func @softmax
// NOMERGE: tg.reduce max {{.*}}group = 0 : i64, stitch.role = #stitch.role<dominant>
// NOMERGE: tg.exp {{.*}}group = 1 : i64, stitch.role = #stitch.role<member>
// NOMERGE: tg.exp {{.*}}group = 2 : i64, stitch.role = #stitch.role<member>
// NOMERGE: tg.reduce add {{.*}}group = 1 : i64, stitch.role = #stitch.role<dominant>
// NOMERGE: tg.div {{.*}}group = 2 : i64, stitch.role = #stitch.role<dominant>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @softmax(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
    %m = tg.reduce max %x dims [1] : (tensor<512x128xf32>) -> tensor<512xf32>
    %mb = tg.broadcast %m dims [0] : (tensor<512xf32>) -> tensor<512x128xf32>
    %d = tg.sub %x, %mb : tensor<512x128xf32>
    %e = tg.exp %d : tensor<512x128xf32>
    %s = tg.reduce add %e dims [1] : (tensor<512x128xf32>) -> tensor<512xf32>
    %sb = tg.broadcast %s dims [0] : (tensor<512xf32>) -> tensor<512x128xf32>
    %r = tg.div %e, %sb : tensor<512x128xf32>
    return %r : tensor<512x128xf32>
  }
}

// -----

// A row and a column reduce of one value: two groups, the cheap operation in between is cloned. The full-size result
// goes with the rows.

// CHECK-LABEL: func.func @rows_and_columns
// CHECK: tg.add {{.*}}group = 0 : i64, stitch.role = #stitch.role<member>
// CHECK: tg.add {{.*}}group = 1 : i64, stitch.role = #stitch.role<member>
// CHECK: tg.reduce add {{.*}} dims [1] {{.*}}group = 0 : i64, stitch.role = #stitch.role<dominant>
// CHECK: tg.reduce add {{.*}} dims [0] {{.*}}group = 1 : i64, stitch.role = #stitch.role<dominant>
// CHECK: tg.neg {{.*}}group = 0 : i64, stitch.role = #stitch.role<sub_dominant>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @rows_and_columns(%x: tensor<512x128xf32>, %y: tensor<512x128xf32>)
      -> (tensor<512xf32>, tensor<128xf32>, tensor<512x128xf32>) {
    %a = tg.add %x, %y : tensor<512x128xf32>
    %r = tg.reduce add %a dims [1] : (tensor<512x128xf32>) -> tensor<512xf32>
    %c = tg.reduce add %a dims [0] : (tensor<512x128xf32>) -> tensor<128xf32>
    %n = tg.neg %a : tensor<512x128xf32>
    return %r, %c, %n : tensor<512xf32>, tensor<128xf32>, tensor<512x128xf32>
  }
}

// -----

// Rows, then columns of what the rows give, then rows again: as two groups they would depend on each other.

// CHECK-LABEL: func.func @cycle
// CHECK: tg.reduce add {{.*}} dims [1] {{.*}}group = 0 : i64, stitch.role = #stitch.role<dominant>
// CHECK: tg.reduce add {{.*}} dims [0] {{.*}}group = 1 : i64, stitch.role = #stitch.role<dominant>
// CHECK: tg.reduce max {{.*}} dims [1] {{.*}}group = 2 : i64, stitch.role = #stitch.role<dominant>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @cycle(%x: tensor<512x128xf32>) -> tensor<512xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<512x128xf32>) -> tensor<512xf32>
    %rb = tg.broadcast %r dims [0] : (tensor<512xf32>) -> tensor<512x128xf32>
    %d = tg.sub %x, %rb : tensor<512x128xf32>
    %c = tg.reduce add %d dims [0] : (tensor<512x128xf32>) -> tensor<128xf32>
    %cb = tg.broadcast %c dims [1] : (tensor<128xf32>) -> tensor<512x128xf32>
    %e = tg.sub %d, %cb : tensor<512x128xf32>
    %m = tg.reduce max %e dims [1] : (tensor<512x128xf32>) -> tensor<512xf32>
    return %m : tensor<512xf32>
  }
}

// -----

// The rows of a result must be its leading dimensions: 64 x 96 elements are no 96 x 64.

// CHECK-LABEL: func.func @coincidence
// CHECK: tg.reduce add {{.*}}group = 0 : i64, stitch.role = #stitch.role<dominant>
// CHECK: tg.neg {{.*}}group = 1 : i64, stitch.role = #stitch.role<dominant>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @coincidence(%x: tensor<96x64xf32>) -> (tensor<96xf32>, tensor<64x96xf32>) {
    %s = tg.abs %x : tensor<96x64xf32>
    %r = tg.reduce add %s dims [1] : (tensor<96x64xf32>) -> tensor<96xf32>
    %t = tg.transpose %s permutation [1, 0] : (tensor<96x64xf32>) -> tensor<64x96xf32>
    %n = tg.neg %t : tensor<64x96xf32>
    return %r, %n : tensor<96xf32>, tensor<64x96xf32>
  }
}

// -----

// Read by all rows, an expensive value would need a grid barrier: it is kept only if computing it again costs more.

// CHECK-LABEL: func.func @small
// CHECK: tg.pow {{.*}}stitch.role = #stitch.role<member>
// CHECK: tg.add {{.*}}stitch.role = #stitch.role<dominant>
// CHECK-LABEL: func.func @large
// CHECK: tg.pow {{.*}}group = 0 : i64, stitch.role = #stitch.role<dominant>
// CHECK: tg.add {{.*}}group = 1 : i64, stitch.role = #stitch.role<dominant>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @small(%x: tensor<128xf32>, %y: tensor<16x128xf32>) -> tensor<16x128xf32> {
    %p = tg.pow %x, %x : tensor<128xf32>
    %b = tg.broadcast %p dims [1] : (tensor<128xf32>) -> tensor<16x128xf32>
    %a = tg.add %b, %y : tensor<16x128xf32>
    return %a : tensor<16x128xf32>
  }
  func.func @large(%x: tensor<128xf32>, %y: tensor<65536x128xf32>) -> tensor<65536x128xf32> {
    %p = tg.pow %x, %x : tensor<128xf32>
    %b = tg.broadcast %p dims [1] : (tensor<128xf32>) -> tensor<65536x128xf32>
    %a = tg.add %b, %y : tensor<65536x128xf32>
    return %a : tensor<65536x128xf32>
  }
}
