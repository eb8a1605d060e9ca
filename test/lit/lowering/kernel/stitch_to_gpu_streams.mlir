// RUN: stitch-opt %s --stitch-pipeline='plan=astitch streams=2' --convert-stitch-to-gpu | FileCheck %s
// RUN: stitch-opt %s --stitch-pipeline='plan=astitch streams=1' --convert-stitch-to-gpu | FileCheck %s --check-prefix=OFF
// OFF-NOT: stitch.step
// OFF-NOT: stitch.reads

// The last step reads what two others write, one of them on another stream; it waits for the step before it through that.
// What a step of an epoch has read last, no other step of the epoch writes: the results of the second epoch do not lie where
// the first one's did, but those of the third may, and wait for who has read there.

// CHECK-LABEL: func.func @main
// CHECK: memref.view %{{.*}}[%c0][] : memref<65536xi8> to memref<4096xf32>
// CHECK: memref.view %{{.*}}[%c16384][]
// CHECK: memref.view %{{.*}}[%c32768][]
// CHECK: memref.view %{{.*}}[%c49152][]
// CHECK: memref.view %{{.*}}[%c0{{_[0-9]+}}][]
// CHECK: stitch.choose "streams_0"
// CHECK-NEXT: stitch.step 0 super_epoch 0 on "streams_0" [0, 0] after []
// CHECK-NEXT: call @dot_0({{.*}}) {stitch.reads = array<i1: true, true, false>}
// CHECK-NEXT: stitch.step 1 super_epoch 0 on "streams_0" [0, 1] after []
// CHECK-NEXT: call @dot_0
// CHECK-NEXT: stitch.chosen "streams_0"
// CHECK-NEXT: stitch.choose "streams_1"
// CHECK-NEXT: stitch.step 2 super_epoch 0 on "streams_1" [0, 0] after [0]
// CHECK-NEXT: call @dot_0
// CHECK-NEXT: stitch.step 3 super_epoch 0 on "streams_1" [0, 1] after [1]
// CHECK-NEXT: call @dot_0
// CHECK-NEXT: stitch.step 4 super_epoch 0 after [3, 2]
// CHECK-NEXT: call @dot_0
// CHECK-NEXT: stitch.step 5 super_epoch 0 after [4]
// CHECK-NEXT: call @dot_0
// CHECK-NEXT: stitch.join
// CHECK-NEXT: stitch.chosen "streams_1"
// CHECK-NEXT: return
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tg.dot %x, %y contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = tg.dot %y, %x contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tg.dot %0, %y contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = tg.dot %1, %y contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = tg.dot %2, %3 contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = tg.dot %4, %y contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %5 : tensor<64x64xf32>
}
