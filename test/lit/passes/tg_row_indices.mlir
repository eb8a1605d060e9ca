// REQUIRES: long-tests
// RUN: stitch-opt %s -split-input-file -tg-row-indices | FileCheck %s
// RUN: stitch-opt %s -split-input-file -tg-row-indices --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %S/Inputs/cross_entropy.mlir -stitch-pipeline=plan=astitch --stitch-remarks -o %t.plan 2>&1 | FileCheck %s --check-prefix=TRAFFIC
// RUN: FileCheck %s --check-prefix=PLAN < %t.plan
// RUN: stitch-compile %S/Inputs/cross_entropy.mlir -o %t.so && stitch-run %t.so --check --seed=3 && stitch-run %t.so --check --seed=1 --thread-order=7

// The cross-entropy of 640 rows of 2112 logits and its gradient, as jax.value_and_grad writes it: one kernel, which reads the
// logits once (5406720 bytes, and little besides) and writes the gradient once.

// TRAFFIC: the plan costs {{.*}} (54[[#]] bytes read, 54[[#]] written)
// PLAN: stitch.fusion
// PLAN-NOT: tg.scatter
// PLAN-NOT: stitch.fusion

// An element of each row, the row's number an iota, of what is computed: what the row has is known, the rest is gathered
// before the operations.

