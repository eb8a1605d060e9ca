//===- demand.c - how often a kernel computes a value --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a fusion's graph and its roots. Leaves for each value how often it is computed, how often it is in the code,
// and how long a thread waits for it, by the rules of index propagation.
//
//===----------------------------------------------------------------------===//

#include "ir/plan/demand.h"

#include "ir/mlir/arithmetic.h"

#include <stdlib.h>
#include <string.h>

/// Of more ways to ask for a value those behind the first are one that counts as many times.
enum { MOST_ASKINGS = 64 };

/// One way in which elements of a value are asked for: at the same index, in the same branch, it is computed once.
typedef struct Asking {
  const IndexVector *index;
  int64_t scope;
  PlanDemand demand;
  struct Asking *next;
} Asking;

typedef struct {
  Asking *first;
  int64_t count;
} Askings;

/// A branch, or all that a group computes outside of branches; or a choice between branches, of which a thread takes
/// one.
typedef struct {
  int64_t parent; ///< of a branch a choice, of a choice the scope around it; -1: none
  int64_t group;
  bool isChoice;
} Scope;

struct PlanDemands {
  const IrGraph *graph;
  IndexContext *index;
  Askings *asked; ///< by node
  Scope *scopes;
  int64_t numScopes, scopeCapacity;
  IrMap scopeOfGroup; ///< 1 + group -> scope
  IrMap variables;    ///< 1 + an extent, or an operation's start -> number in `expressions`
  const IndexExpr **expressions;
  int64_t numExpressions, expressionCapacity;
  IrArena arena;
};

PlanDemands *planDemandsCreate(const IrGraph *graph, IndexContext *index) {
  PlanDemands *d = irAllocateZeroed(1, sizeof(*d));
  d->graph = graph;
  d->index = index;
  d->asked = IR_NEW_ARRAY(&d->arena, Askings, graph->numNodes);
  return d;
}

void planDemandsDestroy(PlanDemands *d) {
  irMapDestroy(&d->scopeOfGroup);
  irMapDestroy(&d->variables);
  irArenaDestroy(&d->arena);
  free(d->scopes);
  free(d->expressions);
  free(d);
}

//===----------------------------------------------------------------------===//
// Scopes, indices
//===----------------------------------------------------------------------===//

static int64_t addScope(PlanDemands *d, int64_t parent, int64_t group, bool isChoice) {
  IR_RESERVE_ONE(d->scopes, d->numScopes, d->scopeCapacity);
  d->scopes[d->numScopes] = (Scope){parent, group, isChoice};
  return d->numScopes++;
}

static int64_t choiceIn(PlanDemands *d, int64_t scope) { return addScope(d, scope, d->scopes[scope].group, true); }
static int64_t branchOf(PlanDemands *d, int64_t choice) { return addScope(d, choice, d->scopes[choice].group, false); }

static int64_t scopeOfGroup(PlanDemands *d, int64_t group) {
  const void *key = (const void *)(intptr_t)(group + 2);
  int64_t scope = irMapGet(&d->scopeOfGroup, key, -1);
  if (scope >= 0)
    return scope;
  scope = addScope(d, -1, group, false);
  irMapSet(&d->scopeOfGroup, key, scope);
  return scope;
}

/// Whether values of scope `outer` are known in scope `scope`, too.
static bool encloses(const PlanDemands *d, int64_t outer, int64_t scope) {
  while (scope > outer) // a scope comes behind those around it
    scope = d->scopes[scope].parent;
  return scope == outer;
}

/// The same variable for the same key.
static const IndexExpr *variableFor(PlanDemands *d, const void *key, int64_t extent) {
  int64_t known = irMapGet(&d->variables, key, -1);
  if (known >= 0)
    return d->expressions[known];
  IR_RESERVE_ONE(d->expressions, d->numExpressions, d->expressionCapacity);
  d->expressions[d->numExpressions] = indexVariable(d->index, extent);
  irMapSet(&d->variables, key, d->numExpressions);
  return d->expressions[d->numExpressions++];
}

