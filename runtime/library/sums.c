//===- sums.c - sums in the epilogue of a dot -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a dot whose epilogue has a sum. Sums the result, lhs or rhs over the dimensions that the sum's operand lacks,
// in f64, and stores it.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/sums.h"

#include "runtime/float_elements.h"
#include "runtime/library/cpu_epilogue.h"

enum { LHS, RHS, RESULT };

static void append(StitchAxes *axes, const StitchAxes *more) {
  for (int64_t i = 0; i < more->rank; ++i, ++axes->rank) {
    axes->sizes[axes->rank] = more->sizes[i];
    axes->strides[axes->rank] = more->strides[i];
  }
}

StitchStatus stitchSumsOf(const StitchLibraryProblem *problem, const StitchDotShape *shape, StitchSums *sums) {
  const StitchLibraryTensor *to = &problem->operands[stitchEpilogueSum(problem)];
  *sums = (StitchSums){.type = to->type, .to = stitchEpilogueSum(problem)};
  bool isOfOperand = problem->epilogue.sum != STITCH_LIBRARY_SUM_OF_RESULT;
  if (problem->epilogue.sum == STITCH_LIBRARY_SUM_OF_LHS) {
    sums->from = LHS;
    sums->kept = shape->lhs.rows;
    sums->summed = shape->lhs.columns;
  } else if (problem->epilogue.sum == STITCH_LIBRARY_SUM_OF_RHS) {
    sums->from = RHS;
    sums->kept = shape->rhs.columns;
    sums->summed = shape->rhs.rows;
  } else if (problem->epilogue.sum == STITCH_LIBRARY_SUM_OF_RESULT) {
    sums->from = RESULT;
    sums->kept = shape->result.columns;
    sums->summed = shape->result.batch;
    append(&sums->summed, &shape->result.rows);
  } else {
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "epilogue: unknown sum %lld", (long long)problem->epilogue.sum);
  }
  int64_t elements = 1;
  for (int64_t i = 0; i < to->rank; ++i)
    elements *= to->dims[i];
  if (elements != stitchAxesSize(&sums->kept) || to->type != problem->operands[sums->from].type ||
      !stitchElementIsFloat(to->type) || (isOfOperand && shape->batch != 1))
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "epilogue: the sum does not fit its operand");
  return NULL;
}

static int64_t offsetOf(const StitchAxes *axes, int64_t index) {
  int64_t offset = 0;
  for (int64_t i = axes->rank; i-- > 0; index /= axes->sizes[i])
    offset += index % axes->sizes[i] * axes->strides[i];
  return offset;
}

void stitchSumsExecute(const StitchSums *sums, void *const *pointers) {
  int64_t kept = stitchAxesSize(&sums->kept), summed = stitchAxesSize(&sums->summed);
  for (int64_t i = 0; i < kept; ++i) {
    int64_t start = offsetOf(&sums->kept, i);
    double sum = 0.0;
    for (int64_t k = 0; k < summed; ++k)
      sum += stitchLoadFloat(sums->type, pointers[sums->from], start + offsetOf(&sums->summed, k));
    stitchStoreFloat(sums->type, pointers[sums->to], i, sum);
  }
}
