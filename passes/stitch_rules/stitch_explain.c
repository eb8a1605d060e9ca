//===- stitch_explain.c - stitch-explain ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module with the attribute stitch.explain, in any state of planning. Says, as a remark, whether the operations
// with the names EXPLAIN_FIRST and EXPLAIN_SECOND are in one kernel by now, or why they are not. It stands behind each
// pass that may decide, and reports that pass's effect. Without the attribute nothing happens.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/graph/tg.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"
#include "passes/stitch_rules/check.h"
#include "stitch.h"

#include <stdlib.h>

enum { OPTION_BEHIND, OPTION_XLA };

RuleOps explainedOps(const RuleOps *all, const char *name) {
  RuleOps found = {0};
  RulePattern pattern = {.name = name};
  for (int64_t i = 0; i < all->count; ++i)
    if (!ruleIsFree(all->data[i].op) && ruleMatches(&pattern, all->data[i].op)) {
      IR_RESERVE_ONE(found.data, found.count, found.capacity);
      found.data[found.count++] = all->data[i];
    }
  return found;
}

MlirOperation explainedKernel(const RuleOps *first, const RuleOps *second) {
  for (int64_t i = 0; i < first->count; ++i)
    for (int64_t k = 0; k < second->count; ++k)
      if (!mlirOperationIsNull(first->data[i].kernel) &&
          mlirOperationEqual(first->data[i].kernel, second->data[k].kernel))
        return first->data[i].kernel;
  return (MlirOperation){NULL};
}

/// Whether a module, or one around it, asks.
static bool isAsked(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !irHasAttr(op, EXPLAIN_ATTRIBUTE))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

const char *explainedInWords(MlirOperation module) {
  if (!isAsked(module))
    return "";
  RuleOps all = ruleOpsOf(module);
  RuleOps first = explainedOps(&all, EXPLAIN_FIRST), second = explainedOps(&all, EXPLAIN_SECOND);
  bool isOne = !mlirOperationIsNull(explainedKernel(&first, &second));
  free(first.data);
  free(second.data);
  free(all.data);
  return isOne ? ": the two in one kernel" : ": the two apart";
}

/// Why they are apart where nothing forbids that they are together.
static const char *whyNotYet(StitchPassRun run) {
  if (stitchPassGetBool(run, OPTION_XLA))
    return "by XLA's rules, which this plan has, a reduction, or an expensive operation before a broadcast, ends a "
           "kernel, and operations that do not read each other have kernels of their own";
  MlirStringRef behind = mlirStringRefCreateFromCString(stitchPassGetString(run, OPTION_BEHIND));
  return mlirStringRefEqual(behind, mlirStringRefCreateFromCString("stitch-outline"))
             ? "nothing forbids them one kernel, but no chain of operations between the same library calls connects "
               "them, or the patterns that were chosen have them apart"
             : "nothing forbids them one kernel, but it has found no gain";
}

static void explainModule(StitchPassRun run, MlirOperation module) {
  const char *behind = stitchPassGetString(run, OPTION_BEHIND);
  RuleOps all = ruleOpsOf(module);
  RuleOps first = explainedOps(&all, EXPLAIN_FIRST), second = explainedOps(&all, EXPLAIN_SECOND);
  IrArena arena = {0};
  if (first.count > 0 && second.count > 0) {
    MlirOperation kernel = explainedKernel(&first, &second);
    const char *reason = mlirOperationIsNull(kernel) ? whyApart(&arena, &first.data[0], &second.data[0]) : NULL;
    if (!mlirOperationIsNull(kernel))
      stitchRemark(first.data[0].op, "explain: behind %s: in one %s of %lld operations", behind,
                   irOpIs(kernel, "stitch.library_call") ? "library call" : "kernel", (long long)tgCountOps(kernel));
    else
      stitchRemark(first.data[0].op, "explain: behind %s: apart: %s", behind, reason ? reason : whyNotYet(run));
  }
  irArenaDestroy(&arena);
  free(first.data);
  free(second.data);
  free(all.data);
}

static void runExplain(StitchPassRun run, MlirOperation module) {
  if (stitchRemarksEnabled(mlirOperationGetContext(module)) && isAsked(module))
    explainModule(run, module);
}

static const StitchPassOption options[] = {
    {"behind", "the pass that has decided", STITCH_OPTION_STRING, 0, "all passes"},
    {"xla", "it has gone by XLA's rules", STITCH_OPTION_BOOL, 0, NULL},
};

const StitchPassInfo stitchExplainPass = {
    .argument = "stitch-explain",
    .description = "Say whether two operations are in one kernel by now, and why they are not",
    .anchor = "builtin.module",
    .takes = "stitch.fusion|tg",
    .after = "stitch-outline",
    .options = options,
    .numOptions = sizeof(options) / sizeof(options[0]),
    .run = runExplain,
};
