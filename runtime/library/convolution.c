//===- convolution.c - tg.convolution on the CPU --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each image and group g, with P places of the result, K elements of a window and J output features of the group:
//
//   windows[g, P, K] x kernel[g, K, J] -> product[g, P, J]
//
// A batch of groups (batch_group_count) differs from groups of features only in where a group's window lies: in other
// images instead of other features.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/convolution.h"

#include "runtime/library/dot.h"

#include <stdlib.h>
#include <string.h>

/// One spatial dimension.
typedef struct {
  int64_t inputSize, kernelSize, outputSize;
  int64_t inputStride, kernelStride, outputStride; ///< in elements
  int64_t step, low, inputDilation, kernelDilation;
  bool reversed;
} Spatial;

struct StitchConvolution {
  Spatial spatial[STITCH_LIBRARY_MAX_RANK];
  int64_t numSpatial;
  int64_t groups, images;           ///< images of one group
  int64_t features, outputs;        ///< of one group
  int64_t places, windowElements;   ///< P, K
  int64_t imageStride, groupStride; ///< of the input: to the next image, and to where the next group's windows lie
  int64_t featureStride;
  int64_t kernelFeatureStride, kernelOutputStride;
  int64_t resultImageStride, resultOutputStride;
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
  if (problem->kind != STITCH_LIBRARY_CONVOLUTION || problem->numOperands != 3)
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

static void readShape(StitchConvolution *c, const StitchLibraryProblem *problem) {
  const StitchLibraryConvolutionDims *d = &problem->convolution;
  const StitchLibraryTensor *lhs = &problem->operands[0], *rhs = &problem->operands[1], *result = &problem->operands[2];
  int64_t in[STITCH_LIBRARY_MAX_RANK], kernel[STITCH_LIBRARY_MAX_RANK], out[STITCH_LIBRARY_MAX_RANK];
  stridesOf(lhs, in);
  stridesOf(rhs, kernel);
  stridesOf(result, out);
  c->groups = d->featureGroups * d->batchGroups;
  c->images = result->dims[d->outputBatch];
  c->features = rhs->dims[d->kernelInput];
  c->outputs = rhs->dims[d->kernelOutput] / c->groups;
  c->imageStride = in[d->inputBatch];
  c->featureStride = in[d->inputFeature];
  c->groupStride = d->batchGroups > 1 ? c->images * c->imageStride : c->features * c->featureStride;
  c->kernelFeatureStride = kernel[d->kernelInput];
  c->kernelOutputStride = kernel[d->kernelOutput];
  c->resultImageStride = out[d->outputBatch];
  c->resultOutputStride = out[d->outputFeature];
  c->lhsBytes = stitchElementBytes(lhs->type);
  c->rhsBytes = stitchElementBytes(rhs->type);
  c->resultBytes = stitchElementBytes(result->type);
  c->numSpatial = d->inputSpatial.count;
  c->places = 1;
  c->windowElements = c->features;
  for (int64_t i = 0; i < c->numSpatial; ++i) {
    int64_t inputDim = d->inputSpatial.dims[i], kernelDim = d->kernelSpatial.dims[i], outDim = d->outputSpatial.dims[i];
    c->spatial[i] = (Spatial){
        .inputSize = lhs->dims[inputDim],
        .kernelSize = rhs->dims[kernelDim],
        .outputSize = result->dims[outDim],
        .inputStride = in[inputDim],
        .kernelStride = kernel[kernelDim],
        .outputStride = out[outDim],
        .step = d->strides.dims[i],
        .low = d->paddingLow.dims[i],
        .inputDilation = d->lhsDilation.dims[i],
        .kernelDilation = d->rhsDilation.dims[i],
        .reversed = d->reversal.count && d->reversal.dims[i],
    };
    c->places *= c->spatial[i].outputSize;
    c->windowElements *= c->spatial[i].kernelSize;
  }
}

/// The products of one image, as a dot with the groups as its batch.
static StitchStatus createDot(StitchConvolution *c, const StitchLibraryProblem *problem) {
  StitchLibraryProblem dot = {
      .kind = STITCH_LIBRARY_DOT,
      .numOperands = 3,
      .operands = {{problem->operands[0].type, 3, {c->groups, c->places, c->windowElements}},
                   {problem->operands[1].type, 3, {c->groups, c->windowElements, c->outputs}},
                   {problem->operands[2].type, 3, {c->groups, c->places, c->outputs}}},
      .dot = {.lhsBatch = {1, {0}}, .rhsBatch = {1, {0}}, .lhsContract = {1, {2}}, .rhsContract = {1, {1}}},
  };
  return stitchDotCreate(&dot, &c->dot);
}

static StitchStatus allocate(int64_t elements, size_t bytes, void **memory) {
  *memory = calloc((size_t)elements + 1, bytes);
  return *memory ? NULL : stitchStatusOutOfMemory();
}

StitchStatus stitchConvolutionCreate(const StitchLibraryProblem *problem, StitchConvolution **convolution) {
  StitchStatus status = checkDimensions(problem);
  if (!status)
    status = checkGroups(problem);
  if (status)
    return status;
  StitchConvolution *c = calloc(1, sizeof(*c));
  if (!c)
    return stitchStatusOutOfMemory();
  readShape(c, problem);
  status = createDot(c, problem); // checks the element types, too
  if (!status)
    status = allocate(c->groups * c->places * c->windowElements, c->lhsBytes, &c->windows);
  if (!status)
    status = allocate(c->groups * c->windowElements * c->outputs, c->rhsBytes, &c->kernel);
  if (!status)
    status = allocate(c->groups * c->places * c->outputs, c->resultBytes, &c->product);
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

/// Takes the last spatial position out of a number that counts them in row-major order.
static int64_t takePosition(int64_t *number, int64_t size) {
  int64_t position = *number % size;
  *number /= size;
  return position;
}

/// The offset of the input's element under element `inner` of the window at `place`; -1 in the padding or between
/// dilated elements.
static int64_t inputOffset(const StitchConvolution *c, int64_t place, int64_t inner) {
  int64_t offset = 0;
  for (int64_t i = c->numSpatial; i-- > 0;) {
    const Spatial *s = &c->spatial[i];
    int64_t at = takePosition(&place, s->outputSize) * s->step - s->low;
    at += takePosition(&inner, s->kernelSize) * s->kernelDilation;
    if (at < 0 || at % s->inputDilation != 0 || at / s->inputDilation >= s->inputSize)
      return -1;
    offset += at / s->inputDilation * s->inputStride;
  }
  return offset;
}

static int64_t kernelOffset(const StitchConvolution *c, int64_t inner) {
  int64_t offset = 0;
  for (int64_t i = c->numSpatial; i-- > 0;) {
    const Spatial *s = &c->spatial[i];
    int64_t at = takePosition(&inner, s->kernelSize);
    offset += (s->reversed ? s->kernelSize - 1 - at : at) * s->kernelStride;
  }
  return offset;
}

static int64_t resultOffset(const StitchConvolution *c, int64_t place) {
  int64_t offset = 0;
  for (int64_t i = c->numSpatial; i-- > 0;)
    offset += takePosition(&place, c->spatial[i].outputSize) * c->spatial[i].outputStride;
  return offset;
}

/// A window's elements are ordered by their place in the kernel, then by feature.
static void copyWindows(const StitchConvolution *c, const char *image) {
  int64_t inners = c->features ? c->windowElements / c->features : 0;
  char *to = c->windows;
  for (int64_t g = 0; g < c->groups; ++g)
    for (int64_t place = 0; place < c->places; ++place)
      for (int64_t inner = 0; inner < inners; ++inner) {
        int64_t offset = inputOffset(c, place, inner);
        if (offset < 0)
          memset(to, 0, (size_t)c->features * c->lhsBytes);
        for (int64_t f = 0; offset >= 0 && f < c->features; ++f) {
          int64_t element = g * c->groupStride + offset + f * c->featureStride;
          copyElement(to + (size_t)f * c->lhsBytes, image + (size_t)element * c->lhsBytes, c->lhsBytes);
        }
        to += (size_t)c->features * c->lhsBytes;
      }
}

static void copyKernel(const StitchConvolution *c, const char *rhs) {
  int64_t inners = c->features ? c->windowElements / c->features : 0;
  char *to = c->kernel;
  for (int64_t g = 0; g < c->groups; ++g)
    for (int64_t inner = 0; inner < inners; ++inner)
      for (int64_t f = 0; f < c->features; ++f)
        for (int64_t j = 0; j < c->outputs; ++j, to += c->rhsBytes) {
          int64_t element = kernelOffset(c, inner) + f * c->kernelFeatureStride;
          element += (g * c->outputs + j) * c->kernelOutputStride;
          copyElement(to, rhs + (size_t)element * c->rhsBytes, c->rhsBytes);
        }
}

static void copyResult(const StitchConvolution *c, char *image) {
  const char *from = c->product;
  for (int64_t g = 0; g < c->groups; ++g)
    for (int64_t place = 0; place < c->places; ++place)
      for (int64_t j = 0; j < c->outputs; ++j, from += c->resultBytes) {
        int64_t element = resultOffset(c, place) + (g * c->outputs + j) * c->resultOutputStride;
        copyElement(image + (size_t)element * c->resultBytes, from, c->resultBytes);
      }
}

StitchStatus stitchConvolutionExecute(StitchConvolution *c, const void *lhs, const void *rhs, void *result) {
  StitchStatus status = NULL;
  copyKernel(c, rhs);
  for (int64_t n = 0; n < c->images && !status; ++n) {
    copyWindows(c, (const char *)lhs + (size_t)(n * c->imageStride) * c->lhsBytes);
    status = stitchDotExecute(c->dot, c->windows, c->kernel, c->product);
    if (!status)
      copyResult(c, (char *)result + (size_t)(n * c->resultImageStride) * c->resultBytes);
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
