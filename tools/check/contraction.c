//===- contraction.c - dot and convolution -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element is a sum of products, of whose magnitudes the error is a part: every product is rounded, and goes
// through the roundings of a sum. Elements are narrow at most when they are multiplied, and summed up in f32 at least.
//
//===----------------------------------------------------------------------===//

#include "tools/check/operations.h"

#include <stdlib.h>
#include <string.h>

/// A sum of products so far.
typedef struct {
  double real, magnitude, error;
  double complex number;
  int64_t integer;
} Sum;

static void finish(const CheckCall *call, const Sum *sum, int64_t count, int64_t i) {
  CheckTensor *result = call->results[0];
  if (checkClassOf(result->type) == CHECK_INTEGER) {
    result->integer[i] = checkBits(result->type) == 1 ? sum->integer != 0 : checkWrap(result->type, sum->integer);
    if (result->error)
      result->error[i] = sum->error != 0.0 ? INFINITY : 0.0;
    return;
  }
  StitchElementType part = checkPartType(result->type), computed = checkAccumulator(part);
  bool isComplex = checkClassOf(result->type) == CHECK_COMPLEX;
  // The sum here is in f64: as far off as that of a kernel in f64.
  double u = checkUnitRoundoff(computed) * (computed == STITCH_ELEMENT_F64 ? 2.0 : 1.0);
  double roundoffs = checkSumRoundoffs(count) + (isComplex ? 3.0 : 1.0);
  double subnormal = computed == STITCH_ELEMENT_F32 ? (double)count * checkLeastF32 : 0.0; // of products
  double error = sum->error + (roundoffs * u + 2.0 * call->operandRoundoff) * sum->magnitude + subnormal;
  if (isComplex)
    checkSettleComplex(result, i, sum->number, error);
  else
    checkSettle(result, checkRounding(call, result->type), i, sum->real, error);
}

static inline void addProduct(Sum *sum, CheckClass class, const CheckTensor *a, int64_t i, const CheckTensor *b,
                              int64_t j) {
  double aError = checkErrorAt(a, i), bError = checkErrorAt(b, j), x, y;
  if (class == CHECK_INTEGER) {
    sum->integer += (int64_t)((uint64_t)a->integer[i] * (uint64_t)b->integer[j]);
    sum->error += aError + bError;
    return;
  }
  if (class == CHECK_COMPLEX) {
    sum->number += a->number[i] * b->number[j];
    x = cabs(a->number[i]), y = cabs(b->number[j]);
  } else {
    sum->real += a->real[i] * b->real[j];
    x = fabs(a->real[i]), y = fabs(b->real[j]);
  }
  sum->magnitude += x * y;
  if (aError != 0.0 || bError != 0.0)
    sum->error += x * bError + y * aError + aError * bError;
}

//===----------------------------------------------------------------------===//
// Dot
//===----------------------------------------------------------------------===//

/// The dimensions of an operand in three groups.
typedef struct {
  CheckShape batch, contracted, free;
  CheckTensor *ordered; ///< [batch][free][contracted]
} Side;

static bool isIn(CheckAttribute list, int64_t value) {
  for (int64_t i = 0; i < list.count; ++i)
    if (list.values[i] == value)
      return true;
  return false;
}

static void addDim(CheckShape *shape, int64_t *strides, int64_t size, int64_t stride) {
  strides[shape->rank] = stride;
  shape->dims[shape->rank++] = size;
}

