//===- apply.c - stitch-tile-stencils: operations on tiles ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a chain and the sizes of its tiles. Leaves
//
//   - of each leaf a gather of overlapping tiles: dimensions that count tiles, then the dimensions of the leaf,
//   - of each operation the same on tiles, with slices of the positions that it reads,
//   - of a pad a choice between the element and the padding, by the position in the whole value,
//   - of the result a transpose and a reshape of the tiles, without the part of the last tiles that lies outside.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg_build.h"
#include "ir/mlir/arithmetic.h"
#include "passes/common/fusions.h"
#include "passes/stitch_tile_stencils/stencil.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdlib.h>

typedef struct {
  const StencilChain *chain;
  const Tiling *tiling;
  IrBuilder b;
  intptr_t rank, numTiled;
  intptr_t tiled[IR_MAX_RANK]; ///< the dimensions that are tiled
  MlirValue *tiles;            ///< of the values of the chain
} StencilTiles;

/// The shape of a value's tiles, all of them.
static IrShape tilesShape(const StencilTiles *t, int64_t number) {
  const StencilValue *value = &t->chain->values[number];
  IrShape shape = {.rank = t->numTiled + t->rank}, whole = irShapeOf(value->value);
  for (intptr_t k = 0; k < t->numTiled; ++k)
    shape.dims[k] = t->tiling->count[t->tiled[k]];
  for (intptr_t d = 0; d < t->rank; ++d)
    shape.dims[t->numTiled + d] = t->tiling->count[d] > 0 ? tileSize(t->tiling, &value->halo, d) : whole.dims[d];
  return shape;
}

static MlirType i32Tensor(const StencilTiles *t, IrShape shape) {
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, mlirIntegerTypeGet(t->b.context, 32), (MlirAttribute){NULL});
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// A leaf with so many positions before and behind it in a dimension: its own from the other end where positions wrap
/// around, else zeros, which no element that is stored depends on.
static MlirValue extend(StencilTiles *t, MlirValue leaf, intptr_t d, int64_t before, int64_t behind) {
  int64_t size = irShapeOf(leaf).dims[d];
  if (before == 0 && behind == 0)
    return leaf;
  if (t->chain->wraps >> d & 1) {
    MlirValue parts[3];
    intptr_t count = 0;
    if (before > 0)
      parts[count++] = tgSlice(&t->b, leaf, d, size - before, size);
    parts[count++] = leaf;
    if (behind > 0)
      parts[count++] = tgSlice(&t->b, leaf, d, 0, behind);
    return tgConcatenate(&t->b, (IrValues){count, parts}, d);
  }
  IrShape low = {.rank = t->rank}, high = {.rank = t->rank}, interior = {.rank = t->rank}, shape = irShapeOf(leaf);
  low.dims[d] = before;
  high.dims[d] = behind;
  shape.dims[d] += before + behind;
  MlirType type = mlirValueGetType(leaf);
  MlirValue zero = tgSplat(&t->b, tgWithShape(type, (IrShape){0}), 0);
  return irValueOf(&t->b, "tg.pad", IR_VALUES(leaf, zero), tgWithShape(type, shape),
                   IR_ATTRS(irDims(&t->b, "low", t->rank, low.dims), irDims(&t->b, "high", t->rank, high.dims),
                            irDims(&t->b, "interior", t->rank, interior.dims)));
}

/// Where the tiles begin, a vector of positions for each: tile number times size, from `first` on.
static MlirValue startsOfTiles(StencilTiles *t, const int64_t *first) {
  IrShape shape = {.rank = t->numTiled + 1};
  for (intptr_t k = 0; k < t->numTiled; ++k)
    shape.dims[k] = t->tiling->count[t->tiled[k]];
  shape.dims[t->numTiled] = 1;
  MlirType type = i32Tensor(t, shape);
  MlirValue parts[IR_MAX_RANK];
  for (intptr_t k = 0; k < t->numTiled; ++k) {
    MlirValue number = tgIota(&t->b, type, k);
    MlirValue start = tgMul(&t->b, number, tgSplat(&t->b, type, (double)t->tiling->size[t->tiled[k]]));
    parts[k] = tgAdd(&t->b, start, tgSplat(&t->b, type, (double)first[t->tiled[k]]));
  }
  return t->numTiled == 1 ? parts[0] : tgConcatenate(&t->b, (IrValues){t->numTiled, parts}, t->numTiled);
}

