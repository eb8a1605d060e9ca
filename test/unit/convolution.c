//===- convolution.c - tests of the library's convolution ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random problems against the definition, element by element: dimensions in any order, padding (negative, too),
// strides, dilations, reversal, groups. Elements are small integers, so that every type is exact.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/convolution.h"
#include "test/unit/check.h"

#include <stdint.h>
#include <stdlib.h>

static uint64_t randomState = 1;

/// An integer in [low, high].
static int64_t randomIn(int64_t low, int64_t high) {
  randomState = randomState * 6364136223846793005u + 1442695040888963407u;
  return low + (int64_t)((randomState >> 33) % (uint64_t)(high - low + 1));
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// Names the dimensions of a tensor in a random order; `sizes` are the first, the second and the spatial ones.
static void nameDimensions(StitchLibraryTensor *tensor, StitchElementType type, const int64_t *sizes, int64_t rank,
                           int64_t *first, int64_t *second, StitchLibraryDims *spatial) {
  int64_t order[STITCH_LIBRARY_MAX_RANK];
  for (int64_t i = 0; i < rank; ++i)
    order[i] = i;
  for (int64_t i = rank - 1; i > 0; --i) {
    int64_t j = randomIn(0, i), swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
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

static StitchLibraryProblem randomProblem(StitchElementType type, int64_t numSpatial) {
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
    result[i + 2] = randomIn(1, 6); // the high padding is what this needs
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

//===----------------------------------------------------------------------===//
// The definition
//===----------------------------------------------------------------------===//

static int64_t numElements(const StitchLibraryTensor *tensor) {
  int64_t count = 1;
  for (int64_t i = 0; i < tensor->rank; ++i)
    count *= tensor->dims[i];
  return count;
}

static int64_t linear(const StitchLibraryTensor *tensor, const int64_t *index) {
  int64_t position = 0;
  for (int64_t i = 0; i < tensor->rank; ++i)
    position = position * tensor->dims[i] + index[i];
  return position;
}

static void delinear(const StitchLibraryTensor *tensor, int64_t position, int64_t *index) {
  for (int64_t i = tensor->rank; i-- > 0; position /= tensor->dims[i])
    index[i] = position % tensor->dims[i];
}

/// What the kernel's element at `k`, whose output feature is that of the result's element at `o`, is multiplied with.
static int64_t elementUnder(const StitchLibraryProblem *p, const int64_t *lhs, const int64_t *o, const int64_t *k) {
  const StitchLibraryConvolutionDims *d = &p->convolution;
  const StitchLibraryTensor *input = &p->operands[0], *kernel = &p->operands[1], *result = &p->operands[2];
  int64_t at[STITCH_LIBRARY_MAX_RANK], outputs = result->dims[d->outputFeature], o1 = o[d->outputFeature];
  int64_t featureGroup = o1 / (outputs / d->featureGroups), batchGroup = o1 / (outputs / d->batchGroups);
  at[d->inputBatch] = batchGroup * result->dims[d->outputBatch] + o[d->outputBatch];
  at[d->inputFeature] = featureGroup * kernel->dims[d->kernelInput] + k[d->kernelInput];
  for (int64_t i = 0; i < d->inputSpatial.count; ++i) {
    int64_t kernelDim = d->kernelSpatial.dims[i], within = k[kernelDim];
    if (d->reversal.dims[i])
      within = kernel->dims[kernelDim] - 1 - within;
    int64_t place = o[d->outputSpatial.dims[i]] * d->strides.dims[i] - d->paddingLow.dims[i];
    place += within * d->rhsDilation.dims[i];
    int64_t dim = d->inputSpatial.dims[i];
    if (place < 0 || place % d->lhsDilation.dims[i] || place / d->lhsDilation.dims[i] >= input->dims[dim])
      return 0;
    at[dim] = place / d->lhsDilation.dims[i];
  }
  return lhs[linear(input, at)];
}

static int64_t expectedElement(const StitchLibraryProblem *p, const int64_t *lhs, const int64_t *rhs,
                               int64_t position) {
  int64_t o[STITCH_LIBRARY_MAX_RANK], k[STITCH_LIBRARY_MAX_RANK], sum = 0;
  delinear(&p->operands[2], position, o);
  for (int64_t i = 0; i < numElements(&p->operands[1]); ++i) {
    delinear(&p->operands[1], i, k);
    if (k[p->convolution.kernelOutput] == o[p->convolution.outputFeature])
      sum += elementUnder(p, lhs, o, k) * rhs[i];
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

static void store(void *data, StitchElementType type, int64_t i, int64_t value) {
  float single = (float)value;
  uint32_t bits;
  memcpy(&bits, &single, sizeof(bits));
  if (type == STITCH_ELEMENT_F64)
    ((double *)data)[i] = (double)value;
  else if (type == STITCH_ELEMENT_F32)
    ((float *)data)[i] = single;
  else if (type == STITCH_ELEMENT_BF16)
    ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
  else
    ((int32_t *)data)[i] = (int32_t)value;
}

static void *randomTensor(const StitchLibraryTensor *tensor, int64_t *values) {
  void *data = calloc((size_t)numElements(tensor) + 1, 8);
  for (int64_t i = 0; i < numElements(tensor); ++i)
    store(data, tensor->type, i, values[i] = randomIn(-2, 2));
  return data;
}

static void checkProblem(const StitchLibraryProblem *problem) {
  enum { MOST = 1 << 14 };
  static int64_t lhsValues[MOST], rhsValues[MOST];
  StitchConvolution *convolution = NULL;
  CHECK_OK(stitchConvolutionCreate(problem, STITCH_LIBRARY_USUAL, &convolution));
  if (!convolution)
    return;
  const StitchLibraryTensor *result = &problem->operands[2];
  void *lhs = randomTensor(&problem->operands[0], lhsValues), *rhs = randomTensor(&problem->operands[1], rhsValues);
  void *computed = calloc((size_t)numElements(result), 8), *expected = calloc((size_t)numElements(result), 8);
  for (int64_t i = 0; i < numElements(result); ++i)
    store(expected, result->type, i, expectedElement(problem, lhsValues, rhsValues, i));
  CHECK_OK(stitchConvolutionExecute(convolution, lhs, rhs, computed));
  CHECK_OK(stitchConvolutionExecute(convolution, lhs, rhs, computed)); // again: nothing is left over
  CHECK(memcmp(computed, expected, (size_t)numElements(result) * stitchElementBytes(result->type)) == 0);
  stitchConvolutionDestroy(convolution);
  free(lhs);
  free(rhs);
  free(computed);
  free(expected);
}

static void testErrors(void) {
  StitchConvolution *convolution = NULL;
  StitchLibraryProblem problem = randomProblem(STITCH_ELEMENT_F32, 2);
  problem.convolution.inputBatch = problem.convolution.inputFeature;
  CHECK_STATUS(stitchConvolutionCreate(&problem, STITCH_LIBRARY_USUAL, &convolution), STITCH_INVALID_ARGUMENT,
               "name each dimension");
  problem = randomProblem(STITCH_ELEMENT_F32, 2);
  problem.convolution.strides.dims[1] = 0;
  CHECK_STATUS(stitchConvolutionCreate(&problem, STITCH_LIBRARY_USUAL, &convolution), STITCH_INVALID_ARGUMENT,
               "stride");
  problem = randomProblem(STITCH_ELEMENT_F32, 2);
  problem.convolution.lhsDilation.count = 1;
  CHECK_STATUS(stitchConvolutionCreate(&problem, STITCH_LIBRARY_USUAL, &convolution), STITCH_INVALID_ARGUMENT,
               "differ in length");
  problem = randomProblem(STITCH_ELEMENT_F32, 1);
  problem.operands[0].dims[problem.convolution.inputFeature] += 1;
  CHECK_STATUS(stitchConvolutionCreate(&problem, STITCH_LIBRARY_USUAL, &convolution), STITCH_INVALID_ARGUMENT,
               "fit together");
  problem = randomProblem(STITCH_ELEMENT_F32, 2);
  problem.operands[2].type = STITCH_ELEMENT_I32;
  CHECK_STATUS(stitchConvolutionCreate(&problem, STITCH_LIBRARY_USUAL, &convolution), STITCH_UNIMPLEMENTED, "i32");
}

int main(void) {
  static const StitchElementType types[] = {STITCH_ELEMENT_F32, STITCH_ELEMENT_BF16, STITCH_ELEMENT_F64,
                                            STITCH_ELEMENT_I32};
  for (int round = 0; round < 60; ++round)
    for (size_t type = 0; type < sizeof(types) / sizeof(types[0]); ++type) {
      StitchLibraryProblem problem = randomProblem(types[type], round % 4);
      checkProblem(&problem);
    }
  testErrors();
  return checkResult();
}
