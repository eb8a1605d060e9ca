// RUN: stitch-opt %s -pass-pipeline='builtin.module(func.func(stitch-release-buffers))' | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%in: memref<4x2xf32>, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[A:.*]] = memref.alloc
  %a = memref.alloc() : memref<4x2xf32>
  // CHECK: %[[B:.*]] = memref.alloc
  %b = memref.alloc() : memref<8xf32>
  // An unused buffer goes at once.
  // CHECK: %[[C:.*]] = memref.alloc() : memref<f32>
  // CHECK-NEXT: memref.dealloc %[[C]]
  %c = memref.alloc() : memref<f32>
  memref.copy %in, %a : memref<4x2xf32> to memref<4x2xf32>
  %view = memref.collapse_shape %a [[0, 1]] : memref<4x2xf32> into memref<8xf32>
  // The use of a view inside a region is the last of its buffer.
  // CHECK: linalg.generic
  // CHECK: linalg.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: memref.dealloc %[[A]]
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%b : memref<8xf32>) {
  ^bb0(%x: f32):
    %0 = memref.load %view[%c0] : memref<8xf32>
    linalg.yield %0 : f32
  }
  // An unranked view is a view too.
  // CHECK: call @use
  // CHECK-NEXT: memref.dealloc %[[B]]
  %unranked = memref.cast %b : memref<8xf32> to memref<*xf32>
  memref.copy %b, %out : memref<8xf32> to memref<8xf32>
  call @use(%unranked) : (memref<*xf32>) -> ()
  // CHECK-NEXT: return
  return
}

func.func private @use(memref<*xf32>)

// A result belongs to the caller.
// CHECK-LABEL: func.func @returned
// CHECK-NOT: dealloc
func.func @returned() -> memref<2xf32> {
  %a = memref.alloc() : memref<2x1xf32>
  %b = memref.collapse_shape %a [[0, 1]] : memref<2x1xf32> into memref<2xf32>
  return %b : memref<2xf32>
}

// What a region allocates goes there.
// CHECK-LABEL: func.func @regions
func.func @regions(%p: i1, %out: memref<2xf32>) {
  // CHECK: scf.if
  scf.if %p {
    // CHECK: %[[A:.*]] = memref.alloc
    %a = memref.alloc() : memref<2xf32>
    // CHECK: memref.copy
    memref.copy %a, %out : memref<2xf32> to memref<2xf32>
    // CHECK-NEXT: memref.dealloc %[[A]]
    // CHECK-NEXT: }
  }
  return
}

// Branches are left alone.
// CHECK-LABEL: func.func @blocks
// CHECK-NOT: dealloc
func.func @blocks() {
  %a = memref.alloc() : memref<2xf32>
  cf.br ^bb1
^bb1:
  return
}
