//===- recompute.c - stitch-schemes: recomputing instead of barriers ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A root of global scheme that takes less time to compute again in each group that waits for it than a barrier, a store
// and loads take is recomputed. It is cloned into these groups with its cone, up to values in memory. Where the cone
// reads a split reduce, those groups would combine its partial results, or wait until another one has: that counts,
// too.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/plan/cost.h"
#include "passes/stitch_schemes/schemes.h"

#include <stdlib.h>

/// The clones of a root's operations in one group that reads it.
typedef struct {
  const Finalizer *f;
  int64_t root;
  int64_t group;
  IrMap clones; ///< operation -> its index in `cloned`
  MlirOperation *cloned;
  int64_t count;
  int64_t capacity;
  MlirOperation last;
} Recomputation;

/// Roots that the operations of a cone read must be in memory already, or they would need a barrier in its place.
static bool readsGlobalRootsOnly(const Finalizer *f, const Cone *cone) {
  for (int64_t i = 0; i < cone->numRoots; ++i)
    if (f->scheme[cone->roots[i]] != STITCH_SCHEME_GLOBAL)
      return false;
  return true;
}

/// The number of computations of a root's value in a group: for each element of its space, or by each thread of a
/// column loop for its columns.
static int64_t elementsOfRoot(const Finalizer *f, int64_t root, int64_t group) {
  const StitchMapping *m = &f->mapping[f->view.dominant[group]];
  bool isOfColumns = m->kind == STITCH_MAPPING_COLUMN && f->view.graph->nodes[root].elements == m->columns;
  return isOfColumns ? ceilDiv(planMappedElements(m), m->unroll) : planMappedElements(m);
}

/// The other roots of a dominant's group; in `successor` one that can be dominant in its place, with the same mapping,
/// or -1.
static int64_t otherRoots(const Finalizer *f, int64_t dominant, int64_t *successor) {
  int64_t count = 0, group = f->view.group[dominant];
  *successor = -1;
  for (int64_t k = f->view.first[group]; k < f->view.first[group + 1]; ++k) {
    int64_t i = f->view.nodes[k];
    if (!groupIsRoot(&f->view, i) || i == dominant || f->isErased[i])
      continue;
    ++count;
    if (*successor < 0 && planSameMapping(&f->mapping[i], &f->mapping[dominant]))
      *successor = i;
  }
  return count;
}

/// Whether a reader of a value keeps it from being regional; where only a later phase does, each reader.
static bool waits(const Finalizer *f, const Use *use) { return use->obstacle || !f->obstacle[use->root]; }

/// Whether a value has to be read where it is, when its cone is computed again: one in memory, or the result of a
/// reduce. Other values that a thread computes in passing are computed again with the cone.
static bool endsCone(const Finalizer *f, int64_t node) {
  return groupIsRoot(&f->view, node) &&
         (f->scheme[node] == STITCH_SCHEME_GLOBAL || f->view.graph->nodes[node].class == TG_CLASS_REDUCE);
}

/// Nanoseconds of a group's arithmetic, and of its memory traffic.
typedef struct {
  double computing;
  double moving;
} GroupWork;

static GroupWork workOf(const Finalizer *f, int64_t group) {
  GroupWork work = {0};
  IrMap seen = {0};
  int64_t bytes = 0;
  for (int64_t k = f->view.first[group]; k < f->view.first[group + 1]; ++k) {
    const GraphNode *n = &f->view.graph->nodes[f->view.nodes[k]];
    work.computing += costOfOperation(&f->device, n->op);
    if (n->yielded)
      bytes += irTensorBytes(mlirValueGetType(irResult(n->op, 0)));
    for (int64_t j = 0; j < n->numOperands; ++j) {
      int64_t from = n->operands[j].node;
      MlirValue operand = irOperand(n->op, j);
      if ((from >= 0 && f->view.group[from] == group) || irMapContains(&seen, operand.ptr))
        continue;
      irMapSet(&seen, operand.ptr, 1);
      bytes += coneBytesRead(n, operand);
    }
  }
  irMapDestroy(&seen);
  work.moving = costOfMoving(&f->device, (double)bytes);
  return work;
}

static double larger(double a, double b) { return a > b ? a : b; }

/// The time that recomputing `again` of a root, which reads `inputBytes`, adds to a group, for all demanded elements of
/// it. Its arithmetic hides behind the memory accesses of the group as far as the group's own leaves room there.
static double costOfAgain(const Finalizer *f, int64_t root, const PlanWork *again, int64_t inputBytes, int64_t group) {
  GroupWork work = workOf(f, group);
  PlanDemand demand = planDemandOf(f->demands, root, group);
  double times = (double)elementsOfRoot(f, root, group) * larger(demand.serial, 1);
  double computing = work.computing + costOfComputingBy(&f->device, (double)f->device.sms, times * again->instructions);
  double moving = work.moving + costOfMoving(&f->device, (double)inputBytes);
  const StitchMapping *m = &f->mapping[f->view.dominant[group]];
  double alone = planCostOfAgain(&f->device, &(PlanDemand){.serial = demand.serial}, 0, again->instructions,
                                 m->vector * m->unroll);
  return larger(larger(computing, moving) - larger(work.computing, work.moving), alone);
}

