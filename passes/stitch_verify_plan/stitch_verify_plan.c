//===- stitch_verify_plan.c - stitch-verify-plan -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that the plan of every fusion keeps the promises of docs/ir.md, section 2, to the code generator, whatever its
// origin. Changes nothing; every broken promise is an error at the operation that breaks it.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/mlir/build.h"
#include "ir/plan/axes.h"
#include "ir/plan/persistent.h"
#include "ir/plan/resources.h"
#include "ir/plan/schedule.h"
#include "passes/common/fusions.h"
#include "passes/stitch_verify_plan/verify_plan.h"

#include <stdlib.h>

typedef struct {
  MlirOperation fusion;
  const IrGraph *graph;
  GroupView view;
  StitchDevice device;
  StitchMapping *mappings;
  StitchScheme *schemes;
  StitchLaunch launch;
  PlanSchedule schedule;
  bool failed;
} Verifier;

#define FAIL(v, op, ...)                                                                                               \
  do {                                                                                                                 \
    stitchEmitOpError((op), __VA_ARGS__);                                                                              \
    (v)->failed = true;                                                                                                \
  } while (0)

static MlirOperation opOf(const Verifier *v, int64_t i) { return v->graph->nodes[i].op; }

static bool isReduce(const Verifier *v, int64_t i) { return v->graph->nodes[i].class == TG_CLASS_REDUCE; }

static bool isSplitReduce(const Verifier *v, int64_t i) {
  return groupIsRoot(&v->view, i) && isReduce(v, i) && v->mappings[i].split > 1;
}

//===----------------------------------------------------------------------===//
// Groups and roles
//===----------------------------------------------------------------------===//

static void verifyMember(Verifier *v, int64_t i) {
  const GraphNode *node = &v->graph->nodes[i];
  if (isReduce(v, i))
    FAIL(v, node->op, "is a reduce, which must be a root");
  if (node->yielded)
    FAIL(v, node->op, "is a result of the fusion, which must be a root");
  if (v->schemes[i] != STITCH_SCHEME_LOCAL)
    FAIL(v, node->op, "is a member, whose scheme must be local");
  if (irHasAttr(node->op, "stitch.mapping") || irHasAttr(node->op, "stitch.buffer"))
    FAIL(v, node->op, "is a member, which has neither mapping nor buffer");
  for (int64_t j = 0; j < node->numUsers; ++j)
    if (v->view.group[node->users[j]] != v->view.group[i])
      FAIL(v, node->op, "is a member of group %lld with a user in group %lld", (long long)v->view.group[i],
           (long long)v->view.group[node->users[j]]);
}

/// Roots write the results of the fusion: each result must be one's value.
static void verifyResults(Verifier *v) {
  MlirOperation yield = v->graph->terminator;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    if (mlirValueIsABlockArgument(irOperand(yield, i)))
      FAIL(v, v->fusion, "has an input as result %lld, which no root writes", (long long)i);
}

static void verifyGroups(Verifier *v) {
  for (int64_t i = 0; i < v->graph->numNodes; ++i) {
    const GraphNode *node = &v->graph->nodes[i];
    if (!groupIsRoot(&v->view, i))
      verifyMember(v, i);
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      if (from >= 0 && v->view.group[from] > v->view.group[i])
        FAIL(v, node->op, "reads group %lld from group %lld: groups must be numbered in topological order",
             (long long)v->view.group[from], (long long)v->view.group[i]);
    }
  }
}

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

static bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

/// `parts` pieces of `size` must cover `whole`, none of them without an element.
static bool covers(int64_t parts, int64_t size, int64_t whole) { return parts == (whole + size - 1) / size; }

static void verifyReduceSpace(Verifier *v, int64_t i) {
  const StitchMapping *m = &v->mappings[i];
  IterationSpace space = irReduceSpace(opOf(v, i));
  StitchMappingKind kind = m->kind == STITCH_MAPPING_CARRIED ? STITCH_MAPPING_COLUMN : m->kind;
  if (kind != space.kind || m->rows != space.rows || m->columns != space.columns)
    FAIL(v, opOf(v, i), "has a mapping of %lld x %lld elements where it reduces %lld x %lld", (long long)m->rows,
         (long long)m->columns, (long long)space.rows, (long long)space.columns);
}

