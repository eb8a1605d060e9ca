//===- aggregation.c - APOLLO's aggregation rules ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APOLLO, 3.3 and 4.2 (algorithms 1 and 2 of its appendix A). Each operation is a *micro-graph* with a type. A producer
// and a consumer become one micro-graph if a rule of the tables has their types, and no other path leads from one to
// the other. A rule is applied until it changes nothing more, then the next. Rules 7 and 8 (memory stitching) also ask
// that both have loops of the same canonical form and sizes (reduction along the inner dimension, along the outer one,
// or of all). Of two reductions, rule 8 asks that their tiles and settings are the same (settings.c). The pass
// stitch-schemes decides whether values that cross such a border are in shared memory or in global memory; the third
// layer, parallelism, is stitch-remote{policy=gain}.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"
#include "ir/index/space.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/union_find.h"
#include "passes/stitch_outline/patterns/patterns.h"

typedef enum { ELEMENTWISE, BROADCAST, REDUCTION, TRANSPOSE, OPAQUE } Type;

/// Tables 1 and 2. Of the rules with products, 6-matmul and 6-conv, the libraries' part is in epilogues.c, and kernels
/// of products with their neighbours are made before (stitch-fuse-products). Thin products are sums here.
static const struct {
  Type producer, consumer, result;
  bool sameLoops; ///< algorithm 2's conditions
} rules[] = {
    {ELEMENTWISE, ELEMENTWISE, ELEMENTWISE, false}, // 1
    {BROADCAST, ELEMENTWISE, BROADCAST, false},     // 2
    {BROADCAST, BROADCAST, BROADCAST, false},       // 3
    {ELEMENTWISE, REDUCTION, REDUCTION, false},     // 4
    {BROADCAST, REDUCTION, REDUCTION, false},       // 5
    {ELEMENTWISE, TRANSPOSE, TRANSPOSE, false},     // 6-transpose
    {BROADCAST, TRANSPOSE, TRANSPOSE, false},       // 6-transpose
    {REDUCTION, ELEMENTWISE, REDUCTION, true},      // 7
    {REDUCTION, BROADCAST, REDUCTION, true},        // 7
    {REDUCTION, REDUCTION, REDUCTION, true},        // 8
};

/// A micro-graph; kept at the representative of its component.
typedef struct {
  Type type;
  IterationSpace space;    ///< of its reductions, or rows of one element if it has none
  MlirOperation reduction; ///< the first of them; null: it has none
  int64_t elements;        ///< most of any of its operations
  int64_t first;           ///< of its nodes
  int64_t count;
  int64_t place; ///< in a topological order of the micro-graphs
} MicroGraph;

typedef struct {
  Outline *outline;
  Dependences *dependences;
  MicroGraph *graphs;
  int64_t *next;  ///< node -> the next one of its micro-graph, in a circle
  int64_t *order; ///< place -> micro-graph; -1: there is none any more
  IrArena scratch;
} Aggregation;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Whether an operand is repeated on its way to the operation.
static bool isRepeated(const Outline *outline, MlirValue operand) {
  MlirValue base = baseOf(outline, operand);
  return !mlirValueIsNull(base) && irNumElements(irShapeOf(base)) < irNumElements(irShapeOf(operand));
}

static Type microGraphType(const Outline *outline, MlirOperation op) {
  if (tgKindOf(op) == TG_transpose)
    return TRANSPOSE;
  TgClass class = tgClassOfKind(tgKindOf(op));
  if (class != TG_CLASS_ELEMENTWISE)
    return class == TG_CLASS_REDUCE ? REDUCTION : OPAQUE;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (isRepeated(outline, irOperand(op, i)))
      return BROADCAST;
  return ELEMENTWISE;
}

