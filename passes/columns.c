//===- columns.c - task loops of column reduces ----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   1. Classes: the column groups of one space share a mapping, and so a task loop.
//   2. Followers: flat groups that read the results of a class column by column. They can go by its columns, too: by
//      the kept elements (the update of a bias with its gradient), or by all of them (what is normalised with the
//      statistics of its column). Then no grid barrier lies between.
//   3. Mappings: a class is split among blocks if that saves more than the barrier costs that its followers then wait
//      for.
//
//===----------------------------------------------------------------------===//

#include "passes/columns.h"

#include "capi/diagnostics.h"
#include "ir/arithmetic.h"
#include "ir/cost.h"

#include <stdlib.h>
#include <string.h>

enum {
  WARP = 32,
  LEAST_LANES = 8,   ///< of a task, beside each other
  SECTOR_BYTES = 32, ///< that memory moves at once
  MAX_CHUNKS = 64,   ///< of the rows
  COLUMN_UNROLL = 4  ///< rows that a thread combines at least, if there are as many
};

typedef struct {
  int64_t rows, columns;
  int64_t vector;      ///< the least of its groups
  int64_t leastVector; ///< below which a task would read less than a sector of a row
  int64_t bytes;       ///< that its groups read
  int64_t followBytes; ///< that followers with all elements read
  bool hasFollowers;
  bool isFollowed; ///< nothing waits for its results but followers
} Class;

typedef struct {
  GroupView *view;
  ColumnSpace *spaces;
  StitchDevice device;
  int64_t block;
  bool adaptive;
  int64_t numClasses;
  Class *classes;
  int64_t *classOf; ///< by group, of column groups and followers; -1
} Columns;

//===----------------------------------------------------------------------===//
// 1. Classes
//===----------------------------------------------------------------------===//

static int64_t leastVector(const Columns *c, int64_t group) {
  int64_t bytes = SECTOR_BYTES;
  for (int64_t k = c->view->first[group]; k < c->view->first[group + 1]; ++k) {
    const GraphNode *node = &c->view->graph->nodes[c->view->nodes[k]];
    if (node->class == TG_CLASS_REDUCE)
      bytes = min64(bytes, max64(irElementBytes(irElementTypeOf(irOperand(node->op, 0))), 1));
  }
  return max64(SECTOR_BYTES / (LEAST_LANES * bytes), 1);
}

static void addToClass(Columns *c, int64_t group) {
  const ColumnSpace *space = &c->spaces[group];
  const StitchMapping *m = &space->mapping;
  int64_t i = 0;
  while (i < c->numClasses && (c->classes[i].rows != m->rows || c->classes[i].columns != m->columns))
    ++i;
  Class *class = &c->classes[i];
  if (i == c->numClasses) {
    ++c->numClasses;
    *class = (Class){.rows = m->rows, .columns = m->columns, .vector = m->vector, .isFollowed = true};
  }
  class->vector = min64(class->vector, m->vector);
  class->leastVector = max64(class->leastVector, leastVector(c, group));
  class->bytes += space->bytes;
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

/// Groups are in topological order: what a follower reads is known.
static void findFollowers(Columns *c) {
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    ColumnSpace *space = &c->spaces[g];
    if (space->mapping.kind != STITCH_MAPPING_FLAT || movesElements(c, g))
      continue;
    for (int64_t i = 0; i < c->numClasses && c->classOf[g] < 0; ++i) {
      Class *class = &c->classes[i];
      bool isWhole = space->elements == class->rows * class->columns;
      if ((space->elements != class->columns && !isWhole) || !readsColumns(c, g, i))
        continue;
      c->classOf[g] = i;
      class->hasFollowers = true;
      class->followBytes += isWhole ? space->bytes : 0;
    }
  }
}

/// A reader that goes another way waits for a barrier, however the class is mapped.
static void findOtherReaders(Columns *c) {
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    GroupRead *reads;
    int64_t own = c->classOf[g];
    int64_t count = readsOfGroup(c->view, g, 1, own < 0 ? 0 : c->classes[own].columns, &reads);
    for (int64_t i = 0; i < count; ++i) {
      int64_t class = c->classOf[c->view->group[reads[i].root]];
      bool isResult = class >= 0 && c->view->graph->nodes[reads[i].root].elements == c->classes[class].columns;
      if (isResult && (class != own || !reads[i].keepsColumns))
        c->classes[class].isFollowed = false;
    }
    free(reads);
  }
}

//===----------------------------------------------------------------------===//
// 3. Mappings
//===----------------------------------------------------------------------===//

/// A warp side by side in a row, or less, down to LEAST_LANES, while there are fewer tasks than two for each
/// multiprocessor, if every tile of columns is cut into `chunks` of rows.
static int64_t chooseLanes(const Columns *c, const Class *class, int64_t vector, int64_t chunks) {
  int64_t lanes = min64(powerOfTwoFrom(ceilDiv(class->columns, vector)), WARP);
  while (lanes > LEAST_LANES && ceilDiv(class->columns, lanes * vector) * chunks < 2 * c->device.sms)
    lanes /= 2;
  return lanes;
}

