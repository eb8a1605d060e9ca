//===- columns.c - task loops of column reduces --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the groups of a fusion with their iteration spaces. Leaves the mappings of its column reduces and of the groups
// that share their task loops.
//
//   1. Classes: the column groups of one space share a mapping, and so a task loop.
//   2. Followers: flat groups that read the results of a class column by column. They can go by its columns, too: by
//      the kept elements (the update of a bias with its gradient), or by all of them (values normalised with the
//      statistics of its column), or as a stack of vectors with an element for each (products with the rows of a thin
//      operand). Then no grid barrier lies between.
//   3. Persistent tiles (panels.h): where a class goes over its rows again with its reduced values, a block that keeps
//      the elements of its columns in registers reads them once. The grid then reads each input once.
//   4. Mappings: a class without a persistent tile has tiles of columns (column_tiles.h).
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/column_tiles.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"
#include "ir/plan/resources.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR_BYTES = 32, VECTOR_BYTES = 16, ACCUMULATOR_BYTES = 4 };

//===----------------------------------------------------------------------===//
// 1. Classes
//===----------------------------------------------------------------------===//

static void addToClass(Columns *c, int64_t group) {
  const ColumnSpace *space = &c->spaces[group];
  const StitchMapping *m = &space->mapping;
  int64_t i = 0;
  while (i < c->numClasses && (c->classes[i].rows != m->rows || c->classes[i].columns != m->columns))
    ++i;
  ColumnClass *class = &c->classes[i];
  if (i == c->numClasses) {
    ++c->numClasses;
    *class = (ColumnClass){.rows = m->rows, .columns = m->columns, .vector = m->vector, .isFollowed = true};
  }
  class->vector = min64(class->vector, m->vector);
  class->bytes += space->bytes;
  class->instructions += space->instructions;
  class->tensorBytes = m->rows * m->columns * VECTOR_BYTES / space->widest;
  c->classOf[group] = i;
}

static void findClasses(Columns *c) {
  for (int64_t g = 0; g < c->view->numGroups; ++g)
    if (c->spaces[g].mapping.kind == STITCH_MAPPING_COLUMN)
      addToClass(c, g);
}

//===----------------------------------------------------------------------===//
// 2. Followers
//===----------------------------------------------------------------------===//

/// Whether `group` reads some result of a class, and all of them column by column.
static bool readsColumns(const Columns *c, int64_t group, int64_t class) {
  GroupRead *reads;
  bool some = false, all = true;
  int64_t count = readsOfGroup(c->view, group, 1, c->classes[class].columns, &reads);
  for (int64_t i = 0; i < count; ++i) {
    if (c->classOf[c->view->group[reads[i].root]] != class || c->view->group[reads[i].root] == group)
      continue;
    some = true;
    all &= reads[i].keepsColumns;
  }
  free(reads);
  return some && all;
}

/// Whether a root of the group stores the elements of its operand elsewhere, and so not in the columns that it reads.
static bool movesElements(const Columns *c, int64_t group) {
  for (int64_t k = c->view->first[group]; k < c->view->first[group + 1]; ++k)
    if (planGoesByOperand(c->view->graph->nodes[c->view->nodes[k]].op))
      return true;
  return false;
}

/// Whether a group of a class has all of its elements.
static bool isWhole(const Columns *c, int64_t group) {
  const ColumnClass *class = &c->classes[c->classOf[group]];
  return c->spaces[group].elements == class->rows * class->columns;
}

/// Whether the roots of a group are stacks of a few vectors with an element for each column, and wait for nothing but
/// results of the class.
static bool isStackOf(const Columns *c, int64_t group, int64_t class) {
  int64_t elements = c->spaces[group].elements, columns = c->classes[class].columns;
  if (!c->mayStack || columns == 0 || elements % columns != 0 || elements / columns > PLAN_MAX_STACK ||
      !groupHasElements(c->view, group, elements))
    return false;
  bool is = true;
  GroupRead *reads;
  int64_t count = readsOfGroup(c->view, group, 1, columns, &reads);
  for (int64_t i = 0; i < count; ++i)
    is &= c->view->group[reads[i].root] == group || c->classOf[c->view->group[reads[i].root]] == class;
  free(reads);
  return is;
}

