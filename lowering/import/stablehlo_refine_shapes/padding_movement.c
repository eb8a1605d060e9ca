//===- padding_movement.c - slices, paddings and joins of padded tensors ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that move elements along a dimension with padding use the run's sizes. A slice or an update that would
// reach beyond the padded tensor is made in a longer one: StableHLO would move it back.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/padding.h"

static MlirType indexType(const Padding *p) { return mlirIntegerTypeGet(p->r->context, 32); }

/// `size` elements along `dim` from index `start`, which is in bounds of the model's tensor.
static MlirValue shifted(Padding *p, MlirValue value, intptr_t dim, RefineSize start, int64_t size) {
  int64_t padded = irShapeOf(value).dims[dim], reach = paddingMost(p->r, start) + size;
  MlirValue longer = reach > padded ? paddingExtend(p, value, dim, reach - padded) : value;
  return paddingDynamicSlice(p, longer, dim, paddingSize(p, start), size);
}

static MlirValue staticSlice(Padding *p, MlirValue value, const IrShape *starts, const IrShape *limits,
                             const IrShape *strides) {
  IrShape shape = irShapeOf(value);
  for (intptr_t i = 0; i < shape.rank; ++i)
    shape.dims[i] = (limits->dims[i] - starts->dims[i] + strides->dims[i] - 1) / strides->dims[i];
  return irValueOf(&p->b, "stablehlo.slice", IR_VALUES(value), paddingType(p, irElementTypeOf(value), &shape),
                   IR_ATTRS(irDims(&p->b, "start_indices", starts->rank, starts->dims),
                            irDims(&p->b, "limit_indices", limits->rank, limits->dims),
                            irDims(&p->b, "strides", strides->rank, strides->dims)));
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Of known limits: they must be within the smallest tensor.
bool paddingSlice(Padding *p) {
  IrShape limits;
  paddingPlainOperand(p, 0);
  RefineShape extents = refineShapeOf(p->r, irOperand(p->op, 0));
  if (!hloListAttr(&p->c, "limit_indices", &limits) || limits.rank != extents.rank)
    return refineFail(p->op, "has limits of another rank than its operand");
  for (intptr_t i = 0; i < limits.rank; ++i)
    if (limits.dims[i] > paddingLeast(p->r, extents.dims[i]))
      return refineFail(p->op, "takes %ld elements of dimension %ld, which may have fewer: %s", (long)limits.dims[i],
                        (long)i, refineSizeText(p->r, extents.dims[i]));
  return true;
}

/// Operands: operand, starts, limits, strides; all lists are known.
bool paddingRealDynamicSlice(Padding *p) {
  paddingPlainOperand(p, 0);
  MlirValue value = irOperand(p->op, 0);
  const RefineValue *starts = refineValueOf(p->r, irOperand(p->op, 1)),
                    *strides = refineValueOf(p->r, irOperand(p->op, 3));
  RefineShape extents = refineShapeOf(p->r, value), taken = refineShapeOf(p->r, irResult(p->op, 0));
  IrShape sizes = irShapeOf(irResult(p->op, 0));
  if (!starts || !strides || starts->count != extents.rank || strides->count != extents.rank)
    return refineFail(p->op, "has starts or strides that do not follow from the sizes of the inputs");
  IrShape from = {extents.rank, {0}}, to = from, by = from;
  for (intptr_t i = 0; i < extents.rank; ++i) {
    RefineSize start = starts->elements[i], end;
    by.dims[i] = strides->elements[i].offset;
    if (!refineIsConstant(strides->elements[i]) || by.dims[i] < 1 || paddingLeast(p->r, start) < 0)
      return refineFail(p->op, "has a negative start or a stride that is not the same for all sizes");
    int64_t span = (sizes.dims[i] - 1) * by.dims[i] + 1, low, high;
    bool known = refineSub(taken.dims[i], refineConstant(1), &end) &&
                 refineMul(end, refineConstant(by.dims[i]), &end) && refineAdd(end, start, &end) &&
                 refineDifference(p->r, extents.dims[i], end, &low, &high);
    if (!known || low < 1)
      return refineFail(p->op, "may take elements that dimension %ld, of size %s, has not", (long)i,
                        refineSizeText(p->r, extents.dims[i]));
    if (sizes.dims[i] < 1)
      return refineFail(p->op, "takes no elements");
    if (paddingIsOpen(start))
      value = shifted(p, value, i, start, span);
    else
      from.dims[i] = start.offset;
    to.dims[i] = from.dims[i] + span;
    if (to.dims[i] > irShapeOf(value).dims[i])
      value = paddingExtend(p, value, i, to.dims[i] - irShapeOf(value).dims[i]);
  }
  return paddingReplace(p, staticSlice(p, value, &from, &to, &by));
}

/// The start that StableHLO takes a slice or an update of `size` elements of `extent` from.
static MlirValue clampedStart(Padding *p, MlirValue start, RefineSize extent, RefineSize size) {
  RefineSize room;
  MlirType element = irElementTypeOf(start);
  if (!refineSub(extent, size, &room))
    return (MlirValue){NULL};
  IrShape none = {0};
  MlirValue zero = paddingInteger(p, element, 0), most = paddingSizeAs(p, room, element);
  refineSetValue(p->r, zero, 1, &(RefineSize){0});
  refineSetValue(p->r, most, 1, &room);
  return irValueOf(&p->b, "stablehlo.clamp", IR_VALUES(zero, start, most), paddingType(p, element, &none), IR_NO_ATTRS);
}

bool paddingDynamicSliceRule(Padding *p) {
  paddingPlainOperand(p, 0);
  RefineShape extents = refineShapeOf(p->r, irOperand(p->op, 0)), sizes = refineShapeOf(p->r, irResult(p->op, 0));
  if (mlirOperationGetNumOperands(p->op) != 1 + extents.rank)
    return refineFail(p->op, "must have a start for each dimension");
  for (intptr_t i = 0; i < extents.rank; ++i) {
    if (!paddingIsOpen(extents.dims[i]))
      continue;
    if (paddingIsOpen(sizes.dims[i]) || sizes.dims[i].offset > paddingLeast(p->r, extents.dims[i]))
      return refineFail(p->op, "takes %s elements of dimension %ld, which may have fewer: %s",
                        refineSizeText(p->r, sizes.dims[i]), (long)i, refineSizeText(p->r, extents.dims[i]));
    mlirOperationSetOperand(p->op, 1 + i, clampedStart(p, irOperand(p->op, 1 + i), extents.dims[i], sizes.dims[i]));
  }
  return true;
}

/// A whole update where neither has padding along a dimension; else only the run's elements of it are written.
bool paddingDynamicUpdateSlice(Padding *p) {
  paddingPlainOperand(p, 0);
  paddingPlainOperand(p, 1);
  MlirValue operand = irOperand(p->op, 0), update = irOperand(p->op, 1), longer = operand;
  RefineShape extents = refineShapeOf(p->r, operand), sizes = refineShapeOf(p->r, update);
  IrShape shape = irShapeOf(operand), written = irShapeOf(update), starts = {shape.rank, {0}}, ones = starts;
  MlirValue mask = {NULL};
  if (mlirOperationGetNumOperands(p->op) != 2 + extents.rank)
    return refineFail(p->op, "must have a start for each dimension");
  for (intptr_t i = 0; i < extents.rank; ++i) {
    ones.dims[i] = 1;
    if (!paddingIsOpen(extents.dims[i]) && !paddingIsOpen(sizes.dims[i]))
      continue;
    RefineSize room;
    if (!refineSub(extents.dims[i], sizes.dims[i], &room) || paddingLeast(p->r, room) < 0)
      return refineFail(p->op, "updates %s elements of dimension %ld, which may have fewer: %s",
                        refineSizeText(p->r, sizes.dims[i]), (long)i, refineSizeText(p->r, extents.dims[i]));
    MlirValue start = clampedStart(p, irOperand(p->op, 2 + i), extents.dims[i], sizes.dims[i]);
    mlirOperationSetOperand(p->op, 2 + i, start);
    if (!paddingIsOpen(sizes.dims[i]))
      continue;
    int64_t reach = paddingMost(p->r, room) + written.dims[i];
    if (reach > shape.dims[i])
      longer = paddingExtend(p, longer, i, reach - irShapeOf(longer).dims[i]);
    if (refineEqual(extents.dims[i], sizes.dims[i]))
      continue; // all of the dimension
    IrShape line = {1, {shape.dims[i]}}, dims = {1, {i}}, none = {0};
    MlirType i32 = indexType(p);
    if (!mlirTypeEqual(irElementTypeOf(start), i32))
      start = paddingUnary(p, "stablehlo.convert", start, paddingType(p, i32, &none));
    MlirValue end = paddingBinary(p, "stablehlo.add", start, paddingSize(p, sizes.dims[i])),
              at = paddingIota(p, &line, 0);
    MlirValue inside = paddingBinary(p, "stablehlo.and", paddingCompare(p, "GE", at, paddingSplat(p, start, &line)),
                                     paddingCompare(p, "LT", at, paddingSplat(p, end, &line)));
    inside = paddingBroadcast(p, inside, &dims, &shape);
    mask = mlirValueIsNull(mask) ? inside : paddingBinary(p, "stablehlo.and", mask, inside);
  }
  if (mlirValueIsNull(mask) && mlirValueEqual(longer, operand))
    return true;
  MlirValue *operands = IR_NEW_ARRAY(&p->r->arena, MlirValue, 2 + extents.rank);
  for (intptr_t i = 0; i < 2 + extents.rank; ++i)
    operands[i] = i ? irOperand(p->op, i) : longer;
  MlirValue updated = irValueOf(&p->b, "stablehlo.dynamic_update_slice", (IrValues){2 + extents.rank, operands},
                                mlirValueGetType(longer), IR_NO_ATTRS);
  if (!mlirValueEqual(longer, operand))
    updated = staticSlice(p, updated, &starts, &shape, &ones);
  return paddingReplace(p, mlirValueIsNull(mask) ? updated : paddingSelect(p, mask, updated, operand));
}

bool paddingReverse(Padding *p) {
  IrShape dims;
  if (!hloListAttr(&p->c, "dimensions", &dims))
    return false;
  paddingPlainOperand(p, 0);
  RefineShape extents = refineShapeOf(p->r, irOperand(p->op, 0));
  IrShape shape = irShapeOf(irOperand(p->op, 0));
  bool moves = false;
  for (intptr_t i = 0; i < dims.rank; ++i)
    moves |= dims.dims[i] >= 0 && dims.dims[i] < extents.rank && paddingIsOpen(extents.dims[dims.dims[i]]);
  if (!moves)
    return true;
  MlirValue value =
      irValueOf(&p->b, "stablehlo.reverse", IR_VALUES(irOperand(p->op, 0)), mlirValueGetType(irOperand(p->op, 0)),
                IR_ATTRS(irDims(&p->b, "dimensions", dims.rank, dims.dims)));
  for (intptr_t i = 0; i < dims.rank; ++i) {
    RefineSize start;
    if (!paddingIsOpen(extents.dims[dims.dims[i]]))
      continue;
    refineSub(refineConstant(shape.dims[dims.dims[i]]), extents.dims[dims.dims[i]], &start);
    value = shifted(p, value, dims.dims[i], start, shape.dims[dims.dims[i]]);
  }
  return paddingReplace(p, value);
}

//===----------------------------------------------------------------------===//
// Padding as an operation
//===----------------------------------------------------------------------===//

/// One dimension of a pad.
typedef struct {
  RefineSize low, high;
  int64_t interior;
} Edges;

/// Index behind the last element of the operand in the result: low + size + interior * (size - 1).
static bool endOfElements(const Edges *edges, RefineSize size, RefineSize *end) {
  RefineSize gaps;
  return refineSub(size, refineConstant(1), &gaps) && refineMul(gaps, refineConstant(edges->interior), &gaps) &&
         refineAdd(size, gaps, end) && refineAdd(*end, edges->low, end);
}

/// Writes `value` into `fill` at an index that the run knows; the padding of `value` goes there, too.
static MlirValue placeAt(Padding *p, MlirValue value, intptr_t dim, RefineSize low, int64_t size, MlirValue fill) {
  IrShape shape = irShapeOf(value), starts = {shape.rank, {0}}, ones = starts;
  int64_t room = paddingMost(p->r, low) + shape.dims[dim];
  IrShape wide = shape, limits = shape;
  limits.dims[dim] = size;
  wide.dims[dim] = room > size ? room : size;
  for (intptr_t i = 0; i < shape.rank; ++i)
    ones.dims[i] = 1;
  MlirValue placed = paddingDynamicUpdate(p, paddingSplat(p, fill, &wide), value, dim, paddingSize(p, low));
  return wide.dims[dim] == size ? placed : staticSlice(p, placed, &starts, &limits, &ones);
}

/// Pads all dimensions whose lower edges are known, in one operation.
static MlirValue padKnown(Padding *p, MlirValue value, MlirValue fill, Edges *edges, const IrShape *result) {
  IrShape shape = irShapeOf(value), low = {shape.rank, {0}}, high = low, interior = low;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    if (paddingIsOpen(edges[i].low))
      continue;
    low.dims[i] = edges[i].low.offset;
    interior.dims[i] = edges[i].interior;
    int64_t gaps = shape.dims[i] > 0 ? (shape.dims[i] - 1) * interior.dims[i] : 0;
    high.dims[i] = result->dims[i] - low.dims[i] - shape.dims[i] - gaps;
    shape.dims[i] = result->dims[i];
  }
  return irValueOf(&p->b, "stablehlo.pad", IR_VALUES(value, fill), paddingType(p, irElementTypeOf(value), &shape),
                   IR_ATTRS(irDims(&p->b, "edge_padding_low", low.rank, low.dims),
                            irDims(&p->b, "edge_padding_high", high.rank, high.dims),
                            irDims(&p->b, "interior_padding", interior.rank, interior.dims)));
}

