//===- linalg_movement.c - operations that move elements ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations of tensor and linalg that move elements: slices, pads, concatenations, reshapes, generated tensors.
// Leaves tg's operations for them. Sizes are static; offsets may be computed.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/linalg_conversion.h"

#include "ir/mlir/arena.h"

#include <stdlib.h>

/// Offsets, sizes and strides of a slice within a tensor; all are static but offsets.
typedef struct {
  IrShape offsets, sizes, strides;
  intptr_t firstOffset; ///< the operand that is the first offset of INT64_MIN
} Slice;

static bool areStatic(IrShape list) { return !irContains(list, INT64_MIN); }

/// False if the slice of a tensor of the shape `whole` is empty, has sizes that are computed, or is not within it.
static bool readSlice(MlirOperation op, intptr_t numTensors, IrShape whole, Slice *slice) {
  slice->offsets = irGetDims(op, "static_offsets");
  slice->sizes = irGetDims(op, "static_sizes");
  slice->strides = irGetDims(op, "static_strides");
  slice->firstOffset = numTensors;
  for (intptr_t i = 0; i < slice->sizes.rank; ++i) {
    int64_t offset = slice->offsets.dims[i] == INT64_MIN ? 0 : slice->offsets.dims[i], last;
    if (slice->sizes.dims[i] < 1 || slice->strides.dims[i] < 1 ||
        __builtin_mul_overflow(slice->sizes.dims[i] - 1, slice->strides.dims[i], &last) || offset < 0 ||
        last >= whole.dims[i] - offset)
      return false;
  }
  return true;
}

static bool isUnitStrided(const Slice *slice) {
  for (intptr_t i = 0; i < slice->strides.rank; ++i)
    if (slice->strides.dims[i] != 1)
      return false;
  return true;
}

/// The offsets as tensors of rank 0; they are within the tensor, so that nothing is clamped.
static bool readOffsets(IrBuilder *b, MlirOperation op, const Slice *slice, MlirValue *offsets) {
  LinalgBody body = {.b = b};
  bool success = true;
  MlirType type = mlirRankedTensorTypeGet(0, NULL, mlirIntegerTypeGet(b->context, 64), mlirAttributeGetNull());
  for (intptr_t i = 0, operand = slice->firstOffset; i < slice->offsets.rank; ++i) {
    bool isStatic = slice->offsets.dims[i] != INT64_MIN;
    offsets[i] = isStatic ? tgSplatBits(b, type, (uint64_t)slice->offsets.dims[i])
                          : linalgBodyValue(&body, irOperand(op, operand++));
    success = success && !mlirValueIsNull(offsets[i]);
  }
  linalgBodyDestroy(&body);
  return success;
}

static MlirValue dynamicSlice(IrBuilder *b, MlirOperation op, const Slice *slice) {
  MlirValue operands[1 + IR_MAX_RANK] = {linalgWithSizes(irOperand(op, 0))};
  if (!isUnitStrided(slice) || !readOffsets(b, op, slice, operands + 1))
    return (MlirValue){NULL};
  return irValueOf(b, "tg.dynamic_slice", (IrValues){1 + slice->sizes.rank, operands},
                   tgWithShape(mlirValueGetType(operands[0]), slice->sizes),
                   IR_ATTRS(irDims(b, "sizes", slice->sizes.rank, slice->sizes.dims)));
}

static MlirValue staticSlice(IrBuilder *b, MlirOperation op, const Slice *slice) {
  MlirValue value = linalgWithSizes(irOperand(op, 0));
  IrShape limits = slice->offsets;
  for (intptr_t i = 0; i < limits.rank; ++i)
    limits.dims[i] += (slice->sizes.dims[i] - 1) * slice->strides.dims[i] + 1;
  return irValueOf(b, "tg.slice", IR_VALUES(value), tgWithShape(mlirValueGetType(value), slice->sizes),
                   IR_ATTRS(irDims(b, "starts", limits.rank, slice->offsets.dims),
                            irDims(b, "limits", limits.rank, limits.dims),
                            irDims(b, "strides", limits.rank, slice->strides.dims)));
}

static bool extractSlice(IrBuilder *b, MlirOperation op, MlirValue *result) {
  Slice slice;
  if (!readSlice(op, 1, irShapeOf(linalgWithSizes(irOperand(op, 0))), &slice))
    return false;
  MlirValue value = areStatic(slice.offsets) ? staticSlice(b, op, &slice) : dynamicSlice(b, op, &slice);
  if (mlirValueIsNull(value))
    return false;
  *result = tgReshape(b, value, mlirValueGetType(irResult(op, 0))); // without dimensions of one element
  return true;
}