/// Groups are in topological order: the operands of a follower are known.
static void findFollowers(Columns *c) {
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    ColumnSpace *space = &c->spaces[g];
    if (space->mapping.kind != STITCH_MAPPING_FLAT || movesElements(c, g))
      continue;
    for (int64_t i = 0; i < c->numClasses && c->classOf[g] < 0; ++i) {
      ColumnClass *class = &c->classes[i];
      bool hasAll = space->elements == class->rows * class->columns;
      bool hasSome = hasAll || space->elements == class->columns || isStackOf(c, g, i);
      if (!hasSome || !readsColumns(c, g, i))
        continue;
      c->classOf[g] = i;
      class->hasFollowers = true;
      class->followBytes += hasAll ? space->bytes : 0;
    }
  }
}

/// A reader that goes another way waits for a barrier, however the class is mapped. One with the same mapping, over all
/// elements, goes over the rows again.
static void findReaders(Columns *c) {
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    GroupRead *reads;
    int64_t own = c->classOf[g];
    int64_t count = readsOfGroup(c->view, g, 1, own < 0 ? 0 : c->classes[own].columns, &reads);
    for (int64_t i = 0; i < count; ++i) {
      int64_t class = c->classOf[c->view->group[reads[i].root]];
      bool isResult = class >= 0 && c->view->graph->nodes[reads[i].root].elements == c->classes[class].columns;
      if (isResult && (class != own || !reads[i].keepsColumns))
        c->classes[class].isFollowed = false;
      else if (isResult && isWhole(c, g))
        c->classes[class].sweepsAgain = true;
    }
    free(reads);
  }
}

//===----------------------------------------------------------------------===//
// 3. Persistent tiles
//===----------------------------------------------------------------------===//

static void countValue(ColumnClass *class, MlirValue value, int64_t *bytes) {
  if (irNumElements(irShapeOf(value)) < class->rows * class->columns)
    return;
  *bytes += irTensorBytes(mlirValueGetType(value));
  class->panel.leastBytes = min64(class->panel.leastBytes, max64(irElementBytes(irElementTypeOf(value)), 1));
}

/// Counts the results that an operation of a class writes, and its operands that none of the class computes and that
/// are not yet in `seen`.
static void countNode(const Columns *c, int64_t number, const GraphNode *node, IrMap *seen) {
  ColumnClass *class = &c->classes[number];
  for (intptr_t i = 0; node->yielded && i < mlirOperationGetNumResults(node->op); ++i)
    countValue(class, irResult(node->op, i), &class->panel.writtenBytes);
  class->panel.finished += node->class == TG_CLASS_REDUCE && node->yielded;
  class->panel.isExpensive |=
      tgCostOfKind(node->kind) == TG_COST_EXPENSIVE && node->elements == class->rows * class->columns;
  class->panel.accumulator = max64(class->panel.accumulator, columnAccumulatorBytes(node));
  for (int64_t j = 0; j < node->numOperands; ++j) {
    int64_t from = node->operands[j].node;
    MlirValue value = irOperand(node->op, j);
    bool isOutside = from < 0 || (groupIsRoot(c->view, from) && c->classOf[c->view->group[from]] != number);
    if (!isOutside || irMapContains(seen, value.ptr))
      continue;
    irMapSet(seen, value.ptr, 1);
    countValue(class, value, &class->panel.readBytes);
  }
}

/// Counts the reduces and the passes over the rows of each class: one more where all elements of a column wait for a
/// result of its reduce.
static void countSweeps(const Columns *c) {
  const IrGraph *graph = c->view->graph;
  int64_t *sweep = irAllocateZeroed((size_t)graph->numNodes + 1, sizeof(*sweep));
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    int64_t number = c->classOf[c->view->group[i]];
    if (number >= 0)
      c->classes[number].reduces += graph->nodes[i].class == TG_CLASS_REDUCE;
    for (int64_t j = 0; number >= 0 && j < graph->nodes[i].numOperands; ++j) {
      int64_t from = graph->nodes[i].operands[j].node;
      if (from >= 0 && c->classOf[c->view->group[from]] == number)
        sweep[i] = max64(sweep[i], sweep[from] + (graph->nodes[from].class == TG_CLASS_REDUCE));
    }
    if (number >= 0 && isWhole(c, c->view->group[i]))
      c->classes[number].panel.sweeps = max64(c->classes[number].panel.sweeps, 1 + sweep[i]);
  }
  free(sweep);
}

