//===- stitch_remote.c - stitch-remote ------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AStitch 4.1, remote stitching: merges fusions without a path between them. Takes functions as stitch-outline leaves
// them, and leaves them with fewer fusions.
//
// Every operation has a depth: the length of the longest path to it, on which views count nothing. Fusions of equal
// depth have no path between them, and merging them keeps it so: the depths of all others stay what they are. Merged
// are fusions that suit each other: they walk spaces of the same size, or read the same large input (policy=similar),
// or all of one depth (policy=exhaustive), within the bounds on operations and operands.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/arena.h"
#include "ir/build.h"
#include "ir/numbering.h"
#include "ir/tg.h"
#include "passes/fusion_body.h"
#include "stitch.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_POLICY, OPTION_MAX_OPS, OPTION_MAX_OPERANDS };
enum { STATISTIC_MERGED };

/// How many merged fusions of a depth are tried for each fusion: the pass stays linear.
enum { MAX_TRIES = 32 };

typedef struct {
  MlirOperation op;
  int64_t depth;
  bool isView;
  bool isFusion;
  int64_t numOps;   ///< fusions: operations in the body
  int64_t elements; ///< fusions: of the largest value that the body computes or reduces
} Node;

typedef struct {
  StitchPassRun run;
  MlirBlock block;
  IrArena arena;
  IrNumbering numbering;
  Node *nodes;
  int64_t numNodes;
  int64_t maxOps;
  int64_t maxOperands;
  bool exhaustive;
} Remote;

//===----------------------------------------------------------------------===//
// Depths
//===----------------------------------------------------------------------===//

typedef struct {
  const Remote *remote;
  int64_t depth; ///< of the deepest operand
} Operands;

static void considerOperand(MlirValue value, void *data) {
  Operands *operands = data;
  int64_t number = irNumberOf(&operands->remote->numbering, value);
  if (number < 0)
    return;
  const Node *node = &operands->remote->nodes[number];
  if (node->depth > operands->depth)
    operands->depth = node->depth;
}

/// Operations that are neither fusions, library calls nor views keep their order.
static bool hasOrder(const Node *node) {
  return !node->isView && !node->isFusion && !irOpIs(node->op, "stitch.library_call") &&
         tgKindOf(node->op) != TG_constant;
}

static void findDepths(Remote *remote) {
  int64_t ordered = 0;
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    Node *node = &remote->nodes[i];
    Operands operands = {remote, 0};
    if (node->isFusion) // isolated from above
      for (intptr_t j = 0; j < mlirOperationGetNumOperands(node->op); ++j)
        considerOperand(irOperand(node->op, j), &operands);
    else
      irForEachOperand(node->op, considerOperand, &operands);
    node->depth = operands.depth + !node->isView;
    if (!hasOrder(node))
      continue;
    node->depth = node->depth > ordered ? node->depth : ordered + 1;
    ordered = node->depth;
  }
}

//===----------------------------------------------------------------------===//
// Which fusions suit each other
//===----------------------------------------------------------------------===//

/// Fusions that become one.
typedef struct {
  int64_t *members;
  int64_t count;
  int64_t capacity;
  int64_t depth;
  int64_t numOps;
  int64_t numOperands;
  int64_t elements;
} Cluster;

typedef struct {
  Cluster *data;
  int64_t count;
  int64_t capacity;
} Clusters;

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

static bool suits(const Remote *remote, const Cluster *cluster, const Node *node) {
  if (cluster->depth != node->depth || cluster->numOps + node->numOps > remote->maxOps ||
      cluster->numOperands + mlirOperationGetNumOperands(node->op) > remote->maxOperands)
    return false;
  int64_t smaller = cluster->elements < node->elements ? cluster->elements : node->elements;
  return remote->exhaustive || cluster->elements == node->elements ||
         shareLargeInput(remote->nodes[cluster->members[0]].op, node->op, smaller);
}

static Cluster *findCluster(const Remote *remote, Clusters *clusters, const Node *node) {
  for (int64_t i = clusters->count, tries = 0; i-- > 0 && tries < MAX_TRIES; ++tries) {
    if (clusters->data[i].depth != node->depth)
      return NULL;
    if (suits(remote, &clusters->data[i], node))
      return &clusters->data[i];
  }
  return NULL;
}

static void addToCluster(Cluster *cluster, const Node *node, int64_t number) {
  IR_RESERVE_ONE(cluster->members, cluster->count, cluster->capacity);
  cluster->members[cluster->count++] = number;
  cluster->depth = node->depth;
  cluster->numOps += node->numOps;
  cluster->numOperands += mlirOperationGetNumOperands(node->op);
  cluster->elements = node->elements > cluster->elements ? node->elements : cluster->elements;
}

typedef struct {
  int64_t depth;
  bool isView;
  int64_t number;
} Order;

static int compareOrder(const void *a, const void *b) {
  const Order *x = a, *y = b;
  if (x->depth != y->depth)
    return x->depth < y->depth ? -1 : 1;
  if (x->isView != y->isView)
    return x->isView ? 1 : -1;
  return (x->number > y->number) - (x->number < y->number);
}

