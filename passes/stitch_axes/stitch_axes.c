//===- stitch_axes.c - stitch-axes ---------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Task loops of several axes (docs/ir.md, "Axes"). Takes fusions whose roots have mappings by rows and columns; gives
// the roots of some groups a mapping of axes (#stitch.axes), if the kernel is faster then by the cost model: groups
// within rows, reductions along different dimensions of one tensor, along middle ones, results in another order. Not in
// the papers, which map each root to rows or columns.
//
//   1. Only where a reader of a root waits for other blocks, or two groups read one large input in different loops, can
//      there be something to gain.
//   2. The axes that roots have in common (space.c), and loops of roots that share some. What waits for another block
//      in between cannot be in the loop; nor can what makes its task larger than a cluster's registers.
//   3. The distribution of the axes (distribution.c).
//   4. The fusion is planned by rows and columns, and with the loops if they can save a part of that; the cheaper plan
//      is taken.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_axes/stitch_axes.h"
#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/mlir/text.h"
#include "ir/plan/kernel_cost.h"
#include "ir/plan/persistent.h"
#include "passes/common/fusions.h"
#include "passes/common/kernel_module.h"
#include "passes/common/plan_kinds.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_SPLIT_ROWS };
enum { STATISTIC_LOOPS, STATISTIC_TRIED };

typedef struct {
  StitchPassRun run;
  MlirOperation fusion;
  const IrGraph *graph;
  GroupView view;
  const StitchDevice *device;
  StitchMapping *mappings;
  bool *isIn; ///< groups that may be in a loop of axes
  AxesLoop *loops;
  int64_t numLoops;
  bool isPlanned; ///< by rows and columns, which takes `apart` ns, or cannot be done: negative
  double apart;
} Planner;

//===----------------------------------------------------------------------===//
// 1. What there is to gain
//===----------------------------------------------------------------------===//

/// Whether a group waits for another block of what it reads.
static bool waits(Planner *p, int64_t group) {
  GroupRead *reads;
  int64_t count = readsOfMappedGroup(&p->view, p->mappings, group, &reads);
  bool found = false;
  for (int64_t i = 0; i < count; ++i)
    found |= obstacleToRegional(&p->view, p->mappings, &reads[i], group) != NULL;
  free(reads);
  return found;
}

/// Whether groups of different loops read one input that has many elements.
static bool shareInput(const Planner *p) {
  enum { MANY = 1 << 10 };
  int64_t numArguments = mlirBlockGetNumArguments(p->graph->block);
  int64_t *reader = irAllocate(sizeof(int64_t) * (size_t)(numArguments + 1));
  memset(reader, -1, sizeof(int64_t) * (size_t)(numArguments + 1));
  bool found = false;
  for (int64_t i = 0; i < p->graph->numNodes && !found; ++i)
    for (int64_t j = 0; j < p->graph->nodes[i].numOperands; ++j) {
      GraphOperand operand = p->graph->nodes[i].operands[j];
      if (operand.node >= 0 || irNumElements(irShapeOf(irOperand(p->graph->nodes[i].op, j))) < MANY)
        continue;
      int64_t group = p->view.group[i], *other = &reader[operand.number];
      found |=
          *other >= 0 && !planSameLoop(&p->mappings[p->view.dominant[group]], &p->mappings[p->view.dominant[*other]]);
      *other = group;
    }
  free(reader);
  return found;
}

static bool isWorthLooking(Planner *p) {
  bool found = shareInput(p);
  for (int64_t g = 0; g < p->view.numGroups && !found; ++g)
    found = waits(p, g);
  return found;
}

//===----------------------------------------------------------------------===//
// 2. Loops
//===----------------------------------------------------------------------===//

/// Stacks of vectors have loops of their own, and so may rows that are split among blocks.
static void findGroups(Planner *p) {
  bool takesSplit = stitchPassGetBool(p->run, OPTION_SPLIT_ROWS);
  for (int64_t g = 0; g < p->view.numGroups; ++g) {
    const StitchMapping *mapping = &p->mappings[p->view.dominant[g]];
    bool isSplit = mapping->kind == STITCH_MAPPING_ROW && mapping->split > 1;
    p->isIn[g] = !groupIsStacked(&p->view, g) && (takesSplit || !isSplit);
  }
}

