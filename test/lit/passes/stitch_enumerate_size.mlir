// RUN: stitch-opt %s --stitch-set-device='device=h200' --stitch-outline --stitch-enumerate='growth=60' | FileCheck %s --check-prefix=LITTLE
// RUN: stitch-opt %S/Inputs/products_of_widths.mlir --stitch-set-device='device=h200' --stitch-outline --stitch-enumerate='growth=100' --stitch-remarks 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: stitch-opt %s --stitch-set-device='device=h200' --stitch-outline --stitch-enumerate='growth=300' | FileCheck %s --check-prefix=SOME
// RUN: stitch-opt %s --stitch-set-device='device=h200' --stitch-outline --stitch-enumerate='growth=1000' | FileCheck %s --check-prefix=MUCH

// How much longer versions may make a model file. Products of a group have at least a version together; smaller chunks
// side by side, and other plans, are there if there is room: first chunks, then plans. Batches have the kernels that
// products apart have, so that chunks for whose kernels there is no room are batches, if they can be.

// LITTLE: stitch.adaptive "products_0" ["apart", "batched_2", "batched_4", "all", "batched"]
// LITTLE-NOT: stitch.adaptive

// Products of different widths are no batch. What is not there is said, and the launches that it could save: one of an h200 takes 550 ns.
// LEFT: remark: 5 products: by_4 is left out, as its kernels would make the file too long (option growth): 2 calls, which could save 1650 ns of launches
// LEFT: remark: 5 products: by_2 is left out, as its kernels would make the file too long (option growth): 3 calls, which could save 1100 ns of launches

// SOME: stitch.adaptive "products_0" ["apart", "batched_2", "by_4", "all", "batched"]
// SOME: stitch.adaptive "plan_

// MUCH: stitch.adaptive "products_0" ["apart", "by_2", "by_4", "all", "batched"]
// MUCH: stitch.adaptive "plan_
func.func @main(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>, %d: tensor<64x64xf32>, %e: tensor<64x64xf32>, %f: tensor<512x768xf32>) -> (tensor<64x64xf32>, tensor<512x768xf32>) {
  %0 = tg.dot %x, %a contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = tg.dot %x, %b contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = tg.dot %x, %c contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = tg.dot %x, %d contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = tg.dot %x, %e contract [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = tg.tanh %0 : tensor<64x64xf32>
  %6 = tg.mul %5, %1 : tensor<64x64xf32>
  %7 = tg.add %6, %2 : tensor<64x64xf32>
  %8 = tg.mul %7, %3 : tensor<64x64xf32>
  %9 = tg.add %8, %4 : tensor<64x64xf32>
  %10 = tg.reduce max %f dims [1] : (tensor<512x768xf32>) -> tensor<512xf32>
  %11 = tg.broadcast %10 dims [0] : (tensor<512xf32>) -> tensor<512x768xf32>
  %12 = tg.sub %f, %11 : tensor<512x768xf32>
  %13 = tg.exp %12 : tensor<512x768xf32>
  %14 = tg.reduce add %13 dims [1] : (tensor<512x768xf32>) -> tensor<512xf32>
  %15 = tg.broadcast %14 dims [0] : (tensor<512xf32>) -> tensor<512x768xf32>
  %16 = tg.div %13, %15 : tensor<512x768xf32>
  return %9, %16 : tensor<64x64xf32>, tensor<512x768xf32>
}
