// RUN: stitch-opt %s -stitch-buffers-to-pointers | FileCheck %s
// RUN: stitch-opt %s -stitch-buffers-to-pointers -convert-linalg-to-loops -convert-scf-to-cf -convert-to-llvm \
// RUN:   -reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// LLVM-NOT: unrealized_conversion_cast

// A function of loops takes pointers, and makes the descriptors that its operations need.
// CHECK-LABEL: func.func private @loops_0
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr, %[[STRIDED:.*]]: memref<2xf32, strided<[2]>>, %[[Y:.*]]: !llvm.ptr, %[[S:.*]]: f32)
// CHECK: llvm.insertvalue %[[X]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[X]], %{{.*}}[1]
// CHECK: %[[BX:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<{{.*}}> to memref<2xf32>
// CHECK: linalg.add ins(%[[BX]], %[[STRIDED]]
func.func private @loops_0(%x: memref<2xf32>, %strided: memref<2xf32, strided<[2]>>, %y: memref<2xf32>, %s: f32) {
  linalg.add ins(%x, %strided : memref<2xf32>, memref<2xf32, strided<[2]>>) outs(%y : memref<2xf32>)
  return
}

// A declaration keeps its buffers.
// CHECK: func.func private @outside(memref<2xf32>)
func.func private @outside(%x: memref<2xf32>)

// CHECK-LABEL: func.func @entry
// CHECK-SAME: (%[[IN:.*]]: !llvm.ptr, %[[OUT:.*]]: !llvm.ptr, %[[SCALAR:.*]]: f32)
func.func @entry(%in: !llvm.ptr, %out: !llvm.ptr, %scalar: f32) {
  %x = builtin.unrealized_conversion_cast %in : !llvm.ptr to memref<2xf32>
  %y = builtin.unrealized_conversion_cast %out : !llvm.ptr to memref<2xf32>
  // CHECK-NOT: llvm.insertvalue %[[OUT]]
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16 : i64)
  // CHECK: %[[A:.*]] = llvm.call @malloc(%[[BYTES]]) : (i64) -> !llvm.ptr
  %a = memref.alloc() : memref<4xf32>
  %view = memref.subview %a[0] [2] [2] : memref<4xf32> to memref<2xf32, strided<[2]>>
  // CHECK: call @loops_0(%[[IN]], %{{.*}}, %[[OUT]], %[[SCALAR]]) : (!llvm.ptr, memref<2xf32, strided<[2]>>, !llvm.ptr, f32) -> ()
  call @loops_0(%x, %view, %y, %scalar) : (memref<2xf32>, memref<2xf32, strided<[2]>>, memref<2xf32>, f32) -> ()
  // CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i64)
  // CHECK: "llvm.intr.memcpy"(%[[OUT]], %[[IN]], %[[EIGHT]])
  memref.copy %x, %y : memref<2xf32> to memref<2xf32>
  // A copy into a view stays.
  // CHECK: memref.copy
  memref.copy %x, %view : memref<2xf32> to memref<2xf32, strided<[2]>>
  // CHECK: call @outside(%{{.*}}) : (memref<2xf32>) -> ()
  call @outside(%x) : (memref<2xf32>) -> ()
  // CHECK: llvm.call @free(%[[A]])
  memref.dealloc %a : memref<4xf32>
  // A buffer without elements has an address, too.
  // CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
  // CHECK: llvm.call @malloc(%[[ONE]])
  %none = memref.alloc() : memref<0xf32>
  memref.dealloc %none : memref<0xf32>
  return
}
