//===- copies.c - stitch-schemes: published values, combined partial results ===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of a root is another root of its group, with the same value, for readers behind a barrier. It copies a value
// that other groups read within the block, where it then stays. Or it combines the partial results of a split reduce
// once for all of its readers.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/plan/cost.h"
#include "ir/plan/schedule.h"
#include "passes/stitch_schemes/schemes.h"

#include <stdlib.h>

bool isCopy(const Finalizer *f, int64_t root) {
  const GraphNode *n = &f->view.graph->nodes[root];
  return n->kind == TG_reshape && !n->yielded && n->operands[0].node >= 0 && groupIsRoot(&f->view, n->operands[0].node);
}

/// A root of the same group behind `root` with the same value.
static MlirValue insertCopy(const Finalizer *f, int64_t root, StitchMapping mapping) {
  MlirOperation op = f->view.graph->nodes[root].op;
  IrBuilder b = irBuilderAfter(op);
  MlirValue value = irResult(op, 0);
  return irValueOf(&b, "tg.reshape", IR_VALUES(value), mlirValueGetType(value),
                   IR_ATTRS(irI64(&b, "stitch.group", f->view.group[root]),
                            irAttr(&b, "stitch.role", stitchRoleAttrGet(b.context, STITCH_ROLE_SUB_DOMINANT)),
                            irAttr(&b, "stitch.mapping", stitchMappingAttrGet(b.context, mapping))));
}

static void redirect(const Finalizer *f, int64_t root, int64_t user, MlirValue copy) {
  const GraphNode *n = &f->view.graph->nodes[user];
  for (int64_t k = 0; k < n->numOperands; ++k)
    if (n->operands[k].node == root)
      mlirOperationSetOperand(n->op, k, copy);
}

/// A reduce leaves one element a row.
static StitchMapping mappingOfValue(const Finalizer *f, int64_t root) {
  bool reduces = f->view.graph->nodes[root].class == TG_CLASS_REDUCE;
  return reduces ? planOneColumn(&f->mapping[root], /*isRead=*/true) : f->mapping[root];
}

static bool canBeCopied(const Finalizer *f, int64_t root) {
  MlirOperation op = f->view.graph->nodes[root].op;
  return f->scheme[root] == STITCH_SCHEME_GLOBAL && mlirOperationGetNumResults(op) == 1 && !planIsStacked(op);
}

//===----------------------------------------------------------------------===//
// Published values
//===----------------------------------------------------------------------===//

/// Roots that may be published, and the phases that there would be: values in registers and shared memory do not
/// outlive one.
typedef struct {
  Finalizer *f;
  bool *may;
  int64_t *phases;
  int64_t *firstRead; ///< for a member the first phase in which it is computed
} Publishing;

/// The reason why the group of `user` cannot read the root within the block; null if there is none.
static const char *obstacleOf(const Finalizer *f, int64_t root, int64_t user) {
  for (int64_t use = f->firstUse[root]; use < f->firstUse[root + 1]; ++use)
    if (f->uses[use].group == f->view.group[user])
      return f->uses[use].obstacle;
  return NULL;
}

/// Whether a user reads a root from where it is in the block.
static bool readsInBlock(const Publishing *p, int64_t root, int64_t user) {
  int64_t phase = groupIsRoot(&p->f->view, user) ? p->phases[user] : p->firstRead[user];
  return phase == p->phases[root] && !obstacleOf(p->f, root, user);
}

/// How many of a root's users do.
static int64_t countInBlock(const Publishing *p, int64_t root) {
  const GraphNode *n = &p->f->view.graph->nodes[root];
  int64_t count = 0;
  for (int64_t j = 0; j < n->numUsers; ++j)
    count += readsInBlock(p, root, n->users[j]);
  return count;
}

/// The phases that there are if all that may be published is.
static void findPublishedPhases(Publishing *p) {
  GroupView *view = &p->f->view;
  StitchScheme *schemes = IR_NEW_ARRAY(&view->arena, StitchScheme, view->graph->numNodes);
  for (int64_t i = 0; i < view->graph->numNodes; ++i)
    schemes[i] = p->may[i] ? STITCH_SCHEME_REGIONAL : p->f->scheme[i];
  p->phases = phasesOf(view, schemes);
  p->firstRead = firstPhasesOf(view, p->phases);
}

/// Leaves those that someone in the block reads in the same phase. Values that are not published wait, and others with
/// them.
static void findPublished(Publishing *p) {
  for (bool changed = true; changed;) {
    changed = false;
    findPublishedPhases(p);
    for (int64_t i = 0; i < p->f->view.graph->numNodes; ++i)
      if (p->may[i] && countInBlock(p, i) == 0) {
        p->may[i] = false;
        changed = true;
      }
  }
}

/// A copy belongs to the group of its root; where that splits its rows, the copy would wait for the root, too.
static bool copyStays(const Finalizer *f, int64_t root) {
  return f->mapping[root].kind == STITCH_MAPPING_ROW && f->mapping[f->view.dominant[f->view.group[root]]].split == 1;
}

