// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch-by-cost | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch-by-cost --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch-by-cost -convert-stitch-to-gpu | FileCheck %s --check-prefix=KERNEL

// A norm of rows of 4096, then maxima of groups of 128 of them: rows and groups are axes of one loop, and nothing waits for another block. The
// scales are stored with their groups outermost.

// REMARK: remark: one loop of {{[0-9]+}} roots over axes of 4096 x 32 x 128, [{{.*}}]: the kernel takes {{[0-9]+}} ns, {{[0-9]+}} ns by rows and columns
// CHECK-LABEL: func.func @main
// CHECK: stitch.launch<{{.*}}barriers = 0>
// CHECK: tg.reduce add {{.*}}stitch.mapping = #stitch.axes<[0, 1, 2] of [4096, 32, 128]{{.*}}regional
// CHECK: tg.reduce max {{.*}}stitch.mapping = #stitch.axes<[0, 1, 2] of [4096, 32, 128]{{.*}}regional
// CHECK: tg.convert {{.*}}stitch.mapping = #stitch.axes<[0, 1, 2] of [4096, 32, 128]{{.*}}independent
// CHECK: tg.transpose {{.*}}stitch.mapping = #stitch.axes<[1, 0] of [4096, 32, 128]{{.*}}independent
// KERNEL: stitch.traffic = array<i64: 33554432, 34078720>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<4096x4096xbf16>) -> (tensor<4096x4096xbf16>, tensor<32x4096xf32>) {
    %n = tg.constant dense<4096.0> : tensor<4096xf32>
    %f = tg.convert %x : (tensor<4096x4096xbf16>) -> tensor<4096x4096xf32>
    %s = tg.mul %f, %f : tensor<4096x4096xf32>
    %sum = tg.reduce add %s dims [1] : (tensor<4096x4096xf32>) -> tensor<4096xf32>
    %mean = tg.div %sum, %n : tensor<4096xf32>
    %r = tg.rsqrt %mean : tensor<4096xf32>
    %b = tg.broadcast %r dims [0] : (tensor<4096xf32>) -> tensor<4096x4096xf32>
    %y = tg.mul %f, %b : tensor<4096x4096xf32>
    %g = tg.reshape %y : (tensor<4096x4096xf32>) -> tensor<4096x32x128xf32>
    %a = tg.abs %g : tensor<4096x32x128xf32>
    %most = tg.reduce max %a dims [2] : (tensor<4096x32x128xf32>) -> tensor<4096x32xf32>
    %m = tg.broadcast %most dims [0, 1] : (tensor<4096x32xf32>) -> tensor<4096x32x128xf32>
    %q = tg.div %g, %m : tensor<4096x32x128xf32>
    %h = tg.convert %q : (tensor<4096x32x128xf32>) -> tensor<4096x32x128xbf16>
    %out = tg.reshape %h : (tensor<4096x32x128xbf16>) -> tensor<4096x4096xbf16>
    %scales = tg.transpose %most permutation [1, 0] : (tensor<4096x32xf32>) -> tensor<32x4096xf32>
    return %out, %scales : tensor<4096x4096xbf16>, tensor<32x4096xf32>
  }
}

// -----

// Maxima along rows and along columns of the same tensor: squares of it.

// REMARK: remark: one loop of 4 roots over axes of 64 x 32 x 64 x 32,
// CHECK-LABEL: func.func @main
// CHECK: stitch.launch<{{.*}}barriers = 0>
// CHECK: tg.reduce max {{.*}}stitch.mapping = #stitch.axes<[0, 1, 2, 3] of [64, 32, 64, 32]
// CHECK: tg.reduce max {{.*}}stitch.mapping = #stitch.axes<[0, 1, 2, 3] of [64, 32, 64, 32]
// KERNEL: stitch.traffic = array<i64: 16777216, 34603008>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<2048x2048xf32>) -> (tensor<2048x64xf32>, tensor<64x2048xf32>, tensor<2048x2048xf32>, tensor<2048x2048xf32>) {
    %r = tg.reshape %x : (tensor<2048x2048xf32>) -> tensor<2048x64x32xf32>
    %c = tg.reshape %x : (tensor<2048x2048xf32>) -> tensor<64x32x2048xf32>
    %a = tg.reduce max %r dims [2] : (tensor<2048x64x32xf32>) -> tensor<2048x64xf32>
    %b = tg.reduce max %c dims [1] : (tensor<64x32x2048xf32>) -> tensor<64x2048xf32>
    %s = tg.broadcast %a dims [0, 1] : (tensor<2048x64xf32>) -> tensor<2048x64x32xf32>
    %t = tg.broadcast %b dims [0, 2] : (tensor<64x2048xf32>) -> tensor<64x32x2048xf32>
    %p = tg.sub %r, %s : tensor<2048x64x32xf32>
    %q = tg.sub %c, %t : tensor<64x32x2048xf32>
    %y = tg.reshape %p : (tensor<2048x64x32xf32>) -> tensor<2048x2048xf32>
    %z = tg.reshape %q : (tensor<64x32x2048xf32>) -> tensor<2048x2048xf32>
    return %a, %b, %y, %z : tensor<2048x64xf32>, tensor<64x2048xf32>, tensor<2048x2048xf32>, tensor<2048x2048xf32>
  }
}

