//===- stitch_schemes.c - stitch-schemes ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.3, step 3: finalization. Takes fusions whose roots have their mappings; writes stitch.scheme on every
// operation. A member is local. A root that nothing in the fusion reads is independent. For any other root the passive
// block-locality check decides: regional if each reader finds what it needs in the same task of the same block
// (docs/ir.md, "Locality"), otherwise global. (The proactive adaptation of elementwise groups has been done with their
// mappings.)
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/build.h"
#include "ir/cost.h"
#include "ir/reads.h"
#include "passes/fusions.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { STATISTIC_INDEPENDENT, STATISTIC_LOCAL, STATISTIC_REGIONAL, STATISTIC_GLOBAL, STATISTIC_RECOMPUTED };

typedef struct {
  GroupView view;
  StitchDevice device;
  StitchMapping *mapping; ///< of roots
  bool *isRead;
  const char **obstacle; ///< why a root is not regional; null if nothing stands against it
  StitchScheme *scheme;
} Finalizer;

static void checkLocality(Finalizer *f) {
  for (int64_t g = 0; g < f->view.numGroups; ++g) {
    GroupRead *reads;
    int64_t count = readsOfGroup(&f->view, g, f->mapping[f->view.dominant[g]].rows, &reads);
    for (int64_t i = 0; i < count; ++i) {
      f->isRead[reads[i].root] = true;
      const char *obstacle = obstacleToRegional(&f->view, f->mapping, &reads[i], g);
      if (obstacle && !f->obstacle[reads[i].root])
        f->obstacle[reads[i].root] = obstacle;
    }
    free(reads);
  }
}

static StitchScheme schemeOf(const Finalizer *f, int64_t i) {
  if (!groupIsRoot(&f->view, i))
    return STITCH_SCHEME_LOCAL;
  const GraphNode *node = &f->view.graph->nodes[i];
  if (node->class == TG_CLASS_REDUCE && f->mapping[i].split > 1)
    return STITCH_SCHEME_GLOBAL;
  if (!f->isRead[i])
    return STITCH_SCHEME_INDEPENDENT;
  return f->obstacle[i] ? STITCH_SCHEME_GLOBAL : STITCH_SCHEME_REGIONAL;
}

static void chooseSchemes(Finalizer *f) {
  for (int64_t i = 0; i < f->view.graph->numNodes; ++i) {
    f->scheme[i] = schemeOf(f, i);
    if (f->scheme[i] == STITCH_SCHEME_GLOBAL && !f->obstacle[i])
      f->obstacle[i] = "its result is split among blocks";
  }
  settlePhases(&f->view, f->scheme);
}

static void explain(const Finalizer *f, int64_t i) {
  MlirOperation op = f->view.graph->nodes[i].op;
  if (f->scheme[i] == STITCH_SCHEME_GLOBAL)
    stitchRemark(op, "global: %s", f->obstacle[i] ? f->obstacle[i] : "a reader waits for a grid barrier");
  else if (f->scheme[i] == STITCH_SCHEME_REGIONAL)
    stitchRemark(op, "regional: its readers stay within the block");
  else if (f->scheme[i] == STITCH_SCHEME_INDEPENDENT)
    stitchRemark(op, "independent: nothing in the fusion reads it");
}

static void writeSchemes(StitchPassRun run, const Finalizer *f) {
  static const intptr_t statistic[] = {[STITCH_SCHEME_INDEPENDENT] = STATISTIC_INDEPENDENT,
                                       [STITCH_SCHEME_LOCAL] = STATISTIC_LOCAL,
                                       [STITCH_SCHEME_REGIONAL] = STATISTIC_REGIONAL,
                                       [STITCH_SCHEME_GLOBAL] = STATISTIC_GLOBAL};
  for (int64_t i = 0; i < f->view.graph->numNodes; ++i) {
    MlirOperation op = f->view.graph->nodes[i].op;
    irSetAttr(op, "stitch.scheme", stitchSchemeAttrGet(mlirOperationGetContext(op), f->scheme[i]));
    stitchPassAddStatistic(run, statistic[f->scheme[i]], 1);
    explain(f, i);
  }
}

//===----------------------------------------------------------------------===//
// Computing again what is cheaper than a barrier
//===----------------------------------------------------------------------===//

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

/// Elements of a group's space: how often a value may have to be computed there.
static int64_t elementsOf(const Finalizer *f, int64_t group) {
  const StitchMapping *m = &f->mapping[f->view.dominant[group]];
  return m->rows * m->columns;
}

static int64_t numRootsOf(const Finalizer *f, int64_t group) {
  int64_t count = 0;
  for (int64_t k = f->view.first[group]; k < f->view.first[group + 1]; ++k)
    count += groupIsRoot(&f->view, f->view.nodes[k]);
  return count;
}

static bool isReadBy(const Finalizer *f, int64_t root, int64_t group) {
  const GraphNode *n = &f->view.graph->nodes[root];
  for (int64_t j = 0; j < n->numUsers; ++j)
    if (f->view.group[n->users[j]] == group)
      return true;
  return false;
}

