//===- schedule.c - the schedule of a kernel ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion's groups, mappings and schemes. Derives phases from global values, task loops from equal tasks, stages
// from waits between roots; writes them as stitch.schedule and stitch.task, and reads them back.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/schedule.h"

#include "capi/diagnostics.h"
#include "ir/graph/tg.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/symbol.h"
#include "ir/plan/persistent.h"

static bool isReduce(const IrGraph *graph, int64_t node) { return graph->nodes[node].class == TG_CLASS_REDUCE; }

static int64_t groupOf(const IrGraph *graph, int64_t root) {
  return irGetInt(graph->nodes[root].op, "stitch.group", 0);
}

static bool *findRoots(const IrGraph *graph, IrArena *arena) {
  bool *isRoot = IR_NEW_ARRAY(arena, bool, graph->numNodes);
  for (int64_t i = 0; i < graph->numNodes; ++i)
    isRoot[i] = planIsRoot(graph->nodes[i].op);
  return isRoot;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

static void findPhases(const IrGraph *graph, const StitchScheme *schemes, int64_t *phases) {
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    const GraphNode *node = &graph->nodes[i];
    phases[i] = 0;
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      if (from >= 0)
        phases[i] = max64(phases[i], phases[from] + (schemes[from] == STITCH_SCHEME_GLOBAL));
    }
  }
}

/// The phases in which values are read, the last ones or the first.
static void findReadPhases(const IrGraph *graph, const bool *isRoot, const int64_t *phases, bool last, int64_t *read) {
  for (int64_t i = graph->numNodes; i-- > 0;) {
    const GraphNode *node = &graph->nodes[i];
    read[i] = -1;
    for (int64_t j = 0; j < node->numUsers; ++j) {
      int64_t user = node->users[j], phase = isRoot[user] ? phases[user] : read[user];
      bool isNearer = read[i] < 0 || (last ? phase > read[i] : phase < read[i]);
      if (phase >= 0 && isNearer)
        read[i] = phase;
    }
  }
}

int64_t *phasesOf(GroupView *view, const StitchScheme *schemes) {
  int64_t *phases = IR_NEW_ARRAY(&view->arena, int64_t, view->graph->numNodes);
  findPhases(view->graph, schemes, phases);
  return phases;
}

int64_t *firstPhasesOf(GroupView *view, const int64_t *phases) {
  int64_t *read = IR_NEW_ARRAY(&view->arena, int64_t, view->graph->numNodes);
  findReadPhases(view->graph, findRoots(view->graph, &view->arena), phases, /*last=*/false, read);
  return read;
}

bool settleSchemes(GroupView *view, StitchScheme *schemes) {
  const bool *isRoot = findRoots(view->graph, &view->arena);
  int64_t *phases = IR_NEW_ARRAY(&view->arena, int64_t, view->graph->numNodes);
  int64_t *last = IR_NEW_ARRAY(&view->arena, int64_t, view->graph->numNodes);
  bool changed = true, any = false;
  while (changed) {
    changed = false;
    findPhases(view->graph, schemes, phases);
    findReadPhases(view->graph, isRoot, phases, /*last=*/true, last);
    for (int64_t i = 0; i < view->graph->numNodes; ++i)
      if (schemes[i] == STITCH_SCHEME_REGIONAL && last[i] > phases[i]) {
        schemes[i] = STITCH_SCHEME_GLOBAL;
        changed = any = true;
      }
  }
  return any;
}

//===----------------------------------------------------------------------===//
// Task loops
//===----------------------------------------------------------------------===//

/// Whether a reduce reduces the outermost dimension.
static bool reducesOutermost(MlirOperation op) {
  IrShape dims = irGetDims(op, "dims");
  for (intptr_t i = 0; i < dims.rank; ++i)
    if (dims.dims[i] == 0)
      return true;
  return irGetInt(op, "dim", -1) == 0;
}

PlanOpenSizes planOpenSizes(MlirOperation root, const StitchMapping *m) {
  bool reduces = tgClassOfKind(tgKindOf(root)) == TG_CLASS_REDUCE;
  MlirValue iterated = reduces || planGoesByOperand(root) ? irOperand(root, 0) : irResult(root, 0);
  MlirAttribute symbol = irSymbolName(mlirValueGetType(iterated)), none = {NULL};
  bool isKept = m->kind == STITCH_MAPPING_KEPT; // has the columns of its loop alone
  bool inRows = m->kind == STITCH_MAPPING_COLUMN && reduces ? reducesOutermost(root) : m->rows > 1 && !isKept;
  return inRows ? (PlanOpenSizes){symbol, none} : (PlanOpenSizes){none, symbol};
}

