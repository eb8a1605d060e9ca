//===- rule_ops.h - the operations that rules are about ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_RULES_RULE_OPS_H
#define STITCH_PASSES_STITCH_RULES_RULE_OPS_H

#include "ir/plan/rules.h"

typedef struct {
  MlirOperation op;
  MlirOperation kernel; ///< the fusion or library call that it is in, or itself if it is a kernel; null: none
} RuleOp;

typedef struct {
  RuleOp *data;
  int64_t count, capacity;
} RuleOps;

/// The tg operations of all graphs in a module, in program order. Those in loops and branches, fusions and library
/// calls are included, those in bodies of reductions and their like are not. The caller frees `data`.
RuleOps ruleOpsOf(MlirOperation module);

/// "'NAME' (tg.add, model.py:12:3)", in the arena.
const char *ruleOpText(IrArena *arena, MlirOperation op);

/// "rule 'together a b'" or "hint 'stitch.fuse = \"with:a\"'", in the arena.
const char *ruleText(IrArena *arena, const Rule *rule);

#endif // STITCH_PASSES_STITCH_RULES_RULE_OPS_H