/// The operand with its dimensions in the order batch, free, contracted.
static bool orderSide(const CheckTensor *a, CheckAttribute batch, CheckAttribute contracted, Side *side) {
  int64_t own[CHECK_MAX_RANK], groups[3][CHECK_MAX_RANK], strides[CHECK_MAX_RANK];
  *side = (Side){0};
  checkShapeStrides(&a->shape, own);
  for (int64_t i = 0; i < batch.count; ++i)
    addDim(&side->batch, groups[0], a->shape.dims[batch.values[i]], own[batch.values[i]]);
  for (int64_t i = 0; i < contracted.count; ++i)
    addDim(&side->contracted, groups[1], a->shape.dims[contracted.values[i]], own[contracted.values[i]]);
  for (int64_t d = 0; d < a->shape.rank; ++d)
    if (!isIn(batch, d) && !isIn(contracted, d))
      addDim(&side->free, groups[2], a->shape.dims[d], own[d]);
  CheckShape all = {0};
  for (int64_t i = 0; i < side->batch.rank; ++i)
    addDim(&all, strides, side->batch.dims[i], groups[0][i]);
  for (int64_t i = 0; i < side->free.rank; ++i)
    addDim(&all, strides, side->free.dims[i], groups[2][i]);
  for (int64_t i = 0; i < side->contracted.rank; ++i)
    addDim(&all, strides, side->contracted.dims[i], groups[1][i]);
  side->ordered = checkTensorCreate(a->type, &all);
  if (!side->ordered || (a->error && !checkTensorAddErrors(side->ordered)))
    return false;
  CheckOdometer o = checkOdometer(&all);
  for (int64_t i = 0; i < side->ordered->count; ++i, checkAdvance(&o)) {
    int64_t place = 0;
    for (int64_t d = 0; d < all.rank; ++d)
      place += o.index[d] * strides[d];
    checkCopyElement(side->ordered, i, a, place);
  }
  return true;
}

/// A sum of products of exact floats, which is what a library's operands are.
static Sum sumOfReals(const double *a, const double *b, int64_t count) {
  double sum[4] = {0}, magnitude[4] = {0};
  int64_t k = 0;
  for (; k + 4 <= count; k += 4)
    for (int64_t j = 0; j < 4; ++j) {
      double product = a[k + j] * b[k + j];
      sum[j] += product;
      magnitude[j] += fabs(product);
    }
  for (; k < count; ++k) {
    sum[0] += a[k] * b[k];
    magnitude[0] += fabs(a[k] * b[k]);
  }
  return (Sum){.real = (sum[0] + sum[1]) + (sum[2] + sum[3]),
               .magnitude = (magnitude[0] + magnitude[1]) + (magnitude[2] + magnitude[3])};
}

static void multiply(const CheckCall *call, const Side *lhs, const Side *rhs) {
  int64_t batch = checkShapeElements(&lhs->batch), rows = checkShapeElements(&lhs->free);
  int64_t columns = checkShapeElements(&rhs->free), depth = checkShapeElements(&lhs->contracted);
  CheckClass class = checkClassOf(call->results[0]->type);
  const CheckTensor *a = lhs->ordered, *b = rhs->ordered;
  bool isFast = class == CHECK_REAL && !a->error && !b->error;
  for (int64_t i = 0; i < batch * rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t left = i * depth, right = (i / rows * columns + j) * depth;
      Sum sum = {0};
      if (isFast)
        sum = sumOfReals(a->real + left, b->real + right, depth);
      for (int64_t k = 0; !isFast && k < depth; ++k)
        addProduct(&sum, class, a, left + k, b, right + k);
      finish(call, &sum, depth, i * columns + j);
    }
}

