//===- movement.c - operations that move elements ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/conversion.h"

#include "ir/mlir/arena.h"

#include <stdlib.h>

MlirValue linalgTranspose(IrBuilder *b, MlirValue value, const int64_t *order) {
  IrShape shape = irShapeOf(value), result = {.rank = shape.rank};
  bool isIdentity = true;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    isIdentity = isIdentity && order[i] == i;
    result.dims[i] = shape.dims[order[i]];
  }
  return isIdentity ? value
                    : irValueOf(b, "tg.transpose", IR_VALUES(value), tgWithShape(mlirValueGetType(value), result),
                                IR_ATTRS(irDims(b, "permutation", shape.rank, order)));
}

/// A list of sizes of which none is computed at run time.
static bool readStatic(MlirOperation op, const char *name, IrShape *list) {
  *list = irGetDims(op, name);
  for (intptr_t i = 0; i < list->rank; ++i)
    if (list->dims[i] == INT64_MIN)
      return false;
  return true;
}

/// Offsets, sizes and strides of a slice within a tensor, all static.
typedef struct {
  IrShape offsets, sizes, strides;
} Slice;

static bool readSlice(MlirOperation op, Slice *slice) {
  return readStatic(op, "static_offsets", &slice->offsets) && readStatic(op, "static_sizes", &slice->sizes) &&
         readStatic(op, "static_strides", &slice->strides);
}

static bool extractSlice(IrBuilder *b, MlirOperation op, MlirValue *result) {
  Slice slice;
  if (!readSlice(op, &slice))
    return false;
  IrShape limits = slice.offsets;
  for (intptr_t i = 0; i < limits.rank; ++i) {
    if (slice.strides.dims[i] < 1 || slice.sizes.dims[i] < 1)
      return false;
    limits.dims[i] += (slice.sizes.dims[i] - 1) * slice.strides.dims[i] + 1;
  }
  MlirType type = mlirValueGetType(irResult(op, 0));
  MlirValue value = irValueOf(b, "tg.slice", IR_VALUES(irOperand(op, 0)), tgWithShape(type, slice.sizes),
                              IR_ATTRS(irDims(b, "starts", limits.rank, slice.offsets.dims),
                                       irDims(b, "limits", limits.rank, limits.dims),
                                       irDims(b, "strides", limits.rank, slice.strides.dims)));
  *result = tgReshape(b, value, type); // without dimensions of one element
  return true;
}

static bool insertSlice(IrBuilder *b, MlirOperation op, MlirValue *result) {
  Slice slice;
  if (!readSlice(op, &slice))
    return false;
  intptr_t rank = slice.offsets.rank;
  MlirValue operands[2 + IR_MAX_RANK];
  operands[0] = irOperand(op, 1);
  operands[1] = tgReshape(b, irOperand(op, 0), tgWithShape(mlirValueGetType(irOperand(op, 0)), slice.sizes));
  MlirType start = mlirRankedTensorTypeGet(0, NULL, mlirIntegerTypeGet(b->context, 32), mlirAttributeGetNull());
  for (intptr_t i = 0; i < rank; ++i) {
    if (slice.strides.dims[i] != 1)
      return false;
    operands[2 + i] = tgSplatBits(b, start, (uint64_t)slice.offsets.dims[i]);
  }
  *result = irValueOf(b, "tg.dynamic_update_slice", (IrValues){2 + rank, operands}, mlirValueGetType(operands[0]),
                      IR_NO_ATTRS);
  return true;
}

static bool pad(IrBuilder *b, MlirOperation op, MlirValue *result) {
  IrShape low, high, interior = {0};
  MlirOperation yield = mlirBlockGetTerminator(irBody(op, 0));
  MlirValue padding = irOperand(yield, 0);
  bool isInside = mlirOperationEqual(mlirOperationGetParentOperation(yield),
                                     mlirValueIsABlockArgument(padding)
                                         ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(padding))
                                         : mlirOperationGetParentOperation(irDefiningOp(padding)));
  bool isConstant = !mlirValueIsABlockArgument(padding) && irOpIs(irDefiningOp(padding), "arith.constant");
  if (!readStatic(op, "static_low", &low) || !readStatic(op, "static_high", &high) || (isInside && !isConstant))
    return false;
  LinalgBody body = {.b = b};
  MlirValue value = linalgBodyValue(&body, padding);
  linalgBodyDestroy(&body);
  if (mlirValueIsNull(value))
    return false;
  interior.rank = low.rank;
  *result = irValueOf(b, "tg.pad", IR_VALUES(irOperand(op, 0), value), mlirValueGetType(irResult(op, 0)),
                      IR_ATTRS(irDims(b, "low", low.rank, low.dims), irDims(b, "high", high.rank, high.dims),
                               irDims(b, "interior", interior.rank, interior.dims)));
  return true;
}

static bool concatenate(IrBuilder *b, MlirOperation op, MlirValue *result) {
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = irOperand(op, i);
  *result = tgConcatenate(b, (IrValues){count, operands}, irGetInt(op, "dim", 0));
  free(operands);
  return true;
}

static bool splat(IrBuilder *b, MlirOperation op, MlirValue *result) {
  LinalgBody body = {.b = b, .space = irShapeOf(irResult(op, 0))};
  *result = linalgBodyValue(&body, irOperand(op, 0));
  linalgBodyDestroy(&body);
  return !mlirValueIsNull(*result);
}

static bool softmax(IrBuilder *b, MlirOperation op, MlirValue *result) {
  MlirValue x = irOperand(op, 0);
  MlirType type = mlirValueGetType(x);
  IrShape shape = irShapeOf(x), dims = {0}, dim = {.rank = 1, .dims = {irGetInt(op, "dimension", 0)}};
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (i != dim.dims[0])
      dims.dims[dims.rank++] = i;
  MlirValue most = tgBroadcast(b, tgReduce(b, TG_REDUCE_MAX, x, dim), type, dims);
  MlirValue e = tgUnary(b, "tg.exp", tgSub(b, x, most));
  *result = tgDiv(b, e, tgBroadcast(b, tgReduce(b, TG_REDUCE_ADD, e, dim), type, dims));
  return true;
}

static bool reshape(IrBuilder *b, MlirOperation op, MlirValue *result) {
  *result = tgReshape(b, irOperand(op, 0), mlirValueGetType(irResult(op, 0)));
  return true;
}

bool linalgConvertMovement(IrBuilder *b, MlirOperation op, MlirValue *results) {
  static const struct {
    const char *name;
    bool (*convert)(IrBuilder *b, MlirOperation op, MlirValue *result);
  } conversions[] = {
      {"tensor.collapse_shape", reshape},
      {"tensor.concat", concatenate},
      {"tensor.expand_shape", reshape},
      {"tensor.extract_slice", extractSlice},
      {"tensor.insert_slice", insertSlice},
      {"tensor.pad", pad},
      {"tensor.splat", splat},
      {"linalg.softmax", softmax},
  };
  for (size_t i = 0; i < sizeof(conversions) / sizeof(conversions[0]); ++i)
    if (irOpIs(op, conversions[i].name)) {
      bool known = mlirOperationGetNumResults(op) == 1 && linalgIsTensor(mlirValueGetType(irResult(op, 0)));
      for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); ++k) {
        MlirType type = mlirValueGetType(irOperand(op, k));
        known = known && (!mlirTypeIsARankedTensor(type) || linalgIsTensor(type));
      }
      return known && conversions[i].convert(b, op, results);
    }
  return false;
}
