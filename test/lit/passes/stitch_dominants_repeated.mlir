// RUN: stitch-opt %s -stitch-outline -stitch-dominants -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -split-input-file --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %python %source/test/programs/cliffs.py --print log_steps 10 > %t.mlir
// RUN: stitch-opt %t.mlir -stitch-pipeline=plan=astitch --stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY

// What is read at several places is computed at each of them. Where that costs more than a barrier it is kept.

// REMARK: candidate: demanded many times: computing it again would cost more than a barrier
// MANY: candidate: demanded at many indices: computing it at each would take too much code
// CHECK-LABEL: func.func @large
// CHECK: tg.exp {{.*}}stitch.role = #stitch.role<member>
// CHECK: tg.sin {{.*}}stitch.role = #stitch.role<{{dominant|sub_dominant}}>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @large(%x: tensor<1048600xf32>) -> tensor<1048576xf32> {
    %e = tg.exp %x : tensor<1048600xf32>
    %t = tg.cos %e : tensor<1048600xf32>
    %s = tg.sin %t : tensor<1048600xf32>
    %0 = tg.slice %s [0:1048576] : (tensor<1048600xf32>) -> tensor<1048576xf32>
    %1 = tg.slice %s [1:1048577] : (tensor<1048600xf32>) -> tensor<1048576xf32>
    %2 = tg.slice %s [9:1048585] : (tensor<1048600xf32>) -> tensor<1048576xf32>
    %3 = tg.slice %s [24:1048600] : (tensor<1048600xf32>) -> tensor<1048576xf32>
    %4 = tg.add %0, %1 : tensor<1048576xf32>
    %5 = tg.add %2, %3 : tensor<1048576xf32>
    %6 = tg.mul %4, %5 : tensor<1048576xf32>
    return %6 : tensor<1048576xf32>
  }
}

// -----

// Of few elements it costs less.

// CHECK-LABEL: func.func @small
// CHECK: tg.sin {{.*}}stitch.role = #stitch.role<member>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @small(%x: tensor<1025xf32>) -> tensor<1024xf32> {
    %e = tg.exp %x : tensor<1025xf32>
    %s = tg.sin %e : tensor<1025xf32>
    %0 = tg.slice %s [0:1024] : (tensor<1025xf32>) -> tensor<1024xf32>
    %1 = tg.slice %s [1:1025] : (tensor<1025xf32>) -> tensor<1024xf32>
    %2 = tg.add %0, %1 : tensor<1024xf32>
    return %2 : tensor<1024xf32>
  }
}

// -----

// Read twice in the other direction as well it is the same element: computed once.

// CHECK-LABEL: func.func @back
// CHECK: tg.sin {{.*}}stitch.role = #stitch.role<member>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @back(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
    %e = tg.exp %x : tensor<1048576xf32>
    %s = tg.sin %e : tensor<1048576xf32>
    %0 = tg.reverse %s dims [0] : tensor<1048576xf32>
    %1 = tg.neg %0 : tensor<1048576xf32>
    %2 = tg.reverse %1 dims [0] : tensor<1048576xf32>
    %3 = tg.add %s, %2 : tensor<1048576xf32>
    return %3 : tensor<1048576xf32>
  }
}
