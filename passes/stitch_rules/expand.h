//===- expand.h - one rule for each layer --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_RULES_EXPAND_H
#define STITCH_PASSES_STITCH_RULES_EXPAND_H

#include "passes/stitch_rules/rule_ops.h"

/// Replaces each rule of the module from number `first` on whose names have parts such as {layer} by a rule for each
/// text that these can have. So all patterns match something. False after a diagnostic for each rule without such a
/// text, or with a part that its first name does not have; with `partial` the diagnostic is a warning.
bool expandRules(MlirOperation module, const RuleOps *ops, int64_t first, bool partial);

#endif // STITCH_PASSES_STITCH_RULES_EXPAND_H
