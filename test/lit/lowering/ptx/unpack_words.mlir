// RUN: stitch-opt %s --stitch-unpack-words --cse | FileCheck %s

// The lower half of a word is shifted up, the upper half masked; both are the upper half of an f32.
// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[V:.*]]: vector<4xbf16>)
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[V]] : vector<4xbf16> to vector<2xi32>
// CHECK: %[[WORD:.*]] = vector.extract %[[WORDS]][1]
// CHECK: %[[HALF:.*]] = arith.constant 16 : i32
// CHECK: %[[LOW:.*]] = arith.shli %[[WORD]], %[[HALF]]
// CHECK: %[[FIRST:.*]] = arith.bitcast %[[LOW]] : i32 to f32
// CHECK: %[[MASK:.*]] = arith.constant -65536 : i32
// CHECK: %[[HIGH:.*]] = arith.andi %[[WORD]], %[[MASK]]
// CHECK: %[[SECOND:.*]] = arith.bitcast %[[HIGH]] : i32 to f32
// CHECK: return %[[FIRST]], %[[SECOND]]
func.func @halves(%v: vector<4xbf16>) -> (f32, f32) {
  %0 = vector.extract %v[2] : bf16 from vector<4xbf16>
  %1 = vector.extract %v[3] : bf16 from vector<4xbf16>
  %2 = arith.extf %0 : bf16 to f32
  %3 = arith.extf %1 : bf16 to f32
  return %2, %3 : f32, f32
}

// CHECK-LABEL: func.func @bytes(
// CHECK-SAME: %[[V:.*]]: vector<8xi8>)
// CHECK: %[[WORDS:.*]] = vector.bitcast %[[V]] : vector<8xi8> to vector<2xi32>
// CHECK: %[[WORD:.*]] = vector.extract %[[WORDS]][1]
// CHECK: arith.constant 65280 : i32
// CHECK: %[[BITS:.*]] = arith.andi %[[WORD]]
// CHECK: arith.cmpi ne, %[[BITS]], %{{.*}} : i32
// CHECK: arith.constant -16777216 : i32
// CHECK: arith.cmpi eq, %{{.*}}, %{{.*}} : i32
func.func @bytes(%v: vector<8xi8>) -> (i1, i1) {
  %zero = arith.constant 0 : i8
  %0 = vector.extract %v[5] : i8 from vector<8xi8>
  %1 = vector.extract %v[7] : i8 from vector<8xi8>
  %2 = arith.cmpi ne, %0, %zero : i8
  %3 = arith.cmpi eq, %1, %zero : i8
  return %2, %3 : i1, i1
}

// A vector that does not fill words, an f16, a byte that is compared with something else, an element of no vector.
// CHECK-LABEL: func.func @others
// CHECK-NOT: vector.bitcast
func.func @others(%a: vector<3xbf16>, %b: vector<2xf16>, %c: vector<4xi8>, %d: bf16, %e: i8) -> (f32, f32, i1, f32, i1) {
  %one = arith.constant 1 : i8
  %0 = vector.extract %a[1] : bf16 from vector<3xbf16>
  %1 = vector.extract %b[1] : f16 from vector<2xf16>
  %2 = vector.extract %c[1] : i8 from vector<4xi8>
  %3 = arith.extf %0 : bf16 to f32
  %4 = arith.extf %1 : f16 to f32
  %5 = arith.cmpi ne, %2, %one : i8
  %6 = arith.extf %d : bf16 to f32
  %7 = arith.cmpi ne, %e, %2 : i8
  return %3, %4, %5, %6, %7 : f32, f32, i1, f32, i1
}