static IndexVector *newIndex(PlanDemands *d, IndexVector index) {
  IndexVector *copy = IR_NEW(&d->arena, IndexVector);
  *copy = index;
  return copy;
}

/// All elements of a value in row-major order, as a loop over so many goes through them.
static const IndexVector *allElements(PlanDemands *d, IrShape shape) {
  int64_t elements = irNumElements(shape);
  const void *key = (const void *)(intptr_t)(2 * elements + 1); // no address of an operation is odd
  return newIndex(d, indexDelinearize(d->index, variableFor(d, key, max64(elements, 1)), shape));
}

/// An index that nothing is known of.
static const IndexVector *anyIndex(PlanDemands *d, IrShape shape) {
  IndexVector index = {.rank = shape.rank};
  for (intptr_t i = 0; i < shape.rank; ++i)
    index.dims[i] = indexVariable(d->index, shape.dims[i]);
  return newIndex(d, index);
}

static const IndexVector scalarIndex = {0};

//===----------------------------------------------------------------------===//
// Demands
//===----------------------------------------------------------------------===//

/// The part of a demand that takes one branch of a choice.
static PlanDemand shareOfDemand(PlanDemand demand, double share) {
  return (PlanDemand){.times = demand.times * share, .serial = demand.serial, .copies = demand.copies};
}

static double larger(double a, double b) { return a > b ? a : b; }

static bool sameIndex(const IndexVector *a, const IndexVector *b) {
  return a == b || (a->rank == b->rank && memcmp(a->dims, b->dims, sizeof(a->dims[0]) * (size_t)a->rank) == 0);
}

static void ask(PlanDemands *d, GraphOperand operand, const IndexVector *index, int64_t scope, PlanDemand demand) {
  if (operand.node < 0 || d->graph->nodes[operand.node].class == TG_CLASS_SOURCE)
    return;
  Askings *asked = &d->asked[operand.node];
  for (Asking *a = asked->first; a; a = a->next) {
    if (!sameIndex(a->index, index) || (!encloses(d, a->scope, scope) && !encloses(d, scope, a->scope)))
      continue;
    a->scope = min64(a->scope, scope);
    a->demand.times = larger(a->demand.times, demand.times);
    a->demand.serial = larger(a->demand.serial, demand.serial);
    a->demand.copies = larger(a->demand.copies, demand.copies);
    return;
  }
  if (asked->count == MOST_ASKINGS) {
    PlanDemand *first = &asked->first->demand;
    first->times += demand.times;
    first->serial += demand.serial;
    first->copies += demand.copies;
    return;
  }
  Asking *a = IR_NEW(&d->arena, Asking);
  *a = (Asking){index, scope, demand, asked->first};
  asked->first = a;
  ++asked->count;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The part of a range of positions that is in [start, end).
static double shareOf(const IndexExpr *position, int64_t start, int64_t end) {
  int64_t first = max64(position->min, start), last = min64(position->max, end - 1);
  return last < first ? 0 : (double)(last - first + 1) / (double)(position->max - position->min + 1);
}

static void askConcatenated(PlanDemands *d, const GraphNode *node, const Asking *a) {
  int64_t dim = irGetInt(node->op, "dim", 0), start = 0, choice = choiceIn(d, a->scope);
  for (int64_t j = 0; j < node->numOperands; ++j) {
    int64_t end = start + irShapeOf(irOperand(node->op, j)).dims[dim];
    double share = shareOf(a->index->dims[dim], start, end);
    IndexVector *index = newIndex(d, *a->index);
    index->dims[dim] = indexAddConstant(d->index, index->dims[dim], -start);
    if (share > 0)
      ask(d, node->operands[j], index, share < 1 ? branchOf(d, choice) : a->scope, shareOfDemand(a->demand, share));
    start = end;
  }
}

static void askPadded(PlanDemands *d, const GraphNode *node, const Asking *a) {
  IrShape low = irGetDims(node->op, "low"), interior = irGetDims(node->op, "interior"),
          shape = irShapeOf(irOperand(node->op, 0));
  IndexVector *index = newIndex(d, *a->index);
  double share = 1;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    int64_t step = interior.dims[i] + 1;
    const IndexExpr *position = indexAddConstant(d->index, index->dims[i], -low.dims[i]);
    share *= shareOf(position, 0, (shape.dims[i] - 1) * step + 1) / (double)step;
    index->dims[i] = indexDiv(d->index, position, step);
  }
  int64_t choice = choiceIn(d, a->scope);
  if (share > 0)
    ask(d, node->operands[0], index, share < 1 ? branchOf(d, choice) : a->scope, shareOfDemand(a->demand, share));
  if (share < 1)
    ask(d, node->operands[1], &scalarIndex, branchOf(d, choice), shareOfDemand(a->demand, 1 - share));
}

