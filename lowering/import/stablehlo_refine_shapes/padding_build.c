//===- padding_build.c - builders, masks and layouts of padded tensors -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the StableHLO operations that masks of padding consist of, and keeps the layout of each padded value: which
// dimensions have padding, and where their elements begin.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/padding.h"

bool paddingIsOpenShape(const RefineShape *shape) {
  for (intptr_t i = 0; i < shape->rank; ++i)
    if (paddingIsOpen(shape->dims[i]))
      return true;
  return false;
}

int64_t paddingMost(const Refiner *r, RefineSize size) {
  int64_t low = 0, high = 0;
  refineRange(r, size, &low, &high);
  return high;
}

int64_t paddingLeast(const Refiner *r, RefineSize size) {
  int64_t low = 0, high = 0;
  refineRange(r, size, &low, &high);
  return low;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

MlirType paddingType(const Padding *p, MlirType element, const IrShape *shape) {
  (void)p;
  return mlirRankedTensorTypeGet(shape->rank, shape->dims, element, mlirAttributeGetNull());
}

static MlirType typeLike(const Padding *p, MlirValue value, MlirType element) {
  IrShape shape = irShapeOf(value);
  (void)p;
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, element,
                                 mlirRankedTensorTypeGetEncoding(mlirValueGetType(value)));
}

MlirValue paddingUnary(Padding *p, const char *name, MlirValue value, MlirType type) {
  return irValueOf(&p->b, name, IR_VALUES(value), type, IR_NO_ATTRS);
}

MlirValue paddingBinary(Padding *p, const char *name, MlirValue a, MlirValue b) {
  return irValueOf(&p->b, name, IR_VALUES(a, b), mlirValueGetType(a), IR_NO_ATTRS);
}

MlirValue paddingCompare(Padding *p, const char *direction, MlirValue a, MlirValue b) {
  MlirType type = typeLike(p, a, mlirIntegerTypeGet(p->r->context, 1));
  MlirAttribute how = irParseAttr(p->r->context, "#stablehlo<comparison_direction %s>", direction);
  return irValueOf(&p->b, "stablehlo.compare", IR_VALUES(a, b), type,
                   IR_ATTRS(irAttr(&p->b, "comparison_direction", how)));
}

MlirValue paddingSelect(Padding *p, MlirValue mask, MlirValue a, MlirValue b) {
  return irValueOf(&p->b, "stablehlo.select", IR_VALUES(mask, a, b), mlirValueGetType(a), IR_NO_ATTRS);
}

MlirValue paddingElement(Padding *p, MlirType element, MlirAttribute value) {
  IrShape none = {0};
  MlirAttribute dense = mlirDenseElementsAttrSplatGet(paddingType(p, element, &none), value);
  return irValueOf(&p->b, "stablehlo.constant", IR_NO_VALUES, mlirAttributeGetType(dense),
                   IR_ATTRS(irAttr(&p->b, "value", dense)));
}

MlirValue paddingInteger(Padding *p, MlirType element, int64_t value) {
  return paddingElement(p, element, mlirIntegerAttrGet(element, value));
}

/// By way of the nearest type that has such an attribute: complex and narrow types are converted to.
MlirValue paddingZero(Padding *p, MlirType element) {
  if (mlirTypeIsAInteger(element))
    return paddingInteger(p, element, 0);
  if (!mlirTypeIsAComplex(element))
    return paddingElement(p, element, mlirFloatAttrDoubleGet(p->r->context, element, 0.0));
  MlirValue part = paddingZero(p, mlirComplexTypeGetElementType(element));
  IrShape none = {0};
  return irValueOf(&p->b, "stablehlo.complex", IR_VALUES(part, part), paddingType(p, element, &none), IR_NO_ATTRS);
}

MlirValue paddingSize(Padding *p, RefineSize size) {
  MlirType i32 = mlirIntegerTypeGet(p->r->context, 32);
  if (refineIsConstant(size))
    return paddingInteger(p, i32, size.offset);
  MlirValue value = p->r->symbols[size.symbol].value;
  if (size.factor != 1)
    value = paddingBinary(p, "stablehlo.multiply", value, paddingInteger(p, i32, size.factor));
  if (size.offset != 0)
    value = paddingBinary(p, "stablehlo.add", value, paddingInteger(p, i32, size.offset));
  return value;
}

