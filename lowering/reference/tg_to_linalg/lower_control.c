//===- lower_control.c - while, if, case ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region hands its values on through buffers that exist around it: no tensor leaves a region, so every buffer is
// allocated and freed in one block.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/arena.h"
#include "lowering/reference/tg_to_linalg/lower_loops.h"
#include "lowering/reference/tg_to_linalg/lower_rules.h"
#include "lowering/reference/tg_to_linalg/structured.h"

#include <stdlib.h>

static MlirValue *newBuffers(const Lowering *l) {
  intptr_t count = mlirOperationGetNumResults(l->op);
  MlirValue *buffers = irAllocate(sizeof(MlirValue) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    buffers[i] = newBuffer(l->b, resultStorageType(l, i));
  return buffers;
}

static void readResults(const Lowering *l, const MlirValue *buffers, MlirValue *results) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(l->op); ++i)
    results[i] = bufferContents(l->b, buffers[i], resultStorageType(l, i));
}

/// Moves the operations of region `from` of the tg operation into `to` and lowers them; its tg.yield stays at the end.
static bool lowerRegion(const Lowering *l, intptr_t from, MlirBlock to) {
  MlirOperation first = mlirBlockGetFirstOperation(irBody(l->op, from));
  irMoveOperations(irBody(l->op, from), to, /*withTerminator=*/true);
  return l->conversion->lowerOperationsFrom(l->conversion, first);
}

/// Replaces the block's tg.yield: stores the yielded values, then ends the block with scf.yield.
static void storeYielded(MlirBlock block, const MlirValue *buffers) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  IrBuilder b = irBuilderBefore(yield);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    storeTensor(&b, irOperand(yield, i), buffers[i]);
  irYield(&b, IR_NO_VALUES);
  mlirOperationDestroy(yield);
}

//===----------------------------------------------------------------------===//
// if, case
//===----------------------------------------------------------------------===//

static MlirValue scalarOperand(const Lowering *l) { return extractElement(l->b, loweredOperand(l, 0), IR_NO_VALUES); }

static bool lowerBranch(const Lowering *l, intptr_t branch, MlirBlock to, const MlirValue *buffers) {
  if (!lowerRegion(l, branch, to))
    return false;
  storeYielded(to, buffers);
  return true;
}

bool lowerIf(const Lowering *l, MlirValue *results) {
  MlirValue *buffers = newBuffers(l);
  MlirOperation op = irIf(l->b, scalarOperand(l), IR_NO_TYPES, true);
  bool succeeded = lowerBranch(l, 0, irBody(op, 0), buffers) && lowerBranch(l, 1, irBody(op, 1), buffers);
  readResults(l, buffers, results);
  free(buffers);
  return succeeded;
}

/// scf.index_switch: its first region is the default, which is the last branch.
bool lowerCase(const Lowering *l, MlirValue *results) {
  intptr_t count = mlirOperationGetNumRegions(l->op);
  MlirValue *buffers = newBuffers(l);
  int64_t *numbers = irAllocate(sizeof(int64_t) * (size_t)count);
  for (intptr_t i = 0; i < count; ++i)
    numbers[i] = i;
  MlirValue index = scalarBranch(l->b, operandElementType(l, 0), scalarOperand(l), count);
  MlirOperation op = irOpWithRegions(l->b, "scf.index_switch", IR_VALUES(index), IR_NO_TYPES,
                                     IR_ATTRS(irDims(l->b, "cases", count - 1, numbers)), count, IR_NO_TYPES);
  bool succeeded = lowerBranch(l, count - 1, irBody(op, 0), buffers);
  for (intptr_t i = 0; succeeded && i < count - 1; ++i)
    succeeded = lowerBranch(l, i, irBody(op, i + 1), buffers);
  readResults(l, buffers, results);
  free(numbers);
  free(buffers);
  return succeeded;
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

/// The arguments of a region become the contents of the buffers when it begins.
static void readArguments(const Lowering *l, intptr_t region, MlirBlock block, const MlirValue *carried) {
  IrBuilder b = irBuilderAtEnd(block, l->b->loc);
  MlirBlock original = irBody(l->op, region);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(original); ++i) {
    MlirValue value = bufferContents(&b, carried[i], resultStorageType(l, i));
    replaceValue(l->conversion, mlirBlockGetArgument(original, i), value);
  }
}

static void endCondition(MlirBlock block) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  IrBuilder b = irBuilderBefore(yield);
  MlirValue condition = extractElement(&b, irOperand(yield, 0), IR_NO_VALUES);
  irOp(&b, "scf.condition", IR_VALUES(condition), IR_NO_TYPES, IR_NO_ATTRS);
  mlirOperationDestroy(yield);
}

/// Whether the body hands on carried value `i` as it is.
static bool isUnchanged(const Lowering *l, intptr_t i) {
  MlirBlock body = irBody(l->op, 1);
  return mlirValueEqual(irOperand(mlirBlockGetTerminator(body), i), mlirBlockGetArgument(body, i));
}

/// Values may change places, so all are computed before any is overwritten.
static void endBody(const Lowering *l, MlirBlock block, const MlirValue *carried, const bool *unchanged) {
  MlirOperation yield = mlirBlockGetTerminator(block);
  IrBuilder b = irBuilderBefore(yield);
  intptr_t count = mlirOperationGetNumOperands(yield);
  MlirValue *next = irAllocate(sizeof(MlirValue) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    if (!unchanged[i]) {
      next[i] = newBuffer(&b, resultStorageType(l, i));
      storeTensor(&b, irOperand(yield, i), next[i]);
    }
  for (intptr_t i = 0; i < count; ++i)
    if (!unchanged[i])
      irOp(&b, "memref.copy", IR_VALUES(next[i], carried[i]), IR_NO_TYPES, IR_NO_ATTRS);
  irYield(&b, IR_NO_VALUES);
  mlirOperationDestroy(yield);
  free(next);
}

bool lowerWhile(const Lowering *l, MlirValue *results) {
  intptr_t count = mlirOperationGetNumResults(l->op);
  MlirValue *carried = newBuffers(l);
  bool *unchanged = irAllocate(sizeof(bool) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i) {
    storeTensor(l->b, loweredOperand(l, i), carried[i]);
    unchanged[i] = isUnchanged(l, i);
  }
  MlirOperation op = irOpWithRegions(l->b, "scf.while", IR_NO_VALUES, IR_NO_TYPES, IR_NO_ATTRS, 2, IR_NO_TYPES);
  bool succeeded = true;
  for (intptr_t region = 0; succeeded && region < 2; ++region) {
    readArguments(l, region, irBody(op, region), carried);
    succeeded = lowerRegion(l, region, irBody(op, region));
  }
  if (succeeded) {
    endCondition(irBody(op, 0));
    endBody(l, irBody(op, 1), carried, unchanged);
  }
  readResults(l, carried, results);
  free(unchanged);
  free(carried);
  return succeeded;
}

//===----------------------------------------------------------------------===//
// optimization_barrier
//===----------------------------------------------------------------------===//

/// Nothing here moves operations past each other.
bool lowerOptimizationBarrier(const Lowering *l, MlirValue *results) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(l->op); ++i)
    results[i] = loweredOperand(l, i);
  return true;
}
