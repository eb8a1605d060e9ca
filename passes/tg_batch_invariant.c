//===- tg_batch_invariant.c - tg-batch-invariant -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the option invariant of stitch-pipeline. Takes tg operations, and leaves the module with the attribute
// stitch.invariant: its library calls take no algorithm by the number of rows (docs/precision.md). Kernels are planned
// for the largest size, and do the same for each row of a smaller one. An error if no size is open: the promise is one
// about the sizes that one plan is for.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/symbol.h"
#include "stitch.h"

static bool takesOpenSize(MlirOperation function) {
  MlirBlock body = irBody(function, 0);
  for (intptr_t i = 0; !mlirBlockIsNull(body) && i < mlirBlockGetNumArguments(body); ++i)
    if (!mlirAttributeIsNull(irSymbolOfArgument(function, i).name))
      return true;
  return false;
}

static void run(StitchPassRun pass, MlirOperation module) {
  bool isOpen = false;
  IR_FOR_EACH_OP(op, irBody(module, 0))
    isOpen |= irOpIs(op, "func.func") && takesOpenSize(op);
  if (!isOpen) {
    stitchEmitOpError(module, "has no size that is open, and invariant=batch is for all values of one: "
                              "stitch-compile --dim b=1..64, say");
    stitchPassSignalFailure(pass);
    return;
  }
  irSetAttr(module, IR_INVARIANT_ATTRIBUTE, mlirUnitAttrGet(mlirOperationGetContext(module)));
}

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo tgBatchInvariantPass = {
    .argument = "tg-batch-invariant",
    .description = "Have a row's bits not depend on how many rows an open size has",
    .anchor = "builtin.module",
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = run,
};
