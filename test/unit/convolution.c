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

#include "runtime/library/cpu_convolution.h"
#include "test/unit/check.h"
#include "test/unit/random_convolution.h"

#include <stdlib.h>

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

/// The element of lhs under the kernel's element at `k`, whose output feature is that of the result's element at `o`.
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
  StitchLibraryProblem problem = randomConvolution(STITCH_ELEMENT_F32, 2);
  problem.convolution.inputBatch = problem.convolution.inputFeature;
  CHECK_STATUS(stitchConvolutionCreate(&problem, STITCH_LIBRARY_USUAL, &convolution), STITCH_INVALID_ARGUMENT,
               "name each dimension");
  problem = randomConvolution(STITCH_ELEMENT_F32, 2);
  problem.convolution.strides.dims[1] = 0;
  CHECK_STATUS(stitchConvolutionCreate(&problem, STITCH_LIBRARY_USUAL, &convolution), STITCH_INVALID_ARGUMENT,
               "stride");
  problem = randomConvolution(STITCH_ELEMENT_F32, 2);
  problem.convolution.lhsDilation.count = 1;
  CHECK_STATUS(stitchConvolutionCreate(&problem, STITCH_LIBRARY_USUAL, &convolution), STITCH_INVALID_ARGUMENT,
               "differ in length");
  problem = randomConvolution(STITCH_ELEMENT_F32, 1);
  problem.operands[0].dims[problem.convolution.inputFeature] += 1;
  CHECK_STATUS(stitchConvolutionCreate(&problem, STITCH_LIBRARY_USUAL, &convolution), STITCH_INVALID_ARGUMENT,
               "fit together");
  problem = randomConvolution(STITCH_ELEMENT_F32, 2);
  problem.operands[2].type = STITCH_ELEMENT_I32;
  CHECK_STATUS(stitchConvolutionCreate(&problem, STITCH_LIBRARY_USUAL, &convolution), STITCH_UNIMPLEMENTED, "i32");
}

int main(void) {
  static const StitchElementType types[] = {STITCH_ELEMENT_F32, STITCH_ELEMENT_BF16, STITCH_ELEMENT_F64,
                                            STITCH_ELEMENT_I32};
  for (int round = 0; round < 60; ++round)
    for (size_t type = 0; type < sizeof(types) / sizeof(types[0]); ++type) {
      StitchLibraryProblem problem = randomConvolution(types[type], round % 4);
      checkProblem(&problem);
    }
  testErrors();
  return checkResult();
}
