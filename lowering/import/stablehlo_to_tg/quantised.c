//===- quantised.c - arithmetic of quantised tensors ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module with quantised types, leaves one without: their integers are in their place, in the types of functions
// too. First the specification's arithmetic replaces each operation, on integers or floats, with tg.bitcast_convert
// between quantised tensors and their integers. Then types change, and these operations go.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/quantised.h"

#include "ir/mlir/retype.h"
#include <string.h>

static bool isPrefix(const char *prefix, MlirStringRef text) {
  return text.length >= strlen(prefix) && !memcmp(text.data, prefix, strlen(prefix));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Whether a tuple or a tensor has quantised elements.
static bool hasQuantised(MlirType type) {
  if (!mlirTypeIsATuple(type))
    return quantIsQuantised(type);
  for (intptr_t i = 0; i < mlirTupleTypeGetNumTypes(type); ++i)
    if (hasQuantised(mlirTupleTypeGetType(type, i)))
      return true;
  return false;
}

/// The types of an operation's results, and of the arguments of blocks in it.
static bool hasValidTypes(HloConversion *c) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i)
    if (!quantIsValid(c, hloResultType(c, i), "result", i))
      return false;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(c->op); ++r)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(c->op, r))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        if (!quantIsValid(c, mlirValueGetType(mlirBlockGetArgument(block, i)), "argument", i))
          return false;
  return true;
}

/// Whether the operands' types keep all constraints: where one does not, an error says so where it is defined.
static bool hasUsableOperands(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!quantIsUsable(mlirValueGetType(irOperand(op, i))))
      return false;
  return true;
}

/// Operands and results are ranked tensors, or tuples of such.
static bool hasRankedTypes(HloConversion *c) {
  intptr_t numOperands = mlirOperationGetNumOperands(c->op), numResults = mlirOperationGetNumResults(c->op);
  for (intptr_t i = 0; i < numOperands + numResults; ++i) {
    MlirType type = i < numOperands ? mlirValueGetType(hloOperand(c, i)) : hloResultType(c, i - numOperands);
    if (!mlirTypeIsARankedTensor(type) && !mlirTypeIsATuple(type))
      return hloFail(c, "only ranked tensors are supported");
  }
  return true;
}

/// Whether operands, results or the arguments of blocks in an operation are quantised.
static bool usesQuantised(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (hasQuantised(mlirValueGetType(irOperand(op, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (hasQuantised(mlirValueGetType(irResult(op, i))))
      return true;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
        if (hasQuantised(mlirValueGetType(mlirBlockGetArgument(block, i))))
          return true;
  return false;
}

static bool lowerNested(MlirOperation op, IrArena *arena);

/// Operations whose results are computed here are destroyed, others stay, with other types in the end.
static bool lowerOp(MlirOperation op, IrArena *arena) {
  HloConversion c = {.op = op, .b = irBuilderBefore(op), .arena = arena};
  MlirStringRef name = irOpName(op);
  if (irOpIs(op, "func.func"))
    return hasValidTypes(&c) && lowerNested(op, arena);
  if (isPrefix("tg.", name) || !usesQuantised(op))
    return lowerNested(op, arena);
  const QuantRule *rule = quantRuleOf(op);
  if (!hasUsableOperands(op) || !hasValidTypes(&c))
    return false;
  if (!rule)
    return irOpIs(op, "stablehlo.convert")
               ? hloFail(&c, "stablehlo.uniform_quantize and uniform_dequantize convert quantised tensors")
               : hloFail(&c, "it has no meaning for quantised types");
  if (!hasRankedTypes(&c) || !rule->lower(&c))
    return false;
  if (rule->isReplaced) {
    mlirOperationDestroy(op);
    return true;
  }
  return lowerNested(op, arena);
}

/// Lowers all that is nested in `op`, past errors too, so that all are reported.
static bool lowerNested(MlirOperation op, IrArena *arena) {
  bool success = true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      IR_FOR_EACH_OP_REPLACING(nested, block)
        success &= lowerOp(nested, arena);
  return success;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Drops the casts between quantised tensors and their integers, which are the same by now.
static void dropCasts(MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
      IR_FOR_EACH_OP_REPLACING(nested, block) {
        dropCasts(nested);
        if (!irOpIs(nested, "tg.bitcast_convert") ||
            !mlirTypeEqual(mlirValueGetType(irOperand(nested, 0)), mlirValueGetType(irResult(nested, 0))))
          continue;
        mlirValueReplaceAllUsesOfWith(irResult(nested, 0), irOperand(nested, 0));
        mlirOperationDestroy(nested);
      }
}

/// Whether a module has anything quantised at all.
static bool needsLowering(MlirOperation op) {
  if (usesQuantised(op))
    return true;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
      IR_FOR_EACH_OP(nested, block)
        if (needsLowering(nested))
          return true;
  return false;
}

bool hloLowerQuantised(MlirOperation module) {
  IrArena arena = {0};
  if (!needsLowering(module))
    return true;
  bool success = lowerNested(module, &arena);
  if (success) {
    irRetype(module, quantStorageType);
    dropCasts(module);
  }
  irArenaDestroy(&arena);
  return success;
}
