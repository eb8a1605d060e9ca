// RUN: stitch-opt %s --canonicalize -split-input-file | FileCheck %s

// A slice of what is padded: of the operand alone, of the padding alone, and of both.
// CHECK-LABEL: func.func @slice_of_pad
// CHECK-DAG: %[[IN:.*]] = tg.slice %arg0{{ ?}}[1:4:2, 0:7:3]
// CHECK-DAG: %[[OUT:.*]] = tg.broadcast %arg1 dims []
// CHECK-DAG: %[[PAD:.*]] = tg.pad
// CHECK-DAG: %[[BOTH:.*]] = tg.slice %[[PAD]]{{ ?}}[1:6, 1:4]
// CHECK: return %[[IN]], %[[OUT]], %[[BOTH]]
func.func @slice_of_pad(%x: tensor<4x8xf32>, %v: tensor<f32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<5x3xf32>) {
  %pad = tg.pad %x, %v low [2, 3] high [1, 0] interior [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x11xf32>
  %in = tg.slice %pad [3:6:2, 3:10:3] : (tensor<7x11xf32>) -> tensor<2x3xf32>
  %out = tg.slice %pad [0:2, 3:6] : (tensor<7x11xf32>) -> tensor<2x3xf32>
  %part = tg.slice %pad [1:6, 1:4] : (tensor<7x11xf32>) -> tensor<5x3xf32>
  return %in, %out, %part : tensor<2x3xf32>, tensor<2x3xf32>, tensor<5x3xf32>
}

// -----

// CHECK-LABEL: func.func @slice_of_broadcast
// CHECK: %[[S:.*]] = tg.slice %arg0{{ ?}}[0:1, 1:4:2] : (tensor<1x6xf32>) -> tensor<1x2xf32>
// CHECK: tg.broadcast %[[S]] dims [1, 2] : (tensor<1x2xf32>) -> tensor<2x3x2xf32>
func.func @slice_of_broadcast(%x: tensor<1x6xf32>) -> tensor<2x3x2xf32> {
  %b = tg.broadcast %x dims [1, 2] : (tensor<1x6xf32>) -> tensor<9x5x6xf32>
  %s = tg.slice %b [4:6, 1:4, 1:4:2] : (tensor<9x5x6xf32>) -> tensor<2x3x2xf32>
  return %s : tensor<2x3x2xf32>
}

// -----

// CHECK-LABEL: func.func @slice_of_reverse
// CHECK: %[[S:.*]] = tg.slice %arg0{{ ?}}[4:9:2] : (tensor<10xf32>) -> tensor<3xf32>
// CHECK: tg.reverse %[[S]] dims [0]
func.func @slice_of_reverse(%x: tensor<10xf32>) -> tensor<3xf32> {
  %r = tg.reverse %x dims [0] : tensor<10xf32>
  %s = tg.slice %r [1:7:2] : (tensor<10xf32>) -> tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

// Of three inputs the slice has elements of two.
// CHECK-LABEL: func.func @slice_of_concatenate
// CHECK: %[[C:.*]] = tg.concatenate %arg1, %arg2 dim 0
// CHECK: tg.slice %[[C]]{{ ?}}[1:6:2]
func.func @slice_of_concatenate(%x: tensor<4xf32>, %y: tensor<3xf32>, %z: tensor<5xf32>) -> tensor<3xf32> {
  %c = tg.concatenate %x, %y, %z dim 0 : (tensor<4xf32>, tensor<3xf32>, tensor<5xf32>) -> tensor<12xf32>
  %s = tg.slice %c [5:11:2] : (tensor<12xf32>) -> tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @pad_of_pad
// CHECK: tg.pad %arg0, %arg1 low [1, 5] high [2, 3] interior [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x16xf32>
func.func @pad_of_pad(%x: tensor<4x8xf32>, %v: tensor<f32>) -> tensor<7x16xf32> {
  %0 = tg.pad %x, %v low [1, 2] high [0, 3] interior [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x13xf32>
  %1 = tg.pad %0, %v low [0, 3] high [2, 0] interior [0, 0] : (tensor<5x13xf32>, tensor<f32>) -> tensor<7x16xf32>
  return %1 : tensor<7x16xf32>
}

// -----

// An element that is repeated: a maximum is itself, a sum a product, if the type has the number, and the other dimensions are left.
// CHECK-LABEL: func.func @reduce_of_broadcast
// CHECK-DAG: %[[N:.*]] = tg.constant dense<1.200000e+01> : tensor<5xf32>
// CHECK-DAG: %[[SUM:.*]] = tg.mul %arg0, %[[N]]
// CHECK-DAG: %[[REST:.*]] = tg.reduce add %{{[0-9]+}} dims [0] : (tensor<5xf32>)
// CHECK-DAG: %[[LARGE:.*]] = tg.reduce add {{.*}} : (tensor<2049x5xf16>) -> tensor<5xf16>
// CHECK: return %arg0, %[[SUM]], %[[REST]], %[[LARGE]]
func.func @reduce_of_broadcast(%x: tensor<5xf32>, %h: tensor<5xf16>) -> (tensor<5xf32>, tensor<5xf32>, tensor<f32>, tensor<5xf16>) {
  %b = tg.broadcast %x dims [1] : (tensor<5xf32>) -> tensor<3x5x4xf32>
  %max = tg.reduce max %b dims [0, 2] : (tensor<3x5x4xf32>) -> tensor<5xf32>
  %sum = tg.reduce add %b dims [0, 2] : (tensor<3x5x4xf32>) -> tensor<5xf32>
  %all = tg.reduce add %b dims [0, 1, 2] : (tensor<3x5x4xf32>) -> tensor<f32>
  %c = tg.broadcast %h dims [1] : (tensor<5xf16>) -> tensor<2049x5xf16>
  %large = tg.reduce add %c dims [0] : (tensor<2049x5xf16>) -> tensor<5xf16>
  return %max, %sum, %all, %large : tensor<5xf32>, tensor<5xf32>, tensor<f32>, tensor<5xf16>
}