static bool findDim(IrShape list, int64_t value, intptr_t *position) {
  for (*position = 0; *position < list.rank; ++*position)
    if (list.dims[*position] == value)
      return true;
  return false;
}

/// Where a result element's start indices are: behind each other along the dimension of the index vector.
static void askStartIndices(PlanDemands *d, const GraphNode *node, const Asking *a, int64_t components) {
  IrShape offsets = irGetDims(node->op, "offset_dims"), shape = irShapeOf(irOperand(node->op, 1));
  int64_t vectorDim = irGetInt(node->op, "index_vector_dim", shape.rank);
  for (int64_t component = 0; component < components; ++component) {
    IndexVector index = {.rank = shape.rank};
    intptr_t to = 0, unused;
    for (intptr_t i = 0; i < a->index->rank; ++i) {
      to += to == vectorDim;
      if (!findDim(offsets, i, &unused))
        index.dims[to++] = a->index->dims[i];
    }
    if (vectorDim < shape.rank)
      index.dims[vectorDim] = indexConstant(d->index, component);
    ask(d, node->operands[1], newIndex(d, index), a->scope, a->demand);
  }
}

static void askGathered(PlanDemands *d, const GraphNode *node, const Asking *a) {
  IrShape offsets = irGetDims(node->op, "offset_dims"), collapsed = irGetDims(node->op, "collapsed_slice_dims"),
          batching = irGetDims(node->op, "operand_batching_dims"), starts = irGetDims(node->op, "start_index_map"),
          shape = irShapeOf(irOperand(node->op, 0));
  askStartIndices(d, node, a, starts.rank);
  IndexVector index = {.rank = shape.rank};
  intptr_t offset = 0, unused;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    bool isOffset = !findDim(collapsed, i, &unused) && !findDim(batching, i, &unused);
    index.dims[i] = isOffset ? a->index->dims[offsets.dims[offset++]] : indexConstant(d->index, 0);
    if (findDim(starts, i, &unused) || findDim(batching, i, &unused))
      index.dims[i] = indexVariable(d->index, shape.dims[i]);
  }
  ask(d, node->operands[0], newIndex(d, index), a->scope, a->demand);
}

/// The scalars that say where a slice begins, which no loop computes again.
static void askStarts(PlanDemands *d, const GraphNode *node, int64_t first, const Asking *a) {
  for (int64_t j = first; j < node->numOperands; ++j)
    ask(d, node->operands[j], &scalarIndex, a->scope,
        (PlanDemand){.times = 1, .serial = a->demand.serial, .copies = a->demand.copies});
}

