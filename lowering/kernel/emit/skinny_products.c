//===- skinny_products.c - a few rows times large matrices, on tensor cores ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of a fusion with #stitch.skinny (ir/plan/skinny.h). Warps share the contracted elements: each adds up
// fragments of its own steps in registers. The sums of all warps then go through shared memory, where each thread adds
// up those of some elements of the result, in the order of warps. It also computes the operations behind the products.
//
// Lane 4 g + q of a warp has, of step s, contracted elements 4 depth s + depth q and those behind it, in rows g and g +
// 8 of the thin operand and in `columns` columns of the weights. Those are neighbours, from columns * g on, or, where
// neighbours in memory are contracted, column g of each eight. The instruction's column c of tile j is column columns *
// c + j then, or 8 j + c.
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/emit/emit.h"

#include "ir/mlir/arithmetic.h"
#include "ir/plan/attention_products.h"
#include "ir/plan/skinny.h"
#include "lowering/kernel/emit/attention/fragments.h"
#include "lowering/kernel/gpu/gpu_function.h"
#include "lowering/scalar/scalar.h"

#include <string.h>

typedef struct {
  Emitter *e;
  SkinnySizes s;
  StitchSkinny plan;
  int64_t tiles;                                 ///< of 16 rows
  const IndexExpr *warp, *group, *quad;          ///< of the thread; group: lane / 4, quad: lane % 4
  const IndexExpr *firstColumn;                  ///< of the block
  MlirValue area;                                ///< f32 in shared memory: product, warp, row, column
  MlirValue sums[SKINNY_MOST_PRODUCTS * 4 * 16]; ///< product, tile of rows, column of the lane
} Skinny;

static int64_t columnsOfBlock(const Skinny *k) { return SKINNY_TILE_COLUMNS * k->plan.columns; }

static intptr_t numSums(const Skinny *k) { return (intptr_t)(k->s.numProducts * k->tiles * k->plan.columns); }

static MlirValue *sumOf(Skinny *k, intptr_t product, int64_t tile, int64_t column) {
  return &k->sums[(product * k->tiles + tile) * k->plan.columns + column];
}

/// Along the free dimensions of an operand, element `number` in row-major order.
static IndexVector alongFree(Skinny *k, MlirOperation dot, intptr_t operand, const IndexExpr *number) {
  IrShape sizes = productSizes(irOperand(dot, operand), productFree(dot, operand));
  return indexDelinearize(k->e->values->index, number, sizes);
}

