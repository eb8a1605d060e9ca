// RUN: stitch-opt %s -stitch-pipeline=plan=astitch -split-input-file | FileCheck %s
// RUN: stitch-opt %s "-stitch-pipeline=device=simt plan=astitch" -split-input-file | FileCheck %s --check-prefix=SIMT

// Few tasks: a block each, and all registers for it.

// CHECK-LABEL: func.func @few
// CHECK: #stitch.launch<grid = 7, block = 256, registers = 255, shared = 64, scratch = 0, barriers = 0>
func.func @few(%x: tensor<7x768xf32>) -> tensor<7xf32> {
  %r = tg.reduce add %x dims [1] : (tensor<7x768xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// -----

// Many tasks without a barrier: at most eight waves, with equal rounds. 32768 tasks of 8 rows; 4 blocks a multiprocessor with
// the registers for 24 elements and the rest.

// CHECK-LABEL: func.func @many
// CHECK: #stitch.launch<grid = 4096, block = 256, registers = 64, shared = 0, scratch = 0, barriers = 0>
func.func @many(%x: tensor<262144x768xf32>) -> tensor<262144xf32> {
  %r = tg.reduce add %x dims [1] : (tensor<262144x768xf32>) -> tensor<262144xf32>
  return %r : tensor<262144xf32>
}

// -----

// With a grid barrier the grid is one wave: 132 multiprocessors here, 4 of 1024 threads there.

// CHECK-LABEL: func.func @barrier
// CHECK: #stitch.launch<grid = 512, block = 256, registers = 64, {{.*}}barriers = 1>
// SIMT-LABEL: func.func @barrier
// SIMT: #stitch.launch<grid = {{[0-9]|1[0-6]}}, block = 256, {{.*}}barriers = 1>
func.func @barrier(%x: tensor<65536x128xf32>) -> tensor<65536x128xf32> {
  %r = tg.reduce add %x dims [1] : (tensor<65536x128xf32>) -> tensor<65536xf32>
  %v = tg.reverse %r dims [0] : tensor<65536xf32>
  %b = tg.broadcast %v dims [0] : (tensor<65536xf32>) -> tensor<65536x128xf32>
  %a = tg.mul %b, %x : tensor<65536x128xf32>
  return %a : tensor<65536x128xf32>
}

// -----

// A split reduce that is a result is finished in the next phase.

// CHECK-LABEL: func.func @finish
// CHECK: #stitch.launch<{{.*}}barriers = 1>
module attributes {stitch.device = #stitch.device<h200, cluster_blocks = 1>} {
  func.func @finish(%x: tensor<65536x128xf32>) -> tensor<128xf32> {
    %r = tg.reduce add %x dims [0] : (tensor<65536x128xf32>) -> tensor<128xf32>
    return %r : tensor<128xf32>
  }
}