/// Publishes a value that groups within the block read, and others, or later ones, too.
static bool publish(const Publishing *p, int64_t root) {
  const Finalizer *f = p->f;
  const GraphNode *n = &f->view.graph->nodes[root];
  if (!p->may[root] || countInBlock(p, root) == n->numUsers)
    return false;
  stitchRemark(n->op, "published: readers in the block take it from there, the others a copy from behind a barrier");
  MlirValue copy = insertCopy(f, root, mappingOfValue(f, root));
  for (int64_t j = 0; j < n->numUsers; ++j)
    if (!readsInBlock(p, root, n->users[j]))
      redirect(f, root, n->users[j], copy);
  return true;
}

static bool publishSome(Finalizer *f) {
  int64_t numNodes = f->view.graph->numNodes;
  Publishing p = {.f = f, .may = IR_NEW_ARRAY(&f->view.arena, bool, numNodes)};
  bool some = false, changed = false;
  for (int64_t i = 0; i < numNodes; ++i) {
    p.may[i] = groupIsRoot(&f->view, i) && canBeCopied(f, i) && copyStays(f, i);
    some |= p.may[i];
  }
  if (!some)
    return false;
  findPublished(&p);
  for (int64_t i = 0; i < numNodes; ++i)
    changed |= publish(&p, i);
  return changed;
}

//===----------------------------------------------------------------------===//
// Combined partial results
//===----------------------------------------------------------------------===//

bool isUncombined(const Finalizer *f, int64_t root) {
  const GraphNode *n = &f->view.graph->nodes[root];
  bool isCombined = false; // by the copy that an earlier round made
  for (int64_t j = 0; j < n->numUsers; ++j)
    isCombined |= groupIsRoot(&f->view, n->users[j]) && isCopy(f, n->users[j]);
  return n->class == TG_CLASS_REDUCE && f->mapping[root].split > 1 && canBeCopied(f, root) && !isCombined;
}

/// Elements of a root that the roots of a group with axes need, all threads together. Roots of its loop have some each;
/// others, which have loops of their own, need one for each of their own elements.
static double valuesOfAxes(const Finalizer *f, int64_t root, int64_t group) {
  const GroupView *view = &f->view;
  bool *reads = irAllocateZeroed((size_t)view->graph->numNodes + 1, sizeof(bool));
  double values = 0;
  reads[root] = true;
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k) {
    int64_t node = view->nodes[k];
    const GraphNode *n = &view->graph->nodes[node];
    bool isReader = false;
    for (int64_t j = 0; j < n->numOperands; ++j)
      isReader |= n->operands[j].node >= 0 && reads[n->operands[j].node];
    reads[node] |= isReader && !groupIsRoot(view, node);
    const StitchMapping *m = &f->mapping[node];
    if (!isReader || !groupIsRoot(view, node))
      continue;
    double threads = (double)(planBlocksOfTasks(m) * planBlockSize(m));
    values += m->kind == STITCH_MAPPING_AXES
                  ? threads * (double)min64(m->unroll * m->vector, view->graph->nodes[root].elements)
                  : (double)planMappedElements(m);
  }
  free(reads);
  return values;
}

double costOfCombining(const Finalizer *f, int64_t root, int64_t group) {
  const StitchMapping *producer = &f->mapping[root], *reader = &f->mapping[f->view.dominant[group]];
  double values = (double)planMappedElements(reader); // that need an element each
  int64_t sharers = 1;
  if (producer->kind == STITCH_MAPPING_ROW && reader->kind == STITCH_MAPPING_ROW && reader->rows == producer->rows) {
    values = (double)planTasks(reader) * (double)reader->blockRows; // one for each row of a task
  } else if (reader->kind == STITCH_MAPPING_AXES) {
    values = valuesOfAxes(f, root, group);
  } else if (reader->kind == STITCH_MAPPING_COLUMN) {
    values /= (double)reader->unroll; // a thread keeps those of its columns, which others of the block have, too
    sharers = reader->blockRows;
  }
  MlirType accumulator = planAccumulatorType(irElementTypeOf(irResult(f->view.graph->nodes[root].op, 0)));
  return costOfCached(&f->device, values * (double)(producer->split * irElementBytes(accumulator)), sharers);
}

/// Gives a split reduce a copy that combines its partial results once, if that saves more than a barrier.
static bool combineCopies(const Finalizer *f, int64_t root) {
  const GraphNode *n = &f->view.graph->nodes[root];
  if (!isUncombined(f, root) || !isRead(f, root))
    return false;
  double saved = 0;
  for (int64_t use = f->firstUse[root]; use < f->firstUse[root + 1]; ++use)
    saved += costOfCombining(f, root, f->uses[use].group);
  if (saved <= (double)f->device.barrierNs)
    return false;
  stitchRemark(n->op, "combined once: its readers would load partial results for %.0f ns, a barrier costs %lld ns",
               saved, (long long)f->device.barrierNs);
  StitchMapping mapping = mappingOfValue(f, root);
  if (mapping.kind != STITCH_MAPPING_ROW) {
    mapping = planCombineMapping(n->elements, f->mapping[root].split, planBlockSize(&mapping));
  }
  MlirValue copy = insertCopy(f, root, mapping);
  for (int64_t j = 0; j < n->numUsers; ++j)
    redirect(f, root, n->users[j], copy);
  return true;
}

bool copySome(Finalizer *f) {
  bool changed = publishSome(f);
  for (int64_t i = 0; i < f->view.graph->numNodes; ++i)
    changed |= groupIsRoot(&f->view, i) && combineCopies(f, i);
  return changed;
}
