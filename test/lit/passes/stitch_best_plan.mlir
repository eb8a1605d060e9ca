// RUN: stitch-opt %s -stitch-pipeline=plan=best | FileCheck %s
// RUN: stitch-opt %s -stitch-pipeline=plan=best --stitch-remarks -o %t.remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s -stitch-pipeline=plan=best -o %t.silent
// RUN: diff %t.remarks %t.silent
// RUN: stitch-opt %source/test/models/bert_layer_training.mlir --convert-stablehlo-to-tg --stitch-pipeline=adaptive=true | FileCheck %s --check-prefix=ADAPTIVE
// RUN: stitch-compile %source/test/models/llama_layer.mlir --emit=plan --device=h200 --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=LAUNCHES
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-best-plan 2>&1 | FileCheck %s --check-prefix=DEVICE

// Several whole plans are made, and the cheapest is taken; of equal ones the first.

// REMARK: plan=astitch-by-cost costs [[#%u,LEAST:]] ns, the least: it is taken (1 launches
// REMARK: plan=cheapest costs
// REMARK: plan=fusionstitching costs
// REMARK: plan=apollo costs
// REMARK: plan=xla costs
// REMARK: the plan costs [[#LEAST]] ns

// CHECK: func.func @main
// CHECK: stitch.fusion
// CHECK: stitch.launch
// CHECK-NOT: stitch.fusion
// CHECK-NOT: builtin.module

// The cheapest plan, and what it leaves to the runtime.
// ADAPTIVE: stitch.adaptive
// ADAPTIVE: stitch.fusion

// A plan that costs little more than the cheapest has fewer launches: less than the model can tell.
// LAUNCHES: plan=attention-cheapest costs {{[0-9]+}} ns, hardly more than the least, with fewer launches: it is taken

// DEVICE: has no device to be planned for: set stitch.device on the module
func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %sum = tg.reduce add %x dims [1] : (tensor<512x512xf32>) -> tensor<512xf32>
  %sums = tg.broadcast %sum dims [0] : (tensor<512xf32>) -> tensor<512x512xf32>
  %0 = tg.div %x, %sums : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
