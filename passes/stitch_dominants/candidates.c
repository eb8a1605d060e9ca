//===- candidates.c - stitch-dominants: candidates -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the graph of a fusion. Leaves the candidates for dominants of AStitch 4.3, step 1: reduces, expensive values
// that broadcasts, gathers or windows read several times, and results. A value is a candidate if keeping it is cheaper
// than computing it again, by the cost model.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/plan/cost.h"
#include "ir/plan/demand.h"
#include "passes/stitch_dominants/dominants.h"

void addCandidate(Dominants *d, int64_t node, const char *reason) {
  if (isCandidate(d, node))
    return;
  d->isRoot[node] = true;
  stitchRemark(d->graph.nodes[node].op, "candidate: %s", reason);
}

/// Whether an elementwise value, or one that it is computed from element by element, is expensive.
static bool *findExpensive(Dominants *d) {
  bool *expensive = IR_NEW_ARRAY(&d->graph.arena, bool, d->graph.numNodes);
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    const GraphNode *node = &d->graph.nodes[i];
    if (node->class == TG_CLASS_REDUCE)
      continue;
    expensive[i] = node->class == TG_CLASS_WINDOW ||
                   (node->class == TG_CLASS_ELEMENTWISE && tgCostOfKind(node->kind) == TG_COST_EXPENSIVE);
    for (int64_t j = 0; j < node->numOperands && !expensive[i]; ++j) {
      int64_t from = node->operands[j].node;
      expensive[i] = from >= 0 && expensive[from] && !isCandidate(d, from) && irKeepsElements(node->op, j);
    }
  }
  return expensive;
}

/// Looks through reshapes: the value that is worth keeping.
static int64_t throughReshapes(const Dominants *d, int64_t node) {
  while (node >= 0 && d->graph.nodes[node].kind == TG_reshape)
    node = d->graph.nodes[node].operands[0].node;
  return node;
}

/// Looks through slices, too: rows of a thin operand, say, of which each is multiplied with a matrix.
static int64_t throughSlices(const Dominants *d, int64_t node) {
  while (node >= 0 && (d->graph.nodes[node].kind == TG_reshape || d->graph.nodes[node].kind == TG_slice))
    node = d->graph.nodes[node].operands[0].node;
  return node;
}

/// A value that is read `reads` times is kept, across a barrier, if that is cheaper than to compute it each time.
static void considerKeeping(Dominants *d, int64_t node, int64_t reads) {
  const GraphNode *n = &d->graph.nodes[node];
  Cone cone = coneOf(&d->graph, d->isRoot, node);
  double saved = costOfComputing(&d->device, reads - n->elements, cone.instructions);
  if (saved > (double)d->device.barrierNs)
    addCandidate(d, node, "expensive, and read many times: computing it again would cost more than a barrier");
  else
    stitchRemark(n->op, "no candidate: computing it again costs %.0f ns, a barrier %lld ns", saved,
                 (long long)d->device.barrierNs);
}

/// A broadcast or gather reads elements of an expensive value several times. In contiguous runs (the value has an
/// element for each row of its user) the value is kept in the block, which costs next to nothing. Otherwise it takes a
/// grid barrier, which must be cheaper than the saved work. Reads of slices are added up in `reads`.
static void considerReplication(Dominants *d, int64_t user, const bool *expensive, int64_t *reads) {
  const GraphNode *replicating = &d->graph.nodes[user];
  if ((replicating->kind != TG_broadcast && replicating->kind != TG_gather) || replicating->operands[0].node < 0)
    return;
  int64_t from = throughReshapes(d, replicating->operands[0].node);
  int64_t whole = throughSlices(d, from);
  if (whole != from && whole >= 0 && replicating->elements > d->graph.nodes[from].elements)
    reads[whole] += replicating->elements;
  if (from < 0 || !expensive[from] || replicating->elements <= d->graph.nodes[from].elements)
    return;
  const GraphNode *node = &d->graph.nodes[from];
  if (node->elements > 1 && replicating->elements % node->elements == 0 &&
      irKeepsRows(d->index, replicating->op, 0, node->elements)) {
    d->decisions[from].broadcastColumns = replicating->elements / node->elements;
    addCandidate(d, from, "expensive, and read by all elements of a row");
    return;
  }
  considerKeeping(d, from, replicating->elements);
}

/// A window reads most elements several times, as often as it has elements. An expensive value is kept if that is
/// cheaper than a barrier, and a value that itself reads windows always, for the work would multiply.
static void considerWindow(Dominants *d, int64_t user, const bool *expensive, const bool *readsWindow) {
  const GraphNode *window = &d->graph.nodes[user];
  int64_t size = irNumElements(irGetDims(window->op, "window_dimensions"));
  for (int64_t j = 0; size > 1 && j < window->numOperands; ++j) {
    int64_t from = throughReshapes(d, window->operands[j].node);
    if (from < 0 || isCandidate(d, from))
      continue;
    if (readsWindow[from])
      addCandidate(d, from, "a window that is read by another one");
    else if (expensive[from])
      considerKeeping(d, from, window->elements * size);
  }
}

