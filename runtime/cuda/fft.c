//===- fft.c - tg.fft on a GPU --------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of the runtime's own (kernels.h): the sums that define a transform, along one dimension after the other, one
// element a thread, with complex numbers of f64 between them. Right, and slower than cuFFT where lines are long.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/fft.h"
#include "runtime/cuda/call.h"

#include <stdlib.h>

/// Numbers in the workspace: two f64.
enum { NUMBER_BYTES = 16 };

typedef struct {
  StitchCudaCalls *calls;
  StitchFftProblem problem;
  int64_t elements; ///< of all blocks, whole
  int64_t longest;
} FftCall;

static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

static StitchStatus create(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **call) {
  FftCall *c = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  c->calls = calls;
  StitchStatus status = stitchFftProblem(problem, &c->problem);
  c->elements = c->problem.batch;
  for (int64_t i = 0; i < c->problem.rank && !status; ++i) {
    c->elements *= c->problem.sizes[i];
    c->longest = c->problem.sizes[i] > c->longest ? c->problem.sizes[i] : c->longest;
  }
  if (status)
    free(c);
  else
    *call = c;
  return status;
}

/// The roots of one dimension, and the tensor between two, and between the next two.
static size_t workspaceBytes(const void *call) {
  const FftCall *c = call;
  size_t between = aligned((size_t)c->elements * NUMBER_BYTES);
  return aligned((size_t)c->longest * NUMBER_BYTES) +
         (c->problem.rank - 1 < 2 ? (size_t)c->problem.rank - 1 : 2) * between;
}

/// The numbers of lines along a dimension, in each of which the last dimension may be half.
static int64_t countBehind(const StitchFftProblem *p, int64_t dim, bool isHalf) {
  int64_t count = 1;
  for (int64_t i = dim + 1; i < p->rank; ++i)
    count *= isHalf && i == p->rank - 1 ? p->half : p->sizes[i];
  return count;
}

static StitchStatus transformDim(const FftCall *c, int64_t dim, StitchFourierParameters *parameters, void *roots,
                                 CUstream stream) {
  const StitchFftProblem *p = &c->problem;
  bool isReal = p->transform == STITCH_LIBRARY_REAL_FORWARD || p->transform == STITCH_LIBRARY_REAL_INVERSE;
  bool isLast = dim == p->rank - 1, toReal = p->transform == STITCH_LIBRARY_REAL_INVERSE;
  int64_t outer = p->batch;
  for (int64_t i = 0; i < dim; ++i)
    outer *= p->sizes[i];
  parameters->roots = roots;
  parameters->outer = outer;
  parameters->points = p->sizes[dim];
  parameters->inner = countBehind(p, dim, isReal);
  parameters->fromCount = isLast && toReal ? p->half : p->sizes[dim];
  parameters->toCount = isLast && isReal && !toReal ? p->half : p->sizes[dim];
  parameters->isInverse = p->transform == STITCH_LIBRARY_INVERSE || toReal;
  parameters->isHalf = isLast && toReal;
  StitchRootsParameters rootsOfDim = {roots, p->sizes[dim]};
  StitchStatus status =
      stitchOwnKernelsLaunch(&c->calls->kernels, STITCH_OWN_ROOTS, rootsOfDim.points, &rootsOfDim, stream);
  if (!status)
    status = stitchOwnKernelsLaunch(&c->calls->kernels, STITCH_OWN_FOURIER,
                                    parameters->outer * parameters->toCount * parameters->inner, parameters, stream);
  return status;
}

/// The last dimension comes first in a forward transform and last in an inverse one, where it may be half of one.
static StitchStatus execute(void *call, void *const *pointers, void *workspace, CUstream stream) {
  const FftCall *c = call;
  const StitchFftProblem *p = &c->problem;
  if (c->elements == 0)
    return NULL;
  char *roots = workspace, *between = roots + aligned((size_t)c->longest * NUMBER_BYTES);
  bool isInverse = p->transform == STITCH_LIBRARY_INVERSE || p->transform == STITCH_LIBRARY_REAL_INVERSE;
  StitchFourierParameters parameters = {
      .from = pointers[0],
      .fromNumber = {p->transform != STITCH_LIBRARY_REAL_FORWARD, p->hasDoubles},
  };
  StitchStatus status = NULL;
  for (int64_t i = 0; i < p->rank && !status; ++i) {
    bool isEnd = i == p->rank - 1;
    parameters.to = isEnd ? pointers[1] : between + (size_t)(i % 2) * aligned((size_t)c->elements * NUMBER_BYTES);
    parameters.toNumber.isComplex = !isEnd || p->transform != STITCH_LIBRARY_REAL_INVERSE;
    parameters.toNumber.isDouble = !isEnd || p->hasDoubles;
    status = transformDim(c, isInverse ? i : p->rank - 1 - i, &parameters, roots, stream);
    parameters.from = parameters.to;
    parameters.fromNumber = parameters.toNumber;
  }
  return status;
}

const StitchCudaCallKind stitchCudaFft = {"fft", create, workspaceBytes, execute, free};
