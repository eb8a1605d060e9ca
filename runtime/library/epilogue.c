//===- epilogue.c - what a library call does with its result --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/library/epilogue.h"

enum { RESULT = 2 };

bool stitchEpilogueExists(const StitchLibraryProblem *problem) {
  const StitchLibraryEpilogue *e = &problem->epilogue;
  return e->hasBias || e->hasAddend || e->relu;
}

int stitchEpilogueBias(const StitchLibraryProblem *problem) { return problem->epilogue.hasBias ? RESULT + 1 : 0; }

int stitchEpilogueAddend(const StitchLibraryProblem *problem) {
  const StitchLibraryEpilogue *e = &problem->epilogue;
  return e->hasAddend ? RESULT + 1 + (e->hasBias != 0) : 0;
}

static StitchStatus invalid(const char *what) {
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "epilogue: %s", what);
}

static int64_t product(const StitchLibraryTensor *tensor, int64_t first, int64_t end) {
  int64_t elements = 1;
  for (int64_t i = first; i < end; ++i)
    elements *= tensor->dims[i];
  return elements;
}

StitchStatus stitchEpilogueShapeOf(const StitchLibraryProblem *problem, StitchEpilogueShape *shape) {
  const StitchLibraryEpilogue *e = &problem->epilogue;
  const StitchLibraryTensor *result = &problem->operands[RESULT];
  int bias = stitchEpilogueBias(problem), addend = stitchEpilogueAddend(problem);
  if (problem->numOperands != RESULT + 1 + (bias != 0) + (addend != 0))
    return invalid("another number of operands than it has");
  *shape = (StitchEpilogueShape){
      .type = result->type,
      .elements = product(result, 0, result->rank),
      .inner = 1,
      .count = 1,
      .hasBias = bias != 0,
      .hasAddend = addend != 0,
      .relu = e->relu != 0,
  };
  if (!stitchEpilogueExists(problem))
    return NULL;
  if (!stitchElementIsFloat(result->type))
    return invalid("the result is not of floats");
  if (bias) {
    const StitchLibraryTensor *tensor = &problem->operands[bias];
    if (e->biasFirst < 0 || e->biasCount < 0 || e->biasFirst > result->rank - e->biasCount)
      return invalid("the bias runs along dimensions that the result does not have");
    shape->inner = product(result, e->biasFirst + e->biasCount, result->rank);
    shape->count = product(result, e->biasFirst, e->biasFirst + e->biasCount);
    if (tensor->type != result->type || product(tensor, 0, tensor->rank) != shape->count)
      return invalid("the bias does not fit the result");
  }
  if (addend && (problem->operands[addend].type != result->type ||
                 product(&problem->operands[addend], 0, problem->operands[addend].rank) != shape->elements))
    return invalid("the addend does not fit the result");
  return NULL;
}
