//===- ragged_dot.c - matrix products of groups of rows ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// chlo.ragged_dot is a dot_general with one ragged dimension of the lhs, cut into consecutive groups whose sizes are
// known at run time. The mode is the role of that dimension:
//
//   free        [b, x, m, y, k] . [g, b, k, n] -> [b, x, m, y, n]   each row meets the rhs of its group
//   contracted  [b, x, k, z, m] . [b, x, k, z, n] -> [g, b, m, n]   each group is a sum of its own
//   batch       a dot_general: which group a batch is in does not matter
//
// each letter standing for any number of dimensions but g and the ragged one (m or k), and with sizes [b, x, g] or [g],
// which is the same for all b and x. Rows behind the last group are zero.
//
// The other dimensions of a letter become one, and the ragged dimensions of all b and x one after the other, with as
// many groups: `rows` and `intervals`. These rows are cut into tiles of the mean size of a group; no tile is in two
// groups. However the sizes are, `rows / tile + intervals` tiles are enough. So one dot with the tiles as its batch
// does at most twice the work of the groups alone, and reads at most two copies of their rhs. Both operands are
// gathered by the group of the tile. Masking rows by group would multiply the work with the number of groups.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg_build.h"
#include "ir/mlir/query.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

typedef enum { RAGGED_FREE, RAGGED_CONTRACTED, RAGGED_BATCH } RaggedMode;

/// The dimension numbers.
typedef struct {
  RaggedMode mode;
  IrShape lhsBatch, rhsBatch, lhsContract, rhsContract;
  IrShape lhsFree, rhsFree; ///< without the group dimension
  int64_t ragged;           ///< of the lhs
  int64_t raggedPosition;   ///< in lhsFree or lhsContract
  int64_t group;            ///< of the rhs; -1 if it has none
} RaggedDot;

//===----------------------------------------------------------------------===//
// Dimension numbers
//===----------------------------------------------------------------------===//

static IrShape part(const IrShape *list, intptr_t start, intptr_t end) {
  IrShape result = {0};
  for (intptr_t i = start; i < end; ++i)
    result.dims[result.rank++] = list->dims[i];
  return result;
}

static IrShape joined(const IrShape *a, const IrShape *b) {
  IrShape result = *a;
  for (intptr_t i = 0; i < b->rank && result.rank < IR_MAX_RANK; ++i)
    result.dims[result.rank++] = b->dims[i];
  return result;
}

/// The dimensions of a tensor that are not in either list.
static IrShape remaining(intptr_t rank, const IrShape *a, const IrShape *b) {
  IrShape result = {0};
  for (int64_t d = 0; d < rank; ++d)
    if (!irContains(*a, d) && !irContains(*b, d))
      result.dims[result.rank++] = d;
  return result;
}

static IrShape sizesOf(MlirValue value, const IrShape *dims) {
  IrShape shape = irShapeOf(value), sizes = {dims->rank, {0}};
  for (intptr_t i = 0; i < dims->rank; ++i)
    sizes.dims[i] = shape.dims[dims->dims[i]];
  return sizes;
}

/// Whether the dimensions exist and none is there twice.
static bool areDistinct(const IrShape *dims, intptr_t rank) {
  for (intptr_t i = 0; i < dims->rank; ++i)
    if (dims->dims[i] < 0 || dims->dims[i] >= rank || irPositionIn(*dims, dims->dims[i]) != i)
      return false;
  return true;
}