// -----

// A dimension with others before and behind it: a cluster has all of it.

// REMARK: remark: one loop of 2 roots over axes of 2 x 2048 x 4096, [{{.*}}CLUSTER_
// CHECK-LABEL: func.func @main
// CHECK: stitch.launch<{{.*}}barriers = 0, cluster =
// KERNEL: stitch.traffic = array<i64: 67108864, 67108864>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<2x2048x4096xf32>) -> tensor<2x2048x4096xf32> {
    %sum = tg.reduce add %x dims [1] : (tensor<2x2048x4096xf32>) -> tensor<2x4096xf32>
    %b = tg.broadcast %sum dims [0, 2] : (tensor<2x4096xf32>) -> tensor<2x2048x4096xf32>
    %y = tg.sub %x, %b : tensor<2x2048x4096xf32>
    return %y : tensor<2x2048x4096xf32>
  }
}

// -----

// Rows of two inputs are in clusters, and the sum over all of them is divided among tasks: partial results, which a later phase adds up.

// REMARK: remark: one loop of {{[0-9]+}} roots over axes of 4096 x 32003, [GRID_4096,CLUSTER_
// CHECK-LABEL: func.func @main
// CHECK: stitch.launch<{{.*}}barriers = 1, cluster =
// CHECK: tg.reduce add {{.*}} dims [0, 1] {stitch.buffer = #stitch.buffer<scratch, {{.*}}stitch.mapping = #stitch.axes<[0, 1] of [4096, 32003]{{.*}}global
// KERNEL: stitch.traffic = array<i64: 10486906
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%arg0: tensor<4096x32003xf32>, %arg1: tensor<4096x32003xf32>) -> tensor<f32> {
    %cst = tg.constant dense<2.44140625E-4> : tensor<f32>
    %0 = tg.reduce max %arg0 dims [1] : (tensor<4096x32003xf32>) -> tensor<4096xf32>
    %1 = tg.broadcast %0 dims [0] : (tensor<4096xf32>) -> tensor<4096x32003xf32>
    %2 = tg.sub %arg0, %1 : tensor<4096x32003xf32>
    %3 = tg.exp %2 : tensor<4096x32003xf32>
    %4 = tg.reduce add %3 dims [1] : (tensor<4096x32003xf32>) -> tensor<4096xf32>
    %5 = tg.log %4 : tensor<4096xf32>
    %6 = tg.broadcast %5 dims [0] : (tensor<4096xf32>) -> tensor<4096x32003xf32>
    %7 = tg.sub %2, %6 : tensor<4096x32003xf32>
    %8 = tg.reduce max %arg1 dims [1] : (tensor<4096x32003xf32>) -> tensor<4096xf32>
    %9 = tg.broadcast %8 dims [0] : (tensor<4096xf32>) -> tensor<4096x32003xf32>
    %10 = tg.sub %arg1, %9 : tensor<4096x32003xf32>
    %11 = tg.exp %10 : tensor<4096x32003xf32>
    %12 = tg.reduce add %11 dims [1] : (tensor<4096x32003xf32>) -> tensor<4096xf32>
    %13 = tg.log %12 : tensor<4096xf32>
    %14 = tg.broadcast %13 dims [0] : (tensor<4096xf32>) -> tensor<4096x32003xf32>
    %15 = tg.sub %10, %14 : tensor<4096x32003xf32>
    %16 = tg.exp %7 : tensor<4096x32003xf32>
    %17 = tg.sub %7, %15 : tensor<4096x32003xf32>
    %18 = tg.mul %16, %17 : tensor<4096x32003xf32>
    %19 = tg.reduce add %18 dims [0, 1] : (tensor<4096x32003xf32>) -> tensor<f32>
    %20 = tg.mul %19, %cst : tensor<f32>
    return %20 : tensor<f32>
  }
}

// -----

// What reads a root at elements that the kernel finds out waits for all of it.

// REMARK-NOT: one loop of
// CHECK-LABEL: func.func @main
// CHECK-NOT: stitch.axes
// CHECK: return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<4096x1024xf32>, %i: tensor<4096x1xi32>) -> tensor<4096xf32> {
    %sum = tg.reduce add %x dims [1] : (tensor<4096x1024xf32>) -> tensor<4096xf32>
    %e = tg.exp %sum : tensor<4096xf32>
    %g = "tg.gather"(%e, %i) {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>,
        start_index_map = array<i64: 0>, slice_sizes = array<i64: 1>, index_vector_dim = 1 : i64} : (tensor<4096xf32>, tensor<4096x1xi32>) -> tensor<4096xf32>
    %t = tg.tanh %g : tensor<4096xf32>
    return %t : tensor<4096xf32>
  }
}