/// Finds the kept elements and the traffic of a persistent tile of each class.
static void measureClasses(const Columns *c) {
  IrMap *seen = IR_NEW_ARRAY(&c->view->arena, IrMap, c->numClasses);
  for (int64_t i = 0; i < c->numClasses; ++i) {
    ColumnClass *class = &c->classes[i];
    class->panel.rows = class->rows;
    class->panel.columns = class->columns;
    class->panel.vector = class->vector;
    class->panel.leastBytes = SECTOR_BYTES;
  }
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    int64_t number = c->classOf[g];
    if (number < 0 || !isWhole(c, g))
      continue;
    ColumnClass *class = &c->classes[number];
    int64_t elements = class->rows * class->columns, words = wordsReadByGroup(c->view, g, elements), accumulators = 0;
    class->panel.words = max64(class->panel.words, words);
    class->words += words;
    class->elementBytes += bytesReadByGroup(c->view, g, elements);
    for (int64_t k = c->view->first[g]; k < c->view->first[g + 1]; ++k) {
      const GraphNode *node = &c->view->graph->nodes[c->view->nodes[k]];
      countNode(c, number, node, &seen[number]);
      accumulators += columnAccumulatorBytes(node);
    }
    class->accumulatorBytes += accumulators;
    class->accumulatorWords = max64(class->accumulatorWords, ceilDiv(accumulators, ACCUMULATOR_BYTES));
  }
  for (int64_t i = 0; i < c->numClasses; ++i)
    irMapDestroy(&seen[i]);
}

//===----------------------------------------------------------------------===//
// 4. Mappings
//===----------------------------------------------------------------------===//

/// Whether a class moves most of the fusion's bytes.
static bool isMostOfFusion(const Columns *c, int64_t number) {
  int64_t ofClass = 0, all = 0;
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    all += c->spaces[g].bytes;
    ofClass += c->classOf[g] == number ? c->spaces[g].bytes : 0;
  }
  return 2 * ofClass >= all;
}

/// Whether column groups and followers read nearly all that the fusion does.
static bool isNearlyAll(const Columns *c) {
  int64_t ofColumns = 0, all = 0;
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    all += c->spaces[g].bytes;
    ofColumns += c->classOf[g] >= 0 ? c->spaces[g].bytes : 0;
  }
  return 10 * ofColumns >= 9 * all;
}

static void explainPanel(const Columns *c, int64_t number, const Panel *panel, double ns) {
  int64_t g = 0;
  while (c->classOf[g] != number)
    ++g;
  stitchRemark(
      c->view->graph->nodes[c->view->dominant[g]].op,
      "%s of %lld blocks of %lld threads keep %lld columns of %lld rows in registers: %.0f ns, instead "
      "of %.0f ns if they are read again",
      panel->mapping.split > 1 ? "grids" : "clusters", (long long)max64(panel->mapping.cluster, panel->mapping.split),
      (long long)planBlockSize(&panel->mapping), (long long)(panel->mapping.rowThreads * panel->mapping.vector),
      (long long)panel->mapping.rows, panel->ns, ns);
}

/// The fastest persistent tile of a class. If it is most of the fusion, blocks may grow for it, and be in clusters. If
/// it is the only class with columns, and has no other readers, all blocks may keep a tile together.
static Panel bestPanel(const Columns *c, const ColumnClass *class, bool grows) {
  if (!grows)
    return choosePanel(&c->device, &class->panel, c->block, c->block, 1);
  Panel panel = choosePanel(&c->device, &class->panel, c->block, PLAN_MOST_THREADS, c->device.clusterBlocks);
  if (!class->isFollowed || c->numClasses > 1)
    return panel;
  Panel ofGrid = chooseGridPanel(&c->device, &class->panel, c->block, PLAN_MOST_THREADS);
  return ofGrid.ns > 0 && (panel.ns == 0 || ofGrid.ns < panel.ns) ? ofGrid : panel;
}

