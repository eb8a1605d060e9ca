//===- stitch_kernel_rules.c - stitch-kernel-rules -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes fusions with their whole plan, and the module's rules (ir/plan/rules.h); leaves those that rules about schemes
// and templates name with plans that obey. One that cannot stays as it is, which stitch-check-rules finds. Without
// rules nothing happens.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "passes/common/kernel_list.h"
#include "passes/stitch_rules/kernel_rules.h"
#include "passes/stitch_rules/rule_ops.h"
#include "stitch.h"

#include <stdlib.h>

enum { STATISTIC_OBEYED };

static void applyRule(StitchPassRun run, MlirOperation *fusion, Rules *rules, const Rule *rule) {
  char *problem = NULL;
  if (kernelObeys(*fusion, rule))
    return;
  if (kernelApplyRule(fusion, rule, &problem)) {
    stitchPassAddStatistic(run, STATISTIC_OBEYED, 1);
    stitchRemark(*fusion, "planned as the %s says", ruleText(&rules->arena, rule));
  } else {
    stitchRemark(*fusion, "cannot be planned as the %s says: %s", ruleText(&rules->arena, rule), problem);
  }
  free(problem);
}

static void runKernelRules(StitchPassRun run, MlirOperation module) {
  Rules rules = rulesOf(module);
  for (int64_t i = 0; i < rules.count; ++i) {
    if (rules.data[i].kind != RULE_SCHEME && rules.data[i].kind != RULE_TEMPLATE)
      continue;
    Operations fusions = plannedKernels(module);
    for (intptr_t k = 0; k < fusions.count; ++k)
      applyRule(run, &fusions.data[k], &rules, &rules.data[i]);
    free(fusions.data);
  }
  rulesDestroy(&rules);
}

static const StitchPassStatistic statistics[] = {
    {"obeyed", "rules that gave a kernel another plan"},
};

static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tg__, mlirGetDialectHandle__stitch__};

const StitchPassInfo stitchKernelRulesPass = {
    .argument = "stitch-kernel-rules",
    .description = "Plan kernels with the schemes and templates of rules",
    .anchor = "builtin.module",
    .takes = "stitch.fusion",
    .after = "stitch-outline",
    .statistics = statistics,
    .numStatistics = sizeof(statistics) / sizeof(statistics[0]),
    .dependentDialects = dialects,
    .numDependentDialects = sizeof(dialects) / sizeof(dialects[0]),
    .run = runKernelRules,
};