// REMARK: an element of each row: the operations before it are computed on gathered elements
// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[X:.*]]: tensor<64x128xf32>, %[[M:.*]]: tensor<64xf32>
// CHECK: %[[G:.*]] = tg.gather %[[X]],
// CHECK: %[[S:.*]] = tg.sub %[[G]], %[[M]] : tensor<64xf32>
// CHECK: tg.exp %[[S]] : tensor<64xf32>
func.func @gather(%x: tensor<64x128xf32>, %m: tensor<64xf32>, %y: tensor<64x1xi32>) -> tensor<64xf32> {
  %ms = tg.broadcast %m dims [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %s = tg.sub %x, %ms : tensor<64x128xf32>
  %e = tg.exp %s : tensor<64x128xf32>
  %i = tg.iota dim 0 : tensor<64xi32>
  %c = tg.reshape %i : (tensor<64xi32>) -> tensor<64x1xi32>
  %ij = tg.concatenate %c, %y dim 1 : (tensor<64x1xi32>, tensor<64x1xi32>) -> tensor<64x2xi32>
  %0 = tg.gather %e, %ij collapsed_slice_dims [0, 1] start_index_map [0, 1] index_vector_dim 1 slice_sizes [1, 1]
      : (tensor<64x128xf32>, tensor<64x2xi32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Without an iota the row is not known, and nothing is gained.

// CHECK-LABEL: func.func @any_row
// CHECK: tg.exp %{{.*}} : tensor<64x128xf32>
// CHECK: tg.gather
func.func @any_row(%x: tensor<64x128xf32>, %ij: tensor<8x2xi32>) -> tensor<8xf32> {
  %e = tg.exp %x : tensor<64x128xf32>
  %0 = tg.gather %e, %ij collapsed_slice_dims [0, 1] start_index_map [0, 1] index_vector_dim 1 slice_sizes [1, 1]
      : (tensor<64x128xf32>, tensor<8x2xi32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// take_along_axis and its gradient: rows are batch dimensions.

// REMARK: one update of each row at most: a select instead of a scatter
// CHECK-LABEL: func.func @scatter
// CHECK-SAME: %[[Y:.*]]: tensor<64x1x1xi32>, %[[U:.*]]: tensor<64x1xf32>
// CHECK-DAG: %[[ZERO:.*]] = tg.constant dense<0.000000e+00> : tensor<64x128xf32>
// CHECK: %[[WANTED:.*]] = tg.broadcast %{{.*}} dims [0] : (tensor<64xi32>) -> tensor<64x128xi32>
// CHECK: %[[NUMBERS:.*]] = tg.iota dim 0 : tensor<128xi32>
// CHECK: %[[PLACE:.*]] = tg.broadcast %[[NUMBERS]] dims [1] : (tensor<128xi32>) -> tensor<64x128xi32>
// CHECK: %[[HIT:.*]] = tg.compare eq, %[[WANTED]], %[[PLACE]]
// CHECK: %[[UPDATE:.*]] = tg.broadcast %{{.*}} dims [0] : (tensor<64xf32>) -> tensor<64x128xf32>
// CHECK: tg.select %[[HIT]], %{{.*}}, %[[ZERO]]
// CHECK-NOT: tg.scatter
func.func @scatter(%y: tensor<64x1x1xi32>, %u: tensor<64x1xf32>) -> tensor<64x128xf32> {
  %zero = tg.constant dense<0.0> : tensor<64x128xf32>
  %0 = tg.scatter add %zero, %y, %u inserted_window_dims [1] input_batching_dims [0] scatter_indices_batching_dims [0]
      scatter_dims_to_operand_dims [1] index_vector_dim 2
      : (tensor<64x128xf32>, tensor<64x1x1xi32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// Two updates of a row may meet; slices are no single elements; a tensor that is added to has elements of its own: scatters.

// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: tg.scatter
func.func @others(%x: tensor<64x128xf32>, %y: tensor<64x2x1xi32>, %u: tensor<64x2xf32>, %z: tensor<8x1xi32>,
                  %v: tensor<8x128xf32>, %w: tensor<64x1x1xi32>, %t: tensor<64x1xf32>)
    -> (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) {
  %zero = tg.constant dense<0.0> : tensor<64x128xf32>
  %0 = tg.scatter add %zero, %y, %u inserted_window_dims [1] input_batching_dims [0] scatter_indices_batching_dims [0]
      scatter_dims_to_operand_dims [1] index_vector_dim 2
      : (tensor<64x128xf32>, tensor<64x2x1xi32>, tensor<64x2xf32>) -> tensor<64x128xf32>
  %1 = tg.scatter add %zero, %z, %v update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0]
      index_vector_dim 1 : (tensor<64x128xf32>, tensor<8x1xi32>, tensor<8x128xf32>) -> tensor<64x128xf32>
  %2 = tg.scatter add %x, %w, %t inserted_window_dims [1] input_batching_dims [0] scatter_indices_batching_dims [0]
      scatter_dims_to_operand_dims [1] index_vector_dim 2
      : (tensor<64x128xf32>, tensor<64x1x1xi32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  return %0, %1, %2 : tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>
}

// -----

// An iota of bytes counts 256 rows of 300 and then begins again: it is no row number.

// CHECK-LABEL: func.func @bytes
// CHECK: tg.scatter
func.func @bytes(%y: tensor<300x1xui8>, %u: tensor<300xf32>) -> tensor<300x128xf32> {
  %zero = tg.constant dense<0.0> : tensor<300x128xf32>
  %i = tg.iota dim 0 : tensor<300x1xui8>
  %ij = tg.concatenate %i, %y dim 1 : (tensor<300x1xui8>, tensor<300x1xui8>) -> tensor<300x2xui8>
  %0 = tg.scatter add %zero, %ij, %u inserted_window_dims [0, 1] scatter_dims_to_operand_dims [0, 1] index_vector_dim 1
      : (tensor<300x128xf32>, tensor<300x2xui8>, tensor<300xf32>) -> tensor<300x128xf32>
  return %0 : tensor<300x128xf32>
}

// -----

// The sum of what is computed of the element whose number is the row's, and of zeros, is that element, if there is one.

// REMARK: an element of each row: it is gathered, not added up with zeros
// CHECK-LABEL: func.func @sum
// CHECK-SAME: %[[X:.*]]: tensor<64x700xf32>, %[[M:.*]]: tensor<64xf32>, %[[Y:.*]]: tensor<64xi32>
// CHECK: %[[G:.*]] = tg.gather %[[X]], %[[Y]] collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [0] start_index_map [1] index_vector_dim 1 slice_sizes [1, 1]
// CHECK: %[[S:.*]] = tg.sub %[[G]], %[[M]] : tensor<64xf32>
// CHECK: tg.compare ge
// CHECK: tg.compare lt
// CHECK: %[[INSIDE:.*]] = tg.and
// CHECK: %[[R:.*]] = tg.select %[[INSIDE]], %[[S]],
// CHECK: return %[[R]]
func.func @sum(%x: tensor<64x700xf32>, %m: tensor<64xf32>, %y: tensor<64xi32>) -> tensor<64xf32> {
  %ms = tg.broadcast %m dims [0] : (tensor<64xf32>) -> tensor<64x700xf32>
  %s = tg.sub %x, %ms : tensor<64x700xf32>
  %i = tg.iota dim 1 : tensor<64x700xi32>
  %ys = tg.broadcast %y dims [0] : (tensor<64xi32>) -> tensor<64x700xi32>
  %e = tg.compare eq, %i, %ys : tensor<64x700xi32>
  %zero = tg.constant dense<0.0> : tensor<64x700xf32>
  %c = tg.select %e, %s, %zero : tensor<64x700xi1>, tensor<64x700xf32>
  %0 = tg.reduce add %c dims [1] : (tensor<64x700xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Not if the number is the column's, what is not chosen counts, the elements are moved first, or rows are short.

// CHECK-LABEL: func.func @other_sums
// CHECK-NOT: tg.gather
func.func @other_sums(%x: tensor<64x700xf32>, %y: tensor<700xi32>, %z: tensor<64xi32>, %w: tensor<64x32xf32>)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %i = tg.iota dim 1 : tensor<64x700xi32>
  %ys = tg.broadcast %y dims [1] : (tensor<700xi32>) -> tensor<64x700xi32>
  %e = tg.compare eq, %i, %ys : tensor<64x700xi32>
  %zero = tg.constant dense<0.0> : tensor<64x700xf32>
  %c = tg.select %e, %x, %zero : tensor<64x700xi1>, tensor<64x700xf32>
  %0 = tg.reduce add %c dims [1] : (tensor<64x700xf32>) -> tensor<64xf32>
  %zs = tg.broadcast %z dims [0] : (tensor<64xi32>) -> tensor<64x700xi32>
  %f = tg.compare eq, %i, %zs : tensor<64x700xi32>
  %one = tg.constant dense<1.0> : tensor<64x700xf32>
  %d = tg.select %f, %x, %one : tensor<64x700xi1>, tensor<64x700xf32>
  %1 = tg.reduce add %d dims [1] : (tensor<64x700xf32>) -> tensor<64xf32>
  %r = tg.reverse %x dims [1] : tensor<64x700xf32>
  %g = tg.select %f, %r, %zero : tensor<64x700xi1>, tensor<64x700xf32>
  %2 = tg.reduce add %g dims [1] : (tensor<64x700xf32>) -> tensor<64xf32>
  %j = tg.iota dim 1 : tensor<64x32xi32>
  %short = tg.broadcast %z dims [0] : (tensor<64xi32>) -> tensor<64x32xi32>
  %h = tg.compare eq, %j, %short : tensor<64x32xi32>
  %nothing = tg.constant dense<0.0> : tensor<64x32xf32>
  %k = tg.select %h, %w, %nothing : tensor<64x32xi1>, tensor<64x32xf32>
  %3 = tg.reduce add %k dims [1] : (tensor<64x32xf32>) -> tensor<64xf32>
  return %0, %1, %2, %3 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
