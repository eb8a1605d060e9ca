//===- cpu_convolution.c - tg.convolution on the CPU ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a convolution problem, checked once. Leaves its result by a product of windows and kernel, for each image. With
// group g, P places of the result, K elements and features of a window, and J output features of the group:
//
//   windows[g, P, K] x kernel[g, K, J] -> product[g, P, J]
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_convolution.h"

#include "runtime/library/cpu_dot.h"

#include <stdlib.h>
#include <string.h>

struct StitchConvolution {
  StitchConvolutionShape shape;
  size_t lhsBytes, rhsBytes, resultBytes; ///< of one element
  StitchDot *dot;
  void *windows;
  void *kernel;
  void *product;
};

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

static StitchStatus invalid(const char *what) {
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "convolution: %s", what);
}

/// Whether two dimensions and a list of spatial ones are all dimensions of the tensor, each once.
static bool coversTensor(const StitchLibraryTensor *tensor, int64_t first, int64_t second,
                         const StitchLibraryDims *spatial) {
  bool seen[STITCH_LIBRARY_MAX_RANK] = {false};
  if (tensor->rank < 2 || tensor->rank > STITCH_LIBRARY_MAX_RANK || spatial->count != tensor->rank - 2)
    return false;
  for (int64_t i = 0; i < tensor->rank; ++i) {
    int64_t dim = i == 0 ? first : i == 1 ? second : spatial->dims[i - 2];
    if (dim < 0 || dim >= tensor->rank || seen[dim] || tensor->dims[dim] < 0)
      return false;
    seen[dim] = true;
  }
  return true;
}

static StitchStatus checkDimensions(const StitchLibraryProblem *problem) {
  const StitchLibraryConvolutionDims *d = &problem->convolution;
  if (problem->kind != STITCH_LIBRARY_CONVOLUTION || problem->numOperands < 3)
    return invalid("not a convolution of three operands");
  if (!coversTensor(&problem->operands[0], d->inputBatch, d->inputFeature, &d->inputSpatial) ||
      !coversTensor(&problem->operands[1], d->kernelInput, d->kernelOutput, &d->kernelSpatial) ||
      !coversTensor(&problem->operands[2], d->outputBatch, d->outputFeature, &d->outputSpatial))
    return invalid("the dimension numbers do not name each dimension of an operand once");
  int64_t count = d->inputSpatial.count;
  if (d->kernelSpatial.count != count || d->outputSpatial.count != count || d->strides.count != count ||
      d->paddingLow.count != count || d->lhsDilation.count != count || d->rhsDilation.count != count ||
      (d->reversal.count != 0 && d->reversal.count != count))
    return invalid("the lists of the spatial dimensions differ in length");
  for (int64_t i = 0; i < count; ++i)
    if (d->strides.dims[i] < 1 || d->lhsDilation.dims[i] < 1 || d->rhsDilation.dims[i] < 1)
      return invalid("a stride or dilation is not positive");
  return NULL;
}

static StitchStatus checkGroups(const StitchLibraryProblem *problem) {
  const StitchLibraryConvolutionDims *d = &problem->convolution;
  const StitchLibraryTensor *lhs = &problem->operands[0], *rhs = &problem->operands[1], *result = &problem->operands[2];
  int64_t features = d->featureGroups, batches = d->batchGroups;
  if (features < 1 || batches < 1 || (features > 1 && batches > 1))
    return invalid("there must be groups of features or of the batch, or neither");
  if (lhs->dims[d->inputFeature] != rhs->dims[d->kernelInput] * features ||
      lhs->dims[d->inputBatch] != result->dims[d->outputBatch] * batches ||
      rhs->dims[d->kernelOutput] != result->dims[d->outputFeature] ||
      rhs->dims[d->kernelOutput] % (features * batches) != 0)
    return invalid("batch and features of the operands do not fit together");
  return NULL;
}

static void stridesOf(const StitchLibraryTensor *tensor, int64_t *strides) {
  int64_t stride = 1;
  for (int64_t i = tensor->rank; i-- > 0; stride *= tensor->dims[i])
    strides[i] = stride;
}

