// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu.module(stitch-lower-grid-barrier))' | FileCheck %s

// One function for all barriers: block barrier, fence, add, wait, fence, block barrier.

// CHECK-LABEL: gpu.module @with
// CHECK: llvm.func internal @stitch_grid_barrier(%[[COUNTER:.*]]: !llvm.ptr)
// CHECK-SAME: "alwaysinline", "convergent"
// CHECK: nvvm.barrier0
// CHECK: llvm.cond_br %{{.*}}, ^[[ARRIVE:.*]], ^[[LEAVE:.*]]
// CHECK: ^[[ARRIVE]]:
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("device") monotonic
// CHECK: llvm.load %{{.*}} atomic syncscope("device")
// CHECK: nvvm.nanosleep
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK: ^[[LEAVE]]:
// CHECK: nvvm.barrier0
// CHECK: llvm.return
// CHECK-NOT: llvm.func

// What is exchanged across a grid barrier loses noalias; what is only read keeps it.
// CHECK-LABEL: gpu.func @twice(
// CHECK-SAME: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: memref<64xf32> {llvm.align = 16 : i64}
// CHECK-SAME: %[[WORD:.*]]: memref<1xi32>
// CHECK: %[[DESCRIPTOR:.*]] = builtin.unrealized_conversion_cast %[[WORD]] : memref<1xi32>
// CHECK: %[[POINTER:.*]] = llvm.extractvalue %[[DESCRIPTOR]][1]
// CHECK: llvm.call @stitch_grid_barrier(%[[POINTER]]) : (!llvm.ptr) -> ()
// CHECK: llvm.call @stitch_grid_barrier
// CHECK-NOT: stitch.grid_barrier

// CHECK-LABEL: gpu.module @without
// CHECK-NOT: llvm.func
// CHECK: gpu.func @none(
// CHECK-SAME: {llvm.align = 16 : i64, llvm.noalias}

// A grid that is one block, or one cluster, has their barriers.
// CHECK-LABEL: gpu.module @few
// CHECK-NOT: llvm.func
// CHECK: gpu.func @block(
// CHECK-SAME: memref<64xf32> {llvm.align = 16 : i64}
// CHECK: gpu.barrier
// CHECK: gpu.func @cluster(
// CHECK: stitch.cluster_barrier
// CHECK-NOT: stitch.grid_barrier

module attributes {gpu.container_module} {
  gpu.module @with {
    gpu.func @twice(%in: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly},
                    %scratch: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias},
                    %counter: memref<1xi32>) kernel {
      %tid = gpu.thread_id x
      %x = memref.load %in[%tid] : memref<64xf32>
      memref.store %x, %scratch[%tid] : memref<64xf32>
      stitch.grid_barrier %counter : memref<1xi32>
      %y = memref.load %scratch[%tid] : memref<64xf32>
      stitch.grid_barrier %counter : memref<1xi32>
      memref.store %y, %scratch[%tid] : memref<64xf32>
      gpu.return
    }
  }
  gpu.module @without {
    gpu.func @none(%out: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel {
      gpu.barrier
      gpu.return
    }
  }
  gpu.module @few {
    gpu.func @block(%out: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias}, %counter: memref<1xi32>) kernel {
      stitch.grid_barrier %counter {blocks = 1 : i64} : memref<1xi32>
      gpu.return
    }
    gpu.func @cluster(%counter: memref<1xi32>) kernel attributes {known_cluster_size = array<i32: 8, 1, 1>} {
      stitch.grid_barrier %counter {blocks = 8 : i64} : memref<1xi32>
      gpu.return
    }
  }
}