static void leaveOut(Planner *p, int64_t group, const char *reason) {
  p->isIn[group] = false;
  stitchRemark(p->graph->nodes[p->view.dominant[group]].op, "group %lld is in no loop of axes: %s", (long long)group,
               reason);
}

/// The loop of each root, -1: of none.
static int64_t *loopOfRoots(Planner *p) {
  int64_t *loopOf = IR_NEW_ARRAY(&p->view.arena, int64_t, p->graph->numNodes);
  memset(loopOf, -1, sizeof(int64_t) * (size_t)p->graph->numNodes);
  for (int64_t l = 0; l < p->numLoops; ++l)
    for (int64_t i = 0; i < p->loops[l].numRoots; ++i)
      loopOf[p->loops[l].roots[i]] = l;
  return loopOf;
}

/// Takes a group out of the loops that waits for a root of its own loop by way of another loop. False if there is none.
static bool leaveOutWaiting(Planner *p) {
  const int64_t *loopOf = loopOfRoots(p);
  bool *behind = IR_NEW_ARRAY(&p->view.arena, bool, p->graph->numNodes);
  for (int64_t l = 0; l < p->numLoops; ++l) {
    memset(behind, 0,
           sizeof(bool) * (size_t)p->graph->numNodes); // by node: comes after another loop that reads this one
    bool *after = IR_NEW_ARRAY(&p->view.arena, bool, p->graph->numNodes);
    for (int64_t i = 0; i < p->graph->numNodes; ++i) {
      const GraphNode *node = &p->graph->nodes[i];
      for (int64_t j = 0; j < node->numOperands; ++j) {
        int64_t from = node->operands[j].node;
        after[i] |= from >= 0 && after[from];
        behind[i] |= from >= 0 && behind[from];
      }
      bool isRoot = groupIsRoot(&p->view, i);
      if (isRoot && loopOf[i] == l && behind[i]) {
        leaveOut(p, p->view.group[i], "it waits for another loop that waits for this one");
        return true;
      }
      behind[i] |= isRoot && loopOf[i] != l && after[i];
      after[i] |= isRoot && loopOf[i] == l;
    }
  }
  return false;
}

/// The axes that the reduces of a loop's groups reduce, less those of one group.
static AxisSet reducedWithout(const Planner *p, const AxesLoop *loop, int64_t group) {
  AxisSet reduced = 0;
  bool isValid;
  for (int64_t i = 0; i < loop->numRoots; ++i)
    if (p->view.group[loop->roots[i]] != group)
      reduced |= axesReduced(p->graph->nodes[loop->roots[i]].op, &loop->mappings[i], &isValid);
  return reduced;
}

/// Elements of the largest root of a group.
static int64_t elementsOfGroup(const Planner *p, int64_t group) {
  int64_t most = 0;
  for (int64_t k = p->view.first[group]; k < p->view.first[group + 1]; ++k)
    if (groupIsRoot(&p->view, p->view.nodes[k]))
      most = max64(most, irNumElements(planIterationShape(p->graph->nodes[p->view.nodes[k]].op)));
  return most;
}

/// Makes the tasks of a loop smaller: takes the group with the fewest elements out that alone reduces some axis, of
/// equal ones the last; if there is none, the last group.
static void leaveOutSmallest(Planner *p, const AxesLoop *loop) {
  int64_t least = -1, elements = INT64_MAX, last = 0;
  for (int64_t i = 0; i < loop->numRoots; ++i) {
    int64_t group = p->view.group[loop->roots[i]];
    last = max64(last, group);
    bool matters = reducedWithout(p, loop, group) != loop->reduced;
    int64_t ofGroup = elementsOfGroup(p, group);
    if (!matters || ofGroup > elements || (ofGroup == elements && group < least))
      continue;
    least = group;
    elements = ofGroup;
  }
  leaveOut(p, least >= 0 ? least : last, "the axes that it reduces make a task larger than registers");
}

