// RUN: stitch-opt %s -stitch-pipeline=plan=best | FileCheck %s
// RUN: stitch-opt %s -stitch-pipeline=plan=best --stitch-remarks -o %t.remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s -stitch-pipeline=plan=best -o %t.silent
// RUN: diff %t.remarks %t.silent
// RUN: stitch-opt %source/test/models/bert_layer_training.mlir --convert-stablehlo-to-tg --stitch-pipeline=adaptive=true | FileCheck %s --check-prefix=ADAPTIVE
// RUN: sed "s/^module {/module attributes {stitch.device = #stitch.device<h200, launch_ns = 2100, barrier_ns = 1350>} {/" %source/test/lit/runtime/Inputs/library_calls.mlir > %t.slow.mlir
// RUN: stitch-opt %t.slow.mlir --convert-stablehlo-to-tg --stitch-pipeline=plan=best --stitch-remarks -o %t.calls 2>&1 | FileCheck %s --check-prefix=LAUNCHES
// RUN: grep -c "stitch.launch\|= stitch.library_call" %t.calls | FileCheck %s --check-prefix=COUNT
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

// A plan with 5 launches costs 2 % more than the cheapest, which has 7: less than the model can tell. One with 12 costs
// half more: that it can tell.
// LAUNCHES: plan=thin costs 36383 ns, hardly more than the least, with fewer launches: it is taken (5 launches,
// LAUNCHES: plan=cheapest-thin costs 35844 ns (7 launches,
// LAUNCHES-NOT: it is taken
// LAUNCHES: plan=xla costs 52669 ns (12 launches,
// COUNT: {{^}}5{{$}}

// DEVICE: has no device to be planned for: set stitch.device on the module
func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %sum = tg.reduce add %x dims [1] : (tensor<512x512xf32>) -> tensor<512xf32>
  %sums = tg.broadcast %sum dims [0] : (tensor<512xf32>) -> tensor<512x512xf32>
  %0 = tg.div %x, %sums : tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
