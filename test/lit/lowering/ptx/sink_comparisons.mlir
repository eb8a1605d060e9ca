// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_80})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s

// Numbers of elements are compared with a label: the difference of label and base is the same for all elements. What uses the
// comparison near it has no other one.
// CHECK-LABEL: .visible .entry near(
// CHECK: sub.s32 %[[D:r[0-9]+]],
// CHECK-NOT: sub.s32
// CHECK: setp.eq.b32 %{{.*}}, %[[D]], 1;
// CHECK-NEXT: setp.eq.b32 %{{.*}}, %[[D]], 2;
// CHECK-NOT: setp
// CHECK: ret;

// In another block both are made again, from a copy of the difference.
// CHECK-LABEL: .visible .entry far(
// CHECK: sub.s32 %[[D:r[0-9]+]],
// CHECK: setp.eq.b32 %{{.*}}, %[[D]], 1;
// CHECK-NEXT: setp.eq.b32 %{{.*}}, %[[D]], 2;
// CHECK: bar.sync
// CHECK: mov.b32 %[[COPY:r[0-9]+]], %[[D]];
// CHECK: setp.eq.b32 %{{.*}}, %[[COPY]], 1;
// CHECK: setp.eq.b32 %{{.*}}, %[[COPY]], 2;
// CHECK: ret;

// The counter of a loop is compared with its end as it is.
// CHECK-LABEL: .visible .entry loop(
// CHECK: add.s32 %[[NEXT:r[0-9]+]], %{{r[0-9]+}}, 1;
// CHECK-NEXT: setp.{{eq|ne}}.b32 %{{.*}}, %[[NEXT]], %{{r[0-9]+}};
// CHECK: ret;
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @near(%labels: memref<64xi32> {llvm.align = 16 : i64}, %x: memref<4096xf32> {llvm.align = 16 : i64},
                %y: memref<4096xf32> {llvm.align = 16 : i64}) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %label = memref.load %labels[%block] : memref<64xi32>
    %four = arith.constant 4 : index
    %base = arith.muli %thread, %four : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %i1 = arith.addi %base, %c1 : index
    %i2 = arith.addi %base, %c2 : index
    %n1 = arith.index_castui %i1 : index to i32
    %n2 = arith.index_castui %i2 : index to i32
    %is1 = arith.cmpi eq, %n1, %label : i32
    %is2 = arith.cmpi eq, %n2, %label : i32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %x1 = memref.load %x[%i1] : memref<4096xf32>
    %x2 = memref.load %x[%i2] : memref<4096xf32>
    %s1 = arith.select %is1, %x1, %zero : f32
    %s2 = arith.select %is2, %x2, %zero : f32
    memref.store %s1, %y[%i1] : memref<4096xf32>
    memref.store %s2, %y[%i2] : memref<4096xf32>
    gpu.barrier
    %t1 = arith.select %is1, %one, %zero : f32
    %t2 = arith.select %is2, %one, %zero : f32
    %u1 = memref.load %x[%i1] : memref<4096xf32>
    %u2 = memref.load %x[%i2] : memref<4096xf32>
    %v1 = arith.subf %u1, %t1 : f32
    %v2 = arith.subf %u2, %t2 : f32
    memref.store %v1, %y[%i1] : memref<4096xf32>
    memref.store %v2, %y[%i2] : memref<4096xf32>
    gpu.return
  }
  gpu.func @far(%labels: memref<64xi32> {llvm.align = 16 : i64}, %x: memref<4096xf32> {llvm.align = 16 : i64},
                %y: memref<4096xf32> {llvm.align = 16 : i64}) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %label = memref.load %labels[%block] : memref<64xi32>
    %four = arith.constant 4 : index
    %base = arith.muli %thread, %four : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %i1 = arith.addi %base, %c1 : index
    %i2 = arith.addi %base, %c2 : index
    %n1 = arith.index_castui %i1 : index to i32
    %n2 = arith.index_castui %i2 : index to i32
    %is1 = arith.cmpi eq, %n1, %label : i32
    %is2 = arith.cmpi eq, %n2, %label : i32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %x1 = memref.load %x[%i1] : memref<4096xf32>
    %x2 = memref.load %x[%i2] : memref<4096xf32>
    %s1 = arith.select %is1, %x1, %zero : f32
    %s2 = arith.select %is2, %x2, %zero : f32
    memref.store %s1, %y[%i1] : memref<4096xf32>
    memref.store %s2, %y[%i2] : memref<4096xf32>
    gpu.barrier
    %isFirst = arith.cmpi ult, %thread, %four : index
    scf.if %isFirst {
    %t1 = arith.select %is1, %one, %zero : f32
    %t2 = arith.select %is2, %one, %zero : f32
    %u1 = memref.load %x[%i1] : memref<4096xf32>
    %u2 = memref.load %x[%i2] : memref<4096xf32>
    %v1 = arith.subf %u1, %t1 : f32
    %v2 = arith.subf %u2, %t2 : f32
    memref.store %v1, %y[%i1] : memref<4096xf32>
    memref.store %v2, %y[%i2] : memref<4096xf32>
    }
    gpu.return
  }
  gpu.func @loop(%ends: memref<64xi32> {llvm.align = 16 : i64}, %x: memref<4096xf32> {llvm.align = 16 : i64},
                 %y: memref<64xf32> {llvm.align = 16 : i64}) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
    %block = gpu.block_id x
    %end = memref.load %ends[%block] : memref<64xi32>
    %last = arith.index_castui %end : i32 to index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %last step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%i] : memref<4096xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    } {stitch.rolled}
    memref.store %sum, %y[%block] : memref<64xf32>
    gpu.return
  }
}
}