MlirValue paddingSizeAs(Padding *p, RefineSize size, MlirType element) {
  MlirValue value = paddingSize(p, size);
  IrShape none = {0};
  return mlirTypeEqual(element, irElementTypeOf(value))
             ? value
             : paddingUnary(p, "stablehlo.convert", value, paddingType(p, element, &none));
}

MlirValue paddingBroadcast(Padding *p, MlirValue value, const IrShape *dims, const IrShape *shape) {
  return irValueOf(&p->b, "stablehlo.broadcast_in_dim", IR_VALUES(value), paddingType(p, irElementTypeOf(value), shape),
                   IR_ATTRS(irDims(&p->b, "broadcast_dimensions", dims->rank, dims->dims)));
}

MlirValue paddingSplat(Padding *p, MlirValue scalar, const IrShape *shape) {
  IrShape none = {0};
  return shape->rank == 0 ? scalar : paddingBroadcast(p, scalar, &none, shape);
}

MlirValue paddingReshape(Padding *p, MlirValue value, const IrShape *shape) {
  if (irShapesEqual(irShapeOf(value), *shape))
    return value;
  return paddingUnary(p, "stablehlo.reshape", value, paddingType(p, irElementTypeOf(value), shape));
}

MlirValue paddingIota(Padding *p, const IrShape *shape, intptr_t dim) {
  MlirType type = paddingType(p, mlirIntegerTypeGet(p->r->context, 32), shape);
  return irValueOf(&p->b, "stablehlo.iota", IR_NO_VALUES, type, IR_ATTRS(irI64(&p->b, "iota_dimension", dim)));
}

MlirValue paddingBarrier(Padding *p, MlirValue value) {
  return paddingUnary(p, "stablehlo.optimization_barrier", value, mlirValueGetType(value));
}

MlirValue paddingExtend(Padding *p, MlirValue value, intptr_t dim, int64_t high) {
  if (high == 0)
    return value;
  IrShape shape = irShapeOf(value), none = {shape.rank, {0}}, more = none;
  more.dims[dim] = high;
  shape.dims[dim] += high;
  MlirValue zero = paddingZero(p, irElementTypeOf(value));
  return irValueOf(&p->b, "stablehlo.pad", IR_VALUES(value, zero), paddingType(p, irElementTypeOf(value), &shape),
                   IR_ATTRS(irDims(&p->b, "edge_padding_low", none.rank, none.dims),
                            irDims(&p->b, "edge_padding_high", more.rank, more.dims),
                            irDims(&p->b, "interior_padding", none.rank, none.dims)));
}

/// Zeros, with `start` in the place of that of `dim`.
static void startsAt(Padding *p, intptr_t rank, intptr_t dim, MlirValue start, MlirValue *starts) {
  MlirValue zero = paddingInteger(p, mlirIntegerTypeGet(p->r->context, 32), 0);
  for (intptr_t i = 0; i < rank; ++i)
    starts[i] = i == dim ? start : zero;
}

MlirValue paddingDynamicSlice(Padding *p, MlirValue value, intptr_t dim, MlirValue start, int64_t size) {
  IrShape shape = irShapeOf(value);
  MlirValue operands[1 + IR_MAX_RANK] = {value};
  startsAt(p, shape.rank, dim, start, operands + 1);
  shape.dims[dim] = size;
  return irValueOf(&p->b, "stablehlo.dynamic_slice", (IrValues){1 + shape.rank, operands},
                   paddingType(p, irElementTypeOf(value), &shape),
                   IR_ATTRS(irDims(&p->b, "slice_sizes", shape.rank, shape.dims)));
}

