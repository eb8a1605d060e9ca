//===- convolution_form.c - a tg.convolution as an operation of cuDNN ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In one spatial dimension, with the terms of StableHLO on the left and those of cuDNN on the right of each equation:
//
//   result[o] = sum over k of dilated lhs[o * stride + k * dilation - low] * rhs[k]
//   forward          y[o]  = sum over r of x[o * s + r * d - pre] * w[r]
//   data gradient    dx[i] = sum over o, r with o * s + r * d - pre = i of dy[o] * w[r]
//   filter gradient  dw[r] = sum over o of x[o * s + r * d - pre] * dy[o]
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/convolution_form.h"

enum { LHS, RHS, RESULT };

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static int64_t strideOf(const StitchLibraryTensor *tensor, int64_t dim) {
  int64_t stride = 1;
  for (int64_t i = tensor->rank; --i > dim;)
    stride *= tensor->dims[i];
  return stride;
}

/// cuDNN wants two spatial dimensions at least: those that are missing have size 1 and stand first.
static StitchFormTensor formTensor(const StitchLibraryTensor *tensor, int64_t first, int64_t second,
                                   const StitchLibraryDims *spatial, int64_t numSpatial) {
  StitchFormTensor result = {.type = tensor->type, .rank = 2 + numSpatial, .groups = 1};
  int64_t missing = numSpatial - spatial->count, outer = 1;
  result.dims[0] = tensor->dims[first];
  result.strides[0] = strideOf(tensor, first);
  result.dims[1] = tensor->dims[second];
  result.strides[1] = strideOf(tensor, second);
  for (int64_t i = 0; i < spatial->count; ++i) {
    result.dims[2 + missing + i] = tensor->dims[spatial->dims[i]];
    result.strides[2 + missing + i] = strideOf(tensor, spatial->dims[i]);
  }
  if (spatial->count)
    outer = result.dims[2 + missing] * result.strides[2 + missing];
  for (int64_t i = 0; i < missing; ++i) {
    result.dims[2 + i] = 1;
    result.strides[2 + i] = outer;
  }
  return result;
}

/// The strides of a dense tensor of these dimensions.
static void layoutStrides(const StitchFormTensor *tensor, StitchFormLayout layout, int64_t *strides) {
  int64_t stride = 1;
  if (layout == STITCH_CHANNELS_LAST) {
    strides[1] = 1;
    stride = tensor->dims[1];
  }
  for (int64_t i = tensor->rank; i-- > 0;)
    if (i != 1 || layout == STITCH_CHANNELS_FIRST) {
      strides[i] = stride;
      stride *= tensor->dims[i];
    }
}

bool stitchFormHasLayout(const StitchFormTensor *tensor, StitchFormLayout layout) {
  int64_t strides[STITCH_FORM_MAX_RANK];
  layoutStrides(tensor, layout, strides);
  bool has = tensor->groups == 1;
  for (int64_t i = 0; i < tensor->rank; ++i)
    has = has && (tensor->dims[i] == 1 || tensor->strides[i] == strides[i]);
  return has;
}

int64_t stitchFormElements(const StitchFormTensor *tensor) {
  int64_t elements = 1;
  for (int64_t i = 0; i < tensor->rank; ++i)
    elements *= tensor->dims[i];
  return elements;
}

/// Leaves `low` elements at the beginning of a dimension and `high` at its end out. False if nothing is left.
static bool crop(StitchFormTensor *tensor, int64_t dim, int64_t low, int64_t high) {
  tensor->offset += low * tensor->strides[dim];
  tensor->dims[dim] -= low + high;
  return tensor->dims[dim] > 0;
}

static void reverse(StitchFormTensor *tensor, int64_t dim) {
  tensor->offset += (tensor->dims[dim] - 1) * tensor->strides[dim];
  tensor->strides[dim] = -tensor->strides[dim];
}

//===----------------------------------------------------------------------===//
// Spatial dimensions
//===----------------------------------------------------------------------===//

/// One spatial dimension of a problem.
typedef struct {
  int64_t lhs, rhs, result; ///< sizes
  int64_t stride, low, lhsDilation, rhsDilation;
  bool reversed; ///< and it makes a difference
} Spatial;

static Spatial spatialOf(const StitchLibraryProblem *problem, int64_t i) {
  const StitchLibraryConvolutionDims *d = &problem->convolution;
  Spatial s = {
      .lhs = problem->operands[LHS].dims[d->inputSpatial.dims[i]],
      .rhs = problem->operands[RHS].dims[d->kernelSpatial.dims[i]],
      .result = problem->operands[RESULT].dims[d->outputSpatial.dims[i]],
      .stride = d->strides.dims[i],
      .low = d->paddingLow.dims[i],
      .lhsDilation = d->lhsDilation.dims[i],
      .rhsDilation = d->rhsDilation.dims[i],
  };
  s.reversed = s.rhs > 1 && d->reversal.count && d->reversal.dims[i];
  return s;
}

