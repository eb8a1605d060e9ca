//===- kept_values.c - values that a kernel keeps instead of recomputing -===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups are numbered in topological order. A kept value can be read by the groups behind all groups that it reads
// itself. So its own group is put there, and the others are moved up. It is computed by a copy of its cone, right
// before the first of the operations whose place it takes.
//
//===----------------------------------------------------------------------===//

#include "passes/common/kept_values.h"

#include "ir/mlir/arithmetic.h"
#include "ir/mlir/build.h"
#include "ir/mlir/problem.h"
#include "ir/plan/cost.h"
#include "ir/plan/reads.h"
#include "ir/plan/template.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  TemplateKernel kernel;
  GroupView view;
  bool *isRoot; ///< by node
} KeptPlan;

static bool planRead(MlirOperation fusion, KeptPlan *plan) {
  plan->kernel = templateKernelCreate(fusion);
  if (!groupViewCreate(&plan->view, &plan->kernel.graph)) {
    templateKernelDestroy(&plan->kernel);
    return false;
  }
  plan->isRoot = IR_NEW_ARRAY(&plan->view.arena, bool, plan->kernel.graph.numNodes + 1);
  for (int64_t i = 0; i < plan->kernel.graph.numNodes; ++i)
    plan->isRoot[i] = groupIsRoot(&plan->view, i);
  return true;
}

static void planDestroy(KeptPlan *plan) {
  groupViewDestroy(&plan->view);
  templateKernelDestroy(&plan->kernel);
}

//===----------------------------------------------------------------------===//
// Who could read it
//===----------------------------------------------------------------------===//

/// The first group behind all whose roots the cone of a member reads.
static int64_t firstReader(const KeptPlan *plan, const Cone *cone) {
  int64_t group = 0;
  for (int64_t i = 0; i < cone->numRoots; ++i)
    group = max64(group, plan->view.group[cone->roots[i]] + 1);
  return group;
}

/// Whether a node could be kept: computed in passing, from something, as one tensor.
static bool isComputedInPassing(const KeptPlan *plan, int64_t node) {
  const GraphNode *n = &plan->kernel.graph.nodes[node];
  return !plan->isRoot[node] && n->class != TG_CLASS_SOURCE && mlirOperationGetNumResults(n->op) == 1;
}

static bool isCalled(const KeptPlan *plan, int64_t node, const char *name) {
  return strcmp(plan->kernel.names.names[node], name) == 0;
}

/// A value that is a root and computed elsewhere, too: its schedule would not say who reads it.
static bool hasRoot(const KeptPlan *plan, const char *name) {
  for (int64_t i = 0; i < plan->kernel.numRoots; ++i)
    if (isCalled(plan, plan->kernel.roots[i], name))
      return true;
  return false;
}

/// The first node that computes the value in a group that could read it; -1 with a problem.
static int64_t findKept(const KeptPlan *plan, const char *name, int64_t *group, char **problem) {
  int64_t found = -1, count = hasRoot(plan, name) ? 0 : plan->kernel.graph.numNodes;
  for (int64_t i = 0; i < count; ++i) {
    if (!isCalled(plan, i, name) || !isComputedInPassing(plan, i))
      continue;
    found = i;
    Cone cone = coneOf(&plan->kernel.graph, plan->isRoot, i);
    *group = firstReader(plan, &cone);
    if (!cone.truncated && plan->view.group[i] >= *group)
      return i;
  }
  if (hasRoot(plan, name))
    irFail(problem, "'%s' is a root already", name);
  else if (found >= 0)
    irFail(problem, "'%s' cannot be kept: the group that reads it computes its operands", name);
  else
    irFail(problem, "the kernel computes no '%s' that could be kept", name);
  return -1;
}

//===----------------------------------------------------------------------===//
// Keeping
//===----------------------------------------------------------------------===//

/// The copy of a cone.
typedef struct {
  const KeptPlan *plan;
  MlirOperation before; ///< the insertion point
  int64_t group;
  IrMap copies; ///< operation -> its index in `copied`
  MlirOperation *copied;
  int64_t count, capacity;
} ConeCopy;

static MlirValue copyCone(ConeCopy *c, int64_t node, int64_t result) {
  const GraphNode *n = &c->plan->kernel.graph.nodes[node];
  int64_t known = irMapGet(&c->copies, n->op.ptr, -1);
  if (known >= 0)
    return irResult(c->copied[known], result);
  MlirOperation copy = mlirOperationClone(n->op);
  MlirContext context = mlirOperationGetContext(copy);
  for (int64_t j = 0; j < n->numOperands; ++j) {
    int64_t from = n->operands[j].node;
    if (from >= 0 && !c->plan->isRoot[from])
      mlirOperationSetOperand(copy, j, copyCone(c, from, n->operands[j].number));
  }
  irSetAttr(copy, "stitch.group", irI64Attr(context, c->group));
  mlirBlockInsertOwnedOperationBefore(c->plan->kernel.graph.block, c->before, copy);
  IR_RESERVE_ONE(c->copied, c->count, c->capacity);
  c->copied[c->count] = copy;
  irMapSet(&c->copies, n->op.ptr, c->count++);
  return irResult(copy, result);
}

/// Groups from `group` on are one further.
static void moveGroups(const KeptPlan *plan, int64_t group) {
  for (int64_t i = 0; i < plan->kernel.graph.numNodes; ++i) {
    MlirOperation op = plan->kernel.graph.nodes[i].op;
    if (plan->view.group[i] >= group)
      irSetAttr(op, "stitch.group", irI64Attr(mlirOperationGetContext(op), plan->view.group[i] + 1));
  }
}