static MlirValue gatherTiles(StencilTiles *t, int64_t number) {
  const StencilValue *value = &t->chain->values[number];
  MlirValue leaf = value->value;
  int64_t first[IR_MAX_RANK] = {0}, map[IR_MAX_RANK], offsets[IR_MAX_RANK];
  for (intptr_t k = 0; k < t->numTiled; ++k) {
    intptr_t d = t->tiled[k];
    int64_t end = t->tiling->size[d] * t->tiling->count[d] + value->halo.high[d];
    int64_t before = max64(-value->halo.low[d], 0);
    leaf = extend(t, leaf, d, before, max64(end - irShapeOf(value->value).dims[d], 0));
    first[d] = value->halo.low[d] + before;
    map[k] = d;
  }
  IrShape shape = tilesShape(t, number);
  for (intptr_t d = 0; d < t->rank; ++d)
    offsets[d] = t->numTiled + d;
  MlirValue starts = startsOfTiles(t, first);
  return irValueOf(&t->b, "tg.gather", IR_VALUES(leaf, starts), tgWithShape(mlirValueGetType(leaf), shape),
                   IR_ATTRS(irDims(&t->b, "offset_dims", t->rank, offsets),
                            irDims(&t->b, "start_index_map", t->numTiled, map),
                            irI64(&t->b, "index_vector_dim", t->numTiled),
                            irDims(&t->b, "slice_sizes", t->rank, shape.dims + t->numTiled)));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static MlirValue tilesOfValue(StencilTiles *t, int64_t number) {
  if (mlirValueIsNull(t->tiles[number]))
    t->tiles[number] = gatherTiles(t, number);
  return t->tiles[number];
}

/// What the tiles of a value `reader` read of another one's.
static MlirValue readTiles(StencilTiles *t, int64_t reader, const StencilRead *read) {
  int64_t from = chainNumber(t->chain, read->value);
  MlirValue tiles = tilesOfValue(t, from);
  for (intptr_t k = 0; k < t->numTiled; ++k) {
    intptr_t d = t->tiled[k];
    const Halo *halo = &t->chain->values[reader].halo;
    int64_t start = halo->low[d] + read->offset[d] - t->chain->values[from].halo.low[d];
    int64_t size = tileSize(t->tiling, halo, d);
    if (start != 0 || size != irShapeOf(tiles).dims[t->numTiled + d])
      tiles = tgSlice(&t->b, tiles, t->numTiled + d, start, start + size);
  }
  return tiles;
}

/// A uniform operand for tiles of that shape; one element as it is where the operation takes it so.
static MlirValue uniformTiles(StencilTiles *t, MlirValue operand, IrShape shape) {
  MlirType type = tgWithShape(mlirValueGetType(operand), shape);
  MlirOperation op = irDefiningOp(operand);
  if (irShapeOf(operand).rank == 0)
    return operand;
  if (tgIsSplat(op)) {
    MlirAttribute element = mlirDenseElementsAttrGetSplatValue(irGetAttr(op, "value"));
    return irValueOf(&t->b, "tg.constant", IR_NO_VALUES, type,
                     IR_ATTRS(irAttr(&t->b, "value", mlirDenseElementsAttrSplatGet(type, element))));
  }
  MlirValue scalar = tgReshape(&t->b, irOperand(op, 0), tgWithShape(type, (IrShape){0}));
  return tgBroadcast(&t->b, scalar, type, (IrShape){0});
}

/// Whether the positions that a pad reads are those of its operand.
static MlirValue isInside(StencilTiles *t, int64_t reader, const StencilRead *read) {
  MlirType type = i32Tensor(t, tilesShape(t, reader));
  MlirValue all = {NULL};
  for (intptr_t k = 0; k < t->numTiled; ++k) {
    intptr_t d = t->tiled[k];
    if (!(read->pads >> d & 1))
      continue;
    int64_t first = t->chain->values[reader].halo.low[d] + read->offset[d];
    MlirValue tile = tgMul(&t->b, tgIota(&t->b, type, k), tgSplat(&t->b, type, (double)t->tiling->size[d]));
    MlirValue at = tgAdd(&t->b, tile, tgIota(&t->b, type, t->numTiled + d));
    MlirValue end = tgSplat(&t->b, type, (double)(irShapeOf(read->value).dims[d] - first));
    MlirValue inside = tgBinary(&t->b, "tg.and", tgCompare(&t->b, TG_GE, at, tgSplat(&t->b, type, (double)-first)),
                                tgCompare(&t->b, TG_LT, at, end));
    all = mlirValueIsNull(all) ? inside : tgBinary(&t->b, "tg.and", all, inside);
  }
  return all;
}

static MlirValue computeTiles(StencilTiles *t, MlirOperation op, int64_t number) {
  StencilRead reads[STENCIL_MOST_READS];
  stencilReads(op, reads);
  IrShape shape = tilesShape(t, number);
  MlirType type = tgWithShape(mlirValueGetType(irResult(op, 0)), shape);
  if (reads[0].pads) {
    MlirValue inside = isInside(t, number, &reads[0]), tiles = readTiles(t, number, &reads[0]);
    return tgSelect(&t->b, inside, tiles, tgBroadcast(&t->b, irOperand(op, 1), type, (IrShape){0}));
  }
  if (reads[0].moves)
    return readTiles(t, number, &reads[0]);
  intptr_t count = mlirOperationGetNumOperands(op), read = 0;
  MlirValue *operands = irAllocate(sizeof(MlirValue) * (size_t)count);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = stencilIsUniform(irOperand(op, i)) ? uniformTiles(t, irOperand(op, i), shape)
                                                     : readTiles(t, number, &reads[read++]);
  MlirValue tiles = irValueLike(&t->b, op, operands, type);
  free(operands);
  return tiles;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

/// The whole value that the tiles of the result make: each count of tiles goes before its dimension.
static MlirValue joinTiles(StencilTiles *t, MlirValue tiles) {
  IrShape from = irShapeOf(tiles), permuted = {0}, joined = {.rank = t->rank};
  IrShape whole = irShapeOf(t->chain->values[0].value);
  int64_t permutation[IR_MAX_RANK];
  intptr_t k = 0;
  for (intptr_t d = 0; d < t->rank; ++d) {
    bool isTiled = k < t->numTiled && t->tiled[k] == d;
    if (isTiled)
      permutation[permuted.rank++] = k++;
    permutation[permuted.rank++] = t->numTiled + d;
    joined.dims[d] = isTiled ? t->tiling->size[d] * t->tiling->count[d] : whole.dims[d];
  }
  for (intptr_t i = 0; i < permuted.rank; ++i)
    permuted.dims[i] = from.dims[permutation[i]];
  MlirType type = mlirValueGetType(tiles);
  MlirValue moved =
      irValueOf(&t->b, "tg.transpose", IR_VALUES(tiles), tgWithShape(type, permuted),
                IR_ATTRS(irDims(&t->b, "permutation", permuted.rank, permutation), irUnit(&t->b, PLAN_JOINS_TILES)));
  MlirValue value = tgReshape(&t->b, moved, tgWithShape(type, joined));
  for (intptr_t d = 0; d < t->rank; ++d)
    if (joined.dims[d] != whole.dims[d])
      value = tgSlice(&t->b, value, d, 0, whole.dims[d]);
  return value;
}

static bool isUnused(MlirOperation op) {
  return mlirOperationGetNumResults(op) == 1 && mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, 0)));
}

