// RUN: stitch-opt %s --stitch-in-place -split-input-file | FileCheck %s
// RUN: stitch-opt %s --stitch-in-place -split-input-file --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-8: remark: updates its operand in place
// REMARK-NOT: updates its operand in place

// The memory of a donated argument is the result's.
// CHECK-LABEL: func.func @donated
// CHECK: tg.scatter replace {{.*}} {stitch.in_place}
func.func @donated(%x: tensor<640x16xf32> {stitch.donated = 0 : i64}, %i: tensor<1xi32>, %u: tensor<16xf32>) -> tensor<640x16xf32> {
  %0 = tg.scatter replace %x, %i, %u update_window_dims [0] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<640x16xf32>, tensor<1xi32>, tensor<16xf32>) -> tensor<640x16xf32>
  return %0 : tensor<640x16xf32>
}

// -----

// That of another argument is not.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: stitch.in_place
func.func @kept(%x: tensor<640x16xf32>, %i: tensor<1xi32>, %u: tensor<16xf32>) -> tensor<640x16xf32> {
  %0 = tg.scatter replace %x, %i, %u update_window_dims [0] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<640x16xf32>, tensor<1xi32>, tensor<16xf32>) -> tensor<640x16xf32>
  return %0 : tensor<640x16xf32>
}

// -----

// A sum of what was before comes first; the scatter stands at the end.
// CHECK-LABEL: func.func @reads
// CHECK: tg.while
// CHECK: } do {
// CHECK: tg.reduce max
// CHECK: tg.scatter add {{.*}} {stitch.in_place}
// CHECK-NEXT: tg.yield
func.func @reads(%x: tensor<640x16xf32>, %s: tensor<16xf32>) -> (tensor<640x16xf32>, tensor<16xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %n = tg.constant dense<10> : tensor<i32>
  %r:3 = tg.while(%i = %zero, %c = %x, %sum = %s) : tensor<i32>, tensor<640x16xf32>, tensor<16xf32> attributes {trip_count = 10 : i64} cond {
    %t = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %t : tensor<i1>
  } do {
    %at = tg.reshape %i : (tensor<i32>) -> tensor<1xi32>
    %u = tg.scatter add %c, %at, %sum update_window_dims [0] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<640x16xf32>, tensor<1xi32>, tensor<16xf32>) -> tensor<640x16xf32>
    %m = tg.reduce max %c dims [0] : (tensor<640x16xf32>) -> tensor<16xf32>
    %j = tg.add %i, %one : tensor<i32>
    tg.yield %j, %u, %m : tensor<i32>, tensor<640x16xf32>, tensor<16xf32>
  }
  return %r#1, %r#2 : tensor<640x16xf32>, tensor<16xf32>
}

// -----

// What reads both what was before and what is behind could be one kernel with either: the operand is copied.
// CHECK-LABEL: func.func @both
// CHECK-NOT: stitch.in_place
func.func @both(%x: tensor<640x16xf32> {stitch.donated = 0 : i64}, %i: tensor<1xi32>, %u: tensor<16xf32>) -> (tensor<640x16xf32>, tensor<640x16xf32>) {
  %0 = tg.scatter replace %x, %i, %u update_window_dims [0] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<640x16xf32>, tensor<1xi32>, tensor<16xf32>) -> tensor<640x16xf32>
  %1 = tg.add %0, %x : tensor<640x16xf32>
  return %0, %1 : tensor<640x16xf32>, tensor<640x16xf32>
}

// -----

// So could what reads it before, and is read with what is behind.
// CHECK-LABEL: func.func @before
// CHECK-NOT: stitch.in_place
func.func @before(%x: tensor<640x16xf32> {stitch.donated = 0 : i64}, %i: tensor<1xi32>, %u: tensor<16xf32>) -> (tensor<640x16xf32>, tensor<640x16xf32>) {
  %m = tg.tanh %x : tensor<640x16xf32>
  %0 = tg.scatter replace %x, %i, %u update_window_dims [0] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<640x16xf32>, tensor<1xi32>, tensor<16xf32>) -> tensor<640x16xf32>
  %1 = tg.add %0, %m : tensor<640x16xf32>
  return %0, %1 : tensor<640x16xf32>, tensor<640x16xf32>
}

// -----

