//===- variables.c - stitch-enumerate: variables and default versions ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations of a block that have several forms. Leaves a stitch.adaptive with a name of its own, whose version 0
// is the operations themselves.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "passes/stitch_enumerate/enumerate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// The entry of a variable that runs in a version of a fork alone.
static MlirAttribute withinFork(MlirAttribute fork, MlirAttribute name) {
  MlirContext context = mlirAttributeGetContext(name);
  MlirNamedAttribute entries[2] = {irNamed(context, "context", mlirArrayAttrGet(context, 1, &fork)),
                                   irNamed(context, "variable", name)};
  return mlirDictionaryAttrGet(context, 2, entries);
}

MlirAttribute newVariable(Enumeration *e, MlirOperation op, const char *kind, int64_t numChoices) {
  char name[48];
  snprintf(name, sizeof(name), "%s_%lld", kind, (long long)e->numVariables);
  MlirAttribute attribute = irStringAttr(mlirOperationGetContext(op), name);
  intptr_t count = e->numVariables;
  IR_RESERVE_ONE(e->updates, count, e->updateCapacity);
  e->updates[count] = mlirAttributeIsNull(e->fork) ? attribute : withinFork(e->fork, attribute);
  e->combinations += log10((double)numChoices);
  ++e->numVariables;
  return attribute;
}

MlirOperation createAdaptive(MlirOperation before, MlirAttribute variable, const MlirAttribute *names, int64_t count,
                             const ValueList *results) {
  IrBuilder b = irBuilderBefore(before);
  MlirType *types = irAllocate(sizeof(*types) * (size_t)(results->count + 1));
  for (int64_t i = 0; i < results->count; ++i)
    types[i] = mlirValueGetType(results->values[i]);
  MlirOperation op = irOpWithRegions(
      &b, "stitch.adaptive", IR_NO_VALUES, (IrTypes){results->count, types},
      IR_ATTRS(irAttr(&b, "variable", variable), irAttr(&b, "versions", mlirArrayAttrGet(b.context, count, names))),
      count, IR_NO_TYPES);
  free(types);
  return op;
}

MlirOperation endVersion(MlirOperation adaptive, int64_t version, IrValues values) {
  IrBuilder b = irBuilderAtEnd(irBody(adaptive, version), mlirOperationGetLocation(adaptive));
  return irOp(&b, "stitch.yield", values, IR_NO_TYPES, IR_NO_ATTRS);
}

//===----------------------------------------------------------------------===//
// The default version: the operations themselves
//===----------------------------------------------------------------------===//

static bool isAmong(MlirOperation op, const Operations *ops) {
  bool found = false;
  for (int64_t i = 0; i < ops->count; ++i)
    found |= mlirOperationEqual(op, ops->data[i]);
  return found;
}

/// The operation of the block that `op` is or stands in.
static MlirOperation inBlock(MlirOperation op, MlirBlock block) {
  while (!mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

ValueList escapingResults(const Operations *ops) {
  ValueList results = {0};
  MlirBlock block = mlirOperationGetBlock(ops->data[0]);
  for (int64_t i = 0; i < ops->count; ++i)
    for (intptr_t r = 0; r < mlirOperationGetNumResults(ops->data[i]); ++r)
      IR_FOR_EACH_USE(use, irResult(ops->data[i], r)) {
        if (!isAmong(inBlock(mlirOpOperandGetOwner(use), block), ops))
          valueListAdd(&results, irResult(ops->data[i], r));
      }
  return results;
}

void buildDefault(const Operations *ops, MlirOperation adaptive, const ValueList *results) {
  for (int64_t i = 0; i < results->count; ++i)
    mlirValueReplaceAllUsesOfWith(results->values[i], irResult(adaptive, i));
  MlirBlock block = irBody(adaptive, 0);
  for (int64_t i = 0; i < ops->count; ++i) {
    mlirOperationRemoveFromParent(ops->data[i]);
    mlirBlockAppendOwnedOperation(block, ops->data[i]);
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(ops->data[i]); ++j) // inside, the value itself
      for (int64_t r = 0; r < results->count; ++r)
        if (mlirValueEqual(irOperand(ops->data[i], j), irResult(adaptive, r)))
          mlirOperationSetOperand(ops->data[i], j, results->values[r]);
  }
  endVersion(adaptive, 0, (IrValues){results->count, results->values});
}
