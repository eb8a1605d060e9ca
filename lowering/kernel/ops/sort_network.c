//===- sort_network.c - sorting within a kernel --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/kernel/ops/sort_network.h"

static int64_t aligned(int64_t bytes) { return (bytes + 15) / 16 * 16; }

static int64_t logOf(int64_t powerOfTwo) {
  int64_t log = 0;
  while (INT64_C(1) << log < powerOfTwo)
    ++log;
  return log;
}

static MlirType positionType(SortNetwork *n) { return mlirIntegerTypeGet(n->k->b.context, 32); }

void sortNetworkBegin(SortNetwork *n) {
  int64_t items = n->plan.blockLines * n->plan.tile, all = numLines(&n->plan.lines) * n->plan.lines.size;
  int64_t shared = n->sharedOffset, scratch = 0;
  n->elements[n->numArrays] = positionType(n);
  for (intptr_t i = 0; i <= n->numArrays; ++i) {
    int64_t bytes = irElementBytes(n->elements[i]);
    n->shared[i] = opShared(n->k, shared, items, n->elements[i]);
    shared += aligned(items * bytes);
    if (n->plan.scratchBytes)
      n->scratch[i] = opScratch(n->k, scratch, all, n->elements[i]);
    scratch += aligned(all * bytes);
  }
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

static void loadItem(SortNetwork *n, const MlirValue *memory, MlirValue place, MlirValue *item) {
  for (intptr_t i = 0; i <= n->numArrays; ++i)
    item[i] = opLoad(n->k, memory[i], n->elements[i], place);
}

static void storeItem(SortNetwork *n, const MlirValue *memory, MlirValue place, const MlirValue *item) {
  for (intptr_t i = 0; i <= n->numArrays; ++i)
    opStore(n->k, memory[i], item[i], place);
}

/// Puts the items at two places in order.
static void exchange(SortNetwork *n, const MlirValue *memory, MlirValue low, MlirValue high) {
  OpKernel *k = n->k;
  MlirValue x[KERNEL_OP_MAX_ARRAYS + 1], y[KERNEL_OP_MAX_ARRAYS + 1];
  loadItem(n, memory, low, x);
  loadItem(n, memory, high, y);
  MlirValue wrong = n->before(n, y, x), right = n->before(n, x, y);
  MlirValue later = opIsBelow(k, y[n->numArrays], x[n->numArrays]);
  MlirValue isTie = irXorI(&k->b, irOrI(&k->b, wrong, right), opTrue(k));
  // If the comparator says both, it is none, and the items stay.
  wrong = irAndI(&k->b, wrong, irXorI(&k->b, right, opTrue(k)));
  OpRegion swap = opIf(k, irOrI(&k->b, wrong, irAndI(&k->b, isTie, later)), IR_NO_TYPES);
  storeItem(n, memory, low, y);
  storeItem(n, memory, high, x);
  opEnd(k, &swap, IR_NO_VALUES);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The two positions of pair number `pair` in a step of exchanges.
typedef struct {
  MlirValue low, high;
} Pair;

/// The first step of the stage whose size is 2^(logHalf + 1).
static Pair mirroredPair(OpKernel *k, MlirValue pair, MlirValue logHalf) {
  IrBuilder *b = &k->b;
  MlirValue half = irShlI(b, opIndex(k, 1), logHalf), last = irSubI(b, half, opIndex(k, 1));
  MlirValue inHalf = irAndI(b, pair, last), group = irShlI(b, irSubI(b, pair, inHalf), opIndex(k, 1));
  MlirValue end = irAddI(b, group, irSubI(b, irShlI(b, half, opIndex(k, 1)), opIndex(k, 1)));
  return (Pair){irAddI(b, group, inHalf), irSubI(b, end, inHalf)};
}

/// A later step, of distance 2^logDistance.
static Pair distantPair(OpKernel *k, MlirValue pair, MlirValue logDistance) {
  IrBuilder *b = &k->b;
  MlirValue distance = irShlI(b, opIndex(k, 1), logDistance);
  MlirValue inGroup = irAndI(b, pair, irSubI(b, distance, opIndex(k, 1)));
  MlirValue low = irAddI(b, irShlI(b, irSubI(b, pair, inGroup), opIndex(k, 1)), inGroup);
  return (Pair){low, irAddI(b, low, distance)};
}

/// What a block has in shared memory: lines or a tile of one.
typedef struct {
  MlirValue count; ///< items of each line
  MlirValue lines; ///< null: all `blockLines` of the plan
} Tile;

static void stepInTile(SortNetwork *n, const Tile *tile, bool isMirrored, MlirValue log) {
  OpKernel *k = n->k;
  int64_t pairs = n->plan.tile / 2;
  OpRegion loop = opBlockElements(k, n->plan.blockLines * pairs);
  MlirValue number = opArgument(&loop, 0);
  MlirValue line = opQuotient(k, number, pairs), pair = opRemainder(k, number, pairs);
  Pair p = isMirrored ? mirroredPair(k, pair, log) : distantPair(k, pair, log);
  MlirValue exist = opIsBelow(k, p.high, tile->count), first = opTimes(k, line, n->plan.tile);
  if (!mlirValueIsNull(tile->lines))
    exist = irAndI(&k->b, exist, opIsBelow(k, line, tile->lines));
  OpRegion exists = opIf(k, exist, IR_NO_TYPES);
  exchange(n, n->shared, irAddI(&k->b, first, p.low), irAddI(&k->b, first, p.high));
  opEnd(k, &exists, IR_NO_VALUES);
  opEnd(k, &loop, IR_NO_VALUES);
  opBlockBarrier(k);
}

/// Steps of distances 2^(logEnd - 1) down to 1.
static void finishInTile(SortNetwork *n, const Tile *tile, MlirValue logEnd) {
  OpKernel *k = n->k;
  OpRegion loop = opFor(k, opIndex(k, 0), logEnd, opIndex(k, 1), IR_NO_VALUES);
  MlirValue log = irSubI(&k->b, irSubI(&k->b, logEnd, opIndex(k, 1)), opArgument(&loop, 0));
  stepInTile(n, tile, /*isMirrored=*/false, log);
  opEnd(k, &loop, IR_NO_VALUES);
}

/// Sorts what a block has in shared memory.
static void sortTile(SortNetwork *n, const Tile *tile) {
  OpRegion stages = opForBelow(n->k, logOf(n->plan.tile), IR_NO_VALUES);
  MlirValue logHalf = opArgument(&stages, 0);
  stepInTile(n, tile, /*isMirrored=*/true, logHalf);
  if (n->plan.tile > 2) // else the only stage has no other step
    finishInTile(n, tile, logHalf);
  opEnd(n->k, &stages, IR_NO_VALUES);
}

//===----------------------------------------------------------------------===//
// Lines that fit into shared memory
//===----------------------------------------------------------------------===//

/// Runs over the items of the block's lines: their line, position and place in shared memory. Neighbouring threads take
/// what is next to each other in memory.
typedef struct {
  OpRegion loop, exists;
  MlirValue line, position, place;
} Items;

static Items beginItems(SortNetwork *n, MlirValue task) {
  OpKernel *k = n->k;
  Items items = {.loop = opBlockElements(k, n->plan.blockLines * n->plan.tile)};
  MlirValue number = opArgument(&items.loop, 0), inBlock;
  if (n->plan.lines.inner > 1) {
    inBlock = opRemainder(k, number, n->plan.blockLines);
    items.position = opQuotient(k, number, n->plan.blockLines);
  } else {
    inBlock = opQuotient(k, number, n->plan.tile);
    items.position = opRemainder(k, number, n->plan.tile);
  }
  items.line = irAddI(&k->b, opTimes(k, task, n->plan.blockLines), inBlock);
  items.place = irAddI(&k->b, opTimes(k, inBlock, n->plan.tile), items.position);
  MlirValue lineExists = opIsBelow(k, items.line, opIndex(k, numLines(&n->plan.lines)));
  MlirValue positionExists = opIsBelow(k, items.position, opIndex(k, n->plan.lines.size));
  items.exists = opIf(k, irAndI(&k->b, lineExists, positionExists), IR_NO_TYPES);
  return items;
}

static void endItems(SortNetwork *n, Items *items) {
  opEnd(n->k, &items->exists, IR_NO_VALUES);
  opEnd(n->k, &items->loop, IR_NO_VALUES);
}

static void loadLines(SortNetwork *n, MlirValue task) {
  OpKernel *k = n->k;
  MlirValue item[KERNEL_OP_MAX_ARRAYS + 1];
  Items items = beginItems(n, task);
  n->load(n, items.line, items.position, item);
  item[n->numArrays] = opToI32(k, items.position);
  storeItem(n, n->shared, items.place, item);
  endItems(n, &items);
}

static void sortLines(SortNetwork *n) {
  OpKernel *k = n->k;
  OpRegion tasks = opTasks(k, n->plan.tasks);
  MlirValue task = opArgument(&tasks, 0), item[KERNEL_OP_MAX_ARRAYS + 1];
  loadLines(n, task);
  Tile tile = {.count = opIndex(k, n->plan.lines.size)};
  if (numLines(&n->plan.lines) % n->plan.blockLines != 0) // the last block has fewer
    tile.lines = irSubI(&k->b, opIndex(k, numLines(&n->plan.lines)), opTimes(k, task, n->plan.blockLines));
  if (n->plan.lines.size > 1) { // else each thread stores what it has loaded
    opBlockBarrier(k);
    sortTile(n, &tile);
  }
  Items items = beginItems(n, task);
  loadItem(n, n->shared, items.place, item);
  n->store(n, items.line, items.position, item, item[n->numArrays]);
  endItems(n, &items);
  opBlockBarrier(k); // the next task takes its place
  opEnd(k, &tasks, IR_NO_VALUES);
}

void sortNetworkInBlock(SortNetwork *n) {
  loadLines(n, opIndex(n->k, 0));
  opBlockBarrier(n->k);
  if (n->plan.lines.size > 1)
    sortTile(n, &(Tile){.count = opIndex(n->k, n->plan.lines.size)});
}

//===----------------------------------------------------------------------===//
// Longer lines: tiles in shared memory, what goes between tiles in scratch memory
//===----------------------------------------------------------------------===//

/// The items of a tile of a line, which is the task.
typedef struct {
  OpRegion tasks;
  MlirValue line, first;
  Tile tile;
} TileTask;

static TileTask beginTileTasks(SortNetwork *n) {
  OpKernel *k = n->k;
  int64_t size = n->plan.lines.size, tiles = (size + n->plan.tile - 1) / n->plan.tile;
  TileTask t = {.tasks = opTasks(k, numLines(&n->plan.lines) * tiles)};
  MlirValue task = opArgument(&t.tasks, 0);
  t.line = opQuotient(k, task, tiles);
  t.first = opTimes(k, opRemainder(k, task, tiles), n->plan.tile);
  t.tile.count = irMinUI(&k->b, irSubI(&k->b, opIndex(k, size), t.first), opIndex(k, n->plan.tile));
  return t;
}

/// Runs over the items of a tile: the place in shared memory, and the position in the line.
static OpRegion beginTileItems(SortNetwork *n, const TileTask *t, MlirValue *place, MlirValue *position) {
  OpKernel *k = n->k;
  OpRegion loop = opFor(k, k->thread, t->tile.count, opIndex(k, k->launch.block), IR_NO_VALUES);
  *place = opArgument(&loop, 0);
  *position = irAddI(&k->b, t->first, *place);
  return loop;
}

/// Where an item is in scratch memory.
static MlirValue scratchPlace(SortNetwork *n, MlirValue line, MlirValue position) {
  return irAddI(&n->k->b, opTimes(n->k, line, n->plan.lines.size), position);
}

/// Whether a step of the largest distance within a tile exchanges, in each thread, what beginTileItems gives it.
static bool threadsKeepItems(const SortNetwork *n) { return n->plan.tile / 2 % n->k->launch.block == 0; }

/// Brings a tile to shared memory: from where the caller says, the first time, and later for the steps of finishInTile.
static void loadTile(SortNetwork *n, const TileTask *t, bool isFirst) {
  OpKernel *k = n->k;
  MlirValue place, position, item[KERNEL_OP_MAX_ARRAYS + 1];
  OpRegion loop = beginTileItems(n, t, &place, &position);
  if (isFirst) {
    n->load(n, t->line, position, item);
    item[n->numArrays] = opToI32(k, position);
  } else {
    loadItem(n, n->scratch, scratchPlace(n, t->line, position), item);
  }
  storeItem(n, n->shared, place, item);
  opEnd(k, &loop, IR_NO_VALUES);
  if (isFirst || !threadsKeepItems(n))
    opBlockBarrier(k);
}

static void storeTile(SortNetwork *n, const TileTask *t) {
  OpKernel *k = n->k;
  MlirValue place, position, item[KERNEL_OP_MAX_ARRAYS + 1];
  OpRegion loop = beginTileItems(n, t, &place, &position);
  loadItem(n, n->shared, place, item);
  storeItem(n, n->scratch, scratchPlace(n, t->line, position), item);
  opEnd(k, &loop, IR_NO_VALUES);
  opBlockBarrier(k); // the next tile takes its place
}

/// A step of exchanges between tiles.
static void stepBetweenTiles(SortNetwork *n, bool isMirrored, MlirValue log) {
  OpKernel *k = n->k;
  int64_t pairs = n->plan.network / 2;
  OpRegion loop = opGridElements(k, numLines(&n->plan.lines) * pairs);
  MlirValue number = opArgument(&loop, 0), line = opQuotient(k, number, pairs), pair = opRemainder(k, number, pairs);
  Pair p = isMirrored ? mirroredPair(k, pair, log) : distantPair(k, pair, log);
  OpRegion exists = opIf(k, opIsBelow(k, p.high, opIndex(k, n->plan.lines.size)), IR_NO_TYPES);
  exchange(n, n->scratch, scratchPlace(n, line, p.low), scratchPlace(n, line, p.high));
  opEnd(k, &exists, IR_NO_VALUES);
  opEnd(k, &loop, IR_NO_VALUES);
  opGridBarrier(k);
}

/// Steps of distances 2^(logHalf - 1) down to a tile's.
static void moreStepsBetweenTiles(SortNetwork *n, MlirValue logHalf) {
  OpKernel *k = n->k;
  int64_t logTile = logOf(n->plan.tile);
  OpRegion steps = opFor(k, opIndex(k, logTile), logHalf, opIndex(k, 1), IR_NO_VALUES);
  MlirValue passed = irSubI(&k->b, opArgument(&steps, 0), opIndex(k, logTile));
  stepBetweenTiles(n, /*isMirrored=*/false, irSubI(&k->b, irSubI(&k->b, logHalf, opIndex(k, 1)), passed));
  opEnd(k, &steps, IR_NO_VALUES);
}

/// The stages whose sizes are more than a tile's.
static void mergeTiles(SortNetwork *n) {
  OpKernel *k = n->k;
  int64_t logTile = logOf(n->plan.tile);
  OpRegion stages = opFor(k, opIndex(k, logTile), opIndex(k, logOf(n->plan.network)), opIndex(k, 1), IR_NO_VALUES);
  MlirValue logHalf = opArgument(&stages, 0);
  stepBetweenTiles(n, /*isMirrored=*/true, logHalf);
  if (n->plan.network > 2 * n->plan.tile) // else the only stage has no step of a smaller distance between tiles
    moreStepsBetweenTiles(n, logHalf);
  TileTask t = beginTileTasks(n);
  loadTile(n, &t, /*isFirst=*/false);
  finishInTile(n, &t.tile, opIndex(k, logTile));
  storeTile(n, &t);
  opEnd(k, &t.tasks, IR_NO_VALUES);
  opGridBarrier(k);
  opEnd(k, &stages, IR_NO_VALUES);
}

void sortNetworkInScratch(SortNetwork *n) {
  TileTask t = beginTileTasks(n);
  loadTile(n, &t, /*isFirst=*/true);
  sortTile(n, &t.tile);
  storeTile(n, &t);
  opEnd(n->k, &t.tasks, IR_NO_VALUES);
  opGridBarrier(n->k);
  mergeTiles(n);
}

static void storeLines(SortNetwork *n) {
  OpKernel *k = n->k;
  MlirValue item[KERNEL_OP_MAX_ARRAYS + 1];
  OpRegion loop = opGridElements(k, numLines(&n->plan.lines) * n->plan.lines.size);
  MlirValue place = opArgument(&loop, 0);
  loadItem(n, n->scratch, place, item);
  n->store(n, opQuotient(k, place, n->plan.lines.size), opRemainder(k, place, n->plan.lines.size), item,
           item[n->numArrays]);
  opEnd(k, &loop, IR_NO_VALUES);
}

void sortNetworkAll(SortNetwork *n) {
  if (!n->plan.scratchBytes) {
    sortLines(n);
    return;
  }
  sortNetworkInScratch(n);
  storeLines(n);
}
