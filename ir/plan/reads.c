//===- reads.c - which group reads which root, and how -------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion with groups. Propagates a state (same row, same column, same element, any) from a group's roots
// through its members to other roots, and merges the states of each.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/reads.h"

#include "capi/diagnostics.h"
#include "ir/plan/axes.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static bool readGroups(GroupView *view) {
  const IrGraph *graph = view->graph;
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    view->group[i] = irGetInt(graph->nodes[i].op, "stitch.group", -1);
    if (view->group[i] < 0 || !planGetRole(graph->nodes[i].op, &view->role[i])) {
      stitchEmitOpError(graph->nodes[i].op, "has no stitch.group or stitch.role: run stitch-dominants first");
      return false;
    }
    if (view->group[i] >= graph->numNodes) {
      stitchEmitOpError(graph->nodes[i].op, "has stitch.group = %lld in a fusion of %lld operations",
                        (long long)view->group[i], (long long)graph->numNodes);
      return false;
    }
    if (view->group[i] >= view->numGroups)
      view->numGroups = view->group[i] + 1;
  }
  return true;
}

static bool listNodes(GroupView *view) {
  const IrGraph *graph = view->graph;
  view->first = IR_NEW_ARRAY(&view->arena, int64_t, view->numGroups + 2);
  view->nodes = IR_NEW_ARRAY(&view->arena, int64_t, graph->numNodes);
  view->dominant = IR_NEW_ARRAY(&view->arena, int64_t, view->numGroups);
  memset(view->dominant, -1, sizeof(int64_t) * (size_t)view->numGroups);
  for (int64_t i = 0; i < graph->numNodes; ++i)
    ++view->first[view->group[i] + 2];
  for (int64_t g = 0; g < view->numGroups; ++g)
    view->first[g + 2] += view->first[g + 1];
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    int64_t g = view->group[i];
    view->nodes[view->first[g + 1]++] = i;
    if (view->role[i] != STITCH_ROLE_DOMINANT)
      continue;
    if (view->dominant[g] >= 0) {
      stitchEmitOpError(graph->nodes[i].op, "is a second dominant of group %lld", (long long)g);
      return false;
    }
    view->dominant[g] = i;
  }
  for (int64_t i = 0; i < graph->numNodes; ++i)
    if (view->dominant[view->group[i]] < 0) {
      stitchEmitOpError(graph->nodes[i].op, "is in group %lld, which has no dominant", (long long)view->group[i]);
      return false;
    }
  return true;
}

bool groupViewCreate(GroupView *view, const IrGraph *graph) {
  *view = (GroupView){.graph = graph, .index = indexContextCreate()};
  view->group = IR_NEW_ARRAY(&view->arena, int64_t, graph->numNodes);
  view->role = IR_NEW_ARRAY(&view->arena, StitchRole, graph->numNodes);
  view->state = IR_NEW_ARRAY(&view->arena, uint8_t, graph->numNodes);
  view->isSeen = IR_NEW_ARRAY(&view->arena, bool, graph->numValues);
  return readGroups(view) && listNodes(view);
}

