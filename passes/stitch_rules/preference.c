//===- preference.c - preferences in a plan's cost ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module with a whole plan and its rules. Leaves the addition of 'prefer' rules to the time by which plans are
// compared. A kernel with operations of all of a rule's patterns counts as often as the rule's factor says.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/executions.h"
#include "ir/mlir/query.h"
#include "ir/plan/kernel_cost.h"
#include "passes/stitch_rules/check.h"

#include <stdlib.h>

double rulesPreference(MlirOperation module, const StitchDevice *device) {
  Rules rules = rulesOf(module);
  RuleOps ops = {0};
  if (rules.count > 0)
    ops = ruleOpsOf(module);
  MlirOperation *members = irAllocate(sizeof(*members) * (size_t)(ops.count + 1));
  double ns = 0;
  for (int64_t i = 0, next; i < ops.count; i = next) {
    MlirOperation kernel = ops.data[i].kernel;
    PlanCost cost;
    int64_t count = 0;
    for (next = i; next < ops.count && mlirOperationEqual(ops.data[next].kernel, kernel); ++next)
      members[count++] = ops.data[next].op;
    bool isFusion = !mlirOperationIsNull(kernel) && irOpIs(kernel, "stitch.fusion");
    double factor = isFusion ? rulesFactor(&rules, members, count) : 1;
    if (factor != 1 && planCostOfFusion(kernel, device, &cost))
      ns += (factor - 1) * cost.total * (double)irTimesExecuted(kernel);
  }
  free(members);
  free(ops.data);
  rulesDestroy(&rules);
  return ns;
}
