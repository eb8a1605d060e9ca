// RUN: stitch-opt %s -split-input-file --stitch-set-device=device=h200 --stitch-thin-products --stitch-outline --stitch-dominants | FileCheck %s

// Rows of a thin operand are slices of it. What each thread would compute again for its columns of the matrix, in each row and for each slice, is a root instead, which costs a
// barrier: here a tanh.

// CHECK-LABEL: func.func @main(%arg0: tensor<3x2048xf32>
// CHECK: tg.tanh %{{.*}} {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>} : tensor<3x2048xf32>
// CHECK: tg.reduce add {{.*}}stitch.group = 1
func.func @main(%x: tensor<3x2048xf32>, %w: tensor<1024x2048xf32>) -> tensor<3x1024xf32> {
  %0 = tg.tanh %x : tensor<3x2048xf32>
  %1 = tg.dot %0, %w contract [1] x [1] : (tensor<3x2048xf32>, tensor<1024x2048xf32>) -> tensor<3x1024xf32>
  return %1 : tensor<3x1024xf32>
}

// -----

// Several cheap operations, too.

// CHECK-LABEL: func.func @main(%arg0: tensor<7x4096xf32>
// CHECK: tg.add %{{.*}} {stitch.group = 0 : i64, stitch.role = #stitch.role<dominant>} : tensor<7x4096xf32>
func.func @main(%x: tensor<7x4096xf32>, %y: tensor<7x4096xf32>, %w: tensor<1024x4096xf32>) -> tensor<7x1024xf32> {
  %0 = tg.mul %x, %y : tensor<7x4096xf32>
  %1 = tg.sub %0, %x : tensor<7x4096xf32>
  %2 = tg.max %1, %y : tensor<7x4096xf32>
  %3 = tg.add %2, %x : tensor<7x4096xf32>
  %4 = tg.dot %3, %w contract [1] x [1] : (tensor<7x4096xf32>, tensor<1024x4096xf32>) -> tensor<7x1024xf32>
  return %4 : tensor<7x1024xf32>
}

// -----

// A single one is computed again: that takes less than the barrier.

// CHECK-LABEL: func.func @main(%arg0: tensor<3x256xf32>
// CHECK: tg.neg %{{.*}} {stitch.group = 0 : i64, stitch.role = #stitch.role<member>} : tensor<3x256xf32>
func.func @main(%x: tensor<3x256xf32>, %w: tensor<1024x256xf32>) -> tensor<3x1024xf32> {
  %0 = tg.neg %x : tensor<3x256xf32>
  %1 = tg.dot %0, %w contract [1] x [1] : (tensor<3x256xf32>, tensor<1024x256xf32>) -> tensor<3x1024xf32>
  return %1 : tensor<3x1024xf32>
}