void groupViewDestroy(GroupView *view) {
  indexContextDestroy(view->index);
  irArenaDestroy(&view->arena);
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// How a node is read by the roots of a group.
enum { READ = 1, MIXES_ROWS = 2, MOVES_ELEMENTS = 4, MIXES_COLUMNS = 8 };

/// A column reduce that a task loop over rows computes.
static bool isCarried(MlirOperation op) {
  StitchMapping mapping;
  return planGetMapping(op, &mapping) && mapping.kind == STITCH_MAPPING_CARRIED;
}

/// The state that reading a reduce gives to its first operands: they are the elements of its space.
static uint8_t stateOfReduced(MlirOperation reduce, int64_t rows, int64_t columns) {
  IterationSpace space = irReduceSpace(reduce);
  bool goesByRows = space.kind == STITCH_MAPPING_ROW || isCarried(reduce);
  bool inRows = space.natural && goesByRows && (space.rows == rows || rows == 1);
  bool inColumns = space.natural && space.kind == STITCH_MAPPING_COLUMN && space.columns == columns;
  return (uint8_t)(READ | (inRows ? 0 : MIXES_ROWS) | (space.natural ? 0 : MOVES_ELEMENTS) |
                   (inColumns ? 0 : MIXES_COLUMNS));
}

/// The state that reading node `i` in state `state` gives to its operand number `operand`.
static uint8_t stateOfOperand(GroupView *view, int64_t i, uint8_t state, int64_t operand, int64_t rows,
                              int64_t columns) {
  const GraphNode *node = &view->graph->nodes[i];
  if (node->kind == TG_general_reduce && operand >= node->numOperands / 2)
    return READ | MIXES_ROWS | MOVES_ELEMENTS | MIXES_COLUMNS; // an initial value, which every thread reads
  if (node->class == TG_CLASS_REDUCE)
    return stateOfReduced(node->op, rows, columns);
  if (planGoesByOperand(node->op))
    return READ | MIXES_COLUMNS;
  if (!(state & MOVES_ELEMENTS) && !irKeepsElements(node->op, operand))
    state |= MOVES_ELEMENTS;
  if (!(state & MIXES_ROWS) && !irKeepsRows(view->index, node->op, operand, rows))
    state |= MIXES_ROWS;
  if (!(state & MIXES_COLUMNS) && (columns == 0 || !irKeepsColumns(view->index, node->op, operand, columns)))
    state |= MIXES_COLUMNS;
  return state;
}

static void addRead(GroupRead **reads, int64_t *count, int64_t *capacity, GroupRead read) {
  IR_RESERVE_ONE(*reads, *count, *capacity);
  (*reads)[(*count)++] = read;
}

static int compareReads(const void *a, const void *b) {
  const GroupRead *x = a, *y = b;
  return (x->root > y->root) - (x->root < y->root);
}

/// Merges the reads of a root to one entry: the facts that hold for all of them.
static int64_t mergeReads(GroupRead *reads, int64_t count) {
  if (count > 0) // qsort takes no null pointer
    qsort(reads, (size_t)count, sizeof(*reads), compareReads);
  int64_t merged = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (merged > 0 && reads[merged - 1].root == reads[i].root) {
      reads[merged - 1].keepsRows &= reads[i].keepsRows;
      reads[merged - 1].keepsElements &= reads[i].keepsElements;
      reads[merged - 1].keepsColumns &= reads[i].keepsColumns;
      reads[merged - 1].keepsAxes &= reads[i].keepsAxes;
    } else {
      reads[merged++] = reads[i];
    }
  }
  return merged;
}

int64_t readsOfGroup(GroupView *view, int64_t group, int64_t rows, int64_t columns, GroupRead **reads) {
  const int64_t *nodes = view->nodes + view->first[group]; // in program order
  int64_t count = view->first[group + 1] - view->first[group], numReads = 0, capacity = 0;
  for (int64_t k = 0; k < count; ++k)
    if (groupIsRoot(view, nodes[k]))
      view->state[nodes[k]] = READ;
  *reads = NULL;
  for (int64_t k = count; k-- > 0;) {
    int64_t i = nodes[k];
    uint8_t state = view->state[i];
    view->state[i] = 0;
    if (!state)
      continue;
    const GraphNode *node = &view->graph->nodes[i];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      if (from < 0)
        continue;
      uint8_t operandState = stateOfOperand(view, i, state, j, rows, columns);
      if (groupIsRoot(view, from))
        addRead(reads, &numReads, &capacity,
                (GroupRead){.root = from,
                            .keepsRows = !(operandState & MIXES_ROWS),
                            .keepsElements = !(operandState & MOVES_ELEMENTS),
                            .keepsColumns = !(operandState & MIXES_COLUMNS)});
      else
        view->state[from] |= operandState;
    }
  }
  return mergeReads(*reads, numReads);
}

