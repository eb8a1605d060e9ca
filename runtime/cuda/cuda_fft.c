//===- cuda_fft.c - tg.fft on a GPU ---------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuFFT's plans are made when a problem is. An execution gives them the stream and our workspace, so that it can be
// captured (cuFFT's documentation, "CUDA Graphs Support", "Caller Allocated Work Area Support"). Blocks and batches are
// dense, which is cuFFT's basic layout; half spectra are the same in both. Three things differ. cuFFT does not divide
// by the number of points. A transform to real numbers overwrites its input. It takes half a spectrum to be that of
// real numbers, where StableHLO takes any. So a kernel of our own converts the operand to the input of an inverse
// transform. It lies in the workspace, or, for complex numbers, in the result, which is then transformed in place.
//
// Without cuFFT, and for sizes that it does not have, kernels of our own (kernels.h) compute the sums that define a
// transform. They go along one dimension after the other, one element a thread, with complex numbers of f64 between
// them.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/call.h"
#include "runtime/library/cpu_fft.h"

#include <stdlib.h>

/// Numbers in the workspace of our own kernels: two f64.
enum { NUMBER_BYTES = 16 };

typedef struct {
  StitchCudaCalls *calls;
  StitchFftProblem problem;
  int64_t elements; ///< of all blocks, whole
  int64_t longest;
  cufftHandle plan; ///< CUFFT_PLAN_NULL: our own kernels
  size_t planBytes; ///< workspace that it needs
  void *planWorkspace;
} FftCall;

//===----------------------------------------------------------------------===//
// cuFFT
//===----------------------------------------------------------------------===//

static cufftType fftType(const StitchFftProblem *p) {
  switch (p->transform) {
  case STITCH_LIBRARY_REAL_FORWARD:
    return p->hasDoubles ? CUFFT_D2Z : CUFFT_R2C;
  case STITCH_LIBRARY_REAL_INVERSE:
    return p->hasDoubles ? CUFFT_Z2D : CUFFT_C2R;
  default:
    return p->hasDoubles ? CUFFT_Z2Z : CUFFT_C2C;
  }
}

static void destroyPlan(FftCall *c) {
  if (c->plan != CUFFT_PLAN_NULL)
    c->calls->fft.cufftDestroy(c->plan);
  c->plan = CUFFT_PLAN_NULL;
}

static StitchStatus makePlan(FftCall *c) {
  const StitchCufft *fft = &c->calls->fft;
  const StitchFftProblem *p = &c->problem;
  long long sizes[STITCH_FFT_MAX_RANK] = {0};
  for (int64_t i = 0; i < p->rank; ++i)
    sizes[i] = p->sizes[i];
  StitchStatus status = CUFFT_CALL(fft, cufftCreate, &c->plan);
  if (status) {
    c->plan = CUFFT_PLAN_NULL;
    return status;
  }
  status = CUFFT_CALL(fft, cufftSetAutoAllocation, c->plan, 0);
  if (!status)
    status = CUFFT_CALL(fft, cufftMakePlanMany64, c->plan, (int)p->rank, sizes, NULL, 1, 0, NULL, 1, 0, fftType(p),
                        p->batch, &c->planBytes);
  if (status)
    destroyPlan(c);
  if (stitchStatusCode(status) == STITCH_UNIMPLEMENTED) { // our own kernels have every size
    stitchStatusFree(status);
    status = NULL;
  }
  return status;
}

static bool isInverse(const StitchFftProblem *p) {
  return p->transform == STITCH_LIBRARY_INVERSE || p->transform == STITCH_LIBRARY_REAL_INVERSE;
}

/// Bytes of the operand in complex numbers, of which the last dimension may be half.
static size_t spectrumBytes(const FftCall *c) {
  const StitchFftProblem *p = &c->problem;
  return (size_t)(c->elements / p->sizes[p->rank - 1] * p->half) * (p->hasDoubles ? 16 : 8);
}

static StitchStatus prepareSpectrum(const FftCall *c, const void *from, void *to, CUstream stream) {
  const StitchFftProblem *p = &c->problem;
  bool isHalf = p->transform == STITCH_LIBRARY_REAL_INVERSE;
  StitchSpectrumParameters parameters = {
      .from = from,
      .to = to,
      .isDouble = p->hasDoubles,
      .isHalf = isHalf,
      .elements = isHalf ? c->elements / p->sizes[p->rank - 1] * p->half : c->elements,
      .points = c->elements / p->batch,
      .rank = p->rank,
  };
  for (int64_t i = 0; i < p->rank; ++i)
    parameters.sizes[i] = p->sizes[i];
  return stitchOwnKernelsLaunch(&c->calls->kernels, STITCH_OWN_SPECTRUM, parameters.elements, &parameters, stream);
}

