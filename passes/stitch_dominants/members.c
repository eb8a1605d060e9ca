//===- members.c - stitch-dominants: members -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes dominants with their groups. Leaves stitch.group on each member: an operation that several groups read is
// cloned into each of them, or is kept in memory where that is cheaper.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/plan/cost.h"
#include "passes/stitch_dominants/dominants.h"

#include <stdlib.h>
#include <string.h>

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
  qsort(groups, (size_t)count, sizeof(*groups), compare64);
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

bool assignMembers(Dominants *d, IrArena *arena, GroupSet *sets, bool mayAddCandidates) {
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

/// The operation itself serves the first group, clones the others.
int64_t cloneMembers(Dominants *d, IrArena *arena, const GroupSet *sets) {
  int64_t numClones = 0;
  MlirOperation **versions = IR_NEW_ARRAY(arena, MlirOperation *, d->graph.numNodes);
  for (int64_t i = 0; i < d->graph.numNodes; ++i) {
    MlirOperation op = d->graph.nodes[i].op;
    if (isCandidate(d, i)) {
      redirectOperands(d, versions, sets, i, op, d->decisions[i].group);
      writeDecision(op, d->decisions[i].group, d->decisions[i].role);
      if (d->decisions[i].byOperand)
        irSetAttr(op, "stitch.by_operand", mlirUnitAttrGet(mlirOperationGetContext(op)));
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
