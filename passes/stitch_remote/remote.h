//===- remote.h - the fusions that stitch-remote merges ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_REMOTE_REMOTE_H
#define STITCH_PASSES_STITCH_REMOTE_REMOTE_H

#include "capi/pass.h"
#include "dialects/stitch/stitch.h"
#include "ir/graph/numbering.h"
#include "ir/mlir/arena.h"
#include "passes/common/fusion_body.h"

/// An operation of the block, by its number.
typedef struct {
  MlirOperation op;
  int64_t depth; ///< defined in stitch_remote.c
  bool isFree;   ///< takes no time: a view, a constant, an update in place, or the computation of a start index
  bool isFusion;
  bool isCall;      ///< between processes
  int64_t calls;    ///< between processes, one behind the other, that it waits for
  int64_t needed;   ///< the least `calls` of those that wait for it; INT64_MAX: none does
  int64_t numOps;   ///< fusions: operations in the body
  int64_t elements; ///< fusions: of the largest value that the body computes or reduces
} RemoteNode;

typedef enum { POLICY_SIMILAR, POLICY_EXHAUSTIVE, POLICY_GAIN, POLICY_WALKS } RemotePolicy;

typedef struct {
  StitchPassRun run;
  MlirBlock block;
  IrArena arena;
  IrNumbering numbering;
  RemoteNode *nodes;
  int64_t numNodes;
  bool hasCalls;  ///< between processes
  int64_t *order; ///< nodes by depth, in program order where it is the same
  int64_t maxOps;
  int64_t maxOperands;
  int64_t maxBytes; ///< of the inputs of a merged fusion
  RemotePolicy policy;
  StitchDevice device; ///< POLICY_GAIN, POLICY_WALKS
} Remote;

/// Fusions of one depth that become one.
typedef struct {
  int64_t *members; ///< nodes
  int64_t count;
  int64_t capacity;
  int64_t depth;
  int64_t numOps;
  int64_t numOperands;
  int64_t numResults;
  int64_t inputBytes; ///< of the members' inputs, each member's by itself
  int64_t elements;   ///< most of any member
} Cluster;

/// By rising depth.
typedef struct {
  Cluster *data;
  int64_t count;
  int64_t capacity;
} Clusters;

/// Operations that are neither kernels, library calls nor free keep their order (depths.c).
bool remoteKeepsOrder(const RemoteNode *node);

/// Finds how many calls between processes nodes wait for, and which wait for them (calls.c).
void findCalls(Remote *remote);

/// Finds the depths of all nodes (depths.c).
void findDepths(Remote *remote);

/// The depth of the deepest operand of a node, 0 if the block computes none (depths.c).
int64_t depthOfOperands(const Remote *remote, const RemoteNode *node);

/// Raises the depths of all fusions of one depth to others where there are some, if the users of all can wait
/// (slack.c).
void letFusionsWait(Remote *remote);

/// Finds the order of the nodes, once their depths are known (depths.c).
void orderNodes(Remote *remote);

/// Whether clusters of so much together stay within the bounds.
static inline bool isWithinBounds(const Remote *remote, int64_t numOps, int64_t numOperands, int64_t numResults,
                                  int64_t inputBytes) {
  return numOps <= remote->maxOps && numOperands <= remote->maxOperands && numResults <= PLAN_MAX_RESULTS &&
         inputBytes <= remote->maxBytes;
}

void addToCluster(const Remote *remote, Cluster *cluster, int64_t node);

/// Whether two clusters walk spaces of the same size, or their first members read the same large input.
bool clustersAreSimilar(const Remote *remote, const Cluster *a, const Cluster *b);

/// Clusters of fusions that suit each other, each fusion in one (clusters.c). The caller releases them with
/// destroyClusters.
Clusters formClusters(const Remote *remote);
void destroyClusters(Clusters *clusters);

/// APOLLO's parallelism stitching (algorithm 3): joins clusters of one depth where that gains time (gain.c).
void joinByGain(Remote *remote, Clusters *clusters);

/// Whether a cluster, which has new members, may be one.
typedef bool (*MayJoin)(int64_t cluster, void *data);

/// The same of some clusters, by their numbers (gain.c).
void joinGroupByGain(const Remote *remote, Clusters *clusters, const int64_t *group, int64_t count, MayJoin mayJoin,
                     void *data);

/// Clusters of the kernels that walks along branches find, and depths at which these can be (walks.c).
Clusters walkBranches(Remote *remote);

#endif // STITCH_PASSES_STITCH_REMOTE_REMOTE_H
