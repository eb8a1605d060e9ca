//===- stitch_best_plan.c - stitch-best-plan -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of graphs (tg operations) with its device; leaves it as the cheapest of several whole plans has it, up
// to stitch.launch. Each plan is made in a module of its own, within this one, on a thread of its own; the cost model
// (ir/plan/kernel_cost.h) adds up what its kernels, library calls and kernel operations take. Of the plans that cost
// hardly more than the least, by less than the model can tell, the one with the fewest launches is left. Within
// `cheapest`, one of the plans, the integer program of FusionStitching 4.1 has already chosen fusion by fusion among
// the fusions of the others.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "capi/threads.h"
#include "ir/mlir/query.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/plan.h"
#include "passes/common/fusions.h"
#include "passes/common/plan_kinds.h"
#include "passes/common/plan_module.h"
#include "passes/stitch_rules/check.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_F32_EPILOGUES, OPTION_ADAPTIVE, OPTION_GROWTH, OPTION_PRECISION };

/// Passes that not all plans have, by their numbers, with the operations of which there is another number where they do
/// something.
/// `first` is a pass that goes before it.
enum { THIN_PRODUCTS, SOFTMAX, RUNNING_SOFTMAX, ROLLED, MERGED, TILED, NUM_REWRITES };
static const struct {
  const char *pass, *other, *first;
} rewrites[NUM_REWRITES] = {{"stitch-skinny-products,stitch-thin-products", "tg.dot", NULL},
                            {"stitch-online-softmax", "tg.dot", NULL},
                            {"stitch-running-softmax", "tg.reduce", NULL},
                            {"tg-roll-loops", "tg.dot", NULL},
                            {"stitch-merge-products", "stitch.library_call", "stitch-outline"},
                            {"stitch-tile-stencils", "tg.gather", NULL}};

/// In this order: of plans that cost the same the first is taken. `needs`, as bits: passes that do something in them;
/// where one of these does nothing in the graphs at hand, a plan is not made, and costs what the candidate `same` does.
static const struct {
  const char *name;
  int same;
  unsigned needs;
} candidates[] = {
    {"astitch-by-cost", -1, 0},
    {"merged", 0, 1 << MERGED},
    {"cheapest", -1, 0},
    {"thin", 0, 1 << THIN_PRODUCTS},
    {"cheapest-thin", 2, 1 << THIN_PRODUCTS},
    {"attention", 0, 1 << SOFTMAX},
    {"attention-thin", 0, 1 << SOFTMAX | 1 << THIN_PRODUCTS},
    {"attention-cheapest", 4, 1 << SOFTMAX},
    {"running", 0, 1 << RUNNING_SOFTMAX},
    {"running-thin", 8, 1 << RUNNING_SOFTMAX | 1 << THIN_PRODUCTS},
    {"rolled", 3, 1 << ROLLED},
    {"tiled", 3, 1 << TILED},
    {"fusionstitching", -1, 0},
    {"apollo", -1, 0},
    {"xla", -1, 0},
};
enum { NUM_CANDIDATES = sizeof(candidates) / sizeof(candidates[0]) };

/// The candidate that is made before the others, which ask for the times of many of its patterns; it plans these side
/// by side.
enum { PATTERNS_FIRST = 2 };

/// Kernels that compute products have many operations, also because they recompute much rather than wait. LLVM takes a
/// minute for so many; a plan with more, and twice those of AStitch's, is not taken.
enum { MOST_OPS = 40000 };

/// Graphs of so many operations are planned by AStitch's rules first, and other plans of them may be skipped.
enum { MANY_OPS = 2000 };

typedef struct {
  MlirOperation module; ///< null: it is not made
  PlanCost cost;        ///< the total as preferences of rules have it
  int64_t numOps;
  int64_t broken;    ///< rules
  const char *asked; ///< whether two operations that are asked for are in one kernel, in words
  bool isMade, failed;
  bool isSkipped; ///< too long before it is planned: it has a number of operations, and breaks all rules
} Plan;

/// The state that the threads share.
typedef struct {
  const StitchDevice *device;
  PlanOptions options; ///< of plans that nobody explores
  Plan *plans;
  bool maySkip; ///< the first plan was made before all others, which are compared with it
} Planning;

/// A module within `module` with copies of the operations up to `end`.
static MlirOperation copyGraphs(MlirOperation module, MlirOperation end) {
  MlirBlock body = irBody(module, 0);
  MlirOperation copy = mlirModuleGetOperation(mlirModuleCreateEmpty(mlirOperationGetLocation(module)));
  IR_FOR_EACH_OP(op, body) {
    mlirBlockAppendOwnedOperation(irBody(copy, 0), mlirOperationClone(op));
    if (mlirOperationEqual(op, end))
      break;
  }
  mlirBlockAppendOwnedOperation(body, copy);
  return copy;
}

