//===- axes.c - task loops of several axes -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes roots and axes of a loop (#stitch.axes). Leaves each root's axes, registers, exchanges and the index of each
// element that a root reads. Both planning and emission call it.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/axes.h"

#include "ir/index/space.h"
#include "ir/mlir/map.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

bool axesAreEqual(const StitchMapping *a, const StitchMapping *b) {
  return a->numAxes == b->numAxes && memcmp(a->axes, b->axes, sizeof(a->axes[0]) * (size_t)a->numAxes) == 0;
}

AxisSet axesOfRoot(const StitchMapping *m) {
  AxisSet set = 0;
  for (int64_t i = 0; i < m->numDims; ++i)
    set |= (AxisSet)1 << m->dims[i];
  return set;
}

/// Both the dimensions and the axes are digits of one number: they are gone through until both have counted as far.
AxisSet axesReduced(MlirOperation root, const StitchMapping *m, bool *isValid) {
  uint32_t reducedDims = tgClassOfKind(tgKindOf(root)) == TG_CLASS_REDUCE ? irReducedDims(root) : 0;
  bool isReduced = false, isKept = false;
  IrShape shape = planIterationShape(root);
  AxisSet reduced = 0, together = 0;
  int64_t ofDims = 1, ofAxes = 1, next = 0;
  *isValid = true;
  for (intptr_t d = 0; d < shape.rank; ++d) {
    if (shape.dims[d] == 1)
      continue;
    ofDims *= shape.dims[d];
    isReduced |= reducedDims >> d & 1;
    isKept |= !(reducedDims >> d & 1);
    for (; next < m->numDims && ofAxes < ofDims; ++next) {
      ofAxes *= m->axes[m->dims[next]].size;
      together |= (AxisSet)1 << m->dims[next];
    }
    if (ofAxes != ofDims)
      continue;
    *isValid &= !isReduced || !isKept; // an axis is reduced as a whole
    reduced |= isReduced ? together : 0;
    isReduced = isKept = false;
    together = 0;
    ofDims = ofAxes = 1;
  }
  *isValid &= ofDims == 1 && next == m->numDims;
  return reduced;
}

int64_t axesOfValue(MlirOperation root, const StitchMapping *m, int64_t *dims) {
  bool isValid;
  AxisSet reduced = axesReduced(root, m, &isValid);
  int64_t count = 0;
  for (int64_t i = 0; i < m->numDims; ++i)
    if (!axisIsIn(reduced, m->dims[i]))
      dims[count++] = m->dims[i];
  return count;
}

#define DEFINE_PRODUCT(Name, figure)                                                                                   \
  int64_t axes##Name(const StitchMapping *m, AxisSet set) {                                                            \
    int64_t product = 1;                                                                                               \
    for (int64_t i = 0; i < m->numAxes; ++i)                                                                           \
      product *= axisIsIn(set, i) ? m->axes[i].figure : 1;                                                             \
    return product;                                                                                                    \
  }
DEFINE_PRODUCT(Unroll, unroll)
DEFINE_PRODUCT(Warps, warps)
DEFINE_PRODUCT(Lanes, lanes)
DEFINE_PRODUCT(Vector, vector)
DEFINE_PRODUCT(Cluster, cluster)

int64_t axesTasks(const StitchMapping *m, AxisSet set) {
  int64_t product = 1;
  for (int64_t i = 0; i < m->numAxes; ++i)
    product *= axisIsIn(set, i) ? axisTasks(&m->axes[i]) : 1;
  return product;
}

void axesCompleteSplit(MlirOperation root, StitchMapping *m) {
  bool isValid;
  m->split = axesTasks(m, axesReduced(root, m, &isValid));
}

int64_t axesRun(const StitchMapping *m, bool ofWarp) {
  int64_t run = 1;
  for (int64_t i = m->numDims; i-- > 0;) {
    const StitchAxis *axis = &m->axes[m->dims[i]];
    int64_t tile = ofWarp ? axis->lanes * axis->vector : axisTile(axis);
    run *= min64(axis->size, tile);
    if (tile < axis->size)
      break;
  }
  return run;
}

