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

enum { STATISTIC_INDEPENDENT, STATISTIC_LOCAL, STATISTIC_REGIONAL, STATISTIC_GLOBAL, STATISTIC_REWRITES };

/// Partial results come from the L2 cache, which is faster than memory by about this factor.
static const double L2_SPEEDUP = 2;

/// A root as one group reads it.
typedef struct {
  int64_t root;
  int64_t group;
  const char *obstacle; ///< why it is not regional for that group; null if nothing stands against it
} Use;

typedef struct {
  GroupView view;
  StitchDevice device;
  StitchMapping *mapping; ///< of roots
  Use *uses;              ///< by root, then group
  int64_t numUses;
  int64_t useCapacity;
  int64_t *firstUse;     ///< node -> first of its uses (numNodes + 1 entries)
  const char **obstacle; ///< why a root is not regional; null if nothing stands against it
  StitchScheme *scheme;
} Finalizer;

static int compareUses(const void *a, const void *b) {
  const Use *x = a, *y = b;
  if (x->root != y->root)
    return x->root < y->root ? -1 : 1;
  return (x->group > y->group) - (x->group < y->group);
}

static void findUses(Finalizer *f) {
  for (int64_t g = 0; g < f->view.numGroups; ++g) {
    GroupRead *reads;
    int64_t count = readsOfMappedGroup(&f->view, f->mapping, g, &reads);
    for (int64_t i = 0; i < count; ++i) {
      IR_RESERVE_ONE(f->uses, f->numUses, f->useCapacity);
      f->uses[f->numUses++] = (Use){reads[i].root, g, obstacleToRegional(&f->view, f->mapping, &reads[i], g)};
    }
    free(reads);
  }
  if (f->numUses > 0)
    qsort(f->uses, (size_t)f->numUses, sizeof(*f->uses), compareUses);
}

static void checkLocality(Finalizer *f) {
  findUses(f);
  for (int64_t i = 0, use = 0; i <= f->view.graph->numNodes; ++i) {
    f->firstUse[i] = use;
    for (; use < f->numUses && f->uses[use].root == i; ++use)
      if (!f->obstacle[i])
        f->obstacle[i] = f->uses[use].obstacle;
  }
}

static bool isRead(const Finalizer *f, int64_t root) { return f->firstUse[root] < f->firstUse[root + 1]; }

static StitchScheme schemeOf(const Finalizer *f, int64_t i) {
  if (!groupIsRoot(&f->view, i))
    return STITCH_SCHEME_LOCAL;
  const GraphNode *node = &f->view.graph->nodes[i];
  if (node->class == TG_CLASS_REDUCE && f->mapping[i].split > 1)
    return STITCH_SCHEME_GLOBAL;
  if (!isRead(f, i))
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
  return planMappedElements(&f->mapping[f->view.dominant[group]]);
}

static int64_t numRootsOf(const Finalizer *f, int64_t group) {
  int64_t count = 0;
  for (int64_t k = f->view.first[group]; k < f->view.first[group + 1]; ++k)
    count += groupIsRoot(&f->view, f->view.nodes[k]);
  return count;
}

/// A copy that this pass has made (below): a root that only repeats another one.
static bool isCopy(const Finalizer *f, int64_t root) {
  const GraphNode *n = &f->view.graph->nodes[root];
  return n->kind == TG_reshape && !n->yielded && n->operands[0].node >= 0 && groupIsRoot(&f->view, n->operands[0].node);
}

/// Whether what reads a value keeps it from being regional; where only a later phase does, each reader.
static bool waits(const Finalizer *f, const Use *use) { return use->obstacle || !f->obstacle[use->root]; }

/// Whether a value has to be read where it is, when its cone is computed again: one in memory, or the result of a
/// reduce. What else a thread computes in passing is computed again with the cone.
static bool endsCone(const Finalizer *f, int64_t node) {
  return groupIsRoot(&f->view, node) &&
         (f->scheme[node] == STITCH_SCHEME_GLOBAL || f->view.graph->nodes[node].class == TG_CLASS_REDUCE);
}

/// Nanoseconds of a group's arithmetic, and of what it moves from and to memory.
typedef struct {
  double computing;
  double moving;
} Work;

