// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_90})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s

// A loop with stitch.rolled stays one, for LLVM and (by the pragma) for ptxas; another one of few rounds is unrolled.

// CHECK-LABEL: .visible .entry rolled(
// CHECK: .pragma \22nounroll\22;
// CHECK: ld.shared.b32
// CHECK-NOT: ld.shared.b32
// CHECK: bra
// CHECK: st.global.b32
// CHECK-LABEL: .visible .entry unrolled(
// CHECK-NOT: bra
// CHECK: ld.shared.v4.b32
// CHECK: st.global.b32
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @rolled(%out: memref<32xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
      %tid = gpu.thread_id x
      %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      %view = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> f32 {
        %v = memref.load %view[%k] : memref<4xf32, #gpu.address_space<workgroup>>
        %n = arith.addf %acc, %v : f32
        scf.yield %n : f32
      } {stitch.rolled}
      memref.store %sum, %out[%tid] : memref<32xf32>
      gpu.return
    }
    gpu.func @unrolled(%out: memref<32xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
      %tid = gpu.thread_id x
      %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      %view = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> f32 {
        %v = memref.load %view[%k] : memref<4xf32, #gpu.address_space<workgroup>>
        %n = arith.addf %acc, %v : f32
        scf.yield %n : f32
      }
      memref.store %sum, %out[%tid] : memref<32xf32>
      gpu.return
    }
  }
}