static bool isCheaperAgain(const Finalizer *f, const bool *isRoot, int64_t root) {
  const GraphNode *n = &f->view.graph->nodes[root];
  if (f->scheme[root] != STITCH_SCHEME_GLOBAL || n->class == TG_CLASS_REDUCE)
    return false;
  // A dominant that goes leaves no group, or one without dominant.
  if (!n->yielded && f->view.role[root] == STITCH_ROLE_DOMINANT && numRootsOf(f, f->view.group[root]) > 1)
    return false;
  Cone cone = coneOf(f->view.graph, isRoot, root);
  if (cone.truncated || !readsGlobalRootsOnly(f, &cone))
    return false;
  double bytes = (double)irTensorBytes(mlirValueGetType(irResult(n->op, 0))), again = 0;
  double keeping = (double)f->device.barrierNs + costOfMoving(&f->device, 2 * bytes);
  for (int64_t g = 0; g < f->view.numGroups; ++g)
    if (isReadBy(f, root, g))
      again += costOfComputing(&f->device, elementsOf(f, g), cone.instructions) +
               costOfMoving(&f->device, (double)cone.inputBytes);
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
    if (from >= 0 && !groupIsRoot(&r->f->view, from))
      mlirOperationSetOperand(clone, j, recomputed(r, from, n->operands[j].number));
  }
  irSetAttr(clone, "stitch.group", irI64Attr(context, r->group));
  irSetAttr(clone, "stitch.role", stitchRoleAttrGet(context, STITCH_ROLE_MEMBER));
  mlirOperationRemoveAttributeByName(clone, mlirStringRefCreateFromCString("stitch.mapping"));
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

/// Erases a root that nothing reads any more, and the members that served it alone.
static void eraseUnread(const Finalizer *f, int64_t node) {
  const GraphNode *n = &f->view.graph->nodes[node];
  for (intptr_t i = 0; i < mlirOperationGetNumResults(n->op); ++i)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(n->op, i))))
      return;
  mlirOperationDestroy(n->op);
  for (int64_t j = 0; j < n->numOperands; ++j) {
    int64_t from = n->operands[j].node;
    bool seen = false;
    for (int64_t k = 0; k < j; ++k)
      seen |= n->operands[k].node == from;
    if (from >= 0 && !seen && !groupIsRoot(&f->view, from))
      eraseUnread(f, from);
  }
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

/// Rewrites the first root, in program order, that is cheaper to compute again; false if there is none. One at a time:
/// the schemes of the others depend on it.
static bool recomputeOne(Finalizer *f) {
  const IrGraph *graph = f->view.graph;
  bool *isRoot = IR_NEW_ARRAY(&f->view.arena, bool, graph->numNodes);
  for (int64_t i = 0; i < graph->numNodes; ++i)
    isRoot[i] = groupIsRoot(&f->view, i);
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    if (!isRoot[i] || !isCheaperAgain(f, isRoot, i))
      continue;
    for (int64_t g = 0; g < f->view.numGroups; ++g)
      if (isReadBy(f, i, g))
        recomputeIn(f, i, g);
    eraseUnread(f, i);
    renumberGroups(graph->block, f->view.numGroups);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

typedef enum { ROUND_FAILED, ROUND_REWRITTEN, ROUND_DONE } Round;

static Round planOnce(StitchPassRun run, MlirOperation fusion, const StitchDevice *device, bool mayRewrite) {
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  Finalizer f = {.device = *device};
  Round round = ROUND_FAILED;
  if (groupViewCreate(&f.view, &graph) && mappingsOf(&f.view, &f.mapping)) {
    f.isRead = IR_NEW_ARRAY(&f.view.arena, bool, graph.numNodes);
    f.obstacle = IR_NEW_ARRAY(&f.view.arena, const char *, graph.numNodes);
    f.scheme = IR_NEW_ARRAY(&f.view.arena, StitchScheme, graph.numNodes);
    checkLocality(&f);
    chooseSchemes(&f);
    round = mayRewrite && recomputeOne(&f) ? ROUND_REWRITTEN : ROUND_DONE;
    if (round == ROUND_DONE)
      writeSchemes(run, &f);
    else
      stitchPassAddStatistic(run, STATISTIC_RECOMPUTED, 1);
  }
  groupViewDestroy(&f.view);
  irGraphDestroy(&graph);
  return round;
}

/// A bound on the rewrites of a fusion, each of which looks at all of it.
enum { MAX_ROUNDS = 64 };

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  Round round = ROUND_REWRITTEN;
  for (int64_t i = 0; round == ROUND_REWRITTEN; ++i)
    round = planOnce(run, fusion, device, i < MAX_ROUNDS);
  return round == ROUND_DONE;
}

static void runSchemes(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassStatistic statistics[] = {
    {"independent", "operations of independent scheme"},
    {"local", "operations of local scheme"},
    {"regional", "operations of regional scheme"},
    {"global", "operations of global scheme"},
    {"recomputed", "values computed again instead of waited for"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchSchemesPass = {
    .argument = "stitch-schemes",
    .description = "Decide how values travel between operations (AStitch 4.3, step 3)",
    .anchor = "builtin.module",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runSchemes,
};
