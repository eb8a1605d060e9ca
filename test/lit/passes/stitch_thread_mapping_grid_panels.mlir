// RUN: stitch-opt %s -stitch-pipeline=plan=astitch | FileCheck %s
// RUN: stitch-opt %s -stitch-pipeline=plan=astitch --stitch-remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s -stitch-pipeline=plan=astitch -convert-stitch-to-gpu | FileCheck %s --check-prefix=KERNEL

// Normalisation by the statistics of columns, of as many elements as the registers of a whole H200 hold: each block keeps a chunk of the rows of
// 64 columns across two grid barriers. The mean and the variance, results of the columns, go by the same tasks; what else follows from them is
// computed again by each thread for its columns, also where that was the dominant of its group.

// REMARK: remark: grids of 33 blocks of 256 threads keep 64 columns of 25088 rows in registers: {{[0-9]+}} ns, instead of {{[0-9]+}} ns if they are read again
// REMARK: remark: group 4 goes by the columns of the group that it reads: threads have their elements

// CHECK-LABEL: func.func @main
// CHECK: stitch.launch<grid = 132, block = 256, registers = 255, {{.*}}barriers = 2>
// CHECK: tg.reduce add {{.*}}<column, rows = 25088, columns = 256, block_rows = 16, row_threads = 16, vector = 4, unroll = 48, split = 33>
// CHECK: tg.div {{.*}}<kept, rows = 25088, columns = 256, {{.*}}split = 33>{{.*}}scheme<independent>
// CHECK: tg.reduce add {{.*}}<column, rows = 25088, columns = 256, {{.*}}split = 33>
// CHECK: tg.div {{.*}}<kept, rows = 25088, columns = 256, {{.*}}split = 33>{{.*}}role<dominant>, {{.*}}scheme<independent>
// CHECK: tg.mul {{.*}}<column, rows = 25088, columns = 256, {{.*}}split = 33>{{.*}}scheme<independent>

// KERNEL: gpu.func @fusion_0(%[[X:[a-z0-9]+]]: memref<6422528xf32>
// KERNEL-SAME: stitch.traffic = array<i64: 25757696, 25759744>
// KERNEL-COUNT-48: vector.load %[[X]]
// KERNEL-NOT: vector.load %[[X]]
// KERNEL: stitch.grid_barrier
// KERNEL-NOT: vector.load %[[X]]
// KERNEL: stitch.grid_barrier
// KERNEL-NOT: vector.load %[[X]]
// KERNEL: gpu.return

// A sum that is a result is finished by blocks beside the chunks: with those the grid would be more than is resident.

// CHECK-LABEL: func.func @finished
// CHECK: stitch.launch<grid = 88, block = 512, {{.*}}barriers = 0, cluster = 8>

// Where they are more, rows are read again.

// CHECK-LABEL: func.func @more
// CHECK-NOT: registers = 255
// REMARK-NOT: grids of
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<25088x256xf32>) -> (tensor<25088x256xf32>, tensor<256xf32>, tensor<256xf32>) {
    %n = tg.constant dense<25088.0> : tensor<256xf32>
    %sum = tg.reduce add %x dims [0] : (tensor<25088x256xf32>) -> tensor<256xf32>
    %mean = tg.div %sum, %n : tensor<256xf32>
    %m = tg.broadcast %mean dims [1] : (tensor<256xf32>) -> tensor<25088x256xf32>
    %d = tg.sub %x, %m : tensor<25088x256xf32>
    %s = tg.mul %d, %d : tensor<25088x256xf32>
    %squares = tg.reduce add %s dims [0] : (tensor<25088x256xf32>) -> tensor<256xf32>
    %variance = tg.div %squares, %n : tensor<256xf32>
    %r = tg.rsqrt %variance : tensor<256xf32>
    %b = tg.broadcast %r dims [1] : (tensor<256xf32>) -> tensor<25088x256xf32>
    %y = tg.mul %d, %b : tensor<25088x256xf32>
    return %y, %mean, %variance : tensor<25088x256xf32>, tensor<256xf32>, tensor<256xf32>
  }

  func.func @finished(%x: tensor<25088x256xf32>) -> (tensor<25088x256xf32>, tensor<256xf32>) {
    %sum = tg.reduce add %x dims [0] : (tensor<25088x256xf32>) -> tensor<256xf32>
    %m = tg.broadcast %sum dims [1] : (tensor<256xf32>) -> tensor<25088x256xf32>
    %d = tg.sub %x, %m : tensor<25088x256xf32>
    %most = tg.reduce max %d dims [0] : (tensor<25088x256xf32>) -> tensor<256xf32>
    %b = tg.broadcast %most dims [1] : (tensor<256xf32>) -> tensor<25088x256xf32>
    %y = tg.sub %d, %b : tensor<25088x256xf32>
    return %y, %sum : tensor<25088x256xf32>, tensor<256xf32>
  }

  func.func @more(%x: tensor<32768x256xf32>) -> tensor<32768x256xf32> {
    %sum = tg.reduce add %x dims [0] : (tensor<32768x256xf32>) -> tensor<256xf32>
    %m = tg.broadcast %sum dims [1] : (tensor<256xf32>) -> tensor<32768x256xf32>
    %d = tg.sub %x, %m : tensor<32768x256xf32>
    return %d : tensor<32768x256xf32>
  }
}