AxesExchange axesExchangeAlong(const StitchMapping *m, AxisSet reduced, AxisSet kept) {
  return (AxesExchange){.slots = axesUnroll(m, kept) * axesWarps(m, kept) * axesLanes(m, kept) * axesVector(m, kept),
                        .warps = axesWarps(m, reduced),
                        .blocks = axesCluster(m, reduced)};
}

AxesExchange axesExchangeOf(MlirOperation reduce, const StitchMapping *m) {
  bool isValid;
  AxisSet reduced = axesReduced(reduce, m, &isValid);
  return axesExchangeAlong(m, reduced, axesOfRoot(m) & ~reduced);
}

int64_t axesExchangedPlaces(const AxesExchange *exchange) {
  return (exchange->warps > 1 ? exchange->warps * exchange->slots : 0) + (exchange->blocks > 1 ? exchange->slots : 0);
}

const IndexExpr *axesLinear(IndexContext *context, const StitchMapping *m, const IndexExpr *const *positions,
                            const int64_t *dims, int64_t numDims) {
  const IndexExpr *linear = indexConstant(context, 0);
  int64_t stride = 1;
  for (int64_t i = numDims; i-- > 0;) {
    linear = indexAdd(context, linear, indexScale(context, positions[dims[i]], stride));
    stride *= m->axes[dims[i]].size;
  }
  return linear;
}

//===----------------------------------------------------------------------===//
// Values that threads keep
//===----------------------------------------------------------------------===//

/// Values of a loop by number: nodes, and then operands from outside of it. Equal operations of several groups have one
/// number, that of the first.
typedef struct {
  const IrGraph *graph;
  const bool *isOf;
  int64_t elements;
  int64_t count;
  int64_t *number;       ///< node -> of its first result
  int64_t *first, *last; ///< stages in which it is there
  int64_t *words;
  IrMap outside;       ///< value -> 1 + number
  IrMap readers;       ///< 1 + number -> the last node that has it as its first operand
  int64_t *nextReader; ///< node -> the one before it that has the same first operand; -1
} Lives;

static int64_t wordsOfValue(MlirValue value) { return ceilDiv(irElementBytes(irElementTypeOf(value)), 4); }

/// An operation that only moves elements has those of its operand; one that repeats fewer elements takes no registers
/// for each.
static bool passesOn(const GraphNode *node) {
  return node->kind == TG_reshape || node->kind == TG_transpose || node->kind == TG_slice || node->kind == TG_reverse;
}

static int64_t numberOfOperand(Lives *l, const GraphNode *node, int64_t j) {
  int64_t from = node->operands[j].node;
  if (from >= 0 && l->isOf[from])
    return l->number[from];
  MlirValue value = irOperand(node->op, j);
  int64_t known = irMapGet(&l->outside, value.ptr, 0);
  if (known)
    return known - 1;
  irMapSet(&l->outside, value.ptr, ++l->count);
  l->first[l->count - 1] = INT64_MAX;
  l->words[l->count - 1] = irNumElements(irShapeOf(value)) >= l->elements ? wordsOfValue(value) : 0;
  return l->count - 1;
}

static bool computeSame(Lives *l, const GraphNode *a, const GraphNode *b) {
  if (a->kind != b->kind || a->numOperands != b->numOperands ||
      !mlirTypeEqual(mlirValueGetType(irResult(a->op, 0)), mlirValueGetType(irResult(b->op, 0))))
    return false;
  for (int64_t j = 0; j < a->numOperands; ++j)
    if (numberOfOperand(l, a, j) != numberOfOperand(l, b, j))
      return false;
  return true;
}

