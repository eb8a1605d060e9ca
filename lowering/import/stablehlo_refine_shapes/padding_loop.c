//===- padding_loop.c - loops over an open size ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that goes round as often as the run's size says would have to ask the device before each iteration, and could
// not be inside of a kernel. It goes round for the largest size instead, a known number of times; in the iterations
// that the run does not have its values stay as they are. An update of a slice at the index of the iteration, along an
// open dimension, is written into the padding then.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/padding.h"

#include "ir/graph/tg.h"

/// A loop `for (i = first; i < size; ++i)`.
typedef struct {
  MlirOperation condition; ///< the comparison
  intptr_t counter;        ///< number of the carried value
  RefineSize size;
} OpenLoop;

static const RefineSize *knownScalar(const Refiner *r, MlirValue value) {
  const RefineValue *known = refineValueOf(r, value);
  return known && known->count == 1 ? &known->elements[0] : NULL;
}

static bool isConstantValue(const Refiner *r, MlirValue value, int64_t expected) {
  const RefineSize *known = knownScalar(r, value);
  return known && refineEqual(*known, refineConstant(expected));
}

/// Whether the loop's condition is that a carried value is less than an open size.
static bool readCondition(Refiner *r, MlirOperation op, OpenLoop *loop) {
  MlirBlock block = irBody(op, 0);
  MlirOperation end = mlirBlockGetTerminator(block);
  loop->condition = mlirOperationGetNumOperands(end) == 1 ? irDefiningOp(irOperand(end, 0)) : (MlirOperation){NULL};
  if (mlirOperationIsNull(loop->condition) || !irOpIs(loop->condition, "stablehlo.compare"))
    return false;
  HloConversion c = {.op = loop->condition, .arena = &r->arena};
  MlirValue counter = irOperand(loop->condition, 0);
  const RefineSize *size = knownScalar(r, irOperand(loop->condition, 1));
  bool isArgument = mlirValueIsABlockArgument(counter) && mlirBlockEqual(mlirBlockArgumentGetOwner(counter), block);
  if (hloCompareDirection(&c) != TG_LT || !isArgument || !size || !paddingIsOpen(*size) || size->factor < 1 ||
      !irIsInteger(irElementTypeOf(counter)) || irIsUnsigned(irElementTypeOf(counter)))
    return false;
  loop->counter = mlirBlockArgumentGetArgNumber(counter);
  loop->size = *size;
  return true;
}

/// Whether the carried value begins with a constant and grows by one.
static bool countsUp(const Refiner *r, MlirOperation op, intptr_t counter) {
  MlirBlock body = irBody(op, 1);
  MlirOperation next = irDefiningOp(irOperand(mlirBlockGetTerminator(body), counter));
  const RefineSize *first = knownScalar(r, irOperand(op, counter));
  if (!first || paddingIsOpen(*first) || first->offset < 0 || mlirOperationIsNull(next) ||
      !irOpIs(next, "stablehlo.add"))
    return false;
  MlirValue argument = mlirBlockGetArgument(body, counter);
  for (intptr_t i = 0; i < 2; ++i)
    if (mlirValueEqual(irOperand(next, i), argument) && isConstantValue(r, irOperand(next, 1 - i), 1))
      return true;
  return false;
}

/// A clamp of the counter that changes it in no iteration that the run has; null if there is none.
static MlirOperation needlessClamp(const Refiner *r, const OpenLoop *loop, MlirValue counter) {
  IR_FOR_EACH_USE(use, counter) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    const RefineSize *most = irOpIs(user, "stablehlo.clamp") && mlirValueEqual(irOperand(user, 1), counter) &&
                                     isConstantValue(r, irOperand(user, 0), 0)
                                 ? knownScalar(r, irOperand(user, 2))
                                 : NULL;
    int64_t least, largest;
    if (most && refineDifference(r, *most, loop->size, &least, &largest) && least >= -1)
      return user;
  }
  return (MlirOperation){NULL};
}

/// A slice at the place of the iteration is within the padded tensor in all iterations.
static void removeClamps(Refiner *r, const OpenLoop *loop, MlirValue counter) {
  for (MlirOperation clamp; clamp = needlessClamp(r, loop, counter), !mlirOperationIsNull(clamp);) {
    mlirValueReplaceAllUsesOfWith(irResult(clamp, 0), counter);
    mlirOperationSetOperand(clamp, 1, irOperand(clamp, 0)); // it is kept until the end
    refineErase(r, clamp);
  }
}