/// Goes through the windows; where a window is looked through, so are the operations behind it.
static void considerWindows(Dominants *d, const bool *expensive) {
  bool *readsWindow = IR_NEW_ARRAY(&d->graph.arena, bool, d->graph.numNodes);
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    const GraphNode *node = &d->graph.nodes[i];
    if (node->class == TG_CLASS_WINDOW)
      considerWindow(d, i, expensive, readsWindow);
    readsWindow[i] = node->class == TG_CLASS_WINDOW;
    for (int64_t j = 0; node->class != TG_CLASS_REDUCE && j < node->numOperands; ++j) {
      int64_t from = node->operands[j].node;
      readsWindow[i] = readsWindow[i] || (from >= 0 && readsWindow[from] && !isCandidate(d, from));
    }
  }
}

/// The cost of keeping a value: a barrier, a store and loads.
static double costOfKeeping(const Dominants *d, const GraphNode *node) {
  double bytes = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(node->op); ++i)
    bytes += (double)irTensorBytes(mlirValueGetType(irResult(node->op, i)));
  return (double)d->device.barrierNs + costOfMoving(&d->device, 2 * bytes);
}

/// Elements of a root that a thread computes whose mapping is not known yet, of a value that is asked for so often. Of
/// few each has a thread.
static int64_t elementsOfThread(const Dominants *d, const PlanDemand *demand) {
  enum { MOST = 4, THREADS_OF_SM = 128 };
  double roots = demand->times / (demand->serial > 1 ? demand->serial : 1);
  double ofThread = roots / (double)(d->device.sms * THREADS_OF_SM);
  return ofThread < MOST ? 1 + (int64_t)ofThread : MOST;
}

/// A value that is demanded at several indices is kept if computing it each time would cost more, or take too much
/// code. It is not kept where few of its elements are demanded. Of a free operation the operand is kept.
static void considerRepetition(Dominants *d, int64_t i, PlanDemand demand) {
  const GraphNode *node = &d->graph.nodes[i];
  bool isRepeated = demand.copies > 1 || demand.times > (double)node->elements;
  if (!isRepeated || tgCostOfKind(node->kind) == TG_COST_FREE || 2 * demand.times < (double)node->elements)
    return;
  Cone cone = coneOf(&d->graph, d->isRoot, i);
  double again =
      planCostOfAgain(&d->device, &demand, node->elements, (double)cone.instructions, elementsOfThread(d, &demand));
  if (again > costOfKeeping(d, node))
    addCandidate(d, i, "demanded many times: computing it again would cost more than a barrier");
  else if (planIsMuchCode(&demand, (double)cone.operations)) {
    stitchRemark(node->op, "demanded at %.0f indices, %lld operations for each", demand.copies,
                 (long long)cone.operations);
    addCandidate(d, i, "demanded at many indices: computing it at each would take too much code");
  }
}

/// Roots with equally many elements can be in one group, and then find their common values in registers.
static int64_t spaceOf(const GraphNode *node) {
  return node->class == TG_CLASS_REDUCE ? irNumElements(irShapeOf(irOperand(node->op, 0))) : node->elements;
}

/// Goes from the results to the inputs, for a kept value demands elements of others once.
static void considerRepetitions(Dominants *d) {
  PlanDemands *demands = planDemandsCreate(&d->graph, d->index);
  for (int64_t i = d->graph.numNodes; i-- > 0;) {
    if (!isCandidate(d, i))
      considerRepetition(d, i, planDemandOf(demands, i, PLAN_ALL_GROUPS));
    if (isCandidate(d, i))
      planAskRoot(demands, i, spaceOf(&d->graph.nodes[i]));
    else
      planAskOperands(demands, i);
  }
  planDemandsDestroy(demands);
}

void findCandidates(Dominants *d) {
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    if (d->graph.nodes[i].class == TG_CLASS_REDUCE)
      addCandidate(d, i, "reduce");
    else if (d->graph.nodes[i].yielded)
      addCandidate(d, i, "result of the fusion");
  }
  const bool *expensive = findExpensive(d);
  int64_t *reads = IR_NEW_ARRAY(&d->graph.arena, int64_t, d->graph.numNodes);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    considerReplication(d, i, expensive, reads);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (reads[i] > d->graph.nodes[i].elements && d->graph.nodes[i].class == TG_CLASS_ELEMENTWISE && !isCandidate(d, i))
      considerKeeping(d, i, reads[i]);
  considerWindows(d, expensive);
  considerRepetitions(d);
}
