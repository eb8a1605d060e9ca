//===- strategies.c - stitch-enumerate: allocation strategies ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Astra 4.5.2. A group that is computed as one product has the operands that differ, and the results, side by side. One
// tensor cannot be next to two others: x*a is a part of [x*a, x*b] or of [x*a; y*a]. Where a group loses a single
// product by that, it goes on without it. Where it loses more, or has no other, the largest group need not be the best
// one. Then the part of the block that the groups and the operations between them compute becomes a fork of the update
// tree, with a version for each strategy. In version 0 the largest groups come first, in each of the others a group
// that has lost. Within a version products are grouped as anywhere; the runtime finds the best that can be made of each
// version, and then compares whole runs. Parts that are equal, as steps and layers are, are one fork.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/in_place.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/map.h"
#include "ir/mlir/symbol.h"
#include "ir/plan/scan.h"
#include "passes/stitch_enumerate/grouping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_STRATEGIES = 4,
  MAX_FORK_COMBINATIONS = 8, ///< of all forks: for each of them whole runs are compared
};

static const char *const strategyNames[MAX_STRATEGIES] = {"largest", "second", "third", "fourth"};

/// The groups of a block, and the part of it that is looked at.
typedef struct {
  Enumeration *e;
  Grouping g;
  int64_t *usual;  ///< the group of each operation, readers among them, if the largest come first; -1: none
  bool *contested; ///< of each candidate: it loses more than a product of several to others
  bool *in;        ///< of each operation: it is of the part
} Conflicts;

/// A part of a block in which groups want the same products, and how it is decided who gets them.
typedef struct {
  Operations ops;
  CandidateKey *losers; ///< by their numbers in the part
  int64_t numLosers;
  int64_t first[MAX_STRATEGIES]; ///< for each strategy the loser that comes first
  int64_t numStrategies;
} Conflict;

static int64_t numOpsOf(const Conflicts *c) { return c->g.flow.numbering.count; }

//===----------------------------------------------------------------------===//
// Who loses
//===----------------------------------------------------------------------===//

static bool isOf(const Taken *taken, const ProductCandidate *candidate) {
  return taken->ops >= candidate->ops && taken->ops < candidate->ops + candidate->count;
}

/// A candidate inside a group of rows and columns has all its products together.
static bool isContested(const Grouping *g, const ProductCandidate *candidate) {
  int64_t lost = 0, own = 0, container = g->flow.group[candidate->ops[0]];
  for (int64_t i = 0; i < candidate->count; ++i) {
    int64_t group = g->flow.group[candidate->ops[i]];
    bool isOwn = group >= 0 && isOf(&g->taken[group], candidate);
    own += isOwn;
    lost += group >= 0 && !isOwn;
    container = group == container ? container : -1;
  }
  return candidate->count > 1 && container < 0 && lost > 0 && (own == 0 || lost > 1);
}

static Conflicts conflictsOf(Enumeration *e, MlirBlock block) {
  Conflicts c = {.e = e, .g = groupingCreate(e, block)};
  size_t count = (size_t)numOpsOf(&c);
  groupingTake(&c.g, NULL, 0, /*explains=*/false);
  c.contested = irAllocateZeroed((size_t)c.g.count + 1, sizeof(*c.contested));
  for (int64_t i = 0; i < c.g.count; ++i)
    c.contested[i] = isContested(&c.g, &c.g.candidates[i]);
  for (int64_t i = 0; i < c.g.numTaken; ++i)
    groupingTakeReaders(&c.g, i);
  c.usual = irAllocate(sizeof(*c.usual) * (count + 1));
  memcpy(c.usual, c.g.flow.group, sizeof(*c.usual) * count);
  c.in = irAllocateZeroed(count + 1, sizeof(*c.in));
  return c;
}

static void conflictsDestroy(Conflicts *c) {
  groupingDestroy(&c->g);
  free(c->usual);
  free(c->contested);
  free(c->in);
}

//===----------------------------------------------------------------------===//
// The part of the block
//===----------------------------------------------------------------------===//

static bool touches(const Conflicts *c, const ProductCandidate *candidate) {
  bool found = false;
  for (int64_t i = 0; i < candidate->count; ++i)
    found |= c->in[candidate->ops[i]];
  return found;
}

