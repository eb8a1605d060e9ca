//===- plans.c - stitch-enumerate: plans of kernels ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model decides which operations are one kernel (docs/plans.md), without measurements. A part of the graph
// without library calls, which the current plan has in one kernel or in several, is outlined again by the rules of
// other plans. A library call with an epilogue (docs/ir.md, section 2) becomes the bare product with a kernel behind
// it. Products with the kernels that read them become kernels that compute the products, too, where they are thin or
// those of an attention. The other way round, a kernel that computes thin products becomes library calls and a kernel,
// and one of attention products and a softmax. The result of the rules is a version of a variable. Kernels that
// stitch-remote has packed come apart so, too.
//
// Equal parts, as the layers of a model have them, are one variable: they are measured together. Versions that cost the
// same to the last term are taken for the same; those that the model expects to take far longer are left out (Astra
// 4.8). Of the others so many are taken as `growth` leaves room for (size.c), first of the parts that take longest.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/threads.h"
#include "ir/graph/executions.h"
#include "ir/mlir/arena.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/plan.h"
#include "passes/common/plan_kinds.h"
#include "passes/common/plan_module.h"
#include "passes/stitch_enumerate/enumerate.h"
#include "passes/stitch_enumerate/parts.h"

#include <stdlib.h>
#include <string.h>

/// The passes that outline a part again. In this order: of versions that are the same the first is taken.
typedef struct {
  const char *name, *passes;
} PassRule;

enum { MAX_RULES = 4 };

/// The number of library calls of a version, relative to the current plan.
typedef enum { ANY_CALLS, FEWER_CALLS, MORE_CALLS } Calls;

/// The versions of parts of one sort.
typedef struct {
  const char *variable, *planned; ///< names of variables, and of the version that is the current plan
  PartList (*parts)(MlirBlock block);
  Calls calls;
  bool isLikely; ///< only likely versions are any
  PassRule rules[MAX_RULES];
  int numRules;
} PartSort;

static const PartSort productSorts[] = {
    {"products_inside",
     "library",
     productParts,
     FEWER_CALLS,
     false,
     {{"thin", "stitch-thin-products,stitch-outline{epilogues=false}"},
      {"attention", "stitch-online-softmax{choose=always},stitch-outline{epilogues=false}"}},
     2},
    {"attention", "planned", attentionParts, ANY_CALLS, false, {{"library", "stitch-outline{epilogues=false}"}}, 1},
};

static const PartSort thinSorts[] = {
    {"thin",
     "planned",
     eachKernel,
     MORE_CALLS,
     true,
     {{"library", "stitch-raise-products,tg-simplify,stitch-outline"}},
     1},
};

static const PartSort kernelSorts[] = {
    {"plan",
     "planned",
     kernelParts,
     ANY_CALLS,
     false,
     {{"astitch", "stitch-outline{epilogues=false}"},
      {"cheapest", "stitch-outline{scope=cheapest epilogues=false}"},
      {"apollo", "stitch-outline{scope=apollo epilogues=false}"},
      {"xla", "stitch-outline{scope=xla epilogues=false}"}},
     4},
    {"epilogue",
     "library",
     epilogueParts,
     ANY_CALLS,
     false,
     {{"kernel", "tg-decompose,stitch-outline{epilogues=false}"}},
     1},
};

/// A version that the model expects to take so many times as long as the default is not worth a run. One that it
/// expects to take less than `likely` times as long comes before the others.
static const double hopeless = 3.0, likely = 1.25;

/// The result of a rule for a part.
typedef struct {
  MlirOperation module; ///< outlined, not planned; null: it is no version
  PlanCost cost;
  int64_t size, numSteps; ///< in a model file (size.c); of each part: launches and calls
  int64_t numCalls;       ///< of libraries
  bool failed, isTaken;
} PlanVersion;

/// Parts of the graph that are equal: a variable.
typedef struct {
  char *text; ///< of each
  const PartSort *sort;
  const Operations *first; ///< of them
  PlanVersion planned;     ///< of the current plan; its module is not kept
  PlanVersion versions[MAX_RULES];
  int64_t numParts, numTaken;
  double executions; ///< of all parts together
  bool isTooLong;    ///< kernels for some of whose versions there was no room, and none was taken
  MlirAttribute variable;
} PartKind;

