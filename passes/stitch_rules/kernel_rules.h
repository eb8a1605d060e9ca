//===- kernel_rules.h - rules of one kernel -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_RULES_KERNEL_RULES_H
#define STITCH_PASSES_STITCH_RULES_KERNEL_RULES_H

#include "ir/plan/rules.h"

/// Gives a fusion with its whole plan the scheme or the template that a rule asks for, which is then another operation
/// in its place. False with a `problem`, which the caller frees, if it cannot have it.
bool kernelApplyRule(MlirOperation *fusion, const Rule *rule, char **problem);

/// Whether a fusion with its whole plan has the scheme or the template of a rule.
bool kernelObeys(MlirOperation fusion, const Rule *rule);

#endif // STITCH_PASSES_STITCH_RULES_KERNEL_RULES_H
