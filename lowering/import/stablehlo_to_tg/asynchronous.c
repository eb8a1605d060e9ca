//===- asynchronous.c - operations that need not be waited for -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// stablehlo.async_start and async_done say that a collective, or a slice, may take its time. Their meaning is the
// value: the operation itself replaces them. Which calls overlap with which steps is a matter of plans
// (passes/stitch_communication).
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include <stdlib.h>
#include <string.h>

static bool mayBeAsynchronous(MlirOperation op) {
  static const char *const names[] = {"stablehlo.all_reduce",
                                      "stablehlo.all_gather",
                                      "stablehlo.all_to_all",
                                      "stablehlo.collective_permute",
                                      "stablehlo.reduce_scatter",
                                      "stablehlo.collective_broadcast",
                                      "stablehlo.slice",
                                      "stablehlo.dynamic_slice",
                                      "stablehlo.dynamic_update_slice"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (irOpIs(op, names[i]))
      return true;
  return false;
}

/// The one operation of the body; null, after an error, if there is none.
static MlirOperation findInner(HloConversion *c) {
  MlirBlock block = mlirOperationGetNumRegions(c->op) == 1 ? mlirRegionGetFirstBlock(mlirOperationGetRegion(c->op, 0))
                                                           : (MlirBlock){0};
  MlirOperation inner = mlirBlockIsNull(block) ? (MlirOperation){0} : mlirBlockGetFirstOperation(block);
  MlirOperation end = mlirOperationIsNull(inner) ? inner : irNextOp(inner);
  if (mlirOperationIsNull(end) || !irOpIs(end, "stablehlo.return") || !mlirOperationIsNull(irNextOp(end))) {
    hloFail(c, "its body must be one operation and a return");
    return (MlirOperation){0};
  }
  if (!mayBeAsynchronous(inner)) {
    MlirStringRef name = irOpName(inner);
    hloFail(c, "its body must be a collective or a slice, got %.*s", (int)name.length, name.data);
    return (MlirOperation){0};
  }
  bool returnsAll = mlirOperationGetNumOperands(end) == mlirOperationGetNumResults(inner);
  for (intptr_t i = 0; returnsAll && i < mlirOperationGetNumResults(inner); ++i)
    returnsAll = mlirValueEqual(irOperand(end, i), irResult(inner, i));
  if (returnsAll)
    return inner;
  hloFail(c, "its body must return the results of its operation");
  return (MlirOperation){0};
}

/// Operand i of the operation is that of async_start: by an argument of the body, or the value itself.
static bool matchOperands(HloConversion *c, MlirOperation inner) {
  MlirBlock block = mlirOperationGetBlock(inner);
  intptr_t count = mlirOperationGetNumOperands(c->op), numArguments = mlirBlockGetNumArguments(block);
  bool match = mlirOperationGetNumOperands(inner) == count && (numArguments == 0 || numArguments == count);
  for (intptr_t i = 0; match && i < count; ++i) {
    MlirValue own = irOperand(c->op, i), given = irOperand(inner, i);
    match = numArguments ? mlirValueEqual(given, mlirBlockGetArgument(block, i)) &&
                               mlirTypeEqual(mlirValueGetType(given), mlirValueGetType(own))
                         : mlirValueEqual(given, own);
  }
  return match || hloFail(c, "its operands must be those of the operation in its body");
}

/// "!stablehlo.future<...>" of these values.
static bool isFutureOf(HloConversion *c, MlirOperation inner) {
  if (mlirOperationGetNumResults(c->op) != 1)
    return hloFail(c, "it must have one result, got %ld", (long)mlirOperationGetNumResults(c->op));
  IrText text = {.arena = c->arena};
  irTextFormat(&text, "!stablehlo.future<");
  for (intptr_t i = 0; i < mlirOperationGetNumResults(inner); ++i) {
    char *type = irTypeText(mlirValueGetType(irResult(inner, i)));
    irTextFormat(&text, "%s%s", i ? "," : "", type);
    free(type);
  }
  irTextFormat(&text, ">");
  char *got = irTypeText(mlirValueGetType(irResult(c->op, 0)));
  size_t length = 0; // blanks between types mean nothing
  for (const char *from = got; *from; ++from)
    if (*from != ' ')
      got[length++] = *from;
  got[length] = '\0';
  bool same = strcmp(got, text.data) == 0;
  if (!same)
    hloFail(c, "its result must be a %s, got %s", text.data, got);
  free(got);
  return same;
}

/// Readers of the future read the values. The operands of async_done are replaced while its uses are counted.
static bool replaceFuture(HloConversion *c, MlirOperation inner) {
  intptr_t count = mlirOperationGetNumResults(inner);
  MlirValue *values = IR_NEW_ARRAY(c->arena, MlirValue, count + 1), future = irResult(c->op, 0);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = irResult(inner, i);
  for (MlirOpOperand use = mlirValueGetFirstUse(future); !mlirOpOperandIsNull(use);
       use = mlirValueGetFirstUse(future)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!irOpIs(user, "stablehlo.async_done"))
      return hloFail(c, "its result can only be waited for, by stablehlo.async_done");
    mlirOperationSetOperands(user, count, values);
  }
  return true;
}

MlirOperation hloInlineAsync(HloConversion *c) {
  MlirOperation inner = findInner(c);
  if (mlirOperationIsNull(inner) || !matchOperands(c, inner) || !isFutureOf(c, inner))
    return (MlirOperation){0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(c->op); ++i)
    mlirOperationSetOperand(inner, i, irOperand(c->op, i));
  mlirOperationDestroy(irNextOp(inner));
  MlirBlock block = mlirOperationGetBlock(c->op);
  mlirOperationRemoveFromParent(inner);
  mlirBlockInsertOwnedOperationBefore(block, c->op, inner);
  return replaceFuture(c, inner) ? inner : (MlirOperation){0};
}

bool hloConvertAsyncDone(HloConversion *c) {
  intptr_t count = mlirOperationGetNumResults(c->op);
  if (mlirOperationGetNumOperands(c->op) != count)
    return hloFail(c, "it must have a result for each value that it waits for");
  for (intptr_t i = 0; i < count; ++i) {
    MlirType from = mlirValueGetType(irOperand(c->op, i)), to = mlirValueGetType(irResult(c->op, i));
    if (!mlirTypeIsARankedTensor(from))
      return hloFail(c, "it must wait for a stablehlo.async_start of the same function");
    if (!mlirTypeEqual(from, to)) {
      char *fromText = irTypeText(from), *toText = irTypeText(to);
      hloFail(c, "it waits for a %s and returns a %s", fromText, toText);
      free(fromText);
      free(toText);
      return false;
    }
    mlirValueReplaceAllUsesOfWith(irResult(c->op, i), irOperand(c->op, i));
  }
  mlirOperationDestroy(c->op);
  return true;
}
