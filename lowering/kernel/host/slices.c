//===- slices.c - results that go into slices of a loop's buffers --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that stacks its iterations' results carries a buffer and replaces a slice of it in each iteration
// (ir/graph/in_place.h). The kernel of the fusion that computes a slice stores it right there: the buffer is an
// argument, its start indices are inputs. A fusion that reads the buffer, too, has it as an input already. The fusion
// says so with the attribute
//
//   stitch.slices = [{result = 1 : i64, memory = -1 : i64, buffer = tensor<7x4x8xf32>, slice = tensor<1x4x8xf32>,
//                     inputs = array<i64: 2, -1, -1>, constants = array<i64: 0, 0, 0>}, ...]
//
// where `memory` is the number of the fusion's input that is the buffer, -1 if none is. The list `inputs` has the
// numbers of the fusion's inputs that hold the start indices, -1 for a constant, or -2 for a start index that the
// fusion computes. That operation has the attribute stitch.starts, the numbers of the slice and dimension.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/host/host_function.h"

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Which results are slices
//===----------------------------------------------------------------------===//

bool hostForEachUpdate(MlirValue value, HostUpdateVisitor visit, void *data) {
  bool only = true;
  IR_FOR_EACH_USE(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (irUpdatesInPlace(op) && mlirOpOperandGetOperandNumber(use) == 1)
      visit(op, data);
    else
      only &= tgKindOf(op) == TG_reshape && hostForEachUpdate(irResult(op, 0), visit, data);
  }
  return only;
}

static void countUpdate(MlirOperation update, void *count) {
  (void)update;
  ++*(int64_t *)count;
}

/// Whether the kernel of a fusion reads its result `value` behind a grid barrier: a global root without a buffer.
static bool isReadInside(MlirValue value) {
  MlirOperation yield = mlirBlockGetTerminator(irBody(irDefiningOp(value), 0));
  MlirOperation root = irDefiningOp(irOperand(yield, mlirOpResultGetResultNumber(value)));
  StitchScheme scheme;
  return planGetScheme(root, &scheme) && scheme == STITCH_SCHEME_GLOBAL && !irHasAttr(root, "stitch.buffer");
}

bool hostIsOnlySlice(MlirValue value) {
  int64_t count = 0;
  return irOpIs(irDefiningOp(value), "stitch.fusion") && hostForEachUpdate(value, countUpdate, &count) && count > 0 &&
         !isReadInside(value);
}

//===----------------------------------------------------------------------===//
// The fusion's attribute
//===----------------------------------------------------------------------===//

enum { START_CONSTANT = -1, START_COMPUTED = -2 };

typedef struct {
  MlirOperation fusion;
  int64_t result; ///< whose updates are visited
  MlirAttribute *slices;
  intptr_t count, capacity;
} Attaching;

/// The number of the fusion's input that is `value`; -1 if none is.
static int64_t findInput(MlirOperation fusion, MlirValue value) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i)
    if (mlirValueEqual(irOperand(fusion, i), value))
      return i;
  return -1;
}

/// The same of a value that becomes an input if it is none yet.
static int64_t inputFor(MlirOperation fusion, MlirValue value) {
  intptr_t count = mlirOperationGetNumOperands(fusion);
  int64_t known = findInput(fusion, value);
  if (known >= 0)
    return known;
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = irOperand(fusion, i);
  operands[count] = value;
  mlirOperationSetOperands(fusion, count + 1, operands);
  free(operands);
  mlirBlockAddArgument(irBody(fusion, 0), mlirValueGetType(value), mlirOperationGetLocation(fusion));
  return count;
}

/// The value in the fusion's body for a scalar outside: an input, or the result of cloned operations.
static MlirValue insideScalar(MlirOperation fusion, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  MlirBlock body = irBody(fusion, 0);
  bool isConstant = !mlirOperationIsNull(op) && tgKindOf(op) == TG_constant;
  if (mlirOperationIsNull(op) || (!isConstant && !irComputesStartsOnly(op)))
    return mlirBlockGetArgument(body, inputFor(fusion, value));
  enum { MAX_OPERANDS = 4 };
  MlirValue operands[MAX_OPERANDS]; // before there is a clone, which would be another user
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    operands[i] = insideScalar(fusion, irOperand(op, i));
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirOperationSetOperand(clone, i, operands[i]);
  mlirBlockInsertOwnedOperationBefore(body, mlirBlockGetTerminator(body), clone);
  return irResult(clone, 0);
}