static MlirValue padded(IrBuilder *b, MlirValue value, MlirValue padding, MlirType type, IrShape low, IrShape high,
                        IrShape interior) {
  return irValueOf(b, "tg.pad", IR_VALUES(value, padding), type,
                   IR_ATTRS(irDims(b, "low", low.rank, low.dims), irDims(b, "high", high.rank, high.dims),
                            irDims(b, "interior", interior.rank, interior.dims)));
}

/// A value of rank 0 that is there because an operation needs one.
static MlirValue anyElement(IrBuilder *b, MlirType element) {
  return tgSplat(b, mlirRankedTensorTypeGet(0, NULL, element, mlirAttributeGetNull()), 0);
}

/// `value` within a tensor of type `type`, where `rest` has the other elements: `low`, `high` and between two of value.
static MlirValue within(IrBuilder *b, MlirValue value, MlirValue rest, IrShape low, IrShape high, IrShape interior) {
  MlirType type = mlirValueGetType(rest), predicate = mlirIntegerTypeGet(b->context, 1);
  MlirValue ones = tgSplatBits(b, tgWithElement(mlirValueGetType(value), predicate), 1);
  MlirValue isValue = padded(b, ones, anyElement(b, predicate), tgWithElement(type, predicate), low, high, interior);
  MlirValue wide = padded(b, value, anyElement(b, irElementType(type)), type, low, high, interior);
  return tgSelect(b, isValue, wide, rest);
}

static bool insertSlice(IrBuilder *b, MlirOperation op, MlirValue *result) {
  Slice slice;
  if (!readSlice(op, 2, irShapeOf(irOperand(op, 1)), &slice))
    return false;
  intptr_t rank = slice.offsets.rank;
  MlirValue operands[2 + IR_MAX_RANK] = {irOperand(op, 1), linalgWithSizes(irOperand(op, 0))};
  operands[1] = tgReshape(b, operands[1], tgWithShape(mlirValueGetType(operands[1]), slice.sizes));
  if (isUnitStrided(&slice)) {
    if (!readOffsets(b, op, &slice, operands + 2))
      return false;
    *result = irValueOf(b, "tg.dynamic_update_slice", (IrValues){2 + rank, operands}, mlirValueGetType(operands[0]),
                        IR_NO_ATTRS);
    return true;
  }
  IrShape high = irShapeOf(operands[0]), interior = {.rank = rank};
  for (intptr_t i = 0; i < rank; ++i) {
    interior.dims[i] = slice.strides.dims[i] - 1;
    high.dims[i] -= slice.offsets.dims[i] + (slice.sizes.dims[i] - 1) * slice.strides.dims[i] + 1;
  }
  if (!areStatic(slice.offsets))
    return false;
  *result = within(b, operands[1], operands[0], slice.offsets, high, interior);
  return true;
}

/// The index of an element of the result of tensor.pad or tensor.generate.
static MlirValue positionOf(LinalgBody *body, MlirValue argument) {
  return linalgBodyIndex(body, mlirBlockArgumentGetArgNumber(argument));
}

/// The value that the operation's body yields, as a tensor of the result's shape, or of rank 0 if it is one number.
static MlirValue yielded(IrBuilder *b, MlirOperation op, IrShape space) {
  LinalgBody body = {.b = b, .space = space, .block = irBody(op, 0), .argument = positionOf};
  MlirValue value = linalgBodyValue(&body, irOperand(mlirBlockGetTerminator(body.block), 0));
  linalgBodyDestroy(&body);
  return value;
}

/// Whether the body yields one number everywhere: a constant, or one from outside.
static bool yieldsNumber(MlirOperation op) {
  MlirValue value = irOperand(mlirBlockGetTerminator(irBody(op, 0)), 0);
  MlirOperation source = irDefiningOp(value);
  if (mlirOperationIsNull(source))
    return !mlirBlockEqual(mlirBlockArgumentGetOwner(value), irBody(op, 0));
  return irOpIs(source, "arith.constant") || !mlirBlockEqual(mlirOperationGetBlock(source), irBody(op, 0));
}

/// Sizes of paddings that follow from the others and from the types; false if there are none.
static bool findPadding(IrShape source, IrShape result, IrShape *low, IrShape *high) {
  bool fits = true;
  for (intptr_t i = 0; i < low->rank; ++i) {
    int64_t both = result.dims[i] - source.dims[i];
    if (high->dims[i] == INT64_MIN && low->dims[i] != INT64_MIN)
      high->dims[i] = both - low->dims[i];
    else if (low->dims[i] == INT64_MIN && high->dims[i] != INT64_MIN)
      low->dims[i] = both - high->dims[i];
    bool areBoth = low->dims[i] == INT64_MIN && high->dims[i] == INT64_MIN;
    fits = fits && (areBoth ? both >= 0 : low->dims[i] >= 0 && high->dims[i] >= 0);
  }
  return fits;
}

