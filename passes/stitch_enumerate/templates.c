//===- templates.c - stitch-enumerate-templates --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a planned module. Puts kernels that could be planned by other templates (docs/templates.md) into
// stitch.adaptive, one region for each template, and adds their variables to the update tree of @main. The runtime then
// measures the templates, which stitch-tune would time outside of a model, while the model works (Astra 4.4;
// FusionStitching 5.3).
//
// Templates differ in few things from the plan, and the model must not expect them to take much longer. The kernels of
// the module that take longest come first. Of all there are as many as `growth` leaves room for behind the versions of
// stitch-enumerate (size.c). A kernel is one variable wherever it is, in versions of other variables, too.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/graph/executions.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/function.h"
#include "ir/plan/persistent.h"
#include "ir/plan/plan.h"
#include "passes/common/candidates.h"
#include "passes/common/kernel_list.h"
#include "passes/stitch_enumerate/enumerate.h"
#include "stitch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_VERSIONS, OPTION_KERNELS, OPTION_GROWTH };

/// Templates that are tried for a kernel, and operations that are planned for it in all.
enum { LEAST_TRIED = 8, MOST_TRIED = 40, MOST_PLANNED_OPS = 8000 };

/// A kernel, wherever it is.
typedef struct {
  MlirOperation *fusions;
  intptr_t numFusions, capacity;
  uint64_t key;
  double cost; ///< of all launches
  int64_t number;
  Candidates candidates; ///< the first is the plan; those that are taken follow it
  int64_t numTaken;
} TemplatedKernel;

typedef struct {
  StitchPassRun run;
  StitchDevice device;
  MlirOperation main;
  TemplatedKernel *kernels;
  intptr_t count, capacity;
  int64_t numVariables;
  double combinations; ///< as a decimal logarithm
} TemplateVariables;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static bool isOpen(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) && !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type));
}

/// Whether a kernel leaves more than numbers: the condition of a loop, say.
static bool hasTensor(MlirOperation fusion) {
  bool has = false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    has |= irNumElements(irShapeOf(irResult(fusion, i))) > 1;
  return has;
}

/// Updates in place by a loop stay where they are, and so do a kernel that has a loop inside, and one that a rule asks
/// for. For sizes that are known when the model runs the model's costs are those of the largest.
static bool canVary(MlirOperation fusion) {
  bool can = hasTensor(fusion) && !isFixed(fusion) && !irHasAttr(fusion, "stitch.templated") &&
             !irHasAttr(fusion, PLAN_PERSISTENT) && planIterationsInside(fusion) == 1;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i)
    can = can && !isOpen(irOperand(fusion, i));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fusion); ++i)
    can = can && !isOpen(irResult(fusion, i));
  return can;
}

static void addFusionOfKernel(TemplateVariables *t, MlirOperation fusion) {
  uint64_t key = kernelKeyOf(fusion);
  intptr_t k = 0;
  while (k < t->count && t->kernels[k].key != key)
    ++k;
  if (k == t->count) {
    IR_RESERVE_ONE(t->kernels, t->count, t->capacity);
    t->kernels[t->count++] = (TemplatedKernel){.key = key, .number = k};
  }
  TemplatedKernel *kernel = &t->kernels[k];
  PlanCost cost = {0};
  if (planCostOfFusion(fusion, &t->device, &cost))
    kernel->cost += cost.total * (double)irTimesExecuted(fusion);
  IR_RESERVE_ONE(kernel->fusions, kernel->numFusions, kernel->capacity);
  kernel->fusions[kernel->numFusions++] = fusion;
}

