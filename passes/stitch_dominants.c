//===- stitch_dominants.c - stitch-dominants ------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.3, step 1: dominant identification and operator grouping. Takes fusions as stitch-outline leaves them;
// writes stitch.group and stitch.role on every operation, and clones operations so that a member has users in its own
// group only.
//
//   1. Candidates: reduces, results of the fusion, expensive elementwise operations before a broadcast or gather that
//      reads their elements many times, and what several groups would otherwise compute several times at a loss.
//   2. Dominant merging: candidates that are connected and whose iteration spaces are compatible form a group.
//      A group that depends on itself through another one is cut.
//   3. A group's dominant is its largest reduce, or else its largest operation. The other candidates are sub-dominant.
//   4. All other operations are members, of the group that reads them.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/build.h"
#include "ir/cost.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "ir/space.h"
#include "passes/fusions.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

/// The iteration space that candidates of a group share.
typedef struct {
  int64_t component; ///< of the fusion's graph
  IterationSpace space;
  int64_t
      reduce;  ///< the reduce that made it, or -1: a row class made by an operation before a broadcast, or a free one
  bool isFree; ///< no rows: `space.columns` elements in any order
} SpaceClass;

typedef struct {
  const char *reason;       ///< why it is a candidate; null if it is not
  int64_t class;            ///< candidates: index of its space class
  int64_t broadcastColumns; ///< > 0: each element is read by that many contiguous elements of its users
  int64_t group;
  StitchRole role;
} Decision;

typedef struct {
  IrGraph graph;
  MlirOperation fusion;
  StitchDevice device;
  IndexContext *index;
  bool merge;
  Decision *decisions;
  bool *isRoot;       ///< candidates
  int64_t *component; ///< node -> component
  SpaceClass *classes;
  int64_t numClasses;
  int64_t classCapacity;
  int64_t numGroups;
} Dominants;

enum { OPTION_MERGE };
enum { STATISTIC_GROUPS, STATISTIC_DOMINANTS, STATISTIC_SUB_DOMINANTS, STATISTIC_CLONES };

static bool isCandidate(const Dominants *d, int64_t node) { return d->isRoot[node]; }

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

static void addCandidate(Dominants *d, int64_t node, const char *reason) {
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
    expensive[i] = node->class == TG_CLASS_ELEMENTWISE && tgCostOfKind(node->kind) == TG_COST_EXPENSIVE;
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

/// A broadcast or gather reads elements of an expensive value several times. In contiguous runs (the value has an
/// element for each row of its user) the value is kept in the block, which costs next to nothing. Otherwise it takes a
/// grid barrier, which must be cheaper than what it saves.
static void considerReplication(Dominants *d, int64_t user, const bool *expensive) {
  const GraphNode *replicating = &d->graph.nodes[user];
  if ((replicating->kind != TG_broadcast && replicating->kind != TG_gather) || replicating->operands[0].node < 0)
    return;
  int64_t from = throughReshapes(d, replicating->operands[0].node);
  if (from < 0 || !expensive[from] || replicating->elements <= d->graph.nodes[from].elements)
    return;
  const GraphNode *node = &d->graph.nodes[from];
  if (node->elements > 1 && replicating->elements % node->elements == 0 &&
      irKeepsRows(d->index, replicating->op, 0, node->elements)) {
    d->decisions[from].broadcastColumns = replicating->elements / node->elements;
    addCandidate(d, from, "expensive, and read by all elements of a row");
    return;
  }
  Cone cone = coneOf(&d->graph, d->isRoot, from);
  double saved = costOfComputing(&d->device, replicating->elements - node->elements, cone.instructions);
  if (saved > (double)d->device.barrierNs)
    addCandidate(d, from, "expensive, and read many times: computing it again would cost more than a barrier");
  else
    stitchRemark(node->op, "no candidate: computing it again costs %.0f ns, a barrier %lld ns", saved,
                 (long long)d->device.barrierNs);
}

static void findCandidates(Dominants *d) {
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    if (d->graph.nodes[i].class == TG_CLASS_REDUCE)
      addCandidate(d, i, "reduce");
    else if (d->graph.nodes[i].yielded)
      addCandidate(d, i, "result of the fusion");
  }
  const bool *expensive = findExpensive(d);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    considerReplication(d, i, expensive);
}