static MlirWalkResult countOp(MlirOperation op, void *count) {
  (void)op;
  ++*(int64_t *)count;
  return MlirWalkResultAdvance;
}

static bool isTooLong(const Plan *plans, int i) {
  return plans[i].numOps > MOST_OPS && plans[i].numOps > 2 * plans[0].numOps;
}

static int64_t countOps(MlirOperation module) {
  int64_t count = 0;
  mlirOperationWalk(module, countOp, &count, MlirWalkPreOrder);
  return count;
}

/// A copy of a module within another one, which has the attributes of both.
static MlirOperation cloneWithDevice(MlirOperation module) {
  MlirOperation copy = mlirOperationClone(module), around = mlirOperationGetParentOperation(module);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(around); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(around, i);
    mlirOperationSetAttributeByName(copy, mlirIdentifierStr(attribute.name), attribute.attribute);
  }
  return copy;
}

/// Skips a plan whose products alone become too many operations in kernels: planning them takes a minute.
static void skipIfTooLong(const Planning *p, int i, const char *passes) {
  static const char expansion[] = "stitch-thin-products";
  const char *found = strstr(passes, expansion);
  if (!found || !p->maySkip)
    return;
  char *front = strndup(passes, (size_t)(found - passes) + strlen(expansion));
  MlirOperation copy = cloneWithDevice(p->plans[i].module);
  Plan *plan = &p->plans[i];
  plan->numOps = front && planModuleUnverified(copy, front) ? countOps(copy) : 0;
  plan->isSkipped = plan->isMade = isTooLong(p->plans, i);
  plan->broken = plan->isSkipped ? INT64_MAX : 0;
  plan->asked = "";
  mlirOperationDestroy(copy);
  free(front);
}

static void makePlan(void *data, int i) {
  const Planning *p = data;
  if (mlirOperationIsNull(p->plans[i].module) || p->plans[i].isMade)
    return;
  char *text = planKindPasses(planKindOf(candidates[i].name), &p->options);
  skipIfTooLong(p, i, text);
  if (p->plans[i].isSkipped) {
    free(text);
    return;
  }
  p->plans[i].failed = !planModuleUnverified(p->plans[i].module, text) ||
                       !planCostOfModule(p->plans[i].module, p->device, &p->plans[i].cost);
  int64_t numRules;
  if (!p->plans[i].failed) {
    p->plans[i].cost.total += rulesPreference(p->plans[i].module, p->device);
    p->plans[i].broken = rulesBroken(p->plans[i].module, /*report=*/false, &numRules);
    p->plans[i].asked = explainedInWords(p->plans[i].module);
  }
  p->plans[i].numOps = countOps(p->plans[i].module);
  p->plans[i].isMade = true;
  free(text);
}

typedef struct {
  const char *name;
  int64_t count;
} Counting;

static MlirWalkResult countNamed(MlirOperation op, void *data) {
  Counting *counting = data;
  counting->count += irOpIs(op, counting->name);
  return irOpIs(op, "stitch.fusion") ? MlirWalkResultSkip : MlirWalkResultAdvance;
}

/// Operations of that name outside of kernels.
static int64_t countOutside(MlirOperation module, const char *name) {
  Counting counting = {.name = name};
  mlirOperationWalk(module, countNamed, &counting, MlirWalkPreOrder);
  return counting.count;
}

/// Whether there is something in the graphs up to `end` that a rewrite does.
static bool doesSomething(int rewrite, MlirOperation module, MlirOperation end) {
  const char *pass = rewrites[rewrite].pass, *other = rewrites[rewrite].other, *first = rewrites[rewrite].first;
  if (first && countOutside(module, "tg.dot") == 0)
    return false;
  MlirOperation copy = copyGraphs(module, end);
  bool does = first && !planModuleBy(copy, first); // after an error, which whoever plans the module meets again
  int64_t before = countOutside(copy, other);
  does =
      does || ((before > 0 || rewrite == TILED) && (!planModuleBy(copy, pass) || countOutside(copy, other) != before));
  mlirOperationRemoveFromParent(copy);
  mlirOperationDestroy(copy);
  return does;
}

static PlanOptions optionsOf(StitchPassRun run) {
  return planOptions(stitchPassGetString(run, OPTION_F32_EPILOGUES), stitchPassGetString(run, OPTION_ADAPTIVE),
                     stitchPassGetString(run, OPTION_GROWTH), stitchPassGetString(run, OPTION_PRECISION));
}