static int compareKernels(const void *a, const void *b) {
  const TemplatedKernel *x = a, *y = b;
  if (x->cost != y->cost)
    return x->cost > y->cost ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/// Leaves kernels with the longest first.
static void collectKernels(TemplateVariables *t, MlirOperation module) {
  Operations fusions = plannedKernels(module);
  for (intptr_t i = 0; i < fusions.count; ++i)
    if (canVary(fusions.data[i]))
      addFusionOfKernel(t, fusions.data[i]);
  if (t->count)
    qsort(t->kernels, (size_t)t->count, sizeof(*t->kernels), compareKernels);
  free(fusions.data);
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

static bool isHopeless(const TemplatedKernel *kernel, int64_t candidate) {
  const Candidate *all = kernel->candidates.data;
  return all[candidate].cost.total > CANDIDATE_HOPELESS * all[0].cost.total;
}

/// Looks for templates of the kernels that take longest, until all of them are as long as `budget`. The model says
/// the least of all about kernels that it cannot tell apart: of templates that cost the same all are versions.
static void takeVersions(TemplateVariables *t, int64_t budget) {
  int64_t numVersions = stitchPassGetInt(t->run, OPTION_VERSIONS),
          numKernels = stitchPassGetInt(t->run, OPTION_KERNELS);
  for (intptr_t k = 0; k < t->count && k < numKernels && budget > 0; ++k) {
    TemplatedKernel *kernel = &t->kernels[k];
    int64_t tried = MOST_PLANNED_OPS / irNumOps(irBody(kernel->fusions[0], 0));
    tried = tried < LEAST_TRIED ? LEAST_TRIED : tried > MOST_TRIED ? MOST_TRIED : tried;
    CandidateLimits limits = {.most = 1 + numVersions, .tried = tried, .withoutKept = true};
    kernel->candidates = candidatesOf(kernel->fusions[0], &t->device, limits);
    for (int64_t i = 1; i < kernel->candidates.count && !isHopeless(kernel, i); ++i) {
      MlirOperation fusion = kernelModuleFusion(kernel->candidates.data[i].module);
      int64_t size = versionSizes(&fusion, 1).defaults;
      if (size > budget)
        break; // those that are taken are the first
      budget -= size;
      ++kernel->numTaken;
    }
  }
}

/// A copy of a candidate's fusion that reads the operands of `fusion`, before the terminator of a version, which yields
/// those of its results that `results` has of `fusion`.
static void buildVersion(MlirOperation candidate, MlirOperation fusion, const ValueList *results, MlirOperation end) {
  MlirOperation copy = mlirOperationClone(kernelModuleFusion(candidate));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(copy); ++i)
    mlirOperationSetOperand(copy, i, irOperand(fusion, mlirBlockArgumentGetArgNumber(irOperand(copy, i))));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(end), end, copy);
  for (int64_t i = 0; i < results->count; ++i)
    mlirOperationSetOperand(end, i, irResult(copy, mlirOpResultGetResultNumber(results->values[i])));
}

static void buildPlace(const TemplatedKernel *kernel, MlirOperation fusion, MlirAttribute variable,
                       const MlirAttribute *names) {
  Operations ops = {&fusion, 1, 1};
  ValueList results = escapingResults(&ops);
  int64_t count = 1 + kernel->numTaken;
  if (results.count) {
    MlirOperation adaptive = createAdaptive(mlirOperationGetNextInBlock(fusion), variable, names, count, &results);
    for (int64_t i = 1; i < count; ++i)
      buildVersion(kernel->candidates.data[i].module, fusion, &results,
                   endVersion(adaptive, i, (IrValues){results.count, results.values}));
    buildDefault(&ops, adaptive, &results);
  }
  valueListDestroy(&results);
}

static MlirAttribute buildKernel(TemplateVariables *t, const TemplatedKernel *kernel) {
  MlirContext context = mlirOperationGetContext(t->main);
  char name[48];
  snprintf(name, sizeof(name), "template_%lld", (long long)t->numVariables++);
  MlirAttribute variable = irStringAttr(context, name);
  MlirAttribute *names = irAllocate(sizeof(*names) * (size_t)(kernel->numTaken + 1));
  names[0] = irStringAttr(context, "planned");
  for (int64_t i = 1; i <= kernel->numTaken; ++i) {
    snprintf(name, sizeof(name), "other_%lld", (long long)i);
    names[i] = irStringAttr(context, name);
  }
  stitchRemark(
      kernel->fusions[0],
      "can be planned by %lld templates, here and in %lld equal kernels: its plan takes %.0f ns, others take %.0f "
      "ns and more",
      (long long)kernel->numTaken + 1, (long long)kernel->numFusions - 1, kernel->candidates.data[0].cost.total,
      kernel->candidates.data[1].cost.total);
  for (intptr_t i = 0; i < kernel->numFusions; ++i)
    buildPlace(kernel, kernel->fusions[i], variable, names);
  t->combinations += log10((double)kernel->numTaken + 1);
  free(names);
  return variable;
}

