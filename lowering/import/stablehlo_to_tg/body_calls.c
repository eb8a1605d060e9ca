//===- body_calls.c - functions that bodies call -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of a body of a reduction, sort or the like is read from its operations. So functions that it calls (JAX
// prints jnp.where as a call) are inlined. Calls elsewhere are tg-simplify's.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

/// The functions whose bodies a call is in, from the innermost.
typedef struct Callers {
  MlirOperation function;
  const struct Callers *outer;
} Callers;

static MlirStringRef calledSymbol(MlirOperation op, const char *attribute) {
  return mlirStringAttrGetValue(irGetAttr(op, attribute));
}

/// The function that an operation calls; null if it calls none that has a body of one block.
static MlirOperation calleeOf(MlirOperation module, MlirOperation op) {
  if (!irOpIs(op, "func.call"))
    return (MlirOperation){NULL};
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(irGetAttr(op, "callee"));
  IR_FOR_EACH_OP(function, irBody(module, 0)) {
    if (!irOpIs(function, "func.func") || !mlirStringRefEqual(calledSymbol(function, "sym_name"), name))
      continue;
    MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
    bool isOneBlock = !mlirBlockIsNull(body) && mlirBlockIsNull(mlirBlockGetNextInRegion(body));
    return isOneBlock ? function : (MlirOperation){NULL};
  }
  return (MlirOperation){NULL};
}

static bool isCalled(const Callers *callers, MlirOperation function) {
  for (; callers; callers = callers->outer)
    if (mlirOperationEqual(callers->function, function))
      return true;
  return false;
}

static bool inlineIn(MlirOperation module, MlirOperation op, const Callers *callers);

/// Puts a function's operations in the place of a call. Calls in them are inlined before. False after an error.
static bool inlineCall(MlirOperation module, MlirOperation call, MlirOperation callee, const Callers *callers) {
  if (isCalled(callers, callee)) {
    MlirStringRef name = calledSymbol(callee, "sym_name");
    stitchEmitOpError(call, "calls '%.*s', which calls itself: a recursion cannot be inlined", (int)name.length,
                      name.data);
    return false;
  }
  MlirOperation copy = mlirOperationClone(callee);
  Callers inner = {callee, callers};
  bool valid = inlineIn(module, copy, &inner);
  MlirBlock body = irBody(copy, 0);
  MlirOperation end = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; valid && i < mlirOperationGetNumOperands(call); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), irOperand(call, i));
  while (valid && !mlirOperationEqual(mlirBlockGetFirstOperation(body), end))
    mlirOperationMoveBefore(mlirBlockGetFirstOperation(body), call);
  for (intptr_t i = 0; valid && i < mlirOperationGetNumResults(call); ++i)
    mlirValueReplaceAllUsesOfWith(irResult(call, i), irOperand(end, i));
  mlirOperationDestroy(copy);
  if (valid)
    mlirOperationDestroy(call);
  return valid;
}

/// Inlines the calls in the regions of `op`. False after an error.
static bool inlineIn(MlirOperation module, MlirOperation op, const Callers *callers) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
      IR_FOR_EACH_OP_REPLACING(nested, block) {
        MlirOperation callee = calleeOf(module, nested);
        bool isValid = mlirOperationIsNull(callee) ? inlineIn(module, nested, callers)
                                                   : inlineCall(module, nested, callee, callers);
        if (!isValid)
          return false;
      }
  return true;
}

bool hloInlineBodyCalls(MlirOperation module) {
  IR_FOR_EACH_OP(function, irBody(module, 0))
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(function); ++i)
      IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(function, i))
        IR_FOR_EACH_OP(op, block)
          if (!inlineIn(module, op, NULL))
            return false;
  return true;
}
