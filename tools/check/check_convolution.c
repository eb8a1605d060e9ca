//===- check_convolution.c - convolution ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates `convolution` in f64: sums of products under a window (check_products.h), with a fast path for exact finite
// floats.
//
//===----------------------------------------------------------------------===//

#include "tools/check/check_products.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
  const CheckCall *call;
  const CheckTensor *input, *kernel, *result;
  int64_t depth;         ///< products of an element
  double *orderedKernel; ///< of exact floats
  atomic_bool isOutOfMemory;
  int64_t inputStrides[CHECK_MAX_RANK], kernelStrides[CHECK_MAX_RANK];
  int64_t inputBatch, inputFeature, kernelInput, kernelOutput, outputBatch, outputFeature, featureGroups, batchGroups;
  CheckAttribute inputSpatial, kernelSpatial, outputSpatial, strides, low, lhsDilation, rhsDilation, reversal;
  CheckShape window;
  bool isFinite; ///< the kernel is finite: padding times infinity or NaN may be NaN, or left out
} CheckedConvolution;

static bool isFiniteTensor(const CheckTensor *a) {
  CheckClass class = checkClassOf(a->type);
  for (int64_t i = 0; class != CHECK_INTEGER && i < a->count; ++i)
    if (!isfinite(class == CHECK_REAL ? a->real[i] : cabs(a->number[i])))
      return false;
  return true;
}

static CheckedConvolution convolutionOf(const CheckCall *call) {
  const CheckOp *op = call->op;
  CheckedConvolution c = {.call = call,
                          .result = call->results[0],
                          .input = call->operands[0],
                          .kernel = call->operands[1],
                          .inputBatch = checkInteger(op, "input_batch_dimension", 0),
                          .inputFeature = checkInteger(op, "input_feature_dimension", 0),
                          .kernelInput = checkInteger(op, "kernel_input_feature_dimension", 0),
                          .kernelOutput = checkInteger(op, "kernel_output_feature_dimension", 0),
                          .outputBatch = checkInteger(op, "output_batch_dimension", 0),
                          .outputFeature = checkInteger(op, "output_feature_dimension", 0),
                          .featureGroups = checkInteger(op, "feature_group_count", 1),
                          .batchGroups = checkInteger(op, "batch_group_count", 1),
                          .inputSpatial = checkList(op, "input_spatial_dimensions"),
                          .kernelSpatial = checkList(op, "kernel_spatial_dimensions"),
                          .outputSpatial = checkList(op, "output_spatial_dimensions"),
                          .strides = checkList(op, "window_strides"),
                          .low = checkList(op, "padding_low"),
                          .lhsDilation = checkList(op, "lhs_dilation"),
                          .rhsDilation = checkList(op, "rhs_dilation"),
                          .reversal = checkList(op, "window_reversal")};
  checkShapeStrides(&c.input->shape, c.inputStrides);
  checkShapeStrides(&c.kernel->shape, c.kernelStrides);
  c.window.rank = c.kernelSpatial.count;
  for (int64_t d = 0; d < c.window.rank; ++d)
    c.window.dims[d] = c.kernel->shape.dims[c.kernelSpatial.values[d]];
  c.depth = checkShapeElements(&c.window) * c.kernel->shape.dims[c.kernelInput];
  c.isFinite = isFiniteTensor(c.kernel);
  return c;
}

/// The offset in the kernel of a position within the window, without that of the features.
static int64_t kernelPlace(const CheckedConvolution *c, const int64_t *inside) {
  int64_t place = 0;
  for (int64_t d = 0; d < c->window.rank; ++d) {
    bool reversed = d < c->reversal.count && c->reversal.values[d];
    int64_t step = reversed ? c->window.dims[d] - 1 - inside[d] : inside[d];
    place += step * c->kernelStrides[c->kernelSpatial.values[d]];
  }
  return place;
}

