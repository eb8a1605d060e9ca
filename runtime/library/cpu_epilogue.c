//===- cpu_epilogue.c - epilogues of library calls ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a library problem. Validates the operands of its epilogue, and describes it for the loop that applies it to
// each element (epilogue_shape.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_epilogue.h"

enum { RESULT = 2 };

bool stitchEpilogueExists(const StitchLibraryProblem *problem) {
  const StitchLibraryEpilogue *e = &problem->epilogue;
  return e->hasBias || e->hasAddend || e->activation != STITCH_LIBRARY_NO_ACTIVATION;
}

/// Whether there is each of the operands behind the result, in their order.
enum { BIAS, ADDEND, PREACTIVATION, SUM, NUM_OPERANDS };
static void findOperands(const StitchLibraryProblem *problem, bool *has) {
  const StitchLibraryEpilogue *e = &problem->epilogue;
  has[BIAS] = e->hasBias;
  has[ADDEND] = e->hasAddend;
  has[PREACTIVATION] = e->hasPreactivation || e->activation == STITCH_LIBRARY_GELU_GRADIENT;
  has[SUM] = e->sum != STITCH_LIBRARY_NO_SUM;
}

static int numberOf(const StitchLibraryProblem *problem, int operand) {
  bool has[NUM_OPERANDS];
  findOperands(problem, has);
  int number = RESULT + 1;
  for (int i = 0; i < operand; ++i)
    number += has[i];
  return has[operand] ? number : 0;
}

int stitchEpilogueBias(const StitchLibraryProblem *problem) { return numberOf(problem, BIAS); }
int stitchEpilogueAddend(const StitchLibraryProblem *problem) { return numberOf(problem, ADDEND); }
int stitchEpiloguePreactivation(const StitchLibraryProblem *problem) { return numberOf(problem, PREACTIVATION); }
int stitchEpilogueSum(const StitchLibraryProblem *problem) { return numberOf(problem, SUM); }

StitchEpilogueData stitchEpilogueDataOf(const StitchLibraryProblem *problem, void *const *pointers) {
  int bias = stitchEpilogueBias(problem), addend = stitchEpilogueAddend(problem);
  int preactivation = stitchEpiloguePreactivation(problem);
  return (StitchEpilogueData){
      .bias = bias ? pointers[bias] : NULL,
      .addend = addend ? pointers[addend] : NULL,
      .preactivation = preactivation ? pointers[preactivation] : NULL,
      .result = pointers[RESULT],
  };
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

static bool isLike(const StitchLibraryTensor *tensor, const StitchLibraryTensor *result, int64_t elements) {
  return tensor->type == result->type && product(tensor, 0, tensor->rank) == elements;
}

static StitchStatus checkActivation(const StitchLibraryProblem *problem) {
  const StitchLibraryEpilogue *e = &problem->epilogue;
  if (e->activation < STITCH_LIBRARY_NO_ACTIVATION || e->activation > STITCH_LIBRARY_GELU_GRADIENT)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "epilogue: unknown activation %lld", (long long)e->activation);
  if (problem->kind != STITCH_LIBRARY_DOT && (e->activation > STITCH_LIBRARY_RELU || e->sum))
    return invalid("gelu and sums belong to dots");
  if (e->hasPreactivation && e->activation != STITCH_LIBRARY_GELU)
    return invalid("a preactivation is kept that is none of a gelu");
  return NULL;
}

StitchStatus stitchEpilogueShapeOf(const StitchLibraryProblem *problem, StitchEpilogueShape *shape) {
  const StitchLibraryEpilogue *e = &problem->epilogue;
  const StitchLibraryTensor *result = &problem->operands[RESULT], *operands = problem->operands;
  bool has[NUM_OPERANDS];
  int count = RESULT + 1;
  findOperands(problem, has);
  for (int i = 0; i < NUM_OPERANDS; ++i)
    count += has[i];
  if (problem->numOperands != count)
    return invalid("another number of operands than it has");
  *shape = (StitchEpilogueShape){
      .type = result->type,
      .elements = product(result, 0, result->rank),
      .inner = 1,
      .count = 1,
      .hasBias = has[BIAS],
      .hasAddend = has[ADDEND],
      .hasPreactivation = e->hasPreactivation,
      .activation = e->activation,
  };
  StitchStatus status = checkActivation(problem);
  if (status || !stitchEpilogueExists(problem))
    return status;
  if (!stitchElementIsFloat(result->type))
    return invalid("the result is not of floats");
  if (has[BIAS]) {
    if (e->biasFirst < 0 || e->biasCount < 0 || e->biasFirst > result->rank - e->biasCount)
      return invalid("the bias runs along dimensions that the result does not have");
    shape->inner = product(result, e->biasFirst + e->biasCount, result->rank);
    shape->count = product(result, e->biasFirst, e->biasFirst + e->biasCount);
    if (!isLike(&operands[stitchEpilogueBias(problem)], result, shape->count))
      return invalid("the bias does not fit the result");
  }
  if (has[ADDEND] && !isLike(&operands[stitchEpilogueAddend(problem)], result, shape->elements))
    return invalid("the addend does not fit the result");
  if (has[PREACTIVATION] && !isLike(&operands[stitchEpiloguePreactivation(problem)], result, shape->elements))
    return invalid("the preactivation does not fit the result");
  return NULL;
}
