// RUN: stitch-opt %s --convert-host-to-llvm | FileCheck %s

// CHECK: module attributes {gpu.container_module}
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @unused(%out: memref<4xf32>) kernel {
      gpu.return
    }
    gpu.func @fusion_0(%in: memref<8xf32>, %out: memref<8xf32>, %counter: memref<1xi32>) kernel
        attributes {stitch.launch = #stitch.launch<grid = 2, block = 32, registers = 32, shared = 64, scratch = 0, barriers = 1>} {
      gpu.return
    }
  }
  // Constants and kernels stay.
  // CHECK: memref.global "private" constant @constant_0
  memref.global "private" constant @constant_0 : memref<2x4xf32> = dense<1.0>
  // CHECK-NOT: func.func
  func.func private @dot_0(memref<2x4xf32>, memref<4x4xf32>, memref<2x4xf32>)
      attributes {stitch.library = {kind = "dot", lhs_contract = array<i64: 1>}}

  // CHECK: llvm.func @stitchLaunchKernel(!llvm.ptr, i64, i64, i64, i64, i64, !llvm.ptr, i64) -> i32
  // CHECK: llvm.func @stitchLibraryCall(!llvm.ptr, i64, !llvm.ptr) -> i32
  // CHECK: llvm.func @stitchAt(!llvm.ptr, i64)
  // CHECK: llvm.func @stitch_host_main(%[[CALLBACKS:.*]]: !llvm.ptr, %[[INPUTS:.*]]: !llvm.ptr, %[[OUTPUTS:.*]]: !llvm.ptr, %[[ARENA:.*]]: !llvm.ptr, %[[CONSTANTS:.*]]: !llvm.ptr) -> i32
  // CHECK-SAME: stitch.arena = 512 : i64
  // CHECK-SAME: stitch.constants = [@constant_0]
  // CHECK-SAME: stitch.kernels = ["unused", "fusion_0"]
  // CHECK-SAME: stitch.library_calls = [{kind = "dot", lhs_contract = array<i64: 1>, types = [memref<2x4xf32>, memref<4x4xf32>, memref<2x4xf32>]}]
  // CHECK-SAME: stitch.library_names = ["dot_0"]
  // CHECK-SAME: stitch.sites = ["host_to_llvm.mlir:{{[0-9]+}}:{{[0-9]+}}",
  // CHECK-SAME: stitch.zeroed = 4 : i64
  func.func @main(%in0: memref<2x4xf32>, %in1: memref<4x4xf32>, %out0: memref<2x4xf32>, %arena: memref<512xi8>)
      attributes {stitch.inputs = 2 : i64, stitch.outputs = 1 : i64, stitch.zeroed = 4 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %c272 = arith.constant 272 : index
    %shared = arith.constant 64 : i32
    // The argument list, then every address, before the first call.
    // CHECK: %[[ARGUMENTS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
    // CHECK: %[[IN0:.*]] = llvm.load %[[INPUTS]] : !llvm.ptr -> !llvm.ptr
    // CHECK: %[[IN1SLOT:.*]] = llvm.getelementptr %[[INPUTS]][1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    // CHECK: %[[IN1:.*]] = llvm.load %[[IN1SLOT]] : !llvm.ptr -> !llvm.ptr
    // CHECK: %[[OUT0:.*]] = llvm.load %[[OUTPUTS]] : !llvm.ptr -> !llvm.ptr
    // CHECK: %[[VALUE:.*]] = llvm.getelementptr %[[ARENA]][256] : (!llvm.ptr) -> !llvm.ptr, i8
    // CHECK: %[[CONSTANT:.*]] = llvm.load %[[CONSTANTS]] : !llvm.ptr -> !llvm.ptr
    // CHECK: %[[PART:.*]] = llvm.getelementptr %[[ARENA]][272] : (!llvm.ptr) -> !llvm.ptr, i8
    // CHECK: llvm.br ^bb1
    %counter = memref.view %arena[%c0][] : memref<512xi8> to memref<1xi32>
    %value = memref.view %arena[%c256][] : memref<512xi8> to memref<2x4xf32>
    // CHECK: llvm.store %[[IN0]], %[[ARGUMENTS]]
    // CHECK: llvm.store %[[IN1]]
    // CHECK: llvm.store %[[VALUE]]
    // Where the call stands: the first of the places.
    // CHECK: %[[SITE:.*]] = llvm.mlir.constant(0 : i64)
    // CHECK: llvm.call @stitchAt(%[[CALLBACKS]], %[[SITE]]) : (!llvm.ptr, i64) -> ()
    // CHECK: %[[CALL:.*]] = llvm.mlir.constant(0 : i64)
    // CHECK: %[[CODE:.*]] = llvm.call @stitchLibraryCall(%[[CALLBACKS]], %[[CALL]], %[[ARGUMENTS]])
    // CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[CODE]]
    // CHECK: llvm.cond_br %[[FAILED]], ^[[FAILURE:bb[0-9]+]](%[[CODE]] : i32), ^bb2
    func.call @dot_0(%in0, %in1, %value) : (memref<2x4xf32>, memref<4x4xf32>, memref<2x4xf32>) -> ()
    %constant = memref.get_global @constant_0 : memref<2x4xf32>
    %flat = memref.reinterpret_cast %constant to offset: [0], sizes: [8], strides: [1] : memref<2x4xf32> to memref<8xf32>
    %out = memref.reinterpret_cast %out0 to offset: [0], sizes: [8], strides: [1] : memref<2x4xf32> to memref<8xf32>
    // Kernel 1, grid 2, block 32, 64 bytes, cooperative.
    // CHECK: llvm.store %[[CONSTANT]], %[[ARGUMENTS]]
    // CHECK: llvm.store %[[OUT0]]
    // CHECK: llvm.store %[[ARENA]]
    // CHECK: llvm.call @stitchAt(%[[CALLBACKS]], %{{.*}})
    // CHECK: %[[KERNEL:.*]] = llvm.mlir.constant(1 : i64)
    // CHECK: %[[GRID:.*]] = llvm.mlir.constant(2 : i64)
    // CHECK: %[[BLOCK:.*]] = llvm.mlir.constant(32 : i64)
    // CHECK: %[[SHARED:.*]] = llvm.mlir.constant(64 : i64)
    // CHECK: %[[COOPERATIVE:.*]] = llvm.mlir.constant(1 : i64)
    // CHECK: %[[COUNT:.*]] = llvm.mlir.constant(3 : i64)
    // CHECK: llvm.call @stitchLaunchKernel(%[[CALLBACKS]], %[[KERNEL]], %[[GRID]], %[[BLOCK]], %[[SHARED]], %[[COOPERATIVE]], %[[ARGUMENTS]], %[[COUNT]])
    gpu.launch_func @kernels::@fusion_0 blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1)
        dynamic_shared_memory_size %shared args(%flat : memref<8xf32>, %out : memref<8xf32>, %counter : memref<1xi32>)
    // CHECK: llvm.store %[[PART]], %[[ARGUMENTS]]
    // CHECK: llvm.mlir.constant(0 : i64)
    // CHECK: llvm.call @stitchLaunchKernel
    %part = memref.view %arena[%c272][] : memref<512xi8> to memref<4xf32>
    gpu.launch_func @kernels::@unused blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1) args(%part : memref<4xf32>)
    // CHECK: ^bb4:
    // CHECK-NEXT: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
    // CHECK: llvm.return %[[ZERO]]
    // CHECK: ^[[FAILURE]](%[[STATUS:.*]]: i32):
    // CHECK: llvm.return %[[STATUS]]
    return
  }
}
