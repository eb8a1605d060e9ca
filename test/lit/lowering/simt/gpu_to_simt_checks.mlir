// RUN: stitch-opt %s -gpu-to-simt=checks=true -split-input-file -verify-diagnostics | FileCheck %s

// Before each access the runtime is asked: buffer, beginning and size of the memref, offset, bytes, alignment, store.

// CHECK-LABEL: llvm.func @kernel_simt(
// CHECK-SAME: %[[THREAD:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) -> !llvm.ptr
// CHECK: %[[BUFFERS:.*]] = llvm.mlir.addressof @kernel_simt_buffers
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[THREAD]][80]
// CHECK: llvm.store %[[BUFFERS]], %[[FIELD]]
// CHECK: ^[[FAILED:bb[0-9]+]]:  // 2 preds
// CHECK-NEXT: %[[STOP:.*]] = llvm.getelementptr %[[THREAD]][48]
// CHECK-NEXT: llvm.store %{{.*}}, %[[STOP]] : i32, !llvm.ptr
// CHECK: %[[MEMBER:.*]] = llvm.getelementptr %[[THREAD]][88]
// CHECK-NEXT: %[[ACCESS:.*]] = llvm.load %[[MEMBER]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[GO:.*]] = llvm.call %[[ACCESS]](%[[THREAD]], {{.*}} : !llvm.ptr, (!llvm.ptr, i32, i64, i64, i64, i64, i64, i32) -> i32
// CHECK: llvm.cond_br %{{.*}}, ^[[LOAD:bb[0-9]+]], ^[[FAILED]]
// CHECK: ^[[LOAD]]:
// CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.call %{{.*}}(%[[THREAD]],
// CHECK: llvm.cond_br %{{.*}}, ^[[STORE:bb[0-9]+]], ^[[FAILED]]
// CHECK: ^[[STORE]]:
// CHECK: llvm.store %{{.*}} : i8, !llvm.ptr
// CHECK: llvm.mlir.global private constant @kernel_simt_buffers(dense<[256, 4, 0, 0, 0, 64, 1, 1, 0, 0, 32, 1, 2, 0, 0, 4, 4, 2, 0, 0]> : tensor<20xi64>)

gpu.module @kernels {
  gpu.func @kernel(%in: memref<64xf32> {llvm.readonly}, %out: memref<64xi8> {llvm.noalias}, %scratch: memref<32xi8>, %counter: memref<1xi32>) kernel
      attributes {stitch.launch = #stitch.launch<grid = 1, block = 32, registers = 64, shared = 64, scratch = 32, barriers = 1>} {
    %tid = gpu.thread_id x
    %v = vector.load %in[%tid] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
    %x = vector.extract %v[0] : f32 from vector<4xf32>
    %n = arith.fptosi %x : f32 to i8
    memref.store %n, %out[%tid] : memref<64xi8>
    gpu.return
  }
}

// -----

// Which of two buffers it is, is known when the kernel runs.
// CHECK-LABEL: llvm.func @alternating_simt(
// CHECK: %[[BUFFER:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[BUFFER]], {{.*}}) : !llvm.ptr, (!llvm.ptr, i32, i64, i64, i64, i64, i64, i32) -> i32
gpu.module @kernels {
  gpu.func @alternating(%a: memref<64xf32>, %b: memref<64xf32>, %which: memref<1xi8> {llvm.readonly}) kernel {
    %tid = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %flag = memref.load %which[%c0] : memref<1xi8>
    %zero = arith.constant 0 : i8
    %first = arith.cmpi eq, %flag, %zero : i8
    %c = arith.select %first, %a, %b : memref<64xf32>
    %x = memref.load %c[%tid] : memref<64xf32>
    memref.store %x, %b[%tid] : memref<64xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @untraceable(%a: memref<64xf32>, %b: memref<64xf32>, %which: memref<1xi8> {llvm.readonly}) kernel {
    %tid = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %flag = memref.load %which[%c0] : memref<1xi8>
    %zero = arith.constant 0 : i8
    %first = arith.cmpi eq, %flag, %zero : i8
    cf.cond_br %first, ^load(%a : memref<64xf32>), ^load(%b : memref<64xf32>)
  ^load(%c: memref<64xf32>):
    // expected-error @below {{cannot be checked: its memref is neither an argument nor shared memory nor a view of them}}
    %x = memref.load %c[%tid] : memref<64xf32>
    memref.store %x, %b[%tid] : memref<64xf32>
    gpu.return
  }
}

// -----

// Two loads that differ in the memref alone: the checks know which argument is accessed.
// CHECK-LABEL: llvm.func @either_simt(
// CHECK-COUNT-2: llvm.call %{{.*}} : !llvm.ptr, (!llvm.ptr, i32, i64, i64, i64, i64, i64, i32) -> i32

gpu.module @kernels {
  gpu.func @either(%a: memref<64xf32> {llvm.readonly}, %b: memref<64xf32> {llvm.readonly}, %out: memref<64xf32>) kernel {
    %tid = gpu.thread_id x
    %c7 = arith.constant 7 : index
    %early = arith.cmpi ult, %tid, %c7 : index
    %x = scf.if %early -> (f32) {
      %0 = memref.load %a[%tid] : memref<64xf32>
      scf.yield %0 : f32
    } else {
      %0 = memref.load %b[%tid] : memref<64xf32>
      scf.yield %0 : f32
    }
    memref.store %x, %out[%tid] : memref<64xf32>
    gpu.return
  }
}