void tilingApply(const StencilChain *chain, const Tiling *tiling, MlirOperation *ops, int64_t result) {
  StencilTiles t = {.chain = chain,
                    .tiling = tiling,
                    .b = irBuilderBefore(ops[result]),
                    .rank = irShapeOf(chain->values[0].value).rank};
  for (intptr_t d = 0; d < t.rank; ++d)
    if (tiling->count[d] > 0)
      t.tiled[t.numTiled++] = d;
  t.tiles = irAllocateZeroed((size_t)chain->count, sizeof(*t.tiles));
  int64_t first = result, found = 0, members = 0;
  for (int64_t i = 0; i < chain->count; ++i)
    members += !chain->values[i].isLeaf;
  for (int64_t i = result; found < members; --i) {
    int64_t number = chainNumberOf(chain, ops[i]);
    found += number >= 0 && !chain->values[number].isLeaf;
    first = i;
  }
  for (int64_t i = first; i <= result; ++i) {
    int64_t number = chainNumberOf(chain, ops[i]);
    if (number >= 0 && !chain->values[number].isLeaf)
      t.tiles[number] = computeTiles(&t, ops[i], number);
  }
  mlirValueReplaceAllUsesOfWith(irResult(ops[result], 0), joinTiles(&t, t.tiles[0]));
  for (int64_t i = result; i >= first; --i) {
    int64_t number = chainNumberOf(chain, ops[i]);
    bool isMember = number >= 0 && !chain->values[number].isLeaf;
    bool isSlice = !mlirOperationIsNull(ops[i]) && tgKindOf(ops[i]) == TG_slice;
    if ((isMember || isSlice) && isUnused(ops[i])) {
      mlirOperationDestroy(ops[i]);
      ops[i] = (MlirOperation){NULL};
    }
  }
  free(t.tiles);
}