/// A missing dimension.
static const Spatial single = {.lhs = 1, .rhs = 1, .result = 1, .stride = 1, .lhsDilation = 1, .rhsDilation = 1};

static int64_t extent(int64_t size, int64_t dilation) { return (size - 1) * dilation + 1; }

/// Sets stride, dilation and padding of dimension `i` of a convolution of `x` elements with `w`, whose result has `y`.
/// Cuts the image where cuDNN cannot express negative padding, or elements that no window reaches.
static bool setWindow(StitchConvolutionForm *form, int64_t i, int64_t y, int64_t w, int64_t stride, int64_t dilation,
                      int64_t low) {
  StitchFormTensor *image = &form->operands[form->image];
  int64_t cropLow = low < 0 ? -low : 0, cropHigh = 0;
  int64_t high = (y - 1) * stride + extent(w, dilation) - image->dims[2 + i] - low;
  if (-high >= stride) // cuDNN would compute more results
    cropHigh = -high;
  form->strides[i] = stride;
  form->dilations[i] = dilation;
  form->paddingLow[i] = low + cropLow;
  form->paddingHigh[i] = high > 0 ? high : 0;
  return crop(image, 2 + i, cropLow, cropHigh);
}

static bool setForward(StitchConvolutionForm *form, int64_t i, const Spatial *s) {
  return s->lhsDilation == 1 && setWindow(form, i, s->result, s->rhs, s->stride, s->rhsDilation, s->low);
}

static bool setFilterGradient(StitchConvolutionForm *form, int64_t i, const Spatial *s) {
  return s->lhsDilation == 1 && !s->reversed &&
         setWindow(form, i, s->rhs, s->result, s->rhsDilation, s->stride, s->low);
}

/// The image is the result here, of which nothing can be cropped.
static bool setDataGradient(StitchConvolutionForm *form, int64_t i, const Spatial *s) {
  int64_t low = extent(s->rhs, s->rhsDilation) - 1 - s->low;
  int64_t high = extent(s->lhs, s->lhsDilation) + extent(s->rhs, s->rhsDilation) - 1 - s->result - low;
  form->strides[i] = s->lhsDilation;
  form->dilations[i] = s->rhsDilation;
  form->paddingLow[i] = low;
  form->paddingHigh[i] = high > 0 ? high : 0;
  return s->stride == 1 && low >= 0 && -high < s->lhsDilation;
}

