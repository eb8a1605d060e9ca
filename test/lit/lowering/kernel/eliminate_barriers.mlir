// RUN: stitch-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(stitch-eliminate-barriers))' | FileCheck %s

// What is stored on one side of a barrier is loaded on the other one.

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @exchange
  // CHECK: memref.store
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: gpu.return
  gpu.func @exchange(%out: memref<32xf32> {llvm.noalias}, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.barrier
    %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %y, %out[%t] : memref<32xf32>
    gpu.barrier
    gpu.return
  }

  // What is loaded is overwritten behind the barrier of another exchange in other memory: nothing else is needed.
  // CHECK-LABEL: gpu.func @alternating
  // CHECK: memref.store %{{.*}}, %[[A:.*]][
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load %[[A]]
  // CHECK-NEXT: memref.store %{{.*}}, %[[B:.*]][
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load %[[B]]
  // CHECK-NEXT: memref.store %{{.*}}, %[[A]][
  // CHECK-NOT: gpu.barrier
  gpu.func @alternating(%x: f32) kernel {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %b = memref.view %shared[%c128][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %y, %b[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %z = memref.load %b[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %z, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // An asynchronous copy stores until the wait for it: the barrier behind that is needed, the one before is not.
  // CHECK-LABEL: gpu.func @copied
  // CHECK-NOT: gpu.barrier
  // CHECK: nvvm.cp.async.wait.group 0
  // CHECK-NEXT: gpu.barrier
  // CHECK-NOT: gpu.barrier
  gpu.func @copied(%in: memref<128xf32> {llvm.noalias, llvm.readonly}, %out: memref<32xf32> {llvm.noalias}) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128xf32, #gpu.address_space<workgroup>>
    %copy = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<128xf32> to memref<128xf32, #gpu.address_space<workgroup>>
    nvvm.cp.async.commit.group
    gpu.barrier
    nvvm.cp.async.wait.group 0
    gpu.barrier
    %y = memref.load %a[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    memref.store %y, %out[%t] : memref<32xf32>
    gpu.return
  }

  // What is read is not copied to without a barrier.
  // CHECK-LABEL: gpu.func @copied_again
  // CHECK: memref.load
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: nvgpu.device_async_copy
  gpu.func @copied_again(%in: memref<128xf32> {llvm.noalias, llvm.readonly}, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c4 : index
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128xf32, #gpu.address_space<workgroup>>
    %y = memref.load %a[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %copy = nvgpu.device_async_copy %in[%i], %a[%i], 4 : memref<128xf32> to memref<128xf32, #gpu.address_space<workgroup>>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.return
  }

  // Views that overlap, and one that begins nobody knows where.
  // CHECK-LABEL: gpu.func @overlapping
  // CHECK-COUNT-3: gpu.barrier
  // CHECK-NOT: gpu.barrier
  gpu.func @overlapping(%x: f32, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %b = memref.view %shared[%c64][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %c = memref.view %shared[%n][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %x, %b[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %x, %c[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %z = memref.load %c[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // An argument is other memory than the rest if nothing aliases it, and nobody stores the same element twice.
  // CHECK-LABEL: gpu.func @arguments
  // CHECK: memref.store %{{.*}}, %arg0
  // CHECK-NEXT: memref.store %{{.*}}, %arg0
  // CHECK-NEXT: memref.load %arg1
  // CHECK-NEXT: memref.store %{{.*}}, %arg2
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load %arg3
  gpu.func @arguments(%arg0: memref<32xf32> {llvm.noalias}, %arg1: memref<32xf32>, %arg2: memref<32xf32>, %arg3: memref<32xf32>, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %arg0[%t] : memref<32xf32>
    gpu.barrier
    memref.store %x, %arg0[%c0] : memref<32xf32>
    gpu.barrier
    %y = memref.load %arg1[%c0] : memref<32xf32>
    memref.store %x, %arg2[%t] : memref<32xf32>
    gpu.barrier
    %z = memref.load %arg3[%c0] : memref<32xf32>
    gpu.return
  }
}

// -----

// The next iteration overwrites what slower threads still read; but not if there is none.

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @loops
  // CHECK: scf.for
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.return
  gpu.func @loops(%x: f32) kernel {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    scf.for %i = %block to %c9 step %c8 {
      memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
    }
    gpu.barrier
    scf.for %i = %block to %c7 step %c8 {
      memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
    }
    gpu.return
  }

  // Iterations that store to two parts in turn: the barrier between store and load separates an iteration from the one after the next.
  // What comes behind the loop finds the last one to have used either part.
  // CHECK-LABEL: gpu.func @turns
  // CHECK: scf.for
  // CHECK: memref.store
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NOT: gpu.barrier
  // CHECK: } {stitch.alternates}
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.view
  // CHECK-NEXT: memref.store
  gpu.func @turns(%n: index, %x: f32, %half: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.view %shared[%half][] {stitch.halves = array<i64: 0, 128>} : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
    } {stitch.alternates}
    gpu.barrier
    %b = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Without the attribute on the loop the part is any.
  // CHECK-LABEL: gpu.func @no_turns
  // CHECK-COUNT-2: gpu.barrier
  // CHECK-NOT: gpu.barrier
  gpu.func @no_turns(%n: index, %x: f32, %half: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.view %shared[%half][] {stitch.halves = array<i64: 0, 128>} : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
    }
    gpu.return
  }

  // A barrier in a branch does nothing for the threads of a block that does not take it.
  // CHECK-LABEL: gpu.func @branches
  // CHECK: memref.store
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: } else {
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  gpu.func @branches(%x: f32, %condition: i1) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    scf.if %condition {
      gpu.barrier
      %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    } else {
      gpu.barrier
    }
    gpu.barrier
    %z = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // Of the branches of a choice one runs: what one of them has read the others may overwrite. What comes behind may not.
  // CHECK-LABEL: gpu.func @choice
  // CHECK: scf.if
  // CHECK: gpu.barrier
  // CHECK-NOT: gpu.barrier
  // CHECK: } else {
  // CHECK: gpu.barrier
  // CHECK-NOT: gpu.barrier
  // CHECK: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  // CHECK-NOT: gpu.barrier
  gpu.func @choice(%out: memref<32xf32> {llvm.noalias}, %x: f32, %c: i1) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    scf.if %c {
      memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %y, %out[%t] : memref<32xf32>
      gpu.barrier
    } else {
      memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %z = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %z, %out[%t] : memref<32xf32>
      gpu.barrier
    }
    gpu.barrier
    memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // In a loop one iteration may take one branch and the next the other.
  // CHECK-LABEL: gpu.func @choices
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK-COUNT-2: gpu.barrier
  // CHECK: } else {
  // CHECK-COUNT-2: gpu.barrier
  // CHECK: gpu.return
  gpu.func @choices(%out: memref<32xf32> {llvm.noalias}, %x: f32, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %n step %c1 {
      %c = arith.cmpi eq, %i, %c1 : index
      scf.if %c {
        memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %y, %out[%t] : memref<32xf32>
      gpu.barrier
      } else {
        memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %z = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %z, %out[%t] : memref<32xf32>
      gpu.barrier
      }
    }
    gpu.return
  }

  // Whatever else has to do with memory may do anything to it.
  // CHECK-LABEL: gpu.func @unknown
  // CHECK-COUNT-2: gpu.barrier
  gpu.func @unknown(%arg0: memref<32xf32>, %arg1: memref<32xf32>) kernel {
    gpu.barrier
    memref.copy %arg0, %arg1 : memref<32xf32> to memref<32xf32>
    gpu.barrier
    gpu.return
  }
}

// -----

// A barrier of a cluster is for what another block has, which is there until the last one. Another one is as good as
// a block barrier, or as none.

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @cluster
  // CHECK: memref.store
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: stitch.cluster_barrier
  // CHECK-NEXT: memref.load %{{.*}} : memref<32xf32, 7>
  // CHECK-NEXT: stitch.cluster_barrier
  // CHECK-NEXT: gpu.return
  gpu.func @cluster(%x: f32) kernel attributes {known_cluster_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %foreign = stitch.cluster_memory %shared, %c1 : memref<?xi8, #gpu.address_space<workgroup>> -> memref<?xi8, 7>
    %a = memref.view %shared[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %b = memref.view %shared[%c128][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %other = memref.view %foreign[%c128][] : memref<?xi8, 7> to memref<32xf32, 7>
    stitch.cluster_barrier
    memref.store %x, %a[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    stitch.cluster_barrier
    %y = memref.load %a[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %y, %b[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    stitch.cluster_barrier
    %z = memref.load %other[%c0] : memref<32xf32, 7>
    stitch.cluster_barrier
    gpu.return
  }
}

// -----

// Buffers that alternate may be one another: what is stored to one may be loaded from the other. A barrier that separates loads alone goes.

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @alternating_buffers
  // CHECK: memref.store
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: gpu.return
  gpu.func @alternating_buffers(%initial: memref<32xf32> {llvm.readonly}, %a: memref<32xf32>, %b: memref<32xf32>, %first: i1, %odd: i1, %x: f32) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %last = arith.select %odd, %a, %b : memref<32xf32>
    %current = arith.select %first, %initial, %last : memref<32xf32>
    %next = arith.select %odd, %b, %a : memref<32xf32>
    memref.store %x, %next[%t] : memref<32xf32>
    gpu.barrier
    %y = memref.load %current[%c0] : memref<32xf32>
    gpu.barrier
    %z = memref.load %current[%t] : memref<32xf32>
    %s = arith.addf %y, %z : f32
    gpu.barrier
    memref.store %s, %next[%c0] : memref<32xf32>
    gpu.return
  }
}

// -----

// Bytes that a thread has for itself: no barrier between its own accesses, but one before another block of the cluster reads them.

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @own
  // CHECK: memref.store
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: stitch.cluster_barrier
  // CHECK-NEXT: memref.load %{{.*}} : memref<32xf32, 7>
  // CHECK-NEXT: stitch.cluster_barrier
  // CHECK-NEXT: gpu.return
  gpu.func @own(%x: f32) kernel attributes {known_cluster_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %foreign = stitch.cluster_memory %shared, %c1 : memref<?xi8, #gpu.address_space<workgroup>> -> memref<?xi8, 7>
    %mine = memref.view %shared[%c0][] {stitch.own} : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %other = memref.view %foreign[%c0][] : memref<?xi8, 7> to memref<32xf32, 7>
    memref.store %x, %mine[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = memref.load %mine[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %y, %mine[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    stitch.cluster_barrier
    %z = memref.load %other[%c0] : memref<32xf32, 7>
    stitch.cluster_barrier
    gpu.return
  }
}