static void askSliced(PlanDemands *d, const GraphNode *node, const Asking *a) {
  IrShape shape = irShapeOf(irOperand(node->op, 0)), sizes = irGetDims(node->op, "sizes");
  askStarts(d, node, 1, a);
  IndexVector *index = newIndex(d, *a->index);
  for (intptr_t i = 0; i < shape.rank; ++i) {
    const void *key = (const char *)node->op.ptr + 2 * i + 2; // one for each dimension, inside of the operation
    const IndexExpr *start = sizes.dims[i] == shape.dims[i] ? indexConstant(d->index, 0)
                                                            : variableFor(d, key, shape.dims[i] - sizes.dims[i] + 1);
    index->dims[i] = indexAdd(d->index, index->dims[i], start);
  }
  ask(d, node->operands[0], index, a->scope, a->demand);
}

static void askUpdated(PlanDemands *d, const GraphNode *node, const Asking *a) {
  IrShape sizes = irShapeOf(irOperand(node->op, 1));
  double share = (double)irNumElements(sizes) / (double)node->elements;
  int64_t choice = choiceIn(d, a->scope);
  askStarts(d, node, 2, a);
  ask(d, node->operands[1], anyIndex(d, sizes), branchOf(d, choice), shareOfDemand(a->demand, share));
  if (share < 1)
    ask(d, node->operands[0], a->index, branchOf(d, choice), shareOfDemand(a->demand, 1 - share));
}

static void askWindow(PlanDemands *d, const GraphNode *node, const Asking *a) {
  IrShape window = irGetDims(node->op, "window_dimensions");
  int64_t scope = branchOf(d, choiceIn(d, a->scope)); // a loop
  double size = (double)irNumElements(window);
  PlanDemand ofElements = {
      .times = a->demand.times * size, .serial = a->demand.serial * size, .copies = a->demand.copies};
  const IndexVector *element = anyIndex(d, irShapeOf(irOperand(node->op, 0)));
  for (int64_t j = 0; j < node->numOperands; ++j) {
    bool isInput = irShapeOf(irOperand(node->op, j)).rank == window.rank;
    if (isInput)
      ask(d, node->operands[j], element, scope, ofElements);
    else
      ask(d, node->operands[j], &scalarIndex, a->scope, a->demand);
  }
}

/// An element of a wider type is made of several.
static void askParts(PlanDemands *d, const GraphNode *node, const Asking *a) {
  IrShape shape = irShapeOf(irOperand(node->op, 0));
  for (int64_t part = 0; part < shape.dims[a->index->rank]; ++part) {
    IndexVector *index = newIndex(d, *a->index);
    index->rank = shape.rank;
    index->dims[a->index->rank] = indexConstant(d->index, part);
    ask(d, node->operands[0], index, a->scope, a->demand);
  }
}

/// A part of an element of a wider type.
static void askWhole(PlanDemands *d, const GraphNode *node, const Asking *a) {
  IndexVector *index = newIndex(d, *a->index);
  --index->rank;
  ask(d, node->operands[0], index, a->scope, a->demand);
}

static void askElementwise(PlanDemands *d, const GraphNode *node, const Asking *a) {
  intptr_t rank = a->index->rank;
  for (int64_t j = 0; j < node->numOperands; ++j) {
    intptr_t operandRank = irShapeOf(irOperand(node->op, j)).rank;
    if (node->kind == TG_bitcast_convert && operandRank != rank)
      (operandRank > rank ? askParts : askWhole)(d, node, a);
    else
      ask(d, node->operands[j], operandRank == rank ? a->index : &scalarIndex, a->scope, a->demand);
  }
}

/// A broadcast's operand is computed once for each of its elements, which is the least that it takes.
static void askMoved(PlanDemands *d, const GraphNode *node, const Asking *a) {
  IndexVector index;
  if (!indexPropagate(d->index, node->op, 0, a->index, &index))
    index = *anyIndex(d, irShapeOf(irOperand(node->op, 0)));
  PlanDemand demand = a->demand;
  if (node->kind == TG_broadcast)
    demand.times *= (double)irNumElements(irShapeOf(irOperand(node->op, 0))) / (double)node->elements;
  ask(d, node->operands[0], newIndex(d, index), a->scope, demand);
}

