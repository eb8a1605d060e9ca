// RUN: stitch-opt %s --tg-merge-updates -split-input-file | FileCheck %s

// x.at[i + 1].set(x[i] + 1), three times: each read is of the update before, and the scatters are one.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<64xf32>)
// CHECK-DAG: %[[AT:.*]] = tg.constant dense<{{\[\[}}1], [2], [3]]> : tensor<3x1xi32>
// CHECK-DAG: tg.slice %[[X]] [0:1]
// CHECK-NOT: tg.slice
// CHECK: %[[UPDATES:.*]] = tg.concatenate
// CHECK: %[[ALL:.*]] = tg.scatter replace %[[X]], %[[AT]], %[[UPDATES]] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<64xf32>, tensor<3x1xi32>, tensor<3xf32>)
// CHECK: return %[[ALL]]
func.func @chain(%x: tensor<64xf32>) -> tensor<64xf32> {
  %one = tg.constant dense<1.0> : tensor<1xf32>
  %i1 = tg.constant dense<1> : tensor<1xi32>
  %i2 = tg.constant dense<2> : tensor<1xi32>
  %i3 = tg.constant dense<3> : tensor<1xi32>
  %a0 = tg.slice %x [0:1] : (tensor<64xf32>) -> tensor<1xf32>
  %b0 = tg.add %a0, %one : tensor<1xf32>
  %u0 = tg.reshape %b0 : (tensor<1xf32>) -> tensor<f32>
  %x1 = tg.scatter replace %x, %i1, %u0 inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 indices_are_sorted unique_indices : (tensor<64xf32>, tensor<1xi32>, tensor<f32>) -> tensor<64xf32>
  %a1 = tg.slice %x1 [1:2] : (tensor<64xf32>) -> tensor<1xf32>
  %b1 = tg.add %a1, %one : tensor<1xf32>
  %u1 = tg.reshape %b1 : (tensor<1xf32>) -> tensor<f32>
  %x2 = tg.scatter replace %x1, %i2, %u1 inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 indices_are_sorted unique_indices : (tensor<64xf32>, tensor<1xi32>, tensor<f32>) -> tensor<64xf32>
  %a2 = tg.slice %x2 [2:3] : (tensor<64xf32>) -> tensor<1xf32>
  %b2 = tg.add %a2, %one : tensor<1xf32>
  %u2 = tg.reshape %b2 : (tensor<1xf32>) -> tensor<f32>
  %x3 = tg.scatter replace %x2, %i3, %u2 inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 indices_are_sorted unique_indices : (tensor<64xf32>, tensor<1xi32>, tensor<f32>) -> tensor<64xf32>
  return %x3 : tensor<64xf32>
}

// -----

// Rows: a part of one that was replaced, one beside it, and one that is partly replaced, which waits.
// CHECK-LABEL: func.func @rows
// CHECK-DAG: tg.slice %arg1 [1:2, 2:4]
// CHECK-DAG: tg.slice %arg0 [7:8, 0:8]
// CHECK-DAG: %[[NEW:.*]] = tg.scatter
// CHECK-DAG: tg.slice %[[NEW]] [4:6, 0:8]
func.func @rows(%x: tensor<16x8xf32>, %u: tensor<2x8xf32>) -> (tensor<16x8xf32>, tensor<1x2xf32>, tensor<1x8xf32>, tensor<2x8xf32>) {
  %i = tg.constant dense<5> : tensor<1xi32>
  %n = tg.scatter replace %x, %i, %u update_window_dims [0, 1] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<16x8xf32>, tensor<1xi32>, tensor<2x8xf32>) -> tensor<16x8xf32>
  %a = tg.slice %n [6:7, 2:4] : (tensor<16x8xf32>) -> tensor<1x2xf32>
  %b = tg.slice %n [7:8, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
  %c = tg.slice %n [4:6, 0:8] : (tensor<16x8xf32>) -> tensor<2x8xf32>
  return %n, %a, %b, %c : tensor<16x8xf32>, tensor<1x2xf32>, tensor<1x8xf32>, tensor<2x8xf32>
}

// -----

// A window that is outside, in part, writes nothing there: what it replaces is not known. Sums of f16 are rounded after each update.
// CHECK-LABEL: func.func @outside
// CHECK: %[[NEW:.*]] = tg.scatter
// CHECK: tg.slice %[[NEW]] [15:16, 0:8]
// CHECK-LABEL: func.func @rounded
// CHECK-COUNT-2: tg.scatter add
func.func @outside(%x: tensor<16x8xf32>, %u: tensor<2x8xf32>) -> tensor<1x8xf32> {
  %i = tg.constant dense<15> : tensor<1xi32>
  %n = tg.scatter replace %x, %i, %u update_window_dims [0, 1] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<16x8xf32>, tensor<1xi32>, tensor<2x8xf32>) -> tensor<16x8xf32>
  %a = tg.slice %n [15:16, 0:8] : (tensor<16x8xf32>) -> tensor<1x8xf32>
  return %a : tensor<1x8xf32>
}
func.func @rounded(%x: tensor<16xf16>, %i: tensor<1xi32>, %k: tensor<1xi32>, %u: tensor<f16>) -> tensor<16xf16> {
  %0 = tg.scatter add %x, %i, %u inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<16xf16>, tensor<1xi32>, tensor<f16>) -> tensor<16xf16>
  %1 = tg.scatter add %0, %k, %u inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 0 : (tensor<16xf16>, tensor<1xi32>, tensor<f16>) -> tensor<16xf16>
  return %1 : tensor<16xf16>
}