/// Whether a group would have too much code if it computed a root where it reads it.
static bool isTooMuchCode(const Finalizer *f, int64_t root, const PlanWork *again) {
  bool isTooMuch = again->isTooMuch;
  for (int64_t use = f->firstUse[root]; use < f->firstUse[root + 1]; ++use) {
    PlanDemand demand = planDemandOf(f->demands, root, f->uses[use].group);
    isTooMuch |= planIsMuchCode(&demand, again->operations);
  }
  return isTooMuch;
}

/// The demands of each group on the roots that it reads.
static PlanDemands *demandsOf(const Finalizer *f) {
  PlanDemands *demands = planDemandsCreate(f->view.graph, f->view.index);
  for (int64_t i = f->view.graph->numNodes; i-- > 0;) {
    if (groupIsRoot(&f->view, i))
      planAskRoot(demands, i, f->view.group[i]);
    else
      planAskOperands(demands, i);
  }
  return demands;
}

/// The cost of keeping a value in memory: a barrier, a store and loads.
static double costOfKeeping(const Finalizer *f, int64_t root) {
  double bytes = (double)irTensorBytes(mlirValueGetType(irResult(f->view.graph->nodes[root].op, 0)));
  return (double)f->device.barrierNs + costOfMoving(&f->device, 2 * bytes);
}

/// The time of a root's readers, computing it again, to combine the partial results that its cone reads. Of each split
/// reduce it is the cost of keeping at most, for then they are combined once.
static double costOfPartialResults(const Finalizer *f, const Cone *cone, int64_t root) {
  double sum = 0;
  for (int64_t i = 0; i < cone->numRoots; ++i) {
    double combining = 0, once = costOfKeeping(f, cone->roots[i]);
    for (int64_t use = f->firstUse[root]; use < f->firstUse[root + 1]; ++use)
      if (isUncombined(f, cone->roots[i]) && waits(f, &f->uses[use]))
        combining += costOfCombining(f, cone->roots[i], f->uses[use].group);
    sum += combining < once ? combining : once;
  }
  return sum;
}

static bool isCheaperAgain(const Finalizer *f, const bool *ends, int64_t root, Cone *cone) {
  const GraphNode *n = &f->view.graph->nodes[root];
  bool isAsked = irHasAttr(n->op, PLAN_COMPUTED_AGAIN);
  if (f->scheme[root] != STITCH_SCHEME_GLOBAL || n->class == TG_CLASS_REDUCE || isCopy(f, root) ||
      irHasAttr(n->op, PLAN_KEPT))
    return false;
  int64_t successor; // a dominant that goes leaves no group, or another dominant
  if (!n->yielded && f->view.role[root] == STITCH_ROLE_DOMINANT && otherRoots(f, root, &successor) > 0 && successor < 0)
    return false;
  *cone = coneOf(f->view.graph, ends, root);
  if (cone->truncated || !readsGlobalRootsOnly(f, cone))
    return false;
  if (isAsked)
    return true;
  PlanWork work = planWorkOf(f->view.graph, f->view.index, ends, root);
  if (isTooMuchCode(f, root, &work))
    return false;
  double again = costOfPartialResults(f, cone, root), keeping = costOfKeeping(f, root);
  for (int64_t use = f->firstUse[root]; use < f->firstUse[root + 1]; ++use)
    if (waits(f, &f->uses[use]))
      again += costOfAgain(f, root, &work, cone->inputBytes, f->uses[use].group);
  if (again < keeping)
    stitchRemark(n->op, "computed again where it is read: %.0f ns instead of %.0f ns with a barrier", again, keeping);
  return again < keeping;
}

static MlirValue recomputed(Recomputation *r, int64_t node, int64_t result) {
  const GraphNode *n = &r->f->view.graph->nodes[node];
  int64_t known = irMapGet(&r->clones, n->op.ptr, -1);
  if (known >= 0)
    return irResult(r->cloned[known], result);
  MlirOperation clone = mlirOperationClone(n->op);
  MlirContext context = mlirOperationGetContext(clone);
  for (int64_t j = 0; j < n->numOperands; ++j) {
    int64_t from = n->operands[j].node;
    if (from >= 0 && !endsCone(r->f, from))
      mlirOperationSetOperand(clone, j, recomputed(r, from, n->operands[j].number));
  }
  irSetAttr(clone, "stitch.group", irI64Attr(context, r->group));
  irSetAttr(clone, "stitch.role", stitchRoleAttrGet(context, STITCH_ROLE_MEMBER));
  mlirOperationRemoveAttributeByName(clone, mlirStringRefCreateFromCString("stitch.mapping"));
  mlirOperationRemoveAttributeByName(clone, mlirStringRefCreateFromCString(PLAN_COMPUTED_AGAIN));
  mlirBlockInsertOwnedOperationAfter(r->f->view.graph->block, r->last, clone);
  r->last = clone;
  IR_RESERVE_ONE(r->cloned, r->count, r->capacity);
  r->cloned[r->count] = clone;
  irMapSet(&r->clones, n->op.ptr, r->count++);
  return irResult(clone, result);
}

