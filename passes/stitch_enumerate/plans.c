//===- plans.c - stitch-enumerate: plans of kernels ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operations are one kernel is what the cost model says (docs/plans.md), and nobody has measured. A part of the
// graph without library calls, which the plan at hand has in one kernel or in several, is outlined again by the rules
// of other plans; a library call with an epilogue (docs/ir.md, section 2) as the bare product with a kernel behind it;
// products with the kernels that read them as kernels that compute the products, too, where they are thin or those of
// an attention; and a kernel of attention as products and a softmax. What the rules make is a version of a variable.
// Kernels that stitch-remote has packed come apart so, too.
//
// Equal parts, as the layers of a model have them, are one variable: they are measured together. Versions that cost the
// same to the last term are taken for the same; those that the model expects to take far longer are left out (Astra
// 4.8), and of the others so many are taken as `growth` leaves room for (size.c).
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/threads.h"
#include "ir/mlir/arena.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/plan.h"
#include "passes/common/plan_kinds.h"
#include "passes/common/plan_module.h"
#include "passes/stitch_enumerate/enumerate.h"
#include "passes/stitch_enumerate/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The passes that outline a part again. In this order: of versions that are the same the first is taken.
typedef struct {
  const char *name, *passes;
} Rule;

enum { MAX_RULES = 4 };

/// What is done with parts of one sort.
typedef struct {
  const char *variable, *planned; ///< names of variables, and of the version that is the plan at hand
  PartList (*parts)(MlirBlock block);
  bool sparesCalls; ///< a version that has as many library calls as the plan at hand is none
  Rule rules[MAX_RULES];
  int numRules;
} Sort;

static const Sort productSorts[] = {
    {"products_inside",
     "library",
     productParts,
     true,
     {{"thin", "stitch-thin-products,stitch-outline{epilogues=false}"},
      {"attention", "stitch-online-softmax{choose=always},stitch-outline{epilogues=false}"}},
     2},
    {"attention", "planned", attentionParts, false, {{"library", "stitch-outline{epilogues=false}"}}, 1},
};

static const Sort kernelSorts[] = {
    {"plan",
     "planned",
     kernelParts,
     false,
     {{"astitch", "stitch-outline{epilogues=false}"},
      {"cheapest", "stitch-outline{scope=cheapest epilogues=false}"},
      {"apollo", "stitch-outline{scope=apollo epilogues=false}"},
      {"xla", "stitch-outline{scope=xla epilogues=false}"}},
     4},
    {"epilogue", "library", epilogueParts, false, {{"kernel", "tg-decompose,stitch-outline{epilogues=false}"}}, 1},
};

/// A version that the model expects to take so many times as long as the default is not worth a run.
static const double hopeless = 3.0;

/// What a rule makes of a part.
typedef struct {
  MlirOperation module; ///< outlined, not planned; null: it is no version
  PlanCost cost;
  int64_t size, numSteps; ///< in a model file (size.c); what is there for each part: launches and calls
  int64_t numCalls;       ///< of libraries
  bool failed, isTaken;
} Version;

/// Parts of the graph that are equal: a variable.
typedef struct {
  char *text; ///< of each
  const Sort *sort;
  const Operations *first; ///< of them
  Version planned;         ///< as the plan at hand has it; its module is not kept
  Version versions[MAX_RULES];
  int64_t numParts, numTaken;
  MlirAttribute variable;
} Kind;

typedef struct {
  Operations ops;
  intptr_t kind;
} Part;

typedef struct {
  Enumeration *enumeration;
  StitchDevice device;
  Part *parts;
  intptr_t numParts, partCapacity;
  Kind *kinds;
  intptr_t numKinds, kindCapacity;
} Plans;