static bool padWith(Padding *p, Edges *edges) {
  MlirValue value = irOperand(p->op, 0), fill = irOperand(p->op, 1), result = irResult(p->op, 0);
  RefineShape extents = refineShapeOf(p->r, value);
  IrShape shape = irShapeOf(result);
  for (intptr_t i = 0; i < extents.rank; ++i) {
    if (!paddingIsOpen(edges[i].low))
      continue;
    if (edges[i].interior != 0 || paddingLeast(p->r, edges[i].low) < 0)
      return refineFail(p->op, "pads dimension %ld by %s, which is negative or has gaps", (long)i,
                        refineSizeText(p->r, edges[i].low));
    value = placeAt(p, value, i, edges[i].low, shape.dims[i], fill);
  }
  value = padKnown(p, value, fill, edges, &shape);
  for (intptr_t i = 0; i < extents.rank; ++i) {
    RefineSize end;
    if (!paddingIsOpen(extents.dims[i]) || paddingMost(p->r, edges[i].high) <= 0)
      continue;
    if (!endOfElements(&edges[i], extents.dims[i], &end))
      return refineFail(p->op, "has a dimension %ld whose elements end at an unknown index", (long)i);
    value = paddingSelect(p, paddingBelow(p, &shape, i, end), value, paddingSplat(p, fill, &shape));
  }
  return paddingReplace(p, value);
}