static void addCandidate(Conflicts *c, const ProductCandidate *candidate) {
  for (int64_t i = 0; i < candidate->count; ++i)
    c->in[candidate->ops[i]] = true;
}

/// Adds the groups of all operations that are in.
static void addGroups(Conflicts *c) {
  bool *isIn = irAllocateZeroed((size_t)c->g.numTaken + 1, sizeof(*isIn));
  for (int64_t i = 0; i < numOpsOf(c); ++i)
    if (c->in[i] && c->usual[i] >= 0)
      isIn[c->usual[i]] = true;
  for (int64_t i = 0; i < numOpsOf(c); ++i)
    c->in[i] |= c->usual[i] >= 0 && isIn[c->usual[i]];
  free(isIn);
}

static int64_t countIn(const Conflicts *c) {
  int64_t count = 0;
  for (int64_t i = 0; i < numOpsOf(c); ++i)
    count += c->in[i];
  return count;
}

/// The smallest part with a candidate that has all of its groups, the candidates that lose to them, and the operations
/// between any of these.
static void growPart(Conflicts *c, const ProductCandidate *loser) {
  memset(c->in, 0, sizeof(*c->in) * (size_t)numOpsOf(c));
  addCandidate(c, loser);
  for (int64_t before = 0; before != countIn(c);) {
    before = countIn(c);
    for (int64_t i = 0; i < c->g.count; ++i)
      if (c->contested[i] && touches(c, &c->g.candidates[i]))
        addCandidate(c, &c->g.candidates[i]);
    addGroups(c);
    flowClose(&c->g.flow, c->in);
  }
}

/// Whether an operation can be cloned into a version: updates in place by a loop stay where they are.
static bool canFork(MlirOperation op) {
  bool hasGraph = irOpIs(op, "stitch.fusion") || irOpIs(op, "stitch.library_call") || irOpIs(op, "stitch.adaptive");
  return (hasGraph || mlirOperationGetNumRegions(op) == 0) && !isFixed(op) && !irUpdatesInPlace(op) &&
         !planHasOwnPlan(op) && !irHasOpenSize(op);
}

/// Makes the chosen operations the only group, with the fusions behind it, and lists it. False if it cannot be forked.
static bool listPart(Conflicts *c, Conflict *conflict) {
  Grouping *g = &c->g;
  for (int64_t i = 0; i < numOpsOf(c); ++i)
    g->flow.group[i] = c->in[i] ? 0 : -1;
  groupingTakeReaders(g, 0);
  bool can = true;
  for (int64_t i = 0; i < numOpsOf(c); ++i) {
    if (g->flow.group[i] < 0)
      continue;
    can = can && canFork(groupingOp(g, i));
    IR_RESERVE_ONE(conflict->ops.data, conflict->ops.count, conflict->ops.capacity);
    conflict->ops.data[conflict->ops.count++] = groupingOp(g, i);
  }
  return can;
}

//===----------------------------------------------------------------------===//
// Strategies
//===----------------------------------------------------------------------===//

static CandidateKey candidateKeyOf(const ProductCandidate *candidate) {
  return (CandidateKey){candidate->ops[0], candidate->side};
}

/// The losers of a part with number `first` before the others.
static void orderLosers(const Conflict *conflict, int64_t first, CandidateKey *keys) {
  int64_t count = 0;
  keys[count++] = conflict->losers[first];
  for (int64_t i = 0; i < conflict->numLosers; ++i)
    if (i != first)
      keys[count++] = conflict->losers[i];
}

/// Of each operation of the part the first one of its group.
static void describeGroups(const Conflicts *c, int64_t *groups) {
  for (int64_t i = 0; i < numOpsOf(c); ++i) {
    groups[i] = -1;
    for (int64_t j = 0; j <= i && c->in[i] && c->g.flow.group[i] >= 0 && groups[i] < 0; ++j)
      groups[i] = c->g.flow.group[j] == c->g.flow.group[i] ? j : -1;
  }
}