StitchStatus stitchConvolutionShapeOf(const StitchLibraryProblem *problem, StitchConvolutionShape *c) {
  StitchStatus status = checkDimensions(problem);
  if (!status)
    status = checkGroups(problem);
  if (status)
    return status;
  const StitchLibraryConvolutionDims *d = &problem->convolution;
  const StitchLibraryTensor *lhs = &problem->operands[0], *rhs = &problem->operands[1], *result = &problem->operands[2];
  int64_t in[STITCH_LIBRARY_MAX_RANK], kernel[STITCH_LIBRARY_MAX_RANK], out[STITCH_LIBRARY_MAX_RANK];
  stridesOf(lhs, in);
  stridesOf(rhs, kernel);
  stridesOf(result, out);
  *c = (StitchConvolutionShape){
      .numSpatial = d->inputSpatial.count,
      .groups = d->featureGroups * d->batchGroups,
      .images = result->dims[d->outputBatch],
      .features = rhs->dims[d->kernelInput],
      .outputs = rhs->dims[d->kernelOutput] / (d->featureGroups * d->batchGroups),
      .places = 1,
      .windowElements = 1,
      .lhsImageStride = in[d->inputBatch],
      .lhsFeatureStride = in[d->inputFeature],
      .rhsFeatureStride = kernel[d->kernelInput],
      .rhsOutputStride = kernel[d->kernelOutput],
      .resultImageStride = out[d->outputBatch],
      .resultOutputStride = out[d->outputFeature],
  };
  c->lhsGroupStride = d->batchGroups > 1 ? c->images * c->lhsImageStride : c->features * c->lhsFeatureStride;
  for (int64_t i = 0; i < c->numSpatial; ++i) {
    int64_t inputDim = d->inputSpatial.dims[i], kernelDim = d->kernelSpatial.dims[i], outDim = d->outputSpatial.dims[i];
    c->spatial[i] = (StitchConvolutionSpatial){
        .lhsSize = lhs->dims[inputDim],
        .rhsSize = rhs->dims[kernelDim],
        .resultSize = result->dims[outDim],
        .lhsStride = in[inputDim],
        .rhsStride = kernel[kernelDim],
        .resultStride = out[outDim],
        .step = d->strides.dims[i],
        .low = d->paddingLow.dims[i],
        .lhsDilation = d->lhsDilation.dims[i],
        .rhsDilation = d->rhsDilation.dims[i],
        .reversed = d->reversal.count ? d->reversal.dims[i] : 0,
    };
    c->places *= c->spatial[i].resultSize;
    c->windowElements *= c->spatial[i].rhsSize;
  }
  return NULL;
}

/// The products of one image, as a dot with the groups as its batch.
static StitchStatus createDot(StitchConvolution *convolution, const StitchLibraryProblem *problem,
                              StitchLibraryAlgorithm algorithm) {
  const StitchConvolutionShape *c = &convolution->shape;
  int64_t inner = c->windowElements * c->features;
  StitchLibraryProblem dot = {
      .kind = STITCH_LIBRARY_DOT,
      .numOperands = 3,
      .operands = {{problem->operands[0].type, 3, {c->groups, c->places, inner}},
                   {problem->operands[1].type, 3, {c->groups, inner, c->outputs}},
                   {problem->operands[2].type, 3, {c->groups, c->places, c->outputs}}},
      .dot = {.lhsBatch = {1, {0}}, .rhsBatch = {1, {0}}, .lhsContract = {1, {2}}, .rhsContract = {1, {1}}},
  };
  return stitchDotCreate(&dot, algorithm, &convolution->dot);
}

static StitchStatus allocate(int64_t elements, size_t bytes, void **memory) {
  *memory = calloc((size_t)elements + 1, bytes);
  return *memory ? NULL : stitchStatusOutOfMemory();
}

const StitchDot *stitchConvolutionDot(const StitchConvolution *convolution) { return convolution->dot; }