static bool readDimensionNumbers(HloConversion *c, RaggedDot *dot) {
  const char *text = hloAttrText(c, "ragged_dot_dimension_numbers");
  IrShape ragged, group;
  if (!*text)
    return hloFail(c, "attribute 'ragged_dot_dimension_numbers' is missing");
  if (!hloListField(c, text, "lhs_batching_dimensions", &dot->lhsBatch) ||
      !hloListField(c, text, "rhs_batching_dimensions", &dot->rhsBatch) ||
      !hloListField(c, text, "lhs_contracting_dimensions", &dot->lhsContract) ||
      !hloListField(c, text, "rhs_contracting_dimensions", &dot->rhsContract) ||
      !hloListField(c, text, "lhs_ragged_dimensions", &ragged) ||
      !hloListField(c, text, "rhs_group_dimensions", &group))
    return false;
  intptr_t lhsRank = irShapeOf(hloOperand(c, 0)).rank, rhsRank = irShapeOf(hloOperand(c, 1)).rank;
  IrShape lhs = joined(&dot->lhsBatch, &dot->lhsContract), rhs = joined(&dot->rhsBatch, &dot->rhsContract);
  if (ragged.rank != 1 || ragged.dims[0] < 0 || ragged.dims[0] >= lhsRank)
    return hloFail(c, "'lhs_ragged_dimensions' is not one dimension of the lhs");
  rhs = joined(&rhs, &group);
  if (!areDistinct(&lhs, lhsRank) || !areDistinct(&rhs, rhsRank))
    return hloFail(c, "a dimension in 'ragged_dot_dimension_numbers' is there twice or does not exist");
  dot->ragged = ragged.dims[0];
  dot->lhsFree = remaining(lhsRank, &dot->lhsBatch, &dot->lhsContract);
  dot->rhsFree = remaining(rhsRank, &rhs, &group);
  bool isBatch = irContains(dot->lhsBatch, dot->ragged);
  dot->raggedPosition = irPositionIn(dot->lhsContract, dot->ragged);
  dot->mode = isBatch ? RAGGED_BATCH : dot->raggedPosition >= 0 ? RAGGED_CONTRACTED : RAGGED_FREE;
  if (dot->mode == RAGGED_FREE)
    dot->raggedPosition = irPositionIn(dot->lhsFree, dot->ragged);
  if (group.rank != (dot->mode == RAGGED_FREE))
    return hloFail(c,
                   "the rhs must have one group dimension if the ragged dimension is neither batching nor contracting, "
                   "else none");
  dot->group = group.rank ? group.dims[0] : -1;
  return true;
}

/// The dimensions of the lhs whose indices choose the group sizes: b and x.
static IrShape prefixOf(const RaggedDot *dot) {
  if (dot->mode == RAGGED_BATCH)
    return part(&dot->lhsBatch, 0, irPositionIn(dot->lhsBatch, dot->ragged));
  IrShape outer = part(dot->mode == RAGGED_FREE ? &dot->lhsFree : &dot->lhsContract, 0, dot->raggedPosition);
  return joined(&dot->lhsBatch, &outer);
}