/// Finds the strategies that give products to other groups than those before them. Overwrites the taken products.
static void findStrategies(Conflicts *c, Conflict *conflict) {
  size_t count = (size_t)numOpsOf(c) + 1;
  int64_t *known = irAllocate(sizeof(*known) * count * MAX_STRATEGIES);
  CandidateKey *keys = irAllocate(sizeof(*keys) * (size_t)(conflict->numLosers + 1));
  groupingTake(&c->g, NULL, 0, /*explains=*/false);
  describeGroups(c, known);
  conflict->numStrategies = 1;
  for (int64_t i = 0; i < conflict->numLosers && conflict->numStrategies < MAX_STRATEGIES; ++i) {
    int64_t *groups = known + (size_t)conflict->numStrategies * count;
    orderLosers(conflict, i, keys);
    groupingTake(&c->g, keys, conflict->numLosers, /*explains=*/false);
    describeGroups(c, groups);
    bool isNew = true;
    for (int64_t k = 0; k < conflict->numStrategies; ++k)
      isNew &= memcmp(groups, known + (size_t)k * count, sizeof(*groups) * (count - 1)) != 0;
    if (isNew)
      conflict->first[conflict->numStrategies++] = i;
  }
  free(known);
  free(keys);
}

static void findLosers(const Conflicts *c, Conflict *conflict) {
  conflict->losers = irAllocate(sizeof(*conflict->losers) * (size_t)(c->g.count + 1));
  for (int64_t i = 0; i < c->g.count; ++i)
    if (c->contested[i] && touches(c, &c->g.candidates[i]))
      conflict->losers[conflict->numLosers++] = candidateKeyOf(&c->g.candidates[i]);
}

/// Has keys count operations of the part, not of the block.
static void renumberLosers(const Conflicts *c, Conflict *conflict) {
  for (int64_t i = 0; i < conflict->numLosers; ++i)
    for (int64_t j = 0; j < conflict->ops.count; ++j)
      if (mlirOperationEqual(conflict->ops.data[j], groupingOp(&c->g, conflict->losers[i].op))) {
        conflict->losers[i].op = j;
        break;
      }
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

/// Where the operands of an operation come from: results of the part by their numbers, and others in the order in
/// which they are read.
typedef struct {
  IrMap numbers;
  int64_t count;
  FILE *text;
} Wiring;

static void writeOperand(MlirValue value, void *data) {
  Wiring *w = data;
  if (!irMapContains(&w->numbers, value.ptr))
    irMapSet(&w->numbers, value.ptr, w->count++);
  fprintf(w->text, " %lld", (long long)irMapGet(&w->numbers, value.ptr, 0));
}

/// A text that parts which compute the same, and have as many strategies, have in common.
static char *describeConflict(const Conflict *conflict) {
  char *text = NULL;
  size_t size = 0;
  Wiring w = {.text = open_memstream(&text, &size)};
  fprintf(w.text, "%lld\n", (long long)conflict->numStrategies);
  for (int64_t i = 0; i < conflict->ops.count; ++i) {
    MlirOperation op = conflict->ops.data[i];
    char *itself = irOperationText(op);
    fputs(itself, w.text);
    free(itself);
    irForEachOperand(op, writeOperand, &w);
    fputc('\n', w.text);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      irMapSet(&w.numbers, irResult(op, r).ptr, w.count++);
  }
  fclose(w.text);
  irMapDestroy(&w.numbers);
  return text;
}

/// The variable of equal parts, or a new one; null if there are too many.
static MlirAttribute forkOf(Enumeration *e, const Conflict *conflict) {
  char *text = describeConflict(conflict);
  int64_t combinations = conflict->numStrategies;
  for (intptr_t i = 0; i < e->numForks; ++i) {
    if (strcmp(e->forks[i].text, text) == 0) {
      free(text);
      return e->forks[i].name;
    }
    combinations *= e->forks[i].numVersions;
  }
  if (combinations > MAX_FORK_COMBINATIONS) {
    free(text);
    return mlirAttributeGetNull();
  }
  MlirOperation last = conflict->ops.data[conflict->ops.count - 1];
  MlirAttribute name = newVariable(e, last, "allocation", conflict->numStrategies);
  IR_RESERVE_ONE(e->forks, e->numForks, e->forkCapacity);
  e->forks[e->numForks++] = (Fork){text, name, conflict->numStrategies};
  return name;
}

static MlirWalkResult remapOperands(MlirOperation op, void *copies) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (irMapContains(copies, irOperand(op, i).ptr))
      mlirOperationSetOperand(op, i, (MlirValue){(void *)(intptr_t)irMapGet(copies, irOperand(op, i).ptr, 0)});
  return MlirWalkResultAdvance;
}

