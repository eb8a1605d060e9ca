//===- epilogue_call.c - stitch-outline: library calls with epilogues ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a product and the epilogue that was chosen for it. Leaves the stitch.library_call with both in its body, in
// front of the first reader.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/tg_build.h"
#include "passes/common/fusion_body.h"
#include "passes/stitch_outline/epilogue.h"

/// Moves an operation to the end of a body. Values from outside become arguments of the body; an epilogue's broadcasts
/// and constants are computed in it.
static void moveIntoBody(FusionBody *body, MlirOperation op, MlirLocation loc, bool isEpilogue) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = irOperand(op, i);
    MlirOperation definition = irDefiningOp(operand);
    if (!mlirOperationIsNull(definition) && mlirBlockEqual(mlirOperationGetBlock(definition), body->block))
      continue;
    if (!isEpilogue || !isCloned(operand)) {
      mlirOperationSetOperand(op, i, fusionBodyArgument(body, operand, loc));
      continue;
    }
    MlirOperation clone = mlirOperationClone(definition);
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(clone); ++j)
      mlirOperationSetOperand(clone, j, fusionBodyArgument(body, irOperand(definition, j), loc));
    mlirBlockAppendOwnedOperation(body->block, clone);
    mlirOperationSetOperand(op, i, irResult(clone, 0));
  }
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(body->block, op);
}

/// A bias is a broadcast in the body: so is one of a single row, which the graph reshapes.
static void broadcastBias(const Epilogue *e) {
  MlirValue value = irResult(e->product, 0);
  for (intptr_t i = 0; i < e->count; value = irResult(e->ops[i++], 0)) {
    if (tgKindOf(e->ops[i]) != TG_add || !isBias(e->product, otherOperand(e->ops[i], value)))
      continue;
    intptr_t place = mlirValueEqual(irOperand(e->ops[i], 0), value) ? 1 : 0;
    MlirOperation bias = irDefiningOp(irOperand(e->ops[i], place));
    if (tgKindOf(bias) != TG_reshape)
      continue;
    MlirValue vector = irOperand(bias, 0);
    IrShape dims = {.rank = irShapeOf(vector).rank};
    for (intptr_t k = 0; k < dims.rank; ++k)
      dims.dims[k] = irShapeOf(value).rank - dims.rank + k;
    IrBuilder b = irBuilderBefore(e->ops[i]);
    mlirOperationSetOperand(e->ops[i], place, tgBroadcast(&b, vector, mlirValueGetType(value), dims));
  }
}

/// tg.gelu, or its gradient, of the body's value.
static MlirValue appendActivation(FusionBody *body, const Activation *a, MlirValue value, MlirLocation loc) {
  IrBuilder b = irBuilderAtEnd(body->block, loc);
  IrAttrs approximate = IR_ATTRS(irUnit(&b, "approximate"));
  MlirType type = mlirValueGetType(value);
  if (a->kind == TG_gelu)
    return irValueOf(&b, "tg.gelu", IR_VALUES(value), type, approximate);
  MlirValue operand = fusionBodyArgument(body, a->operand, loc);
  return irValueOf(&b, "tg.gelu_gradient", IR_VALUES(operand, value), type, approximate);
}

static void remark(const Epilogue *e, MlirOperation call) {
  if (e->count && tgKindOf(e->ops[0]) == TG_transpose) {
    stitchRemark(call, "writes its result transposed: the transpose needs no kernel");
    return;
  }
  MlirType type = mlirValueGetType(irResult(call, 0));
  long long bytes = (long long)(irNumElements(irTypeShape(type)) * irElementBytes(irElementType(type)));
  if (e->activation.kind != TG_NONE)
    stitchRemark(call, "does %s%s, %ld operations on its result: no kernel reads that before",
                 tgNameOfKind(e->activation.kind), e->keepsOperand ? ", whose operand it keeps" : "",
                 (long)(e->count + e->activation.count));
  else if (e->count)
    stitchRemark(call,
                 "does %ld operations on its result, which is needed in memory: saves at least %lld bytes of traffic",
                 (long)e->count, bytes);
  if (!mlirOperationIsNull(e->sum))
    stitchRemark(call, "sums %s as it goes: no kernel has to read it for that",
                 e->activation.kind != TG_NONE ? "its result" : "an operand");
}

/// The operation in whose place, before it, the call belongs: behind all that it does.
static MlirOperation insertionPointOf(const Epilogue *e) {
  MlirOperation last = e->activation.kind != TG_NONE ? irDefiningOp(activationResult(&e->activation))
                       : e->count                    ? e->ops[e->count - 1]
                                                     : e->product;
  MlirOperation next = mlirOperationGetNextInBlock(last);
  bool isSum = !mlirOperationIsNull(e->sum) && mlirOperationEqual(next, e->sum);
  return isSum ? mlirOperationGetNextInBlock(next) : next;
}

/// The sum's operand is one of the product's, or the result of the activation's operations, `from`, and the body now
/// computes it.
static void moveSum(FusionBody *body, const Epilogue *e, MlirValue from, MlirValue computed, MlirLocation loc) {
  if (mlirValueEqual(irOperand(e->sum, 0), from))
    mlirOperationSetOperand(e->sum, 0, computed);
  moveIntoBody(body, e->sum, loc, false);
}

void epilogueWrap(Outline *outline, const Epilogue *e) {
  FusionBody body = fusionBodyCreate();
  ValueList results = {0};
  MlirLocation loc = mlirOperationGetLocation(e->product);
  broadcastBias(e);
  MlirOperation next = insertionPointOf(e);
  moveIntoBody(&body, e->product, loc, false);
  MlirValue before = irResult(e->product, 0), value = before; // `value` is the last operation's result for `before`
  for (intptr_t i = 0; i < e->count; ++i, before = value, value = irResult(e->ops[i - 1], 0))
    moveIntoBody(&body, e->ops[i], loc, true);
  MlirValue replaced = value; // the value that others know as the result
  if (e->activation.kind != TG_NONE) {
    replaced = activationResult(&e->activation);
    before = value;
    value = appendActivation(&body, &e->activation, before, loc);
  }
  valueListAdd(&results, value);
  if (e->keepsOperand)
    valueListAdd(&results, before);
  if (!mlirOperationIsNull(e->sum)) {
    moveSum(&body, e, replaced, value, loc);
    valueListAdd(&results, irResult(e->sum, 0));
  }
  MlirBlock inside = body.block;
  MlirOperation call = fusionBodyClose(&body, "stitch.library_call", loc, &results, next);
  replaceUsesOutside(inside, replaced, irResult(call, 0));
  activationErase(&e->activation);
  // Of the values before the result, gradients need a gelu's operand; of a relu's operand, only sign tests are left.
  replaceUsesOutside(inside, before, irResult(call, e->keepsOperand ? 1 : 0));
  if (!mlirOperationIsNull(e->sum))
    replaceUsesOutside(inside, irResult(e->sum, 0), irResult(call, e->keepsOperand ? 2 : 1));
  valueListDestroy(&results);
  remark(e, call);
  stitchPassAddStatistic(outline->run, STATISTIC_LIBRARY_CALLS, 1);
}
