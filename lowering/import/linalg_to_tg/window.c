//===- window.c - convolutions and pooling -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/conversion.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// A letter for each dimension: b batch, f feature, i and o the filter's, 0, 1 and 2 spatial, g channels of depthwise
/// convolutions, m their multiplier.
typedef struct {
  const char *op, *image, *filter, *result;
} Convolution;

static const Convolution convolutions[] = {
    {"linalg.conv_1d_ncw_fcw", "bf0", "oi0", "bf0"},
    {"linalg.conv_1d_nwc_wcf", "b0f", "0io", "b0f"},
    {"linalg.conv_2d_nchw_fchw", "bf01", "oi01", "bf01"},
    {"linalg.conv_2d_nhwc_fhwc", "b01f", "o01i", "b01f"},
    {"linalg.conv_2d_nhwc_hwcf", "b01f", "01io", "b01f"},
    {"linalg.conv_3d_ncdhw_fcdhw", "bf012", "oi012", "bf012"},
    {"linalg.conv_3d_ndhwc_dhwcf", "b012f", "012io", "b012f"},
    {"linalg.depthwise_conv_1d_nwc_wc", "b0f", "0g", "b0f"},
    {"linalg.depthwise_conv_2d_nchw_chw", "bf01", "g01", "bf01"},
    {"linalg.depthwise_conv_2d_nhwc_hwc", "b01f", "01g", "b01f"},
};

static int64_t positionOf(const char *letters, char letter) {
  const char *found = strchr(letters, letter);
  return found ? found - letters : -1;
}

static IrShape spatialOf(const char *letters) {
  IrShape dims = {0};
  for (char letter = '0'; positionOf(letters, letter) >= 0; ++letter)
    dims.dims[dims.rank++] = positionOf(letters, letter);
  return dims;
}

/// The elements of a dense attribute of i64; ones if it is missing.
static IrShape windowAttr(MlirOperation op, const char *name, intptr_t rank) {
  MlirAttribute attribute = irGetAttr(op, name);
  IrShape list = {.rank = rank};
  for (intptr_t i = 0; i < rank; ++i)
    list.dims[i] = mlirAttributeIsNull(attribute) ? 1 : mlirDenseElementsAttrGetInt64Value(attribute, i);
  return list;
}

/// A filter of depthwise convolutions with its channels as output features, and one input feature.
static MlirValue depthwiseFilter(IrBuilder *b, MlirValue filter, const char *letters, char *withFeature) {
  IrShape shape = irShapeOf(filter);
  int64_t channel = positionOf(letters, 'g');
  IrShape result = {.rank = shape.rank + 1};
  for (intptr_t i = 0, k = 0; i < result.rank; ++i) {
    bool isNew = i == channel + 1;
    withFeature[i] = isNew ? 'i' : letters[k] == 'g' ? 'o' : letters[k];
    result.dims[i] = isNew ? 1 : shape.dims[k];
    k += !isNew;
  }
  withFeature[result.rank] = '\0';
  return tgReshape(b, filter, tgWithShape(mlirValueGetType(filter), result));
}