/// By depth; views behind what they view.
static Order *orderNodes(Remote *remote) {
  Order *order = IR_NEW_ARRAY(&remote->arena, Order, remote->numNodes);
  for (int64_t i = 0; i < remote->numNodes; ++i)
    order[i] = (Order){remote->nodes[i].depth, remote->nodes[i].isView, i};
  qsort(order, (size_t)remote->numNodes, sizeof(*order), compareOrder);
  return order;
}

static Clusters formClusters(const Remote *remote, const Order *order) {
  Clusters clusters = {0};
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    const Node *node = &remote->nodes[order[i].number];
    if (!node->isFusion)
      continue;
    Cluster *cluster = findCluster(remote, &clusters, node);
    if (!cluster) {
      IR_RESERVE_ONE(clusters.data, clusters.count, clusters.capacity);
      cluster = &clusters.data[clusters.count++];
      *cluster = (Cluster){0};
    }
    addToCluster(cluster, node, order[i].number);
  }
  return clusters;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Moves the operations of a fusion into `body` and adds what it yields to `results`.
static void moveBody(FusionBody *body, ValueList *results, MlirOperation fusion) {
  MlirBlock from = irBody(fusion, 0);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(fusion); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(from, i),
                                  fusionBodyArgument(body, irOperand(fusion, i), mlirOperationGetLocation(fusion)));
  MlirOperation yield = mlirBlockGetTerminator(from);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    valueListAdd(results, irOperand(yield, i));
  MlirOperation op = mlirBlockGetFirstOperation(from);
  while (!mlirOperationEqual(op, yield)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(body->block, op);
    op = next;
  }
}

/// Puts one fusion in the place of the first of the cluster's, which all stand before all of their users.
static void mergeCluster(Remote *remote, const Cluster *cluster) {
  FusionBody body = fusionBodyCreate();
  ValueList results = {0};
  MlirOperation first = remote->nodes[cluster->members[0]].op;
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
               (long long)cluster->count, (long long)cluster->depth, (long long)cluster->numOps, (long long)numInputs,
               (long long)results.count);
  stitchPassAddStatistic(remote->run, STATISTIC_MERGED, cluster->count - 1);
  valueListDestroy(&results);
}

static void mergeAll(Remote *remote) {
  const Order *order = orderNodes(remote);
  MlirOperation terminator = mlirBlockGetTerminator(remote->block);
  for (int64_t i = 0; i < remote->numNodes; ++i)
    if (!mlirOperationEqual(remote->nodes[order[i].number].op, terminator))
      mlirOperationMoveBefore(remote->nodes[order[i].number].op, terminator);
  Clusters clusters = formClusters(remote, order);
  for (int64_t i = 0; i < clusters.count; ++i) {
    if (clusters.data[i].count > 1)
      mergeCluster(remote, &clusters.data[i]);
    free(clusters.data[i].members);
  }
  free(clusters.data);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void describeFusion(Node *node) {
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

static void describeNodes(Remote *remote) {
  remote->numbering = irNumberingCreate(remote->block);
  remote->numNodes = remote->numbering.count;
  remote->nodes = IR_NEW_ARRAY(&remote->arena, Node, remote->numNodes);
  for (int64_t i = 0; i < remote->numNodes; ++i) {
    MlirOperation op = remote->numbering.ops[i];
    remote->nodes[i] = (Node){.op = op, .isView = tgKindOf(op) == TG_reshape, .isFusion = irOpIs(op, "stitch.fusion")};
    if (remote->nodes[i].isFusion)
      describeFusion(&remote->nodes[i]);
  }
}

static void mergeFunction(StitchPassRun run, MlirOperation function) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  if (mlirBlockIsNull(block) || !mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return;
  Remote remote = {.run = run,
                   .block = block,
                   .maxOps = stitchPassGetInt(run, OPTION_MAX_OPS),
                   .maxOperands = stitchPassGetInt(run, OPTION_MAX_OPERANDS),
                   .exhaustive = strcmp(stitchPassGetString(run, OPTION_POLICY), "exhaustive") == 0};
  describeNodes(&remote);
  findDepths(&remote);
  mergeAll(&remote);
  irNumberingDestroy(&remote.numbering);
  irArenaDestroy(&remote.arena);
}

static void runRemote(StitchPassRun run, MlirOperation module) {
  const char *policy = stitchPassGetString(run, OPTION_POLICY);
  if (strcmp(policy, "similar") != 0 && strcmp(policy, "exhaustive") != 0) {
    stitchEmitOpError(module, "stitch-remote: policy must be 'similar' or 'exhaustive', got '%s'", policy);
    stitchPassSignalFailure(run);
    return;
  }
  IR_FOR_EACH_OP(op, mlirModuleGetBody(mlirModuleFromOperation(module)))
  if (irOpIs(op, "func.func"))
    mergeFunction(run, op);
}

static const StitchPassOption options[] = {
    {"policy",
     "similar: spaces of the same size or a large input in common; exhaustive: all without a path between them",
     STITCH_OPTION_STRING, 0, "similar"},
    {"max-ops", "most operations in a merged fusion", STITCH_OPTION_INT, 1024, NULL},
    {"max-operands", "most inputs of a merged fusion", STITCH_OPTION_INT, 256, NULL},
};

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
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runRemote,
};