static bool touchesPadding(Padding *p) {
  RefineShape extents = refineShapeOf(p->r, irOperand(p->op, 0)), sizes = refineShapeOf(p->r, irResult(p->op, 0));
  for (intptr_t i = 0; i < extents.rank; ++i)
    if (!refineEqual(extents.dims[i], sizes.dims[i]))
      return true;
  return false;
}

bool paddingPad(Padding *p) {
  IrShape low, high, interior;
  Edges edges[IR_MAX_RANK];
  paddingPlainOperand(p, 0);
  if (!touchesPadding(p))
    return true;
  if (!hloListAttr(&p->c, "edge_padding_low", &low) || !hloListAttr(&p->c, "edge_padding_high", &high) ||
      !hloListAttr(&p->c, "interior_padding", &interior))
    return false;
  for (intptr_t i = 0; i < low.rank; ++i)
    edges[i] = (Edges){refineConstant(low.dims[i]), refineConstant(high.dims[i]), interior.dims[i]};
  return padWith(p, edges);
}

bool paddingDynamicPad(Padding *p) {
  Edges edges[IR_MAX_RANK];
  paddingPlainOperand(p, 0);
  const RefineValue *low = refineValueOf(p->r, irOperand(p->op, 2)), *high = refineValueOf(p->r, irOperand(p->op, 3)),
                    *interior = refineValueOf(p->r, irOperand(p->op, 4));
  intptr_t rank = irShapeOf(irOperand(p->op, 0)).rank;
  if (!low || !high || !interior || low->count != rank || high->count != rank || interior->count != rank)
    return refineFail(p->op, "has paddings that do not follow from the sizes of the inputs");
  for (intptr_t i = 0; i < rank; ++i) {
    if (!refineIsConstant(interior->elements[i]))
      return refineFail(p->op, "has gaps that are not the same for all sizes");
    edges[i] = (Edges){low->elements[i], high->elements[i], interior->elements[i].offset};
  }
  return padWith(p, edges);
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

/// Each operand is written behind the run's elements of those before it, over their padding.
bool paddingConcatenate(Padding *p) {
  intptr_t count = mlirOperationGetNumOperands(p->op);
  int64_t dim = irGetInt(p->op, "dimension", 0), firstOpen = -1;
  for (intptr_t i = 0; i < count; ++i) {
    paddingPlainOperand(p, i);
    if (paddingHasPadding(p->r, irOperand(p->op, i), dim))
      firstOpen = firstOpen < 0 ? i : firstOpen;
  }
  if (firstOpen < 0 || firstOpen == count - 1)
    return true; // nothing comes behind padding
  MlirValue joined = irOperand(p->op, 0);
  int64_t most = irShapeOf(irResult(p->op, 0)).dims[dim];
  joined = paddingExtend(p, joined, dim, most - irShapeOf(joined).dims[dim]);
  RefineSize offset = refineShapeOf(p->r, irOperand(p->op, 0)).dims[dim];
  for (intptr_t i = 1; i < count; ++i) {
    RefineSize size = refineShapeOf(p->r, irOperand(p->op, i)).dims[dim];
    joined = paddingDynamicUpdate(p, joined, irOperand(p->op, i), dim, paddingSize(p, offset));
    if (!refineSum(p->r, offset, size, &offset))
      return refineFail(p->op, "joins sizes whose sum is unknown");
  }
  return paddingReplace(p, joined);
}
