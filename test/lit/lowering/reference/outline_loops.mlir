// RUN: stitch-opt %s -stitch-outline-loops | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>, %[[I:.*]]: index
func.func @main(%a: memref<4xf32>, %b: memref<4xf32>, %i: index) {
  %c = arith.constant 2.0 : f32
  // Equal operations share a function, whatever their operands; arguments come in order of first use.
  // CHECK-NOT: linalg.generic
  // CHECK: call @loops_1(%[[A]], %[[B]]) : (memref<4xf32>, memref<4xf32>) -> ()
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.mulf %x, %c : f32
    linalg.yield %0 : f32
  }
  // CHECK: call @loops_1(%[[B]], %[[A]])
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.mulf %x, %c : f32
    linalg.yield %0 : f32
  }
  // One buffer used twice is another function than two buffers.
  // CHECK: call @loops_2(%[[A]])
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.mulf %x, %c : f32
    linalg.yield %0 : f32
  }
  // What the body captures is passed.
  // CHECK: call @loops_3(%[[A]], %[[B]], %[[I]])
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : memref<4xf32>) {
  ^bb0(%x: f32):
    %0 = memref.load %b[%i] : memref<4xf32>
    linalg.yield %0 : f32
  }
  // So are loops, wherever control flow leads; values from around that are captured.
  // CHECK: scf.if
  // CHECK-NEXT: call @loops_4(%[[A]], %[[I]], %[[B]])
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.cmpi eq, %i, %c0 : index
  scf.if %p {
    scf.for %k = %c0 to %c1 step %c1 {
      %0 = memref.load %a[%i] : memref<4xf32>
      memref.store %0, %b[%k] : memref<4xf32>
    }
  }
  // CHECK: return
  return
}

// CHECK: func.func private @loops_0()
func.func private @loops_0()

// CHECK: func.func private @loops_1(%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>) attributes {passthrough = ["noinline", "optnone"]}
// CHECK-NEXT: arith.constant 2.0
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[X]] : memref<4xf32>) outs(%[[Y]] : memref<4xf32>)
// CHECK: return
// CHECK: func.func private @loops_2(%[[X:.*]]: memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[X]] : memref<4xf32>) outs(%[[X]] : memref<4xf32>)
// CHECK: func.func private @loops_3(%{{.*}}: memref<4xf32>, %[[X:.*]]: memref<4xf32>, %[[J:.*]]: index)
// CHECK: memref.load %[[X]][%[[J]]]
// CHECK: func.func private @loops_4(
// CHECK: scf.for
// CHECK-NOT: func.func

// Loops of many iterations are optimised, and those of which it is not known, or that go round in a loop.
// CHECK: func.func private @loops_5({{.*}}: memref<300x400xf32>, {{.*}}: memref<300xf32>) attributes {passthrough = ["noinline"]}
// CHECK: func.func private @loops_6({{.*}}: memref<?xf32>) attributes {passthrough = ["noinline"]}
// CHECK: func.func private @loops_7({{.*}}: memref<2000xf32>, {{.*}}) attributes {passthrough = ["noinline", "optnone"]}
// CHECK: func.func private @loops_8({{.*}}: memref<2000xf32>, {{.*}}) attributes {passthrough = ["noinline"]}
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @sizes(%a: memref<300x400xf32>, %b: memref<300xf32>, %c: memref<?xf32>, %d: memref<2000xf32>, %v: f32, %p: i1) {
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : memref<300x400xf32>) outs(%b : memref<300xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%c : memref<?xf32>) {
  ^bb0(%x: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%d : memref<2000xf32>) {
  ^bb0(%x: f32):
    linalg.yield %v : f32
  }
  scf.while : () -> () {
    scf.condition(%p)
  } do {
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%d : memref<2000xf32>) {
    ^bb0(%x: f32):
      %0 = arith.addf %x, %v : f32
      linalg.yield %0 : f32
    }
    scf.yield
  }
  return
}