int64_t readsOfStack(GroupView *view, int64_t group, int64_t rows, GroupRead **reads) {
  int64_t count = readsOfGroup(view, group, 1, rows, reads);
  for (int64_t i = 0; i < count; ++i)
    (*reads)[i].keepsRows = (*reads)[i].keepsColumns;
  return count;
}

//===----------------------------------------------------------------------===//
// Reads along axes
//===----------------------------------------------------------------------===//

typedef struct {
  GroupView *view;
  const StitchMapping *mappings;
  const StitchMapping *reader;
  const IndexExpr *positions[STITCH_MAX_AXES];
  GroupRead *reads;
  int64_t count, capacity;
} AxesReads;

static void addAxesRead(void *data, MlirValue value, int64_t root, const IndexVector *index) {
  AxesReads *r = data;
  if (root < 0)
    return;
  GroupRead read = {.root = root};
  const StitchMapping *m = &r->mappings[root];
  if (index && m->kind == STITCH_MAPPING_AXES && axesAreEqual(m, r->reader)) {
    int64_t dims[STITCH_MAX_AXES];
    int64_t numDims = axesOfValue(r->view->graph->nodes[root].op, m, dims);
    read.keepsAxes = axesLinear(r->view->index, m, r->positions, dims, numDims) ==
                     indexLinearize(r->view->index, index, irShapeOf(value));
  }
  addRead(&r->reads, &r->count, &r->capacity, read);
}

static int64_t readsOfAxes(GroupView *view, const StitchMapping *mappings, int64_t group, GroupRead **reads) {
  AxesReads r = {.view = view, .mappings = mappings};
  bool *isRoot = IR_NEW_ARRAY(&view->arena, bool, view->graph->numNodes);
  for (int64_t i = 0; i < view->graph->numNodes; ++i)
    isRoot[i] = groupIsRoot(view, i);
  for (int64_t i = 0; i < STITCH_MAX_AXES; ++i)
    r.positions[i] = NULL;
  bool isWhole = true;
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k) {
    int64_t root = view->nodes[k];
    const StitchMapping *m = &mappings[root];
    if (!groupIsRoot(view, root))
      continue;
    for (int64_t i = 0; i < m->numAxes; ++i)
      if (!r.positions[i])
        r.positions[i] = indexVariable(view->index, m->axes[i].size);
    r.reader = m;
    const IndexExpr *linear = axesLinear(view->index, m, r.positions, m->dims, m->numDims);
    IndexVector index = indexDelinearize(view->index, linear, planIterationShape(view->graph->nodes[root].op));
    isWhole &= axesVisitReads(view->index, view->graph, isRoot, root, &index, addAxesRead, &r);
  }
  if (!isWhole) { // too much to look at: of no read the positions are known
    free(r.reads);
    return readsOfGroup(view, group, 1, 0, reads);
  }
  *reads = r.reads;
  return mergeReads(r.reads, r.count);
}

int64_t readsOfMappedGroup(GroupView *view, const StitchMapping *mappings, int64_t group, GroupRead **reads) {
  StitchMapping loop = planLoopMapping(&mappings[view->dominant[group]]);
  if (loop.kind == STITCH_MAPPING_AXES)
    return readsOfAxes(view, mappings, group, reads);
  if (loop.kind == STITCH_MAPPING_ROW && groupIsStacked(view, group))
    return readsOfStack(view, group, loop.rows, reads);
  return readsOfGroup(view, group, loop.rows, loop.kind == STITCH_MAPPING_COLUMN ? loop.columns : 0, reads);
}

bool groupIsStacked(const GroupView *view, int64_t group) {
  return planIsStacked(view->graph->nodes[view->dominant[group]].op);
}

static int64_t wordsOf(MlirValue value) { return (irElementBytes(irElementTypeOf(value)) + 3) / 4; }

bool groupHasElements(const GroupView *view, int64_t group, int64_t elements) {
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k)
    if (groupIsRoot(view, view->nodes[k]) && view->graph->nodes[view->nodes[k]].elements != elements)
      return false;
  return true;
}

