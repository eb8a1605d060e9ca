//===- groups.c - stitch-dominants: groups -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters of candidates of one class become groups, without cycles, in topological order.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/scc.h"
#include "passes/stitch_dominants/dominants.h"

#include <stdlib.h>
#include <string.h>

/// The graph in which a cluster of candidates is one vertex; edges lead from users to operands.
static Digraph quotientOf(const Dominants *d, IrArena *arena, const int64_t *vertexOf, int64_t numVertices) {
  Digraph q = {numVertices, IR_NEW_ARRAY(arena, int64_t, numVertices + 2), NULL};
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
/// it. Along a path it never falls, and it rises where the cluster changes.
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
} ClusterNode;

static int compareParts(const void *a, const void *b) {
  const ClusterNode *x = a, *y = b;
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
  Digraph q = quotientOf(d, arena, vertexOf, numVertices);
  Scc scc = sccFind(&q, arena);
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
  ClusterNode *parts = IR_NEW_ARRAY(arena, ClusterNode, d->graph.numNodes);
  int64_t numParts = 0;
  for (int64_t i = 0; i < d->graph.numNodes; ++i)
    if (cluster[i] >= 0)
      parts[numParts++] = (ClusterNode){cluster[i], cyclic[sccOf[i]] ? depth[i] : 0, i};
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

void formGroups(Dominants *d) {
  IrArena arena = {0};
  int64_t numNodes = d->graph.numNodes;
  int64_t *cluster = IR_NEW_ARRAY(&arena, int64_t, numNodes);
  int64_t numClusters = d->numClasses;
  for (int64_t i = 0; i < numNodes; ++i)
    cluster[i] = isCandidate(d, i) ? d->decisions[i].class : -1;
  numClusters = cutCycles(d, &arena, cluster, numClusters);

  // Strongly connected components are now single clusters, numbered in topological order.
  int64_t *vertexOf = IR_NEW_ARRAY(&arena, int64_t, numNodes);
  Digraph q = quotientOf(d, &arena, vertexOf, numberVertices(d, &arena, cluster, numClusters, vertexOf));
  Scc scc = sccFind(&q, &arena);
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