/// A root with `stitch.by_operand` has no value that another operation could read.
static void verifyByOperand(Verifier *v, int64_t i) {
  const GraphNode *node = &v->graph->nodes[i];
  bool moves = node->kind == TG_transpose || node->kind == TG_reverse || node->kind == TG_slice;
  if (planGoesByOperand(node->op) && (!moves || node->numUsers > 0 || !node->yielded ||
                                      planLoopMapping(&v->mappings[i]).kind == STITCH_MAPPING_COLUMN))
    FAIL(v, node->op,
         "cannot go by its operand's elements: only a transpose, reverse or slice that is a result alone, "
         "and not by columns, can");
}

static int64_t vectorsOfStack(MlirOperation stack, const StitchMapping *m) {
  return m->kind == STITCH_MAPPING_KEPT ? planStackOf(stack, m) : m->columns;
}

/// A stack is no reduce, all roots of its group are like it, and by rows a thread has an element or none.
static void verifyStack(Verifier *v, int64_t i) {
  const StitchMapping *m = &v->mappings[i];
  int64_t dominant = v->view.dominant[v->view.group[i]];
  if (planIsStacked(opOf(v, i)) != planIsStacked(opOf(v, dominant)))
    FAIL(v, opOf(v, i), "is a stack of vectors or its group's dominant is, but not both");
  if (!planIsStacked(opOf(v, i)))
    return;
  bool byRows = m->kind == STITCH_MAPPING_ROW && m->vector == 1 && m->unroll == 1 && m->columns <= m->rowThreads;
  if (isReduce(v, i) || m->split > 1 || (m->kind != STITCH_MAPPING_KEPT && !byRows))
    FAIL(v, opOf(v, i),
         "cannot be a stack of vectors: it must be no reduce, and have the mapping of kept columns or one of rows with "
         "at most an element for each thread, which is not split");
  else if (vectorsOfStack(opOf(v, i), m) > PLAN_MAX_STACK)
    FAIL(v, opOf(v, i), "is a stack of %lld vectors, and at most %d are allowed",
         (long long)vectorsOfStack(opOf(v, i), m), PLAN_MAX_STACK);
}

/// A transposed root is a transpose whose tile the others of its group read.
static void verifyTransposed(Verifier *v, int64_t i) {
  const GraphNode *node = &v->graph->nodes[i];
  const StitchMapping *m = &v->mappings[i];
  if (!planIsTransposed(node->op))
    return;
  if (node->kind != TG_transpose || m->kind != STITCH_MAPPING_TILE || node->yielded || m->rows % m->vector != 0)
    FAIL(v, node->op,
         "cannot go along the rows of a tile: only a transpose with a tile mapping whose vectors divide its rows can, "
         "if it is no result");
}

/// A replicated root goes by its own elements, in a kernel that runs once.
static void verifyReplicated(Verifier *v, int64_t i) {
  MlirOperation op = opOf(v, i);
  if (v->mappings[i].isReplicated &&
      (planGoesByOperand(op) || planIsStacked(op) || irHasAttr(v->fusion, PLAN_PERSISTENT)))
    FAIL(v, op,
         "cannot be replicated: only a root that goes by its own elements, is no stack, and is in a kernel without a "
         "loop, can");
}

/// A root's dims are its dimensions.
static void verifyAxes(Verifier *v, int64_t i) {
  bool isValid;
  axesReduced(opOf(v, i), &v->mappings[i], &isValid);
  if (!isValid)
    FAIL(v, opOf(v, i), "has a mapping of axes that do not make up its dimensions, one after the other");
  if (planIsStacked(opOf(v, i)))
    FAIL(v, opOf(v, i), "is a stack, which cannot have a mapping of axes");
}

/// Whether the chunks or tiles of a mapping cover its space.
static bool coversSpace(const StitchMapping *m) {
  switch (m->kind) {
  case STITCH_MAPPING_TILE:
  case STITCH_MAPPING_AXES:
    return true; // squares from the first row and column on, as many as it takes
  case STITCH_MAPPING_COLUMN:
  case STITCH_MAPPING_KEPT:
    if (m->cluster > 1)
      return m->split == 1 && m->cluster * m->blockRows * m->unroll >= m->rows;
    return covers(m->split, m->blockRows * m->unroll, m->rows);
  case STITCH_MAPPING_FLAT:
  case STITCH_MAPPING_ROW:
  case STITCH_MAPPING_CARRIED: // its split counts blocks
    break;
  }
  int64_t chunks = planLoopMapping(m).split;
  if (m->cluster > 1)
    return chunks == 1 && m->cluster * planColumnsOfBlock(m) >= planColumnsOfVectors(m);
  return covers(chunks, planColumnsOfBlock(m), planColumnsOfVectors(m));
}

