// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu.module(stitch-lower-cluster))' | FileCheck %s
// RUN: stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_90})' | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefix=PTX
// RUN: not stitch-opt %s -pass-pipeline='builtin.module(gpu-to-ptx{arch=sm_90,sm_89})' 2>&1 | FileCheck %s --check-prefix=OLDER
// RUN: stitch-opt %s -gpu-to-simt | FileCheck %s --check-prefix=SIMT

// OLDER: lower_cluster.mlir:[[@LINE+15]]:{{[0-9]+}}: error: 'gpu.func' op runs in clusters of 4 blocks, which sm_89 does not have: plan it for a device with cluster_blocks = 1

// CHECK-LABEL: gpu.func @sum_of_neighbours
// CHECK: %[[SHARED:.*]] = gpu.dynamic_shared_memory
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: %[[OWN:.*]] = llvm.extractvalue %{{.*}}[1] : !llvm.struct<(ptr<3>, ptr<3>, i32, array<1 x i32>, array<1 x i32>)>
// CHECK: %[[BLOCK:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.mapa.shared.cluster"(%[[OWN]], %[[BLOCK]]) : (!llvm.ptr<3>, i32) -> !llvm.ptr<7>
// CHECK: memref.load %{{.*}} : memref<32xf32, 7>
// CHECK: nvvm.cluster.arrive
// CHECK-NOT: stitch.
// CHECK: gpu.return
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sum_of_neighbours(%in: memref<256xf32> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %out: memref<256xf32> {llvm.align = 16 : i64, llvm.noalias}) kernel
        attributes {gpu.known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>,
                    stitch.launch = #stitch.launch<grid = 8, block = 32, registers = 32, shared = 128, scratch = 0, barriers = 0, cluster = 4>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %tid = gpu.thread_id x
      %cluster = gpu.cluster_id x
      %rank = gpu.cluster_block_id x
      %first = arith.muli %cluster, %c4 : index
      %block = arith.addi %first, %rank : index
      %base = arith.muli %block, %c32 : index
      %i = arith.addi %base, %tid : index
      %dynamic = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %shared = memref.view %dynamic[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
      %x = memref.load %in[%i] : memref<256xf32>
      memref.store %x, %shared[%tid] : memref<32xf32, #gpu.address_space<workgroup>>
      stitch.cluster_barrier
      %next = arith.addi %rank, %c1 : index
      %right = arith.remui %next, %c4 : index
      %memory = stitch.cluster_memory %dynamic, %right : memref<?xi8, #gpu.address_space<workgroup>> -> memref<?xi8, 7>
      %other = memref.view %memory[%c0][] : memref<?xi8, 7> to memref<32xf32, 7>
      %y = memref.load %other[%tid] : memref<32xf32, 7>
      %sum = arith.addf %x, %y : f32
      memref.store %sum, %out[%i] : memref<256xf32>
      stitch.cluster_barrier
      gpu.return
    }
  }
}

// PTX-LABEL: .visible .entry sum_of_neighbours(
// PTX: .reqntid 32, 1, 1
// PTX: .explicitcluster
// PTX: .reqnctapercluster 4, 1, 1
// PTX: %clusterid.x
// PTX: %cluster_ctaid.x
// PTX: st.shared.b32
// PTX: barrier.cluster.arrive.aligned;
// PTX-NEXT: barrier.cluster.wait.aligned;
// PTX: mapa.shared::cluster
// PTX: ld.shared::cluster.b32
// PTX: barrier.cluster.arrive.aligned;
// PTX-NEXT: barrier.cluster.wait.aligned;

// The simt kernel says how large its clusters are when it is asked for the size of its frame; a cluster barrier is stop 5.
// SIMT-LABEL: llvm.func @sum_of_neighbours_simt
// SIMT-SAME: %[[THREAD:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// SIMT: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64) : i64
// SIMT: %[[FIELD:.*]] = llvm.getelementptr %[[THREAD]][120]
// SIMT: llvm.store %[[FOUR]], %[[FIELD]] : i64