//===----------------------------------------------------------------------===//
// Connection
//===----------------------------------------------------------------------===//

static int64_t findRoot(int64_t *parent, int64_t i) {
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

static void unite(int64_t *parent, int64_t a, int64_t b) {
  a = findRoot(parent, a);
  b = findRoot(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

/// Operations are connected through values and through inputs of the fusion that they share. A value that a candidate
/// leaves connects too: where the spaces are compatible it stays in a register.
static void findComponents(Dominants *d) {
  int64_t numArguments = mlirBlockGetNumArguments(d->graph.block), numNodes = d->graph.numNodes;
  int64_t *parent = IR_NEW_ARRAY(&d->graph.arena, int64_t, numNodes + numArguments);
  for (int64_t i = 0; i < numNodes + numArguments; ++i)
    parent[i] = i;
  for (int64_t i = 0; i < numNodes; ++i)
    for (int64_t j = 0; j < d->graph.nodes[i].numOperands; ++j) {
      GraphOperand operand = d->graph.nodes[i].operands[j];
      unite(parent, i, operand.node >= 0 ? operand.node : numNodes + operand.number);
    }
  d->component = IR_NEW_ARRAY(&d->graph.arena, int64_t, numNodes);
  for (int64_t i = 0; i < numNodes; ++i)
    d->component[i] = findRoot(parent, i);
}

//===----------------------------------------------------------------------===//
// Space classes
//===----------------------------------------------------------------------===//

static int64_t addClass(Dominants *d, SpaceClass class) {
  IR_RESERVE_ONE(d->classes, d->numClasses, d->classCapacity);
  d->classes[d->numClasses] = class;
  return d->numClasses++;
}

static bool sameReducedShape(const Dominants *d, int64_t a, int64_t b) {
  MlirOperation x = d->graph.nodes[a].op, y = d->graph.nodes[b].op;
  return irShapesEqual(irShapeOf(irOperand(x, 0)), irShapeOf(irOperand(y, 0))) &&
         irShapesEqual(irGetDims(x, "dims"), irGetDims(y, "dims")) && irGetInt(x, "dim", -1) == irGetInt(y, "dim", -1);
}

static int64_t classOfReduce(Dominants *d, int64_t node) {
  IterationSpace space = irReduceSpace(d->graph.nodes[node].op);
  for (int64_t i = 0; d->merge && i < d->numClasses; ++i) {
    const SpaceClass *c = &d->classes[i];
    if (c->component == d->component[node] && c->reduce >= 0 && c->space.kind == space.kind &&
        c->space.rows == space.rows && c->space.columns == space.columns && c->space.natural == space.natural &&
        (space.natural || sameReducedShape(d, c->reduce, node)))
      return i;
  }
  return addClass(d, (SpaceClass){d->component[node], space, node, false});
}

/// How well a class suits a candidate of that shape that is no reduce; 0 if not at all. Its leading dimensions must be
/// the rows: the same number of elements alone may be a coincidence.
static int suitability(const SpaceClass *c, IrShape shape) {
  int64_t elements = irNumElements(shape);
  bool isRow = c->space.kind == STITCH_MAPPING_ROW;
  bool full =
      c->space.natural && c->space.rows * c->space.columns == elements && irLeadingDims(shape, c->space.rows) >= 0;
  if (c->isFree)
    return c->space.columns == elements ? 1 : 0;
  if (!isRow)
    return full ? 2 : 0;
  if (full)
    return c->reduce >= 0 ? 6 : 4;
  if (c->space.rows == elements)
    return c->reduce >= 0 ? 5 : 3;
  return 0;
}

static int64_t classOfOther(Dominants *d, int64_t node) {
  IrShape shape = irShapeOf(irResult(d->graph.nodes[node].op, 0));
  int64_t elements = d->graph.nodes[node].elements, best = -1;
  int bestSuitability = 0;
  for (int64_t i = 0; d->merge && i < d->numClasses; ++i) {
    int suits = d->classes[i].component == d->component[node] ? suitability(&d->classes[i], shape) : 0;
    if (suits > bestSuitability) {
      bestSuitability = suits;
      best = i;
    }
  }
  if (best >= 0)
    return best;
  return addClass(d,
                  (SpaceClass){d->component[node], (IterationSpace){STITCH_MAPPING_FLAT, 1, elements, true}, -1, true});
}

/// An operation whose elements are read by the rows of a broadcast makes rows of its elements, unless a reduce has made
/// them before.
static void addBroadcastClass(Dominants *d, int64_t node) {
  int64_t rows = d->graph.nodes[node].elements, columns = d->decisions[node].broadcastColumns;
  for (int64_t i = 0; i < d->numClasses; ++i) {
    const SpaceClass *c = &d->classes[i];
    if (c->component == d->component[node] && c->space.kind == STITCH_MAPPING_ROW && c->space.rows == rows &&
        (c->reduce >= 0 || c->space.columns == columns))
      return;
  }
  addClass(d, (SpaceClass){d->component[node], (IterationSpace){STITCH_MAPPING_ROW, rows, columns, true}, -1, false});
}

static void classifyCandidates(Dominants *d) {
  d->numClasses = 0;
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (isCandidate(d, i) && d->graph.nodes[i].class == TG_CLASS_REDUCE)
      d->decisions[i].class = classOfReduce(d, i);
  for (int64_t i = 0; d->merge && i < d->graph.numNodes; ++i)
    if (isCandidate(d, i) && d->decisions[i].broadcastColumns > 0)
      addBroadcastClass(d, i);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (isCandidate(d, i) && d->graph.nodes[i].class != TG_CLASS_REDUCE)
      d->decisions[i].class = classOfOther(d, i);
}

//===----------------------------------------------------------------------===//
// Strongly connected components of the graph in which a cluster of candidates is one vertex (Tarjan, iterative)
//===----------------------------------------------------------------------===//

/// Vertices are numbered 0 .. numVertices - 1; edges lead from users to operands.
typedef struct {
  int64_t numVertices;
  int64_t *firstEdge; ///< numVertices + 1
  int64_t *edges;
} Quotient;

static Quotient quotientOf(const Dominants *d, IrArena *arena, const int64_t *vertexOf, int64_t numVertices) {
  Quotient q = {numVertices, IR_NEW_ARRAY(arena, int64_t, numVertices + 2), NULL};
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    q.firstEdge[vertexOf[i] + 2] += d->graph.nodes[i].numOperands;
  for (int64_t i = 0; i < numVertices; ++i)
    q.firstEdge[i + 2] += q.firstEdge[i + 1];
  q.edges = IR_NEW_ARRAY(arena, int64_t, q.firstEdge[numVertices + 1]);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    for (int64_t j = 0; j < d->graph.nodes[i].numOperands; ++j) {
      int64_t from = d->graph.nodes[i].operands[j].node;
      q.edges[q.firstEdge[vertexOf[i] + 1]++] = from >= 0 ? vertexOf[from] : vertexOf[i];
    }
  return q;
}

typedef struct {
  int64_t *component; ///< vertex -> component, numbered operands first
  int64_t count;
} Scc;

typedef struct {
  const Quotient *q;
  Scc scc;
  int64_t *number; ///< 0: not seen
  int64_t *low;
  int64_t *nextEdge;
  int64_t *stack; ///< vertices without component
  int64_t stackSize;
  int64_t *path; ///< of the depth-first search
  int64_t pathSize;
  int64_t counter;
} Tarjan;

static void enter(Tarjan *t, int64_t v) {
  t->number[v] = t->low[v] = ++t->counter;
  t->nextEdge[v] = t->q->firstEdge[v];
  t->stack[t->stackSize++] = v;
  t->path[t->pathSize++] = v;
}

static void leave(Tarjan *t, int64_t v) {
  --t->pathSize;
  if (t->pathSize > 0 && t->low[v] < t->low[t->path[t->pathSize - 1]])
    t->low[t->path[t->pathSize - 1]] = t->low[v];
  if (t->low[v] != t->number[v])
    return;
  int64_t member;
  do {
    member = t->stack[--t->stackSize];
    t->scc.component[member] = t->scc.count;
  } while (member != v);
  ++t->scc.count;
}

static void search(Tarjan *t, int64_t start) {
  enter(t, start);
  while (t->pathSize > 0) {
    int64_t v = t->path[t->pathSize - 1];
    if (t->nextEdge[v] == t->q->firstEdge[v + 1]) {
      leave(t, v);
      continue;
    }
    int64_t to = t->q->edges[t->nextEdge[v]++];
    if (!t->number[to])
      enter(t, to);
    else if (t->scc.component[to] < 0 && t->number[to] < t->low[v])
      t->low[v] = t->number[to];
  }
}

static Scc findScc(const Quotient *q, IrArena *arena) {
  int64_t n = q->numVertices;
  Tarjan t = {.q = q};
  t.scc.component = IR_NEW_ARRAY(arena, int64_t, n);
  t.number = IR_NEW_ARRAY(arena, int64_t, n);
  t.low = IR_NEW_ARRAY(arena, int64_t, n);
  t.nextEdge = IR_NEW_ARRAY(arena, int64_t, n);
  t.stack = IR_NEW_ARRAY(arena, int64_t, n);
  t.path = IR_NEW_ARRAY(arena, int64_t, n);
  memset(t.scc.component, -1, sizeof(int64_t) * (size_t)n);
  for (int64_t v = 0; v < n; ++v)
    if (!t.number[v])
      search(&t, v);
  return t.scc;
}

//===----------------------------------------------------------------------===//
// Groups: clusters of candidates without cycles, in topological order
//===----------------------------------------------------------------------===//

/// Vertex of each node: candidates of a cluster share one, numbered by first occurrence. Returns the number of
/// vertices.
static int64_t numberVertices(const Dominants *d, IrArena *arena, const int64_t *cluster, int64_t numClusters,
                              int64_t *vertexOf) {
  int64_t *ofCluster = IR_NEW_ARRAY(arena, int64_t, numClusters);
  memset(ofCluster, -1, sizeof(int64_t) * (size_t)numClusters);
  int64_t count = 0;
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    int64_t c = cluster[i];
    if (c >= 0 && ofCluster[c] >= 0)
      vertexOf[i] = ofCluster[c];
    else
      vertexOf[i] = count++;
    if (c >= 0)
      ofCluster[c] = vertexOf[i];
  }
  return count;
}

/// The deepest and the next deepest candidates of different clusters that a value comes from.
typedef struct {
  int64_t depth[2];
  int64_t cluster[2]; ///< -1: none
} Depth;

static void addDepth(Depth *d, int64_t depth, int64_t cluster) {
  if (cluster < 0)
    return;
  if (cluster == d->cluster[0]) {
    d->depth[0] = depth > d->depth[0] ? depth : d->depth[0];
  } else if (d->cluster[0] < 0 || depth > d->depth[0]) {
    d->depth[1] = d->depth[0];
    d->cluster[1] = d->cluster[0];
    d->depth[0] = depth;
    d->cluster[0] = cluster;
  } else if (d->cluster[1] < 0 || depth > d->depth[1] || cluster == d->cluster[1]) {
    d->depth[1] = depth > d->depth[1] || cluster != d->cluster[1] ? depth : d->depth[1];
    d->cluster[1] = cluster;
  }
}

/// For each candidate the number of changes of cluster, within its strongly connected component, on the longest path to
/// it: along a path it never falls, and it rises where the cluster changes.
static int64_t *findDepths(const Dominants *d, IrArena *arena, const int64_t *cluster, const int64_t *sccOf) {
  int64_t *depth = IR_NEW_ARRAY(arena, int64_t, d->graph.numNodes);
  Depth *sources = IR_NEW_ARRAY(arena, Depth, d->graph.numNodes);
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    Depth source = {{0, 0}, {-1, -1}};
    for (int64_t j = 0; j < d->graph.nodes[i].numOperands; ++j) {
      int64_t from = d->graph.nodes[i].operands[j].node;
      if (from < 0 || sccOf[from] != sccOf[i])
        continue;
      addDepth(&source, sources[from].depth[0], sources[from].cluster[0]);
      addDepth(&source, sources[from].depth[1], sources[from].cluster[1]);
    }
    for (int k = 0; k < 2 && cluster[i] >= 0; ++k)
      if (source.cluster[k] >= 0 && source.depth[k] + (source.cluster[k] != cluster[i]) > depth[i])
        depth[i] = source.depth[k] + (source.cluster[k] != cluster[i]);
    sources[i] = cluster[i] >= 0 ? (Depth){{depth[i], 0}, {cluster[i], -1}} : source;
  }
  return depth;
}

typedef struct {
  int64_t cluster;
  int64_t depth;
  int64_t node;
} Part;

static int compareParts(const void *a, const void *b) {
  const Part *x = a, *y = b;
  if (x->cluster != y->cluster)
    return x->cluster < y->cluster ? -1 : 1;
  if (x->depth != y->depth)
    return x->depth < y->depth ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/// Cuts the clusters that depend on each other by depth. Returns the new number of clusters.
static int64_t cutCycles(Dominants *d, IrArena *arena, int64_t *cluster, int64_t numClusters) {
  int64_t *vertexOf = IR_NEW_ARRAY(arena, int64_t, d->graph.numNodes);
  int64_t numVertices = numberVertices(d, arena, cluster, numClusters, vertexOf);
  Quotient q = quotientOf(d, arena, vertexOf, numVertices);
  Scc scc = findScc(&q, arena);
  int64_t *sccOf = IR_NEW_ARRAY(arena, int64_t, d->graph.numNodes);
  int64_t *clusterOfScc = IR_NEW_ARRAY(arena, int64_t, scc.count);
  bool *cyclic = IR_NEW_ARRAY(arena, bool, scc.count);
  memset(clusterOfScc, -1, sizeof(int64_t) * (size_t)scc.count);
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    sccOf[i] = scc.component[vertexOf[i]];
    if (cluster[i] < 0)
      continue;
    cyclic[sccOf[i]] |= clusterOfScc[sccOf[i]] >= 0 && clusterOfScc[sccOf[i]] != cluster[i];
    clusterOfScc[sccOf[i]] = cluster[i];
  }
  const int64_t *depth = findDepths(d, arena, cluster, sccOf);
  Part *parts = IR_NEW_ARRAY(arena, Part, d->graph.numNodes);
  int64_t numParts = 0;
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (cluster[i] >= 0)
      parts[numParts++] = (Part){cluster[i], cyclic[sccOf[i]] ? depth[i] : 0, i};
  qsort(parts, (size_t)numParts, sizeof(*parts), compareParts);
  int64_t count = 0;
  for (int64_t i = 0; i < numParts; ++i) {
    bool same = i > 0 && parts[i].cluster == parts[i - 1].cluster && parts[i].depth == parts[i - 1].depth;
    count += !same;
    cluster[parts[i].node] = count - 1;
  }
  if (count > numClusters)
    stitchRemark(d->fusion, "%lld groups depended on each other and were cut into %lld", (long long)numClusters,
                 (long long)count);
  return count;
}

static void formGroups(Dominants *d) {
  IrArena arena = {0};
  int64_t numNodes = d->graph.numNodes;
  int64_t *cluster = IR_NEW_ARRAY(&arena, int64_t, numNodes);
  int64_t numClusters = d->numClasses;
  for (int64_t i = 0; i < numNodes; ++i)
    cluster[i] = isCandidate(d, i) ? d->decisions[i].class : -1;
  numClusters = cutCycles(d, &arena, cluster, numClusters);

  // Strongly connected components are now single clusters, numbered in topological order.
  int64_t *vertexOf = IR_NEW_ARRAY(&arena, int64_t, numNodes);
  Quotient q = quotientOf(d, &arena, vertexOf, numberVertices(d, &arena, cluster, numClusters, vertexOf));
  Scc scc = findScc(&q, &arena);
  int64_t *groupOf = IR_NEW_ARRAY(&arena, int64_t, scc.count);
  for (int64_t i = 0; i < numNodes; ++i)
    if (cluster[i] >= 0)
      groupOf[scc.component[vertexOf[i]]] = 1;
  d->numGroups = 0;
  for (int64_t i = 0; i < scc.count; ++i)
    if (groupOf[i])
      groupOf[i] = d->numGroups++;
  for (int64_t i = 0; i < numNodes; ++i)
    d->decisions[i].group = cluster[i] >= 0 ? groupOf[scc.component[vertexOf[i]]] : -1;
  irArenaDestroy(&arena);
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// The groups that read a member, in rising order.
typedef struct {
  int64_t count;
  int64_t *groups;
} GroupSet;

static int compareNumbers(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static GroupSet groupsOfUsers(const Dominants *d, IrArena *arena, const GroupSet *sets, int64_t node) {
  const GraphNode *n = &d->graph.nodes[node];
  int64_t total = 0;
  for (int64_t i = 0; i < n->numUsers; ++i)
    total += isCandidate(d, n->users[i]) ? 1 : sets[n->users[i]].count;
  int64_t *groups = irAllocate(sizeof(int64_t) * (size_t)(total + 1));
  int64_t count = 0;
  for (int64_t i = 0; i < n->numUsers; ++i) {
    int64_t user = n->users[i];
    if (isCandidate(d, user))
      groups[count++] = d->decisions[user].group;
    for (int64_t j = 0; !isCandidate(d, user) && j < sets[user].count; ++j)
      groups[count++] = sets[user].groups[j];
  }
  qsort(groups, (size_t)count, sizeof(*groups), compareNumbers);
  int64_t distinct = 0;
  for (int64_t i = 0; i < count; ++i)
    if (i == 0 || groups[i] != groups[i - 1])
      groups[distinct++] = groups[i];
  GroupSet set = {distinct, IR_NEW_ARRAY(arena, int64_t, distinct)};
  memcpy(set.groups, groups, sizeof(int64_t) * (size_t)distinct);
  free(groups);
  return set;
}

/// Whether it is cheaper to keep a value that several groups read in memory, across a barrier, than to compute it in
/// each.
static bool isBetterKept(const Dominants *d, int64_t node, int64_t numGroups) {
  const GraphNode *n = &d->graph.nodes[node];
  if (n->class == TG_CLASS_SOURCE || tgCostOfKind(n->kind) == TG_COST_FREE)
    return false; // its operand is asked in its place
  Cone cone = coneOf(&d->graph, d->isRoot, node);
  double again = (double)(numGroups - 1) * (costOfComputing(&d->device, n->elements, cone.instructions) +
                                            costOfMoving(&d->device, (double)cone.inputBytes));
  double keeping =
      (double)d->device.barrierNs +
      costOfMoving(&d->device, (double)(numGroups + 1) * (double)irTensorBytes(mlirValueGetType(irResult(n->op, 0))));
  if (!cone.truncated && again <= keeping)
    return false;
  stitchRemark(n->op, "read by %lld groups: keeping it costs %.0f ns, computing it again %.0f ns (%lld operations%s)",
               (long long)numGroups, keeping, again, (long long)cone.operations, cone.truncated ? " and more" : "");
  return true;
}

/// Finds the groups of all members. Returns false, with new candidates, where a value is better kept.
static bool assignMembers(Dominants *d, IrArena *arena, GroupSet *sets, bool mayAddCandidates) {
  bool complete = true;
  for (int64_t i = d->graph.numNodes; i-- > 0;) {
    if (isCandidate(d, i))
      continue;
    sets[i] = groupsOfUsers(d, arena, sets, i);
    if (sets[i].count > 1 && mayAddCandidates && isBetterKept(d, i, sets[i].count)) {
      addCandidate(d, i, "several groups read it");
      complete = false;
      sets[i].count = 0;
    }
  }
  return complete;
}

static int64_t indexOfGroup(const GroupSet *set, int64_t group) {
  for (int64_t i = 0; i < set->count; ++i)
    if (set->groups[i] == group)
      return i;
  return -1;
}

/// `versions[node][k]` is the operation that stands for a member in the group number k of its set.
static void redirectOperands(const Dominants *d, MlirOperation **versions, const GroupSet *sets, int64_t node,
                             MlirOperation op, int64_t group) {
  const GraphNode *n = &d->graph.nodes[node];
  for (int64_t j = 0; j < n->numOperands; ++j) {
    int64_t from = n->operands[j].node;
    if (from >= 0 && !isCandidate(d, from) && sets[from].count > 1)
      mlirOperationSetOperand(op, j, irResult(versions[from][indexOfGroup(&sets[from], group)], n->operands[j].number));
  }
}

static void writeDecision(MlirOperation op, int64_t group, StitchRole role) {
  MlirContext context = mlirOperationGetContext(op);
  irSetAttr(op, "stitch.group", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), group));
  irSetAttr(op, "stitch.role", stitchRoleAttrGet(context, role));
}

/// Gives every member one group: the operation itself serves the first, clones the others.
static int64_t cloneMembers(Dominants *d, IrArena *arena, const GroupSet *sets) {
  int64_t numClones = 0;
  MlirOperation **versions = IR_NEW_ARRAY(arena, MlirOperation *, d->graph.numNodes);
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    MlirOperation op = d->graph.nodes[i].op;
    if (isCandidate(d, i)) {
      redirectOperands(d, versions, sets, i, op, d->decisions[i].group);
      writeDecision(op, d->decisions[i].group, d->decisions[i].role);
      continue;
    }
    versions[i] = IR_NEW_ARRAY(arena, MlirOperation, sets[i].count);
    MlirOperation last = op;
    for (int64_t k = 0; k < sets[i].count; ++k) {
      versions[i][k] = k == 0 ? op : mlirOperationClone(op);
      if (k > 0)
        mlirBlockInsertOwnedOperationAfter(d->graph.block, last, versions[i][k]);
      last = versions[i][k];
      numClones += k > 0;
    }
    for (int64_t k = 0; k < sets[i].count; ++k) {
      redirectOperands(d, versions, sets, i, versions[i][k], sets[i].groups[k]);
      writeDecision(versions[i][k], sets[i].groups[k], STITCH_ROLE_MEMBER);
    }
  }
  for (int64_t i = d->graph.numNodes; i-- > 0;)
    if (!isCandidate(d, i) && sets[i].count == 0)
      mlirOperationDestroy(d->graph.nodes[i].op); // nothing reads it
  return numClones;
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

static int64_t sizeOf(const GraphNode *node) {
  return node->class == TG_CLASS_REDUCE ? irNumElements(irShapeOf(irOperand(node->op, 0))) : node->elements;
}

/// Reductions go first, then the larger; of two reductions the first, of two others the last.
static bool dominates(const GraphNode *a, const GraphNode *earlier) {
  bool aReduces = a->class == TG_CLASS_REDUCE, earlierReduces = earlier->class == TG_CLASS_REDUCE;
  if (aReduces != earlierReduces)
    return aReduces;
  return sizeOf(a) > sizeOf(earlier) || (!aReduces && sizeOf(a) == sizeOf(earlier));
}

static int64_t *chooseDominants(Dominants *d) {
  int64_t *dominant = IR_NEW_ARRAY(&d->graph.arena, int64_t, d->numGroups);
  memset(dominant, -1, sizeof(int64_t) * (size_t)d->numGroups);
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    if (!isCandidate(d, i))
      continue;
    int64_t *of = &dominant[d->decisions[i].group];
    if (*of < 0 || dominates(&d->graph.nodes[i], &d->graph.nodes[*of]))
      *of = i;
    d->decisions[i].role = STITCH_ROLE_SUB_DOMINANT;
  }
  for (int64_t g = 0; g < d->numGroups; ++g)
    d->decisions[dominant[g]].role = STITCH_ROLE_DOMINANT;
  return dominant;
}