/// The offset in the input of a position within the window of an output; -1: padding, or a hole of dilation.
static int64_t inputPlace(const CheckedConvolution *c, const int64_t *output, const int64_t *inside) {
  int64_t place = 0;
  for (int64_t d = 0; d < c->window.rank; ++d) {
    int64_t position = output[c->outputSpatial.values[d]] * c->strides.values[d] +
                       inside[d] * c->rhsDilation.values[d] - c->low.values[d];
    int64_t dilation = c->lhsDilation.values[d];
    if (position < 0 || position % dilation != 0 ||
        position / dilation >= c->input->shape.dims[c->inputSpatial.values[d]])
      return -1;
    place += position / dilation * c->inputStrides[c->inputSpatial.values[d]];
  }
  return place;
}

/// The offset of the first input feature that an output feature of an image reads.
static int64_t inputStart(const CheckedConvolution *c, int64_t image, int64_t feature) {
  int64_t features = c->result->shape.dims[c->outputFeature], images = c->result->shape.dims[c->outputBatch];
  int64_t first = feature / (features / c->featureGroups) * c->kernel->shape.dims[c->kernelInput];
  int64_t number = image + feature / (features / c->batchGroups) * images;
  return number * c->inputStrides[c->inputBatch] + first * c->inputStrides[c->inputFeature];
}

static CheckSum sumOfWindow(const CheckedConvolution *c, CheckClass class, const int64_t *output) {
  int64_t features = c->kernel->shape.dims[c->kernelInput], feature = output[c->outputFeature];
  int64_t start = inputStart(c, output[c->outputBatch], feature);
  CheckSum sum = {0};
  CheckOdometer inside = checkOdometer(&c->window);
  for (int64_t k = 0; k < checkShapeElements(&c->window); ++k, checkAdvance(&inside)) {
    int64_t input = inputPlace(c, output, inside.index);
    int64_t kernel = kernelPlace(c, inside.index) + feature * c->kernelStrides[c->kernelOutput];
    if (input < 0) {
      sum.error = c->isFinite ? sum.error : INFINITY;
      sum.terms.finite = c->isFinite ? sum.terms.finite : INFINITY; // nor is an infinite sum certain
      continue;
    }
    for (int64_t f = 0; f < features; ++f)
      checkAddProduct(&sum, class, c->input, start + input + f * c->inputStrides[c->inputFeature], c->kernel,
                      kernel + f * c->kernelStrides[c->kernelInput]);
  }
  return sum;
}

static CheckOdometer odometerAt(const CheckShape *shape, int64_t number) {
  CheckOdometer o = checkOdometer(shape);
  for (int64_t d = shape->rank; d-- > 0; number /= shape->dims[d])
    o.index[d] = number % shape->dims[d];
  return o;
}

static void sumElements(void *context, int64_t first, int64_t last) {
  const CheckedConvolution *c = context;
  CheckOdometer o = odometerAt(&c->result->shape, first);
  for (int64_t i = first; i < last; ++i, checkAdvance(&o)) {
    CheckSum sum = sumOfWindow(c, checkClassOf(c->result->type), o.index);
    checkFinishSum(c->call, &sum, c->depth, i);
  }
}

//===----------------------------------------------------------------------===//
// Exact floats
//===----------------------------------------------------------------------===//

/// The elements under several windows, and the kernel, are copied. Then result elements are sums of products of
/// neighbours, and each part of the kernel is read once for all these windows.
enum { WINDOWS = 16 };

/// The kernel as [output feature][window][input feature].
static double *orderKernel(const CheckedConvolution *c) {
  int64_t outputs = c->kernel->shape.dims[c->kernelOutput], features = c->kernel->shape.dims[c->kernelInput];
  double *ordered = malloc(sizeof(double) * (size_t)(outputs * c->depth + 1)), *next = ordered;
  for (int64_t o = 0; ordered && o < outputs; ++o) {
    CheckOdometer inside = checkOdometer(&c->window);
    for (int64_t k = 0; k < checkShapeElements(&c->window); ++k, checkAdvance(&inside)) {
      int64_t place = kernelPlace(c, inside.index) + o * c->kernelStrides[c->kernelOutput];
      for (int64_t f = 0; f < features; ++f)
        *next++ = c->kernel->real[place + f * c->kernelStrides[c->kernelInput]];
    }
  }
  return ordered;
}

