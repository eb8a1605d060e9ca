// Kernels whose blocks have a multiprocessor each, and several tasks, copy what they read next while they compute (docs/ir.md, "Staged loads").

// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch -stitch-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Rows of a cluster: 64 elements of 2 bytes a thread; 120 blocks of the 1024 that there could be.
// CHECK-LABEL: func.func @cluster
// CHECK: stitch.launch = #stitch.launch<grid = 120, block = 512, registers = 128, shared = 65696, scratch = 0, barriers = 0, cluster = 8>
// CHECK-SAME: stitch.staging = array<i64: 160, 65536>
// REMARK: threads copy the 128 bytes of their next task while they compute, and keep 0 that all tasks read: 65536 bytes of shared memory, grid of 120
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @cluster(%x: tensor<4096x262144xbf16>) -> tensor<4096x262144xbf16> {
    %m = tg.reduce max %x dims [1] : (tensor<4096x262144xbf16>) -> tensor<4096xbf16>
    %mb = tg.broadcast %m dims [0] : (tensor<4096xbf16>) -> tensor<4096x262144xbf16>
    %y = tg.sub %x, %mb : tensor<4096x262144xbf16>
    return %y : tensor<4096x262144xbf16>
  }
}

// -----

// The same on a device without asynchronous copies (and clusters): nothing.
// CHECK-LABEL: func.func @older
// CHECK-NOT: stitch.staging
module attributes {stitch.device = #stitch.device<v100>} {
  func.func @older(%x: tensor<4096x262144xbf16>) -> tensor<4096x262144xbf16> {
    %m = tg.reduce max %x dims [1] : (tensor<4096x262144xbf16>) -> tensor<4096xbf16>
    %mb = tg.broadcast %m dims [0] : (tensor<4096xbf16>) -> tensor<4096x262144xbf16>
    %y = tg.sub %x, %mb : tensor<4096x262144xbf16>
    return %y : tensor<4096x262144xbf16>
  }
}

// -----

// As many rows as clusters: each has one task.
// CHECK-LABEL: func.func @one_task
// CHECK-NOT: stitch.staging
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @one_task(%x: tensor<15x262144xbf16>) -> tensor<15x262144xbf16> {
    %m = tg.reduce max %x dims [1] : (tensor<15x262144xbf16>) -> tensor<15xbf16>
    %mb = tg.broadcast %m dims [0] : (tensor<15xbf16>) -> tensor<15x262144xbf16>
    %y = tg.sub %x, %mb : tensor<15x262144xbf16>
    return %y : tensor<15x262144xbf16>
  }
}

// -----

// Rows that a block has in its registers: several blocks on a multiprocessor hide each other.
// CHECK-LABEL: func.func @blocks
// CHECK-NOT: stitch.staging
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @blocks(%x: tensor<32768x4096xf32>) -> tensor<32768x4096xf32> {
    %m = tg.reduce max %x dims [1] : (tensor<32768x4096xf32>) -> tensor<32768xf32>
    %mb = tg.broadcast %m dims [0] : (tensor<32768xf32>) -> tensor<32768x4096xf32>
    %y = tg.sub %x, %mb : tensor<32768x4096xf32>
    return %y : tensor<32768x4096xf32>
  }
}

// -----

// Sums of columns go along with the rows; the scale of each column, which all rows read, is kept, too.
// CHECK-LABEL: func.func @carried
// CHECK: stitch.launch = #stitch.launch<grid = 132
// CHECK-SAME: stitch.staging = array<i64: {{[0-9]+}}, 49152>
// REMARK: threads copy the 64 bytes of their next task while they compute, and keep 32 that all tasks read: 49152 bytes of shared memory, grid of 132
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @carried(%x: tensor<32768x4096xbf16>, %dy: tensor<32768x4096xbf16>, %scale: tensor<4096xbf16>) -> (tensor<32768x4096xbf16>, tensor<4096xbf16>) {
    %sb = tg.broadcast %scale dims [1] : (tensor<4096xbf16>) -> tensor<32768x4096xbf16>
    %w = tg.mul %dy, %sb : tensor<32768x4096xbf16>
    %p = tg.mul %w, %x : tensor<32768x4096xbf16>
    %s = tg.reduce add %p dims [1] : (tensor<32768x4096xbf16>) -> tensor<32768xbf16>
    %b = tg.broadcast %s dims [0] : (tensor<32768xbf16>) -> tensor<32768x4096xbf16>
    %dx = tg.sub %w, %b : tensor<32768x4096xbf16>
    %q = tg.mul %dy, %x : tensor<32768x4096xbf16>
    %g = tg.reduce add %q dims [0] : (tensor<32768x4096xbf16>) -> tensor<4096xbf16>
    return %dx, %g : tensor<32768x4096xbf16>, tensor<4096xbf16>
  }
}