static StitchStatus transform(const FftCall *c, void *from, void *to) {
  const StitchCufft *fft = &c->calls->fft;
  int direction = isInverse(&c->problem) ? CUFFT_INVERSE : CUFFT_FORWARD;
  switch (fftType(&c->problem)) {
  case CUFFT_C2C:
    return CUFFT_CALL(fft, cufftExecC2C, c->plan, from, to, direction);
  case CUFFT_R2C:
    return CUFFT_CALL(fft, cufftExecR2C, c->plan, from, to);
  case CUFFT_C2R:
    return CUFFT_CALL(fft, cufftExecC2R, c->plan, from, to);
  case CUFFT_Z2Z:
    return CUFFT_CALL(fft, cufftExecZ2Z, c->plan, from, to, direction);
  case CUFFT_D2Z:
    return CUFFT_CALL(fft, cufftExecD2Z, c->plan, from, to);
  case CUFFT_Z2D:
    return CUFFT_CALL(fft, cufftExecZ2D, c->plan, from, to);
  }
  return stitchStatusMake(STITCH_INTERNAL, "fft: no such transform");
}

static StitchStatus executePlan(FftCall *c, void *const *pointers, void *workspace, CUstream stream) {
  const StitchCufft *fft = &c->calls->fft;
  StitchStatus status = CUFFT_CALL(fft, cufftSetStream, c->plan, stream);
  if (!status && c->planBytes && c->planWorkspace != workspace) {
    status = CUFFT_CALL(fft, cufftSetWorkArea, c->plan, workspace);
    c->planWorkspace = status ? NULL : workspace;
  }
  void *from = pointers[0];
  if (!status && isInverse(&c->problem)) {
    from = c->problem.transform == STITCH_LIBRARY_INVERSE ? pointers[1]
                                                          : (char *)workspace + stitchCudaAligned(c->planBytes);
    status = prepareSpectrum(c, pointers[0], from, stream);
  }
  return status ? status : transform(c, from, pointers[1]);
}

//===----------------------------------------------------------------------===//
// Our own kernels
//===----------------------------------------------------------------------===//

/// The roots of one dimension, and the tensor between two, and between the next two.
static size_t sumsBytes(const FftCall *c) {
  size_t between = stitchCudaAligned((size_t)c->elements * NUMBER_BYTES);
  return stitchCudaAligned((size_t)c->longest * NUMBER_BYTES) +
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
static StitchStatus executeSums(const FftCall *c, void *const *pointers, void *workspace, CUstream stream) {
  const StitchFftProblem *p = &c->problem;
  char *roots = workspace, *between = roots + stitchCudaAligned((size_t)c->longest * NUMBER_BYTES);
  StitchFourierParameters parameters = {
      .from = pointers[0],
      .fromNumber = {p->transform != STITCH_LIBRARY_REAL_FORWARD, p->hasDoubles},
  };
  StitchStatus status = NULL;
  for (int64_t i = 0; i < p->rank && !status; ++i) {
    bool isEnd = i == p->rank - 1;
    parameters.to =
        isEnd ? pointers[1] : between + (size_t)(i % 2) * stitchCudaAligned((size_t)c->elements * NUMBER_BYTES);
    parameters.toNumber.isComplex = !isEnd || p->transform != STITCH_LIBRARY_REAL_INVERSE;
    parameters.toNumber.isDouble = !isEnd || p->hasDoubles;
    status = transformDim(c, isInverse(p) ? i : p->rank - 1 - i, &parameters, roots, stream);
    parameters.from = parameters.to;
    parameters.fromNumber = parameters.toNumber;
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static void destroyFft(void *call) {
  FftCall *c = call;
  if (c)
    destroyPlan(c);
  free(c);
}

static StitchStatus createFft(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **call) {
  FftCall *c = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  c->calls = calls;
  c->plan = CUFFT_PLAN_NULL;
  StitchStatus status = stitchFftProblem(problem, &c->problem);
  c->elements = c->problem.batch;
  for (int64_t i = 0; i < c->problem.rank && !status; ++i) {
    c->elements *= c->problem.sizes[i];
    c->longest = c->problem.sizes[i] > c->longest ? c->problem.sizes[i] : c->longest;
  }
  if (!status)
    status = stitchCudaCallsFindFft(calls);
  if (!status && calls->fft.library && c->elements)
    status = makePlan(c);
  if (status)
    destroyFft(c);
  else
    *call = c;
  return status;
}

static bool fftIsOwn(const void *call) { return ((const FftCall *)call)->plan == CUFFT_PLAN_NULL; }

static size_t fftWorkspaceBytes(const void *call) {
  const FftCall *c = call;
  if (fftIsOwn(c))
    return sumsBytes(c);
  size_t copy = c->problem.transform == STITCH_LIBRARY_REAL_INVERSE ? spectrumBytes(c) : 0;
  return stitchCudaAligned(c->planBytes) + stitchCudaAligned(copy);
}

static StitchStatus executeFft(void *call, void *const *pointers, void *workspace, CUstream stream) {
  FftCall *c = call;
  if (c->elements == 0)
    return NULL;
  return fftIsOwn(c) ? executeSums(c, pointers, workspace, stream) : executePlan(c, pointers, workspace, stream);
}

const StitchCudaCallKind stitchCudaFft = {
    .name = "fft",
    .create = createFft,
    .workspaceBytes = fftWorkspaceBytes,
    .execute = executeFft,
    .destroy = destroyFft,
    .isOwn = fftIsOwn,
};