/// An earlier node that computes the same; the node itself if there is none.
static int64_t findEqual(Lives *l, int64_t i) {
  const GraphNode *node = &l->graph->nodes[i];
  if (node->numOperands == 0)
    return i;
  const void *key = (const void *)(intptr_t)(numberOfOperand(l, node, 0) + 1); // those of one operand are few
  for (int64_t k = irMapGet(&l->readers, key, -1); k >= 0; k = l->nextReader[k])
    if (computeSame(l, &l->graph->nodes[k], node))
      return l->number[k];
  l->nextReader[i] = irMapGet(&l->readers, key, -1);
  irMapSet(&l->readers, key, i);
  return i;
}

static int64_t numberOfNode(Lives *l, int64_t i) {
  const GraphNode *node = &l->graph->nodes[i];
  if (passesOn(node))
    return numberOfOperand(l, node, 0);
  int64_t number = findEqual(l, i);
  bool isFew = node->class == TG_CLASS_REDUCE || node->kind == TG_broadcast || node->kind == TG_constant ||
               node->kind == TG_iota || node->elements < l->elements;
  l->words[number] = isFew ? 0 : wordsOfValue(irResult(node->op, 0));
  return number;
}

int64_t axesWords(const IrGraph *graph, const bool *isOf, int64_t elements) {
  int64_t most = graph->numNodes + 1;
  for (int64_t i = 0; i < graph->numNodes; ++i)
    most += graph->nodes[i].numOperands;
  Lives l = {.graph = graph, .isOf = isOf, .elements = elements, .count = graph->numNodes};
  l.number = irAllocateZeroed((size_t)most, sizeof(int64_t));
  l.first = irAllocateZeroed((size_t)most, sizeof(int64_t));
  l.last = irAllocateZeroed((size_t)most, sizeof(int64_t));
  l.words = irAllocateZeroed((size_t)most, sizeof(int64_t));
  l.nextReader = irAllocateZeroed((size_t)most, sizeof(int64_t));
  int64_t *stage = irAllocateZeroed((size_t)most, sizeof(int64_t)), numStages = 1, words = 0;
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    const GraphNode *node = &graph->nodes[i];
    for (int64_t j = 0; isOf[i] && j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      if (from >= 0 && isOf[from])
        stage[i] = max64(stage[i], stage[from] + (graph->nodes[from].class == TG_CLASS_REDUCE));
    }
    if (!isOf[i])
      continue;
    numStages = max64(numStages, stage[i] + 1);
    l.number[i] = numberOfNode(&l, i);
    if (l.number[i] == i)
      l.first[i] = stage[i];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      int64_t operand = numberOfOperand(&l, node, j);
      l.first[operand] = min64(l.first[operand], stage[i]);
      l.last[operand] = max64(l.last[operand], stage[i]);
    }
  }
  for (int64_t s = 0; s < max64(numStages - 1, 1); ++s) {
    int64_t live = 0;
    for (int64_t v = 0; v < l.count; ++v)
      live += numStages == 1 ? (v >= graph->numNodes ? l.words[v] : 0)
                             : (l.first[v] <= s && l.last[v] > s ? l.words[v] : 0);
    words = max64(words, live);
  }
  free(l.number);
  free(l.first);
  free(l.last);
  free(l.words);
  free(l.nextReader);
  irMapDestroy(&l.readers);
  free(stage);
  irMapDestroy(&l.outside);
  return max64(words, 1);
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// Most values that are looked at for one root, each at each of its elements.
enum { MOST_VISITS = 4096 };

typedef struct {
  IndexContext *context;
  const IrGraph *graph;
  const bool *isRoot;
  AxesVisitor visit;
  void *data;
  IrMap seen; ///< node and element
  int64_t visits;
} AxesWalk;

/// A node, and the element of its value that is read; `isKnown` is false if it is not one that is known.
typedef struct {
  int64_t node;
  bool isKnown;
  IndexVector index;
} AxesVisit;