/// A persistent tile if that is faster than to read again.
static StitchMapping chooseMapping(Columns *c, int64_t number, bool mayGrow, bool *isPanel) {
  const ColumnClass *class = &c->classes[number];
  bool grows = mayGrow && isMostOfFusion(c, number);
  StitchMapping tiles = columnTiles(c, number, grows);
  *isPanel = false;
  if (!c->adaptive || !class->sweepsAgain) {
    c->block = planBlockSize(&tiles);
    return tiles;
  }
  Panel panel = bestPanel(c, class, grows);
  double ns = sweepsNs(&c->device, &class->panel, &tiles, planTasks(&tiles), class->panel.sweeps - 1);
  *isPanel = panel.ns > 0 && panel.ns < ns;
  if (!*isPanel)
    return tiles;
  explainPanel(c, number, &panel, ns);
  c->block = planBlockSize(&panel.mapping);
  return panel.mapping;
}

/// A follower with all elements shares the class's few tasks instead of filling the device.
static bool isWorthFollowing(const Columns *c, const ColumnClass *class, const StitchMapping *m) {
  int64_t tasks = planBlocksOfTasks(m);
  return columnReadNs(c, class->followBytes, tasks) <=
         costOfMoving(&c->device, (double)class->followBytes) + (double)c->device.barrierNs;
}

static void mapFollower(Columns *c, int64_t group, const StitchMapping *mapping, bool isPanel) {
  ColumnSpace *space = &c->spaces[group];
  const ColumnClass *class = &c->classes[c->classOf[group]];
  bool isStack = !isWhole(c, group) && space->elements > class->columns; // which all chunks would have
  if (mapping->split > 1 ? !isPanel || isStack : isWhole(c, group) && !isPanel && !isWorthFollowing(c, class, mapping))
    return;
  space->mapping = *mapping;
  if (!isWhole(c, group))
    space->mapping.kind = STITCH_MAPPING_KEPT;
  stitchRemark(c->view->graph->nodes[c->view->dominant[group]].op,
               "group %lld goes by the columns of the group that it reads: %s", (long long)group,
               mapping->split > 1 ? "threads have their elements" : "no barrier between");
}

/// The class that moves most, to which the others have to adapt; -1 if there is none.
static int64_t largestClass(const Columns *c) {
  int64_t largest = -1, bytes = -1;
  for (int64_t i = 0; i < c->numClasses; ++i) {
    int64_t moved = c->classes[i].bytes + c->classes[i].followBytes;
    if (moved <= bytes)
      continue;
    largest = i;
    bytes = moved;
  }
  return largest;
}

int64_t planColumns(GroupView *view, ColumnSpace *spaces, const StitchDevice *device, const ColumnOptions *options) {
  Columns c = {.view = view,
               .spaces = spaces,
               .device = *device,
               .block = options->block,
               .cluster = 1,
               .adaptive = options->adaptive,
               .mayStack = options->mayStack};
  c.classes = IR_NEW_ARRAY(&view->arena, ColumnClass, view->numGroups);
  c.classOf = IR_NEW_ARRAY(&view->arena, int64_t, view->numGroups);
  memset(c.classOf, -1, sizeof(int64_t) * (size_t)view->numGroups);
  findClasses(&c);
  if (c.numClasses == 0)
    return c.block;
  if (c.adaptive) {
    findFollowers(&c);
    findReaders(&c);
  }
  StitchMapping *mappings = IR_NEW_ARRAY(&view->arena, StitchMapping, c.numClasses);
  bool *isPanel = IR_NEW_ARRAY(&view->arena, bool, c.numClasses);
  int64_t largest = largestClass(&c);
  c.isAlone = isNearlyAll(&c);
  countSweeps(&c);
  measureClasses(&c);
  mappings[largest] = chooseMapping(&c, largest, options->mayGrow, &isPanel[largest]);
  c.cluster = mappings[largest].cluster;
  c.firstClass = largest;
  c.first = isPanel[largest] ? NULL : &mappings[largest];
  for (int64_t i = 0; i < c.numClasses; ++i)
    if (i != largest)
      mappings[i] = chooseMapping(&c, i, /*mayGrow=*/false, &isPanel[i]);
  for (int64_t g = 0; g < view->numGroups; ++g) {
    if (c.classOf[g] < 0)
      continue;
    const StitchMapping *mapping = &mappings[c.classOf[g]];
    if (spaces[g].mapping.kind == STITCH_MAPPING_COLUMN)
      spaces[g].mapping = *mapping;
    else
      mapFollower(&c, g, mapping, isPanel[c.classOf[g]]);
  }
  return c.block;
}