// A branch passes the buffer on, or updates it; and the buffers change places.
// CHECK-LABEL: func.func @branch
// CHECK: tg.scatter replace {{.*}} {stitch.in_place}
func.func @branch(%x: tensor<640x16xf32>, %y: tensor<640x16xf32>, %u: tensor<16xf32>) -> (tensor<640x16xf32>, tensor<640x16xf32>) {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %n = tg.constant dense<10> : tensor<i32>
  %r:3 = tg.while(%i = %zero, %c = %x, %d = %y) : tensor<i32>, tensor<640x16xf32>, tensor<640x16xf32> attributes {trip_count = 10 : i64} cond {
    %t = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %t : tensor<i1>
  } do {
    %p = tg.compare gt, %i, %one : tensor<i32>
    %new = tg.if %p : (tensor<i1>) -> tensor<640x16xf32> {
      %at = tg.reshape %i : (tensor<i32>) -> tensor<1xi32>
      %s = tg.scatter replace %c, %at, %u update_window_dims [0] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<640x16xf32>, tensor<1xi32>, tensor<16xf32>) -> tensor<640x16xf32>
      tg.yield %s : tensor<640x16xf32>
    } else {
      tg.yield %c : tensor<640x16xf32>
    }
    %j = tg.add %i, %one : tensor<i32>
    tg.yield %j, %d, %new : tensor<i32>, tensor<640x16xf32>, tensor<640x16xf32>
  }
  return %r#1, %r#2 : tensor<640x16xf32>, tensor<640x16xf32>
}

// -----

// One truth value chooses: where it is false, the index is outside.
// CHECK-LABEL: func.func @chosen
// CHECK-DAG: %[[OUTSIDE:.*]] = tg.constant dense<-2147483648> : tensor<1xi32>
// CHECK-DAG: %[[TAKEN:.*]] = tg.broadcast
// CHECK: %[[INDEX:.*]] = tg.select %[[TAKEN]], %arg1, %[[OUTSIDE]]
// CHECK: %[[RESULT:.*]] = tg.scatter replace %arg0, %[[INDEX]], %arg2 {{.*}} {stitch.in_place}
// CHECK: return %[[RESULT]]
func.func @chosen(%x: tensor<640x16xf32> {stitch.donated = 0 : i64}, %i: tensor<1xi32>, %u: tensor<16xf32>, %p: tensor<i1>) -> tensor<640x16xf32> {
  %0 = tg.scatter replace %x, %i, %u update_window_dims [0] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<640x16xf32>, tensor<1xi32>, tensor<16xf32>) -> tensor<640x16xf32>
  %1 = tg.select %p, %0, %x : tensor<i1>, tensor<640x16xf32>
  return %1 : tensor<640x16xf32>
}

// -----

// Of a slice, too; where the memory is not the result's, the scatter stays, which knows of the choice.
// CHECK-LABEL: func.func @chosen_slice
// CHECK: %[[INDEX:.*]] = tg.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<1xi1>, tensor<1xi32>
// CHECK: %[[RESULT:.*]] = tg.scatter replace %arg0, %[[INDEX]], %arg1
// CHECK-NOT: stitch.in_place
// CHECK: return %[[RESULT]]
func.func @chosen_slice(%x: tensor<64000x256xf32>, %u: tensor<1x256xf32>, %i: tensor<i32>, %p: tensor<i1>) -> tensor<64000x256xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %0 = tg.dynamic_update_slice %x[%i, %zero], %u : (tensor<64000x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<64000x256xf32>
  %1 = tg.select %p, %0, %x : tensor<i1>, tensor<64000x256xf32>
  return %1 : tensor<64000x256xf32>
}

// -----

// Several truth values do not.
// CHECK-LABEL: func.func @masked
// CHECK-NOT: stitch.in_place
// CHECK: tg.select
func.func @masked(%x: tensor<640x16xf32> {stitch.donated = 0 : i64}, %i: tensor<1xi32>, %u: tensor<16xf32>, %p: tensor<640x16xi1>) -> tensor<640x16xf32> {
  %0 = tg.scatter replace %x, %i, %u update_window_dims [0] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<640x16xf32>, tensor<1xi32>, tensor<16xf32>) -> tensor<640x16xf32>
  %1 = tg.select %p, %0, %x : tensor<640x16xi1>, tensor<640x16xf32>
  return %1 : tensor<640x16xf32>
}

// -----

