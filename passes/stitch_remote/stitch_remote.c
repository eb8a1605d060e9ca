//===- stitch_remote.c - stitch-remote -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.1, remote stitching: merges fusions without a path between them. Takes functions as stitch-outline leaves
// them, and leaves them with fewer fusions.
//
// Every operation has a depth: twice the number of kernels on the longest path to it, and one more if the last of these
// is behind it. Views and updates in place have the depth of their operands. Where library calls alternate with
// kernels, as along the steps of two recurrences, kernels have even depths and calls odd ones, whatever each path
// starts with. Fusions of equal depth have no path between them, and merging them keeps the depths of all others.
// Merged are fusions that suit each other: their spaces have the same size, or they read the same large input
// (policy=similar). With policy=gain also others are merged for which the cost model of APOLLO 4.3 finds a gain. With
// policy=exhaustive all of one depth, within the bounds on operations and operands. With policy=walks candidates are
// found as APOLLO does (walks.c), whatever their depths.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/in_place.h"
#include "ir/graph/tg.h"
#include "ir/mlir/build.h"
#include "ir/plan/plan.h"
#include "ir/plan/scan.h"
#include "passes/common/fusion_body.h"
#include "passes/common/fusions.h"
#include "passes/stitch_remote/remote.h"
#include "stitch.h"

#include <string.h>

enum { OPTION_POLICY, OPTION_MAX_OPS, OPTION_MAX_OPERANDS, OPTION_MAX_BYTES };
enum { STATISTIC_MERGED };

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Moves the operations of a fusion into `body` and adds its yielded values to `results`.
static void moveBody(FusionBody *body, ValueList *results, MlirOperation fusion) {
  MlirBlock from = irBody(fusion, 0);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, i),
                                  fusionBodyArgument(body, irOperand(fusion, i), mlirOperationGetLocation(fusion)));
  MlirOperation yield = mlirBlockGetTerminator(from);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    valueListAdd(results, irOperand(yield, i));
  irMoveOperations(from, body->block, /*withTerminator=*/false);
}

/// The first in the block of a cluster's fusions, which have one depth: joined ones begin with the heaviest.
static int64_t firstMember(const Cluster *cluster) {
  int64_t first = cluster->members[0];
  for (int64_t i = 1; i < cluster->count; ++i)
    first = cluster->members[i] < first ? cluster->members[i] : first;
  return first;
}

/// Puts one fusion in the place of the first of the cluster's, which all stand before all of their users.
static void mergeCluster(Remote *remote, const Cluster *cluster) {
  FusionBody body = fusionBodyCreate();
  ValueList results = {0};
  MlirOperation first = remote->nodes[firstMember(cluster)].op;
  for (int64_t i = 0; i < cluster->count; ++i)
    moveBody(&body, &results, remote->nodes[cluster->members[i]].op);
  int64_t numInputs = body.inputs.count;
  MlirOperation op = fusionBodyClose(&body, "stitch.fusion", mlirOperationGetLocation(first), &results, first);
  for (int64_t i = 0; i < cluster->count; ++i) {
    MlirOperation fusion = remote->nodes[cluster->members[i]].op;
    MlirOperation yield = mlirBlockGetTerminator(irBody(fusion, 0));
    for (intptr_t j = 0; j < mlirOperationGetNumResults(fusion); ++j)
      mlirValueReplaceAllUsesOfWith(irResult(fusion, j), irResult(op, valueListAdd(&results, irOperand(yield, j))));
    mlirOperationDestroy(fusion);
  }
  stitchRemark(op, "%lld fusions of depth %lld merged: %lld operations, %lld inputs, %lld results",
               (long long)cluster->count, (long long)cluster->depth / 2, (long long)cluster->numOps,
               (long long)numInputs, (long long)results.count);
  stitchPassAddStatistic(remote->run, STATISTIC_MERGED, cluster->count - 1);
  valueListDestroy(&results);
}

static void mergeAll(Remote *remote, Clusters *clusters) {
  MlirOperation terminator = mlirBlockGetTerminator(remote->block);
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    MlirOperation op = remote->nodes[remote->order[i]].op;
    if (!mlirOperationEqual(op, terminator))
      mlirOperationMoveBefore(op, terminator);
  }
  for (int64_t i = 0; i < clusters->count; ++i)
    if (clusters->data[i].count > 1)
      mergeCluster(remote, &clusters->data[i]);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void describeFusion(RemoteNode *node) {
  IR_FOR_EACH_OP(op, irBody(node->op, 0)) {
    ++node->numOps;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
      int64_t elements = irNumElements(irShapeOf(irResult(op, i)));
      node->elements = elements > node->elements ? elements : node->elements;
    }
    if (tgClassOfKind(tgKindOf(op)) != TG_CLASS_REDUCE)
      continue;
    int64_t reduced = irNumElements(irShapeOf(irOperand(op, 0)));
    node->elements = reduced > node->elements ? reduced : node->elements;
  }
}