/// A copy of the part as a version.
static void buildCopy(const Conflict *conflict, MlirOperation adaptive, int64_t version, const ValueList *results) {
  IrMap copies = {0};
  MlirOperation end = endVersion(adaptive, version, (IrValues){results->count, results->values});
  for (int64_t i = 0; i < conflict->ops.count; ++i) {
    MlirOperation op = conflict->ops.data[i], copy = mlirOperationClone(op);
    mlirBlockInsertOwnedOperationBefore(irBody(adaptive, version), end, copy);
    mlirOperationWalk(copy, remapOperands, &copies, MlirWalkPreOrder);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      irMapSet(&copies, irResult(op, r).ptr, (int64_t)(intptr_t)irResult(copy, r).ptr);
  }
  remapOperands(end, &copies);
  irMapDestroy(&copies);
}

/// Makes the part, whose operations stand together, a fork, and groups its products in each version.
static void buildFork(Enumeration *e, const Conflict *conflict, MlirAttribute variable) {
  ValueList results = escapingResults(&conflict->ops);
  MlirAttribute names[MAX_STRATEGIES];
  MlirOperation last = conflict->ops.data[conflict->ops.count - 1];
  for (int64_t i = 0; i < conflict->numStrategies; ++i)
    names[i] = irStringAttr(mlirOperationGetContext(last), strategyNames[i]);
  MlirOperation adaptive =
      createAdaptive(mlirOperationGetNextInBlock(last), variable, names, conflict->numStrategies, &results);
  for (int64_t i = 1; i < conflict->numStrategies; ++i)
    buildCopy(conflict, adaptive, i, &results);
  buildDefault(&conflict->ops, adaptive, &results);
  e->room.left -= versionSizes(&adaptive, 1).others;
  valueListDestroy(&results);
  CandidateKey *keys = irAllocate(sizeof(*keys) * (size_t)(conflict->numLosers + 1));
  e->fork = variable;
  for (int64_t i = 0; i < conflict->numStrategies; ++i) {
    if (i)
      orderLosers(conflict, conflict->first[i], keys);
    enumerateGroups(e, irBody(adaptive, i), keys, i ? conflict->numLosers : 0, buildGroup);
  }
  e->fork = mlirAttributeGetNull();
  free(keys);
  stitchRemark(adaptive, "groups of products want to lie side by side in ways that exclude each other: %lld strategies",
               (long long)conflict->numStrategies);
}

/// Whether a part became a fork: then the block has changed.
static bool forkPart(Conflicts *c, const ProductCandidate *loser) {
  Conflict conflict = {0};
  growPart(c, loser);
  findLosers(c, &conflict);
  findStrategies(c, &conflict);
  const char *reason = listPart(c, &conflict) ? NULL : "something between them cannot be computed in two ways";
  renumberLosers(c, &conflict);
  int64_t size = versionSizes(conflict.ops.data, conflict.ops.count).defaults;
  while (conflict.numStrategies > 1 && (conflict.numStrategies - 1) * size > c->e->room.left)
    --conflict.numStrategies;
  if (!reason && conflict.numStrategies < 2)
    reason = "they and the operations between them are too large to be there twice";
  MlirAttribute variable = reason ? mlirAttributeGetNull() : forkOf(c->e, &conflict);
  if (!reason && mlirAttributeIsNull(variable))
    reason = "other groups do so, too";
  if (reason) {
    stitchRemark(groupingOp(&c->g, loser->ops[0]),
                 "%lld products with a common operand lose to larger groups, and are not measured: %s",
                 (long long)loser->count, reason);
    for (int64_t i = 0; i < c->g.count; ++i)
      c->contested[i] &= !touches(c, &c->g.candidates[i]);
  } else {
    flowGather(&c->g.flow);
    buildFork(c->e, &conflict, variable);
  }
  free(conflict.ops.data);
  free(conflict.losers);
  return !reason;
}

/// A fork changes the block, so conflicts are found anew behind each.
void enumerateStrategies(Enumeration *e, MlirBlock block) {
  for (bool changed = true; changed;) {
    Conflicts c = conflictsOf(e, block);
    changed = false;
    for (int64_t i = 0; i < c.g.count && !changed; ++i)
      changed = c.contested[i] && forkPart(&c, &c.g.candidates[i]);
    conflictsDestroy(&c);
  }
}
