// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_90})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s

// A loop moves its counter along, not a pointer into each of its arrays, which would take two registers for each.

// CHECK-LABEL: .visible .entry tasks(
// CHECK: [[LOOP:\$L__BB0_[0-9]+]]:
// CHECK-NOT: add.s64 {{.*}}, 4096;
// CHECK: ld.global.nc.b32
// CHECK: ld.global.nc.b32
// CHECK: ld.global.nc.b32
// CHECK: st.global.b32
// CHECK-NOT: add.s64 {{.*}}, 4096;
// CHECK: [[LOOP]];
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @tasks(%a: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                    %b: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                    %c: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                    %out: memref<16384xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
      %block = gpu.block_id x
      %grid = arith.constant 1024 : index
      %tasks = arith.constant 16384 : index
      scf.for %task = %block to %tasks step %grid {
        %x = memref.load %a[%task] : memref<16384xf32>
        %y = memref.load %b[%task] : memref<16384xf32>
        %z = memref.load %c[%task] : memref<16384xf32>
        %xy = arith.addf %x, %y : f32
        %sum = arith.addf %xy, %z : f32
        memref.store %sum, %out[%task] : memref<16384xf32>
      } {stitch.rolled}
      gpu.return
    }
  }
}