/// Elements of an operand of a product at one free and one contracted index, one of which has the lane variable.
static void evaluateOperand(Skinny *k, MlirOperation dot, intptr_t operand, const IndexExpr *free,
                            const IndexExpr *contracted, int64_t count, bool variesFree, MlirValue *elements) {
  Values *v = k->e->values;
  Lanes lanes = count > 1 ? lanesOf(v, count) : (Lanes){1, NULL};
  if (lanes.variable)
    *(variesFree ? &free : &contracted) = indexAdd(v->index, variesFree ? free : contracted, lanes.variable);
  IndexVector frees = alongFree(k, dot, operand, free);
  IndexVector index = productOperandIndex(dot, operand, NULL, frees.dims, &contracted);
  bundleExpand(k->e->evaluate(k->e, irOperand(dot, operand), &index, lanes), count, elements);
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

/// A lane's elements of a step: of each row of each tile and of each column of each product, `depth` elements.
typedef struct {
  MlirValue rows[4 * 2][16];
  MlirValue weights[SKINNY_MOST_PRODUCTS][16][16];
} StepElements;

static void loadWeights(Skinny *k, intptr_t product, const IndexExpr *contracted, StepElements *step) {
  IndexContext *index = k->e->values->index;
  MlirOperation dot = k->s.products[product];
  intptr_t operand = 1 - k->s.thin;
  if (k->s.isAlongDepth) {
    for (int64_t j = 0; j < k->plan.columns; ++j) {
      const IndexExpr *column = indexAddConstant(index, indexAdd(index, k->firstColumn, k->group), 8 * j);
      evaluateOperand(k, dot, operand, column, contracted, k->plan.depth, false, step->weights[product][j]);
    }
    return;
  }
  const IndexExpr *column = indexAdd(index, k->firstColumn, indexScale(index, k->group, k->plan.columns));
  for (int64_t i = 0; i < k->plan.depth; ++i) {
    MlirValue elements[16];
    evaluateOperand(k, dot, operand, column, indexAddConstant(index, contracted, i), k->plan.columns, true, elements);
    for (int64_t j = 0; j < k->plan.columns; ++j)
      step->weights[product][j][i] = elements[j];
  }
}

/// Rows behind the last are loaded from other rows: their results are not stored.
static void loadRows(Skinny *k, const IndexExpr *contracted, StepElements *step) {
  IndexContext *index = k->e->values->index;
  for (int64_t r = 0; r < 2 * k->tiles; ++r) {
    const IndexExpr *row = indexMod(index, indexAddConstant(index, k->group, 8 * r), k->s.rows);
    evaluateOperand(k, k->s.products[0], k->s.thin, row, contracted, k->plan.depth, false, step->rows[r]);
  }
}

static void loadStep(Skinny *k, const IndexExpr *number, StepElements *step) {
  IndexContext *index = k->e->values->index;
  const IndexExpr *ofWarp = indexAdd(index, indexScale(index, number, k->plan.warps), k->warp);
  const IndexExpr *contracted = indexAdd(index, indexScale(index, ofWarp, SKINNY_GROUP * k->plan.depth),
                                         indexScale(index, k->quad, k->plan.depth));
  for (intptr_t p = 0; p < k->s.numProducts; ++p)
    loadWeights(k, p, contracted, step);
  loadRows(k, contracted, step);
}

/// The fragment of four contracted elements of a lane's two rows in a tile, from element `from` on.
static MlirValue fragmentOfRows(Skinny *k, const StepElements *step, int64_t tile, int64_t from) {
  Values *v = k->e->values;
  MlirType element = mlirValueGetType(step->rows[0][0]);
  MlirValue fragment = fragmentZero(v, fragmentType(element, FRAGMENT_WORDS_OF_A));
  for (int64_t word = 0; word < FRAGMENT_WORDS_OF_A; ++word) // rows g and g + 8, then the next two elements of both
    fragment = fragmentInsert(v, fragment, word, &step->rows[2 * tile + word % 2][from + word / 2 * 2]);
  return fragment;
}

static MlirValue fragmentOfColumn(Skinny *k, const MlirValue *elements) {
  Values *v = k->e->values;
  MlirValue fragment = fragmentZero(v, fragmentType(mlirValueGetType(elements[0]), FRAGMENT_WORDS_OF_B));
  for (int64_t word = 0; word < FRAGMENT_WORDS_OF_B; ++word)
    fragment = fragmentInsert(v, fragment, word, &elements[2 * word]);
  return fragment;
}

static void multiplyStep(Skinny *k, const StepElements *step) {
  Values *v = k->e->values;
  for (int64_t from = 0; from < k->plan.depth; from += SKINNY_LANE_DEPTH) {
    MlirValue rows[4];
    for (int64_t tile = 0; tile < k->tiles; ++tile)
      rows[tile] = fragmentOfRows(k, step, tile, from);
    for (intptr_t p = 0; p < k->s.numProducts; ++p)
      for (int64_t j = 0; j < k->plan.columns; ++j) {
        MlirValue weights = fragmentOfColumn(k, &step->weights[p][j][from]);
        for (int64_t tile = 0; tile < k->tiles; ++tile) {
          MlirValue *sum = sumOf(k, p, tile, j);
          *sum = fragmentMultiply(v, rows[tile], weights, *sum);
        }
      }
  }
}

/// All steps of the warp: the loads of some are under way together.
static void multiply(Skinny *k) {
  Values *v = k->e->values;
  Memory *memory = k->e->memory;
  MlirType f32 = mlirF32TypeGet(v->b.context);
  MlirType type = mlirVectorTypeGet(2, (const int64_t[]){LANE_ROWS, LANE_COLUMNS}, f32);
  for (intptr_t i = 0; i < numSums(k); ++i)
    k->sums[i] = fragmentZero(v, type);
  int64_t rounds = k->s.depth / (SKINNY_GROUP * k->plan.depth * k->plan.warps * k->plan.unroll);
  RoundLoop loop = beginRounds(memory, 0, rounds, k->sums, numSums(k));
  StepElements *steps = IR_NEW_ARRAY(&v->arena, StepElements, k->plan.unroll);
  for (int64_t u = 0; u < k->plan.unroll; ++u)
    loadStep(k, indexAddConstant(v->index, indexScale(v->index, loop.round, k->plan.unroll), u), &steps[u]);
  for (int64_t u = 0; u < k->plan.unroll; ++u)
    multiplyStep(k, &steps[u]);
  endRounds(memory, &loop, k->sums, numSums(k));
}

//===----------------------------------------------------------------------===//
// Sums of all warps
//===----------------------------------------------------------------------===//

/// Where the sum of a warp is for a row and a column of the block.
static const IndexExpr *placeOfSum(Skinny *k, intptr_t product, const IndexExpr *warp, const IndexExpr *row,
                                   const IndexExpr *column) {
  IndexContext *index = k->e->values->index;
  int64_t rows = k->tiles * SKINNY_TILE_ROWS;
  const IndexExpr *first = indexAddConstant(index, warp, product * k->plan.warps);
  const IndexExpr *line = indexAdd(index, indexScale(index, first, rows), row);
  return indexAdd(index, indexScale(index, line, columnsOfBlock(k)), column);
}

/// A lane's sums of a row in a tile: neighbouring columns by one access each.
static void storeRowOfTile(Skinny *k, intptr_t product, int64_t tile, int64_t half) {
  Values *v = k->e->values;
  MlirValue elements[16][LANE_ELEMENTS];
  for (int64_t j = 0; j < k->plan.columns; ++j)
    fragmentElements(v, 1, sumOf(k, product, tile, j), elements[j]);
  const IndexExpr *row = indexAddConstant(v->index, k->group, SKINNY_TILE_ROWS * tile + 8 * half);
  const IndexExpr *first = indexScale(v->index, k->quad, LANE_COLUMNS);
  bool along = k->s.isAlongDepth;
  int64_t outer = along ? k->plan.columns : LANE_COLUMNS, inner = along ? LANE_COLUMNS : k->plan.columns;
  for (int64_t o = 0; o < outer; ++o) {
    MlirValue values[16];
    for (int64_t i = 0; i < inner; ++i) {
      int64_t j = along ? o : i, column = along ? i : o;
      values[i] = elements[j][half * LANE_COLUMNS + column];
    }
    Lanes lanes = inner > 1 ? lanesOf(v, inner) : (Lanes){1, NULL};
    const IndexExpr *column = along ? indexAddConstant(v->index, first, SKINNY_TILE_COLUMNS * o)
                                    : indexScale(v->index, indexAddConstant(v->index, first, o), k->plan.columns);
    const IndexExpr *place = placeOfSum(k, product, k->warp, row, column);
    if (lanes.variable)
      place = indexAdd(v->index, place, lanes.variable);
    storeLanes(k->e->memory, k->area, place, lanes, bundleOf(v, inner, values), (MlirValue){NULL});
  }
}

static void shareSums(Skinny *k) {
  int64_t count = k->s.numProducts * k->plan.warps * k->tiles * SKINNY_TILE_ROWS * columnsOfBlock(k);
  k->area = sharedView(k->e->memory, 0, count, mlirF32TypeGet(k->e->values->b.context));
  for (intptr_t p = 0; p < k->s.numProducts; ++p)
    for (int64_t tile = 0; tile < k->tiles; ++tile)
      for (int64_t half = 0; half < LANE_ROWS; ++half)
        storeRowOfTile(k, p, tile, half);
  gpuBarrier(&k->e->values->b);
}

/// The sums of all warps for neighbouring columns of a row become known as elements of the products.
static void addSums(Skinny *k, const IndexVector *index, const IndexExpr *row, const IndexExpr *column, Lanes lanes) {
  Values *v = k->e->values;
  MlirType f32 = mlirF32TypeGet(v->b.context);
  for (intptr_t p = 0; p < k->s.numProducts; ++p) {
    MlirValue result = irResult(k->s.products[p], 0), sums[KERNEL_MAX_LANES], parts[KERNEL_MAX_LANES];
    for (int64_t w = 0; w < k->plan.warps; ++w) {
      const IndexExpr *place = placeOfSum(k, p, indexConstant(v->index, w), row, column);
      bundleExpand(loadLanes(k->e->memory, k->area, f32, place, lanes), lanes.count, parts);
      for (int64_t i = 0; i < lanes.count; ++i)
        sums[i] = w == 0 ? parts[i] : irAddF(&v->b, sums[i], parts[i]);
    }
    for (int64_t i = 0; i < lanes.count; ++i)
      sums[i] = scalarConvert(&v->b, sums[i], f32, irElementTypeOf(result));
    memoAdd(&v->memo, result.ptr, index, (MemoValue){.bundle = bundleOf(v, lanes.count, sums)});
  }
}

/// The index of elements of the result: rows are the thin operand's free elements, columns the weights'.
static IndexVector resultIndex(Skinny *k, const IndexExpr *row, const IndexExpr *column) {
  MlirOperation dot = k->s.products[0];
  IndexVector rows = alongFree(k, dot, k->s.thin, row), columns = alongFree(k, dot, 1 - k->s.thin, column);
  const IndexVector *first = k->s.thin == 0 ? &rows : &columns, *second = k->s.thin == 0 ? &columns : &rows;
  IndexVector index = {.rank = first->rank + second->rank};
  memcpy(index.dims, first->dims, sizeof(*index.dims) * (size_t)first->rank);
  memcpy(index.dims + first->rank, second->dims, sizeof(*index.dims) * (size_t)second->rank);
  return index;
}

/// Each thread finishes some elements of the block's part of the result.
static void finish(Skinny *k) {
  enum { MOST_LANES = 4 };
  Values *v = k->e->values;
  MlirOperation yield = mlirBlockGetTerminator(k->e->plan->body);
  int64_t width = min64(MOST_LANES, columnsOfBlock(k)), ofRow = columnsOfBlock(k) / width;
  int64_t count = k->s.rows * ofRow, threads = k->plan.warps * PLAN_WARP;
  Lanes lanes = lanesOf(v, width);
  const IndexExpr *thread = bindIndex(v, k->e->task.threadId, threads);
  for (int64_t round = 0; round < ceilDiv(count, threads); ++round) {
    MemoEntry *scope = memoEnter(&v->memo);
    const IndexExpr *number = indexAddConstant(v->index, thread, round * threads);
    MlirValue exists = {NULL};
    if ((round + 1) * threads > count) {
      exists = irCmpI(&v->b, IR_CMPI_ULT, emitIndex(v, number), irConstantIndex(&v->b, count));
      number = indexMod(v->index, number, count);
    }
    const IndexExpr *row = indexDiv(v->index, number, ofRow);
    const IndexExpr *column =
        indexAdd(v->index, indexScale(v->index, indexMod(v->index, number, ofRow), width), lanes.variable);
    IndexVector index = resultIndex(k, row, indexAdd(v->index, k->firstColumn, column));
    addSums(k, &index, row, column, lanes);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i) {
      MlirValue value = irOperand(yield, i);
      Bundle bundle = k->e->evaluate(k->e, value, &index, lanes);
      storeOutput(k->e, i, indexLinearize(v->index, &index, irShapeOf(value)), lanes, bundle, exists);
    }
    memoLeave(&v->memo, scope);
  }
}

