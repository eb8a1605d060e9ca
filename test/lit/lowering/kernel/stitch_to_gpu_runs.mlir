// REQUIRES: long-tests
// RUN: stitch-opt %s -split-input-file --stitch-pipeline --convert-stitch-to-gpu --canonicalize --cse | FileCheck %s
// RUN: %python %source/test/lit/split_file.py %s %t
// RUN: stitch-compile %t.0.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=0
// RUN: stitch-run %t.so --check --seed=2 --thread-order=1
// RUN: stitch-run %t.so --check --seed=3 --thread-order=2
// RUN: stitch-compile %t.1.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=1
// RUN: stitch-compile %t.2.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=2
// RUN: stitch-compile %t.3.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=1
// RUN: stitch-compile %t.4.mlir -o %t.so --checks
// RUN: stitch-run %t.so --check --seed=1 --thread-order=1

// A row of an odd length: p = row * columns mod 8 elements of the first vector are of the row before. All loads are of 16 bytes. In
// the first step the elements before the row are masked, in the last one those behind it, in those between none. The tensor's last
// vector ends behind the tensor: of that one, elements are loaded one by one. Scales are read by columns, element by element.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: %arg0: memref<[[SIZE:[0-9]+]]xbf16>
// CHECK: %[[START:.*]] = arith.muli %{{.*}}, %c3079 overflow<nsw, nuw>
// CHECK: %[[PHASE:.*]] = arith.remui %[[START]], %c8
// CHECK: arith.cmpi ult, %{{.*}}, %c3079
// CHECK: arith.maxsi
// CHECK: vector.load %arg0[%{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK: %[[ENDS:.*]] = arith.cmpi eq, %{{.*}}, %c52336
// CHECK: scf.if %[[ENDS]] -> (vector<8xbf16>)
// CHECK-COUNT-7: memref.load %arg0
// CHECK-NOT: memref.load
// CHECK: vector.from_elements
// CHECK: } else {
// CHECK-NEXT: {{.*}}vector.load %arg0[%{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK-NEXT: scf.yield
// CHECK-NOT: vector.load %arg0
// CHECK: gpu.shuffle
// CHECK: memref.load %arg1
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: vector.from_elements
// CHECK-NEXT: vector.store %{{.*}} {alignment = 16 : i64}
// CHECK-NEXT: } else {
// CHECK-COUNT-8: memref.store
module attributes {stitch.device = #stitch.device<h200, sms = 4, cluster_blocks = 1>} {
  func.func @main(%x: tensor<17x3079xbf16>, %scale: tensor<3079xbf16>) -> tensor<17x3079xbf16> {
    %r = tg.reduce max %x dims [1] : (tensor<17x3079xbf16>) -> tensor<17xbf16>
    %b = tg.broadcast %r dims [0] : (tensor<17xbf16>) -> tensor<17x3079xbf16>
    %s = tg.broadcast %scale dims [1] : (tensor<3079xbf16>) -> tensor<17x3079xbf16>
    %0 = tg.sub %x, %b : tensor<17x3079xbf16>
    %1 = tg.mul %0, %s : tensor<17x3079xbf16>
    return %1 : tensor<17x3079xbf16>
  }
}

// -----

// Runs of four: scales are loaded four at a time, masks are one for each four; the tensor ends with a vector.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: vector.load %arg0[%{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<8xf16>
// CHECK-NOT: memref.load %arg0
// CHECK: vector.load %arg1[%{{.*}}] {alignment = 8 : i64} : {{.*}}, vector<4xf16>
// CHECK-NOT: memref.load %arg1
// CHECK: scf.if
// CHECK: vector.store %{{.*}} {alignment = 16 : i64}
// CHECK: } else {
// CHECK: vector.store %{{.*}} {alignment = 8 : i64}
// CHECK: vector.store %{{.*}} {alignment = 8 : i64}
module attributes {stitch.device = #stitch.device<h200, sms = 4, cluster_blocks = 1>} {
  func.func @main(%x: tensor<18x3076xf16>, %scale: tensor<3076xf16>) -> tensor<18x3076xf16> {
    %r = tg.reduce max %x dims [1] : (tensor<18x3076xf16>) -> tensor<18xf16>
    %b = tg.broadcast %r dims [0] : (tensor<18xf16>) -> tensor<18x3076xf16>
    %s = tg.broadcast %scale dims [1] : (tensor<3076xf16>) -> tensor<18x3076xf16>
    %0 = tg.sub %x, %b : tensor<18x3076xf16>
    %1 = tg.mul %0, %s : tensor<18x3076xf16>
    return %1 : tensor<18x3076xf16>
  }
}

// -----

// A flat space begins at an aligned place: the last vector alone has masks.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: scf.if %{{.*}} -> (vector<4xf32>)
// CHECK: vector.load %arg0[%{{.*}}] {alignment = 16 : i64}
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<77x1229xf32>, %y: tensor<1229xf32>) -> tensor<77x1229xf32> {
    %b = tg.broadcast %y dims [1] : (tensor<1229xf32>) -> tensor<77x1229xf32>
    %0 = tg.add %x, %b : tensor<77x1229xf32>
    return %0 : tensor<77x1229xf32>
  }
}

// -----

// What registers do not hold is read in a loop, behind the step that has the row's first elements: it has no masks.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK: vector.load %arg0
// CHECK-COUNT-3: arith.select
// CHECK-NOT: arith.select
// CHECK: scf.for
// CHECK-COUNT-4: vector.load %arg0
// CHECK-NOT: arith.select
// CHECK: scf.yield
module attributes {stitch.device = #stitch.device<h200, sms = 2, cluster_blocks = 1>} {
  func.func @main(%x: tensor<5x98305xf32>) -> tensor<5xf32> {
    %0 = tg.reduce add %x dims [1] : (tensor<5x98305xf32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}

// -----

// The blocks of a cluster have parts of the row's vectors, the first of which begins before the row.

// CHECK-LABEL: gpu.func @fusion_0
// CHECK-SAME: known_cluster_size
// CHECK: vector.load %arg0[%{{.*}}] {alignment = 16 : i64}
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @main(%x: tensor<5x73731xf32>) -> (tensor<5x73731xf32>, tensor<5xi32>) {
    %0 = tg.reduce max %x dims [1] : (tensor<5x73731xf32>) -> tensor<5xf32>
    %1 = tg.broadcast %0 dims [0] : (tensor<5xf32>) -> tensor<5x73731xf32>
    %2 = tg.sub %x, %1 : tensor<5x73731xf32>
    %3:2 = tg.arg_reduce min %2 dim 1 : (tensor<5x73731xf32>) -> (tensor<5xf32>, tensor<5xi32>)
    return %2, %3#1 : tensor<5x73731xf32>, tensor<5xi32>
  }
}