static bool pad(IrBuilder *b, MlirOperation op, MlirValue *result) {
  Slice slice = {.offsets = irGetDims(op, "static_low"), .firstOffset = 1};
  IrShape low = slice.offsets, high = irGetDims(op, "static_high"), interior = {.rank = low.rank};
  MlirType type = mlirValueGetType(irResult(op, 0));
  MlirValue value = linalgWithSizes(irOperand(op, 0)), operands[2 + IR_MAX_RANK];
  if (!findPadding(irShapeOf(value), irTypeShape(type), &low, &high))
    return false;
  MlirValue padding = yielded(b, op, yieldsNumber(op) ? (IrShape){0} : irTypeShape(type));
  if (mlirValueIsNull(padding))
    return false;
  if (areStatic(low)) {
    *result = irShapeOf(padding).rank ? within(b, value, padding, low, high, interior)
                                      : padded(b, value, padding, type, low, high, interior);
    return true;
  }
  operands[0] = irShapeOf(padding).rank ? padding : tgBroadcast(b, padding, type, (IrShape){0});
  operands[1] = value;
  if (!readOffsets(b, op, &slice, operands + 2))
    return false;
  *result = irValueOf(b, "tg.dynamic_update_slice", (IrValues){2 + low.rank, operands}, type, IR_NO_ATTRS);
  return true;
}

static bool generate(IrBuilder *b, MlirOperation op, MlirValue *result) {
  *result = yielded(b, op, irShapeOf(irResult(op, 0)));
  return !mlirValueIsNull(*result);
}

static bool concatenate(IrBuilder *b, MlirOperation op, MlirValue *result) {
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)(count + 1));
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = linalgWithSizes(irOperand(op, i));
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
  MlirValue x = linalgWithSizes(irOperand(op, 0));
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

/// A cast between sizes that differ has no meaning, and none here.
static bool reshape(IrBuilder *b, MlirOperation op, MlirValue *result) {
  IrShape from = irShapeOf(linalgWithSizes(irOperand(op, 0))), to = irShapeOf(irResult(op, 0));
  if (irNumElements(from) != irNumElements(to) || (irOpIs(op, "tensor.cast") && !irShapesEqual(from, to)))
    return false;
  *result = tgReshape(b, linalgWithSizes(irOperand(op, 0)), mlirValueGetType(irResult(op, 0)));
  return true;
}

static bool bitcast(IrBuilder *b, MlirOperation op, MlirValue *result) {
  *result = tgBitcast(b, linalgWithSizes(irOperand(op, 0)), irElementTypeOf(irResult(op, 0)));
  return true;
}

bool linalgConvertMovement(IrBuilder *b, MlirOperation op, MlirValue *results) {
  static const struct {
    const char *name;
    bool (*convert)(IrBuilder *b, MlirOperation op, MlirValue *result);
  } conversions[] = {
      {"linalg.pack", linalgPack},
      {"linalg.softmax", softmax},
      {"linalg.unpack", linalgUnpack},
      {"tensor.bitcast", bitcast},
      {"tensor.cast", reshape},
      {"tensor.collapse_shape", reshape},
      {"tensor.concat", concatenate},
      {"tensor.expand_shape", reshape},
      {"tensor.extract_slice", extractSlice},
      {"tensor.generate", generate},
      {"tensor.insert_slice", insertSlice},
      {"tensor.pad", pad},
      {"tensor.reshape", reshape},
      {"tensor.splat", splat},
  };
  for (size_t i = 0; i < sizeof(conversions) / sizeof(conversions[0]); ++i)
    if (irOpIs(op, conversions[i].name)) {
      bool known = mlirOperationGetNumResults(op) == 1 && linalgIsTensor(mlirValueGetType(irResult(op, 0)));
      for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); ++k) {
        MlirType type = mlirValueGetType(linalgWithSizes(irOperand(op, k)));
        bool isShape = mlirTypeIsARankedTensor(type) && mlirTypeIsAIndex(irElementType(type));
        known = known && !mlirTypeIsAUnrankedTensor(type) &&
                (isShape || !mlirTypeIsARankedTensor(type) || linalgIsTensor(type));
      }
      return known && conversions[i].convert(b, op, results);
    }
  return false;
}