/// The demand of an operation on its operands for one way in which it is demanded itself.
static void askFor(PlanDemands *d, const GraphNode *node, const Asking *a) {
  switch (node->kind) {
  case TG_concatenate:
    askConcatenated(d, node, a);
    return;
  case TG_pad:
    askPadded(d, node, a);
    return;
  case TG_gather:
    askGathered(d, node, a);
    return;
  case TG_dynamic_slice:
    askSliced(d, node, a);
    return;
  case TG_dynamic_update_slice:
    askUpdated(d, node, a);
    return;
  default:
    break;
  }
  if (node->class == TG_CLASS_WINDOW)
    askWindow(d, node, a);
  else if (node->class == TG_CLASS_ELEMENTWISE)
    askElementwise(d, node, a);
  else if (node->class == TG_CLASS_SHAPE)
    askMoved(d, node, a);
}

void planAskRoot(PlanDemands *d, int64_t i, int64_t group) {
  const GraphNode *node = &d->graph->nodes[i];
  Asking own = {.scope = scopeOfGroup(d, group), .demand = {.times = (double)node->elements, .serial = 1, .copies = 1}};
  if (node->class != TG_CLASS_REDUCE) {
    own.index = allElements(d, irShapeOf(irResult(node->op, 0)));
    askFor(d, node, &own);
    return;
  }
  for (int64_t j = 0; j < node->numOperands; ++j) {
    IrShape shape = irShapeOf(irOperand(node->op, j));
    own.demand.times = (double)irNumElements(shape);
    ask(d, node->operands[j], allElements(d, shape), own.scope, own.demand);
  }
}

void planAskOperands(PlanDemands *d, int64_t i) {
  for (const Asking *a = d->asked[i].first; a; a = a->next)
    askFor(d, &d->graph->nodes[i], a);
}

/// The latency of a thread in a scope, branches within it included.
typedef struct {
  int64_t scope;
  double serial;
} Wait;

static void addWait(const PlanDemands *d, Wait *waits, int64_t *count, Wait wait) {
  bool isChoice = d->scopes[wait.scope].isChoice;
  for (int64_t i = 0; i < *count; ++i)
    if (waits[i].scope == wait.scope) {
      waits[i].serial = isChoice ? larger(waits[i].serial, wait.serial) : waits[i].serial + wait.serial;
      return;
    }
  waits[(*count)++] = wait;
}

/// Of a choice the longest branch, from the innermost scopes to the one around all.
static double longestWay(const PlanDemands *d, Wait *waits, int64_t count) {
  while (count > 0) {
    int64_t last = 0;
    for (int64_t i = 1; i < count; ++i)
      last = waits[i].scope > waits[last].scope ? i : last;
    Wait wait = waits[last];
    waits[last] = waits[--count];
    if (d->scopes[wait.scope].parent < 0 && count == 0)
      return wait.serial;
    if (d->scopes[wait.scope].parent < 0) // of another group
      return wait.serial + longestWay(d, waits, count);
    addWait(d, waits, &count, (Wait){d->scopes[wait.scope].parent, wait.serial});
  }
  return 0;
}

PlanDemand planDemandOf(const PlanDemands *d, int64_t node, int64_t group) {
  PlanDemand sum = {0};
  Wait waits[MOST_ASKINGS];
  int64_t count = 0;
  for (const Asking *a = d->asked[node].first; a; a = a->next) {
    if (group != PLAN_ALL_GROUPS && d->scopes[a->scope].group != group)
      continue;
    sum.times += a->demand.times;
    sum.copies += a->demand.copies;
    addWait(d, waits, &count, (Wait){a->scope, a->demand.serial});
  }
  sum.serial = longestWay(d, waits, count);
  return sum;
}