int64_t wordsOfAccumulator(const GroupView *view, int64_t root) {
  MlirType element = irElementTypeOf(irResult(view->graph->nodes[root].op, 0));
  return (irElementBytes(planAccumulatorType(element)) + 3) / 4;
}

static int64_t bytesOfElement(MlirValue value) { return irElementBytes(irElementTypeOf(value)); }

/// The sum of a measure over the values that the group reads from outside.
static int64_t readByGroup(const GroupView *view, int64_t group, int64_t elements, int64_t (*measure)(MlirValue)) {
  int64_t sum = 0;
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k) {
    const GraphNode *node = &view->graph->nodes[view->nodes[k]];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      bool isOutside = from < 0 || (groupIsRoot(view, from) && view->group[from] != group);
      bool *isSeen = &view->isSeen[node->operands[j].value];
      if (!isOutside || *isSeen)
        continue;
      *isSeen = true;
      MlirValue value = irOperand(node->op, j);
      if (irNumElements(irShapeOf(value)) >= elements)
        sum += measure(value);
    }
  }
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k) {
    const GraphNode *node = &view->graph->nodes[view->nodes[k]];
    for (int64_t j = 0; j < node->numOperands; ++j)
      view->isSeen[node->operands[j].value] = false;
  }
  return sum > 0 ? sum : 1;
}

int64_t wordsReadByGroup(const GroupView *view, int64_t group, int64_t elements) {
  return readByGroup(view, group, elements, wordsOf);
}

int64_t bytesReadByGroup(const GroupView *view, int64_t group, int64_t elements) {
  return readByGroup(view, group, elements, bytesOfElement);
}

/// Elements of the largest root of a loop of axes.
static int64_t elementsOfLoop(const GroupView *view, const StitchMapping *mappings, const StitchMapping *loop) {
  int64_t elements = 1;
  for (int64_t i = 0; i < view->graph->numNodes; ++i)
    if (groupIsRoot(view, i) && axesAreEqual(&mappings[i], loop))
      elements = max64(elements, mappings[i].columns);
  return elements;
}

int64_t planAxesRegisters(const GroupView *view, const StitchMapping *mappings, const StitchMapping *loop) {
  int64_t numNodes = view->graph->numNodes, results = 0;
  bool *isOf = irAllocateZeroed((size_t)numNodes + 1, sizeof(bool));
  for (int64_t i = 0; i < numNodes; ++i) {
    isOf[i] = axesAreEqual(&mappings[view->dominant[view->group[i]]], loop);
    if (!isOf[i] || !groupIsRoot(view, i) || view->graph->nodes[i].class != TG_CLASS_REDUCE)
      continue;
    bool isValid;
    AxisSet reduced = axesReduced(view->graph->nodes[i].op, &mappings[i], &isValid);
    results += axesResults(loop, axesOfRoot(&mappings[i]) & ~reduced) * wordsOfAccumulator(view, i);
  }
  int64_t words = axesWords(view->graph, isOf, elementsOfLoop(view, mappings, loop));
  free(isOf);
  return axesRegisters(loop, words, results);
}

//===----------------------------------------------------------------------===//
// Locality
//===----------------------------------------------------------------------===//

bool mappingsOf(GroupView *view, StitchMapping **mappings) {
  *mappings = IR_NEW_ARRAY(&view->arena, StitchMapping, view->graph->numNodes);
  for (int64_t i = 0; i < view->graph->numNodes; ++i)
    if (groupIsRoot(view, i) && !planGetMapping(view->graph->nodes[i].op, &(*mappings)[i])) {
      stitchEmitOpError(view->graph->nodes[i].op, "is a root without stitch.mapping: run stitch-thread-mapping first");
      return false;
    }
  return true;
}

