//===- varying.h - differences between iterations -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_TG_ROLL_LOOPS_VARYING_H
#define STITCH_PASSES_TG_ROLL_LOOPS_VARYING_H

#include "ir/mlir/build.h"
#include "ir/mlir/query.h"

/// The values that iterations read and that were computed before them, as one value of a loop's body.
typedef struct {
  IrBuilder *before; ///< in front of the loop
  IrBuilder *body;
  MlirValue number; ///< of the iteration, from zero: tensor<i32>
  int64_t count;    ///< of iterations
  struct {
    MlirValue *values; ///< of the iterations
    MlirValue value;   ///< the same in the body
  } *known;
  int64_t numKnown, capacity;
} Varying;

/// Whether `values`, of one type, one for each iteration, are few enough bytes, or are computed alike from values that
/// are.
bool canVary(const MlirValue *values, int64_t count);

/// `values`, of which canVary is true, in the body. One value is itself. Slices of one tensor become a slice that the
/// iteration's number chooses; values that are computed alike are computed from operands that vary. Others are a slice
/// of a tensor with all of them. The caller releases the memory of `varying` with varyingDestroy.
MlirValue valueOfIteration(Varying *varying, const MlirValue *values);
void varyingDestroy(Varying *varying);

#endif // STITCH_PASSES_TG_ROLL_LOOPS_VARYING_H
