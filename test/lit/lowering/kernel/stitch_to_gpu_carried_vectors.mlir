// RUN: stitch-opt %s --stitch-pipeline=plan=astitch --stitch-verify-plan | FileCheck %s
// RUN: stitch-compile %s --pipeline=plan=astitch -o %t.so --device="h200, sms = 8" --checks
// RUN: stitch-run %t.so --device=simt --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --device=simt --check --seed=2 --thread-order=1

// The first root of the task loop has one element a row; the columns that the loop carries come in vectors of four all the same, when the
// rows of threads of a warp combine theirs.

// CHECK: tg.exp {{.*}}<row, rows = 1003, columns = 1, {{.*}} vector = 1,
// CHECK: tg.reduce add %{{.*}} dims [0] {{.*}}<carried, rows = 1003, columns = 60, block_rows = 128, row_threads = 4, vector = 4,
module attributes {stitch.device = #stitch.device<h200, sms = 8>} {
  func.func @main(%x: tensor<1003x60xf32>, %v: tensor<1003xf32>) -> (tensor<1003xf32>, tensor<1003xf32>, tensor<60xf32>) {
    %e = tg.exp %v : tensor<1003xf32>
    %b = tg.broadcast %e dims [0] : (tensor<1003xf32>) -> tensor<1003x60xf32>
    %y = tg.mul %x, %b : tensor<1003x60xf32>
    %r = tg.reduce add %y dims [1] : (tensor<1003x60xf32>) -> tensor<1003xf32>
    %c = tg.reduce add %x dims [0] : (tensor<1003x60xf32>) -> tensor<60xf32>
    return %e, %r, %c : tensor<1003xf32>, tensor<1003xf32>, tensor<60xf32>
  }
}