typedef struct {
  Operations ops;
  intptr_t kind;
} KindPart;

typedef struct {
  Enumeration *enumeration;
  StitchDevice device;
  KindPart *parts;
  intptr_t numParts, partCapacity;
  PartKind *kinds;
  intptr_t numKinds, kindCapacity;
} Plans;

static MlirWalkResult countCall(MlirOperation op, void *count) {
  *(int64_t *)count += irOpIs(op, "stitch.library_call");
  return MlirWalkResultAdvance;
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

/// Computes the cost of the module's kernels on a copy.
static void estimate(const Plans *plans, PlanVersion *version) {
  MlirOperation copy = mlirOperationClone(version->module);
  version->size = versionSizes(&version->module, 1).defaults;
  version->numSteps = irNumOps(irBody(irFindFunction(version->module, "main"), 0));
  mlirOperationWalk(version->module, countCall, &version->numCalls, MlirWalkPreOrder);
  version->failed = !planModuleBy(copy, PLAN_KERNEL_PASSES) || !planCostOfModule(copy, &plans->device, &version->cost);
  mlirOperationDestroy(copy);
}

/// Makes the modules of a kind's versions, the current plan among them. One thread copies, because a clone changes the
/// use lists of its operands for a moment.
static void copyPart(PartKind *kind) {
  kind->planned.module = partModule(kind->first, /*whole=*/true);
  for (int64_t i = 0; i < kind->sort->numRules; ++i)
    kind->versions[i].module = partModule(kind->first, /*whole=*/false);
}

/// Plans a version of a kind; number 0 is the current plan.
static void planVersion(void *data, int number) {
  const Plans *plans = data;
  PartKind *kind = &plans->kinds[number / (MAX_RULES + 1)];
  int rule = number % (MAX_RULES + 1) - 1;
  if (rule >= kind->sort->numRules)
    return;
  PlanVersion *version = rule < 0 ? &kind->planned : &kind->versions[rule];
  version->failed = rule >= 0 && !planModuleBy(version->module, kind->sort->rules[rule].passes);
  if (!version->failed)
    estimate(plans, version);
}

static bool areSame(const PlanCost *a, const PlanCost *b) {
  return a->total == b->total && a->numLaunches == b->numLaunches && a->bytesRead == b->bytesRead &&
         a->bytesWritten == b->bytesWritten && a->barriers == b->barriers;
}

static void drop(PlanVersion *version) {
  if (!mlirOperationIsNull(version->module))
    mlirOperationDestroy(version->module);
  version->module = (MlirOperation){NULL};
}

static bool isFastEnough(const PartKind *kind, const PlanVersion *version, double times) {
  return version->cost.total <= times * kind->planned.cost.total;
}

/// Drops versions that are there already, and hopeless ones.
static void prune(PartKind *kind) {
  for (int64_t i = 0; i < kind->sort->numRules; ++i) {
    PlanVersion *version = &kind->versions[i];
    bool isKnown = areSame(&version->cost, &kind->planned.cost);
    for (int64_t j = 0; j < i; ++j)
      isKnown |= !mlirOperationIsNull(kind->versions[j].module) && areSame(&version->cost, &kind->versions[j].cost);
    int64_t moreCalls = version->numCalls - kind->planned.numCalls;
    bool hasCalls =
        kind->sort->calls == ANY_CALLS || (kind->sort->calls == FEWER_CALLS ? moreCalls < 0 : moreCalls > 0);
    if (isKnown || !hasCalls || !isFastEnough(kind, version, kind->sort->isLikely ? likely : hopeless))
      drop(version);
  }
}

static double cheapestOf(const PartKind *kind) {
  double cost = -1;
  for (int64_t i = 0; i < kind->sort->numRules; ++i)
    if (kind->versions[i].isTaken && (cost < 0 || kind->versions[i].cost.total < cost))
      cost = kind->versions[i].cost.total;
  return cost;
}

/// The version that the model likes best of those that are not taken; -1: there is none.
static int64_t nextVersion(const PartKind *kind) {
  int64_t next = -1;
  for (int64_t i = 0; i < kind->sort->numRules; ++i) {
    const PlanVersion *version = &kind->versions[i];
    bool isLeft = !mlirOperationIsNull(version->module) && !version->isTaken;
    if (isLeft && (next < 0 || version->cost.total < kind->versions[next].cost.total))
      next = i;
  }
  return next;
}

static int compareKinds(const void *a, const void *b) {
  const PartKind *x = *(const PartKind *const *)a, *y = *(const PartKind *const *)b;
  double xTime = x->planned.cost.total * x->executions, yTime = y->planned.cost.total * y->executions;
  if (xTime != yTime)
    return xTime > yTime ? -1 : 1;
  return (x > y) - (x < y);
}

/// Takes a version if it is no longer than `budget`. Returns the remaining budget.
static int64_t takeVersion(PartKind *kind, int64_t number, int64_t budget) {
  PlanVersion *version = &kind->versions[number];
  int64_t size =
      version->size + launchesBytes(version->numSteps) * (kind->numParts - 1); // with one kernel for all parts
  version->isTaken = size <= budget;
  kind->numTaken += version->isTaken;
  if (version->isTaken)
    return budget - size;
  if (isFastEnough(kind, version, likely))
    stitchRemark(kind->first->data[0],
                 "%s=%s, here and in %lld equal parts, is left out, as it would make the file too long "
                 "(option growth): %.0f ns, and %.0f ns as it is",
                 kind->sort->variable, kind->sort->rules[number].name, (long long)kind->numParts - 1,
                 version->cost.total, kind->planned.cost.total);
  drop(version);
  kind->isTooLong = true;
  return budget;
}

/// Takes of each kind one version after the other, of those that take longest first, as long as all taken versions are
/// no longer than `budget`: first the likely ones. Returns the remaining budget.
static int64_t takeVersions(Plans *plans, int64_t budget) {
  PartKind **order = irAllocate(sizeof(PartKind *) * (size_t)(plans->numKinds + 1));
  for (intptr_t i = 0; i < plans->numKinds; ++i)
    order[i] = &plans->kinds[i];
  if (plans->numKinds)
    qsort(order, (size_t)plans->numKinds, sizeof(PartKind *), compareKinds);
  for (int round = 0; round < 2 * MAX_RULES; ++round)
    for (intptr_t i = 0; i < plans->numKinds; ++i) {
      int64_t next = nextVersion(order[i]);
      if (next >= 0 && (round >= MAX_RULES || isFastEnough(order[i], &order[i]->versions[next], likely)))
        budget = takeVersion(order[i], next, budget);
    }
  free(order);
  for (intptr_t i = 0; i < plans->numKinds; ++i)
    plans->kinds[i].isTooLong &= plans->kinds[i].numTaken == 0 && plans->kinds[i].sort == &kernelSorts[0];
  return budget;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static intptr_t kindOf(Plans *plans, const KindPart *part, const PartSort *sort) {
  MlirOperation module = partModule(&part->ops, /*whole=*/true);
  char *text = irOperationText(module);
  mlirOperationDestroy(module);
  for (intptr_t i = 0; i < plans->numKinds; ++i)
    if (strcmp(plans->kinds[i].text, text) == 0) {
      free(text);
      ++plans->kinds[i].numParts;
      return i;
    }
  IR_RESERVE_ONE(plans->kinds, plans->numKinds, plans->kindCapacity);
  plans->kinds[plans->numKinds] = (PartKind){.text = text, .sort = sort, .numParts = 1};
  return plans->numKinds++;
}

static void addKindPart(Plans *plans, Operations ops, const PartSort *sort) {
  IR_RESERVE_ONE(plans->parts, plans->numParts, plans->partCapacity);
  KindPart *part = &plans->parts[plans->numParts++];
  part->ops = ops;
  part->kind = kindOf(plans, part, sort);
}

static void collectParts(Plans *plans, MlirBlock block, const PartSort *sort) {
  PartList parts = sort->parts(block);
  for (intptr_t i = 0; i < parts.count; ++i)
    addKindPart(plans, parts.data[i], sort);
  free(parts.data);
}

/// Outlines, plans and costs all versions of all kinds, side by side. False after an error.
static bool makeVersions(Plans *plans, MlirContext context) {
  for (intptr_t i = 0; i < plans->numParts; ++i) {
    PartKind *kind = &plans->kinds[plans->parts[i].kind];
    kind->first = kind->first ? kind->first : &plans->parts[i].ops;
    kind->executions += (double)irTimesExecuted(plans->parts[i].ops.data[0]);
  }
  for (intptr_t i = 0; i < plans->numKinds; ++i)
    copyPart(&plans->kinds[i]);
  bool remarks = stitchRemarksEnabled(context);
  stitchEnableRemarks(context, false); // of plans that may not be taken
  stitchRunInThreads(context, (int)plans->numKinds * (MAX_RULES + 1), planVersion, plans);
  stitchEnableRemarks(context, remarks);
  bool failed = false;
  for (intptr_t i = 0; i < plans->numKinds; ++i) {
    PartKind *kind = &plans->kinds[i];
    failed |= kind->planned.failed;
    for (int64_t j = 0; j < kind->sort->numRules; ++j)
      failed |= kind->versions[j].failed;
  }
  return !failed;
}

/// The versions of a variable apart from the current plan.
static const char *describeSort(const PartSort *sort) {
  if (sort->parts == productParts)
    return "with products in kernels";
  if (sort->parts == attentionParts || sort->parts == eachKernel)
    return "with products by a library";
  return sort->parts == epilogueParts ? "as a product and a kernel" : "by other rules";
}

/// Makes a part an operation of its kind's variable.
static void buildPart(Plans *plans, const KindPart *part) {
  PartKind *kind = &plans->kinds[part->kind];
  MlirOperation last = part->ops.data[part->ops.count - 1];
  if (kind->numTaken == 0)
    return;
  MlirAttribute names[MAX_RULES + 1];
  const PartSort *sort = kind->sort;
  names[0] = irStringAttr(mlirOperationGetContext(last), sort->planned);
  int64_t count = 1;
  for (int64_t i = 0; i < kind->sort->numRules; ++i)
    if (kind->versions[i].isTaken)
      names[count++] = irStringAttr(mlirOperationGetContext(last), kind->sort->rules[i].name);
  bool isFirst = mlirAttributeIsNull(kind->variable);
  if (isFirst)
    kind->variable = newVariable(plans->enumeration, last, sort->variable, sort->numRules + 1);
  ValueList results = escapingResults(&part->ops);
  MlirOperation adaptive = createAdaptive(mlirOperationGetNextInBlock(last), kind->variable, names, count, &results);
  for (int64_t i = 0, version = 1; i < kind->sort->numRules; ++i)
    if (kind->versions[i].isTaken)
      partInsert(&part->ops, kind->versions[i].module,
                 endVersion(adaptive, version++, (IrValues){results.count, results.values}));
  buildDefault(&part->ops, adaptive, &results);
  valueListDestroy(&results);
  if (isFirst)
    stitchRemark(adaptive,
                 "can be planned in %lld ways, here and in %lld equal parts: as it is for %.0f ns, and %s for %.0f ns",
                 (long long)count, (long long)kind->numParts - 1, kind->planned.cost.total, describeSort(sort),
                 cheapestOf(kind));
}

static void destroyPlans(Plans *plans) {
  for (intptr_t i = 0; i < plans->numParts; ++i)
    free(plans->parts[i].ops.data);
  for (intptr_t i = 0; i < plans->numKinds; ++i) {
    PartKind *kind = &plans->kinds[i];
    drop(&kind->planned);
    for (int64_t j = 0; j < kind->sort->numRules; ++j)
      drop(&kind->versions[j]);
    free(kind->text);
  }
  free(plans->parts);
  free(plans->kinds);
}

/// Adds the kernels of parts for whose versions there was no room.
static void collectLeft(const Plans *plans, Operations *left) {
  for (intptr_t i = 0; i < plans->numParts; ++i) {
    const Operations *ops = &plans->parts[i].ops;
    for (int64_t k = 0; k < ops->count && plans->kinds[plans->parts[i].kind].isTooLong && ops->count > 1; ++k)
      addOperation(left, ops->data[k]);
  }
}

/// Makes the parts adaptive, as long as versions are no longer than `share`, and leaves in `left` the longer parts that
/// kernelParts has found. Frees the parts.
static bool enumerateParts(Plans *plans, int64_t share, Operations *left) {
  Enumeration *e = plans->enumeration;
  bool succeeded = makeVersions(plans, mlirOperationGetContext(e->main));
  for (intptr_t i = 0; i < plans->numKinds && succeeded; ++i)
    prune(&plans->kinds[i]);
  if (succeeded)
    e->room.left -= share - takeVersions(plans, share);
  for (intptr_t i = 0; i < plans->numParts && succeeded; ++i)
    buildPart(plans, &plans->parts[i]);
  if (succeeded)
    collectLeft(plans, left);
  destroyPlans(plans);
  return succeeded;
}

/// Makes parts of some sorts adaptive, and then, each by itself, the kernels of parts that are too long.
static bool enumerateSorts(Enumeration *e, const Blocks *blocks, const PartSort *sorts, int numSorts, int64_t share) {
  Plans plans = {.enumeration = e}, single = {.enumeration = e};
  Operations left = {0}, none = {0};
  planGetDevice(e->main, &plans.device);
  single.device = plans.device;
  for (intptr_t i = 0; i < blocks->count; ++i)
    for (int sort = 0; sort < numSorts; ++sort)
      collectParts(&plans, blocks->blocks[i], &sorts[sort]);
  int64_t before = e->room.left;
  bool succeeded = enumerateParts(&plans, share, &left);
  for (intptr_t i = 0; i < left.count; ++i) {
    Operations ops = {0};
    addOperation(&ops, left.data[i]);
    addKindPart(&single, ops, &kernelSorts[0]);
  }
  succeeded = succeeded && enumerateParts(&single, share - (before - e->room.left), &none);
  free(left.data);
  free(none.data);
  return succeeded;
}

/// The blocks of the function, those that are there by now; `outside`: no versions.
static Blocks blocksOf(MlirOperation main, bool outside) {
  Blocks blocks = {0};
  collectBlocks(&blocks, irBody(main, 0));
  intptr_t count = 0;
  for (intptr_t i = 0; i < blocks.count; ++i) {
    MlirOperation parent = mlirBlockGetParentOperation(blocks.blocks[i]);
    while (outside && !mlirOperationEqual(parent, main) && !irOpIs(parent, "stitch.adaptive"))
      parent = mlirOperationGetParentOperation(parent);
    if (!outside || mlirOperationEqual(parent, main))
      blocks.blocks[count++] = blocks.blocks[i];
  }
  blocks.count = count;
  return blocks;
}

bool enumeratePlans(Enumeration *e) {
  static const struct {
    const PartSort *sorts;
    int numSorts;
    bool outside; ///< not within versions
    int64_t part; ///< of the room that is left
  } steps[] = {{productSorts, sizeof(productSorts) / sizeof(productSorts[0]), false, 2},
               {thinSorts, sizeof(thinSorts) / sizeof(thinSorts[0]), true, 1},
               {kernelSorts, sizeof(kernelSorts) / sizeof(kernelSorts[0]), false, 1}};
  StitchDevice device;
  if (!planGetDevice(e->main, &device)) {
    stitchRemark(e->main, "plans do not vary: there is no device to tell their costs for");
    return true;
  }
  bool succeeded = true;
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && succeeded; ++i) {
    Blocks blocks = blocksOf(e->main, steps[i].outside);
    succeeded = enumerateSorts(e, &blocks, steps[i].sorts, steps[i].numSorts, e->room.left / steps[i].part);
    free(blocks.blocks);
  }
  return succeeded;
}
