//===- stitch_to_gpu.c - convert-stitch-to-gpu ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a planned module: @main with stitch.fusion (plan attributes and stitch.launch), stitch.library_call, tg.reshape
// as views and tg.constant. Leaves gpu.module @kernels with one gpu.func for each distinct fusion, and @main on memrefs
// with gpu.launch_func and calls to library functions: docs/ir.md, section 3. After AStitch sections 3.2 and 4.3, with
// the values of equal mappings kept in registers across groups.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host.h"

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "stitch.h"

#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Complex.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/Dialect/Math.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/NVGPU.h"
#include "mlir-c/Dialect/NVVM.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/UB.h"
#include "mlir-c/Dialect/Vector.h"

static void run(StitchPassRun pass, MlirOperation module) {
  MlirOperation main = irFindFunction(module, "main");
  if (mlirOperationIsNull(main)) {
    stitchEmitOpError(module, "has no function @main to convert");
    stitchPassSignalFailure(pass);
    return;
  }
  if (!hostConvert(module, main, stitchPassGetBool(pass, 0)))
    stitchPassSignalFailure(pass);
}

static MlirDialectHandle (*const dialects[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__complex__, mlirGetDialectHandle__func__,
    mlirGetDialectHandle__gpu__,   mlirGetDialectHandle__math__,    mlirGetDialectHandle__memref__,
    mlirGetDialectHandle__scf__,   mlirGetDialectHandle__ub__,      mlirGetDialectHandle__nvgpu__,
    mlirGetDialectHandle__nvvm__,  mlirGetDialectHandle__vector__,  mlirGetDialectHandle__stitch__};

static const StitchPassOption options[] = {
    {"graphs", "keep what each kernel and library function computes in a module @graphs, for checks",
     STITCH_OPTION_BOOL, 0, NULL},
};

const StitchPassInfo convertStitchToGpuPass = {
    .argument = "convert-stitch-to-gpu",
    .description = "Planned fusions to GPU kernels, and the function around them to launches and library calls",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
