// RUN: stitch-opt %s --stitch-set-device=device=h200 --stitch-outline=epilogues=false --stitch-enumerate=growth=60 | FileCheck %s

// There is room for a version of one of the two kernels that read products: of that which takes longest, though it is the
// last one.

// CHECK: stitch.fusion
// CHECK-SAME: tensor<64x256xf32>
// CHECK: stitch.adaptive "plan_0" {{.*}} tensor<8192x256xf32>
// CHECK-NOT: stitch.adaptive
func.func @main(%x: tensor<64x64xf32>, %y: tensor<8192x64xf32>, %w: tensor<64x256xf32>, %v: tensor<64x256xf32>) -> (tensor<64x256xf32>, tensor<8192x256xf32>) {
  %0 = tg.dot %x, %w contract [1] x [0] : (tensor<64x64xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %1 = tg.reduce add %0 dims [1] : (tensor<64x256xf32>) -> tensor<64xf32>
  %2 = tg.broadcast %1 dims [0] : (tensor<64xf32>) -> tensor<64x256xf32>
  %3 = tg.div %0, %2 : tensor<64x256xf32>
  %4 = tg.dot %y, %v contract [1] x [0] : (tensor<8192x64xf32>, tensor<64x256xf32>) -> tensor<8192x256xf32>
  %5 = tg.reduce add %4 dims [1] : (tensor<8192x256xf32>) -> tensor<8192xf32>
  %6 = tg.broadcast %5 dims [0] : (tensor<8192xf32>) -> tensor<8192x256xf32>
  %7 = tg.div %4, %6 : tensor<8192x256xf32>
  return %3, %7 : tensor<64x256xf32>, tensor<8192x256xf32>
}