static MlirWalkResult countCall(MlirOperation op, void *count) {
  *(int64_t *)count += irOpIs(op, "stitch.library_call");
  return MlirWalkResultAdvance;
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

static int64_t numOpsIn(MlirBlock block) {
  int64_t count = 0;
  IR_FOR_EACH_OP(op, block) {
    ++count;
  }
  return count;
}

/// Reads off a copy what the module's kernels would cost.
static void estimate(const Plans *plans, Version *version) {
  char passes[256];
  snprintf(passes, sizeof(passes), PLAN_KERNEL_PASSES, "", "");
  MlirOperation copy = mlirOperationClone(version->module);
  version->size = versionSizes(&version->module, 1).defaults;
  version->numSteps = numOpsIn(irBody(irFindFunction(version->module, "main"), 0));
  mlirOperationWalk(version->module, countCall, &version->numCalls, MlirWalkPreOrder);
  version->failed = !planModuleBy(copy, passes) || !planCostOfModule(copy, &plans->device, &version->cost);
  mlirOperationDestroy(copy);
}

/// Makes the modules of a kind's versions, the plan at hand among them. A value knows who reads it, copies of these for
/// a moment, too: one thread copies.
static void copyPart(Kind *kind) {
  kind->planned.module = partModule(kind->first, /*whole=*/true);
  for (int64_t i = 0; i < kind->sort->numRules; ++i)
    kind->versions[i].module = partModule(kind->first, /*whole=*/false);
}

/// Plans a version of a kind; number 0 is the plan at hand.
static void planVersion(void *data, int number) {
  const Plans *plans = data;
  Kind *kind = &plans->kinds[number / (MAX_RULES + 1)];
  int rule = number % (MAX_RULES + 1) - 1;
  if (rule >= kind->sort->numRules)
    return;
  Version *version = rule < 0 ? &kind->planned : &kind->versions[rule];
  version->failed = rule >= 0 && !planModuleBy(version->module, kind->sort->rules[rule].passes);
  if (!version->failed)
    estimate(plans, version);
}

static bool areSame(const PlanCost *a, const PlanCost *b) {
  return a->total == b->total && a->numLaunches == b->numLaunches && a->bytesRead == b->bytesRead &&
         a->bytesWritten == b->bytesWritten && a->barriers == b->barriers;
}

static void drop(Version *version) {
  if (!mlirOperationIsNull(version->module))
    mlirOperationDestroy(version->module);
  version->module = (MlirOperation){NULL};
}

/// Drops versions that are there already, and hopeless ones.
static void prune(Kind *kind) {
  for (int64_t i = 0; i < kind->sort->numRules; ++i) {
    Version *version = &kind->versions[i];
    bool isKnown = areSame(&version->cost, &kind->planned.cost);
    for (int64_t j = 0; j < i; ++j)
      isKnown |= !mlirOperationIsNull(kind->versions[j].module) && areSame(&version->cost, &kind->versions[j].cost);
    bool isSpared = !kind->sort->sparesCalls || version->numCalls < kind->planned.numCalls;
    if (isKnown || !isSpared || version->cost.total > hopeless * kind->planned.cost.total)
      drop(version);
  }
}

static double cheapestOf(const Kind *kind) {
  double cost = -1;
  for (int64_t i = 0; i < kind->sort->numRules; ++i)
    if (kind->versions[i].isTaken && (cost < 0 || kind->versions[i].cost.total < cost))
      cost = kind->versions[i].cost.total;
  return cost;
}

/// The version that the model likes best of those that are not taken; -1: there is none.
static int64_t nextVersion(const Kind *kind) {
  int64_t next = -1;
  for (int64_t i = 0; i < kind->sort->numRules; ++i) {
    const Version *version = &kind->versions[i];
    bool isLeft = !mlirOperationIsNull(version->module) && !version->isTaken;
    if (isLeft && (next < 0 || version->cost.total < kind->versions[next].cost.total))
      next = i;
  }
  return next;
}

/// Takes of each kind one version after the other, as long as all that is taken is no longer than `budget`.
/// Returns what is left of it.
static int64_t takeVersions(Plans *plans, int64_t budget) {
  for (int round = 0; round < MAX_RULES; ++round)
    for (intptr_t i = 0; i < plans->numKinds; ++i) {
      Kind *kind = &plans->kinds[i];
      int64_t next = nextVersion(kind);
      if (next < 0)
        continue;
      Version *version = &kind->versions[next];
      int64_t size = version->size + version->numSteps * (kind->numParts - 1); // with one kernel for all parts
      version->isTaken = size <= budget;
      if (!version->isTaken) {
        drop(version);
        continue;
      }
      budget -= size;
      ++kind->numTaken;
    }
  return budget;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

static intptr_t kindOf(Plans *plans, const Part *part, const Sort *sort) {
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
  plans->kinds[plans->numKinds] = (Kind){.text = text, .sort = sort, .numParts = 1};
  return plans->numKinds++;
}

static void addPart(Plans *plans, Operations ops, const Sort *sort) {
  IR_RESERVE_ONE(plans->parts, plans->numParts, plans->partCapacity);
  Part *part = &plans->parts[plans->numParts++];
  part->ops = ops;
  part->kind = kindOf(plans, part, sort);
}

static void collectParts(Plans *plans, MlirBlock block, const Sort *sort) {
  PartList parts = sort->parts(block);
  for (intptr_t i = 0; i < parts.count; ++i)
    addPart(plans, parts.data[i], sort);
  free(parts.data);
}

/// Outlines, plans and costs all versions of all kinds, side by side. False after an error.
static bool makeVersions(Plans *plans, MlirContext context) {
  for (intptr_t i = 0; i < plans->numParts; ++i) {
    Kind *kind = &plans->kinds[plans->parts[i].kind];
    kind->first = kind->first ? kind->first : &plans->parts[i].ops;
  }
  for (intptr_t i = 0; i < plans->numKinds; ++i)
    copyPart(&plans->kinds[i]);
  bool remarks = stitchRemarksEnabled(context);
  stitchEnableRemarks(context, false); // of plans that nobody may take
  stitchRunInThreads(context, (int)plans->numKinds * (MAX_RULES + 1), planVersion, plans);
  stitchEnableRemarks(context, remarks);
  bool failed = false;
  for (intptr_t i = 0; i < plans->numKinds; ++i) {
    Kind *kind = &plans->kinds[i];
    failed |= kind->planned.failed;
    for (int64_t j = 0; j < kind->sort->numRules; ++j)
      failed |= kind->versions[j].failed;
  }
  return !failed;
}

/// What the versions of a variable are besides the plan at hand.
static const char *describe(const Sort *sort) {
  if (sort->parts == productParts)
    return "with products in kernels";
  if (sort->parts == attentionParts)
    return "with products by a library";
  return sort->parts == epilogueParts ? "as a product and a kernel" : "by other rules";
}

/// Makes a part an operation of its kind's variable.
static void buildPart(Plans *plans, const Part *part) {
  Kind *kind = &plans->kinds[part->kind];
  MlirOperation last = part->ops.data[part->ops.count - 1];
  if (kind->numTaken == 0)
    return;
  MlirAttribute names[MAX_RULES + 1];
  const Sort *sort = kind->sort;
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
    stitchRemark(
        adaptive, "can be planned in %lld ways, here and in %lld equal parts: as it is for %.0f ns, and %s for %.0f ns",
        (long long)count, (long long)kind->numParts - 1, kind->planned.cost.total, describe(sort), cheapestOf(kind));
}

static void destroyPlans(Plans *plans) {
  for (intptr_t i = 0; i < plans->numParts; ++i)
    free(plans->parts[i].ops.data);
  for (intptr_t i = 0; i < plans->numKinds; ++i) {
    Kind *kind = &plans->kinds[i];
    drop(&kind->planned);
    for (int64_t j = 0; j < kind->sort->numRules; ++j)
      drop(&kind->versions[j]);
    free(kind->text);
  }
  free(plans->parts);
  free(plans->kinds);
}

/// Makes parts of some sorts adaptive, as long as versions are no longer than `share`.
static bool enumerateSorts(Enumeration *e, const Blocks *blocks, const Sort *sorts, int numSorts, int64_t share) {
  Plans plans = {.enumeration = e};
  MlirOperation main = e->main;
  planGetDevice(main, &plans.device);
  for (intptr_t i = 0; i < blocks->count; ++i)
    for (int sort = 0; sort < numSorts; ++sort)
      collectParts(&plans, blocks->blocks[i], &sorts[sort]);
  bool succeeded = makeVersions(&plans, mlirOperationGetContext(main));
  for (intptr_t i = 0; i < plans.numKinds && succeeded; ++i)
    prune(&plans.kinds[i]);
  if (succeeded)
    e->room.left -= share - takeVersions(&plans, share);
  for (intptr_t i = 0; i < plans.numParts && succeeded; ++i)
    buildPart(&plans, &plans.parts[i]);
  destroyPlans(&plans);
  return succeeded;
}

bool enumeratePlans(Enumeration *e) {
  enum { NUM_PRODUCT_SORTS = sizeof(productSorts) / sizeof(productSorts[0]) };
  enum { NUM_KERNEL_SORTS = sizeof(kernelSorts) / sizeof(kernelSorts[0]) };
  StitchDevice device;
  if (!planGetDevice(e->main, &device)) {
    stitchRemark(e->main, "plans do not vary: there is no device to tell their costs for");
    return true;
  }
  Blocks blocks = {0};
  collectBlocks(&blocks, irBody(e->main, 0));
  bool succeeded = enumerateSorts(e, &blocks, productSorts, NUM_PRODUCT_SORTS, e->room.left / 2);
  blocks.count = 0; // with the versions that there are by now
  collectBlocks(&blocks, irBody(e->main, 0));
  succeeded = succeeded && enumerateSorts(e, &blocks, kernelSorts, NUM_KERNEL_SORTS, e->room.left);
  free(blocks.blocks);
  return succeeded;
}
