//===- root_order.c - the order of the roots of a task loop --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that a root has read or computed stay in registers for the later roots of its task loop that need them too. In
// the order of the plan these may be far away: an optimiser, say, computes all first moments, then all second moments,
// then all parameters. The values that wait for their readers may be more than a thread has registers. Then the roots
// are scheduled as instructions are for few registers: always the root next after which the fewest values wait. Small
// gains are left: estimates are no better than that.
//
// Roots that read each other in the same loop keep their order. So do all that have to do with buffers in shared
// memory, whose offsets were chosen for the plan's order.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/graph.h"
#include "ir/mlir/arithmetic.h"
#include "lowering/kernel/plan/kernel_plan.h"

#include <stdlib.h>
#include <string.h>

/// Values are numbered: first the operations of the fusion, then its arguments.
typedef struct {
  const KernelPlan *plan;
  const KernelLoop *loop;
  const IrGraph *graph;
  int64_t numValues;
  int64_t *registers; ///< of each value: for a thread's elements of it
  int64_t *waiting;   ///< of each value: how many of its readers have yet to be computed
  bool *known;        ///< of each value: whether the thread has read or computed its elements
  // The new operations and values of the root that is being looked at.
  int64_t numComputed, numRead;
  int64_t *computed; ///< operations: the root, and members that it is the first to need
  int64_t *read;     ///< values that it is the first to read: arguments and other roots
} RootOrder;

static int64_t valueOf(const RootOrder *o, GraphOperand operand) {
  return operand.node >= 0 ? operand.node : o->graph->numNodes + operand.number;
}

static int64_t nodeOfRoot(const RootOrder *o, intptr_t place) {
  return irGraphNode(o->graph, o->plan->roots[o->loop->roots[place]].op);
}

static bool isMember(const RootOrder *o, int64_t value) {
  return value < o->graph->numNodes && !irMapContains(&o->plan->rootOf, o->graph->nodes[value].op.ptr);
}

/// As many as the thread has elements of the loop's space. One where there is an element for each row, or of a column
/// loop one for each of its columns; and none for values that are the same everywhere.
static int64_t registersFor(const RootOrder *o, MlirValue value) {
  const StitchMapping *m = &o->loop->mapping;
  int64_t elements = irNumElements(irShapeOf(value));
  int64_t words = (irElementBytes(irElementTypeOf(value)) + 3) / 4;
  if (elements == 1)
    return 0;
  if (m->kind == STITCH_MAPPING_COLUMN && elements <= m->columns)
    return words * m->vector;
  return m->rows > 1 && elements == m->rows ? words : words * m->vector * m->unroll;
}

/// The same for an operation whose operands have theirs: a function of values that are the same everywhere, or in a
/// row, is it too.
static int64_t registersForNode(const RootOrder *o, const GraphNode *node) {
  int64_t all = registersFor(o, irResult(node->op, 0)), most = 0;
  if (node->kind != TG_constant && node->kind != TG_broadcast && node->class != TG_CLASS_ELEMENTWISE)
    return all;
  for (int64_t j = 0; j < node->numOperands; ++j) {
    int64_t ofOperand = o->registers[valueOf(o, node->operands[j])];
    most = ofOperand > most ? ofOperand : most;
  }
  return most < all ? most : all;
}

//===----------------------------------------------------------------------===//
// One root
//===----------------------------------------------------------------------===//

/// Finds the new values of a root, and takes them as known. Returns whether the root needs a known value that takes
/// registers.
static bool findNew(RootOrder *o, int64_t root) {
  bool continues = false;
  o->numRead = 0;
  o->numComputed = 1;
  o->computed[0] = root;
  for (int64_t next = 0; next < o->numComputed; ++next) {
    const GraphNode *node = &o->graph->nodes[o->computed[next]];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t value = valueOf(o, node->operands[j]);
      continues |= o->known[value] && o->registers[value] > 0;
      if (o->known[value])
        continue;
      o->known[value] = true;
      if (isMember(o, value))
        o->computed[o->numComputed++] = value;
      else
        o->read[o->numRead++] = value;
    }
  }
  o->known[root] = true;
  return continues;
}

static void forgetNew(RootOrder *o) {
  for (int64_t i = 0; i < o->numComputed; ++i)
    o->known[o->computed[i]] = false;
  for (int64_t i = 0; i < o->numRead; ++i)
    o->known[o->read[i]] = false;
}

