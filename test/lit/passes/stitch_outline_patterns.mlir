// RUN: stitch-opt %s -split-input-file -stitch-outline="scope=fusionstitching max-ops=2" | FileCheck %s --check-prefix=CYCLE
// RUN: stitch-opt %s -split-input-file -stitch-outline="scope=fusionstitching max-ops=2" --stitch-remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stitch-opt %s -split-input-file -stitch-outline="scope=fusionstitching" | FileCheck %s --check-prefix=WHOLE
// RUN: not stitch-opt %S/Inputs/no_device.mlir -stitch-outline="scope=fusionstitching" 2>&1 | FileCheck %s --check-prefix=DEVICE

// FusionStitching's integer program over patterns.

// Figure 3: with two operations in a kernel at most, {exp, add} and {log, mul} save most, and so do {exp, mul} and {log,
// add}; each pair is a cycle, found one after the other. What is left is {add, mul}.

// CYCLE-LABEL: func.func @cycle
// CYCLE: stitch.fusion
// CYCLE-NEXT: tg.exp
// CYCLE-NEXT: stitch.yield
// CYCLE: stitch.fusion
// CYCLE-NEXT: tg.log
// CYCLE-NEXT: stitch.yield
// CYCLE: stitch.fusion
// CYCLE-NEXT: tg.add
// CYCLE-NEXT: tg.mul
// CYCLE-NEXT: stitch.yield
// CYCLE-NOT: stitch.fusion
// CYCLE-LABEL: func.func @between

// REMARK: pattern of 2 operations (substitution) is chosen: {{[0-9]+}} ns as one kernel, which saves {{[0-9]+}} ns
// REMARK: 1 of 5 patterns are chosen, which saves {{[0-9]+}} ns; 2 programs, 1 cycles ruled out; of the last one's parts 1 were searched through

// WHOLE-LABEL: func.func @cycle
// WHOLE-COUNT-1: stitch.fusion
// WHOLE-NOT: stitch.fusion
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @cycle(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>)
      -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
    %p = tg.exp %x : tensor<1024x1024xf32>
    %q = tg.log %y : tensor<1024x1024xf32>
    %0 = tg.add %p, %q : tensor<1024x1024xf32>
    %1 = tg.mul %p, %q : tensor<1024x1024xf32>
    return %0, %1 : tensor<1024x1024xf32>, tensor<1024x1024xf32>
  }
}

// -----

// Kernel packing (figure 5 a): what lies between two products is one kernel, connected or not; a product is a border, and
// what comes before it and behind it by another path stays where it is first needed.

// WHOLE-LABEL: func.func @between
// WHOLE: stitch.fusion
// WHOLE-DAG: tg.exp
// WHOLE-DAG: tg.log
// WHOLE: stitch.library_call
// WHOLE: stitch.library_call
// WHOLE: stitch.fusion
// WHOLE-DAG: tg.tanh
// WHOLE-DAG: tg.sqrt
// WHOLE: return
module attributes {stitch.device = #stitch.device<h200>} {
  func.func @between(%x: tensor<64x128xf32>, %y: tensor<32x32xf32>) -> (tensor<64x64xf32>, tensor<32x32xf32>) {
    %a = tg.exp %x : tensor<64x128xf32>
    %b = tg.log %y : tensor<32x32xf32>
    %c = tg.dot %a, %a contract [1] x [1] : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x64xf32>
    %d = tg.dot %b, %b contract [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %0 = tg.tanh %c : tensor<64x64xf32>
    %1 = tg.sqrt %d : tensor<32x32xf32>
    return %0, %1 : tensor<64x64xf32>, tensor<32x32xf32>
  }
}

// DEVICE: has no device to tell costs for: set stitch.device on the module
