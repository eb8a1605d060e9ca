//===- clusters.c - stitch-remote: fusions that suit each other ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_remote/remote.h"

#include <stdlib.h>

/// How many clusters of a depth are tried for each fusion: the pass stays linear.
enum { MAX_TRIES = 32 };

static bool shareLargeInput(MlirOperation a, MlirOperation b, int64_t elements) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(a); ++i) {
    MlirValue input = irOperand(a, i);
    if (irNumElements(irShapeOf(input)) < elements)
      continue;
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(b); ++j)
      if (mlirValueEqual(input, irOperand(b, j)))
        return true;
  }
  return false;
}

bool clustersAreSimilar(const Remote *remote, const Cluster *a, const Cluster *b) {
  int64_t smaller = a->elements < b->elements ? a->elements : b->elements;
  return a->elements == b->elements ||
         shareLargeInput(remote->nodes[a->members[0]].op, remote->nodes[b->members[0]].op, smaller);
}

static bool suits(const Remote *remote, const Cluster *cluster, const Cluster *fusion) {
  if (!isWithinBounds(remote, cluster->numOps + fusion->numOps, cluster->numOperands + fusion->numOperands,
                      cluster->numResults + fusion->numResults, cluster->inputBytes + fusion->inputBytes))
    return false;
  return remote->policy == POLICY_EXHAUSTIVE || clustersAreSimilar(remote, cluster, fusion);
}

void addToCluster(const Remote *remote, Cluster *cluster, int64_t number) {
  const Node *node = &remote->nodes[number];
  IR_RESERVE_ONE(cluster->members, cluster->count, cluster->capacity);
  cluster->members[cluster->count++] = number;
  cluster->depth = node->depth;
  cluster->numOps += node->numOps;
  cluster->numOperands += mlirOperationGetNumOperands(node->op);
  cluster->numResults += mlirOperationGetNumResults(node->op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(node->op); ++i)
    cluster->inputBytes += irTensorBytes(mlirValueGetType(irOperand(node->op, i)));
  cluster->elements = node->elements > cluster->elements ? node->elements : cluster->elements;
}

static Cluster *findCluster(const Remote *remote, Clusters *clusters, const Cluster *fusion) {
  for (int64_t i = clusters->count, tries = 0; i-- > 0 && tries < MAX_TRIES; ++tries) {
    if (clusters->data[i].depth != fusion->depth)
      return NULL;
    if (suits(remote, &clusters->data[i], fusion))
      return &clusters->data[i];
  }
  return NULL;
}

Clusters formClusters(const Remote *remote) {
  Clusters clusters = {0};
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    int64_t number = remote->order[i];
    if (!remote->nodes[number].isFusion)
      continue;
    Cluster alone = {0};
    addToCluster(remote, &alone, number);
    Cluster *cluster = findCluster(remote, &clusters, &alone);
    if (cluster) {
      addToCluster(remote, cluster, number);
      free(alone.members);
      continue;
    }
    IR_RESERVE_ONE(clusters.data, clusters.count, clusters.capacity);
    clusters.data[clusters.count++] = alone;
  }
  return clusters;
}

void destroyClusters(Clusters *clusters) {
  for (int64_t i = 0; i < clusters->count; ++i)
    free(clusters->data[i].members);
  free(clusters->data);
}
