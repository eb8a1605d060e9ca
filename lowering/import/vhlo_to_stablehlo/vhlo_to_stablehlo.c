//===- vhlo_to_stablehlo.c - VHLO to StableHLO ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module as dialects/vhlo reads it from a portable artifact, of any version of VHLO. Leaves the StableHLO that
// the artifact was made from: the same that StableHLO's text has. Types and most attributes have been converted as they
// were read. Modules without VHLO pass.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/query.h"
#include "lowering/import/vhlo_to_stablehlo/attributes.h"
#include "stitch.h"

#include "mlir-c/Dialect/Func.h"

#include <stdio.h>
#include <string.h>

static const char *const operations[] = {
#define VHLO_OP(name, version, ...) "vhlo." #name "_v" #version,
#include "dialects/vhlo/ops.def"
};

static bool isKnown(MlirStringRef name) {
  for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); ++i)
    if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(operations[i])))
      return true;
  return false;
}

/// The name of the operation in StableHLO, or in the dialect func.
static const char *stablehloNameOf(VhloConversion *c) {
  if (irOpIs(c->op, "vhlo.func_v1"))
    return "func.func";
  if (irOpIs(c->op, "vhlo.call_v1"))
    return "func.call";
  MlirOperation parent = mlirOperationGetParentOperation(c->op);
  bool endsFunction = !mlirOperationIsNull(parent) && irOpIs(parent, "vhlo.func_v1");
  if (irOpIs(c->op, "vhlo.return_v1") && endsFunction)
    return "func.return";
  MlirStringRef full = irOpName(c->op);
  size_t prefix = strlen("vhlo."), version = strlen("_v1"), size = full.length + strlen("stablehlo.") + 1;
  char *name = irArenaAllocate(c->arena, size);
  snprintf(name, size, "stablehlo.%.*s", (int)(full.length - prefix - version), full.data + prefix);
  return name;
}

static bool checkFunction(VhloConversion *c) {
  MlirAttribute name = irGetAttr(c->op, "sym_name"), type = irGetAttr(c->op, "function_type");
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name))
    return vhloFail(c, "the function has no name");
  if (mlirAttributeIsNull(type) || !mlirAttributeIsAType(type) || !mlirTypeIsAFunction(mlirTypeAttrGetValue(type)))
    return vhloFail(c, "attribute 'function_type' is not the type of a function");
  return mlirOperationGetNumRegions(c->op) == 1 || vhloFail(c, "a function must have one body");
}

/// Puts the operation in the place of the VHLO operation, with its regions.
static void replaceByStablehlo(VhloConversion *c) {
  MlirOperation op = c->op;
  intptr_t numOperands = mlirOperationGetNumOperands(op), numResults = mlirOperationGetNumResults(op);
  MlirValue *operands = IR_NEW_ARRAY(c->arena, MlirValue, numOperands + 1);
  MlirType *results = IR_NEW_ARRAY(c->arena, MlirType, numResults + 1);
  for (intptr_t i = 0; i < numOperands; ++i)
    operands[i] = irOperand(op, i);
  for (intptr_t i = 0; i < numResults; ++i)
    results[i] = mlirValueGetType(irResult(op, i));
  MlirOperationState state =
      mlirOperationStateGet(mlirStringRefCreateFromCString(stablehloNameOf(c)), mlirOperationGetLocation(op));
  mlirOperationStateAddOperands(&state, numOperands, operands);
  mlirOperationStateAddResults(&state, numResults, results);
  mlirOperationStateAddAttributes(&state, c->count, c->attributes);
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirRegion region = mlirRegionCreate();
    mlirRegionTakeBody(region, mlirOperationGetRegion(op, i));
    mlirOperationStateAddOwnedRegions(&state, 1, &region);
  }
  MlirOperation created = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, created);
  for (intptr_t i = 0; i < numResults; ++i)
    mlirValueReplaceAllUsesOfWith(irResult(op, i), irResult(created, i));
  mlirOperationDestroy(op);
}

static bool convertVhloOp(MlirOperation op, IrArena *arena) {
  VhloConversion c = {.op = op, .context = mlirOperationGetContext(op), .arena = arena};
  if (!isKnown(irOpName(op)))
    return vhloFail(&c, "VHLO has no such operation up to version 1.20.0; the artifact is of a newer one");
  if (mlirOperationGetNumSuccessors(op) > 0)
    return vhloFail(&c, "VHLO has no branches between blocks");
  if (irOpIs(op, "vhlo.func_v1") && !checkFunction(&c))
    return false;
  if (!vhloConvertAttributes(&c))
    return false;
  replaceByStablehlo(&c);
  return true;
}

static bool isOf(MlirOperation op, const char *dialect) {
  MlirStringRef name = irOpName(op);
  size_t length = strlen(dialect);
  return name.length > length && !memcmp(name.data, dialect, length);
}

//===----------------------------------------------------------------------===//
// Shardy
//===----------------------------------------------------------------------===//

static bool hasOneOperandAsResult(MlirOperation op) {
  return mlirOperationGetNumOperands(op) == 1 && mlirOperationGetNumResults(op) == 1 &&
         mlirTypeEqual(mlirValueGetType(irOperand(op, 0)), mlirValueGetType(irResult(op, 0)));
}

/// Between VHLO and Shardy values change from VHLO's types to MLIR's, which here are the same.
static void dropCast(MlirOperation op) {
  if (!hasOneOperandAsResult(op))
    return;
  mlirValueReplaceAllUsesOfWith(irResult(op, 0), irOperand(op, 0));
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Converts all that is nested in `op`, innermost first, past errors too, so that all are reported.
static bool convertRegions(MlirOperation op, IrArena *arena) {
  bool success = true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      IR_FOR_EACH_OP_REPLACING(nested, block) {
        success &= convertRegions(nested, arena);
        if (isOf(nested, "vhlo."))
          success &= convertVhloOp(nested, arena);
        else if (irOpIs(nested, "builtin.unrealized_conversion_cast"))
          dropCast(nested);
      }
  return success;
}

static void run(StitchPassRun pass, MlirOperation module) {
  IrArena arena = {0};
  if (!convertRegions(module, &arena))
    stitchPassSignalFailure(pass);
  irArenaDestroy(&arena);
}

static MlirDialectHandle (*const dependentDialects[])(void) = {mlirGetDialectHandle__func__,
                                                               mlirGetDialectHandle__stablehlo__};

const StitchPassInfo convertVhloToStableHLOPass = {
    .argument = "convert-vhlo-to-stablehlo",
    .description = "Convert the VHLO of a portable artifact to StableHLO",
    .anchor = "builtin.module",
    .takes = "vhlo",
    .dependentDialects = dependentDialects,
    .numDependentDialects = 2,
    .run = run,
};
