// RUN: stitch-opt %s -stitch-reference-entry | FileCheck %s
// RUN: stitch-opt %s -stitch-reference-entry -stitch-buffers-to-pointers -convert-scf-to-cf -convert-to-llvm -reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

// CHECK: module attributes {stitch.library_calls = [{kind = "dot"}, {kind = "dot"}]}
// LLVM: module attributes {stitch.library_calls = [{kind = "dot"}, {kind = "dot"}]}
module attributes {stitch.library_calls = [{kind = "dot"}, {kind = "dot"}]} {
  // CHECK-NOT: @dot_
  func.func private @dot_0(memref<2xf32>, memref<2xf32>, memref<f32>) attributes {stitch.library = {kind = "dot"}}
  func.func private @dot_7(memref<f32>, memref<f32>, memref<f32>) attributes {stitch.library = {kind = "dot"}}
  // CHECK-LABEL: func.func @stitch_reference_main
  // CHECK-SAME: (%[[INS:.*]]: !llvm.ptr, %[[OUTS:.*]]: !llvm.ptr, %[[CALLS:.*]]: !llvm.ptr) -> i32
  // LLVM-LABEL: llvm.func @stitch_reference_main
  // LLVM-NOT: unrealized_conversion_cast
  func.func @main(%a: memref<2xf32>, %b: memref<2xf32>, %out: memref<f32> {bufferize.result}) {
    // Space on the stack is taken once, even for calls in loops.
    // CHECK: %[[Q:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
    // CHECK: %[[R:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
    // CHECK: %[[P:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
    // CHECK: %[[STATUS:.*]] = llvm.alloca %{{.*}} x i32
    // CHECK: llvm.store %{{.*}}, %[[STATUS]] : i32
    // CHECK: %[[A0:.*]] = llvm.getelementptr %[[INS]][0]
    // CHECK: llvm.load %[[A0]] : !llvm.ptr -> !llvm.ptr
    // CHECK: %[[A:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<2xf32>
    // CHECK: llvm.getelementptr %[[INS]][1]
    // CHECK: %[[B:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<2xf32>
    // CHECK: llvm.getelementptr %[[OUTS]][0]
    // CHECK: %[[O:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<f32>
    // CHECK: builtin.unrealized_conversion_cast %[[A]] : memref<2xf32> to !llvm.ptr
    // CHECK: llvm.store
    // CHECK: llvm.store
    // CHECK: llvm.store
    // CHECK: %[[FIRST:.*]] = llvm.mlir.constant(0 : i64)
    // CHECK: %[[S:.*]] = call @stitchLibraryCall(%[[CALLS]], %[[FIRST]], %[[P]])
    // CHECK: %[[BEFORE:.*]] = llvm.load %[[STATUS]]
    // CHECK: arith.cmpi eq, %[[BEFORE]]
    // CHECK: %[[S0:.*]] = arith.select %{{.*}}, %[[S]],
    // CHECK: llvm.store %[[S0]], %[[STATUS]]
    call @dot_0(%a, %b, %out) : (memref<2xf32>, memref<2xf32>, memref<f32>) -> ()
    // The index counts functions, not their names.
    // CHECK: %[[SECOND:.*]] = llvm.mlir.constant(1 : i64)
    // CHECK: %[[T:.*]] = call @stitchLibraryCall(%[[CALLS]], %[[SECOND]], %[[R]])
    // CHECK: llvm.store %{{.*}}, %[[STATUS]]
    call @dot_7(%out, %out, %out) : (memref<f32>, memref<f32>, memref<f32>) -> ()
    // A loop ends when a call has failed.
    // CHECK: scf.while
    // CHECK: call @stitchLibraryCall(%[[CALLS]], %{{.*}}, %[[Q]])
    // CHECK: %[[CONDITION:.*]] = arith.cmpf olt
    // CHECK: %[[SUCCEEDED:.*]] = arith.cmpi eq
    // CHECK: %[[GOES_ON:.*]] = arith.andi %[[CONDITION]], %[[SUCCEEDED]]
    // CHECK: scf.condition(%[[GOES_ON]])
    scf.while : () -> () {
      func.call @dot_0(%a, %b, %out) : (memref<2xf32>, memref<2xf32>, memref<f32>) -> ()
      %value = memref.load %out[] : memref<f32>
      %goes_on = arith.cmpf olt, %value, %value : f32
      scf.condition(%goes_on)
    } do {
      scf.yield
    }
    // CHECK: %[[LAST:.*]] = llvm.load %[[STATUS]]
    // CHECK: return %[[LAST]] : i32
    return
  }
  // CHECK: func.func private @stitchLibraryCall(!llvm.ptr, i64, !llvm.ptr) -> i32
}
