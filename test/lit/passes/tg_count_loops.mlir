// RUN: stitch-opt %s --tg-count-loops -split-input-file | FileCheck %s

// The counter goes 2, 5, 8, 11: four iterations.
// CHECK-LABEL: @rising
// CHECK: tg.while{{.*}} attributes {trip_count = 4 : i64}
func.func @rising(%x: tensor<4xf32>) -> tensor<4xf32> {
  %start = tg.constant dense<2> : tensor<i32>
  %limit = tg.constant dense<12> : tensor<i32>
  %step = tg.constant dense<3> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %step : tensor<i32>
    %2 = tg.neg %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// -----

// The limit on the left, and one more for the equal sign: 10, 8, 6, 4.
// CHECK-LABEL: @falling
// CHECK: tg.while{{.*}} attributes {trip_count = 4 : i64}
func.func @falling(%x: tensor<4xf32>) -> tensor<4xf32> {
  %start = tg.constant dense<10> : tensor<i64>
  %limit = tg.constant dense<4> : tensor<i64>
  %step = tg.constant dense<2> : tensor<i64>
  %0:2 = tg.while(%i = %start, %v = %x) : tensor<i64>, tensor<4xf32> cond {
    %1 = tg.compare le, %limit, %i : tensor<i64>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.sub %i, %step : tensor<i64>
    %2 = tg.neg %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i64>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @never
// CHECK: tg.while{{.*}} attributes {trip_count = 0 : i64}
// CHECK-LABEL: @unequal
// CHECK: tg.while{{.*}} attributes {trip_count = 5 : i64}
func.func @never(%x: tensor<4xf32>) -> tensor<4xf32> {
  %start = tg.constant dense<10> : tensor<ui8>
  %limit = tg.constant dense<10> : tensor<ui8>
  %step = tg.constant dense<1> : tensor<ui8>
  %0:2 = tg.while(%i = %start, %v = %x) : tensor<ui8>, tensor<4xf32> cond {
    %1 = tg.compare lt, %i, %limit : tensor<ui8>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %step, %i : tensor<ui8>
    tg.yield %1, %v : tensor<ui8>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
func.func @unequal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %start = tg.constant dense<200> : tensor<ui8>
  %limit = tg.constant dense<210> : tensor<ui8>
  %step = tg.constant dense<2> : tensor<ui8>
  %0:2 = tg.while(%i = %start, %v = %x) : tensor<ui8>, tensor<4xf32> cond {
    %1 = tg.compare ne, %i, %limit : tensor<ui8>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %step, %i : tensor<ui8>
    tg.yield %1, %v : tensor<ui8>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// -----

// Not known: 3 never becomes 10 by twos; 127 is followed by -128; the step is no constant; the counter goes the other way;
// the limit does not fit into 64 bits with a sign.
// CHECK-NOT: trip_count
func.func @skips(%x: tensor<i8>) -> tensor<i8> {
  %start = tg.constant dense<3> : tensor<i8>
  %limit = tg.constant dense<10> : tensor<i8>
  %step = tg.constant dense<2> : tensor<i8>
  %0 = tg.while(%i = %start) : tensor<i8> cond {
    %1 = tg.compare ne, %i, %limit : tensor<i8>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %step : tensor<i8>
    tg.yield %1 : tensor<i8>
  }
  return %0 : tensor<i8>
}
func.func @overflows(%x: tensor<i8>) -> tensor<i8> {
  %start = tg.constant dense<100> : tensor<i8>
  %limit = tg.constant dense<127> : tensor<i8>
  %step = tg.constant dense<1> : tensor<i8>
  %0 = tg.while(%i = %start) : tensor<i8> cond {
    %1 = tg.compare le, %i, %limit : tensor<i8>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %step : tensor<i8>
    tg.yield %1 : tensor<i8>
  }
  return %0 : tensor<i8>
}
func.func @variable(%x: tensor<i8>) -> tensor<i8> {
  %start = tg.constant dense<0> : tensor<i8>
  %limit = tg.constant dense<10> : tensor<i8>
  %0 = tg.while(%i = %start) : tensor<i8> cond {
    %1 = tg.compare lt, %i, %limit : tensor<i8>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %x : tensor<i8>
    tg.yield %1 : tensor<i8>
  }
  return %0 : tensor<i8>
}
func.func @wrong_way(%x: tensor<i8>) -> tensor<i8> {
  %start = tg.constant dense<0> : tensor<i8>
  %limit = tg.constant dense<10> : tensor<i8>
  %step = tg.constant dense<1> : tensor<i8>
  %0 = tg.while(%i = %start) : tensor<i8> cond {
    %1 = tg.compare lt, %i, %limit : tensor<i8>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.sub %i, %step : tensor<i8>
    tg.yield %1 : tensor<i8>
  }
  return %0 : tensor<i8>
}
func.func @beyond_int64(%x: tensor<ui64>) -> tensor<ui64> {
  %start = tg.constant dense<0> : tensor<ui64>
  %limit = tg.constant dense<18446744073709551615> : tensor<ui64>
  %step = tg.constant dense<4611686018427387904> : tensor<ui64>
  %0 = tg.while(%i = %start) : tensor<ui64> cond {
    %1 = tg.compare lt, %i, %limit : tensor<ui64>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %step : tensor<ui64>
    tg.yield %1 : tensor<ui64>
  }
  return %0 : tensor<ui64>
}