/// Computes a start index in the fusion, for dimension `dim` of slice number `slice`.
static void computeStart(MlirOperation fusion, MlirValue start, int64_t slice, int64_t dim) {
  MlirOperation op = irDefiningOp(insideScalar(fusion, start));
  int64_t place[] = {slice, dim};
  irSetAttr(op, "stitch.starts", mlirDenseI64ArrayGet(mlirOperationGetContext(op), 2, place));
}

static bool constantStart(MlirValue start, int64_t *value) {
  MlirOperation op = irDefiningOp(start);
  MlirType type = irElementTypeOf(start);
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_constant || irIsUnsigned(type) || irIsBool(type))
    return false;
  MlirAttribute data = irGetAttr(op, "value");
  if (!mlirAttributeIsADenseElements(data) || !mlirDenseElementsAttrIsSplat(data))
    return false;
  *value = mlirIntegerAttrGetValueInt(mlirDenseElementsAttrGetSplatValue(data));
  return true;
}

static void attachUpdate(MlirOperation update, void *data) {
  Attaching *a = data;
  IrShape buffer = irShapeOf(irResult(update, 0)), slice = irShapeOf(irOperand(update, 1));
  int64_t inputs[IR_MAX_RANK], constants[IR_MAX_RANK], memory = findInput(a->fusion, irOperand(update, 0));
  for (intptr_t d = 0; d < buffer.rank; ++d) {
    MlirValue start = irOperand(update, 2 + d);
    int64_t last = buffer.dims[d] - slice.dims[d];
    bool isConstant = last == 0 || constantStart(start, &constants[d]);
    constants[d] = !isConstant || last == 0 || constants[d] < 0 ? 0 : constants[d] > last ? last : constants[d];
    MlirOperation computes = irDefiningOp(start);
    bool isComputed = !isConstant && !mlirOperationIsNull(computes) && irComputesStartsOnly(computes);
    inputs[d] = isConstant ? START_CONSTANT : isComputed ? START_COMPUTED : inputFor(a->fusion, start);
    if (isComputed)
      computeStart(a->fusion, start, a->count, d);
  }
  IrBuilder b = irBuilderBefore(update);
  MlirNamedAttribute entries[] = {
      irI64(&b, "result", a->result),
      irI64(&b, "memory", memory),
      irType(&b, "buffer", mlirValueGetType(irResult(update, 0))),
      irType(&b, "slice", mlirValueGetType(irOperand(update, 1))),
      irDims(&b, "inputs", buffer.rank, inputs),
      irDims(&b, "constants", buffer.rank, constants),
  };
  IR_RESERVE_ONE(a->slices, a->count, a->capacity);
  a->slices[a->count++] = mlirDictionaryAttrGet(b.context, sizeof(entries) / sizeof(entries[0]), entries);
}

void hostAttachSlices(MlirOperation fusion) {
  Attaching a = {.fusion = fusion};
  MlirContext context = mlirOperationGetContext(fusion);
  intptr_t numResults = mlirOperationGetNumResults(fusion), numUnstored = 0;
  int64_t *unstored = irAllocate(sizeof(int64_t) * (size_t)(numResults + 1));
  for (a.result = 0; a.result < numResults; ++a.result) {
    intptr_t before = a.count;
    bool only = hostForEachUpdate(irResult(fusion, a.result), attachUpdate, &a);
    if (only && a.count > before && !isReadInside(irResult(fusion, a.result)))
      unstored[numUnstored++] = a.result;
  }
  if (a.count)
    irSetAttr(fusion, "stitch.slices", mlirArrayAttrGet(context, a.count, a.slices));
  if (numUnstored)
    irSetAttr(fusion, "stitch.unstored", mlirDenseI64ArrayGet(context, numUnstored, unstored));
  free(unstored);
  free(a.slices);
}

//===----------------------------------------------------------------------===//
// In the kernel
//===----------------------------------------------------------------------===//