StitchStatus stitchConvolutionCreate(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm,
                                     StitchConvolution **convolution) {
  StitchConvolution *c = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  const StitchConvolutionShape *shape = &c->shape;
  StitchStatus status = stitchConvolutionShapeOf(problem, &c->shape);
  if (!status)
    status = createDot(c, problem, algorithm); // checks the element types, too
  c->lhsBytes = stitchElementBytes(problem->operands[0].type);
  c->rhsBytes = stitchElementBytes(problem->operands[1].type);
  c->resultBytes = stitchElementBytes(problem->operands[2].type);
  int64_t inner = shape->windowElements * shape->features;
  if (!status)
    status = allocate(shape->groups * shape->places * inner, c->lhsBytes, &c->windows);
  if (!status)
    status = allocate(shape->groups * inner * shape->outputs, c->rhsBytes, &c->kernel);
  if (!status)
    status = allocate(shape->groups * shape->places * shape->outputs, c->resultBytes, &c->product);
  if (status)
    stitchConvolutionDestroy(c);
  else
    *convolution = c;
  return status;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static void copyElement(char *to, const char *from, size_t bytes) {
  switch (bytes) {
  case 1:
    memcpy(to, from, 1);
    break;
  case 2:
    memcpy(to, from, 2);
    break;
  case 4:
    memcpy(to, from, 4);
    break;
  default:
    memcpy(to, from, bytes);
  }
}

/// A window's elements are ordered by their place in the kernel, then by feature.
static void copyWindows(const StitchConvolution *convolution, const char *image) {
  const StitchConvolutionShape *c = &convolution->shape;
  size_t bytes = convolution->lhsBytes;
  char *to = convolution->windows;
  for (int64_t g = 0; g < c->groups; ++g)
    for (int64_t place = 0; place < c->places; ++place)
      for (int64_t inner = 0; inner < c->windowElements; ++inner) {
        int64_t offset = stitchConvolutionLhsOffset(c, place, inner);
        if (offset < 0)
          memset(to, 0, (size_t)c->features * bytes);
        for (int64_t f = 0; offset >= 0 && f < c->features; ++f) {
          int64_t element = g * c->lhsGroupStride + offset + f * c->lhsFeatureStride;
          copyElement(to + (size_t)f * bytes, image + (size_t)element * bytes, bytes);
        }
        to += (size_t)c->features * bytes;
      }
}

static void copyKernel(const StitchConvolution *convolution, const char *rhs) {
  const StitchConvolutionShape *c = &convolution->shape;
  size_t bytes = convolution->rhsBytes;
  char *to = convolution->kernel;
  for (int64_t g = 0; g < c->groups; ++g)
    for (int64_t inner = 0; inner < c->windowElements; ++inner)
      for (int64_t f = 0; f < c->features; ++f)
        for (int64_t j = 0; j < c->outputs; ++j, to += bytes) {
          int64_t element = stitchConvolutionRhsOffset(c, inner) + f * c->rhsFeatureStride;
          element += (g * c->outputs + j) * c->rhsOutputStride;
          copyElement(to, rhs + (size_t)element * bytes, bytes);
        }
}

static void copyResult(const StitchConvolution *convolution, char *image) {
  const StitchConvolutionShape *c = &convolution->shape;
  size_t bytes = convolution->resultBytes;
  const char *from = convolution->product;
  for (int64_t g = 0; g < c->groups; ++g)
    for (int64_t place = 0; place < c->places; ++place)
      for (int64_t j = 0; j < c->outputs; ++j, from += bytes) {
        int64_t element = stitchConvolutionResultOffset(c, place) + (g * c->outputs + j) * c->resultOutputStride;
        copyElement(image + (size_t)element * bytes, from, bytes);
      }
}

StitchStatus stitchConvolutionExecute(StitchConvolution *c, const void *lhs, const void *rhs, void *result) {
  const StitchConvolutionShape *shape = &c->shape;
  StitchStatus status = NULL;
  copyKernel(c, rhs);
  for (int64_t n = 0; n < shape->images && !status; ++n) {
    copyWindows(c, (const char *)lhs + (size_t)(n * shape->lhsImageStride) * c->lhsBytes);
    status = stitchDotExecute(c->dot, c->windows, c->kernel, c->product);
    if (!status)
      copyResult(c, (char *)result + (size_t)(n * shape->resultImageStride) * c->resultBytes);
  }
  return status;
}

void stitchConvolutionDestroy(StitchConvolution *c) {
  if (!c)
    return;
  stitchDotDestroy(c->dot);
  free(c->windows);
  free(c->kernel);
  free(c->product);
  free(c);
}