static void explainGroups(Dominants *d, const int64_t *dominant) {
  int64_t *numRoots = IR_NEW_ARRAY(&d->graph.arena, int64_t, d->numGroups);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (isCandidate(d, i))
      ++numRoots[d->decisions[i].group];
  for (int64_t g = 0; g < d->numGroups; ++g) {
    SpaceClass class = d->classes[d->decisions[dominant[g]].class];
    stitchRemark(d->graph.nodes[dominant[g]].op, "dominates group %lld: %lld sub-dominants, space %lld x %lld",
                 (long long)g, (long long)numRoots[g] - 1, (long long)class.space.rows, (long long)class.space.columns);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// New candidates change the groups, and new groups what members cost; after a few rounds all that is left is cloned.
enum { MAX_ROUNDS = 4 };

static void groupOperations(StitchPassRun run, Dominants *d) {
  IrArena arena = {0};
  GroupSet *sets = IR_NEW_ARRAY(&arena, GroupSet, d->graph.numNodes);
  findComponents(d);
  findCandidates(d);
  for (int round = 1;; ++round) {
    classifyCandidates(d);
    formGroups(d);
    if (assignMembers(d, &arena, sets, round < MAX_ROUNDS))
      break;
  }
  explainGroups(d, chooseDominants(d));
  stitchPassAddStatistic(run, STATISTIC_CLONES, cloneMembers(d, &arena, sets));
  stitchPassAddStatistic(run, STATISTIC_GROUPS, d->numGroups);
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (isCandidate(d, i))
      stitchPassAddStatistic(
          run, d->decisions[i].role == STITCH_ROLE_DOMINANT ? STATISTIC_DOMINANTS : STATISTIC_SUB_DOMINANTS, 1);
  irArenaDestroy(&arena);
}

static bool isSupported(const IrGraph *graph) {
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    MlirOperation op = graph->nodes[i].op;
    if (!tgIsMemoryIntensive(op)) {
      stitchEmitOpError(op, "cannot be stitched: only memory-intensive tg operations belong in a fusion");
      return false;
    }
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j) {
      IrShape shape = irShapeOf(irResult(op, j));
      for (intptr_t k = 0; k < shape.rank; ++k)
        if (shape.dims[k] < 1) {
          stitchEmitOpError(op, "has a result with a dynamic or empty dimension, which cannot be planned");
          return false;
        }
    }
  }
  return true;
}

