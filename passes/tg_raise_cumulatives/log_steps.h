//===- log_steps.h - prefixes in logarithmically many steps --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hillis and Steele's prefixes of n elements: x = x + shifted(x, d) for d = 1, 2, 4, ..., n / 2 or more, in any order.
// Here `shifted` moves elements by d along one axis and puts the identity of the operation where none come from.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_RAISE_CUMULATIVES_LOG_STEPS_H
#define STITCH_PASSES_TG_RAISE_CUMULATIVES_LOG_STEPS_H

#include "ir/graph/tg.h"
#include "ir/mlir/query.h"

typedef struct {
  TgReduceKind kind;
  int64_t axis;
  bool reverse;   ///< elements move towards the beginning
  MlirValue from; ///< before the first step
} LogSteps;

/// Whether `op` is such a step.
bool isLogStep(MlirOperation op);

/// Reads the steps of which `op` is the last one. False if together they are no prefixes.
bool readLogSteps(MlirOperation op, LogSteps *steps);

#endif // STITCH_PASSES_TG_RAISE_CUMULATIVES_LOG_STEPS_H
