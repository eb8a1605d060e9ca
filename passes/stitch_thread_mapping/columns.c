//===- columns.c - task loops of column reduces --------------------------===//
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
//   3. Panels (panels.h): where a class goes over its rows again with what it has reduced, a block that keeps the
//      elements of its columns in registers reads them once.
//   4. Mappings: a class that is no panel is split among blocks if that saves more than the barrier costs that its
//      followers then wait for.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_thread_mapping/columns.h"

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/plan/cost.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/persistent.h"
#include "passes/stitch_thread_mapping/panels.h"

#include <stdlib.h>
#include <string.h>

enum {
  WARP = 32,
  LEAST_LANES = 8,   ///< of a task, beside each other
  SECTOR_BYTES = 32, ///< that memory moves at once
  VECTOR_BYTES = 16, ///< that a thread loads at once
  FEW_CHUNKS = 64,   ///< of the rows, however little they hold
  PARTIAL_BYTES = 4, ///< of a partial result
  COLUMN_UNROLL = 4, ///< rows that a thread combines at least, if there are as many
  ACCUMULATOR_REGISTERS =
      216, ///< of a thread, beside the elements that are on their way and what they are multiplied by
  REGISTER_BYTES = 4,
  MAX_BLOCK = 1024
};

typedef struct {
  int64_t rows, columns;
  int64_t vector;      ///< the least of its groups
  int64_t bytes;       ///< that its groups read
  int64_t followBytes; ///< that followers with all elements read
  double instructions; ///< of all its threads
  int64_t tensorBytes; ///< with an element for each of its rows and columns
  bool hasFollowers;
  bool isFollowed;  ///< nothing waits for its results but followers
  bool sweepsAgain; ///< some group has all elements and reads results of their columns
  PanelSpace panel; ///< of the groups with all elements, followers among them
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
  const Class *class = &c->classes[c->classOf[group]];
  return c->spaces[group].elements == class->rows * class->columns;
}

/// Groups are in topological order: what a follower reads is known.
static void findFollowers(Columns *c) {
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    ColumnSpace *space = &c->spaces[g];
    if (space->mapping.kind != STITCH_MAPPING_FLAT || movesElements(c, g))
      continue;
    for (int64_t i = 0; i < c->numClasses && c->classOf[g] < 0; ++i) {
      Class *class = &c->classes[i];
      bool hasAll = space->elements == class->rows * class->columns;
      if ((space->elements != class->columns && !hasAll) || !readsColumns(c, g, i))
        continue;
      c->classOf[g] = i;
      class->hasFollowers = true;
      class->followBytes += hasAll ? space->bytes : 0;
    }
  }
}

/// A reader that goes another way waits for a barrier, however the class is mapped. One that goes the same way, over
/// all elements, sweeps over the rows again.
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
// 3. Panels
//===----------------------------------------------------------------------===//

static void countValue(Class *class, MlirValue value, int64_t *bytes) {
  if (irNumElements(irShapeOf(value)) < class->rows * class->columns)
    return;
  *bytes += irTensorBytes(mlirValueGetType(value));
  class->panel.leastBytes = min64(class->panel.leastBytes, max64(irElementBytes(irElementTypeOf(value)), 1));
}

static int64_t accumulatorBytes(const GraphNode *node) {
  int64_t bytes = 0;
  for (intptr_t i = 0; node->class == TG_CLASS_REDUCE && i < mlirOperationGetNumResults(node->op); ++i)
    bytes += irElementBytes(planAccumulatorType(irElementTypeOf(irResult(node->op, i))));
  return bytes;
}