static bool planFusion(StitchPassRun run, MlirOperation fusion, const StitchDevice *device) {
  Dominants d = {.fusion = fusion,
                 .device = *device,
                 .graph = irGraphCreate(irBody(fusion, 0)),
                 .merge = stitchPassGetBool(run, OPTION_MERGE)};
  bool succeeded = isSupported(&d.graph);
  if (succeeded) {
    d.index = indexContextCreate();
    d.decisions = IR_NEW_ARRAY(&d.graph.arena, Decision, d.graph.numNodes);
    d.isRoot = IR_NEW_ARRAY(&d.graph.arena, bool, d.graph.numNodes);
    groupOperations(run, &d);
    indexContextDestroy(d.index);
  }
  free(d.classes);
  irGraphDestroy(&d.graph);
  return succeeded;
}

static void runDominants(StitchPassRun run, MlirOperation module) { planFusions(run, module, planFusion); }

static const StitchPassOption options[] = {
    {"merge", "dominant merging: candidates of compatible iteration spaces form one group", STITCH_OPTION_BOOL, 1,
     NULL},
};

static const StitchPassStatistic statistics[] = {
    {"groups", "groups"},
    {"dominants", "dominant operations"},
    {"sub-dominants", "sub-dominant operations"},
    {"clones", "operations cloned so that each has one group"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchDominantsPass = {
    .argument = "stitch-dominants",
    .description = "Find dominant operations and group the operations of each fusion (AStitch 4.3, step 1)",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runDominants,
};