/// Whether the open sizes that all roots of a loop share depend on the same symbols.
static bool sameSizes(const PlanLoop *loop, const StitchMapping *m, const PlanOpenSizes *open) {
  bool rowsAlone = loop->mapping.kind == STITCH_MAPPING_ROW; // each root knows the length of its row
  bool isKept = m->kind == STITCH_MAPPING_KEPT;              // goes through no rows
  return (isKept || mlirAttributeEqual(loop->open.ofRows, open->ofRows)) &&
         (rowsAlone || mlirAttributeEqual(loop->open.ofColumns, open->ofColumns));
}

/// A schedule in the making, of a fusion whose roots have mappings and schemes.
typedef struct {
  PlanSchedule schedule;
  const IrGraph *graph;
  IrArena *arena;
  const bool *isRoot;
  const StitchMapping *mappings;
  const StitchScheme *schemes;
  int64_t *replicatedRead; ///< by node: lastReplicatedRead of the current phase
} Finder;

static int64_t addLoop(PlanSchedule *s, PlanLoop loop) {
  loop.keptFrom = -1;
  s->loops[s->numLoops] = loop;
  return s->numLoops++;
}

static void addFinishingLoop(Finder *f, int64_t root) {
  const GraphNode *node = &f->graph->nodes[root];
  const StitchMapping *m = &f->mappings[root];
  PlanOpenSizes open = {{NULL}, irSymbolName(mlirValueGetType(irResult(node->op, 0)))};
  f->schedule.finishedIn[root] =
      addLoop(&f->schedule, (PlanLoop){.mapping = planCombineMapping(node->elements, m->split, planBlockSize(m)),
                                       .open = open,
                                       .phase = f->schedule.phases[root] + 1,
                                       .finishes = true});
}

/// The loop that computes a root: one of those from `first` on, which are of its phase and not before its operands, or
/// a new one.
static int64_t loopOfRoot(Finder *f, int64_t root, int64_t first) {
  PlanSchedule *s = &f->schedule;
  const StitchMapping *m = &f->mappings[root];
  PlanOpenSizes open = planOpenSizes(f->graph->nodes[root].op, m);
  for (int64_t i = first; i < s->numLoops; ++i)
    if (!s->loops[i].finishes && planSameLoop(&s->loops[i].mapping, m) && sameSizes(&s->loops[i], m, &open))
      return i;
  return addLoop(s, (PlanLoop){.mapping = planLoopMapping(m), .open = open, .phase = s->phases[root]});
}

/// The last replicated loop of a phase whose values a node reads, through members; -1: none. The loops of earlier nodes
/// are known.
static int64_t lastReplicatedRead(const Finder *f, int64_t node, int64_t phase) {
  const PlanSchedule *s = &f->schedule;
  int64_t last = -1;
  for (int64_t j = 0; j < f->graph->nodes[node].numOperands; ++j) {
    int64_t from = f->graph->nodes[node].operands[j].node;
    bool isThere = from >= 0 && f->isRoot[from] && f->mappings[from].isReplicated && s->phases[from] == phase;
    if (from >= 0 && (isThere || !f->isRoot[from]))
      last = max64(last, isThere ? s->loopOf[from] : f->replicatedRead[from]);
  }
  return last;
}

/// The loops of a phase, in the order of their first roots. A replicated one comes behind those whose values it reads.
static void findLoopsOfPhase(Finder *f, int64_t phase) {
  int64_t first = f->schedule.numLoops;
  for (int64_t i = 0; i < f->graph->numNodes; ++i) {
    f->replicatedRead[i] = lastReplicatedRead(f, i, phase);
    if (!f->isRoot[i])
      continue;
    if (f->schedule.phases[i] == phase)
      f->schedule.loopOf[i] =
          loopOfRoot(f, i, f->mappings[i].isReplicated ? max64(first, f->replicatedRead[i]) : first);
    else if (f->schedule.phases[i] == phase - 1 && planIsFinishedLater(f->graph->nodes[i].op, &f->mappings[i]))
      addFinishingLoop(f, i);
  }
}