static MicroGraph describeMicroGraph(const Outline *outline, int64_t number) {
  MlirOperation op = outline->nodes[number].op;
  MicroGraph graph = {.type = microGraphType(outline, op), .first = number, .count = 1, .place = number};
  bool reduces = graph.type == REDUCTION;
  graph.elements = irNumElements(irShapeOf(reduces ? irOperand(op, 0) : irResult(op, 0)));
  graph.reduction = reduces ? op : (MlirOperation){NULL};
  graph.space = reduces ? irReduceSpace(op) : (IterationSpace){STITCH_MAPPING_ROW, graph.elements, 1, true};
  return graph;
}

/// Both have been flattened to loops of the same form and sizes; the consumer of a reduction that has none takes over
/// its tiles and settings.
static bool haveSameLoops(const MicroGraph *producer, const MicroGraph *consumer) {
  const IterationSpace *p = &producer->space, *c = &consumer->space;
  if (consumer->type != REDUCTION)
    return consumer->elements == producer->elements || consumer->elements == p->rows ||
           consumer->elements == p->columns;
  bool same = p->natural && c->natural && p->kind == c->kind && p->rows == c->rows && p->columns == c->columns;
  return same && mlirAttributeEqual(reductionSettings(producer->reduction), reductionSettings(consumer->reduction));
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

static int64_t representative(Aggregation *a, int64_t node) { return unionFindRoot(a->outline->components, node); }

/// Adds the users of a component that stand before `consumer` to the stack. False if one is the consumer itself,
/// reached through others than the producer.
static bool followUsers(Aggregation *a, int64_t component, int64_t consumer, bool isProducer, int64_t *depth) {
  Dependences *d = a->dependences;
  int64_t start = a->graphs[component].first, node = start;
  do {
    for (int64_t j = d->firstUser[node]; j < d->firstUser[node + 1]; ++j) {
      int64_t user = representative(a, d->users[j]);
      if (user == consumer && !isProducer)
        return false;
      bool mayLead = user != component && a->graphs[user].place < a->graphs[consumer].place;
      if (!mayLead || d->mark[user])
        continue;
      d->mark[user] = 1;
      d->stack[(*depth)++] = user;
    }
    node = a->next[node];
  } while (node != start);
  return true;
}

/// Puts the two in one place of the topological order, operations reachable from `producer` (which are marked) behind
/// it.
static void reorder(Aggregation *a, int64_t producer, int64_t consumer, int64_t merged) {
  int64_t first = a->graphs[producer].place, last = a->graphs[consumer].place, at = first, numBehind = 0;
  int64_t *behind = IR_NEW_ARRAY(&a->scratch, int64_t, last - first + 1);
  for (int64_t i = first; i <= last; ++i) {
    int64_t graph = a->order[i];
    if (graph < 0 || graph == producer || graph == consumer)
      continue;
    if (a->dependences->mark[graph])
      behind[numBehind++] = graph;
    else
      a->order[at++] = graph;
  }
  a->order[at++] = merged;
  for (int64_t i = 0; i < numBehind; ++i)
    a->order[at++] = behind[i];
  for (; at <= last; ++at)
    a->order[at] = -1;
  for (int64_t i = first; i <= last; ++i)
    if (a->order[i] >= 0)
      a->graphs[a->order[i]].place = i;
  irArenaDestroy(&a->scratch);
  a->scratch = (IrArena){0};
}

static void merge(Aggregation *a, int64_t producer, int64_t consumer, Type type) {
  MicroGraph p = a->graphs[producer], c = a->graphs[consumer];
  unionFindUnite(a->outline->components, producer, consumer);
  int64_t merged = representative(a, producer);
  reorder(a, producer, consumer, merged);
  a->graphs[merged] = (MicroGraph){.type = type,
                                   .space = p.type == REDUCTION ? p.space : c.space,
                                   .reduction = p.type == REDUCTION ? p.reduction : c.reduction,
                                   .elements = max64(p.elements, c.elements),
                                   .first = min64(p.first, c.first),
                                   .count = p.count + c.count,
                                   .place = a->graphs[merged].place};
  int64_t next = a->next[p.first]; // two circles become one
  a->next[p.first] = a->next[c.first];
  a->next[c.first] = next;
}

/// Merges the two unless another path leads from producer to consumer. Gives up behind many micro-graphs.
static bool mergeIfAcyclic(Aggregation *a, int64_t producer, int64_t consumer, Type type) {
  enum { MOST_VISITED = 4096 };
  int64_t depth = 0;
  bool acyclic = followUsers(a, producer, consumer, /*isProducer=*/true, &depth);
  for (int64_t visited = 0; visited < depth && acyclic; ++visited)
    acyclic = depth <= MOST_VISITED && followUsers(a, a->dependences->stack[visited], consumer, false, &depth);
  if (acyclic)
    merge(a, producer, consumer, type);
  for (int64_t i = 0; i < depth; ++i)
    a->dependences->mark[a->dependences->stack[i]] = 0;
  return acyclic;
}

static bool applyRule(Aggregation *a, size_t rule, int64_t from, int64_t to) {
  if (!isStitched(a->outline, from) || !isStitched(a->outline, to))
    return false;
  int64_t producer = representative(a, from), consumer = representative(a, to);
  const MicroGraph *p = &a->graphs[producer], *c = &a->graphs[consumer];
  if (producer == consumer || p->type != rules[rule].producer || c->type != rules[rule].consumer ||
      p->count + c->count > a->outline->maxOps)
    return false;
  return (!rules[rule].sameLoops || haveSameLoops(p, c)) && mergeIfAcyclic(a, producer, consumer, rules[rule].result);
}

/// A sum and its only summands, products of two operands, are one operation. A thin product is no matrix of all of its
/// products and then their sums, whatever else reads its operands.
static void uniteSums(Aggregation *a) {
  for (int64_t i = 0; i < a->outline->numNodes; ++i)
    for (int64_t j = a->dependences->firstProducer[i]; j < a->dependences->firstProducer[i + 1]; ++j) {
      int64_t from = a->dependences->producers[j];
      MlirOperation op = a->outline->nodes[from].op;
      if (isStitched(a->outline, i) && isStitched(a->outline, from) && tgKindOf(op) == TG_mul &&
          irHasOneUse(irResult(op, 0)) && a->graphs[representative(a, i)].type == REDUCTION &&
          representative(a, from) != representative(a, i))
        mergeIfAcyclic(a, representative(a, from), representative(a, i), REDUCTION);
    }
}

void aggregate(Outline *outline, Dependences *dependences) {
  Aggregation a = {.outline = outline, .dependences = dependences};
  a.graphs = IR_NEW_ARRAY(&outline->arena, MicroGraph, outline->numNodes);
  a.next = IR_NEW_ARRAY(&outline->arena, int64_t, outline->numNodes);
  a.order = IR_NEW_ARRAY(&outline->arena, int64_t, outline->numNodes);
  outline->components = unionFindCreate(&outline->arena, outline->numNodes);
  for (int64_t i = 0; i < outline->numNodes; ++i) {
    a.next[i] = a.order[i] = i;
    a.graphs[i] = isStitched(outline, i) ? describeMicroGraph(outline, i)
                                         : (MicroGraph){.type = OPAQUE, .first = i, .count = 1, .place = i};
  }
  if (outline->layers > 0)
    uniteSums(&a);
  enum { RULES = sizeof(rules) / sizeof(rules[0]), OF_LAYER_1 = 7 };
  size_t numRules = outline->layers == 0 ? 0 : outline->layers == 1 ? OF_LAYER_1 : RULES;
  for (size_t rule = 0; rule < numRules; ++rule)
    for (bool changed = true; changed;) {
      changed = false;
      for (int64_t i = 0; i < outline->numNodes; ++i)
        for (int64_t j = dependences->firstProducer[i]; j < dependences->firstProducer[i + 1]; ++j)
          changed |= applyRule(&a, rule, dependences->producers[j], i);
    }
}