// The gradient of an embedding: zeros that a kernel writes, and the rows that have some.
// CHECK-LABEL: func.func @embedding
// CHECK: %[[ZEROS:.*]] = tg.broadcast
// CHECK: tg.scatter add %[[ZEROS]], %arg0, %arg1 {{.*}} {stitch.in_place}
func.func @embedding(%i: tensor<7x1xi32>, %u: tensor<7x16xf32>) -> tensor<640x16xf32> {
  %zeros = tg.constant dense<0.0> : tensor<640x16xf32>
  %0 = tg.scatter add %zeros, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<640x16xf32>, tensor<7x1xi32>, tensor<7x16xf32>) -> tensor<640x16xf32>
  return %0 : tensor<640x16xf32>
}

// -----

// A slice that is replaced, of a large buffer that something else reads as it was, is a scatter of one window; the start is what the update
// makes of it. Of a small one, which is copied in less time than a kernel takes, it stays what it is.
// CHECK-LABEL: func.func @row_from_row
// CHECK: %[[START:.*]] = tg.clamp
// CHECK: %[[AT:.*]] = tg.reshape %[[START]]
// CHECK: tg.scatter replace %{{.*}}, %[[AT]], %{{.*}} update_window_dims [0, 1] scatter_dims_to_operand_dims [0] index_vector_dim 0 {stitch.in_place}
// CHECK-NEXT: tg.yield
func.func @row_from_row(%x: tensor<64000x256xf32>) -> tensor<64000x256xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %n = tg.constant dense<10> : tensor<i32>
  %r:2 = tg.while(%i = %zero, %c = %x) : tensor<i32>, tensor<64000x256xf32> attributes {trip_count = 10 : i64} cond {
    %t = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %t : tensor<i1>
  } do {
    %j = tg.add %i, %one : tensor<i32>
    %row = tg.dynamic_slice %c[%i, %zero] sizes [1, 256] : (tensor<64000x256xf32>, tensor<i32>, tensor<i32>) -> tensor<1x256xf32>
    %new = tg.tanh %row : tensor<1x256xf32>
    %u = tg.dynamic_update_slice %c[%j, %zero], %new : (tensor<64000x256xf32>, tensor<1x256xf32>, tensor<i32>, tensor<i32>) -> tensor<64000x256xf32>
    tg.yield %j, %u : tensor<i32>, tensor<64000x256xf32>
  }
  return %r#1 : tensor<64000x256xf32>
}

// CHECK-LABEL: func.func @small
// CHECK-NOT: stitch.in_place
// CHECK: tg.dynamic_update_slice
func.func @small(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %zero = tg.constant dense<0> : tensor<i32>
  %one = tg.constant dense<1> : tensor<i32>
  %n = tg.constant dense<10> : tensor<i32>
  %r:2 = tg.while(%i = %zero, %c = %x) : tensor<i32>, tensor<64x16xf32> attributes {trip_count = 10 : i64} cond {
    %t = tg.compare lt, %i, %n : tensor<i32>
    tg.yield %t : tensor<i1>
  } do {
    %j = tg.add %i, %one : tensor<i32>
    %row = tg.dynamic_slice %c[%i, %zero] sizes [1, 16] : (tensor<64x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %new = tg.tanh %row : tensor<1x16xf32>
    %u = tg.dynamic_update_slice %c[%j, %zero], %new : (tensor<64x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<64x16xf32>
    tg.yield %j, %u : tensor<i32>, tensor<64x16xf32>
  }
  return %r#1 : tensor<64x16xf32>
}

// -----

// A chain: each update takes the memory of the one before it, whose row it reads.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-2: tg.scatter replace {{.*}} {stitch.in_place}
func.func @chain(%x: tensor<640xf32>, %i: tensor<1xi32>, %k: tensor<1xi32>) -> tensor<640xf32> {
  %t = tg.tanh %x : tensor<640xf32>
  %a = tg.slice %t [3:4] : (tensor<640xf32>) -> tensor<1xf32>
  %as = tg.reshape %a : (tensor<1xf32>) -> tensor<f32>
  %0 = tg.scatter replace %t, %i, %as inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<640xf32>, tensor<1xi32>, tensor<f32>) -> tensor<640xf32>
  %b = tg.slice %0 [5:6] : (tensor<640xf32>) -> tensor<1xf32>
  %bs = tg.reshape %b : (tensor<1xf32>) -> tensor<f32>
  %1 = tg.scatter replace %0, %k, %bs inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<640xf32>, tensor<1xi32>, tensor<f32>) -> tensor<640xf32>
  return %1 : tensor<640xf32>
}