static void findLoops(Finder *f) {
  PlanSchedule *s = &f->schedule;
  int64_t numNodes = f->graph->numNodes;
  s->loops = IR_NEW_ARRAY(f->arena, PlanLoop, 2 * numNodes);
  s->loopOf = IR_NEW_ARRAY(f->arena, int64_t, numNodes);
  s->finishedIn = IR_NEW_ARRAY(f->arena, int64_t, numNodes);
  f->replicatedRead = IR_NEW_ARRAY(f->arena, int64_t, numNodes);
  s->numPhases = 1;
  for (int64_t i = 0; i < numNodes; ++i) {
    s->loopOf[i] = s->finishedIn[i] = -1;
    if (f->isRoot[i])
      s->numPhases =
          max64(s->numPhases, s->phases[i] + 1 + planIsFinishedLater(f->graph->nodes[i].op, &f->mappings[i]));
  }
  for (int64_t phase = 0; phase < s->numPhases; ++phase)
    findLoopsOfPhase(f, phase);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// For each node the reduces of rows and of axes on the longest path to it, without itself. Those of one stage do not
/// depend on each other: if they have one mapping, one exchange between the threads will do for them.
static void findRowStages(Finder *f) {
  int64_t *stages = f->schedule.stages;
  for (int64_t i = 0; i < f->graph->numNodes; ++i) {
    const GraphNode *node = &f->graph->nodes[i];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      bool isCounted = from >= 0 && f->isRoot[from] && isReduce(f->graph, from) &&
                       (f->mappings[from].kind == STITCH_MAPPING_ROW || f->mappings[from].kind == STITCH_MAPPING_AXES);
      stages[i] = from < 0 ? stages[i] : max64(stages[i], stages[from] + isCounted);
    }
  }
}

static bool isOfColumns(const PlanSchedule *s, int64_t node) {
  return s->loopOf[node] >= 0 && s->loops[s->loopOf[node]].mapping.kind == STITCH_MAPPING_COLUMN;
}

