// RUN: stitch-opt %s -split-input-file -stitch-pipeline=plan=astitch --stitch-remarks -o /dev/null 2>&1 | FileCheck %s

// Of a row's scales each thread computes those of its columns again in each row: 1024 x 1024 exponentials of 8 instructions, 251 ns. They are no more than a barrier, so they are
// not kept.

// CHECK: the kernel costs {{.*}}, instructions 323, further rounds
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @main(%x: tensor<1024x1024xf32>, %scale: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = tg.exp %scale : tensor<1024xf32>
    %1 = tg.broadcast %0 dims [1] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
    %2 = tg.mul %x, %1 : tensor<1024x1024xf32>
    %3 = tg.reduce add %2 dims [1] : (tensor<1024x1024xf32>) -> tensor<1024xf32>
    return %3 : tensor<1024xf32>
  }
}

// -----

// What belongs to the row itself, one exponential, each of its threads computes once.

// CHECK: the kernel costs {{.*}}, instructions 65, further rounds
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @main(%x: tensor<1024x1024xf32>, %scale: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = tg.exp %scale : tensor<1024xf32>
    %1 = tg.broadcast %0 dims [0] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
    %2 = tg.mul %x, %1 : tensor<1024x1024xf32>
    %3 = tg.reduce add %2 dims [1] : (tensor<1024x1024xf32>) -> tensor<1024xf32>
    return %3 : tensor<1024xf32>
  }
}

// -----

// Of values side by side each column needs one: four exponentials of a quarter of the columns are as many as one of all.

// CHECK: the kernel costs {{.*}}, instructions 582, further rounds
module attributes {stitch.device = #stitch.device<h200, launch_ns = 900, barrier_ns = 1350>} {
  func.func @main(%x: tensor<1024x1024xf32>, %a: tensor<256xf32>, %b: tensor<256xf32>, %c: tensor<256xf32>, %d: tensor<256xf32>) -> tensor<1024xf32> {
    %0 = tg.exp %a : tensor<256xf32>
    %1 = tg.exp %b : tensor<256xf32>
    %2 = tg.exp %c : tensor<256xf32>
    %3 = tg.exp %d : tensor<256xf32>
    %4 = tg.concatenate %0, %1, %2, %3 dim 0 : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<1024xf32>
    %5 = tg.broadcast %4 dims [1] : (tensor<1024xf32>) -> tensor<1024x1024xf32>
    %6 = tg.mul %x, %5 : tensor<1024x1024xf32>
    %7 = tg.reduce add %6 dims [1] : (tensor<1024x1024xf32>) -> tensor<1024xf32>
    return %7 : tensor<1024xf32>
  }
}