/// Counts what an operation of a class writes, and reads that none of the class computes and that is not yet in `seen`.
static void countNode(const Columns *c, int64_t number, const GraphNode *node, IrMap *seen) {
  Class *class = &c->classes[number];
  for (intptr_t i = 0; node->yielded && i < mlirOperationGetNumResults(node->op); ++i)
    countValue(class, irResult(node->op, i), &class->panel.writtenBytes);
  class->panel.accumulator = max64(class->panel.accumulator, accumulatorBytes(node));
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

/// Counts the sweeps of each class: one more where all elements of a column wait for something that its reduce gave.
static void countSweeps(const Columns *c) {
  const IrGraph *graph = c->view->graph;
  int64_t *sweep = irAllocateZeroed((size_t)graph->numNodes + 1, sizeof(*sweep));
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    int64_t number = c->classOf[c->view->group[i]];
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

/// Finds what a panel of each class would keep and move.
static void measureClasses(const Columns *c) {
  IrMap *seen = IR_NEW_ARRAY(&c->view->arena, IrMap, c->numClasses);
  for (int64_t i = 0; i < c->numClasses; ++i) {
    Class *class = &c->classes[i];
    class->panel.rows = class->rows;
    class->panel.columns = class->columns;
    class->panel.vector = class->vector;
    class->panel.leastBytes = SECTOR_BYTES;
  }
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    int64_t number = c->classOf[g];
    if (number < 0 || !isWhole(c, g))
      continue;
    Class *class = &c->classes[number];
    class->panel.words = max64(class->panel.words, wordsReadByGroup(c->view, g, class->rows * class->columns));
    for (int64_t k = c->view->first[g]; k < c->view->first[g + 1]; ++k)
      countNode(c, number, &c->view->graph->nodes[c->view->nodes[k]], &seen[number]);
  }
  for (int64_t i = 0; i < c->numClasses; ++i)
    irMapDestroy(&seen[i]);
}

//===----------------------------------------------------------------------===//
// 4. Mappings
//===----------------------------------------------------------------------===//

/// A warp side by side in a row, or less, down to LEAST_LANES, while there are fewer tasks than two for each
/// multiprocessor, if every tile of columns is cut into `chunks` of rows.
static int64_t chooseLanes(const Columns *c, const Class *class, int64_t vector, int64_t chunks) {
  int64_t lanes = min64(powerOfTwoFrom(ceilDiv(class->columns, vector)), WARP);
  while (lanes > LEAST_LANES && ceilDiv(class->columns, lanes * vector) * chunks < 2 * c->device.sms)
    lanes /= 2;
  return lanes;
}

/// Chunks whose partial results, read by as many blocks again, are at most an eighth of what the class reads.
static int64_t mostChunks(const Columns *c, const Class *class) {
  int64_t chunks = FEW_CHUNKS;
  if (!c->adaptive)
    return 1;
  while (8 * (2 * chunks) * (2 * chunks) * class->columns * PARTIAL_BYTES <= class->bytes)
    chunks *= 2;
  return chunks;
}

/// Whether the kernel has a loop inside, over whose iterations threads keep what they read.
static bool isPersistent(const Columns *c) {
  return irHasAttr(mlirBlockGetParentOperation(c->view->graph->block), PLAN_PERSISTENT);
}

/// Chunks of rows for two blocks a multiprocessor. Of a kernel with a loop inside not one more, nor the last block,
/// which counts the iterations: its threads keep what they read, in memory that the blocks of a multiprocessor share.
static int64_t chunksOf(const Columns *c, int64_t tiles) {
  int64_t blocks = 2 * c->device.sms;
  return isPersistent(c) ? max64((blocks - 1) / tiles, 1) : ceilDiv(blocks, tiles);
}

/// A block owns a tile of columns, and a chunk of rows; as many chunks as fill the device, up to `most`, but not so
/// many that combining them costs more than reducing them.
static StitchMapping tileColumns(const Columns *c, const Class *class, int64_t vector, int64_t most) {
  StitchMapping m = {STITCH_MAPPING_COLUMN, .rows = class->rows, .columns = class->columns, .vector = vector,
                     .cluster = 1};
  m.blockRows = min64(c->block / chooseLanes(c, class, vector, most), powerOfTwoFrom(m.rows));
  m.rowThreads = c->block / m.blockRows;
  int64_t tiles = ceilDiv(m.columns, m.rowThreads * m.vector);
  int64_t chunks = min64(chunksOf(c, tiles), most);
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

/// A thread has an accumulator for each column of its vector of all sums of a group, such as a matrix's with the rows
/// of a thin one.
static bool fitsRegisters(const Columns *c, int64_t class, int64_t vector) {
  int64_t most = 0;
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    int64_t bytes = 0;
    for (int64_t k = c->view->first[g]; c->classOf[g] == class && k < c->view->first[g + 1]; ++k)
      bytes += accumulatorBytes(&c->view->graph->nodes[c->view->nodes[k]]);
    most = max64(most, ceilDiv(bytes, REGISTER_BYTES));
  }
  return vector == 1 || most * vector <= ACCUMULATOR_REGISTERS;
}

/// The time to read bytes when each task's block gets its fair share of the bandwidth.
static double readNs(const Columns *c, int64_t bytes, int64_t tasks) {
  double ns = costOfMoving(&c->device, (double)bytes);
  return tasks < c->device.sms ? ns * (double)c->device.sms / (double)tasks : ns;
}

/// Partial results of chunks of rows, of all sums: written, and read by what combines them.
static double bytesOfPartials(const Columns *c, int64_t number, const StitchMapping *m) {
  double bytes = 0;
  for (int64_t i = 0; m->split > 1 && i < c->view->graph->numNodes; ++i)
    if (c->classOf[c->view->group[i]] == number)
      bytes += 2.0 * (double)(m->split * m->columns * accumulatorBytes(&c->view->graph->nodes[i]));
  return bytes;
}

/// How many times what it asks for a task reads: lanes beside each other that want less than a sector of a row get all
/// of it.
static int64_t sectorsRead(const Class *class, const StitchMapping *m) {
  int64_t bytes = class->tensorBytes / (m->rows * m->columns) * m->rowThreads * m->vector;
  return ceilDiv(SECTOR_BYTES, bytes);
}

/// The time of a class and its followers: in which blocks read, or compute, or wait for one load after the other (of
/// each tensor, whether they are in one task or in several phases). Where others wait for its results than followers,
/// there is another phase in any case.
static double classNs(const Columns *c, int64_t number, const StitchMapping *m) {
  const Class *class = &c->classes[number];
  int64_t tasks = planTasks(m), bytes = class->bytes + (m->split > 1 ? 0 : class->followBytes);
  CostTasks work = {tasks,         min64(tasks, c->device.sms), planLoadsOf(m), COST_MEMORY_LATENCY,
                    (double)bytes, class->instructions};
  CostTerms terms = costOfTasks(&c->device, &work);
  double waiting = terms.rounds * (double)max64(class->bytes / class->tensorBytes, 1);
  double working = terms.instructions > waiting ? terms.instructions : waiting;
  double ns = readNs(c, bytes * sectorsRead(class, m), tasks);
  ns = ns > working ? ns : working;
  if (m->split == 1)
    return ns;
  ns += costOfMoving(&c->device, (double)class->followBytes + bytesOfPartials(c, number, m));
  return ns + (class->isFollowed ? (double)c->device.barrierNs + COST_MEMORY_LATENCY : 0);
}

/// The mapping of a class that goes over its rows in memory for each sweep.
static StitchMapping chooseTiles(const Columns *c, int64_t number) {
  const Class *class = &c->classes[number];
  int64_t vector = class->vector, chunks = mostChunks(c, class);
  while (!fitsRegisters(c, number, vector))
    vector /= 2;
  StitchMapping best = tileColumns(c, class, vector, chunks);
  while (!fitsShared(c, number, &best))
    best = tileColumns(c, class, vector /= 2, chunks);
  if (!c->adaptive || best.split == 1 || (!class->isFollowed && isPersistent(c)))
    return best;
  double ns = classNs(c, number, &best);
  for (; vector >= 1; vector /= 2) {
    StitchMapping whole = tileColumns(c, class, vector, 1);
    double wholeNs = classNs(c, number, &whole);
    bool isBetter = best.split > 1 ? wholeNs <= ns : wholeNs < ns;
    if (!isBetter || !fitsShared(c, number, &whole))
      continue;
    ns = wholeNs;
    best = whole;
  }
  return best;
}

/// Whether a class moves most of what the fusion reads.
static bool isMostOfFusion(const Columns *c, int64_t number) {
  int64_t ofClass = 0, all = 0;
  for (int64_t g = 0; g < c->view->numGroups; ++g) {
    all += c->spaces[g].bytes;
    ofClass += c->classOf[g] == number ? c->spaces[g].bytes : 0;
  }
  return 2 * ofClass >= all;
}

static void explainPanel(const Columns *c, int64_t number, const Panel *panel, double ns) {
  int64_t g = 0;
  while (c->classOf[g] != number)
    ++g;
  stitchRemark(c->view->graph->nodes[c->view->dominant[g]].op,
               "clusters of %lld blocks of %lld threads keep %lld columns of %lld rows in registers: %.0f ns, instead "
               "of %.0f ns if they are read again",
               (long long)panel->mapping.cluster, (long long)planBlockSize(&panel->mapping),
               (long long)(panel->mapping.rowThreads * panel->mapping.vector), (long long)panel->mapping.rows,
               panel->ns, ns);
}

/// A panel if that is faster than to read again, for which blocks may grow, and be in clusters, if it is most of the
/// fusion.
static StitchMapping chooseMapping(Columns *c, int64_t number, bool mayGrow, bool *isPanel) {
  const Class *class = &c->classes[number];
  StitchMapping tiles = chooseTiles(c, number);
  *isPanel = false;
  if (!c->adaptive || !class->sweepsAgain)
    return tiles;
  bool grows = mayGrow && isMostOfFusion(c, number);
  Panel panel = choosePanel(&c->device, &class->panel, c->block, grows ? MAX_BLOCK : c->block,
                            grows ? c->device.clusterBlocks : 1);
  double ns = sweepsNs(&c->device, &class->panel, &tiles, planTasks(&tiles), class->panel.sweeps - 1);
  *isPanel = panel.ns > 0 && panel.ns < ns;
  if (!*isPanel)
    return tiles;
  explainPanel(c, number, &panel, ns);
  c->block = planBlockSize(&panel.mapping);
  return panel.mapping;
}

/// A follower with all elements shares the class's few tasks instead of filling the device.
static bool isWorthFollowing(const Columns *c, const Class *class, const StitchMapping *m) {
  int64_t tasks = planTasks(m);
  return readNs(c, class->followBytes, tasks) <=
         costOfMoving(&c->device, (double)class->followBytes) + (double)c->device.barrierNs;
}

static void mapFollower(Columns *c, int64_t group, const StitchMapping *mapping, bool isPanel) {
  ColumnSpace *space = &c->spaces[group];
  const Class *class = &c->classes[c->classOf[group]];
  if (mapping->split > 1 || (isWhole(c, group) && !isPanel && !isWorthFollowing(c, class, mapping)))
    return;
  space->mapping = *mapping;
  if (!isWhole(c, group))
    space->mapping.kind = STITCH_MAPPING_KEPT;
  stitchRemark(c->view->graph->nodes[c->view->dominant[group]].op,
               "group %lld goes by the columns of what it reads: no barrier between", (long long)group);
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

int64_t planColumns(GroupView *view, ColumnSpace *spaces, const StitchDevice *device, int64_t block, bool mayGrow,
                    bool adaptive) {
  Columns c = {.view = view, .spaces = spaces, .device = *device, .block = block, .adaptive = adaptive};
  c.classes = IR_NEW_ARRAY(&view->arena, Class, view->numGroups);
  c.classOf = IR_NEW_ARRAY(&view->arena, int64_t, view->numGroups);
  memset(c.classOf, -1, sizeof(int64_t) * (size_t)view->numGroups);
  findClasses(&c);
  if (c.numClasses == 0)
    return block;
  if (adaptive) {
    findFollowers(&c);
    findReaders(&c);
  }
  StitchMapping *mappings = IR_NEW_ARRAY(&view->arena, StitchMapping, c.numClasses);
  bool *isPanel = IR_NEW_ARRAY(&view->arena, bool, c.numClasses);
  int64_t largest = largestClass(&c);
  countSweeps(&c);
  measureClasses(&c);
  mappings[largest] = chooseMapping(&c, largest, mayGrow, &isPanel[largest]);
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