/// The element of an operand that an element of a result is, if it is any. Of a concatenation or padding along a
/// dimension, it is one only if its index is within the operand. Along the other dimensions it is the same.
static bool elementOfOperand(IndexContext *context, MlirOperation op, int64_t j, const IndexVector *index,
                             IndexVector *operand) {
  TgKind kind = tgKindOf(op);
  if (kind == TG_concatenate) {
    int64_t dim = irGetInt(op, "dim", 0), before = 0;
    for (int64_t i = 0; i < j; ++i)
      before += irShapeOf(irOperand(op, i)).dims[dim];
    *operand = *index;
    operand->dims[dim] = indexAddConstant(context, index->dims[dim], -before);
    return true;
  }
  if (kind == TG_pad && j == 0) {
    IrShape low = irGetDims(op, "low"), interior = irGetDims(op, "interior");
    *operand = *index;
    for (intptr_t i = 0; i < low.rank; ++i) {
      if (interior.dims[i] != 0)
        return false;
      operand->dims[i] = indexAddConstant(context, index->dims[i], -low.dims[i]);
    }
    return true;
  }
  return indexPropagate(context, op, j, index, operand);
}

static bool isFirstVisit(AxesWalk *w, const AxesVisit *visit) {
  int64_t element = -1;
  if (visit->isKnown)
    element = indexLinearize(w->context, &visit->index, irShapeOf(irResult(w->graph->nodes[visit->node].op, 0)))->id;
  const void *key = (const void *)(intptr_t)((visit->node + 1) * ((int64_t)1 << 32) + element + 1);
  if (irMapContains(&w->seen, key))
    return false;
  irMapSet(&w->seen, key, 1);
  return true;
}

/// An operand is another root's value, an input, or a member's, which is put on the stack.
static void visitOperand(AxesWalk *w, const GraphNode *node, int64_t j, const IndexVector *index, AxesVisit *stack,
                         int64_t *depth) {
  int64_t from = node->operands[j].node;
  MlirValue value = irOperand(node->op, j);
  if (from < 0 || w->isRoot[from]) {
    w->visit(w->data, value, from, index);
    return;
  }
  AxesVisit visit = {.node = from, .isKnown = index != NULL};
  if (index)
    visit.index = *index;
  if (isFirstVisit(w, &visit) && ++w->visits <= MOST_VISITS)
    stack[(*depth)++] = visit;
}

/// The operand of a reduce, or of a root with `stitch.by_operand`, has the root's own element.
static void visitRoot(AxesWalk *w, int64_t root, const IndexVector *index, AxesVisit *stack, int64_t *depth) {
  const GraphNode *node = &w->graph->nodes[root];
  bool isOfInputs = node->class == TG_CLASS_REDUCE || planGoesByOperand(node->op);
  int64_t inputs = mlirOperationGetNumRegions(node->op) > 0 ? mlirOperationGetNumResults(node->op) : 1;
  for (int64_t j = 0; j < node->numOperands; ++j) {
    IndexVector operand = {0}; // initial values are scalars
    if (isOfInputs)
      visitOperand(w, node, j, j < inputs ? index : &operand, stack, depth);
    else if (elementOfOperand(w->context, node->op, j, index, &operand))
      visitOperand(w, node, j, &operand, stack, depth);
    else
      visitOperand(w, node, j, NULL, stack, depth);
  }
}

bool axesVisitReads(IndexContext *context, const IrGraph *graph, const bool *isRoot, int64_t root,
                    const IndexVector *index, AxesVisitor visit, void *data) {
  AxesWalk w = {.context = context, .graph = graph, .isRoot = isRoot, .visit = visit, .data = data};
  AxesVisit *stack = irAllocate(sizeof(AxesVisit) * (MOST_VISITS + 1));
  int64_t depth = 0;
  visitRoot(&w, root, index, stack, &depth);
  while (depth > 0) {
    AxesVisit at = stack[--depth];
    const GraphNode *node = &graph->nodes[at.node];
    for (int64_t j = 0; j < node->numOperands; ++j) {
      IndexVector operand;
      bool isKnown = at.isKnown && elementOfOperand(context, node->op, j, &at.index, &operand);
      visitOperand(&w, node, j, isKnown ? &operand : NULL, stack, &depth);
    }
  }
  irMapDestroy(&w.seen);
  free(stack);
  return w.visits <= MOST_VISITS;
}
