// RUN: stitch-opt %s -convert-stablehlo-to-tg --mlir-print-debuginfo | FileCheck %s
// RUN: stitch-opt %s -stitch-rules --mlir-print-debuginfo | FileCheck %s --check-prefix=BEFORE

// Hints are names in locations and rules of the module from the converters on: attributes go with no operation that another replaces.
// A name that the program has stays the first.

// CHECK: module attributes {stitch.rules = {{\[}}{at = {{.*}}, hint, kind = "alone", patterns = ["name=\22hint#0\22"], value = "alone"}, {at = {{.*}}, hint, kind = "together", patterns = ["name=\22hint#1\22", "name=\22mi\\*ne\22"], value = "with:mi*ne"}, {at = {{.*}}, hint, kind = "scheme", patterns = ["name=\22hint#1\22"], value = "global"}]}
// CHECK: tg.exp %{{[^{]*}} loc([[EXP:#loc[0-9]*]])
// CHECK: tg.tanh %{{[^{]*}} loc([[TANH:#loc[0-9]*]])
// CHECK-DAG: [[HINT0:#loc[0-9]*]] = loc("hint#0"(
// CHECK-DAG: [[EXP]] = loc("mi*ne"([[HINT0]]))
// CHECK-DAG: [[HINT1:#loc[0-9]*]] = loc("hint#1")
// CHECK-DAG: [[TANH]] = loc("its own"([[HINT1]]))
// BEFORE: stitch.rules
// BEFORE: stablehlo.exponential{{.*}} loc(
func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.exponential %a {stitch.name = "mi*ne", stitch.fuse = "alone"} : tensor<64x64xf32>
  %1 = stablehlo.tanh %0 {stitch.fuse = "with:mi*ne", stitch.scheme = "global"} : tensor<64x64xf32> loc("its own")
  return %1 : tensor<64x64xf32>
}
