// RUN: stitch-opt %S/Inputs/associative_scans.mlir --convert-stablehlo-to-tg --tg-raise-cumulatives --canonicalize --stitch-remarks 2>&1 | FileCheck %s
// RUN: stitch-opt %S/Inputs/associative_scans.mlir --convert-stablehlo-to-tg --tg-raise-cumulatives | stitch-opt | FileCheck %s --check-prefix=AGAIN

// RUN: stitch-opt %s --tg-raise-cumulatives | FileCheck %s --check-prefix=NARROW
// RUN: stitch-opt %S/Inputs/associative_scans.mlir --convert-stablehlo-to-tg --tg-raise-cumulatives=exact --canonicalize | FileCheck %s --check-prefix=EXACT
// RUN: stitch-compile %S/Inputs/associative_scans.mlir --entry=linear --pipeline=precision=strict --emit=gpu --no-reference -o - | FileCheck %s --check-prefix=STRICT
// RUN: stitch-compile %S/Inputs/associative_scans.mlir --entry=reversed --pipeline=precision=strict --emit=gpu --no-reference -o - | FileCheck %s --check-prefix=STRICT-MINIMUM
// RUN: stitch-compile %S/Inputs/associative_scans.mlir --entry=linear --pipeline='precision=strict precision=default' --emit=gpu --no-reference -o - | FileCheck %s --check-prefix=DEFAULT

// precision=strict rounds each operation as the graph has it: what depends on the order stays.
// EXACT-LABEL: func.func @linear
// EXACT-NOT: cumulative
// EXACT-LABEL: func.func @reversed
// EXACT: tg.cumulative min
// EXACT-LABEL: func.func @constant
// EXACT-NOT: cumulative
// STRICT-NOT: gpu.func @{{.*}}cumulative
// STRICT-MINIMUM: gpu.func @cumulative
// DEFAULT: gpu.func @general_cumulative

// AGAIN: tg.general_cumulative

// What is widened to be summed and narrowed again is summed in f32 as it is; what is read wide is not.
// NARROW-LABEL: func.func @narrow
// NARROW-NEXT: %[[R:.*]] = tg.cumulative add %arg0 dim 0 reverse : tensor<70xbf16>
// NARROW-NEXT: return %[[R]]
func.func @narrow(%x: tensor<70xbf16>) -> tensor<70xbf16> {
  %0 = tg.convert %x : (tensor<70xbf16>) -> tensor<70xf32>
  %1 = tg.cumulative add %0 dim 0 reverse : tensor<70xf32>
  %2 = tg.convert %1 : (tensor<70xf32>) -> tensor<70xbf16>
  return %2 : tensor<70xbf16>
}
// NARROW-LABEL: func.func @wide
// NARROW: tg.cumulative add %{{.*}} dim 0 : tensor<70xf32>
func.func @wide(%x: tensor<70xbf16>) -> (tensor<70xbf16>, tensor<70xf32>) {
  %0 = tg.convert %x : (tensor<70xbf16>) -> tensor<70xf32>
  %1 = tg.cumulative add %0 dim 0 : tensor<70xf32>
  %2 = tg.convert %1 : (tensor<70xf32>) -> tensor<70xbf16>
  return %2, %1 : tensor<70xbf16>, tensor<70xf32>
}

// CHECK: remark: the steps of an associative scan of 64 elements: it is made a cumulative operation

// Values alone are read: they come first, and there is no result of the factors.
// CHECK-LABEL: func.func @linear
// CHECK-NEXT: %[[R:.*]] = tg.general_cumulative %arg1, %arg0 dim 0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<f32>, %[[A:.*]]: tensor<f32>, %[[Y:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
// CHECK-DAG: %[[XB:.*]] = tg.mul %[[B]], %[[X]] : tensor<f32>
// CHECK-DAG: %[[V:.*]] = tg.add %[[XB]], %[[Y]] : tensor<f32>
// CHECK-DAG: %[[AB:.*]] = tg.mul %[[A]], %[[B]] : tensor<f32>
// CHECK: tg.yield %[[V]], %[[AB]] : tensor<f32>, tensor<f32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]

// Both are: one operation, along another axis, of a size that halves to odd ones.
// CHECK-LABEL: func.func @both
// CHECK-NEXT: %[[R:.*]]:2 = tg.general_cumulative %{{.*}}, %{{.*}} dim 1 : (tensor<3x67xf32>, tensor<3x67xf32>) -> (tensor<3x67xf32>, tensor<3x67xf32>) {
// CHECK: return %[[R]]#{{.}}, %[[R]]#{{.}}

// A function with a name, from the last element on.
// CHECK-LABEL: func.func @reversed
// CHECK-NEXT: %[[R:.*]] = tg.cumulative min %arg0 dim 0 reverse : tensor<65xi32>
// CHECK-NEXT: return %[[R]]

// CHECK-LABEL: func.func @constant
// CHECK-NEXT: %[[HALF:.*]] = tg.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: tg.general_cumulative %arg0 dim 0
// CHECK: tg.add %{{.*}}, %[[HALF]] : tensor<f32>
// CHECK: return

// CHECK-LABEL: func.func @shifted
// CHECK-NEXT: %[[R:.*]] = tg.cumulative add %arg0 dim 0 : tensor<64xf32>
// CHECK-NEXT: return %[[R]]

// Not by 4; with zeros among factors; with another function, or of other elements, in one place.
// CHECK-LABEL: func.func @gap
// CHECK-NOT: cumulative
// CHECK-LABEL: func.func @no_identity
// CHECK-NOT: cumulative
// CHECK-LABEL: func.func @another
// CHECK-NOT: cumulative
// CHECK-LABEL: func.func @elements
// CHECK-NOT: cumulative
