// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_90})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s

// A row of weights is the same in each task. It stays in registers from task to task where there are registers for it,
// and is read in each task where there are not.

// CHECK-LABEL: .visible .entry fits(
// CHECK: .maxnreg 64
// CHECK-COUNT-4: ld.global.nc.v4.b32
// CHECK: $L__BB{{.*}}:
// CHECK-COUNT-4: ld.global.nc.v4.b32
// CHECK-NOT: ld.global

// CHECK-LABEL: .visible .entry does_not_fit(
// CHECK: .maxnreg 24
// CHECK-NOT: ld.global
// CHECK: $L__BB{{.*}}:
// CHECK-COUNT-8: ld.global.nc.v4.b32
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fits(%weights: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                   %in: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                   %out: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 0>} {
      %thread = gpu.thread_id x
      %block = gpu.block_id x
      %one = arith.constant 1.0 : f32
      %isFirst = arith.cmpi eq, %thread, %block : index
      %four = arith.constant 4 : index
      %step = arith.constant 4096 : index
      %end = arith.constant 16384 : index
      %start = arith.muli %block, %step : index
      %sixteen = arith.constant 16 : index
      %first = arith.muli %thread, %sixteen : index
      scf.for %task = %start to %end step %step {
        scf.if %isFirst { // what follows is not in the loop's first block: there GVN hoists, too
          memref.store %one, %out[%task] : memref<16384xf32>
        }
        %place0 = arith.addi %task, %first : index
        %w0 = vector.load %weights[%first] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
        %x0 = vector.load %in[%place0] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %y0 = arith.mulf %w0, %x0 : vector<4xf32>
        vector.store %y0, %out[%place0] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %column1 = arith.addi %first, %four : index
        %place1 = arith.addi %task, %column1 : index
        %w1 = vector.load %weights[%column1] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
        %x1 = vector.load %in[%place1] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %y1 = arith.mulf %w1, %x1 : vector<4xf32>
        vector.store %y1, %out[%place1] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %column2 = arith.addi %column1, %four : index
        %place2 = arith.addi %task, %column2 : index
        %w2 = vector.load %weights[%column2] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
        %x2 = vector.load %in[%place2] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %y2 = arith.mulf %w2, %x2 : vector<4xf32>
        vector.store %y2, %out[%place2] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %column3 = arith.addi %column2, %four : index
        %place3 = arith.addi %task, %column3 : index
        %w3 = vector.load %weights[%column3] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
        %x3 = vector.load %in[%place3] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %y3 = arith.mulf %w3, %x3 : vector<4xf32>
        vector.store %y3, %out[%place3] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
      } {stitch.rolled}
      gpu.return
    }

    gpu.func @does_not_fit(%weights: memref<4096xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                           %in: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                           %out: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 24, shared = 0, scratch = 0, barriers = 0>} {
      %thread = gpu.thread_id x
      %block = gpu.block_id x
      %one = arith.constant 1.0 : f32
      %isFirst = arith.cmpi eq, %thread, %block : index
      %four = arith.constant 4 : index
      %step = arith.constant 4096 : index
      %end = arith.constant 16384 : index
      %start = arith.muli %block, %step : index
      %sixteen = arith.constant 16 : index
      %first = arith.muli %thread, %sixteen : index
      scf.for %task = %start to %end step %step {
        scf.if %isFirst { // what follows is not in the loop's first block: there GVN hoists, too
          memref.store %one, %out[%task] : memref<16384xf32>
        }
        %place0 = arith.addi %task, %first : index
        %w0 = vector.load %weights[%first] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
        %x0 = vector.load %in[%place0] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %y0 = arith.mulf %w0, %x0 : vector<4xf32>
        vector.store %y0, %out[%place0] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %column1 = arith.addi %first, %four : index
        %place1 = arith.addi %task, %column1 : index
        %w1 = vector.load %weights[%column1] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
        %x1 = vector.load %in[%place1] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %y1 = arith.mulf %w1, %x1 : vector<4xf32>
        vector.store %y1, %out[%place1] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %column2 = arith.addi %column1, %four : index
        %place2 = arith.addi %task, %column2 : index
        %w2 = vector.load %weights[%column2] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
        %x2 = vector.load %in[%place2] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %y2 = arith.mulf %w2, %x2 : vector<4xf32>
        vector.store %y2, %out[%place2] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %column3 = arith.addi %column2, %four : index
        %place3 = arith.addi %task, %column3 : index
        %w3 = vector.load %weights[%column3] {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
        %x3 = vector.load %in[%place3] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
        %y3 = arith.mulf %w3, %x3 : vector<4xf32>
        vector.store %y3, %out[%place3] {alignment = 16 : i64} : memref<16384xf32>, vector<4xf32>
      } {stitch.rolled}
      gpu.return
    }

    // Of many times as many loads as registers ptxas may move all to the start. They stay between the stores.

    // CHECK-LABEL: .visible .entry copies(
    // CHECK-NOT: ld.global.nc
    // CHECK: ld.global.v4.b32
    // CHECK: st.global.v4.b32
    // CHECK-NOT: ld.global.nc
    // CHECK: ret;
    gpu.func @copies(%in: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                     %out: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {stitch.launch = #stitch.launch<grid = 1, block = 256, registers = 24, shared = 0, scratch = 0, barriers = 0>} {
      %thread = gpu.thread_id x
      %sixteen = arith.constant 16 : index
      %step = arith.constant 4096 : index
      %i0 = arith.muli %thread, %sixteen : index
      %x0 = vector.load %in[%i0] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      vector.store %x0, %out[%i0] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      %i1 = arith.addi %i0, %step : index
      %x1 = vector.load %in[%i1] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      vector.store %x1, %out[%i1] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      %i2 = arith.addi %i1, %step : index
      %x2 = vector.load %in[%i2] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      vector.store %x2, %out[%i2] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      %i3 = arith.addi %i2, %step : index
      %x3 = vector.load %in[%i3] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      vector.store %x3, %out[%i3] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      %i4 = arith.addi %i3, %step : index
      %x4 = vector.load %in[%i4] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      vector.store %x4, %out[%i4] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      %i5 = arith.addi %i4, %step : index
      %x5 = vector.load %in[%i5] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      vector.store %x5, %out[%i5] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      %i6 = arith.addi %i5, %step : index
      %x6 = vector.load %in[%i6] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      vector.store %x6, %out[%i6] {alignment = 16 : i64} : memref<16384xf32>, vector<16xf32>
      gpu.return
    }
  }
}