/// The dimension of a loop-carried value along which an update of a slice may be written into padding in each iteration
/// that the run does not have; -1 if there is none.
static intptr_t stackedDim(const Refiner *r, const OpenLoop *loop, MlirOperation update) {
  RefineShape extents = refineShapeOf(r, irOperand(update, 0)), sizes = refineShapeOf(r, irOperand(update, 1));
  for (intptr_t d = 0; d < extents.rank; ++d)
    if (extents.dims[d].factor > 0 && extents.dims[d].symbol == loop->size.symbol &&
        refineEqual(sizes.dims[d], refineConstant(1)))
      return d;
  return -1;
}

/// Has iterations that the run does not have write to the last index along the dimension, unless the update is at the
/// iteration's index, which is then in the padding.
static void writeToPadding(Padding *p, const OpenLoop *loop, MlirOperation update, intptr_t dim, MlirValue counter,
                           MlirValue exists) {
  MlirValue start = irOperand(update, 2 + dim);
  if (mlirValueEqual(start, counter) && refineEqual(refineShapeOf(p->r, irOperand(update, 0)).dims[dim], loop->size))
    return;
  int64_t last = irShapeOf(irOperand(update, 0)).dims[dim] - 1;
  MlirValue end = paddingInteger(p, irElementTypeOf(start), last);
  mlirOperationSetOperand(update, 2 + dim, paddingSelect(p, exists, start, end));
}

/// Has a carried value stay as it is in iterations that the run does not have.
static void keepValue(Padding *p, const OpenLoop *loop, MlirBlock body, intptr_t i, MlirValue exists) {
  MlirValue before = mlirBlockGetArgument(body, i), after = irOperand(p->op, i);
  MlirOperation update = irDefiningOp(after);
  bool isUpdate = !mlirOperationIsNull(update) && irOpIs(update, "stablehlo.dynamic_update_slice") &&
                  mlirValueEqual(irOperand(update, 0), before) && irHasOneUse(after);
  intptr_t dim = isUpdate ? stackedDim(p->r, loop, update) : -1;
  if (dim >= 0) {
    Padding atUpdate = *p;
    atUpdate.b = irBuilderBefore(update);
    writeToPadding(&atUpdate, loop, update, dim, mlirBlockGetArgument(body, loop->counter), exists);
    return;
  }
  IrShape shape = irShapeOf(after);
  RefineShape extents = refineShapeOf(p->r, after);
  MlirValue kept = paddingSelect(p, paddingSplat(p, exists, &shape), after, before);
  refineSetShape(p->r, kept, &extents);
  mlirOperationSetOperand(p->op, i, kept);
}

/// Whether all that goes round can stay as it is: a token cannot.
static bool carriesTensors(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!mlirTypeIsARankedTensor(mlirValueGetType(irResult(op, i))))
      return false;
  return true;
}

void paddingCountLoop(Refiner *r, MlirOperation op) {
  OpenLoop loop;
  if (!carriesTensors(op) || !readCondition(r, op, &loop) || !countsUp(r, op, loop.counter))
    return;
  MlirBlock body = irBody(op, 1);
  MlirOperation first = mlirBlockGetFirstOperation(body), end = mlirBlockGetTerminator(body);
  MlirValue counter = mlirBlockGetArgument(body, loop.counter);
  MlirType element = irElementTypeOf(counter);
  Padding before = {.r = r, .op = loop.condition, .b = irBuilderBefore(loop.condition)};
  mlirOperationSetOperand(loop.condition, 1, paddingInteger(&before, element, paddingMost(r, loop.size)));
  Padding begin = {.r = r, .op = first, .b = irBuilderBefore(first)},
          p = {.r = r, .op = end, .b = irBuilderBefore(end)};
  removeClamps(r, &loop, counter);
  MlirValue exists = paddingCompare(&begin, "LT", counter, paddingSizeAs(&begin, loop.size, element));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i) {
    bool isInvariant = mlirValueEqual(irOperand(end, i), mlirBlockGetArgument(body, i));
    if (i != loop.counter && !isInvariant)
      keepValue(&p, &loop, body, i, exists);
  }
}
