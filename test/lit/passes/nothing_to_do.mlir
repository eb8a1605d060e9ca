// Passes that find nothing to do say so, and what makes what they look for.
//
// RUN: stitch-opt %s -stitch-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: stitch-opt %s -tg-simplify -stitch-outline -stitch-dominants -stitch-launch -convert-stitch-to-gpu -gpu-to-simt -convert-tosa-to-tg -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSES --implicit-check-not=remark

// RUN: sh -c 'for pass in stitch-axes stitch-replicate stitch-templates stitch-schedule stitch-verify-plan stitch-apply-rules stitch-select-versions stitch-streams stitch-raise-products tg-hoist tg-row-indices convert-vhlo-to-stablehlo; do stitch-opt %s -$pass -o /dev/null 2>&1 | grep -q "remark: $pass: finds no operation of" || { echo $pass; exit 1; }; done'
// RUN: echo 'module {}' | stitch-opt -stitch-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: echo 'module {module @a {func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {%0 = tg.exp %a : tensor<4xf32> return %0 : tensor<4xf32>}}}' | stitch-opt -stitch-pipeline -o /dev/null 2>&1 | count 0
// EMPTY: remark: stitch-pipeline: finds no operations of tg to plan

// PIPELINE: remark: stitch-pipeline: finds no operations of tg to plan, which convert-linalg-to-tg, convert-tosa-to-tg and convert-stablehlo-to-tg make; operations of other dialects: tensor (1), linalg (1)

// PASSES: remark: tg-simplify: finds no operation of tg, which convert-linalg-to-tg, convert-tosa-to-tg or convert-stablehlo-to-tg leaves
// PASSES: remark: stitch-outline: finds no operation of tg
// PASSES: remark: stitch-dominants: finds no operation of stitch.fusion, which stitch-outline leaves
// PASSES: remark: stitch-launch: finds no operation of stitch.fusion or tg, which stitch-outline leaves
// PASSES: remark: convert-stitch-to-gpu: finds no stitch.fusion and no stitch.library_call, which the planning passes (stitch-pipeline) make of operations of tg
// PASSES: remark: gpu-to-simt: finds no operation of gpu.module, which convert-stitch-to-gpu leaves
// PASSES: remark: convert-tosa-to-tg: finds no operation of tosa
func.func @f(%a: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.add ins(%a, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