/// Reverses the filter where it has to be: by the operation's mode if that is so for all dimensions.
static void setReversal(StitchConvolutionForm *form, const Spatial *spatial) {
  StitchFormTensor *filter = &form->operands[form->filter];
  bool isGradient = form->operation == STITCH_CONVOLUTION_DATA_GRADIENT, any = false, all = true;
  for (int64_t i = 0; i < form->numSpatial; ++i) {
    bool reversed = spatial[i].rhs > 1 && spatial[i].reversed != isGradient;
    any = any || reversed;
    all = all && (spatial[i].rhs == 1 || reversed);
  }
  form->flipped = any && all;
  for (int64_t i = 0; i < form->numSpatial && any && !all; ++i)
    if (spatial[i].rhs > 1 && spatial[i].reversed != isGradient)
      reverse(filter, 2 + i);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The filter of a data gradient has the features of lhs as its output features. With groups these are two dimensions:
/// the group, whose stride is that of the features of the result, and the features of a group.
static void regroupFilter(StitchFormTensor *filter, int64_t groups) {
  int64_t features = filter->dims[0], outputs = filter->dims[1] / groups;
  int64_t groupStride = outputs * filter->strides[1];
  filter->dims[0] = groups * features;
  filter->dims[1] = outputs;
  if (features == 1) {
    filter->strides[0] = groupStride;
  } else if (groups > 1 && groupStride != features * filter->strides[0]) {
    filter->groups = groups;
    filter->groupStride = groupStride;
  }
}

static bool describeOperands(const StitchLibraryProblem *problem, StitchConvolutionForm *form) {
  const StitchLibraryConvolutionDims *d = &problem->convolution;
  const StitchLibraryTensor *lhs = &problem->operands[LHS], *rhs = &problem->operands[RHS];
  const StitchLibraryTensor *result = &problem->operands[RESULT];
  int64_t n = form->numSpatial;
  StitchFormTensor *operands = form->operands;
  operands[LHS] = formTensor(lhs, d->inputBatch, d->inputFeature, &d->inputSpatial, n);
  operands[RESULT] = formTensor(result, d->outputBatch, d->outputFeature, &d->outputSpatial, n);
  switch (form->operation) {
  case STITCH_CONVOLUTION_FORWARD:
    operands[RHS] = formTensor(rhs, d->kernelOutput, d->kernelInput, &d->kernelSpatial, n);
    return d->batchGroups == 1;
  case STITCH_CONVOLUTION_DATA_GRADIENT:
    operands[RHS] = formTensor(rhs, d->kernelInput, d->kernelOutput, &d->kernelSpatial, n);
    regroupFilter(&operands[RHS], d->featureGroups);
    return d->batchGroups == 1;
  case STITCH_CONVOLUTION_FILTER_GRADIENT: // batch and features are exchanged: the sum goes over the batch
    operands[LHS] = formTensor(lhs, d->inputFeature, d->inputBatch, &d->inputSpatial, n);
    operands[RHS] = formTensor(rhs, d->kernelInput, d->kernelOutput, &d->kernelSpatial, n);
    operands[RESULT] = formTensor(result, d->outputFeature, d->outputBatch, &d->outputSpatial, n);
    return d->featureGroups == 1;
  }
  return false;
}

bool stitchConvolutionFormOf(const StitchLibraryProblem *problem, StitchConvolutionOperation operation,
                             StitchConvolutionForm *form) {
  static const struct {
    int image, filter, output;
    bool (*setWindow)(StitchConvolutionForm *form, int64_t i, const Spatial *s);
  } operations[] = {
      [STITCH_CONVOLUTION_FORWARD] = {LHS, RHS, RESULT, setForward},
      [STITCH_CONVOLUTION_DATA_GRADIENT] = {RESULT, RHS, LHS, setDataGradient},
      [STITCH_CONVOLUTION_FILTER_GRADIENT] = {LHS, RESULT, RHS, setFilterGradient},
  };
  int64_t given = problem->convolution.inputSpatial.count;
  *form = (StitchConvolutionForm){
      .operation = operation,
      .image = operations[operation].image,
      .filter = operations[operation].filter,
      .output = operations[operation].output,
      .numSpatial = given > 2 ? given : 2,
  };
  if (given > STITCH_FORM_MAX_SPATIAL || !describeOperands(problem, form))
    return false;
  Spatial spatial[STITCH_FORM_MAX_SPATIAL];
  for (int64_t i = 0; i < form->numSpatial; ++i) {
    int64_t missing = form->numSpatial - given;
    spatial[i] = i < missing ? single : spatialOf(problem, i - missing);
    if (!operations[operation].setWindow(form, i, &spatial[i]))
      return false;
  }
  if (operation != STITCH_CONVOLUTION_FILTER_GRADIENT)
    setReversal(form, spatial);
  return true;
}

int stitchConvolutionForms(const StitchLibraryProblem *problem, StitchConvolutionForm forms[3]) {
  const StitchLibraryConvolutionDims *d = &problem->convolution;
  int64_t window = 1, places = 1;
  for (int64_t i = 0; i < d->inputSpatial.count; ++i) {
    Spatial s = spatialOf(problem, i);
    window *= s.rhs;
    places *= s.result;
  }
  static const StitchConvolutionOperation usual[] = {STITCH_CONVOLUTION_FORWARD, STITCH_CONVOLUTION_DATA_GRADIENT,
                                                     STITCH_CONVOLUTION_FILTER_GRADIENT};
  static const StitchConvolutionOperation largeKernel[] = {
      STITCH_CONVOLUTION_FILTER_GRADIENT, STITCH_CONVOLUTION_FORWARD, STITCH_CONVOLUTION_DATA_GRADIENT};
  const StitchConvolutionOperation *order = window > places ? largeKernel : usual;
  int count = 0;
  for (int i = 0; i < 3; ++i)
    count += stitchConvolutionFormOf(problem, order[i], &forms[count]);
  return count;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Bytes of the operands that do not have a layout.
static int64_t bytesToPack(const StitchConvolutionForm *form, StitchFormLayout layout) {
  int64_t bytes = 0;
  for (int i = 0; i < 3; ++i) {
    const StitchFormTensor *operand = &form->operands[i];
    if (!stitchFormHasLayout(operand, layout))
      bytes += stitchFormElements(operand) * (int64_t)stitchElementBytes(operand->type);
  }
  return bytes;
}

/// Where it makes no difference, features are last for types that tensor cores take, whose engines want them so, and
/// where image and output have them last already.
static StitchFormLayout commonLayout(const StitchConvolutionForm *form) {
  int64_t first = bytesToPack(form, STITCH_CHANNELS_FIRST), last = bytesToPack(form, STITCH_CHANNELS_LAST);
  bool prefersLast = stitchElementBytes(form->operands[LHS].type) <= 2 ||
                     (stitchFormHasLayout(&form->operands[form->image], STITCH_CHANNELS_LAST) &&
                      stitchFormHasLayout(&form->operands[form->output], STITCH_CHANNELS_LAST));
  return last < first || (last == first && prefersLast) ? STITCH_CHANNELS_LAST : STITCH_CHANNELS_FIRST;
}

void stitchConvolutionFormPack(StitchConvolutionForm *form, StitchFormPacking *packing) {
  StitchFormLayout layout = commonLayout(form);
  for (int i = 0; i < 3; ++i) {
    StitchFormTensor *operand = &form->operands[i];
    packing->given[i] = *operand;
    packing->isPacked[i] = !stitchFormHasLayout(operand, layout);
    if (packing->isPacked[i]) {
      operand->offset = 0;
      operand->groups = 1;
    }
    layoutStrides(operand, layout, operand->strides); // dimensions of one element may have had others
  }
}
