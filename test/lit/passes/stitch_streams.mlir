// RUN: stitch-opt %s --split-input-file --stitch-set-device='device=h200' --stitch-outline --stitch-streams='streams=2' --stitch-remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// RUN: stitch-opt %s --split-input-file --stitch-set-device='device=h200' --stitch-outline --stitch-streams='streams=2 super-epoch=0' | FileCheck %s --check-prefix=SHORT
// RUN: stitch-opt %s --split-input-file --stitch-set-device='device=h200' --stitch-outline --stitch-streams='streams=1' | FileCheck %s --check-prefix=OFF
// RUN: stitch-opt %s --split-input-file --stitch-set-device='device=h200' --stitch-outline --stitch-streams='streams=2 exhaustive=15' | FileCheck %s --check-prefix=PREFIX
// RUN: not stitch-opt %s --split-input-file --stitch-set-device='device=h200' --stitch-outline --stitch-streams='streams=9' 2>&1 | FileCheck %s --check-prefix=NINE
// RUN: not stitch-opt %s --split-input-file --stitch-outline --stitch-streams='streams=2' 2>&1 | FileCheck %s --check-prefix=DEVICE
// OFF-NOT: stitch.streams
// NINE: error: pass 'stitch-streams': option 'streams' must be from 1 to 8, and is 9
// DEVICE: error: 'builtin.module' op has no device for which streams could be planned

// Ten products of one shape on two streams: five choices beside one stream (Astra 4.5.5).

// REMARK: remark: 10 steps on 2 streams: 6 versions
// REMARK: remark: 1 super-epochs on 2 streams: 1 adaptive variables of 6 versions together
// CHECK-LABEL: func.func @main
// CHECK-SAME: stitch.update = ["parallel", ["prefix", "streams_0"]]
// CHECK: stitch.library_call
// CHECK-SAME: stitch.streams = {epoch = 1 : i64, on = array<i64: 0, 0, 0, 0, 0, 0>, super_epoch = 0 : i64, variable = "streams_0", versions = ["one", "9+1", "8+2", "7+3", "6+4", "5+5"]}
// CHECK-COUNT-8: stitch.library_call
// CHECK: stitch.library_call
// CHECK-SAME: on = array<i64: 0, 1, 1, 1, 1, 1>

// With super-epochs of no time at all each step is joined with the next one, and nothing varies.

// SHORT: stitch.streams = {epoch = 1 : i64, super_epoch = 0 : i64}
// SHORT: stitch.streams = {epoch = 1 : i64, super_epoch = 1 : i64}
func.func @main(%x: tensor<8x8xf32>, %w: tensor<10x8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %7 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %9 = tg.dot %x, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// The steps of an epoch stand together. Of three classes are a product that others read, one that they do not, and one
// of another shape; a Fourier transform stays on the first stream. A single step is the next epoch: nothing varies there.

// REMARK: remark: 4 steps on 2 streams: 8 versions
// CHECK-LABEL: func.func @main
// CHECK: stitch.library_call(%{{.*}} = %arg0, %{{.*}} = %arg2) {{.*}}stitch.streams = {epoch = 1 : i64, on = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>,
// CHECK: stitch.library_call(%{{.*}} = %arg2, %{{.*}} = %arg0) {{.*}} on = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>,
// CHECK-SAME: versions = ["one", "1+0.1+0.0+1", "1+0.0+1.1+0", "1+0.0+1.0+1", "0+1.1+0.1+0",
// CHECK: stitch.library_call(%{{.*}} = %arg0, %{{.*}} = %arg1) {{.*}} on = array<i64: 0, 1, 0, 1, 0, 1, 0, 1>,
// CHECK: stitch.library_call(%{{.*}} = %arg0) {{.*}} on = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>,
// CHECK: stitch.library_call({{.*}}stitch.streams = {epoch = 2 : i64, super_epoch = 0 : i64}
func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x4xf32>, %z: tensor<8x8xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x5xcomplex<f32>>) {
  %0 = tg.dot %x, %z contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = tg.dot %0, %y contract [1] x [0] : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = tg.dot %z, %x contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = tg.dot %x, %y contract [1] x [0] : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %4 = tg.fft rfft %x length [8] : (tensor<8x8xf32>) -> tensor<8x5xcomplex<f32>>
  return %1, %2, %3, %4 : tensor<8x4xf32>, tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x5xcomplex<f32>>
}

// -----

// Where the streams of an epoch leave the next one with something to wait for, all combinations are explored if they are
// few: two chains of four products, of 16. With fewer allowed, each epoch decides for itself.

// REMARK: remark: 1 super-epochs on 2 streams: 4 adaptive variables of 8 versions together
// CHECK-LABEL: func.func @main
// CHECK-SAME: stitch.update = ["parallel", ["exhaustive", "streams_0", "streams_1", "streams_2", "streams_3"]]
// PREFIX-LABEL: func.func @main
// PREFIX: stitch.update = ["parallel", ["prefix", "streams_0", "streams_1", "streams_2", "streams_3"]]
func.func @main(%x: tensor<8x8xf32>, %y: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<4x8xf32>) {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = tg.dot %y, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = tg.dot %0, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = tg.dot %1, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %4 = tg.dot %2, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = tg.dot %3, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %6 = tg.dot %4, %w contract [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %7 = tg.dot %5, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %6, %7 : tensor<8x8xf32>, tensor<4x8xf32>
}