static Work workOf(const Finalizer *f, int64_t group) {
  Work work = {0};
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

/// What `cone` adds to the time of a group: its arithmetic hides behind the memory accesses of the group as far as the
/// group's own leaves room there.
static double costOfAgain(const Finalizer *f, const Cone *cone, int64_t group) {
  Work work = workOf(f, group);
  double computing = work.computing + costOfComputing(&f->device, elementsOf(f, group), cone->instructions);
  double moving = work.moving + costOfMoving(&f->device, (double)cone->inputBytes);
  return (computing > moving ? computing : moving) - (work.computing > work.moving ? work.computing : work.moving);
}

static bool isCheaperAgain(const Finalizer *f, const bool *ends, int64_t root, Cone *cone) {
  const GraphNode *n = &f->view.graph->nodes[root];
  if (f->scheme[root] != STITCH_SCHEME_GLOBAL || n->class == TG_CLASS_REDUCE || isCopy(f, root))
    return false;
  // A dominant that goes leaves no group, or one without dominant.
  if (!n->yielded && f->view.role[root] == STITCH_ROLE_DOMINANT && numRootsOf(f, f->view.group[root]) > 1)
    return false;
  *cone = coneOf(f->view.graph, ends, root);
  if (cone->truncated || !readsGlobalRootsOnly(f, cone))
    return false;
  double bytes = (double)irTensorBytes(mlirValueGetType(irResult(n->op, 0))), again = 0;
  double keeping = (double)f->device.barrierNs + costOfMoving(&f->device, 2 * bytes);
  for (int64_t use = f->firstUse[root]; use < f->firstUse[root + 1]; ++use)
    if (waits(f, &f->uses[use]))
      again += costOfAgain(f, cone, f->uses[use].group);
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

/// Erases a root that nothing reads any more, and the members that served it alone, readers before what they read.
static void eraseUnread(const Finalizer *f, int64_t root) {
  const GraphNode *nodes = f->view.graph->nodes;
  mlirOperationDestroy(nodes[root].op);
  for (int64_t i = root; i-- > 0;)
    if (!groupIsRoot(&f->view, i) && !isStillRead(nodes[i].op))
      mlirOperationDestroy(nodes[i].op);
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

static bool readsAny(const Cone *cone, const bool *set) {
  for (int64_t i = 0; i < cone->numRoots; ++i)
    if (set[cone->roots[i]])
      return true;
  return false;
}

/// Rewrites roots, in program order, that are cheaper to compute again; false if there is none. What reads a rewritten
/// root waits for the next round, and so does everything behind one that is erased: the graph still shows it.
static bool recomputeSome(Finalizer *f) {
  const IrGraph *graph = f->view.graph;
  bool *ends = IR_NEW_ARRAY(&f->view.arena, bool, graph->numNodes);
  bool *rewritten = IR_NEW_ARRAY(&f->view.arena, bool, graph->numNodes), changed = false;
  for (int64_t i = 0; i < graph->numNodes; ++i)
    ends[i] = endsCone(f, i);
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    Cone cone;
    if (!ends[i] || !isCheaperAgain(f, ends, i, &cone) || readsAny(&cone, rewritten))
      continue;
    for (int64_t use = f->firstUse[i]; use < f->firstUse[i + 1]; ++use)
      if (waits(f, &f->uses[use]))
        recomputeIn(f, i, f->uses[use].group);
    rewritten[i] = changed = true;
    if (graph->nodes[i].yielded || isStillRead(graph->nodes[i].op))
      continue;
    eraseUnread(f, i);
    renumberGroups(graph->block, f->view.numGroups);
    break;
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Copies: published values and combined partial results
//===----------------------------------------------------------------------===//

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

static void redirect(const Finalizer *f, int64_t root, int64_t group, MlirValue copy) {
  const GraphNode *n = &f->view.graph->nodes[root];
  for (int64_t j = 0; j < n->numUsers; ++j) {
    const GraphNode *user = &f->view.graph->nodes[n->users[j]];
    if (f->view.group[n->users[j]] != group)
      continue;
    for (int64_t k = 0; k < user->numOperands; ++k)
      if (user->operands[k].node == root)
        mlirOperationSetOperand(user->op, k, copy);
  }
}

/// A reduce leaves one element a row.
static StitchMapping mappingOfValue(const Finalizer *f, int64_t root) {
  StitchMapping m = f->mapping[root];
  if (f->view.graph->nodes[root].class == TG_CLASS_REDUCE)
    m.columns = m.vector = m.unroll = m.split = 1;
  return m;
}

static bool canBeCopied(const Finalizer *f, int64_t root) {
  return f->scheme[root] == STITCH_SCHEME_GLOBAL && mlirOperationGetNumResults(f->view.graph->nodes[root].op) == 1;
}

/// Publishes a value that groups within the block read, and others too.
static bool publish(const Finalizer *f, int64_t root) {
  bool someLocal = false, someElsewhere = false;
  for (int64_t use = f->firstUse[root]; use < f->firstUse[root + 1]; ++use) {
    someLocal |= !f->uses[use].obstacle;
    someElsewhere |= f->uses[use].obstacle != NULL;
  }
  // A copy belongs to the group of its root; where that splits its rows, the copy would wait for the root, too.
  bool copyStays =
      f->mapping[root].kind == STITCH_MAPPING_ROW && f->mapping[f->view.dominant[f->view.group[root]]].split == 1;
  if (!canBeCopied(f, root) || !someLocal || !someElsewhere || !copyStays)
    return false;
  stitchRemark(f->view.graph->nodes[root].op,
               "published: readers in the block take it from there, the others a copy from behind a barrier");
  MlirValue copy = insertCopy(f, root, mappingOfValue(f, root));
  for (int64_t use = f->firstUse[root]; use < f->firstUse[root + 1]; ++use)
    if (f->uses[use].obstacle)
      redirect(f, root, f->uses[use].group, copy);
  return true;
}

/// Bytes that the readers of a split reduce load when each combines the partial results for itself.
static double combiningBytes(const Finalizer *f, int64_t root) {
  const StitchMapping *producer = &f->mapping[root];
  double bytes = 0;
  for (int64_t use = f->firstUse[root]; use < f->firstUse[root + 1]; ++use) {
    const StitchMapping *reader = &f->mapping[f->view.dominant[f->uses[use].group]];
    double values = (double)planMappedElements(reader); // that need an element each
    if (producer->kind == STITCH_MAPPING_ROW && reader->kind == STITCH_MAPPING_ROW && reader->rows == producer->rows)
      values = (double)planTasks(reader) * (double)reader->blockRows; // one for each row of a task
    else if (reader->kind == STITCH_MAPPING_COLUMN)
      values /= (double)reader->unroll; // a thread keeps those of its columns
    bytes += values * (double)producer->split;
  }
  MlirType accumulator = planAccumulatorType(irElementTypeOf(irResult(f->view.graph->nodes[root].op, 0)));
  return bytes * (double)irElementBytes(accumulator);
}

/// Gives a split reduce a copy that combines its partial results once, if that saves more than a barrier.
static bool combine(const Finalizer *f, int64_t root) {
  const GraphNode *n = &f->view.graph->nodes[root];
  if (n->class != TG_CLASS_REDUCE || f->mapping[root].split == 1 || !canBeCopied(f, root) || !isRead(f, root))
    return false;
  bool isCombined = false; // by the copy that an earlier round made
  for (int64_t j = 0; j < n->numUsers; ++j)
    isCombined |= groupIsRoot(&f->view, n->users[j]) && isCopy(f, n->users[j]);
  double saved = costOfMoving(&f->device, combiningBytes(f, root)) / L2_SPEEDUP;
  if (isCombined || saved <= (double)f->device.barrierNs)
    return false;
  stitchRemark(n->op, "combined once: its readers would load partial results for %.0f ns, a barrier costs %lld ns",
               saved, (long long)f->device.barrierNs);
  StitchMapping mapping = mappingOfValue(f, root);
  if (mapping.kind != STITCH_MAPPING_ROW) {
    mapping = planCombineMapping(n->elements, f->mapping[root].split, planBlockSize(&mapping));
  }
  MlirValue copy = insertCopy(f, root, mapping);
  for (int64_t use = f->firstUse[root]; use < f->firstUse[root + 1]; ++use)
    redirect(f, root, f->uses[use].group, copy);
  return true;
}

static bool copySome(const Finalizer *f) {
  bool changed = false;
  for (int64_t i = 0; i < f->view.graph->numNodes; ++i)
    if (groupIsRoot(&f->view, i) && (publish(f, i) || combine(f, i)))
      changed = true;
  return changed;
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
    f.firstUse = IR_NEW_ARRAY(&f.view.arena, int64_t, graph.numNodes + 1);
    f.obstacle = IR_NEW_ARRAY(&f.view.arena, const char *, graph.numNodes);
    f.scheme = IR_NEW_ARRAY(&f.view.arena, StitchScheme, graph.numNodes);
    checkLocality(&f);
    chooseSchemes(&f);
    round = mayRewrite && (recomputeSome(&f) || copySome(&f)) ? ROUND_REWRITTEN : ROUND_DONE;
    if (round == ROUND_DONE)
      writeSchemes(run, &f);
    else
      stitchPassAddStatistic(run, STATISTIC_REWRITES, 1);
  }
  free(f.uses);
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
    {"rewrites", "rounds in which values were computed again, published or combined"},
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