/// A task of a column loop goes by steps: even ones go over the rows, odd ones have the kept elements. A reduce is
/// complete behind its step.
static void findColumnStages(Finder *f) {
  const PlanSchedule *s = &f->schedule;
  int64_t *steps = IR_NEW_ARRAY(f->arena, int64_t, f->graph->numNodes); // of members: the first they can have
  for (int64_t i = 0; i < f->graph->numNodes; ++i) {
    const GraphNode *node = &f->graph->nodes[i];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      bool isRoot = from >= 0 && f->isRoot[from];
      if (from < 0 || (isRoot && (f->schemes[from] != STITCH_SCHEME_REGIONAL || !isOfColumns(s, from))))
        continue;
      steps[i] = max64(steps[i], steps[from] + (isRoot && isReduce(f->graph, from)));
    }
    if (!isOfColumns(s, i))
      continue;
    steps[i] += steps[i] % 2 != (f->mappings[i].kind == STITCH_MAPPING_KEPT);
    s->stages[i] = (steps[i] + 1) / 2;
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void findSchedule(Finder *f) {
  PlanSchedule *s = &f->schedule;
  s->phases = IR_NEW_ARRAY(f->arena, int64_t, f->graph->numNodes);
  s->lastPhases = IR_NEW_ARRAY(f->arena, int64_t, f->graph->numNodes);
  s->stages = IR_NEW_ARRAY(f->arena, int64_t, f->graph->numNodes);
  findPhases(f->graph, f->schemes, s->phases);
  findReadPhases(f->graph, f->isRoot, s->phases, /*last=*/true, s->lastPhases);
  findLoops(f);
  findRowStages(f);
  findColumnStages(f);
}

static void writeLoops(MlirOperation fusion, IrArena *arena, const PlanSchedule *s) {
  StitchLoop *loops = IR_NEW_ARRAY(arena, StitchLoop, s->numLoops);
  for (int64_t i = 0; i < s->numLoops; ++i)
    loops[i] = (StitchLoop){s->loops[i].phase, s->loops[i].mapping, s->loops[i].keptFrom};
  irSetAttr(fusion, PLAN_SCHEDULE, stitchScheduleAttrGet(mlirOperationGetContext(fusion), s->numLoops, loops));
}

static void writeSchedule(const Finder *f, MlirOperation fusion) {
  const PlanSchedule *s = &f->schedule;
  MlirContext context = mlirOperationGetContext(fusion);
  writeLoops(fusion, f->arena, s);
  for (int64_t i = 0; i < f->graph->numNodes; ++i) {
    if (!f->isRoot[i])
      continue;
    int64_t finishing = s->finishedIn[i] < 0 ? -1 : s->loops[s->finishedIn[i]].phase;
    int64_t last = max64(s->lastPhases[i], finishing);
    StitchRootTask task = {s->loopOf[i], s->stages[i], last > s->phases[i] ? last : -1, s->finishedIn[i]};
    irSetAttr(f->graph->nodes[i].op, PLAN_TASK, stitchTaskAttrGet(context, task));
  }
}

/// The mappings and schemes of the roots. A split reduce leaves partial results, whatever its scheme.
static bool readRoots(const Finder *f, StitchMapping *mappings, StitchScheme *schemes) {
  for (int64_t i = 0; i < f->graph->numNodes; ++i) {
    MlirOperation op = f->graph->nodes[i].op;
    schemes[i] = STITCH_SCHEME_LOCAL;
    if (!f->isRoot[i])
      continue;
    if (!planGetMapping(op, &mappings[i]) || !planGetScheme(op, &schemes[i])) {
      stitchEmitOpError(op, "is a root but has no stitch.mapping or no stitch.scheme: run stitch-schemes first");
      return false;
    }
    if (isReduce(f->graph, i) && mappings[i].split > 1)
      schemes[i] = STITCH_SCHEME_GLOBAL;
  }
  return true;
}

bool scheduleWrite(MlirOperation fusion) {
  IrArena arena = {0};
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  StitchMapping *mappings = IR_NEW_ARRAY(&arena, StitchMapping, graph.numNodes);
  StitchScheme *schemes = IR_NEW_ARRAY(&arena, StitchScheme, graph.numNodes);
  Finder f = {
      .graph = &graph, .arena = &arena, .isRoot = findRoots(&graph, &arena), .mappings = mappings, .schemes = schemes};
  bool succeeded = readRoots(&f, mappings, schemes);
  if (succeeded)
    findSchedule(&f);
  if (succeeded && f.schedule.numLoops == 0) {
    stitchEmitOpError(fusion, "has no root: there is nothing to compute");
    succeeded = false;
  }
  if (succeeded)
    writeSchedule(&f, fusion);
  irGraphDestroy(&graph);
  irArenaDestroy(&arena);
  return succeeded && scheduleWriteKept(fusion);
}

void scheduleRemove(MlirOperation fusion) {
  mlirOperationRemoveAttributeByName(fusion, mlirStringRefCreateFromCString(PLAN_SCHEDULE));
  IR_FOR_EACH_OP(op, irBody(fusion, 0))
    mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString(PLAN_TASK));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool readLoops(MlirOperation fusion, IrArena *arena, PlanSchedule *s) {
  MlirAttribute attribute = irGetAttr(fusion, PLAN_SCHEDULE);
  if (mlirAttributeIsNull(attribute) || !stitchAttributeIsASchedule(attribute)) {
    stitchEmitOpError(fusion, "has no " PLAN_SCHEDULE ": run stitch-schedule first");
    return false;
  }
  s->numLoops = stitchScheduleAttrNumLoops(attribute);
  s->loops = IR_NEW_ARRAY(arena, PlanLoop, s->numLoops);
  for (int64_t i = 0; i < s->numLoops; ++i) {
    StitchLoop loop = stitchScheduleAttrLoop(attribute, i);
    s->loops[i] = (PlanLoop){.mapping = loop.mapping, .phase = loop.phase, .keptFrom = loop.keptFrom};
  }
  s->numPhases = s->loops[s->numLoops - 1].phase + 1;
  s->barriers = s->numPhases - 1 + irHasAttr(fusion, PLAN_PERSISTENT);
  return true;
}

static bool readTask(MlirOperation root, const PlanSchedule *s, StitchRootTask *task) {
  if (!planGetTask(root, task)) {
    stitchEmitOpError(root, "is a root without " PLAN_TASK ": run stitch-schedule first");
    return false;
  }
  if (task->loop < s->numLoops && task->finishedIn < s->numLoops && task->until < s->numPhases)
    return true;
  stitchEmitOpError(root,
                    "is computed in loop %lld, read until phase %lld and finished in loop %lld of a schedule of "
                    "%lld loops and %lld phases",
                    (long long)task->loop, (long long)task->until, (long long)task->finishedIn, (long long)s->numLoops,
                    (long long)s->numPhases);
  return false;
}

/// Adds a root to the list of a loop, behind those of its group.
static void listRoot(PlanLoop *loop, const IrGraph *graph, int64_t root) {
  int64_t place = loop->numRoots++, group = groupOf(graph, root);
  for (; place > 0 && groupOf(graph, loop->roots[place - 1]) > group; --place)
    loop->roots[place] = loop->roots[place - 1];
  loop->roots[place] = root;
}

/// Lists the roots of all loops. The open sizes of a loop are those of its first root.
static void listRoots(const IrGraph *graph, IrArena *arena, PlanSchedule *s) {
  int64_t *room = IR_NEW_ARRAY(arena, int64_t, s->numLoops);
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    if (s->loopOf[i] >= 0)
      ++room[s->loopOf[i]];
    if (s->finishedIn[i] >= 0)
      ++room[s->finishedIn[i]];
  }
  for (int64_t i = 0; i < s->numLoops; ++i)
    s->loops[i].roots = IR_NEW_ARRAY(arena, int64_t, room[i]);
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    StitchMapping mapping;
    PlanLoop *loop = s->loopOf[i] < 0 ? NULL : &s->loops[s->loopOf[i]];
    if (loop && loop->numRoots == 0 && planGetMapping(graph->nodes[i].op, &mapping))
      loop->open = planOpenSizes(graph->nodes[i].op, &mapping);
    if (loop)
      listRoot(loop, graph, i);
    if (s->finishedIn[i] < 0)
      continue;
    loop = &s->loops[s->finishedIn[i]];
    loop->finishes = true;
    loop->open.ofColumns = irSymbolName(mlirValueGetType(irResult(graph->nodes[i].op, 0)));
    listRoot(loop, graph, i);
  }
}