MlirValue paddingDynamicUpdate(Padding *p, MlirValue value, MlirValue update, intptr_t dim, MlirValue start) {
  intptr_t rank = irShapeOf(value).rank;
  MlirValue operands[2 + IR_MAX_RANK] = {value, update};
  startsAt(p, rank, dim, start, operands + 2);
  return irValueOf(&p->b, "stablehlo.dynamic_update_slice", (IrValues){2 + rank, operands}, mlirValueGetType(value),
                   IR_NO_ATTRS);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static PaddingDim plainDim(RefineSize extent, int64_t padded) {
  bool isOne = refineIsConstant(extent) && extent.offset == 1 && padded == 1;
  return (PaddingDim){!isOne, {{extent, padded}}};
}

PaddingLayout paddingLayoutOf(const Refiner *r, MlirValue value) {
  const PaddingLayout *known = (const PaddingLayout *)(intptr_t)irMapGet(&r->layouts, value.ptr, 0);
  if (known)
    return *known;
  RefineShape shape = refineShapeOf(r, value);
  IrShape padded = irShapeOf(value);
  PaddingLayout layout = {.rank = shape.rank};
  for (intptr_t i = 0; i < shape.rank; ++i)
    layout.dims[i] = plainDim(shape.dims[i], padded.dims[i]);
  return layout;
}

bool paddingIsPlain(const PaddingLayout *layout) {
  for (intptr_t i = 0; i < layout->rank; ++i)
    if (layout->dims[i].count > 1)
      return false;
  return true;
}

void paddingSetLayout(Refiner *r, MlirValue value, const PaddingLayout *layout) {
  if (paddingIsPlain(layout))
    return;
  PaddingLayout *kept = IR_NEW(&r->arena, PaddingLayout);
  *kept = *layout;
  irMapSet(&r->layouts, value.ptr, (int64_t)(intptr_t)kept);
}

bool paddingSameDim(const PaddingDim *a, const PaddingDim *b) {
  bool same = a->count == b->count;
  for (intptr_t i = 0; same && i < a->count; ++i)
    same = a->parts[i].padded == b->parts[i].padded && refineEqual(a->parts[i].extent, b->parts[i].extent);
  return same;
}

static bool dimHasPadding(const PaddingDim *dim) {
  for (intptr_t i = 0; i < dim->count; ++i)
    if (paddingIsOpen(dim->parts[i].extent))
      return true;
  return false;
}

bool paddingHasPadding(const Refiner *r, MlirValue value, intptr_t dim) {
  PaddingLayout layout = paddingLayoutOf(r, value);
  return dimHasPadding(&layout.dims[dim]);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

MlirValue paddingBelow(Padding *p, const IrShape *shape, intptr_t dim, RefineSize size) {
  IrShape line = {1, {shape->dims[dim]}}, dims = {1, {dim}};
  MlirValue limit = paddingSplat(p, paddingSize(p, size), &line);
  MlirValue below = paddingCompare(p, "LT", paddingIota(p, &line, 0), limit);
  return paddingBroadcast(p, below, &dims, shape);
}

/// Where along `dim` of a value of `shape` elements of the model are.
static MlirValue dimMask(Padding *p, const IrShape *shape, intptr_t dim, const PaddingDim *layout) {
  if (layout->count == 1)
    return paddingBelow(p, shape, dim, layout->parts[0].extent);
  IrShape parts = {layout->count, {0}}, line = {1, {shape->dims[dim]}}, dims = {1, {dim}};
  for (intptr_t i = 0; i < layout->count; ++i)
    parts.dims[i] = layout->parts[i].padded;
  MlirValue mask = {NULL};
  for (intptr_t i = 0; i < layout->count; ++i) {
    if (!paddingIsOpen(layout->parts[i].extent))
      continue;
    MlirValue next = paddingBelow(p, &parts, i, layout->parts[i].extent);
    mask = mlirValueIsNull(mask) ? next : paddingBinary(p, "stablehlo.and", mask, next);
  }
  return paddingBroadcast(p, paddingReshape(p, mask, &line), &dims, shape);
}

MlirValue paddingMasked(Padding *p, MlirValue value, const IrShape *dims, MlirValue fill) {
  PaddingLayout layout = paddingLayoutOf(p->r, value);
  IrShape shape = irShapeOf(value);
  MlirValue mask = {NULL};
  for (intptr_t i = 0; i < dims->rank; ++i) {
    if (!dimHasPadding(&layout.dims[dims->dims[i]]))
      continue;
    MlirValue next = dimMask(p, &shape, dims->dims[i], &layout.dims[dims->dims[i]]);
    mask = mlirValueIsNull(mask) ? next : paddingBinary(p, "stablehlo.and", mask, next);
  }
  if (mlirValueIsNull(mask))
    return value;
  MlirValue masked = paddingSelect(p, mask, value, paddingSplat(p, fill, &shape));
  RefineShape extents = refineShapeOf(p->r, value);
  refineSetShape(p->r, masked, &extents);
  paddingSetLayout(p->r, masked, &layout);
  return masked;
}
