//===- joining.c - stitch-enumerate: operands side by side ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operands of products that differ. Leaves their concatenation: a constant if all are constants, else a
// tg.concatenate.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_enumerate/joining.h"
#include "capi/resource.h"
#include "ir/graph/tg.h"
#include "ir/graph/tg_build.h"
#include "ir/mlir/arena.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The elements of a constant; of a splat one. NULL if they are not there.
static const char *bytesOfConstant(MlirValue value, bool *isSplat) {
  MlirOperation op = irDefiningOp(value);
  *isSplat = false;
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_constant)
    return NULL;
  MlirAttribute data = irGetAttr(op, "value");
  if (mlirAttributeIsADenseResourceElements(data))
    return stitchResourceOf(data).data;
  if (!mlirAttributeIsADenseElements(data))
    return NULL;
  *isSplat = mlirDenseElementsAttrIsSplat(data);
  return mlirDenseElementsAttrGetRawData(data);
}

bool areConstants(MlirOperation const *products, int64_t count, int side) {
  bool all = true, isSplat;
  for (int64_t i = 0; i < count; ++i)
    all = all && bytesOfConstant(productOperand(products[i], side), &isSplat);
  return all;
}

int64_t joinedConstantBytes(MlirOperation const *products, int64_t count, int64_t size, int side) {
  int64_t bytes = 0;
  for (int64_t i = 0; i < count && size > 1; i += size) {
    int64_t here = i + size < count ? size : count - i;
    for (int64_t k = i; k < i + here && here > 1 && areConstants(products + i, here, side); ++k)
      bytes += irTensorBytes(mlirValueGetType(productOperand(products[k], side)));
  }
  return bytes;
}

/// Bytes of a tensor from dimension `dim` on, which are contiguous.
static size_t rowBytes(MlirValue value, int64_t dim) {
  IrShape shape = irShapeOf(value);
  size_t bytes = (size_t)irElementBytes(irElementTypeOf(value));
  for (intptr_t i = dim; i < shape.rank; ++i)
    bytes *= (size_t)shape.dims[i];
  return bytes;
}

static void copyRow(char *to, MlirValue value, size_t row, size_t bytes) {
  bool isSplat;
  const char *elements = bytesOfConstant(value, &isSplat);
  size_t elementBytes = (size_t)irElementBytes(irElementTypeOf(value));
  if (!isSplat)
    memcpy(to, elements + row * bytes, bytes);
  for (size_t i = 0; isSplat && i < bytes; i += elementBytes)
    memcpy(to + i, elements, elementBytes);
}

static MlirType joinedType(const MlirValue *values, int64_t count, int64_t dim) {
  IrShape shape = irShapeOf(values[0]);
  for (int64_t i = 1; i < count; ++i)
    shape.dims[dim] += irShapeOf(values[i]).dims[dim];
  return tgWithShape(mlirValueGetType(values[0]), shape);
}

static MlirValue joinConstants(const MlirValue *values, int64_t count, int64_t dim, MlirOperation before) {
  MlirType type = joinedType(values, count, dim);
  size_t bytes = (size_t)irTensorBytes(type), rows = 1;
  for (int64_t i = 0; i < dim; ++i)
    rows *= (size_t)irTypeShape(type).dims[i];
  char *data = irAllocate(bytes + 1), *to = data;
  for (size_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < count; ++i) {
      size_t length = rowBytes(values[i], dim);
      copyRow(to, values[i], row, length);
      to += length;
    }
  IrBuilder b = irBuilderBefore(before);
  MlirAttribute value = mlirDenseElementsAttrRawBufferGet(type, bytes, data);
  free(data);
  return irValueOf(&b, "tg.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(&b, "value", value)));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Joined joinOperands(Joining *joining, MlirOperation const *products, int64_t count, int side, int64_t dim,
                    MlirOperation before) {
  MlirValue *values = irAllocate(sizeof(*values) * (size_t)(count + 1));
  for (int64_t i = 0; i < count; ++i)
    values[i] = productOperand(products[i], side);
  Joined joined = {values[0], -1};
  if (count > 1 && areConstants(products, count, side)) {
    joined.value = joinConstants(values, count, dim, before);
  } else if (count > 1) {
    MlirLocation loc = mlirOperationGetLocation(products[0]);
    if (mlirBlockIsNull(joining->body.block))
      joining->body = fusionBodyCreate();
    for (int64_t i = 0; i < count; ++i)
      values[i] = fusionBodyArgument(&joining->body, values[i], loc);
    IrBuilder b = irBuilderAtEnd(joining->body.block, loc);
    joined = (Joined){{NULL}, joining->results.count};
    valueListAdd(&joining->results, tgConcatenate(&b, (IrValues){count, values}, dim));
  }
  free(values);
  return joined;
}

void joiningClose(Joining *joining, MlirOperation before) {
  if (joining->results.count)
    joining->fusion =
        fusionBodyClose(&joining->body, "stitch.fusion", mlirOperationGetLocation(before), &joining->results, before);
}

MlirValue joinedValue(const Joining *joining, Joined joined) {
  return mlirValueIsNull(joined.value) ? irResult(joining->fusion, joined.result) : joined.value;
}

void joiningDestroy(Joining *joining) { valueListDestroy(&joining->results); }