//===----------------------------------------------------------------------===//
// The update tree
//===----------------------------------------------------------------------===//

/// The time of a kernel depends on no other variable.
static void addUpdates(MlirOperation main, const MlirAttribute *names, int64_t count) {
  MlirContext context = mlirOperationGetContext(main);
  MlirAttribute tree = irGetAttr(main, "stitch.update"), parallel = irStringAttr(context, "parallel");
  bool hasTree = !mlirAttributeIsNull(tree);
  bool isParallel = hasTree && mlirAttributeEqual(mlirArrayAttrGetElement(tree, 0), parallel);
  intptr_t before = isParallel ? mlirArrayAttrGetNumElements(tree) : hasTree ? 2 : 1;
  MlirAttribute *parts = irAllocate(sizeof(*parts) * (size_t)(before + count));
  parts[0] = parallel;
  for (intptr_t i = 1; i < before; ++i)
    parts[i] = isParallel ? mlirArrayAttrGetElement(tree, i) : tree;
  for (int64_t i = 0; i < count; ++i)
    parts[before + i] = names[i];
  irSetAttr(main, "stitch.update", mlirArrayAttrGet(context, before + count, parts));
  free(parts);
}

static void buildAll(TemplateVariables *t) {
  MlirAttribute *variables = irAllocate(sizeof(*variables) * (size_t)(t->count + 1));
  int64_t most = 1;
  for (intptr_t k = 0; k < t->count; ++k)
    if (t->kernels[k].numTaken) {
      most = t->kernels[k].numTaken >= most ? t->kernels[k].numTaken + 1 : most;
      MlirAttribute variable = buildKernel(t, &t->kernels[k]);
      variables[t->numVariables - 1] = variable;
    }
  if (t->numVariables) {
    addUpdates(t->main, variables, t->numVariables);
    stitchRemark(t->main, "%lld kernels have other templates: 10^%.1f combinations, of which %lld are to be run",
                 (long long)t->numVariables, t->combinations, (long long)most);
  }
  stitchPassAddStatistic(t->run, 0, t->numVariables);
  free(variables);
}

static void destroyKernels(TemplateVariables *t) {
  for (intptr_t k = 0; k < t->count; ++k) {
    candidatesDestroy(&t->kernels[k].candidates);
    free(t->kernels[k].fusions);
  }
  free(t->kernels);
}

static void runTemplates(StitchPassRun pass, MlirOperation module) {
  TemplateVariables t = {.run = pass, .main = irFindFunction(module, "main")};
  if (mlirOperationIsNull(t.main) || mlirBlockIsNull(irBody(t.main, 0)) || !planGetDevice(module, &t.device))
    return;
  collectKernels(&t, module);
  takeVersions(&t, versionBudget(t.main, stitchPassGetInt(pass, OPTION_GROWTH)));
  buildAll(&t);
  destroyKernels(&t);
}

static const StitchPassOption options[] = {
    {"versions", "templates of a kernel besides its plan, at most", STITCH_OPTION_INT, 2, NULL},
    {"kernels", "kernels that templates are looked for, those that take longest", STITCH_OPTION_INT, 8, NULL},
    {"growth", "size of all versions but the default ones, those of other variables too, in percent of that of these",
     STITCH_OPTION_INT, 60, NULL},
};

static const StitchValidValues valid[] = {
    {"versions", "0.."},
    {"kernels", "0.."},
    {"growth", "0.."},
};

static const StitchPassStatistic statistics[] = {
    {"variables", "kernels that can be planned by several templates"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchEnumerateTemplatesPass = {
    .argument = "stitch-enumerate-templates",
    .description = "Kernels that other templates could plan become adaptive variables (Astra 4.4)",
    .anchor = "builtin.module",
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runTemplates,
};