static void verifyMapping(Verifier *v, int64_t i) {
  const StitchMapping *m = &v->mappings[i];
  MlirOperation op = opOf(v, i);
  int64_t elements = irNumElements(planIterationShape(op));
  verifyByOperand(v, i);
  verifyTransposed(v, i);
  verifyStack(v, i);
  verifyReplicated(v, i);
  if (m->kind == STITCH_MAPPING_AXES)
    verifyAxes(v, i);
  else if (isReduce(v, i))
    verifyReduceSpace(v, i);
  else if (planMappedElements(m) * planStackOf(op, m) != elements)
    FAIL(v, op, "has a mapping of %lld x %lld elements for a value of %lld", (long long)m->rows, (long long)m->columns,
         (long long)elements);
  if (!isPowerOfTwo(m->rowThreads) || !isPowerOfTwo(m->blockRows))
    FAIL(v, op, "has block_rows = %lld and row_threads = %lld, which must be powers of two", (long long)m->blockRows,
         (long long)m->rowThreads);
  if (planBlockSize(m) != v->launch.block)
    FAIL(v, op, "has a mapping for blocks of %lld threads in a fusion whose blocks have %lld",
         (long long)planBlockSize(m), (long long)v->launch.block);
  if (m->kind != STITCH_MAPPING_AXES && m->columns % planRunOf(m) != 0)
    FAIL(v, op, "has %s of %lld, which do not divide its %lld columns", m->run > 0 ? "runs" : "vectors",
         (long long)planRunOf(m), (long long)m->columns);
  if (!coversSpace(m))
    FAIL(v, op, "has a split of %lld, which does not cover its space with chunks that all have an element",
         (long long)m->split);
}

/// A copy that combines a split column reduce goes by the kept elements, not by the rows of its group.
static bool combinesColumns(const Verifier *v, int64_t i) {
  const GraphNode *node = &v->graph->nodes[i];
  int64_t from = node->kind == TG_reshape ? node->operands[0].node : -1;
  return from >= 0 && isSplitReduce(v, from) && v->mappings[from].kind != STITCH_MAPPING_ROW &&
         v->mappings[i].kind == STITCH_MAPPING_FLAT;
}

/// A root that waits for partial results of its group's tasks, and that none of these reads, has tasks of its own.
static bool isBehindAxes(const StitchMapping *m, const StitchMapping *dominant) {
  return m->kind == STITCH_MAPPING_FLAT && dominant->kind == STITCH_MAPPING_AXES;
}

/// A root with an element for each row of a group whose rows are split has tasks of its own.
static bool isApartFromParts(const StitchMapping *m, const StitchMapping *dominant) {
  return m->kind == STITCH_MAPPING_ROW && dominant->kind == STITCH_MAPPING_ROW && dominant->split > 1 &&
         m->columns == 1 && m->rows == dominant->rows && m->cluster == dominant->cluster;
}

static void verifyMappings(Verifier *v) {
  const StitchMapping *covered = NULL; // the mapping before, which most roots share
  for (int64_t i = 0; i < v->graph->numNodes; ++i) {
    if (!groupIsRoot(&v->view, i))
      continue;
    verifyMapping(v, i);
    if (!covered || !planSameMapping(covered, &v->mappings[i]))
      v->failed |= !v->failed && !verifyCoverage(opOf(v, i), &v->mappings[i]);
    covered = &v->mappings[i];
    const StitchMapping *m = &v->mappings[i], *dominant = &v->mappings[v->view.dominant[v->view.group[i]]];
    if (combinesColumns(v, i) || isApartFromParts(m, dominant) || isBehindAxes(m, dominant))
      continue;
    if ((m->kind == STITCH_MAPPING_AXES && !axesAreEqual(m, dominant)) || m->rows != dominant->rows ||
        m->blockRows != dominant->blockRows || m->rowThreads != dominant->rowThreads || m->cluster != dominant->cluster)
      FAIL(v, opOf(v, i), "does not share rows, block_rows, row_threads and cluster with the dominant of its group");
  }
}

