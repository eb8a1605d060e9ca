//===- clusters.c - stitch-remote: fusions that suit each other ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fusion joins the newest cluster of its depth that suits it. Those that can are found by similarity: lists of the
// clusters with so many elements, and of the clusters whose first member reads an input. Clusters in a list suit but
// for the bounds, so a list has one cluster more only where all others are full. So lists are short, and all of them
// together are about as long as the fusions have operands.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/map.h"
#include "passes/stitch_remote/remote.h"

#include <stdlib.h>

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
  const RemoteNode *node = &remote->nodes[number];
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

//===----------------------------------------------------------------------===//
// Lists of clusters
//===----------------------------------------------------------------------===//

/// A cluster in a list.
typedef struct {
  int64_t cluster;
  int64_t next; ///< entry of the cluster that is older, or -1
} ClusterEntry;

/// Of one depth.
typedef struct {
  const Remote *remote;
  Clusters *clusters;
  IrMap byInput;      ///< value -> newest entry
  IrMap byLargeInput; ///< the same, of clusters that have no more elements than the value
  IrMap byElements;   ///< number of elements, as a pointer -> newest entry
  int64_t all;        ///< POLICY_EXHAUSTIVE: newest entry
  ClusterEntry *entries;
  int64_t count;
  int64_t capacity;
} ClusterLists;

static ClusterLists createLists(const Remote *remote, Clusters *clusters) {
  return (ClusterLists){.remote = remote, .clusters = clusters, .all = -1};
}

static void destroyLists(ClusterLists *lists) {
  irMapDestroy(&lists->byInput);
  irMapDestroy(&lists->byLargeInput);
  irMapDestroy(&lists->byElements);
  free(lists->entries);
}

/// Never null: no fusion has less than no elements.
static const void *keyOfElements(int64_t elements) { return (const void *)(uintptr_t)(elements + 1); }

static int64_t addEntry(ClusterLists *lists, int64_t cluster, int64_t next) {
  IR_RESERVE_ONE(lists->entries, lists->count, lists->capacity);
  lists->entries[lists->count] = (ClusterEntry){cluster, next};
  return lists->count++;
}

static void listUnder(ClusterLists *lists, IrMap *map, const void *key, int64_t cluster) {
  irMapSet(map, key, addEntry(lists, cluster, irMapGet(map, key, -1)));
}

static void listByElements(ClusterLists *lists, int64_t number) {
  listUnder(lists, &lists->byElements, keyOfElements(lists->clusters->data[number].elements), number);
}

/// Whether an input of a fusion with so many elements is large for it.
static bool isLarge(MlirValue input, int64_t elements) { return irNumElements(irShapeOf(input)) >= elements; }

static void listCluster(ClusterLists *lists, int64_t number) {
  if (lists->remote->policy == POLICY_EXHAUSTIVE) {
    lists->all = addEntry(lists, number, lists->all);
    return;
  }
  const Cluster *cluster = &lists->clusters->data[number];
  MlirOperation op = lists->remote->nodes[cluster->members[0]].op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue input = irOperand(op, i);
    listUnder(lists, &lists->byInput, input.ptr, number);
    if (isLarge(input, cluster->elements))
      listUnder(lists, &lists->byLargeInput, input.ptr, number);
  }
  listByElements(lists, number);
}

/// The newest cluster of a list that suits the fusion and is newer than `found`; else `found`, which may be -1.
static int64_t findInList(const ClusterLists *lists, int64_t entry, const Cluster *fusion, int64_t found) {
  for (; entry >= 0 && lists->entries[entry].cluster > found; entry = lists->entries[entry].next)
    if (suits(lists->remote, &lists->clusters->data[lists->entries[entry].cluster], fusion))
      return lists->entries[entry].cluster;
  return found;
}

static int64_t findCluster(const ClusterLists *lists, const Cluster *fusion) {
  MlirOperation op = lists->remote->nodes[fusion->members[0]].op;
  int64_t found = findInList(lists, lists->all, fusion, -1);
  found = findInList(lists, irMapGet(&lists->byElements, keyOfElements(fusion->elements), -1), fusion, found);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue input = irOperand(op, i);
    const IrMap *map = isLarge(input, fusion->elements) ? &lists->byInput : &lists->byLargeInput;
    found = findInList(lists, irMapGet(map, input.ptr, -1), fusion, found);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Puts a fusion into the newest cluster that suits it, or into one of its own.
static void placeFusion(ClusterLists *lists, int64_t number) {
  Clusters *clusters = lists->clusters;
  Cluster alone = {0};
  addToCluster(lists->remote, &alone, number);
  int64_t found = findCluster(lists, &alone);
  if (found < 0) {
    IR_RESERVE_ONE(clusters->data, clusters->count, clusters->capacity);
    clusters->data[clusters->count++] = alone;
    listCluster(lists, clusters->count - 1);
    return;
  }
  int64_t elements = clusters->data[found].elements;
  addToCluster(lists->remote, &clusters->data[found], number);
  if (clusters->data[found].elements != elements && lists->remote->policy != POLICY_EXHAUSTIVE)
    listByElements(lists, found);
  free(alone.members);
}

Clusters formClusters(const Remote *remote) {
  Clusters clusters = {0};
  ClusterLists lists = createLists(remote, &clusters);
  int64_t depth = -1;
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    const RemoteNode *node = &remote->nodes[remote->order[i]];
    if (!node->isFusion)
      continue;
    if (node->depth != depth) { // another depth has other clusters
      destroyLists(&lists);
      lists = createLists(remote, &clusters);
      depth = node->depth;
    }
    placeFusion(&lists, remote->order[i]);
  }
  destroyLists(&lists);
  return clusters;
}

void destroyClusters(Clusters *clusters) {
  for (int64_t i = 0; i < clusters->count; ++i)
    free(clusters->data[i].members);
  free(clusters->data);
}