const char *checkDot(const CheckCall *call) {
  Side lhs = {0}, rhs = {0};
  const CheckOp *op = call->op;
  const char *problem = checkOutOfMemory;
  if (checkTensorAddErrors(call->results[0]) &&
      orderSide(call->operands[0], checkList(op, "lhs_batch"), checkList(op, "lhs_contract"), &lhs) &&
      orderSide(call->operands[1], checkList(op, "rhs_batch"), checkList(op, "rhs_contract"), &rhs)) {
    multiply(call, &lhs, &rhs);
    problem = NULL;
  }
  checkTensorFree(lhs.ordered);
  checkTensorFree(rhs.ordered);
  return problem;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

typedef struct {
  const CheckTensor *input, *kernel;
  int64_t inputStrides[CHECK_MAX_RANK], kernelStrides[CHECK_MAX_RANK];
  int64_t inputBatch, inputFeature, kernelInput, kernelOutput, outputBatch, outputFeature, featureGroups, batchGroups;
  CheckAttribute inputSpatial, kernelSpatial, outputSpatial, strides, low, lhsDilation, rhsDilation, reversal;
  CheckShape window;
  bool isFinite; ///< the kernel: padding times what is not may be NaN, or left out
} Convolution;

static bool isFiniteTensor(const CheckTensor *a) {
  CheckClass class = checkClassOf(a->type);
  for (int64_t i = 0; class != CHECK_INTEGER && i < a->count; ++i)
    if (!isfinite(class == CHECK_REAL ? a->real[i] : cabs(a->number[i])))
      return false;
  return true;
}

static Convolution convolutionOf(const CheckCall *call) {
  const CheckOp *op = call->op;
  Convolution c = {.input = call->operands[0],
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
  c.isFinite = isFiniteTensor(c.kernel);
  return c;
}

/// Where the input and the kernel are read at one place of a window; false: padding, or a hole.
static bool placesOf(const Convolution *c, const int64_t *output, const int64_t *inside, int64_t *input,
                     int64_t *kernel) {
  for (int64_t d = 0; d < c->window.rank; ++d) {
    bool reversed = d < c->reversal.count && c->reversal.values[d];
    int64_t step = inside[d], size = c->window.dims[d];
    int64_t position =
        output[c->outputSpatial.values[d]] * c->strides.values[d] + step * c->rhsDilation.values[d] - c->low.values[d];
    int64_t dilation = c->lhsDilation.values[d];
    if (position < 0 || position % dilation != 0 ||
        position / dilation >= c->input->shape.dims[c->inputSpatial.values[d]])
      return false;
    *input += position / dilation * c->inputStrides[c->inputSpatial.values[d]];
    *kernel += (reversed ? size - 1 - step : step) * c->kernelStrides[c->kernelSpatial.values[d]];
  }
  return true;
}

static Sum sumOfWindow(const Convolution *c, CheckClass class, const int64_t *output, const CheckShape *result) {
  int64_t features = c->kernel->shape.dims[c->kernelInput], feature = output[c->outputFeature];
  int64_t perGroup = result->dims[c->outputFeature] / c->featureGroups;
  int64_t perBatchGroup = result->dims[c->outputFeature] / c->batchGroups, batches = result->dims[c->outputBatch];
  int64_t batch = output[c->outputBatch] + (c->batchGroups > 1 ? feature / perBatchGroup * batches : 0);
  int64_t firstFeature = c->featureGroups > 1 ? feature / perGroup * features : 0;
  Sum sum = {0};
  CheckOdometer inside = checkOdometer(&c->window);
  for (int64_t k = 0; k < checkShapeElements(&c->window); ++k, checkAdvance(&inside)) {
    int64_t input = batch * c->inputStrides[c->inputBatch] + firstFeature * c->inputStrides[c->inputFeature];
    int64_t kernel = feature * c->kernelStrides[c->kernelOutput];
    if (!placesOf(c, output, inside.index, &input, &kernel)) {
      sum.error = c->isFinite ? sum.error : INFINITY;
      continue;
    }
    for (int64_t f = 0; f < features; ++f)
      addProduct(&sum, class, c->input, input + f * c->inputStrides[c->inputFeature], c->kernel,
                 kernel + f * c->kernelStrides[c->kernelInput]);
  }
  return sum;
}

const char *checkConvolution(const CheckCall *call) {
  CheckTensor *result = call->results[0];
  Convolution c = convolutionOf(call);
  int64_t depth = checkShapeElements(&c.window) * c.kernel->shape.dims[c.kernelInput];
  if (!checkTensorAddErrors(result))
    return checkOutOfMemory;
  CheckOdometer o = checkOdometer(&result->shape);
  for (int64_t i = 0; i < result->count; ++i, checkAdvance(&o)) {
    Sum sum = sumOfWindow(&c, checkClassOf(result->type), o.index, &result->shape);
    finish(call, &sum, depth, i);
  }
  return NULL;
}