static void forgetAll(RootOrder *o) { memset(o->known, 0, sizeof(bool) * (size_t)o->numValues); }

/// Adds `change` to the waiting readers of all that the newly computed operations read. Returns the registers of the
/// values that no reader waits for any more.
static int64_t countReaders(RootOrder *o, int64_t change) {
  int64_t released = 0;
  for (int64_t i = 0; i < o->numComputed; ++i) {
    const GraphNode *node = &o->graph->nodes[o->computed[i]];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t value = valueOf(o, node->operands[j]);
      o->waiting[value] += change;
      released += o->waiting[value] == 0 ? o->registers[value] : 0;
    }
  }
  return released;
}

/// Computes a root: by how much the registers that are taken grow, and whether it reads values that take some already.
static int64_t computeRoot(RootOrder *o, int64_t root, bool *continues) {
  *continues = findNew(o, root);
  int64_t growth = o->waiting[root] > 0 ? o->registers[root] : 0;
  for (int64_t i = 1; i < o->numComputed; ++i)
    growth += o->registers[o->computed[i]];
  for (int64_t i = 0; i < o->numRead; ++i)
    growth += o->registers[o->read[i]];
  return growth - countReaders(o, -1);
}

/// Undoes the last `computeRoot`.
static void uncompute(RootOrder *o) {
  countReaders(o, 1);
  forgetNew(o);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

static void beginOrder(RootOrder *o, IrArena *arena) {
  int64_t numNodes = o->graph->numNodes, numArguments = mlirBlockGetNumArguments(o->graph->block);
  o->numValues = numNodes + numArguments;
  o->registers = IR_NEW_ARRAY(arena, int64_t, o->numValues);
  o->waiting = IR_NEW_ARRAY(arena, int64_t, o->numValues);
  o->known = IR_NEW_ARRAY(arena, bool, o->numValues);
  o->computed = IR_NEW_ARRAY(arena, int64_t, o->numValues);
  o->read = IR_NEW_ARRAY(arena, int64_t, o->numValues);
  for (int64_t i = 0; i < numArguments; ++i)
    o->registers[numNodes + i] = registersFor(o, mlirBlockGetArgument(o->graph->block, i));
  for (int64_t i = 0; i < numNodes; ++i)
    o->registers[i] = registersForNode(o, &o->graph->nodes[i]);
  for (intptr_t i = 0; i < o->loop->numRoots; ++i) {
    findNew(o, nodeOfRoot(o, i));
    countReaders(o, 1);
  }
  forgetAll(o);
}

/// The most registers that are taken between two roots if they are computed in the loop's order. Leaves nothing known
/// and all readers waiting.
static int64_t mostTaken(RootOrder *o) {
  bool continues;
  int64_t taken = 0, most = 0;
  int64_t *waiting = irAllocate(sizeof(int64_t) * (size_t)o->numValues);
  memcpy(waiting, o->waiting, sizeof(int64_t) * (size_t)o->numValues);
  for (intptr_t i = 0; i < o->loop->numRoots; ++i) {
    taken += computeRoot(o, nodeOfRoot(o, i), &continues);
    most = taken > most ? taken : most;
  }
  memcpy(o->waiting, waiting, sizeof(int64_t) * (size_t)o->numValues);
  forgetAll(o);
  free(waiting);
  return most;
}

/// The roots of the loop that come before others.
typedef struct {
  bool *before;      ///< [place of the later root][place of the earlier one]
  intptr_t *missing; ///< of each root: how many before it have yet to be computed
} Constraints;

static void addConstraint(Constraints *c, intptr_t numRoots, intptr_t earlier, intptr_t later) {
  bool *before = &c->before[later * numRoots + earlier];
  c->missing[later] += !*before;
  *before = true;
}

static bool isInSharedMemory(const KernelRoot *root) {
  return root->hasBuffer && root->buffer.space == STITCH_SPACE_SHARED;
}

/// A root comes behind those of the loop that it reads; roots that store or read shared buffers keep their order.
static Constraints findConstraints(RootOrder *o, IrArena *arena) {
  intptr_t n = o->loop->numRoots, lastShared = -1;
  Constraints c = {IR_NEW_ARRAY(arena, bool, n *n), IR_NEW_ARRAY(arena, intptr_t, n)};
  intptr_t *placeOf = IR_NEW_ARRAY(arena, intptr_t, o->plan->numRoots); // 1 + place in the loop
  for (intptr_t i = 0; i < n; ++i)
    placeOf[o->loop->roots[i]] = 1 + i;
  for (intptr_t i = 0; i < n; ++i) {
    bool usesShared = isInSharedMemory(&o->plan->roots[o->loop->roots[i]]);
    findNew(o, nodeOfRoot(o, i));
    for (int64_t j = 0; j < o->numRead; ++j) {
      if (o->read[j] >= o->graph->numNodes)
        continue;
      int64_t root = irMapGet(&o->plan->rootOf, o->graph->nodes[o->read[j]].op.ptr, -1);
      if (placeOf[root] == 0)
        continue;
      addConstraint(&c, n, placeOf[root] - 1, i);
      usesShared |= isInSharedMemory(&o->plan->roots[root]);
    }
    forgetNew(o);
    if (usesShared && lastShared >= 0)
      addConstraint(&c, n, lastShared, i);
    lastShared = usesShared ? i : lastShared;
  }
  return c;
}

/// A root that may come next.
typedef struct {
  intptr_t place;
  bool continues; ///< reads values that are in registers already
  int64_t growth; ///< of the registers that are taken
} NextRoot;

static bool isBetter(const NextRoot *a, const NextRoot *b) {
  return a->continues != b->continues ? a->continues : a->growth < b->growth;
}

/// The best of the roots that may come next, the first of several. A begun computation is finished first: the next root
/// reads results of earlier ones, if there is such a root.
static intptr_t chooseNext(RootOrder *o, const Constraints *c, const bool *done) {
  NextRoot best = {.place = -1};
  for (intptr_t i = 0; i < o->loop->numRoots; ++i) {
    if (done[i] || c->missing[i] > 0)
      continue;
    NextRoot candidate = {.place = i};
    candidate.growth = computeRoot(o, nodeOfRoot(o, i), &candidate.continues);
    uncompute(o);
    if (best.place < 0 || isBetter(&candidate, &best))
      best = candidate;
  }
  return best.place;
}

/// Writes the scheduled roots to `roots`. Returns the most registers that are taken between two of them.
static int64_t schedule(RootOrder *o, IrArena *arena, intptr_t *roots) {
  intptr_t n = o->loop->numRoots;
  Constraints c = findConstraints(o, arena);
  bool *done = IR_NEW_ARRAY(arena, bool, n), continues;
  int64_t taken = 0, most = 0;
  for (intptr_t count = 0; count < n; ++count) {
    intptr_t next = chooseNext(o, &c, done);
    taken += computeRoot(o, nodeOfRoot(o, next), &continues);
    most = taken > most ? taken : most;
    done[next] = true;
    roots[count] = o->loop->roots[next];
    for (intptr_t i = 0; i < n; ++i)
      c.missing[i] -= c.before[i * n + next];
  }
  return most;
}

/// The words that are read for one element, counted from the result of `findNew`.
static int64_t wordsRead(const RootOrder *o) {
  const StitchMapping *m = &o->loop->mapping;
  int64_t registers = 0;
  for (int64_t i = 0; i < o->numRead; ++i)
    registers += o->registers[o->read[i]];
  return registers / (m->vector * m->unroll);
}

/// Those of values with an element for each of the loop's space; with `unit` 1 their bytes.
static int64_t wordsOfSpace(const RootOrder *o, int64_t unit) {
  int64_t words = 0;
  for (int64_t i = 0; i < o->numRead; ++i) {
    int64_t argument = o->read[i] - o->graph->numNodes;
    MlirValue value =
        argument < 0 ? irResult(o->graph->nodes[o->read[i]].op, 0) : mlirBlockGetArgument(o->graph->block, argument);
    bool isOfSpace = irNumElements(irShapeOf(value)) >= o->loop->mapping.rows * o->loop->mapping.columns;
    words += isOfSpace ? ceilDiv(irElementBytes(irElementTypeOf(value)), unit) : 0;
  }
  return words;
}

/// The pass over the elements of a task that a root belongs to; -1: of its own.
static int64_t sweepOf(const KernelRoot *root) {
  return root->isReduce && root->mapping.kind != STITCH_MAPPING_ROW ? -1 : root->stage;
}

/// Marks the roots that `reader`, which `findNew` has just looked at, reads in another pass.
static void markReadLater(const RootOrder *o, KernelPlan *plan, const KernelRoot *reader) {
  for (int64_t i = 0; i < o->numRead; ++i) {
    if (o->read[i] >= o->graph->numNodes)
      continue;
    KernelRoot *root = &plan->roots[irMapGet(&plan->rootOf, o->graph->nodes[o->read[i]].op.ptr, -1)];
    root->isReadLater |= sweepOf(reader) != sweepOf(root);
  }
}

/// Whether no root of the loop waits for the result of one of its reduces.
static bool isOneSweep(const KernelPlan *plan, const KernelLoop *loop) {
  int64_t before = -1, reduced = INT64_MAX; // stages: the last of other roots, and that of the reduces
  for (intptr_t i = 0; i < loop->numRoots; ++i) {
    const KernelRoot *root = &plan->roots[loop->roots[i]];
    if (root->isReduce &&
        (root->mapping.kind != STITCH_MAPPING_ROW || (reduced != INT64_MAX && root->stage != reduced)))
      return false;
    if (root->isReduce)
      reduced = root->stage;
    else
      before = max64(before, root->stage);
  }
  return (loop->mapping.kind == STITCH_MAPPING_ROW || loop->mapping.kind == STITCH_MAPPING_FLAT) && before <= reduced;
}

/// Finds the values that each root of the loop reads for itself, and those that all read.
static void findWords(RootOrder *o, KernelPlan *plan, KernelLoop *loop) {
  loop->isOneSweep = isOneSweep(plan, loop);
  for (intptr_t i = 0; i < loop->numRoots; ++i) {
    KernelRoot *root = &plan->roots[loop->roots[i]];
    findNew(o, nodeOfRoot(o, i));
    root->words = wordsRead(o);
    markReadLater(o, plan, root);
    forgetNew(o);
  }
  for (intptr_t i = 0; i < loop->numRoots; ++i) {
    findNew(o, nodeOfRoot(o, i));
    loop->words += wordsRead(o);
    loop->wordsOfSpace += wordsOfSpace(o, 4);
    loop->bytesOfSpace += wordsOfSpace(o, 1);
  }
  forgetAll(o);
}

/// Finds the values that each root of the loop shares with those before it in the pass over the data.
static void findSharing(RootOrder *o, KernelPlan *plan, KernelLoop *loop) {
  const KernelRoot *last = &plan->roots[loop->roots[0]];
  for (intptr_t i = 0; i < loop->numRoots; ++i) {
    KernelRoot *root = &plan->roots[loop->roots[i]];
    if (sweepOf(root) != sweepOf(last))
      forgetAll(o);
    root->continues = findNew(o, nodeOfRoot(o, i));
    root->newWords = wordsRead(o);
    last = root;
  }
  forgetAll(o);
}

/// Reorders the roots if they need fewer registers then.
static void orderLoop(KernelPlan *plan, KernelLoop *loop, const IrGraph *graph) {
  IrArena arena = {0};
  RootOrder o = {.plan = plan, .loop = loop, .graph = graph};
  beginOrder(&o, &arena);
  findWords(&o, plan, loop);
  loop->taken = mostTaken(&o);
  if (PLAN_BESIDE_ELEMENTS + loop->taken > plan->launch.registers) {
    intptr_t *roots = IR_NEW_ARRAY(&arena, intptr_t, loop->numRoots);
    int64_t scheduled = schedule(&o, &arena, roots);
    if (PLAN_BESIDE_ELEMENTS + scheduled <= plan->launch.registers || 2 * scheduled <= loop->taken) {
      memcpy(loop->roots, roots, sizeof(intptr_t) * (size_t)loop->numRoots);
      loop->taken = scheduled;
    }
    forgetAll(&o);
  }
  findSharing(&o, plan, loop);
  irArenaDestroy(&arena);
}

void kernelOrderRoots(KernelPlan *plan) {
  IrGraph graph = irGraphCreate(plan->body);
  for (intptr_t i = 0; i < plan->numLoops; ++i)
    if (!plan->loops[i].finishes && plan->loops[i].mapping.kind != STITCH_MAPPING_AXES)
      orderLoop(plan, &plan->loops[i], &graph);
  irGraphDestroy(&graph);
}

int64_t stepsAtOnce(int64_t words, int64_t vector, int64_t most) {
  int64_t steps = most;
  while (steps > 1 && steps * vector * words > PLAN_WORDS_AT_ONCE)
    steps /= 2;
  return steps;
}