//===----------------------------------------------------------------------===//
// Schemes
//===----------------------------------------------------------------------===//

static void verifyLocality(Verifier *v) {
  for (int64_t g = 0; g < v->view.numGroups; ++g) {
    GroupRead *reads;
    int64_t count = readsOfMappedGroup(&v->view, v->mappings, g, &reads);
    for (int64_t i = 0; i < count; ++i) {
      const char *obstacle = obstacleToRegional(&v->view, v->mappings, &reads[i], g);
      if (obstacle && v->schemes[reads[i].root] == STITCH_SCHEME_REGIONAL)
        FAIL(v, opOf(v, reads[i].root), "cannot be regional: %s", obstacle);
    }
    free(reads);
  }
}

static void verifySchemes(Verifier *v) {
  verifyLocality(v);
  for (int64_t i = 0; i < v->graph->numNodes; ++i) {
    if (!groupIsRoot(&v->view, i))
      continue;
    if (v->schemes[i] == STITCH_SCHEME_LOCAL)
      FAIL(v, opOf(v, i), "is a root, whose scheme cannot be local");
    if (isSplitReduce(v, i) && v->schemes[i] != STITCH_SCHEME_GLOBAL)
      FAIL(v, opOf(v, i), "is a split reduce, whose scheme must be global");
    if (v->schemes[i] == STITCH_SCHEME_INDEPENDENT && v->graph->nodes[i].numUsers > 0)
      FAIL(v, opOf(v, i), "has users in the fusion and cannot be independent");
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static int64_t leastBufferBytes(const Verifier *v, int64_t i) {
  int64_t bytes = 0;
  for (intptr_t j = 0; j < mlirOperationGetNumResults(opOf(v, i)); ++j)
    bytes += planBufferBytes(opOf(v, i), j, &v->mappings[i], v->schemes[i]);
  return bytes;
}

static void verifyBuffer(Verifier *v, int64_t i) {
  StitchBuffer buffer;
  bool isGlobal = v->schemes[i] == STITCH_SCHEME_GLOBAL;
  bool isInResults = isGlobal && planIsReadFromResults(opOf(v, i), &v->mappings[i]);
  if (!planGetBuffer(opOf(v, i), &buffer)) {
    if (isGlobal && !isInResults)
      FAIL(v, opOf(v, i), "is global and has no buffer");
    else if (planIsTransposed(opOf(v, i)))
      FAIL(v, opOf(v, i), "goes along the rows of a tile and has no buffer");
    return;
  }
  if (!isGlobal && v->mappings[i].kind == STITCH_MAPPING_TILE && !planIsTransposed(opOf(v, i)))
    FAIL(v, opOf(v, i), "is in the registers of the thread that reads it and needs no buffer");
  if (v->schemes[i] == STITCH_SCHEME_INDEPENDENT)
    FAIL(v, opOf(v, i), "is independent and needs no buffer");
  if (isInResults)
    FAIL(v, opOf(v, i), "is read from the fusion's results and needs no buffer");
  bool isScratch = buffer.space == STITCH_SPACE_SCRATCH;
  if (isScratch ? !isGlobal : isGlobal && v->launch.grid > 1)
    FAIL(v, opOf(v, i),
         "has a buffer in the wrong memory: regional values are in shared, global ones in scratch memory, but those of "
         "a grid of one block");
  int64_t limit = isScratch ? v->launch.scratch : v->launch.shared;
  int64_t base = isScratch ? 0 : planReductionAreaBytes(v->fusion);
  if (buffer.offset < base || buffer.offset % 16 != 0 || buffer.offset + buffer.size > limit)
    FAIL(v, opOf(v, i), "has a buffer from %lld to %lld, which must be aligned to 16 and between %lld and %lld",
         (long long)buffer.offset, (long long)(buffer.offset + buffer.size), (long long)base, (long long)limit);
  if (buffer.size < leastBufferBytes(v, i))
    FAIL(v, opOf(v, i), "has a buffer of %lld bytes for %lld", (long long)buffer.size,
         (long long)leastBufferBytes(v, i));
}

/// Whether the value of `a` may still be read when that of `b`, of the same memory, is written.
static bool livesInto(const Verifier *v, const int64_t *position, const int64_t *lastReader, int64_t a, int64_t b) {
  if (v->schemes[a] == STITCH_SCHEME_GLOBAL) {
    return v->schedule.phases[b] >= v->schedule.phases[a] && v->schedule.phases[b] <= v->schedule.lastPhases[a];
  }
  if (v->mappings[a].isReplicated) // up to the end of the phase
    return v->schedule.phases[a] == v->schedule.phases[b] &&
           (position[b] >= position[a] || !v->mappings[b].isReplicated);
  bool sameLoop = v->schedule.loopOf[a] == v->schedule.loopOf[b];
  return sameLoop && position[b] >= position[a] && position[b] <= lastReader[a];
}

/// By group, then by program order: the order in which a task computes its roots.
static int64_t *findPositions(Verifier *v) {
  int64_t *position = IR_NEW_ARRAY(&v->view.arena, int64_t, v->graph->numNodes);
  for (int64_t k = 0; k < v->graph->numNodes; ++k)
    position[v->view.nodes[k]] = k;
  return position;
}

static int64_t *findLastReaders(Verifier *v, const int64_t *position) {
  int64_t *last = IR_NEW_ARRAY(&v->view.arena, int64_t, v->graph->numNodes);
  for (int64_t i = v->graph->numNodes; i-- > 0;)
    for (int64_t j = 0; j < v->graph->nodes[i].numUsers; ++j) {
      int64_t user = v->graph->nodes[i].users[j];
      int64_t reader = groupIsRoot(&v->view, user) ? position[user] : last[user];
      last[i] = reader > last[i] ? reader : last[i];
    }
  return last;
}

static void verifyOverlaps(Verifier *v) {
  const int64_t *position = findPositions(v);
  const int64_t *lastReader = findLastReaders(v, position);
  int64_t *buffered = IR_NEW_ARRAY(&v->view.arena, int64_t, v->graph->numNodes), count = 0;
  for (int64_t i = 0; i < v->graph->numNodes; ++i)
    if (irHasAttr(opOf(v, i), "stitch.buffer"))
      buffered[count++] = i;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < count; ++j) {
      StitchBuffer a, b;
      if (i == j || !planGetBuffer(opOf(v, buffered[i]), &a) || !planGetBuffer(opOf(v, buffered[j]), &b) ||
          a.space != b.space || a.offset + a.size <= b.offset || b.offset + b.size <= a.offset)
        continue;
      if (livesInto(v, position, lastReader, buffered[i], buffered[j]))
        FAIL(v, opOf(v, buffered[j]), "has a buffer that overlaps one whose value is still read");
    }
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

static void verifyCluster(Verifier *v) {
  const StitchLaunch *l = &v->launch;
  int64_t largest = 1;
  for (int64_t i = 0; i < v->graph->numNodes; ++i) {
    if (!groupIsRoot(&v->view, i))
      continue;
    int64_t cluster = v->mappings[i].cluster;
    largest = cluster > largest ? cluster : largest;
    if (cluster > 1 && cluster != l->cluster)
      FAIL(v, opOf(v, i), "is handled by clusters of %lld blocks in a launch with clusters of %lld", (long long)cluster,
           (long long)l->cluster);
  }
  int64_t few = planBlocksOf(v->fusion);
  if (few > 0 && (l->grid != few || l->cluster != few || largest > 1))
    FAIL(v, v->fusion, "is one cluster of %lld blocks, and launched as a grid of %lld blocks in clusters of %lld",
         (long long)few, (long long)l->grid, (long long)l->cluster);
  if (few == 0 && (l->cluster != largest || !isPowerOfTwo(l->cluster) || l->cluster > v->device.clusterBlocks))
    FAIL(v, v->fusion, "is launched in clusters of %lld blocks; its roots need %lld, the device has up to %lld",
         (long long)l->cluster, (long long)largest, (long long)v->device.clusterBlocks);
}

static void verifyLaunch(Verifier *v) {
  const StitchLaunch *l = &v->launch;
  const StitchDevice *d = &v->device;
  v->failed = !verifyCarried(&v->view, v->mappings, l) || v->failed;
  verifyCluster(v);
  if (l->barriers != v->schedule.barriers)
    FAIL(v, v->fusion, "is launched with %lld grid barriers and needs %lld", (long long)l->barriers,
         (long long)v->schedule.barriers);
  if (l->shared < planReductionAreaBytes(v->fusion) || l->shared > d->sharedPerBlock)
    FAIL(v, v->fusion, "is launched with %lld bytes of shared memory; its reductions need %lld, a block has %lld",
         (long long)l->shared, (long long)planReductionAreaBytes(v->fusion), (long long)d->sharedPerBlock);
  if (l->grid < 1 || l->block < 1 || l->registers < 1) {
    FAIL(v, v->fusion, "is launched with a grid of %lld, blocks of %lld and %lld registers", (long long)l->grid,
         (long long)l->block, (long long)l->registers);
    return;
  }
  if (l->registers * l->block > d->registersPerSM)
    FAIL(v, v->fusion, "is launched with %lld registers for each of %lld threads, more than the device has",
         (long long)l->registers, (long long)l->block);
  if (l->barriers == 0)
    return;
  int64_t resident = planResidentBlocks(d, planBlocksPerSM(d, l->block, l->registers, l->shared), l->cluster);
  if (l->grid > resident)
    FAIL(v, v->fusion, "has grid barriers and a grid of %lld blocks, of which %lld can be co-resident",
         (long long)l->grid, (long long)resident);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// A kernel that has the loop around it inside.
static void verifyLoop(Verifier *v) {
  MlirOperation loop = mlirOperationGetParentOperation(v->fusion);
  const char *reason = NULL;
  if (irHasAttr(v->fusion, PLAN_PERSISTENT) && tgKindOf(loop) == TG_while &&
      mlirOperationIsNull(planOnlyKernelOf(loop, &reason)))
    FAIL(v, v->fusion, "cannot have the loop around it inside: %s", reason);
}

static void verifyPlan(Verifier *v) {
  verifyResults(v);
  verifyGroups(v);
  verifyMappings(v);
  if (v->failed)
    return; // the checks behind rely on the mappings
  verifySchemes(v);
  v->failed = !verifySchedule(&v->view, v->mappings, v->schemes, &v->schedule) || v->failed;
  v->failed = !scheduleCheckKept(v->fusion, v->graph, &v->launch, &v->schedule) || v->failed;
  for (int64_t i = 0; i < v->graph->numNodes; ++i)
    if (groupIsRoot(&v->view, i))
      verifyBuffer(v, i);
  verifyOverlaps(v);
  verifyLaunch(v);
  verifyLoop(v);
  v->failed = !verifyResidents(v->fusion, &v->view, v->mappings, &v->launch) || v->failed;
  v->failed = !verifyStaging(v->fusion, &v->launch, &v->device) || v->failed;
  v->failed = !verifyPrefetches(v->fusion, &v->device, v->schedule.numPhases) || v->failed;
}

static bool verifyFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  (void)run;
  IrGraph graph = irGraphCreate(irBody(fusion, 0));
  Verifier v = {.fusion = fusion, .graph = &graph, .device = *device};
  bool complete = groupViewCreate(&v.view, &graph) && mappingsOf(&v.view, &v.mappings) &&
                  schemesOf(&v.view, &v.schemes) && scheduleRead(fusion, &graph, &v.view.arena, &v.schedule);
  if (complete && !planGetLaunch(fusion, &v.launch))
    FAIL(&v, fusion, "has no stitch.launch: run stitch-launch first");
  if (complete && !v.failed)
    verifyPlan(&v);
  groupViewDestroy(&v.view);
  irGraphDestroy(&graph);
  return complete && !v.failed;
}

static void runVerifyPlan(StitchPassRun run, MlirOperation module) {
  if (!verifyUpdatesInPlace(module))
    stitchPassSignalFailure(run);
  planFusions(run, module, verifyFusion);
  planOwnPlans(run, module, verifyOwnPlan);
  planKernelOps(run, module, verifyKernelOp);
}

const StitchPassInfo stitchVerifyPlanPass = {
    .argument = "stitch-verify-plan",
    .description = "Check that plans keep the promises of docs/ir.md",
    .anchor = "builtin.module",
    .takes = "stitch.fusion|stitch.library_call|tg",
    .after = "stitch-outline",
    .run = runVerifyPlan,
};
