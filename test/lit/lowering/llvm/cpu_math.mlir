// RUN: stitch-opt %s -stitch-cpu-math | FileCheck %s

// CHECK-LABEL: func.func @scalars
func.func @scalars(%x: f32, %i: i32) -> (bf16, f16, f32, i32, f32) {
  // CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
  // CHECK: arith.cmpf uno
  // CHECK: arith.trunci %{{.*}} : i32 to i16
  // CHECK: arith.bitcast %{{.*}} : i16 to bf16
  %0 = arith.truncf %x : f32 to bf16
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %1 = arith.truncf %x : f32 to f16
  // CHECK: llvm.call_intrinsic "llvm.floor"
  %2 = math.floor %x : f32
  // CHECK: llvm.call_intrinsic "llvm.ctlz"
  %3 = math.ctlz %i : i32
  // Functions are left to convert-math-to-libm, and the maximum keeps its meaning.
  // CHECK: math.exp
  %4 = math.exp %x : f32
  // CHECK: arith.maximumf
  %5 = arith.maximumf %2, %4 : f32
  return %0, %1, %5, %3, %4 : bf16, f16, f32, i32, f32
}

// CHECK-LABEL: func.func @wide
func.func @wide(%x: bf16, %y: vector<4xbf16>, %z: f16) -> (f32, f64, vector<4xf32>, f32) {
  // CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : bf16 to i16
  // CHECK: %[[WIDE:.*]] = arith.extui %[[BITS]] : i16 to i32
  // CHECK: %[[UPPER:.*]] = arith.shli %[[WIDE]], %{{.*}} : i32
  // CHECK: arith.bitcast %[[UPPER]] : i32 to f32
  %0 = arith.extf %x : bf16 to f32
  // CHECK: arith.extf %{{.*}} : f32 to f64
  %1 = arith.extf %x : bf16 to f64
  // CHECK: arith.shli %{{.*}}, %{{.*}} : vector<4xi32>
  %2 = arith.extf %y : vector<4xbf16> to vector<4xf32>
  // CHECK: arith.extf %{{.*}} : f16 to f32
  %3 = arith.extf %z : f16 to f32
  return %0, %1, %2, %3 : f32, f64, vector<4xf32>, f32
}

// CHECK-LABEL: func.func @vectors
func.func @vectors(%x: vector<4xf32>) -> vector<4xbf16> {
  // CHECK: arith.constant dense<32767> : vector<4xi32>
  // CHECK: arith.cmpf uno, %{{.*}} : vector<4xf32>
  // CHECK: arith.bitcast %{{.*}} : vector<4xi16> to vector<4xbf16>
  %0 = arith.truncf %x : vector<4xf32> to vector<4xbf16>
  return %0 : vector<4xbf16>
}