static void recomputeIn(const Finalizer *f, int64_t root, int64_t group) {
  const GraphNode *n = &f->view.graph->nodes[root];
  Recomputation r = {.f = f, .root = root, .group = group, .last = n->op};
  for (int64_t u = 0; u < n->numUsers; ++u) {
    const GraphNode *user = &f->view.graph->nodes[n->users[u]];
    if (f->view.group[n->users[u]] != group)
      continue;
    for (int64_t j = 0; j < user->numOperands; ++j)
      if (user->operands[j].node == root)
        mlirOperationSetOperand(user->op, j, recomputed(&r, root, user->operands[j].number));
  }
  irMapDestroy(&r.clones);
  free(r.cloned);
}

static bool isStillRead(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, i))))
      return true;
  return false;
}

/// Gives the group of a root that goes another dominant.
static void replaceDominant(Finalizer *f, int64_t root) {
  int64_t successor;
  if (f->view.role[root] != STITCH_ROLE_DOMINANT || otherRoots(f, root, &successor) == 0)
    return;
  MlirOperation op = f->view.graph->nodes[successor].op;
  irSetAttr(op, "stitch.role", stitchRoleAttrGet(mlirOperationGetContext(op), STITCH_ROLE_DOMINANT));
  f->view.role[successor] = STITCH_ROLE_DOMINANT;
  f->view.dominant[f->view.group[root]] = successor;
}

/// Numbers groups without gaps.
static void renumberGroups(MlirBlock block, int64_t numGroups) {
  int64_t *number = irAllocateZeroed((size_t)numGroups + 1, sizeof(*number));
  IR_FOR_EACH_OP(op, block)
    if (irGetInt(op, "stitch.group", -1) >= 0)
      number[irGetInt(op, "stitch.group", -1) + 1] = 1;
  for (int64_t g = 0; g < numGroups; ++g)
    number[g + 1] += number[g];
  IR_FOR_EACH_OP(op, block) {
    int64_t group = irGetInt(op, "stitch.group", -1);
    if (group >= 0)
      irSetAttr(op, "stitch.group", irI64Attr(mlirOperationGetContext(op), number[group]));
  }
  free(number);
}

/// Erases the roots without readers, and the operations that served them alone, readers before their operands.
static void eraseRoots(Finalizer *f) {
  bool any = false;
  for (int64_t i = f->view.graph->numNodes; i-- > 0;) {
    MlirOperation op = f->view.graph->nodes[i].op;
    if (f->isErased[i] || (any && f->view.role[i] != STITCH_ROLE_DOMINANT && !isStillRead(op)))
      mlirOperationDestroy(op);
    any |= f->isErased[i];
  }
  if (any)
    renumberGroups(f->view.graph->block, f->view.numGroups);
}

static bool readsAny(const Cone *cone, const bool *set) {
  for (int64_t i = 0; i < cone->numRoots; ++i)
    if (set[cone->roots[i]])
      return true;
  return false;
}

/// Readers of a rewritten root wait for the next round. Erased roots go at the end of this one, as the graph still has
/// them.
bool recomputeSome(Finalizer *f) {
  const IrGraph *graph = f->view.graph;
  bool *ends = IR_NEW_ARRAY(&f->view.arena, bool, graph->numNodes);
  bool *rewritten = IR_NEW_ARRAY(&f->view.arena, bool, graph->numNodes), changed = false;
  f->isErased = IR_NEW_ARRAY(&f->view.arena, bool, graph->numNodes);
  for (int64_t i = 0; i < graph->numNodes; ++i)
    ends[i] = endsCone(f, i);
  f->demands = demandsOf(f);
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    Cone cone;
    if (!ends[i] || !isCheaperAgain(f, ends, i, &cone) || readsAny(&cone, rewritten))
      continue;
    for (int64_t use = f->firstUse[i]; use < f->firstUse[i + 1]; ++use)
      if (waits(f, &f->uses[use]))
        recomputeIn(f, i, f->uses[use].group);
    rewritten[i] = changed = true;
    f->isErased[i] = !graph->nodes[i].yielded && !isStillRead(graph->nodes[i].op);
    if (f->isErased[i])
      replaceDominant(f, i);
  }
  eraseRoots(f);
  planDemandsDestroy(f->demands);
  return changed;
}