static bool convertConvolution(IrBuilder *b, MlirOperation op, const Convolution *c, MlirValue *result) {
  MlirValue image = irOperand(op, 0), filter = irOperand(op, 1), output = irOperand(op, 2);
  char filterLetters[8];
  strcpy(filterLetters, c->filter);
  bool isDepthwise = positionOf(c->filter, 'g') >= 0;
  MlirType type = mlirValueGetType(output), element = irElementType(type);
  bool isWidened = !mlirTypeEqual(irElementTypeOf(image), element);
  if (!mlirTypeEqual(irElementTypeOf(image), irElementTypeOf(filter)) || (isWidened && !irIsFloat(element)))
    return false;
  if (isWidened) {
    image = tgConvert(b, image, element);
    filter = tgConvert(b, filter, element);
  }
  if (isDepthwise)
    filter = depthwiseFilter(b, filter, c->filter, filterLetters);
  IrShape spatial[3] = {spatialOf(c->image), spatialOf(filterLetters), spatialOf(c->result)}, zeros = {0}, ones = {0};
  intptr_t rank = zeros.rank = ones.rank = spatial[0].rank;
  for (intptr_t i = 0; i < rank; ++i)
    ones.dims[i] = 1;
  IrShape strides = windowAttr(op, "strides", rank), dilations = windowAttr(op, "dilations", rank);
  int64_t groups = isDepthwise ? irShapeOf(image).dims[positionOf(c->image, 'f')] : 1;
  MlirValue value =
      irValueOf(b, "tg.convolution", IR_VALUES(image, filter), type,
                IR_ATTRS(irI64(b, "input_batch_dimension", positionOf(c->image, 'b')),
                         irI64(b, "input_feature_dimension", positionOf(c->image, 'f')),
                         irDims(b, "input_spatial_dimensions", rank, spatial[0].dims),
                         irI64(b, "kernel_input_feature_dimension", positionOf(filterLetters, 'i')),
                         irI64(b, "kernel_output_feature_dimension", positionOf(filterLetters, 'o')),
                         irDims(b, "kernel_spatial_dimensions", rank, spatial[1].dims),
                         irI64(b, "output_batch_dimension", positionOf(c->result, 'b')),
                         irI64(b, "output_feature_dimension", positionOf(c->result, 'f')),
                         irDims(b, "output_spatial_dimensions", rank, spatial[2].dims),
                         irDims(b, "window_strides", rank, strides.dims), irDims(b, "padding_low", rank, zeros.dims),
                         irDims(b, "padding_high", rank, zeros.dims), irDims(b, "lhs_dilation", rank, ones.dims),
                         irDims(b, "rhs_dilation", rank, dilations.dims), irI64(b, "feature_group_count", groups),
                         irI64(b, "batch_group_count", 1)));
  *result = linalgCombine(b, TG_REDUCE_ADD, output, value);
  return true;
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

typedef struct {
  const char *op, *image;
  TgReduceKind kind;
} Pooling;

static const Pooling poolings[] = {
    {"linalg.pooling_nchw_max", "bf01", TG_REDUCE_MAX},   {"linalg.pooling_nchw_sum", "bf01", TG_REDUCE_ADD},
    {"linalg.pooling_ncw_max", "bf0", TG_REDUCE_MAX},     {"linalg.pooling_ncw_sum", "bf0", TG_REDUCE_ADD},
    {"linalg.pooling_ndhwc_max", "b012f", TG_REDUCE_MAX}, {"linalg.pooling_ndhwc_min", "b012f", TG_REDUCE_MIN},
    {"linalg.pooling_ndhwc_sum", "b012f", TG_REDUCE_ADD}, {"linalg.pooling_nhwc_max", "b01f", TG_REDUCE_MAX},
    {"linalg.pooling_nhwc_min", "b01f", TG_REDUCE_MIN},   {"linalg.pooling_nhwc_sum", "b01f", TG_REDUCE_ADD},
    {"linalg.pooling_nwc_max", "b0f", TG_REDUCE_MAX},     {"linalg.pooling_nwc_min", "b0f", TG_REDUCE_MIN},
    {"linalg.pooling_nwc_sum", "b0f", TG_REDUCE_ADD},
};

static bool convertPooling(IrBuilder *b, MlirOperation op, const Pooling *p, MlirValue *result) {
  MlirValue image = irOperand(op, 0), output = irOperand(op, 2);
  if (!mlirTypeEqual(irElementTypeOf(image), irElementTypeOf(output)))
    return false;
  IrShape spatial = spatialOf(p->image), size = irShapeOf(irOperand(op, 1));
  IrShape strides = windowAttr(op, "strides", spatial.rank), dilations = windowAttr(op, "dilations", spatial.rank);
  intptr_t rank = irShapeOf(image).rank;
  IrShape window[4] = {{.rank = rank}, {.rank = rank}, {.rank = rank}, {.rank = rank}}, zeros = {.rank = rank};
  for (int k = 0; k < 4; ++k)
    for (intptr_t i = 0; i < rank; ++i)
      window[k].dims[i] = 1;
  for (intptr_t i = 0; i < spatial.rank; ++i) {
    window[0].dims[spatial.dims[i]] = size.dims[i];
    window[1].dims[spatial.dims[i]] = strides.dims[i];
    window[3].dims[spatial.dims[i]] = dilations.dims[i];
  }
  MlirValue value = irValueOf(
      b, "tg.reduce_window", IR_VALUES(image), mlirValueGetType(output),
      IR_ATTRS(irI32(b, "kind", p->kind), irDims(b, "window_dimensions", rank, window[0].dims),
               irDims(b, "window_strides", rank, window[1].dims), irDims(b, "base_dilations", rank, window[2].dims),
               irDims(b, "window_dilations", rank, window[3].dims), irDims(b, "padding_low", rank, zeros.dims),
               irDims(b, "padding_high", rank, zeros.dims)));
  *result = linalgCombine(b, p->kind, output, value);
  return true;
}

bool linalgConvertWindow(IrBuilder *b, MlirOperation op, MlirValue *results) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!linalgIsTensor(mlirValueGetType(irOperand(op, i))))
      return false;
  for (size_t i = 0; i < sizeof(convolutions) / sizeof(convolutions[0]); ++i)
    if (irOpIs(op, convolutions[i].op))
      return convertConvolution(b, op, &convolutions[i], results);
  for (size_t i = 0; i < sizeof(poolings) / sizeof(poolings[0]); ++i)
    if (irOpIs(op, poolings[i].op))
      return convertPooling(b, op, &poolings[i], results);
  return false;
}
