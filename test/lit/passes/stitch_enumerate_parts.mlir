// RUN: stitch-opt %s --stitch-set-device='device=h200' --stitch-outline --stitch-enumerate='growth=1000' --stitch-remarks 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t
// REMARK: remark: 3 adaptive variables: 10^1.7 combinations, of which 6 are to be run

// Kernels within versions of products vary, too: where products are apart, and where one call computes them.

// CHECK-LABEL: func.func @main(%arg0: tensor<512x64xf32>
// CHECK: stitch.adaptive "products_0" ["apart", "all", "batched"]
// CHECK: stitch.adaptive "plan_1" ["planned", "xla"]
// CHECK: }, {
// CHECK: tg.concatenate
// CHECK: tg.dot {{.*}} -> tensor<512x1536xf32>
// CHECK: stitch.adaptive "plan_2" ["planned", "xla"]
// CHECK: tg.slice {{.*}} [0:512, 0:768]
func.func @main(%x: tensor<512x64xf32>, %v: tensor<64x768xf32>, %w: tensor<64x768xf32>) -> tensor<512x768xf32> {
  %0 = tg.dot %x, %v contract [1] x [0] : (tensor<512x64xf32>, tensor<64x768xf32>) -> tensor<512x768xf32>
  %1 = tg.dot %x, %w contract [1] x [0] : (tensor<512x64xf32>, tensor<64x768xf32>) -> tensor<512x768xf32>
  %2 = tg.mul %0, %1 : tensor<512x768xf32>
  %3 = tg.exp %2 : tensor<512x768xf32>
  %4 = tg.reduce add %3 dims [1] : (tensor<512x768xf32>) -> tensor<512xf32>
  %5 = tg.broadcast %4 dims [0] : (tensor<512xf32>) -> tensor<512x768xf32>
  %6 = tg.div %3, %5 : tensor<512x768xf32>
  return %6 : tensor<512x768xf32>
}