/// Whether a plan launches fewer kernels than another one, or as many and costs less. The model cannot tell their costs
/// apart.
static bool isSimpler(const Plan *plan, const Plan *other) {
  return plan->cost.numLaunches != other->cost.numLaunches ? plan->cost.numLaunches < other->cost.numLaunches
                                                           : plan->cost.total < other->cost.total;
}

/// The fewest rules that any plan breaks: none, unless there is an error.
static int64_t leastBroken(const Plan *plans) {
  int64_t least = INT64_MAX;
  for (int i = 0; i < NUM_CANDIDATES; ++i)
    if (!mlirOperationIsNull(plans[i].module) && plans[i].broken < least)
      least = plans[i].broken;
  return least;
}

/// Whether a plan has been made and may be taken: one that is not made equals an earlier one. Where only plans obey
/// that are too long, one of these is taken.
static bool canBeTaken(const Plan *plans, int i) {
  int64_t least = leastBroken(plans);
  bool isShortest = false;
  for (int k = 0; k < NUM_CANDIDATES; ++k)
    isShortest =
        isShortest || (!mlirOperationIsNull(plans[k].module) && plans[k].broken == least && !isTooLong(plans, k));
  return !mlirOperationIsNull(plans[i].module) && plans[i].broken == least && (!isShortest || !isTooLong(plans, i));
}

static int firstThatCanBeTaken(const Plan *plans) {
  int first = 0;
  while (first < NUM_CANDIDATES - 1 && !canBeTaken(plans, first))
    ++first;
  return first;
}

/// Of the cheapest plan and those that cost hardly more the one with the fewest launches. AStitch's can always be
/// taken where there are no rules.
static int bestOf(const Plan *plans) {
  static const double tolerance = 0.03; // bench/cost_model: kernels of an H100 are 1.1 times off in the median
  int cheapest = firstThatCanBeTaken(plans);
  if (leastBroken(plans) > 0) // an error, which the simplest plan explains best
    return cheapest;
  for (int i = 0; i < NUM_CANDIDATES; ++i)
    cheapest = plans[i].cost.total < plans[cheapest].cost.total && canBeTaken(plans, i) ? i : cheapest;
  int best = cheapest;
  for (int i = 0; i < NUM_CANDIDATES; ++i)
    if (plans[i].cost.total <= (1 + tolerance) * plans[cheapest].cost.total && canBeTaken(plans, i) &&
        isSimpler(&plans[i], &plans[best]))
      best = i;
  return best;
}

/// Makes and costs all plans, side by side; the number of the cheapest, or -1 after an error.
static int makePlans(StitchPassRun run, MlirOperation module, const StitchDevice *device, Plan *plans) {
  MlirOperation last = mlirBlockGetFirstOperation(irBody(module, 0));
  while (!mlirOperationIsNull(irNextOp(last)))
    last = irNextOp(last);
  unsigned does = 0;
  for (int i = 0; i < NUM_REWRITES; ++i)
    does |= (unsigned)doesSomething(i, module, last) << i;
  for (int i = 0; i < NUM_CANDIDATES; ++i)
    if ((candidates[i].needs & ~does) == 0)
      plans[i].module = copyGraphs(module, last);
  Planning planning = {.device = device, .options = optionsOf(run), .plans = plans};
  planning.options.adaptive = false;
  bool isLarge = countOps(plans[0].module) > MANY_OPS;
  if (isLarge)
    makePlan(&planning, 0);
  planning.maySkip = isLarge;
  makePlan(&planning, PATTERNS_FIRST);
  stitchRunInThreads(mlirOperationGetContext(module), NUM_CANDIDATES, makePlan, &planning);
  for (int i = 0; i < NUM_CANDIDATES; ++i) {
    if (plans[i].failed)
      return -1;
    if (mlirOperationIsNull(plans[i].module)) { // `same` comes before, and may be one that is not made itself
      plans[i].cost = plans[candidates[i].same].cost;
      plans[i].numOps = plans[candidates[i].same].numOps;
      plans[i].broken = plans[candidates[i].same].broken;
      plans[i].asked = plans[candidates[i].same].asked;
      plans[i].isSkipped = plans[candidates[i].same].isSkipped;
    }
  }
  return bestOf(plans);
}

/// Plans the module itself as a candidate has it.
static bool planAgain(StitchPassRun run, MlirOperation module, int candidate) {
  PlanOptions options = optionsOf(run);
  char *text = planKindPasses(planKindOf(candidates[candidate].name), &options);
  bool succeeded = mlirLogicalResultIsSuccess(stitchPassRunPipeline(run, text, module));
  free(text);
  return succeeded;
}

