//===- type.c - the types of refined values ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor whose outermost dimension is a multiple of a symbol has the largest size in its type and the symbol as
// encoding. So tensor<256x16xf32, "b"> has 2 * b rows, if b is at most 128.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/refine.h"

#include <inttypes.h>
#include <string.h>

bool refineIsDynamic(MlirType type) {
  if (!mlirTypeIsAShaped(type))
    return false;
  bool hasBounds = mlirTypeIsARankedTensor(type) && !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)) &&
                   !mlirAttributeIsAString(mlirRankedTensorTypeGetEncoding(type));
  return hasBounds || !mlirShapedTypeHasRank(type) || !mlirShapedTypeHasStaticShape(type);
}

typedef struct {
  Refiner *r;
  char *text;
} Printed;

static void appendPrinted(MlirStringRef part, void *user) {
  Printed *printed = user;
  size_t length = strlen(printed->text);
  char *grown = irArenaAllocate(&printed->r->arena, length + part.length + 1);
  memcpy(grown, printed->text, length);
  memcpy(grown + length, part.data, part.length);
  printed->text = grown;
}

const char *refineEncodingText(Refiner *r, MlirType type) {
  Printed printed = {r, irArenaAllocate(&r->arena, 1)};
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  if (!mlirAttributeIsNull(encoding))
    mlirAttributePrint(encoding, appendPrinted, &printed);
  return printed.text;
}

/// The symbol that the encoding of a refined type names; -1 if it has none.
static int symbolOf(const Refiner *r, MlirType type) {
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  for (int i = 0; !mlirAttributeIsNull(encoding) && mlirAttributeIsAString(encoding) && i < r->numSymbols; ++i)
    if (mlirStringRefEqual(mlirStringAttrGetValue(encoding), mlirStringRefCreateFromCString(r->symbols[i].name)))
      return i;
  return -1;
}

RefineShape refineShapeOf(const Refiner *r, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  RefineShape shape = {0};
  const RefineShape *known = (const RefineShape *)(intptr_t)irMapGet(&r->shapes, value.ptr, 0);
  if (known)
    return *known;
  if (!mlirTypeIsARankedTensor(type))
    return shape;
  IrShape sizes = irTypeShape(type);
  shape.rank = sizes.rank;
  for (intptr_t i = 0; i < sizes.rank; ++i)
    shape.dims[i] = refineConstant(sizes.dims[i]);
  int symbol = symbolOf(r, type);
  if (symbol >= 0 && sizes.rank > 0)
    shape.dims[0] = (RefineSize){symbol, sizes.dims[0] / r->symbols[symbol].high, 0};
  return shape;
}

bool refineEqualShapes(const RefineShape *a, const RefineShape *b) {
  if (a->rank != b->rank)
    return false;
  for (intptr_t i = 0; i < a->rank; ++i)
    if (!refineEqual(a->dims[i], b->dims[i]))
      return false;
  return true;
}

void refineSetShape(Refiner *r, MlirValue value, const RefineShape *shape) {
  RefineShape *kept = IR_NEW(&r->arena, RefineShape);
  *kept = *shape;
  irMapSet(&r->shapes, value.ptr, (int64_t)(intptr_t)kept);
}

/// Whether a size of a tensor that is padded is never negative.
static bool checkPadded(Refiner *r, MlirOperation op, intptr_t i, RefineSize size) {
  int64_t low, high;
  return (refineRange(r, size, &low, &high) && low >= 0) ||
         refineFail(op, "has a dimension %ld of size %s, which is negative for some of the sizes asked for", (long)i,
                    refineSizeText(r, size));
}

/// Whether dimension `i`, of size `declared` if that is known, can have the size that was found.
static bool checkSize(Refiner *r, MlirOperation op, intptr_t i, int64_t declared, RefineSize size) {
  bool isDeclared = declared != mlirShapedTypeGetDynamicSize();
  if (isDeclared && !refineEqual(size, refineConstant(declared)))
    return refineFail(op, "has dimension %ld of size %" PRId64 " in its type, but it is %s", (long)i, declared,
                      refineSizeText(r, size));
  if (refineIsConstant(size))
    return size.offset >= 0 ||
           refineFail(op, "has a dimension %ld of negative size %s", (long)i, refineSizeText(r, size));
  if (r->pads)
    return checkPadded(r, op, i, size);
  if (i == 0 && size.offset == 0 && size.factor > 0)
    return true;
  const char *name = r->symbols[size.symbol].name;
  return refineFail(op,
                    "has a dimension %ld of size %s: only the outermost dimension can be open, as a multiple of a "
                    "symbol; compile for one size, as in --dim %s=8, or pad to the largest: --buckets",
                    (long)i, refineSizeText(r, size), name);
}

MlirType refineType(Refiner *r, MlirOperation op, MlirType type, const RefineShape *shape) {
  IrShape declared = irTypeShape(type), sizes = {shape->rank, {0}};
  MlirAttribute encoding = mlirAttributeGetNull();
  if (!mlirTypeIsARankedTensor(type) || declared.rank != shape->rank) {
    refineFail(op, "has a result of another rank than its type says: %s", refineShapeText(r, shape));
    return (MlirType){NULL};
  }
  for (intptr_t i = 0; i < shape->rank; ++i) {
    RefineSize size = shape->dims[i];
    int64_t low;
    if (!checkSize(r, op, i, declared.dims[i], size))
      return (MlirType){NULL};
    if (!refineRange(r, size, &low, &sizes.dims[i])) {
      refineFail(op, "has a dimension %ld that is too large", (long)i);
      return (MlirType){NULL};
    }
    if (!refineIsConstant(size) && !r->pads)
      encoding = mlirStringAttrGet(r->context, mlirStringRefCreateFromCString(r->symbols[size.symbol].name));
  }
  return mlirRankedTensorTypeGet(sizes.rank, sizes.dims, irElementType(type), encoding);
}