static bool checkShapes(HloConversion *c, const RaggedDot *dot) {
  MlirValue lhs = hloOperand(c, 0), rhs = hloOperand(c, 1), sizes = hloOperand(c, 2);
  IrShape groupSizes = irShapeOf(sizes), prefix = prefixOf(dot), prefixSizes = sizesOf(lhs, &prefix);
  IrShape lhsBatch = sizesOf(lhs, &dot->lhsBatch), rhsBatch = sizesOf(rhs, &dot->rhsBatch);
  IrShape lhsContract = sizesOf(lhs, &dot->lhsContract), rhsContract = sizesOf(rhs, &dot->rhsContract);
  if (!irShapesEqual(lhsBatch, rhsBatch) || !irShapesEqual(lhsContract, rhsContract))
    return hloFail(c, "batching or contracting dimensions of lhs and rhs have different sizes");
  if (!irNumElements(irShapeOf(lhs)) || !irNumElements(irShapeOf(rhs)) || !irNumElements(groupSizes))
    return hloFail(c, "an operand has no elements");
  if (!irIsInteger(irElementTypeOf(sizes)) || irIsBool(irElementTypeOf(sizes)))
    return hloFail(c, "the group sizes are not integers");
  IrShape outer = part(&groupSizes, 0, groupSizes.rank - 1);
  if (groupSizes.rank < 1 || (groupSizes.rank > 1 && !irShapesEqual(outer, prefixSizes)))
    return hloFail(c, "the group sizes must have the shape of the ragged dimension's outer dimensions and one for the "
                      "groups, or the latter alone");
  int64_t groups = groupSizes.dims[groupSizes.rank - 1];
  if (dot->group >= 0 && irShapeOf(rhs).dims[dot->group] != groups)
    return hloFail(c, "the rhs has %lld groups, the group sizes are %lld", (long long)irShapeOf(rhs).dims[dot->group],
                   (long long)groups);
  IrShape lhsFree = sizesOf(lhs, &dot->lhsFree), rhsFree = sizesOf(rhs, &dot->rhsFree);
  IrShape result = joined(&lhsBatch, &lhsFree), first = {1, {groups}};
  result = joined(&result, &rhsFree);
  if (dot->mode == RAGGED_CONTRACTED)
    result = joined(&first, &result);
  return irShapesEqual(result, irTypeShape(hloResultType(c, 0))) || hloFail(c, "the result has another shape");
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static MlirType tensorOf(MlirType element, IrShape shape) {
  return mlirRankedTensorTypeGet(shape.rank, shape.dims, element, mlirAttributeGetNull());
}

#define SHAPE(...) ((IrShape){sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), {__VA_ARGS__}})

static MlirValue reshaped(IrBuilder *b, MlirValue value, IrShape shape) {
  return tgReshape(b, value, tgWithShape(mlirValueGetType(value), shape));
}

/// `value` with its dimensions in the order of `order`.
static MlirValue arranged(IrBuilder *b, MlirValue value, const IrShape *order) {
  bool isSame = true;
  for (intptr_t i = 0; i < order->rank; ++i)
    isSame = isSame && order->dims[i] == i;
  MlirType type = tgWithShape(mlirValueGetType(value), sizesOf(value, order));
  return isSame ? value
                : irValueOf(b, "tg.transpose", IR_VALUES(value), type,
                            IR_ATTRS(irDims(b, "permutation", order->rank, order->dims)));
}

static MlirValue index64(IrBuilder *b, IrShape shape, int64_t dim) {
  return tgIota(b, tensorOf(mlirIntegerTypeGet(b->context, 64), shape), dim);
}

static MlirValue integerAs(IrBuilder *b, MlirValue like, int64_t value) {
  return tgSplatBits(b, mlirValueGetType(like), (uint64_t)value);
}

/// `operand[indices[i], ...]` for each i: the slices along its first dimension, in the shape of the indices.
static MlirValue taken(IrBuilder *b, MlirValue operand, MlirValue indices) {
  IrShape sizes = irShapeOf(operand), shape = irShapeOf(indices), rest = part(&sizes, 1, sizes.rank);
  IrShape offset = {0}, first = {1, {0}}, none = {0}, result = joined(&shape, &rest);
  for (intptr_t i = 0; i < rest.rank; ++i)
    offset.dims[offset.rank++] = shape.rank + i;
  sizes.dims[0] = 1;
  return irValueOf(
      b, "tg.gather", IR_VALUES(operand, indices), tgWithShape(mlirValueGetType(operand), result),
      IR_ATTRS(irDims(b, "offset_dims", offset.rank, offset.dims), irDims(b, "collapsed_slice_dims", 1, first.dims),
               irDims(b, "operand_batching_dims", 0, none.dims), irDims(b, "start_indices_batching_dims", 0, none.dims),
               irDims(b, "start_index_map", 1, first.dims), irDims(b, "slice_sizes", sizes.rank, sizes.dims),
               irI64(b, "index_vector_dim", shape.rank)));
}

/// `value` where `condition`, whose dimensions are the value's first ones, and zero elsewhere.
static MlirValue masked(IrBuilder *b, MlirValue condition, MlirValue value) {
  IrShape dims = {irShapeOf(condition).rank, {0}};
  for (intptr_t i = 0; i < dims.rank; ++i)
    dims.dims[i] = i;
  MlirType type = tgWithElement(mlirValueGetType(value), irElementTypeOf(condition));
  MlirType element = irElementTypeOf(value);
  MlirValue zero = irIsInteger(element) ? tgSplatBits(b, mlirValueGetType(value), 0) : tgSplatLike(b, value, 0);
  return tgSelect(b, tgBroadcast(b, condition, type, dims), value, zero);
}

//===----------------------------------------------------------------------===//
// Groups and tiles
//===----------------------------------------------------------------------===//

/// The groups of all prefixes as intervals [start, end) of the rows, in order, and where their tiles are. Tensors of
/// i64, one element for each interval.
typedef struct {
  int64_t prefixes, groups, rows, intervals;
  int64_t tile, numTiles;
  MlirValue start, end;
  MlirValue firstTile, tilesEnd;
} Groups;

/// Sums over all elements up to and including each one, along the last dimension of a [n x count] tensor. Counts are
/// small: this is a reduction of a masked broadcast, which is stitched, and no kernel of its own.
static MlirValue runningSums(IrBuilder *b, MlirValue values) {
  IrShape shape = irShapeOf(values), cube = SHAPE(shape.dims[0], shape.dims[1], shape.dims[1]);
  MlirValue each = tgBroadcast(b, values, tgWithShape(mlirValueGetType(values), cube), SHAPE(0, 2));
  MlirValue isBefore = tgCompare(b, TG_LE, index64(b, cube, 2), index64(b, cube, 1));
  return tgReduce(b, TG_REDUCE_ADD, masked(b, isBefore, each), SHAPE(2));
}

static Groups makeGroups(IrBuilder *b, MlirValue sizes, int64_t prefixes, int64_t length) {
  Groups g = {.prefixes = prefixes, .groups = irShapeOf(sizes).dims[irShapeOf(sizes).rank - 1]};
  g.rows = prefixes * length;
  g.intervals = prefixes * g.groups;
  g.tile = (g.rows + g.intervals - 1) / g.intervals;
  g.numTiles = (g.rows + g.intervals * (g.tile - 1)) / g.tile; // the sum of ceil(size / tile) is not more

  sizes = tgConvert(b, sizes, mlirIntegerTypeGet(b->context, 64));
  IrShape shape = SHAPE(prefixes, g.groups), flat = SHAPE(g.intervals);
  MlirType type = tgWithShape(mlirValueGetType(sizes), shape);
  sizes = irShapeOf(sizes).rank == 1 ? tgBroadcast(b, sizes, type, SHAPE(1)) : tgReshape(b, sizes, type);
  MlirValue limit = integerAs(b, sizes, length);
  sizes = tgBinary(b, "tg.min", tgBinary(b, "tg.max", sizes, integerAs(b, sizes, 0)), limit);
  MlirValue sums = runningSums(b, sizes), base = tgMul(b, index64(b, shape, 0), limit);
  MlirValue start = tgBinary(b, "tg.min", tgSub(b, sums, sizes), limit), end = tgBinary(b, "tg.min", sums, limit);
  g.start = reshaped(b, tgAdd(b, base, start), flat);
  g.end = reshaped(b, tgAdd(b, base, end), flat);

  MlirValue padded = tgAdd(b, tgSub(b, g.end, g.start), integerAs(b, g.start, g.tile - 1));
  MlirValue count = tgDiv(b, padded, integerAs(b, padded, g.tile));
  g.tilesEnd = reshaped(b, runningSums(b, reshaped(b, count, SHAPE(1, g.intervals))), flat);
  g.firstTile = tgSub(b, g.tilesEnd, count);
  return g;
}

/// For each position the number of the first interval that ends behind it, `ends` being in order; the last one for
/// positions behind all.
static MlirValue intervalOf(IrBuilder *b, MlirValue positions, MlirValue ends) {
  IrShape table = SHAPE(irShapeOf(positions).dims[0], irShapeOf(ends).dims[0]);
  MlirType type = tgWithShape(mlirValueGetType(positions), table);
  MlirValue position = tgBroadcast(b, positions, type, SHAPE(0)), end = tgBroadcast(b, ends, type, SHAPE(1));
  MlirValue isBehind = tgConvert(b, tgCompare(b, TG_LE, end, position), irElementTypeOf(positions));
  MlirValue count = tgReduce(b, TG_REDUCE_ADD, isBehind, SHAPE(1));
  return tgBinary(b, "tg.min", count, integerAs(b, count, table.dims[1] - 1));
}

/// Which rows are in which tile: their numbers, [tiles x tile], whether they are in the tile's group, and for each tile
/// its interval. Tiles that are not needed have no rows in a group.
typedef struct {
  MlirValue rows, isIn, interval;
} Tiles;

static Tiles makeTiles(IrBuilder *b, const Groups *g) {
  IrShape shape = SHAPE(g->numTiles, g->tile);
  MlirValue tile = index64(b, SHAPE(g->numTiles), 0);
  Tiles tiles = {.interval = intervalOf(b, tile, g->tilesEnd)};
  MlirValue before = tgSub(b, tile, taken(b, g->firstTile, tiles.interval));
  MlirValue first = tgAdd(b, taken(b, g->start, tiles.interval), tgMul(b, before, integerAs(b, before, g->tile)));
  MlirType type = tgWithShape(mlirValueGetType(first), shape);
  tiles.rows = tgAdd(b, tgBroadcast(b, first, type, SHAPE(0)), index64(b, shape, 1));
  MlirValue end = tgBroadcast(b, taken(b, g->end, tiles.interval), type, SHAPE(0));
  tiles.isIn = tgCompare(b, TG_LT, tiles.rows, end);
  return tiles;
}

/// `batch * groups + group` of each interval, or with `groupsFirst` `group * batches + batch`. A batch has
/// `prefixes / batches` prefixes.
static MlirValue groupAndBatch(IrBuilder *b, const Groups *g, MlirValue interval, int64_t batches, bool groupsFirst) {
  if (!groupsFirst && batches == g->prefixes)
    return interval;
  MlirValue group = tgBinary(b, "tg.rem", interval, integerAs(b, interval, g->groups));
  MlirValue batch = tgDiv(b, interval, integerAs(b, interval, g->groups * (g->prefixes / batches)));
  return groupsFirst ? tgAdd(b, tgMul(b, group, integerAs(b, group, batches)), batch)
                     : tgAdd(b, tgMul(b, batch, integerAs(b, batch, g->groups)), group);
}

//===----------------------------------------------------------------------===//
// The modes
//===----------------------------------------------------------------------===//

static int64_t countOf(MlirValue value, const IrShape *dims) { return irNumElements(sizesOf(value, dims)); }

/// A dot with dimension 0 of both as its batch.
static MlirValue dotOfTiles(HloConversion *c, MlirValue lhs, MlirValue rhs, MlirType type, IrShape lhsContract,
                            IrShape rhsContract) {
  enum { DIMS = 4 };
  IrBuilder *b = &c->b;
  IrShape batch = SHAPE(0);
  MlirNamedAttribute attributes[DIMS + 1] = {irDims(b, "lhs_batch", 1, batch.dims),
                                             irDims(b, "rhs_batch", 1, batch.dims),
                                             irDims(b, "lhs_contract", lhsContract.rank, lhsContract.dims),
                                             irDims(b, "rhs_contract", rhsContract.rank, rhsContract.dims)};
  intptr_t count = DIMS + hloPrecision(c, &attributes[DIMS]);
  return irValueOf(b, "tg.dot", IR_VALUES(lhs, rhs), type, (IrAttrs){count, attributes});
}

/// Tiles of rows of the lhs, [rows x y x k], are multiplied with the rhs of their group, [b g x k x n]. Then each row
/// is read from its tile.
static bool replaceFree(HloConversion *c, const RaggedDot *dot) {
  IrBuilder *b = &c->b;
  MlirValue lhs = hloOperand(c, 0), rhs = hloOperand(c, 1);
  IrShape prefix = prefixOf(dot), inner = part(&dot->lhsFree, dot->raggedPosition + 1, dot->lhsFree.rank);
  IrShape group = SHAPE(dot->group), ragged = SHAPE(dot->ragged);
  int64_t length = irShapeOf(lhs).dims[dot->ragged], y = countOf(lhs, &inner), n = countOf(rhs, &dot->rhsFree);
  int64_t k = countOf(lhs, &dot->lhsContract), batches = countOf(lhs, &dot->lhsBatch);
  Groups g = makeGroups(b, hloOperand(c, 2), countOf(lhs, &prefix), length);
  Tiles tiles = makeTiles(b, &g);

  IrShape lhsOrder = joined(&prefix, &ragged), rhsOrder = joined(&dot->rhsBatch, &group);
  lhsOrder = joined(&lhsOrder, &inner);
  lhsOrder = joined(&lhsOrder, &dot->lhsContract);
  rhsOrder = joined(&rhsOrder, &dot->rhsContract);
  rhsOrder = joined(&rhsOrder, &dot->rhsFree);
  lhs = reshaped(b, arranged(b, lhs, &lhsOrder), SHAPE(g.rows, y, k));
  rhs = reshaped(b, arranged(b, rhs, &rhsOrder), SHAPE(batches * g.groups, k, n));

  MlirValue weights = taken(b, rhs, groupAndBatch(b, &g, tiles.interval, batches, false));
  MlirType element = irElementType(hloResultType(c, 0));
  MlirValue product = dotOfTiles(c, taken(b, lhs, tiles.rows), weights,
                                 tensorOf(element, SHAPE(g.numTiles, g.tile, y, n)), SHAPE(3), SHAPE(1));

  MlirValue row = index64(b, SHAPE(g.rows), 0), interval = intervalOf(b, row, g.end);
  MlirValue offset = tgSub(b, row, taken(b, g.start, interval)), zero = integerAs(b, offset, 0);
  MlirValue isInGroup =
      tgBinary(b, "tg.and", tgCompare(b, TG_GE, offset, zero), tgCompare(b, TG_LT, row, taken(b, g.end, interval)));
  MlirValue place = tgMul(b, taken(b, g.firstTile, interval), integerAs(b, offset, g.tile));
  MlirValue rows = taken(b, reshaped(b, product, SHAPE(g.numTiles * g.tile, y, n)), tgAdd(b, place, offset));
  return hloReplaceResult(c, 0, tgReshape(b, masked(b, isInGroup, rows), hloResultType(c, 0)));
}

/// Tiles of contracted rows, [rows x z x m] and [rows x z x n], are zero where they are not in the tile's group. The
/// products of the tiles of a group are added up in the accumulator's type.
static bool replaceContracted(HloConversion *c, const RaggedDot *dot) {
  IrBuilder *b = &c->b;
  MlirValue operands[] = {hloOperand(c, 0), hloOperand(c, 1)};
  const IrShape *batch[] = {&dot->lhsBatch, &dot->rhsBatch}, *contract[] = {&dot->lhsContract, &dot->rhsContract};
  const IrShape *others[] = {&dot->lhsFree, &dot->rhsFree};
  IrShape prefix = prefixOf(dot), inner = part(&dot->lhsContract, dot->raggedPosition + 1, dot->lhsContract.rank);
  int64_t length = irShapeOf(operands[0]).dims[dot->ragged], z = countOf(operands[0], &inner);
  int64_t batches = countOf(operands[0], &dot->lhsBatch), free[2];
  Groups g = makeGroups(b, hloOperand(c, 2), countOf(operands[0], &prefix), length);
  Tiles tiles = makeTiles(b, &g);
  for (int i = 0; i < 2; ++i) {
    IrShape order = joined(batch[i], contract[i]);
    order = joined(&order, others[i]);
    free[i] = countOf(operands[i], others[i]);
    MlirValue rows = reshaped(b, arranged(b, operands[i], &order), SHAPE(g.rows, z, free[i]));
    operands[i] = masked(b, tiles.isIn, taken(b, rows, tiles.rows));
  }

  MlirType element = irElementType(hloResultType(c, 0));
  bool isNarrow = irIsFloat(element) && mlirFloatTypeGetWidth(element) < 32;
  MlirType sumType = isNarrow ? mlirF32TypeGet(b->context) : element;
  MlirValue product = dotOfTiles(c, operands[0], operands[1], tensorOf(sumType, SHAPE(g.numTiles, free[0], free[1])),
                                 SHAPE(1, 2), SHAPE(1, 2));
  MlirType sums = tensorOf(sumType, SHAPE(g.groups * batches, free[0], free[1]));
  MlirValue zero = irIsInteger(sumType) ? tgSplatBits(b, sums, 0) : tgSplat(b, sums, 0);
  IrShape window = SHAPE(1, 2), first = SHAPE(0), none = {0};
  MlirValue sum = irValueOf(
      b, "tg.scatter", IR_VALUES(zero, groupAndBatch(b, &g, tiles.interval, batches, true), product), sums,
      IR_ATTRS(irI32(b, "kind", TG_REDUCE_ADD), irDims(b, "update_window_dims", 2, window.dims),
               irDims(b, "inserted_window_dims", 1, first.dims), irDims(b, "input_batching_dims", 0, none.dims),
               irDims(b, "scatter_indices_batching_dims", 0, none.dims),
               irDims(b, "scatter_dims_to_operand_dims", 1, first.dims), irI64(b, "index_vector_dim", 1)));
  return hloReplaceResult(c, 0, tgReshape(b, tgConvert(b, sum, element), hloResultType(c, 0)));
}

static bool replaceBatch(HloConversion *c, const RaggedDot *dot) {
  enum { DIMS = 4 };
  MlirNamedAttribute attributes[DIMS + 1] = {
      hloDims(c, "lhs_batch", &dot->lhsBatch), hloDims(c, "rhs_batch", &dot->rhsBatch),
      hloDims(c, "lhs_contract", &dot->lhsContract), hloDims(c, "rhs_contract", &dot->rhsContract)};
  intptr_t count = DIMS + hloPrecision(c, &attributes[DIMS]);
  return hloReplaceBy(c, IR_VALUES(hloOperand(c, 0), hloOperand(c, 1)), (IrAttrs){count, attributes});
}

bool hloConvertRaggedDot(HloConversion *c) {
  RaggedDot dot;
  if (!readDimensionNumbers(c, &dot) || !checkShapes(c, &dot))
    return false;
  switch (dot.mode) {
  case RAGGED_FREE:
    return replaceFree(c, &dot);
  case RAGGED_CONTRACTED:
    return replaceContracted(c, &dot);
  case RAGGED_BATCH:
    return replaceBatch(c, &dot);
  }
  return false;
}