static bool isFree(MlirOperation op) {
  return tgKindOf(op) == TG_reshape || tgKindOf(op) == TG_constant || irUpdatesInPlace(op) || irComputesStartsOnly(op);
}

/// A kernel of attention has a plan already.
static bool canMerge(MlirOperation op) { return irOpIs(op, "stitch.fusion") && !planHasOwnPlan(op); }

static void describeNodes(Remote *remote) {
  remote->numbering = irNumberingCreate(remote->block);
  remote->numNodes = remote->numbering.count;
  remote->nodes = IR_NEW_ARRAY(&remote->arena, RemoteNode, remote->numNodes);
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    MlirOperation op = remote->numbering.ops[i];
    remote->nodes[i] = (RemoteNode){.op = op, .isFree = isFree(op), .isFusion = canMerge(op)};
    if (remote->nodes[i].isFusion)
      describeFusion(&remote->nodes[i]);
  }
}

/// Of a valid name.
static RemotePolicy policyOf(const char *name) {
  static const char *const names[] = {[POLICY_SIMILAR] = "similar",
                                      [POLICY_EXHAUSTIVE] = "exhaustive",
                                      [POLICY_GAIN] = "gain",
                                      [POLICY_WALKS] = "walks"};
  int policy = 0;
  while (policy < POLICY_WALKS && strcmp(name, names[policy]) != 0)
    ++policy;
  return (RemotePolicy)policy;
}

static bool mergeGraph(StitchPassRun run, MlirBlock block) {
  Remote remote = {.run = run,
                   .block = block,
                   .maxOps = stitchPassGetInt(run, OPTION_MAX_OPS),
                   .maxOperands = stitchPassGetInt(run, OPTION_MAX_OPERANDS),
                   .maxBytes = stitchPassGetInt(run, OPTION_MAX_BYTES)};
  MlirOperation parent = mlirBlockGetParentOperation(block);
  remote.policy = policyOf(stitchPassGetString(run, OPTION_POLICY));
  if ((remote.policy == POLICY_GAIN || remote.policy == POLICY_WALKS) && !planGetDevice(parent, &remote.device)) {
    stitchEmitOpError(parent, "has no device to estimate gains for: set stitch.device on the module");
    return false;
  }
  describeNodes(&remote);
  findCalls(&remote);
  Clusters clusters;
  if (remote.policy == POLICY_WALKS) {
    clusters = walkBranches(&remote);
    orderNodes(&remote);
  } else {
    findDepths(&remote);
    letFusionsWait(&remote);
    orderNodes(&remote);
    clusters = formClusters(&remote);
    if (remote.policy == POLICY_GAIN)
      joinByGain(&remote, &clusters);
  }
  mergeAll(&remote, &clusters);
  destroyClusters(&clusters);
  irNumberingDestroy(&remote.numbering);
  irArenaDestroy(&remote.arena);
  return true;
}

static void runRemote(StitchPassRun run, MlirOperation module) { planGraphs(run, module, mergeGraph); }

static const StitchPassOption options[] = {
    {"policy",
     "similar: spaces of the same size or a large input in common; gain: also others where that saves time; "
     "walks: kernels on branches of heads and tails, where that saves time; exhaustive: all without a path between "
     "them",
     STITCH_OPTION_STRING, 0, "similar"},
    {"max-ops", "most operations in a merged fusion", STITCH_OPTION_INT, 1024, NULL},
    {"max-operands", "most inputs of a merged fusion", STITCH_OPTION_INT, 256, NULL},
    {"max-bytes", "most bytes of the inputs of a merged fusion", STITCH_OPTION_INT, INT64_MAX, NULL},
};

static const StitchValidValues valid[] = {
    {"policy", "similar|exhaustive|gain|walks"}, {"max-ops", "1.."}, {"max-operands", "1.."}, {"max-bytes", "1.."}};

static const StitchPassStatistic statistics[] = {
    {"merged-fusions", "fusions that are now part of another one"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchRemotePass = {
    .argument = "stitch-remote",
    .description = "Merge fusions without a path between them (AStitch 4.1, remote stitching)",
    .anchor = "builtin.module",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .valid = valid,
    .numValid = sizeof(valid) / sizeof(valid[0]),
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .run = runRemote,
};