void emitSkinny(Emitter *e) {
  MlirOperation fusion = e->plan->fusion, culprit;
  Values *v = e->values;
  Skinny k = {.e = e, .plan = stitchSkinnyAttrValue(irGetAttr(fusion, PLAN_SKINNY))};
  const char *reason;
  skinnySizesOf(e->plan->body, &k.s, &reason, &culprit); // stitch-verify-plan has looked
  k.tiles = ceilDiv(k.s.rows, SKINNY_TILE_ROWS);
  const IndexExpr *thread = bindIndex(v, e->task.threadId, e->plan->launch.block);
  const IndexExpr *lane = indexMod(v->index, thread, PLAN_WARP);
  k.warp = indexDiv(v->index, thread, PLAN_WARP);
  k.group = indexDiv(v->index, lane, SKINNY_GROUP);
  k.quad = indexMod(v->index, lane, SKINNY_GROUP);
  k.firstColumn = indexScale(v->index, bindIndex(v, e->task.blockId, e->plan->launch.grid), columnsOfBlock(&k));
  multiply(&k);
  shareSums(&k);
  finish(&k);
  double read, written;
  skinnyTraffic(fusion, &read, &written);
  e->memory->traffic = (Traffic){.read = (int64_t)read, .written = (int64_t)written};
}
