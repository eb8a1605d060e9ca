//===- check.h - whether a plan obeys its rules --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_RULES_CHECK_H
#define STITCH_PASSES_STITCH_RULES_CHECK_H

#include "dialects/stitch/stitch.h"
#include "passes/stitch_rules/rule_ops.h"

/// How many of its `*count` rules a module with a whole plan breaks; with `report`, each with a diagnostic at the rule
/// that says why.
int64_t rulesBroken(MlirOperation module, bool report, int64_t *count);

/// The nanoseconds by which preferences make a plan count more, or less, than its kernels take (preference.c).
double rulesPreference(MlirOperation module, const StitchDevice *device);

/// Why two operations of a plan are in no kernel together, in the arena; NULL if nothing speaks against it but the
/// bounds of a kernel (reasons.c).
const char *whyApart(IrArena *arena, const RuleOp *a, const RuleOp *b);

//===----------------------------------------------------------------------===//
// Two operations that are asked for (stitch_explain.c)
//===----------------------------------------------------------------------===//

/// The unit attribute of a module in which there are some, and their names.
#define EXPLAIN_ATTRIBUTE "stitch.explain"
#define EXPLAIN_FIRST "explain#0"
#define EXPLAIN_SECOND "explain#1"

/// The rest of one of them, without operations that cost nothing where they are read. The caller frees `data`.
RuleOps explainedOps(const RuleOps *all, const char *name);

/// Whether they are in one kernel of a planned module, as the end of a remark; empty if the module does not ask.
const char *explainedInWords(MlirOperation module);

/// The kernel, library call or kernel operation that has an operation of both; null if there is none.
MlirOperation explainedKernel(const RuleOps *first, const RuleOps *second);

#endif // STITCH_PASSES_STITCH_RULES_CHECK_H