/// The same for a value with an element for each column: of a column reduce, or in its columns.
static const char *obstacleInColumns(const StitchMapping *producer, const StitchMapping *reader,
                                     const GroupRead *read) {
  StitchMapping loop = planLoopMapping(producer);
  if (reader->kind != STITCH_MAPPING_COLUMN || !planSameMapping(&loop, reader))
    return "its reader does not go by the same columns";
  return read->keepsColumns ? NULL : "its reader needs elements of other columns";
}

const char *obstacleToRegional(const GroupView *view, const StitchMapping *mappings, const GroupRead *read,
                               int64_t group) {
  const StitchMapping *producer = &mappings[read->root];
  const StitchMapping loop = planLoopMapping(&mappings[view->dominant[group]]), *reader = &loop;
  bool reduces = view->graph->nodes[read->root].class == TG_CLASS_REDUCE;
  if (producer->isReplicated)
    return NULL;
  if (reader->isReplicated)
    return "every block computes its reader";
  if ((reduces || producer->kind == STITCH_MAPPING_KEPT) && producer->split > 1)
    return "its result is split among blocks";
  if (producer->kind == STITCH_MAPPING_AXES || reader->kind == STITCH_MAPPING_AXES)
    return read->keepsAxes ? NULL : "its reader is in another task loop, or at other positions along its axes";
  if (planIsStacked(view->graph->nodes[read->root].op)) {
    bool isOwn = groupIsStacked(view, group) && read->keepsElements;
    return isOwn && planSameMapping(producer, &mappings[view->dominant[group]]) ? NULL : "it is a stack";
  }
  if (producer->kind == STITCH_MAPPING_KEPT || (reduces && producer->kind == STITCH_MAPPING_COLUMN))
    return obstacleInColumns(producer, reader, read);
  if (!reduces && read->keepsElements && planSameMapping(producer, reader))
    return NULL; // the thread that computed an element is the one that reads it
  if (producer->kind != STITCH_MAPPING_ROW || reader->kind != STITCH_MAPPING_ROW)
    return "it and its reader do not both go by rows";
  if (producer->rows != reader->rows)
    return "its reader has another number of rows";
  if (producer->blockRows != reader->blockRows)
    return "its reader has another number of rows in a block";
  if (producer->split > 1 || reader->split > 1)
    return "its reader's rows are split among blocks";
  bool isStackOfIt = groupIsStacked(view, group) && view->graph->nodes[read->root].elements > producer->rows;
  if (!read->keepsRows || isStackOfIt)
    return "its reader needs elements of other rows";
  if (producer->cluster != reader->cluster)
    return "its reader's rows are handled by other blocks";
  // Each block of a cluster computes values that exist once for a row; of other values each block has its part.
  bool isPart = producer->cluster > 1 && view->graph->nodes[read->root].elements > producer->rows;
  bool sameParts = read->keepsElements && producer->columns == reader->columns && producer->run == reader->run &&
                   planColumnsOfBlock(producer) == planColumnsOfBlock(reader) &&
                   (producer->cluster - 1) * planColumnsOfBlock(producer) < producer->columns;
  if (isPart && !sameParts)
    return "its reader needs elements that other blocks of the cluster have";
  return NULL;
}

int64_t sumsOfGroup(const GroupView *view, int64_t group) {
  int64_t sums = 0;
  for (int64_t k = view->first[group]; k < view->first[group + 1]; ++k)
    sums += groupIsRoot(view, view->nodes[k]) && view->graph->nodes[view->nodes[k]].class == TG_CLASS_REDUCE;
  return sums;
}

//===----------------------------------------------------------------------===//
// Schemes
//===----------------------------------------------------------------------===//

bool schemesOf(GroupView *view, StitchScheme **schemes) {
  *schemes = IR_NEW_ARRAY(&view->arena, StitchScheme, view->graph->numNodes);
  for (int64_t i = 0; i < view->graph->numNodes; ++i)
    if (!planGetScheme(view->graph->nodes[i].op, &(*schemes)[i])) {
      stitchEmitOpError(view->graph->nodes[i].op, "has no stitch.scheme: run stitch-schemes first");
      return false;
    }
  return true;
}
