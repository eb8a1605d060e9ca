//===- slices.c - results that go into slices of a loop's buffers --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that stacks what its iterations compute carries a buffer and replaces a slice of it in each iteration
// (ir/in_place.h). The kernel of the fusion that computes a slice stores it right there: the buffer is an argument, its
// start indices are inputs. The fusion says so with the attribute
//
//   stitch.slices = [{result = 1 : i64, buffer = tensor<7x4x8xf32>, slice = tensor<1x4x8xf32>,
//                     inputs = array<i64: 2, -1, -1>, constants = array<i64: 0, 0, 0>}, ...]
//
// where `inputs` are the numbers of the fusion's inputs that hold the start indices, -1 for a constant, or -2 for a
// start index that the fusion computes: the operation has the attribute stitch.starts, the numbers of the slice and
// dimension.
//
//===----------------------------------------------------------------------===//

#include "lowering/stitch_to_gpu/host_function.h"

#include "capi/diagnostics.h"
#include "ir/in_place.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Which results are slices
//===----------------------------------------------------------------------===//

typedef void (*UpdateVisitor)(MlirOperation update, void *data);

/// Calls `visit` for each update in place that writes the value, reshapes looked through. Whether the value has no
/// other use.
static bool forEachUpdate(MlirValue value, UpdateVisitor visit, void *data) {
  bool only = true;
  IR_FOR_EACH_USE(use, value) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (irUpdatesInPlace(op) && mlirOpOperandGetOperandNumber(use) == 1)
      visit(op, data);
    else
      only &= tgKindOf(op) == TG_reshape && forEachUpdate(irResult(op, 0), visit, data);
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
  return irOpIs(irDefiningOp(value), "stitch.fusion") && forEachUpdate(value, countUpdate, &count) && count > 0 &&
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

/// The number of the fusion's input that is `value`, which becomes one if it is none yet.
static int64_t inputFor(MlirOperation fusion, MlirValue value) {
  intptr_t count = mlirOperationGetNumOperands(fusion);
  for (intptr_t i = 0; i < count; ++i)
    if (mlirValueEqual(irOperand(fusion, i), value))
      return i;
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = irOperand(fusion, i);
  operands[count] = value;
  mlirOperationSetOperands(fusion, count + 1, operands);
  free(operands);
  mlirBlockAddArgument(irBody(fusion, 0), mlirValueGetType(value), mlirOperationGetLocation(fusion));
  return count;
}

/// The value in the fusion's body that stands for a scalar outside: an input, or what clones of operations compute.
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
  int64_t inputs[IR_MAX_RANK], constants[IR_MAX_RANK];
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
    bool only = forEachUpdate(irResult(fusion, a.result), attachUpdate, &a);
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

typedef struct {
  Host *host;
  MlirValue *buffers;
  intptr_t count, capacity;
} Buffers;

static void addBuffer(MlirOperation update, void *data) {
  Buffers *b = data;
  IR_RESERVE_ONE(b->buffers, b->count, b->capacity);
  b->buffers[b->count++] = hostFlatMemref(b->host, update, irOperand(update, 0));
}

MlirValue *hostSliceBuffers(Host *host, MlirOperation fusion, intptr_t *count) {
  Buffers b = {.host = host};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    forEachUpdate(irResult(fusion, i), addBuffer, &b);
  *count = b.count;
  return b.buffers;
}

//===----------------------------------------------------------------------===//
// In the kernel
//===----------------------------------------------------------------------===//

static MlirAttribute entryOf(MlirAttribute dictionary, const char *name) {
  return mlirDictionaryAttrGetElementByName(dictionary, mlirStringRefCreateFromCString(name));
}

void kernelReadSlices(KernelPlan *plan, IrArena *arena) {
  MlirAttribute list = irGetAttr(plan->fusion, "stitch.slices"), unstored = irGetAttr(plan->fusion, "stitch.unstored");
  plan->unstored = IR_NEW_ARRAY(arena, bool, mlirOperationGetNumResults(plan->fusion) + 1);
  for (intptr_t i = 0; !mlirAttributeIsNull(unstored) && i < mlirDenseArrayGetNumElements(unstored); ++i)
    plan->unstored[mlirDenseI64ArrayGetElement(unstored, i)] = true;
  plan->numSlices = mlirAttributeIsNull(list) ? 0 : mlirArrayAttrGetNumElements(list);
  plan->slices = IR_NEW_ARRAY(arena, KernelSlice, plan->numSlices);
  for (intptr_t i = 0; i < plan->numSlices; ++i) {
    MlirAttribute entry = mlirArrayAttrGetElement(list, i);
    KernelSlice *slice = &plan->slices[i];
    *slice = (KernelSlice){.result = mlirIntegerAttrGetValueInt(entryOf(entry, "result")),
                           .buffer = mlirTypeAttrGetValue(entryOf(entry, "buffer")),
                           .shape = irTypeShape(mlirTypeAttrGetValue(entryOf(entry, "slice")))};
    for (intptr_t d = 0; d < slice->shape.rank; ++d) {
      slice->inputs[d] = mlirDenseI64ArrayGetElement(entryOf(entry, "inputs"), d);
      slice->constants[d] = mlirDenseI64ArrayGetElement(entryOf(entry, "constants"), d);
    }
  }
}

/// The value of the fusion's body that is the start of slice number `number` in dimension `d`.
static MlirValue computedStart(Emitter *e, int64_t number, intptr_t d) {
  IR_FOR_EACH_OP(op, e->plan->body) {
    MlirAttribute place = irGetAttr(op, "stitch.starts");
    if (!mlirAttributeIsNull(place) && mlirDenseI64ArrayGetElement(place, 0) == number &&
        mlirDenseI64ArrayGetElement(place, 1) == d)
      return irResult(op, 0);
  }
  return (MlirValue){NULL};
}

static const IndexExpr *startOf(Emitter *e, intptr_t number, intptr_t d) {
  const KernelSlice *slice = &e->plan->slices[number];
  if (slice->inputs[d] == START_CONSTANT)
    return indexConstant(e->index, slice->constants[d]);
  MlirValue start = slice->inputs[d] == START_COMPUTED ? computedStart(e, number, d)
                                                       : mlirBlockGetArgument(e->plan->body, slice->inputs[d]);
  MlirValue value = evaluate(e, start, &(IndexVector){0}, (Lanes){1, NULL}).values[0];
  return clampedStart(e, value, irElementTypeOf(start), irTypeShape(slice->buffer).dims[d] - slice->shape.dims[d]);
}

void storeOutput(Emitter *e, intptr_t output, const IndexExpr *linear, Lanes lanes, Bundle bundle,
                 MlirValue condition) {
  if (!e->plan->unstored[output])
    storeLanes(e, e->outputs[output], linear, lanes, bundle, condition);
  for (intptr_t i = 0; i < e->plan->numSlices; ++i) {
    const KernelSlice *slice = &e->plan->slices[i];
    if (slice->result != output)
      continue;
    IndexVector index = indexDelinearize(e->index, linear, slice->shape);
    for (intptr_t d = 0; d < index.rank; ++d)
      index.dims[d] = indexAdd(e->index, index.dims[d], startOf(e, i, d));
    const IndexExpr *place = indexLinearize(e->index, &index, irTypeShape(slice->buffer));
    storeLanes(e, e->slices[i], place, lanes, bundle, condition);
  }
}
