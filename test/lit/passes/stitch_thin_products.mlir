// RUN: stitch-opt %s -split-input-file -stitch-thin-products | FileCheck %s
// RUN: stitch-opt %s -split-input-file -stitch-thin-products="max-free=0 max-contracted=0" | FileCheck %s --check-prefix=NONE
// RUN: stitch-opt %s -split-input-file -stitch-thin-products --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not stitch-opt %s -split-input-file -stitch-thin-products=max-free=-1 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-thin-products 2>&1 | FileCheck %s --check-prefix=DEVICE

// NONE-COUNT-8: tg.dot
// ERROR: option 'max-free' must be 0 or more, and is -1
// DEVICE: has no device to tell costs for

// A row times a matrix whose contracted dimension is outermost: a reduction over the rows of the matrix, read once.

// REMARK: a product over 256 elements, of 1 x 512 elements: kernels take it in, for its left operand is thin
// CHECK-LABEL: func.func @row_times_matrix
// CHECK-SAME: %[[X:.*]]: tensor<1x256xf32>, %[[W:.*]]: tensor<256x512xf32>
// CHECK: %[[ROW:.*]] = tg.reshape %[[X]] : (tensor<1x256xf32>) -> tensor<256xf32>
// CHECK: %[[SPREAD:.*]] = tg.broadcast %[[ROW]] dims [0] : (tensor<256xf32>) -> tensor<256x512xf32>
// CHECK: %[[MUL:.*]] = tg.mul %[[W]], %[[SPREAD]]
// CHECK: %[[SUM:.*]] = tg.reduce add %[[MUL]] dims [0]
// CHECK: tg.reshape %[[SUM]] : (tensor<512xf32>) -> tensor<1x512xf32>
// CHECK-NOT: tg.dot
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @row_times_matrix(%x: tensor<1x256xf32>, %w: tensor<256x512xf32>) -> tensor<1x512xf32> {
    %0 = tg.dot %x, %w contract [1] x [0] : (tensor<1x256xf32>, tensor<256x512xf32>) -> tensor<1x512xf32>
    return %0 : tensor<1x512xf32>
  }
}

// -----

// A matrix times three columns, in bf16: three sums of products in f32 over the same elements, each rounded once.

// REMARK: a product over 256 elements, of 512 x 3 elements: kernels take it in, for its right operand is thin
// CHECK-LABEL: func.func @three_columns
// CHECK-COUNT-3: tg.reduce add {{.*}} dims [1] : (tensor<512x256xf32>) -> tensor<512xf32>
// CHECK: tg.concatenate {{.*}} dim 1 : (tensor<512x1xbf16>, tensor<512x1xbf16>, tensor<512x1xbf16>) -> tensor<512x3xbf16>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @three_columns(%w: tensor<512x256xbf16>, %x: tensor<256x3xbf16>) -> tensor<512x3xbf16> {
    %0 = tg.dot %w, %x contract [1] x [0] : (tensor<512x256xbf16>, tensor<256x3xbf16>) -> tensor<512x3xbf16>
    return %0 : tensor<512x3xbf16>
  }
}

// -----

// Attention of one query: batch dimensions stay, wherever they are.

// CHECK-LABEL: func.func @one_query
// CHECK: tg.broadcast %{{.*}} dims [0, 2, 3] : (tensor<2x8x64xf32>) -> tensor<2x100x8x64xf32>
// CHECK: tg.reduce add {{.*}} dims [3] : (tensor<2x100x8x64xf32>) -> tensor<2x100x8xf32>
// CHECK: tg.transpose {{.*}} permutation [0, 2, 1]
// CHECK: tg.reshape {{.*}} -> tensor<2x8x1x100xf32>
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @one_query(%q: tensor<2x8x1x64xf32>, %k: tensor<2x100x8x64xf32>) -> tensor<2x8x1x100xf32> {
    %0 = tg.dot %q, %k batch [0, 1] x [0, 2] contract [3] x [3]
        : (tensor<2x8x1x64xf32>, tensor<2x100x8x64xf32>) -> tensor<2x8x1x100xf32>
    return %0 : tensor<2x8x1x100xf32>
  }
}

