//===- lower_reduce.c - reduce and arg_reduce -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes tg's reductions. Leaves linalg.generic with reduction loops, or a loop nest around the body where several
// values are combined together.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "lowering/reference/tg_to_linalg/lower_body.h"
#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"
#include "lowering/reference/tg_to_linalg/structured.h"

#include <stdlib.h>

/// The iteration space is the operand's; results have the dimensions that `isReduced` leaves.
static MlirAffineMap keptMap(MlirContext context, intptr_t rank, const bool *isReduced) {
  int64_t kept[IR_MAX_RANK];
  intptr_t count = 0;
  for (intptr_t i = 0; i < rank; ++i)
    if (!isReduced[i])
      kept[count++] = i;
  return dimsMap(context, rank, count, kept);
}

MlirValue lowerReduce(const Lowering *l) {
  MlirContext context = l->b->context;
  MlirType element = resultElementType(l);
  TgKind kind = combinerOf(irGetInt(l->op, "kind", -1));
  bool isBitwise = kind == TG_and || kind == TG_or || kind == TG_xor;
  if (kind == TG_NONE || (isBitwise && irIsFloat(element)))
    return (MlirValue){NULL};

  MlirType accumulator = accumulatorType(kind, element);
  MlirType type = tensorWithElement(resultStorageType(l, 0), storageType(accumulator));
  MlirValue identity = scalarIdentity(l->b, kind, element, accumulator);
  if (mlirValueIsNull(identity))
    return identity;
  IrShape dims = irGetDims(l->op, "dims");
  Generic generic = {.rank = irShapeOf(irOperand(l->op, 0)).rank};
  for (intptr_t i = 0; i < dims.rank; ++i)
    generic.reduction[dims.dims[i]] = true;
  addInput(&generic, loweredOperand(l, 0), identityMap(context, generic.rank));
  addInit(&generic, filledTensor(l->b, type, identity), keptMap(context, generic.rank, generic.reduction));
  beginGeneric(l->b, &generic);
  MlirValue value = scalarConvert(&generic.body, genericArgument(&generic, 0), element, accumulator);
  endGeneric(&generic, IR_VALUES(scalarCombine(&generic.body, kind, accumulator, genericArgument(&generic, 1), value)));
  return convertedTensor(l->b, irResult(generic.op, 0), accumulator, element);
}

bool lowerArgReduce(const Lowering *l, MlirValue *results) {
  MlirContext context = l->b->context;
  MlirType element = operandElementType(l, 0);
  MlirType indexType = irElementType(resultStorageType(l, 1));
  TgKind kind = combinerOf(irGetInt(l->op, "kind", -1));
  int64_t dim = irGetInt(l->op, "dim", 0);
  if (kind != TG_min && kind != TG_max)
    return false;

  Generic generic = {.rank = irShapeOf(irOperand(l->op, 0)).rank};
  generic.reduction[dim] = true;
  MlirAffineMap kept = keptMap(context, generic.rank, generic.reduction);
  MlirValue zero = irConstantInt(l->b, indexType, 0);
  addInput(&generic, loweredOperand(l, 0), identityMap(context, generic.rank));
  addInit(&generic, filledTensor(l->b, resultStorageType(l, 0), scalarIdentity(l->b, kind, element, element)), kept);
  addInit(&generic, filledTensor(l->b, resultStorageType(l, 1), zero), kept);
  beginGeneric(l->b, &generic);
  IrBuilder *b = &generic.body;
  MlirValue value = genericArgument(&generic, 0);
  // Strictly better, so that of equal values the first stays, or the first NaN.
  MlirValue better = scalarIsBetter(b, kind, element, scalarWiden(b, value, element),
                                    scalarWiden(b, genericArgument(&generic, 1), element));
  MlirValue index = irUnary(b, "arith.index_cast", genericIndex(&generic, dim), indexType);
  endGeneric(&generic, IR_VALUES(irSelect(b, better, value, genericArgument(&generic, 1)),
                                 irSelect(b, better, index, genericArgument(&generic, 2))));
  results[0] = irResult(generic.op, 0);
  results[1] = irResult(generic.op, 1);
  return true;
}

/// The order of dimensions of a loop nest over `shape`: the kept ones, then the reduced ones, each in their order.
static void loopOrder(IrShape shape, const bool *isReduced, IrShape *kept, IrShape *reduced, int64_t *keptDims,
                      int64_t *reducedDims) {
  kept->rank = reduced->rank = 0;
  for (intptr_t d = 0; d < shape.rank; ++d) {
    IrShape *list = isReduced[d] ? reduced : kept;
    (isReduced[d] ? reducedDims : keptDims)[list->rank] = d;
    list->dims[list->rank++] = shape.dims[d];
  }
}

/// For each kept index, the values so far go round through the loops over the reduced dimensions and the body.
bool lowerGeneralReduce(const Lowering *l, MlirValue *results) {
  intptr_t count = mlirOperationGetNumResults(l->op);
  MlirValue *inputs = irAllocate(sizeof(MlirValue) * (size_t)(6 * count)), at[IR_MAX_RANK];
  MlirValue *outputs = inputs + count, *inits = inputs + 2 * count, *arguments = inputs + 3 * count;
  MlirValue *yielded = inputs + 5 * count;
  for (intptr_t i = 0; i < count; ++i) {
    inputs[i] = operandBuffer(l, i);
    outputs[i] = newBuffer(l->b, resultStorageType(l, i));
    inits[i] = extractElement(l->b, loweredOperand(l, count + i), IR_NO_VALUES);
  }
  IrShape dims = irGetDims(l->op, "dims"), kept, reduced;
  int64_t keptDims[IR_MAX_RANK], reducedDims[IR_MAX_RANK];
  bool isReduced[IR_MAX_RANK] = {false};
  for (intptr_t i = 0; i < dims.rank; ++i)
    isReduced[dims.dims[i]] = true;
  loopOrder(irShapeOf(inputs[0]), isReduced, &kept, &reduced, keptDims, reducedDims);

  LoopNest outer, inner;
  beginLoops(l->b, &outer, kept, IR_NO_VALUES);
  beginLoops(&outer.body, &inner, reduced, (IrValues){count, inits});
  for (intptr_t i = 0; i < kept.rank; ++i)
    at[keptDims[i]] = outer.index[i];
  for (intptr_t i = 0; i < reduced.rank; ++i)
    at[reducedDims[i]] = inner.index[i];
  for (intptr_t i = 0; i < count; ++i) {
    arguments[i] = inner.carried[i];
    arguments[count + i] = loadElement(&inner.body, inputs[i], at);
  }
  lowerElementBody(l, &inner.body, irBody(l->op, 0), arguments, yielded);
  endLoops(&inner, (IrValues){count, yielded});
  for (intptr_t i = 0; i < count; ++i)
    storeElement(&outer.body, irResult(inner.loops[0], i), outputs[i], outer.index);
  endLoops(&outer, IR_NO_VALUES);
  for (intptr_t i = 0; i < count; ++i)
    results[i] = bufferContents(l->b, outputs[i], resultStorageType(l, i));
  free(inputs);
  return true;
}
