//===- linalg_pack.c - linalg.pack and linalg.unpack ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor whose dimensions are cut into tiles, the elements of a tile next to each other: padded to whole tiles, split
// and transposed; and the way back.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/linalg_conversion.h"

typedef struct {
  IrShape positions, tiles; ///< the dimensions that are cut, and the sizes of the tiles
  IrShape whole;            ///< the shape of the tensor in whole tiles
  IrShape split;            ///< the same, each dimension that is cut as two: how many tiles, and their size
  IrShape order;            ///< packed dimension -> dimension of `split`
} PackTiling;

/// `shape` is that of the tensor that is not packed; false if a size of a tile is computed.
static bool readTiling(MlirOperation op, IrShape shape, PackTiling *t) {
  IrShape outer = irGetDims(op, "outer_dims_perm"), first = {.rank = shape.rank}, second = {.rank = shape.rank};
  *t = (PackTiling){
      .positions = irGetDims(op, "inner_dims_pos"), .tiles = irGetDims(op, "static_inner_tiles"), .whole = shape};
  if (irContains(t->tiles, INT64_MIN) || shape.rank + t->tiles.rank > IR_MAX_RANK)
    return false;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    int64_t tile = 0;
    for (intptr_t k = 0; k < t->positions.rank; ++k)
      tile = t->positions.dims[k] == i ? t->tiles.dims[k] : tile;
    int64_t count = tile ? (shape.dims[i] + tile - 1) / tile : shape.dims[i];
    first.dims[i] = t->split.rank;
    t->split.dims[t->split.rank++] = count;
    if (!tile)
      continue;
    t->whole.dims[i] = count * tile;
    second.dims[i] = t->split.rank;
    t->split.dims[t->split.rank++] = tile;
  }
  for (intptr_t i = 0; i < shape.rank; ++i)
    t->order.dims[t->order.rank++] = first.dims[outer.rank ? outer.dims[i] : i];
  for (intptr_t k = 0; k < t->positions.rank; ++k)
    t->order.dims[t->order.rank++] = second.dims[t->positions.dims[k]];
  return true;
}

bool linalgPack(IrBuilder *b, MlirOperation op, MlirValue *result) {
  PackTiling t;
  MlirValue value = linalgWithSizes(irOperand(op, 0));
  MlirAttribute segments = irGetAttr(op, "operandSegmentSizes"); // source, destination, padding, sizes of tiles
  IrShape shape = irShapeOf(value), zeros = {.rank = shape.rank}, high = {.rank = shape.rank};
  if (!readTiling(op, shape, &t))
    return false;
  if (!irShapesEqual(shape, t.whole)) {
    if (!mlirDenseI32ArrayGetElement(segments, 2))
      return false; // undefined
    LinalgBody body = {.b = b};
    MlirValue padding = linalgBodyValue(&body, irOperand(op, 2));
    linalgBodyDestroy(&body);
    for (intptr_t i = 0; i < shape.rank; ++i)
      high.dims[i] = t.whole.dims[i] - shape.dims[i];
    if (mlirValueIsNull(padding))
      return false;
    value = irValueOf(b, "tg.pad", IR_VALUES(value, padding), tgWithShape(mlirValueGetType(value), t.whole),
                      IR_ATTRS(irDims(b, "low", zeros.rank, zeros.dims), irDims(b, "high", high.rank, high.dims),
                               irDims(b, "interior", zeros.rank, zeros.dims)));
  }
  value = tgReshape(b, value, tgWithShape(mlirValueGetType(value), t.split));
  *result = linalgTranspose(b, value, t.order.dims);
  return mlirTypeEqual(mlirValueGetType(*result), mlirValueGetType(irResult(op, 0)));
}

bool linalgUnpack(IrBuilder *b, MlirOperation op, MlirValue *result) {
  PackTiling t;
  MlirValue value = linalgWithSizes(irOperand(op, 0));
  IrShape shape = irShapeOf(irResult(op, 0)), packed = {0};
  int64_t back[IR_MAX_RANK];
  if (!readTiling(op, shape, &t))
    return false;
  for (intptr_t i = 0; i < t.order.rank; ++i) {
    back[t.order.dims[i]] = i;
    packed.dims[packed.rank++] = t.split.dims[t.order.dims[i]];
  }
  if (!irShapesEqual(irShapeOf(value), packed))
    return false;
  value = linalgTranspose(b, value, back);
  value = tgReshape(b, value, tgWithShape(mlirValueGetType(value), t.whole));
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (shape.dims[i] != t.whole.dims[i])
      value = tgSlice(b, value, i, 0, shape.dims[i]);
  *result = value;
  return true;
}