/// Whether the groups of a loop were in several before, or one of them waits.
static bool joinsLoops(Planner *p, const AxesLoop *loop) {
  for (int64_t i = 0; i < loop->numRoots; ++i)
    if (p->view.dominant[p->view.group[loop->roots[i]]] == loop->roots[i] && waits(p, p->view.group[loop->roots[i]]))
      return true;
  for (int64_t i = 1; i < loop->numRoots; ++i) {
    const StitchMapping *a = &p->mappings[loop->roots[0]], *b = &p->mappings[loop->roots[i]];
    if (p->view.group[loop->roots[0]] != p->view.group[loop->roots[i]] && !planSameLoop(a, b))
      return true;
  }
  return false;
}

static double instructionsOf(Planner *p, const AxesLoop *loop) {
  double sum = 0;
  bool *isOf = IR_NEW_ARRAY(&p->view.arena, bool, p->view.numGroups);
  for (int64_t i = 0; i < loop->numRoots; ++i)
    isOf[p->view.group[loop->roots[i]]] = true;
  for (int64_t i = 0; i < p->graph->numNodes; ++i) {
    const GraphNode *node = &p->graph->nodes[i];
    int64_t elements =
        node->class == TG_CLASS_REDUCE ? irNumElements(irShapeOf(irOperand(node->op, 0))) : node->elements;
    sum += isOf[p->view.group[i]] ? (double)elements * (double)costInstructionsOf(node->op) : 0;
  }
  return sum;
}

/// The most that a loop can save, in nanoseconds: a barrier for each group that waits, and what goes to memory more
/// than once, by as many loops as there were.
static double mostSaved(Planner *p, const AxesLoop *loop) {
  double barriers = 0, bytes = 0, apart = 0;
  for (int64_t i = 0; i < loop->numRoots; ++i) {
    int64_t group = p->view.group[loop->roots[i]];
    bool isNew = true;
    for (int64_t j = 0; j < i; ++j)
      isNew &= !planSameLoop(&p->mappings[loop->roots[i]], &p->mappings[loop->roots[j]]);
    apart += isNew;
    if (p->view.dominant[group] == loop->roots[i] && waits(p, group))
      barriers += 1;
  }
  for (int64_t i = 0; i < loop->numValues; ++i)
    bytes += (double)irTensorBytes(mlirValueGetType(loop->values[i].value));
  return barriers * costOfBarrier(p->device, 1) + costOfMoving(p->device, 2 * (barriers + apart) * bytes);
}