/// A block owns a tile of columns, and a chunk of rows; as many chunks as fill the device, up to `mostChunks`, but not
/// so many that combining them costs more than reducing them.
static StitchMapping tileColumns(const Columns *c, const Class *class, int64_t vector, int64_t mostChunks) {
  StitchMapping m = {STITCH_MAPPING_COLUMN, .rows = class->rows, .columns = class->columns, .vector = vector,
                     .cluster = 1};
  m.blockRows = min64(c->block / chooseLanes(c, class, vector, mostChunks), powerOfTwoFrom(m.rows));
  m.rowThreads = c->block / m.blockRows;
  int64_t tiles = ceilDiv(m.columns, m.rowThreads * m.vector);
  int64_t chunks = min64(ceilDiv(2 * c->device.sms, tiles), mostChunks);
  chunks = max64(min64(chunks, m.rows / (m.blockRows * COLUMN_UNROLL)), 1);
  m.unroll = ceilDiv(m.rows, m.blockRows * chunks);
  m.split = ceilDiv(m.rows, m.blockRows * m.unroll);
  return m;
}

static int64_t reductionBytes(const Columns *c, int64_t class, const StitchMapping *m) {
  int64_t most = 0;
  for (int64_t i = 0; i < c->view->graph->numNodes; ++i)
    if (c->classOf[c->view->group[i]] == class)
      most = max64(most, planReductionBytes(c->view->graph->nodes[i].op, m));
  return most;
}

/// The threads of a block combine a partial result for each column of their vectors through shared memory: of it the
/// two halves of the reduction area may take one half.
static bool fitsShared(const Columns *c, int64_t class, const StitchMapping *m) {
  return m->vector == 1 || 2 * reductionBytes(c, class, m) <= c->device.sharedPerBlock / 2;
}

/// The time to read bytes when each task's block gets its fair share of the bandwidth.
static double readNs(const Columns *c, int64_t bytes, int64_t tasks) {
  double ns = costOfMoving(&c->device, (double)bytes);
  return tasks < c->device.sms ? ns * (double)c->device.sms / (double)tasks : ns;
}

/// The time of a class and its followers.
static double classNs(const Columns *c, const Class *class, const StitchMapping *m) {
  int64_t tasks = planTasks(m);
  if (m->split == 1)
    return readNs(c, class->bytes + class->followBytes, tasks);
  return readNs(c, class->bytes, tasks) + costOfMoving(&c->device, (double)class->followBytes) +
         (double)c->device.barrierNs;
}

static StitchMapping chooseMapping(const Columns *c, int64_t number) {
  const Class *class = &c->classes[number];
  int64_t vector = class->vector;
  StitchMapping best = tileColumns(c, class, vector, c->adaptive ? MAX_CHUNKS : 1);
  while (!fitsShared(c, number, &best))
    best = tileColumns(c, class, vector /= 2, c->adaptive ? MAX_CHUNKS : 1);
  if (!c->adaptive || !class->isFollowed || best.split == 1)
    return best;
  double ns = classNs(c, class, &best);
  for (; vector >= class->leastVector; vector /= 2) {
    StitchMapping whole = tileColumns(c, class, vector, 1);
    double wholeNs = classNs(c, class, &whole);
    bool isBetter = best.split > 1 ? wholeNs <= ns : wholeNs < ns;
    if (!isBetter || !fitsShared(c, number, &whole))
      continue;
    ns = wholeNs;
    best = whole;
  }
  return best;
}

/// A follower with all elements shares the class's few tasks instead of filling the device.
static bool isWorthFollowing(const Columns *c, const Class *class, const StitchMapping *m) {
  int64_t tasks = planTasks(m);
  return readNs(c, class->followBytes, tasks) <=
         costOfMoving(&c->device, (double)class->followBytes) + (double)c->device.barrierNs;
}

static void mapFollower(Columns *c, int64_t group, const Class *class, const StitchMapping *mapping) {
  ColumnSpace *space = &c->spaces[group];
  bool isWhole = space->elements == class->rows * class->columns;
  if (mapping->split > 1 || (isWhole && !isWorthFollowing(c, class, mapping)))
    return;
  space->mapping = *mapping;
  if (!isWhole)
    space->mapping.kind = STITCH_MAPPING_KEPT;
  stitchRemark(c->view->graph->nodes[c->view->dominant[group]].op,
               "group %lld goes by the columns of what it reads: no barrier between", (long long)group);
}

void planColumns(GroupView *view, ColumnSpace *spaces, const StitchDevice *device, int64_t block, bool adaptive) {
  Columns c = {.view = view, .spaces = spaces, .device = *device, .block = block, .adaptive = adaptive};
  c.classes = IR_NEW_ARRAY(&view->arena, Class, view->numGroups);
  c.classOf = IR_NEW_ARRAY(&view->arena, int64_t, view->numGroups);
  memset(c.classOf, -1, sizeof(int64_t) * (size_t)view->numGroups);
  findClasses(&c);
  if (c.numClasses == 0)
    return;
  if (adaptive) {
    findFollowers(&c);
    findOtherReaders(&c);
  }
  StitchMapping *mappings = IR_NEW_ARRAY(&view->arena, StitchMapping, c.numClasses);
  for (int64_t i = 0; i < c.numClasses; ++i)
    mappings[i] = chooseMapping(&c, i);
  for (int64_t g = 0; g < view->numGroups; ++g) {
    if (c.classOf[g] < 0)
      continue;
    const StitchMapping *mapping = &mappings[c.classOf[g]];
    if (spaces[g].mapping.kind == STITCH_MAPPING_COLUMN)
      spaces[g].mapping = *mapping;
    else
      mapFollower(&c, g, &c.classes[c.classOf[g]], mapping);
  }
}
