// RUN: stitch-opt %s --stitch-fuse-loops -split-input-file | FileCheck %s
// RUN: stitch-opt %s --stitch-fuse-loops --stitch-remarks -split-input-file -o %t.out 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: 2 loops of 4 iterations fused

// Both count from 0 to 4, so that one counter is enough. What reads the first loop's result follows the fused loop; what
// the second one starts with does not.
// CHECK-LABEL: func.func @independent
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK: %[[START:.*]] = tg.constant dense<0>
// CHECK: %[[INIT:.*]] = tg.neg %[[Y]]
// CHECK-NEXT: %[[LOOP:.*]]:3 = tg.while(%[[I:.*]] = %[[START]], %[[V:.*]] = %[[X]], %[[W:.*]] = %[[INIT]])
// CHECK-SAME: trip_count = 4
// CHECK-NEXT: %[[CONDITION:.*]] = tg.compare lt, %[[I]]
// CHECK-NEXT: tg.yield %[[CONDITION]]
// CHECK-NEXT: } do {
// CHECK-NEXT: %[[I2:.*]] = tg.add %[[I]]
// CHECK-NEXT: %[[V2:.*]] = tg.exp %[[V]]
// CHECK: %[[C:.*]] = tg.convert %[[I]]
// CHECK: %[[W2:.*]] = tg.add %[[W]]
// CHECK: tg.yield %[[I2]], %[[V2]], %[[W2]]
// CHECK-NOT: tg.while
// CHECK: %[[ABS:.*]] = tg.abs %[[LOOP]]#1
// CHECK-NEXT: %[[SQRT:.*]] = tg.sqrt %[[ABS]]
// CHECK-NEXT: return %[[SQRT]], %[[LOOP]]#2, %[[LOOP]]#0
func.func @independent(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i32>) {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<4> : tensor<i32>
  %step = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %x) : tensor<i32>, tensor<4xf32> attributes {trip_count = 4 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %step : tensor<i32>
    %2 = tg.exp %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %abs = tg.abs %0#1 : tensor<4xf32>
  %init = tg.neg %y : tensor<4xf32>
  %sqrt = tg.sqrt %abs : tensor<4xf32>
  %3:2 = tg.while(%w = %init, %j = %start) : tensor<4xf32>, tensor<i32> attributes {trip_count = 4 : i64} cond {
    %1 = tg.compare lt, %j, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.convert %j : (tensor<i32>) -> tensor<f32>
    %2 = tg.broadcast %1 dims [] : (tensor<f32>) -> tensor<4xf32>
    %4 = tg.add %w, %2 : tensor<4xf32>
    %5 = tg.add %j, %step : tensor<i32>
    tg.yield %4, %5 : tensor<4xf32>, tensor<i32>
  }
  return %sqrt, %3#0, %3#1 : tensor<4xf32>, tensor<4xf32>, tensor<i32>
}

// -----

// Counters of other steps stay; of three loops the one that depends on another is not fused, nor the one that runs more
// often.
// CHECK-LABEL: func.func @three
// CHECK: tg.while({{.*}}) : tensor<i32>, tensor<4xf32> attributes {trip_count = 6 : i64}
// CHECK: %[[LOOP:.*]]:4 = tg.while({{.*}}) : tensor<i32>, tensor<4xf32>, tensor<i32>, tensor<4xf32> attributes {trip_count = 3 : i64}
// CHECK: tg.while({{.*}} = %[[LOOP]]#1) : tensor<i32>, tensor<4xf32> attributes {trip_count = 3 : i64}
func.func @three(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<6> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %two = tg.constant dense<2> : tensor<i32>
  %three = tg.constant dense<3> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %x) : tensor<i32>, tensor<4xf32> attributes {trip_count = 3 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %two : tensor<i32>
    %2 = tg.exp %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %3:2 = tg.while(%i = %start, %v = %0#1) : tensor<i32>, tensor<4xf32> attributes {trip_count = 3 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %two : tensor<i32>
    %2 = tg.exp %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %4:2 = tg.while(%i = %start, %v = %x) : tensor<i32>, tensor<4xf32> attributes {trip_count = 6 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %one : tensor<i32>
    %2 = tg.neg %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %5:2 = tg.while(%i = %start, %v = %4#1) : tensor<i32>, tensor<4xf32> attributes {trip_count = 6 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %one : tensor<i32>
    %2 = tg.neg %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %6:2 = tg.while(%i = %start, %v = %x) : tensor<i32>, tensor<4xf32> attributes {trip_count = 3 : i64} cond {
    %1 = tg.compare lt, %i, %three : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %one : tensor<i32>
    %2 = tg.sin %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %3#1, %5#1, %6#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Nothing is fused: the number of iterations is not known, or the host calls something whose order may matter.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-4: tg.while
func.func @apart(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %start = tg.constant dense<0> : tensor<i32>
  %limit = tg.constant dense<6> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %0:2 = tg.while(%i = %start, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %1 = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %one : tensor<i32>
    %2 = tg.exp %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %3:2 = tg.while(%i = %start, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %1 = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %one : tensor<i32>
    %2 = tg.neg %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %4:2 = tg.while(%i = %start, %v = %x) : tensor<i32>, tensor<4xf32> attributes {trip_count = 6 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %one : tensor<i32>
    %2 = tg.custom_call "effect"(%v) : (tensor<4xf32>) -> tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %5:2 = tg.while(%i = %start, %v = %x) : tensor<i32>, tensor<4xf32> attributes {trip_count = 6 : i64} cond {
    %1 = tg.compare lt, %i, %limit : tensor<i32>
    tg.yield %1 : tensor<i1>
  } do {
    %1 = tg.add %i, %one : tensor<i32>
    %2 = tg.neg %v : tensor<4xf32>
    tg.yield %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1, %3#1, %4#1, %5#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The loops of three iterations change places when those of four are fused, since one of them reads these: they are fused
// at the place of the one that is last then.
// CHECK-LABEL: func.func @moved
// CHECK: %[[B:.*]] = tg.while({{.*}}) : tensor<4xf32> attributes {trip_count = 5 : i64}
// CHECK: %[[A:.*]]:2 = tg.while({{.*}}) : tensor<4xf32>, tensor<4xf32> attributes {trip_count = 4 : i64}
// CHECK: tg.while(%{{.*}} = %[[B]], %{{.*}} = %[[A]]#0) : tensor<4xf32>, tensor<4xf32> attributes {trip_count = 3 : i64}
func.func @moved(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = tg.constant dense<true> : tensor<i1>
  %a = tg.while(%v = %x) : tensor<4xf32> attributes {trip_count = 4 : i64} cond {
    tg.yield %true : tensor<i1>
  } do {
    %1 = tg.exp %v : tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  }
  %b = tg.while(%v = %x) : tensor<4xf32> attributes {trip_count = 5 : i64} cond {
    tg.yield %true : tensor<i1>
  } do {
    %1 = tg.sin %v : tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  }
  %c = tg.while(%v = %a) : tensor<4xf32> attributes {trip_count = 3 : i64} cond {
    tg.yield %true : tensor<i1>
  } do {
    %1 = tg.tanh %v : tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  }
  %d = tg.while(%v = %b) : tensor<4xf32> attributes {trip_count = 3 : i64} cond {
    tg.yield %true : tensor<i1>
  } do {
    %1 = tg.cos %v : tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  }
  %e = tg.while(%v = %x) : tensor<4xf32> attributes {trip_count = 4 : i64} cond {
    tg.yield %true : tensor<i1>
  } do {
    %1 = tg.neg %v : tensor<4xf32>
    tg.yield %1 : tensor<4xf32>
  }
  return %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
