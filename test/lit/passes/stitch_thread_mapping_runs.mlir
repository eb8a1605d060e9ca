// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -split-input-file | FileCheck %s
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping=align=false -split-input-file | FileCheck %s --check-prefix=OFF
// RUN: stitch-opt %s -stitch-outline -stitch-dominants -stitch-thread-mapping -split-input-file --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK

// Rows whose length is odd: vectors of 16 bytes begin at aligned places, and so before most rows; each element is in the row or
// not by itself.

// CHECK-LABEL: func.func @odd
// CHECK: tg.reduce {{.*}}<row, rows = 4096, columns = 3079, block_rows = 2, row_threads = 128, vector = 4, unroll = 7, split = 1, run = 1>
// OFF-LABEL: func.func @odd
// OFF: tg.reduce {{.*}}vector = 1, unroll = 25, split = 1>
// REMARK: group 0: vectors of 4 begin at aligned addresses instead of with the rows: 7 accesses a thread instead of 25,
// REMARK: vectors of 4, 7 a thread, split 1, clusters of 1, runs of 1;
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @odd(%x: tensor<4096x3079xf32>) -> tensor<4096xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<4096x3079xf32>) -> tensor<4096xf32>
    return %r : tensor<4096xf32>
  }
}

// -----

// Rows of 16-bit elements that begin at multiples of 8 bytes: runs of four, which scales and offsets are read by, too.

// CHECK-LABEL: func.func @runs_of_four
// CHECK: tg.reduce {{.*}}columns = 3076, {{.*}} vector = 8, unroll = 4, split = 1, run = 4>
// CHECK: tg.mul {{.*}}columns = 3076, {{.*}} vector = 8, unroll = 4, split = 1, run = 4>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @runs_of_four(%x: tensor<4096x3076xbf16>, %scale: tensor<3076xbf16>) -> tensor<4096x3076xbf16> {
    %r = tg.reduce max %x dims [1] : (tensor<4096x3076xbf16>) -> tensor<4096xbf16>
    %b = tg.broadcast %r dims [0] : (tensor<4096xbf16>) -> tensor<4096x3076xbf16>
    %s = tg.broadcast %scale dims [1] : (tensor<3076xbf16>) -> tensor<4096x3076xbf16>
    %0 = tg.sub %x, %b : tensor<4096x3076xbf16>
    %1 = tg.mul %0, %s : tensor<4096x3076xbf16>
    return %1 : tensor<4096x3076xbf16>
  }
}

// -----

// Elements that nothing orders in rows: only the last vector is not whole.

// CHECK-LABEL: func.func @flat
// CHECK: tg.add {{.*}}<flat, rows = 1, columns = 3145725, {{.*}} vector = 4, unroll = 4, split = 768, run = 1>
// OFF-LABEL: func.func @flat
// OFF: tg.add {{.*}} vector = 1, unroll = 4, split = 3072>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @flat(%x: tensor<1023x3075xf32>, %y: tensor<1023x3075xf32>) -> tensor<1023x3075xf32> {
    %0 = tg.add %x, %y : tensor<1023x3075xf32>
    return %0 : tensor<1023x3075xf32>
  }
}

// -----

// A vector more than its threads have at once would double what they compute: shorter vectors.

// CHECK-LABEL: func.func @shorter
// CHECK: tg.mul {{.*}}columns = 1031, block_rows = 2, row_threads = 128, vector = 4, unroll = 3, split = 1, run = 1>
// REMARK: vectors of 4 begin at aligned addresses instead of with the rows: 3 accesses a thread instead of 9,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @shorter(%x: tensor<512x1031xbf16>) -> tensor<512x1031xbf16> {
    %e = tg.exp %x : tensor<512x1031xbf16>
    %r = tg.reduce add %e dims [1] : (tensor<512x1031xbf16>) -> tensor<512xbf16>
    %b = tg.broadcast %r dims [0] : (tensor<512xbf16>) -> tensor<512x1031xbf16>
    %0 = tg.mul %e, %b : tensor<512x1031xbf16>
    return %0 : tensor<512x1031xbf16>
  }
}

// -----

// A thread that has one element of a row has one access whatever its length is.

// CHECK-LABEL: func.func @one_access
// CHECK-NOT: run =
// CHECK: return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @one_access(%x: tensor<7x31xf32>) -> tensor<7xf32> {
    %r = tg.reduce add %x dims [1] : (tensor<7x31xf32>) -> tensor<7xf32>
    return %r : tensor<7xf32>
  }
}

// -----

// Rows that carry column sums: a thread has every 132nd row of the tensor, or every 264th, so that all of its rows begin equally far behind an
// aligned place, and its vectors have the same columns in each.

// CHECK-LABEL: func.func @carried
// CHECK: <carried, rows = 20480, columns = 1031, {{.*}} vector = 4, {{.*}} run = 1>
// REMARK: vectors of 4 begin at aligned addresses instead of with the rows: 3 accesses a thread instead of 9,
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @carried(%x: tensor<20480x1031xf32>) -> (tensor<20480x1031xf32>, tensor<1031xf32>) {
    %sum = tg.reduce add %x dims [1] : (tensor<20480x1031xf32>) -> tensor<20480xf32>
    %s = tg.broadcast %sum dims [0] : (tensor<20480xf32>) -> tensor<20480x1031xf32>
    %d = tg.div %x, %s : tensor<20480x1031xf32>
    %c = tg.reduce add %d dims [0] : (tensor<20480x1031xf32>) -> tensor<1031xf32>
    return %d, %c : tensor<20480x1031xf32>, tensor<1031xf32>
  }
}