/// The elements under a window, in the order of the kernel; zeros for padding.
static void copyWindow(const CheckedConvolution *c, const int64_t *output, int64_t start, double *copy) {
  int64_t features = c->kernel->shape.dims[c->kernelInput], stride = c->inputStrides[c->inputFeature];
  CheckOdometer inside = checkOdometer(&c->window);
  for (int64_t k = 0; k < checkShapeElements(&c->window); ++k, checkAdvance(&inside)) {
    int64_t place = inputPlace(c, output, inside.index);
    for (int64_t f = 0; f < features; ++f)
      *copy++ = place < 0 ? 0.0 : c->input->real[start + place + f * stride];
  }
}

/// The result's shape with one output feature for each group, because the others read the same input.
static CheckShape windowsOf(const CheckedConvolution *c) {
  CheckShape shape = c->result->shape;
  shape.dims[c->outputFeature] = c->featureGroups * c->batchGroups;
  return shape;
}

/// Blocks of WINDOWS windows each.
static void sumBlocks(void *context, int64_t first, int64_t last) {
  CheckedConvolution *c = context;
  CheckShape shape = windowsOf(c);
  int64_t count = checkShapeElements(&shape), strides[CHECK_MAX_RANK], features[WINDOWS], elements[WINDOWS];
  int64_t perGroup = c->result->shape.dims[c->outputFeature] / shape.dims[c->outputFeature];
  double *copies = malloc(sizeof(double) * (size_t)(WINDOWS * c->depth + 1));
  checkShapeStrides(&c->result->shape, strides);
  if (!copies) {
    c->isOutOfMemory = true;
    return;
  }
  for (int64_t block = first; block < last; ++block) {
    int64_t windows = count - block * WINDOWS < WINDOWS ? count - block * WINDOWS : WINDOWS;
    CheckOdometer o = odometerAt(&shape, block * WINDOWS);
    for (int64_t w = 0; w < windows; ++w, checkAdvance(&o)) {
      features[w] = o.index[c->outputFeature] * perGroup;
      elements[w] = features[w] * strides[c->outputFeature];
      for (int64_t d = 0; d < shape.rank; ++d)
        elements[w] += d != c->outputFeature ? o.index[d] * strides[d] : 0;
      copyWindow(c, o.index, inputStart(c, o.index[c->outputBatch], features[w]), copies + w * c->depth);
    }
    for (int64_t j = 0; j < perGroup; ++j)
      for (int64_t w = 0; w < windows; ++w) {
        const double *kernel = c->orderedKernel + (features[w] + j) * c->depth;
        CheckSum sum = checkSumOfReals(copies + w * c->depth, kernel, c->depth);
        checkFinishSum(c->call, &sum, c->depth, elements[w] + j * strides[c->outputFeature]);
      }
  }
  free(copies);
}

const char *checkConvolution(const CheckCall *call) {
  if (!checkTensorAddErrors(call->results[0]))
    return checkOutOfMemory;
  CheckedConvolution c = convolutionOf(call);
  // Infinities and NaN under padding are for sumOfWindow.
  if (checkClassOf(c.result->type) != CHECK_REAL || c.input->error || c.kernel->error || !c.isFinite) {
    checkInParallel(c.result->count, sumElements, &c);
    return NULL;
  }
  CheckShape windows = windowsOf(&c);
  c.orderedKernel = orderKernel(&c);
  if (!c.orderedKernel)
    return checkOutOfMemory;
  checkInParallel((checkShapeElements(&windows) + WINDOWS - 1) / WINDOWS, sumBlocks, &c);
  free(c.orderedKernel);
  return c.isOutOfMemory ? checkOutOfMemory : NULL;
}
