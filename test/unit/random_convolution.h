//===- random_convolution.h - random problems of convolutions ------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions in any order, the usual ones among them, padding (negative, too), strides, dilations, reversal, groups.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_UNIT_RANDOM_CONVOLUTION_H
#define STITCH_TEST_UNIT_RANDOM_CONVOLUTION_H

#include "runtime/library/cpu_library.h"

static uint64_t randomState = 1;

/// An integer in [low, high].
static inline int64_t randomIn(int64_t low, int64_t high) {
  randomState = randomState * 6364136223846793005u + 1442695040888963407u;
  return low + (int64_t)((randomState >> 33) % (uint64_t)(high - low + 1));
}

/// Where the first, the second and the spatial dimensions stand, in any order.
static inline void shuffleDimensions(int64_t rank, int64_t *order) {
  for (int64_t i = 0; i < rank; ++i)
    order[i] = i;
  for (int64_t i = rank - 1; i > 0; --i) {
    int64_t j = randomIn(0, i), swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
}

/// The same in an order that people use: the spatial ones are neighbours, in their order.
static inline void groupDimensions(int64_t rank, int64_t *order) {
  int64_t before = randomIn(0, 2), outer = randomIn(0, 1);
  order[outer] = before > 0 ? 0 : rank - 2;
  order[1 - outer] = before > 1 ? 1 : rank - 1;
  for (int64_t i = 2; i < rank; ++i)
    order[i] = before + i - 2;
}

/// Names the dimensions of a tensor in a random order; `sizes` are the first, the second and the spatial ones.
static inline void nameDimensions(StitchLibraryTensor *tensor, StitchElementType type, const int64_t *sizes,
                                  int64_t rank, int64_t *first, int64_t *second, StitchLibraryDims *spatial) {
  int64_t order[STITCH_LIBRARY_MAX_RANK];
  if (randomIn(0, 1))
    shuffleDimensions(rank, order);
  else
    groupDimensions(rank, order);
  *tensor = (StitchLibraryTensor){type, rank, {0}};
  *first = order[0];
  *second = order[1];
  spatial->count = rank - 2;
  for (int64_t i = 0; i < rank; ++i) {
    tensor->dims[order[i]] = sizes[i];
    if (i >= 2)
      spatial->dims[i - 2] = order[i];
  }
}

static inline StitchLibraryProblem randomConvolution(StitchElementType type, int64_t numSpatial) {
  StitchLibraryProblem problem = {.kind = STITCH_LIBRARY_CONVOLUTION, .numOperands = 3};
  StitchLibraryConvolutionDims *d = &problem.convolution;
  d->featureGroups = randomIn(0, 1) ? randomIn(1, 3) : 1;
  d->batchGroups = d->featureGroups == 1 ? randomIn(1, 2) : 1;
  int64_t features = randomIn(1, 3), images = randomIn(1, 3);
  int64_t outputs = randomIn(1, 3) * d->featureGroups * d->batchGroups;
  int64_t lhs[STITCH_LIBRARY_MAX_RANK] = {images * d->batchGroups, features * d->featureGroups};
  int64_t rhs[STITCH_LIBRARY_MAX_RANK] = {features, outputs};
  int64_t result[STITCH_LIBRARY_MAX_RANK] = {images, outputs};
  StitchLibraryDims *lists[] = {&d->strides, &d->paddingLow, &d->lhsDilation, &d->rhsDilation, &d->reversal};
  for (int i = 0; i < 5; ++i)
    lists[i]->count = numSpatial;
  for (int64_t i = 0; i < numSpatial; ++i) {
    lhs[i + 2] = randomIn(1, 7);
    rhs[i + 2] = randomIn(1, 3);
    result[i + 2] = randomIn(1, 6); // the high padding follows from this
    d->strides.dims[i] = randomIn(1, 2);
    d->paddingLow.dims[i] = randomIn(-1, 2);
    d->lhsDilation.dims[i] = randomIn(1, 2);
    d->rhsDilation.dims[i] = randomIn(1, 3);
    d->reversal.dims[i] = randomIn(0, 1);
  }
  int64_t rank = numSpatial + 2;
  nameDimensions(&problem.operands[0], type, lhs, rank, &d->inputBatch, &d->inputFeature, &d->inputSpatial);
  nameDimensions(&problem.operands[1], type, rhs, rank, &d->kernelInput, &d->kernelOutput, &d->kernelSpatial);
  nameDimensions(&problem.operands[2], type, result, rank, &d->outputBatch, &d->outputFeature, &d->outputSpatial);
  return problem;
}

#endif // STITCH_TEST_UNIT_RANDOM_CONVOLUTION_H