/// A loop computes roots, or finishes one.
static bool checkLoops(MlirOperation fusion, const PlanSchedule *s) {
  for (int64_t i = 0; i < s->numLoops; ++i) {
    if (s->loops[i].numRoots > 0 && (!s->loops[i].finishes || s->loops[i].numRoots == 1))
      continue;
    stitchEmitOpError(fusion, "has a schedule whose loop %lld %s", (long long)i,
                      s->loops[i].finishes ? "finishes a reduce and has another root" : "computes no root");
    return false;
  }
  return true;
}

bool scheduleRead(MlirOperation fusion, const IrGraph *graph, IrArena *arena, PlanSchedule *s) {
  int64_t numNodes = graph->numNodes, **arrays[] = {&s->loopOf, &s->finishedIn, &s->phases, &s->lastPhases, &s->stages};
  *s = (PlanSchedule){0};
  for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i)
    *arrays[i] = IR_NEW_ARRAY(arena, int64_t, numNodes);
  if (!readLoops(fusion, arena, s))
    return false;
  for (int64_t i = 0; i < numNodes; ++i) {
    StitchRootTask task = {-1, -1, -1, -1};
    bool isRoot = planIsRoot(graph->nodes[i].op);
    if (isRoot && !readTask(graph->nodes[i].op, s, &task))
      return false;
    s->loopOf[i] = task.loop;
    s->finishedIn[i] = task.finishedIn;
    s->stages[i] = task.stage;
    s->phases[i] = isRoot ? s->loops[task.loop].phase : -1;
    s->lastPhases[i] = max64(task.until, s->phases[i]);
  }
  listRoots(graph, arena, s);
  return checkLoops(fusion, s);
}

bool scheduleWriteKept(MlirOperation fusion) {
  IrArena arena = {0};
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  PlanSchedule s;
  StitchLaunch launch;
  bool succeeded = scheduleRead(fusion, &graph, &arena, &s);
  if (succeeded && planGetLaunch(fusion, &launch)) {
    scheduleFindKept(&graph, &launch, &s);
    writeLoops(fusion, &arena, &s);
  }
  irGraphDestroy(&graph);
  irArenaDestroy(&arena);
  return succeeded;
}