// -----

// The gradient of a weight at batch 2: a sum of two products for each element.

// REMARK: a product over 2 elements, of 256 x 512 elements: kernels take it in, for its contraction is thin
// CHECK-LABEL: func.func @outer
// CHECK-COUNT-2: tg.mul {{.*}} : tensor<256x512xf32>
// CHECK: tg.add {{.*}} : tensor<256x512xf32>
// CHECK-NOT: tg.reduce
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @outer(%x: tensor<2x256xf32>, %g: tensor<2x512xf32>) -> tensor<256x512xf32> {
    %0 = tg.dot %x, %g contract [0] x [0] : (tensor<2x256xf32>, tensor<2x512xf32>) -> tensor<256x512xf32>
    return %0 : tensor<256x512xf32>
  }
}

// -----

// Integers are multiplied in the result's type; sizes that are open, truth values and complex numbers are left alone, and so
// is what arithmetic limits: sixteen rows of a large matrix of two bytes an element; or eight that a thread goes along, as they share nothing.

// CHECK-LABEL: func.func @others
// CHECK: tg.convert {{.*}} -> tensor<8x8xi32>
// CHECK: tg.reduce add
// CHECK: tg.dot {{.*}} tensor<1x8xcomplex<f32>>
// CHECK: tg.dot {{.*}} tensor<1x8xi1>
// CHECK: tg.dot {{.*}} tensor<16x8192xbf16>
// CHECK-LABEL: func.func @eight
// CHECK: tg.dot
// CHECK-NOT: tg.dot
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @others(%a: tensor<1x8xi8>, %b: tensor<8x8xi8>, %c: tensor<1x8xcomplex<f32>>, %d: tensor<8x8xcomplex<f32>>,
                    %e: tensor<1x8xi1>, %f: tensor<8x8xi1>, %g: tensor<16x8192xbf16>, %h: tensor<8192x8192xbf16>)
      -> (tensor<1x8xi32>, tensor<1x8xcomplex<f32>>, tensor<1x8xi1>, tensor<16x8192xbf16>) {
    %0 = tg.dot %a, %b contract [1] x [0] : (tensor<1x8xi8>, tensor<8x8xi8>) -> tensor<1x8xi32>
    %1 = tg.dot %c, %d contract [1] x [0] : (tensor<1x8xcomplex<f32>>, tensor<8x8xcomplex<f32>>) -> tensor<1x8xcomplex<f32>>
    %2 = tg.dot %e, %f contract [1] x [0] : (tensor<1x8xi1>, tensor<8x8xi1>) -> tensor<1x8xi1>
    %3 = tg.dot %g, %h contract [1] x [0] : (tensor<16x8192xbf16>, tensor<8192x8192xbf16>) -> tensor<16x8192xbf16>
    return %0, %1, %2, %3 : tensor<1x8xi32>, tensor<1x8xcomplex<f32>>, tensor<1x8xi1>, tensor<16x8192xbf16>
  }
  func.func @eight(%x: tensor<8x2048xbf16>, %columns: tensor<2048x8192xbf16>, %rows: tensor<8192x2048xbf16>) -> (tensor<8x8192xbf16>, tensor<8x8192xbf16>) {
    %0 = tg.dot %x, %rows contract [1] x [1] : (tensor<8x2048xbf16>, tensor<8192x2048xbf16>) -> tensor<8x8192xbf16>
    %1 = tg.dot %x, %columns contract [1] x [0] : (tensor<8x2048xbf16>, tensor<2048x8192xbf16>) -> tensor<8x8192xbf16>
    return %0, %1 : tensor<8x8192xbf16>, tensor<8x8192xbf16>
  }
}