/// Puts the operations of `plan` in the place of those of the module.
static void takePlan(MlirOperation module, MlirOperation plan) {
  MlirBlock body = irBody(module, 0);
  IR_FOR_EACH_OP_REPLACING(op, body) {
    mlirOperationRemoveFromParent(op);
    if (!mlirOperationEqual(op, plan))
      mlirOperationDestroy(op); // the graphs, and the other plans
  }
  IR_FOR_EACH_OP_REPLACING(op, irBody(plan, 0)) {
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(body, op);
  }
  mlirOperationDestroy(plan);
}

static void destroyPlans(const Plan *plans) {
  for (int i = 0; i < NUM_CANDIDATES; ++i)
    if (!mlirOperationIsNull(plans[i].module)) {
      mlirOperationRemoveFromParent(plans[i].module);
      mlirOperationDestroy(plans[i].module);
    }
}

static const char *verdictOf(const Plan *plans, int best) {
  bool isLeast = true;
  for (int i = 0; i < NUM_CANDIDATES; ++i)
    isLeast = isLeast && (plans[best].cost.total <= plans[i].cost.total || isTooLong(plans, i) ||
                          plans[i].broken > plans[best].broken);
  return isLeast ? ", the least: it is taken" : ", hardly more than the least, with fewer launches: it is taken";
}

static void explain(MlirOperation module, const Plan *plans, int best) {
  for (int i = 0; i < NUM_CANDIDATES; ++i) {
    if (plans[i].isSkipped) {
      stitchRemark(
          module,
          "plan=%s is not made: with its products it has %lld operations, for which LLVM takes minutes; at most "
          "%d are taken, or twice the %lld of plan=astitch-by-cost",
          candidates[i].name, (long long)plans[i].numOps, MOST_OPS, (long long)plans[0].numOps);
      continue;
    }
    const char *verdict = i == best ? verdictOf(plans, best) : isTooLong(plans, i) ? ", but is too long" : "";
    stitchRemark(module, "plan=%s costs %.0f ns%s (%.0f launches, %.0f bytes read, %.0f written)%s", candidates[i].name,
                 plans[i].cost.total, verdict, plans[i].cost.numLaunches, plans[i].cost.bytesRead,
                 plans[i].cost.bytesWritten, plans[i].asked);
    if (plans[i].broken > 0)
      stitchRemark(module, "plan=%s breaks %lld rules or hints", candidates[i].name, (long long)plans[i].broken);
    if (isTooLong(plans, i))
      stitchRemark(module,
                   "plan=%s has %lld operations, for which LLVM takes minutes; at most %d are taken, or twice "
                   "the %lld of plan=astitch-by-cost",
                   candidates[i].name, (long long)plans[i].numOps, MOST_OPS, (long long)plans[0].numOps);
  }
}

static void runBestPlan(StitchPassRun run, MlirOperation module) {
  Plan plans[NUM_CANDIDATES] = {0};
  StitchDevice device;
  if (!passDevice(run, module, "to be planned for", &device))
    return;
  if (mlirOperationIsNull(mlirBlockGetFirstOperation(irBody(module, 0))))
    return;
  MlirContext context = mlirOperationGetContext(module);
  bool remarks = stitchRemarksEnabled(context);
  stitchEnableRemarks(context, false); // of plans that nobody takes
  int best = makePlans(run, module, &device, plans);
  stitchEnableRemarks(context, remarks);
  bool again = remarks || optionsOf(run).adaptive; // for what the passes have to say, or to leave open
  if (best < 0 || again)
    destroyPlans(plans);
  else
    takePlan(module, plans[best].module);
  if (best >= 0 && remarks)
    explain(module, plans, best);
  if (best < 0 || (again && !planAgain(run, module, best)))
    stitchPassSignalFailure(run);
}

static const StitchPassOption options[] = {
    {"f32-epilogues", "option of stitch-outline", STITCH_OPTION_STRING, 0, "false"},
    {"adaptive", "true: the cheapest plan goes on with stitch-enumerate", STITCH_OPTION_STRING, 0, "false"},
    {"growth", "option of stitch-enumerate", STITCH_OPTION_STRING, 0, "60"},
    {"precision", "strict: loops that rolled recurrences become are not distributed", STITCH_OPTION_STRING, 0,
     "default"},
};

static const StitchValidValues valid[] = {
    {"f32-epilogues", "true|false"},
    {"adaptive", "true|false"},
    {"growth", "~[0-9]+~a number of percent"},
    {"precision", "strict|default|fast"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchBestPlanPass = {
    .argument = "stitch-best-plan",
    .description = "Make several whole plans and keep the cheapest by the cost model",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "tg",
    .after = "convert-linalg-to-tg|convert-tosa-to-tg|convert-stablehlo-to-tg",
    .run = runBestPlan,
};