static void makeRoot(MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  irSetAttr(op, "stitch.role", stitchRoleAttrGet(context, STITCH_ROLE_DOMINANT));
  irSetAttr(op, "stitch.scheme", stitchSchemeAttrGet(context, STITCH_SCHEME_GLOBAL));
  irSetAttr(op, "stitch.mapping", stitchMappingAttrGetChecked(mlirOperationGetLocation(op), planFlatMapping(op)));
}

/// Erases operations without readers, readers before their operands.
static void eraseUnread(const KeptPlan *plan) {
  for (int64_t i = plan->kernel.graph.numNodes; i-- > 0;) {
    MlirOperation op = plan->kernel.graph.nodes[i].op;
    bool isRead = plan->isRoot[i];
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); ++j)
      isRead |= !mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, j)));
    if (!isRead)
      mlirOperationDestroy(op);
  }
}

static void keep(const KeptPlan *plan, int64_t node, int64_t group) {
  const GraphNode *nodes = plan->kernel.graph.nodes;
  const char *name = plan->kernel.names.names[node];
  ConeCopy copy = {.plan = plan, .before = nodes[node].op, .group = group};
  moveGroups(plan, group);
  MlirValue kept = copyCone(&copy, node, 0);
  for (int64_t i = node; i < plan->kernel.graph.numNodes; ++i)
    if (isCalled(plan, i, name) && isComputedInPassing(plan, i) && plan->view.group[i] >= group)
      mlirValueReplaceAllUsesOfWith(irResult(nodes[i].op, 0), kept);
  makeRoot(irDefiningOp(kept));
  eraseUnread(plan);
  irMapDestroy(&copy.copies);
  free(copy.copied);
}

bool keepValue(MlirOperation fusion, const char *name, char **problem) {
  KeptPlan plan;
  int64_t group;
  if (!planRead(fusion, &plan))
    return irFail(problem, "the kernel has no plan");
  int64_t node = findKept(&plan, name, &group, problem);
  if (node >= 0)
    keep(&plan, node, group);
  planDestroy(&plan);
  return node >= 0;
}

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

/// Whether some operation computes it, and no root is called so.
static bool isInPassing(MlirOperation fusion, const char *name) {
  TemplateKernel kernel = templateKernelCreate(fusion);
  bool isThere = false, isRoot = false;
  for (int64_t i = 0; i < kernel.graph.numNodes; ++i) {
    bool isIt = strcmp(kernel.names.names[i], name) == 0;
    isThere |= isIt;
    isRoot |= isIt && planIsRoot(kernel.graph.nodes[i].op);
  }
  templateKernelDestroy(&kernel);
  return isThere && !isRoot;
}

bool keepScheduledValues(MlirOperation fusion, const char *text, char **problem) {
  bool succeeded = true;
  char *name;
  while (succeeded && (name = templateNextName(&text))) {
    if (isInPassing(fusion, name))
      succeeded = keepValue(fusion, name, problem);
    free(name);
  }
  return succeeded;
}

//===----------------------------------------------------------------------===//
// Values worth keeping
//===----------------------------------------------------------------------===//

typedef struct {
  const char *name;
  int64_t node;
  int64_t computations; ///< in groups that could read it
  double nanoseconds;   ///< of all but one of them
} Repeated;

static int compareRepeated(const void *a, const void *b) {
  const Repeated *x = a, *y = b;
  if (x->nanoseconds != y->nanoseconds)
    return x->nanoseconds > y->nanoseconds ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/// All values that are computed in passing and cost something, with how often.
static int64_t findRepeated(const KeptPlan *plan, const StitchDevice *device, Repeated *repeated) {
  const IrGraph *graph = &plan->kernel.graph;
  IrMap indices = {0};
  int64_t count = 0;
  for (int64_t i = 0; i < graph->numNodes; ++i) {
    if (!isComputedInPassing(plan, i) || tgCostOfKind(graph->nodes[i].kind) == TG_COST_FREE)
      continue;
    Cone cone = coneOf(graph, plan->isRoot, i);
    if (cone.truncated || plan->view.group[i] < firstReader(plan, &cone))
      continue;
    const char *name = plan->kernel.names.names[i];
    int64_t index = irMapGet(&indices, name, count);
    if (index == count) {
      irMapSet(&indices, name, count);
      repeated[count++] = (Repeated){.name = name, .node = i};
    }
    Repeated *r = &repeated[index];
    if (r->computations++ > 0)
      r->nanoseconds += costOfComputing(device, graph->nodes[i].elements, cone.instructions) +
                        costOfMoving(device, (double)cone.inputBytes);
  }
  irMapDestroy(&indices);
  return count;
}

char **valuesComputedAgain(MlirOperation fusion, const StitchDevice *device, int64_t most, int64_t *count) {
  char **names = irAllocateZeroed((size_t)most + 1, sizeof(*names));
  KeptPlan plan;
  *count = 0;
  if (!planRead(fusion, &plan))
    return names;
  Repeated *repeated = IR_NEW_ARRAY(&plan.view.arena, Repeated, plan.kernel.graph.numNodes + 1);
  int64_t numRepeated = findRepeated(&plan, device, repeated);
  qsort(repeated, (size_t)numRepeated, sizeof(*repeated), compareRepeated);
  for (int64_t i = 0; i < numRepeated && *count < most; ++i)
    if (repeated[i].computations > 1 && !hasRoot(&plan, repeated[i].name))
      names[(*count)++] = strdup(repeated[i].name);
  planDestroy(&plan);
  return names;
}