/// Whether that is a part of what moving the fusion's inputs and results takes that is worth planning it twice.
static bool areWorthPlanning(Planner *p) {
  static const double least = 0.05;
  double saved = 0, bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(p->fusion); ++i)
    bytes += (double)irTensorBytes(mlirValueGetType(irOperand(p->fusion, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(p->fusion); ++i)
    bytes += (double)irTensorBytes(mlirValueGetType(irResult(p->fusion, i)));
  for (int64_t l = 0; l < p->numLoops; ++l)
    saved += mostSaved(p, &p->loops[l]);
  return saved >= least * costOfMoving(p->device, bytes);
}

/// By so much the model has to prefer a loop of axes: its error for kernels that were measured (bench/cost_model) is
/// larger, and rows and columns have longer vectors where sizes are odd.
#define LEAST_GAIN 1.03

/// Plans the fusion by rows and columns. If it stays so, whoever plans it behind this pass finds its time.
static void planApart(Planner *p) {
  if (p->isPlanned)
    return;
  char *problem;
  p->apart = kernelTimeWith(p->fusion, NULL, p->device, PLAN_BEHIND_AXES, &problem);
  p->isPlanned = true;
  free(problem);
}

/// Whether the kernel takes hardly more by rows and columns than any kernel: its launch, and its bytes once.
static bool isFastApart(Planner *p) {
  planApart(p);
  double least = (double)p->device->launchNs + costOfMoving(p->device, fusionLeastBytes(p->fusion));
  return p->apart >= 0 && p->apart <= LEAST_GAIN * least;
}

/// Whether the loops have all groups of the fusion, so that they decide about the block.
static bool haveAll(const Planner *p) {
  for (int64_t g = 0; g < p->view.numGroups; ++g)
    if (!p->isIn[g])
      return false;
  return p->numLoops == 1;
}

/// What waits for a split reduce, has fewer elements than the loop, and is read by none of its roots, is computed by a
/// few threads in a later phase instead of by those of all tasks.
static void mapFlat(Planner *p, AxesLoop *loop) {
  int64_t elements = 0, *split = IR_NEW_ARRAY(&p->view.arena, int64_t, p->graph->numNodes); // that a node waits for
  int64_t *rootOf = IR_NEW_ARRAY(&p->view.arena, int64_t, p->graph->numNodes);
  bool *isRead = IR_NEW_ARRAY(&p->view.arena, bool, p->graph->numNodes); // by a root of the loop
  for (int64_t i = 0; i < loop->numRoots; ++i) {
    rootOf[loop->roots[i]] = 1 + i;
    elements = max64(elements, loop->mappings[i].columns);
  }
  for (int64_t i = p->graph->numNodes; i-- > 0;)
    for (int64_t j = 0; j < p->graph->nodes[i].numUsers; ++j)
      isRead[i] |= rootOf[p->graph->nodes[i].users[j]] > 0 || isRead[p->graph->nodes[i].users[j]];
  for (int64_t i = 0; i < p->graph->numNodes; ++i) {
    const GraphNode *node = &p->graph->nodes[i];
    for (int64_t j = 0; j < node->numOperands; ++j)
      if (node->operands[j].node >= 0)
        split[i] = max64(split[i], split[node->operands[j].node]);
    StitchMapping *m = rootOf[i] ? &loop->mappings[rootOf[i] - 1] : NULL;
    if (m && node->class != TG_CLASS_REDUCE && split[i] > 1 && !isRead[i] && m->columns < elements)
      *m = planCombineMapping(node->elements, split[i], planBlockSize(m));
    if (m && node->class == TG_CLASS_REDUCE)
      split[i] = max64(split[i], m->split);
  }
}

/// Finds loops and distributions of their axes. False if there are none that join what was apart.
static bool findLoops(Planner *p) {
  findGroups(p);
  for (;;) {
    p->numLoops = findAxesLoops(&p->view, p->isIn, &p->loops);
    int64_t count = 0;
    for (int64_t l = 0; l < p->numLoops; ++l) { // of others the mappings stay
      if (joinsLoops(p, &p->loops[l]))
        p->loops[count++] = p->loops[l];
      else
        for (int64_t i = 0; i < p->loops[l].numRoots; ++i)
          p->isIn[p->view.group[p->loops[l].roots[i]]] = false;
    }
    p->numLoops = count;
    if (p->numLoops == 0)
      return false;
    if (!areWorthPlanning(p) || isFastApart(p))
      return false;
    if (leaveOutWaiting(p))
      continue;
    int64_t block = haveAll(p) ? 0 : planBlockSize(&p->mappings[p->view.dominant[0]]), l = 0;
    while (l < p->numLoops && distributeAxes(&p->view, p->device, instructionsOf(p, &p->loops[l]), block, &p->loops[l]))
      ++l;
    for (int64_t i = 0; l == p->numLoops && i < l; ++i)
      mapFlat(p, &p->loops[i]);
    if (l == p->numLoops)
      return true;
    leaveOutSmallest(p, &p->loops[l]);
  }
}

//===----------------------------------------------------------------------===//
// 4. Both plans
//===----------------------------------------------------------------------===//

/// The mappings of the loops' roots, by node; the others have none.
static const StitchMapping *const *mappingsOfLoops(Planner *p) {
  const StitchMapping **mappings = IR_NEW_ARRAY(&p->view.arena, const StitchMapping *, p->graph->numNodes + 1);
  for (int64_t l = 0; l < p->numLoops; ++l)
    for (int64_t i = 0; i < p->loops[l].numRoots; ++i)
      mappings[p->loops[l].roots[i]] = &p->loops[l].mappings[i];
  return mappings;
}

static void explain(const Planner *p, const AxesLoop *loop, double apart, double together) {
  IrArena arena = {0};
  IrText sizes = {.arena = &arena};
  for (int64_t i = 0; i < loop->numAxes; ++i)
    irTextFormat(&sizes, "%s%lld", i ? " x " : "", (long long)loop->sizes[i]);
  char *template = templateOfMapping(p->graph->nodes[loop->roots[0]].op, &loop->mappings[0]);
  stitchRemark(p->graph->nodes[loop->roots[0]].op,
               "one loop of %lld roots over axes of %s, %s: the kernel takes %.0f ns, %.0f ns by rows and columns",
               (long long)loop->numRoots, sizes.data, strchr(template, '['), together, apart);
  free(template);
  irArenaDestroy(&arena);
}

/// Loops whose estimate is beyond so many times what rows and columns take are not planned: of 2,170 loops of eleven
/// models none with an estimate beyond 1.5 times it was taken.
#define MOST_ESTIMATE 2

static double estimateOf(const Planner *p) {
  double ns = 0;
  for (int64_t l = 0; l < p->numLoops; ++l)
    ns += p->loops[l].ns;
  return ns;
}

static void chooseMappings(Planner *p) {
  char *problem;
  double apart = p->apart, estimate = estimateOf(p);
  if (apart >= 0 && estimate > MOST_ESTIMATE * apart) {
    stitchRemark(p->fusion,
                 "no loop of axes: it would take about %.0f ns; the kernel takes %.0f ns by rows and columns", estimate,
                 apart);
    return;
  }
  const StitchMapping *const *mappings = mappingsOfLoops(p);
  double together = kernelTimeWith(p->fusion, mappings, p->device, PLAN_BEHIND_AXES, &problem);
  stitchPassAddStatistic(p->run, STATISTIC_TRIED, 1);
  if (problem)
    stitchRemark(p->fusion, "no loop of axes: %s", problem);
  free(problem);
  if (together < 0)
    return;
  if (apart >= 0 && apart <= LEAST_GAIN * together) {
    stitchRemark(p->fusion, "no loop of axes: the kernel would take %.0f ns, and takes %.0f ns by rows and columns",
                 together, apart);
    return;
  }
  for (int64_t l = 0; l < p->numLoops; ++l)
    explain(p, &p->loops[l], apart, together);
  kernelSetMappings(p->fusion, mappings);
  stitchPassAddStatistic(p->run, STATISTIC_LOOPS, p->numLoops);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  if (!fusionHasKnownSizes(fusion) || irHasAttr(fusion, PLAN_PERSISTENT))
    return true;
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  Planner p = {.run = run, .fusion = fusion, .graph = &graph, .device = device};
  bool succeeded = groupViewCreate(&p.view, &graph) && mappingsOf(&p.view, &p.mappings);
  if (succeeded) {
    p.isIn = IR_NEW_ARRAY(&p.view.arena, bool, p.view.numGroups);
    if (isWorthLooking(&p) && findLoops(&p))
      chooseMappings(&p);
  }
  groupViewDestroy(&p.view);
  irGraphDestroy(&graph);
  return succeeded;
}

static void runAxes(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassOption options[] = {
    {"split-rows", "false: rows that are split among blocks stay so", STITCH_OPTION_BOOL, 1, NULL},
};

static const StitchPassStatistic statistics[] = {
    {"loops", "task loops of several axes"},
    {"tried", "fusions that were planned both ways"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__, mlirGetDialectHandle__tg__};

const StitchPassInfo stitchAxesPass = {
    .argument = "stitch-axes",
    .description = "Let groups that go by different rows and columns share a task loop of several axes",
    .anchor = "builtin.module",
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runAxes,
};
