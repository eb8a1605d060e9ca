//===- linalg_convolution.c - convolutions and pooling --------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions over windows: an input has dimensions `stride * p + dilation * w` of a parallel loop p and a reduced one
// w.
//
//===----------------------------------------------------------------------===//

#include "ir/mlir/query.h"
#include "lowering/import/linalg_to_tg/linalg_conversion.h"

/// The windows of an input, in the order of its dimensions.
typedef struct {
  intptr_t count;
  int64_t position[IR_MAX_RANK];                    ///< of the input's dimension
  int64_t place[IR_MAX_RANK], element[IR_MAX_RANK]; ///< dimensions of the iteration space: p and w
  int64_t stride[IR_MAX_RANK], dilation[IR_MAX_RANK];
} InputWindows;

/// False if a dimension of the input is neither a loop of its own nor one of windows, or if there are no windows.
static bool readWindows(const LinalgGeneric *g, intptr_t input, InputWindows *windows) {
  intptr_t rank = irShapeOf(g->operands[input]).rank;
  bool seen[IR_MAX_RANK] = {false};
  LinalgLinear linear;
  *windows = (InputWindows){0};
  for (intptr_t i = 0; i < rank; ++i) {
    if (!linalgReadLinear(g, input, i, &linear) || linear.constant || linear.count < 1 || linear.count > 2)
      return false;
    for (intptr_t k = 0; k < linear.count; ++k) {
      if (seen[linear.dims[k]] || linear.coefficients[linear.dims[k]] < 1)
        return false;
      seen[linear.dims[k]] = true;
    }
    if (linear.count == 1 && linear.coefficients[linear.dims[0]] == 1)
      continue;
    bool isReduced = g->isReduction[linear.dims[0]]; // which of the two is reduced
    if (linear.count == 1 || isReduced == g->isReduction[linear.dims[1]])
      return false;
    intptr_t k = windows->count++;
    windows->position[k] = i;
    windows->place[k] = linear.dims[isReduced ? 1 : 0];
    windows->element[k] = linear.dims[isReduced ? 0 : 1];
    windows->stride[k] = linear.coefficients[windows->place[k]];
    windows->dilation[k] = linear.coefficients[windows->element[k]];
  }
  return windows->count > 0;
}

/// The first elements of an input along its windows' dimensions, as many as the windows have.
static MlirValue coveredByWindows(IrBuilder *b, const LinalgGeneric *g, const InputWindows *windows, MlirValue value) {
  for (intptr_t k = 0; k < windows->count; ++k) {
    int64_t size = (g->sizes.dims[windows->place[k]] - 1) * windows->stride[k] +
                   (g->sizes.dims[windows->element[k]] - 1) * windows->dilation[k] + 1;
    if (size < irShapeOf(value).dims[windows->position[k]])
      value = tgSlice(b, value, windows->position[k], 0, size);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Dimensions of the iteration space by their roles.
typedef struct {
  intptr_t image, filter; ///< the inputs' numbers
  InputWindows windows;
  IrShape batch, group, input, output; ///< group: channels that image, filter and result have
} LinalgConvolution;

/// False if a dimension is none of these.
static bool sortDimensions(const LinalgGeneric *g, LinalgConvolution *c) {
  for (int64_t dim = 0; dim < g->numDims; ++dim) {
    bool inImage = linalgPositionOf(g, c->image, dim) >= 0, inFilter = linalgPositionOf(g, c->filter, dim) >= 0;
    bool isPlace = false, isElement = false;
    for (intptr_t k = 0; k < c->windows.count; ++k) {
      isPlace = isPlace || c->windows.place[k] == dim;
      isElement = isElement || c->windows.element[k] == dim;
    }
    if (isPlace || isElement) {
      if (inFilter != isElement)
        return false;
    } else if (g->isReduction[dim]) {
      if (!inImage || !inFilter)
        return false;
      irAppendDim(&c->input, dim);
    } else {
      if (!inImage && !inFilter)
        return false;
      irAppendDim(inImage && inFilter ? &c->group : inImage ? &c->batch : &c->output, dim);
    }
  }
  intptr_t rank = irShapeOf(g->operands[c->filter]).rank;
  for (intptr_t i = 0; i < rank; ++i)
    if (g->maps[c->filter][i] < 0)
      return false;
  return true;
}

static int64_t sizeOf(const LinalgGeneric *g, IrShape dims) {
  int64_t size = 1;
  for (intptr_t i = 0; i < dims.rank; ++i)
    size *= g->sizes.dims[dims.dims[i]];
  return size;
}

/// An operand as tg.convolution takes it, and which of its dimensions are the first (batch or input feature), the
/// second (feature or output feature), and spatial.
typedef struct {
  MlirValue value;
  int64_t first, second;
  IrShape spatial;
} ConvolutionSide;

/// Gives the operand one more dimension, of one element, in front of dimension `at`.
static void insertOne(ConvolutionSide *side, IrShape *shape, intptr_t at) {
  for (intptr_t i = shape->rank++; i > at; --i)
    shape->dims[i] = shape->dims[i - 1];
  shape->dims[at] = 1;
  for (intptr_t i = 0; i < side->spatial.rank; ++i)
    side->spatial.dims[i] += side->spatial.dims[i] >= at;
}

/// `lists` are the dimensions of the iteration space that become the first one and the second one. Where there is at
/// most one for each they stay where they are, and for none there is one of one element behind the other, or at the
/// end. Else they are transposed to be neighbours.
static void bringTogether(IrBuilder *b, const LinalgGeneric *g, intptr_t operand, const IrShape lists[2],
                          ConvolutionSide *side) {
  int64_t *numbers[] = {&side->first, &side->second};
  IrShape shape = irShapeOf(side->value);
  if (lists[0].rank <= 1 && lists[1].rank <= 1) {
    for (int k = 0; k < 2; ++k)
      *numbers[k] = lists[k].rank ? linalgPositionOf(g, operand, lists[k].dims[0]) : -1;
    for (int k = 0; k < 2; ++k)
      if (!lists[k].rank) {
        *numbers[k] = *numbers[1 - k] < 0 ? shape.rank : *numbers[1 - k] + 1;
        insertOne(side, &shape, *numbers[k]);
      }
    side->value = tgReshape(b, side->value, tgWithShape(mlirValueGetType(side->value), shape));
    return;
  }
  int64_t order[IR_MAX_RANK], count = 0;
  shape = (IrShape){.rank = 2, .dims = {sizeOf(g, lists[0]), sizeOf(g, lists[1])}};
  for (int k = 0; k < 2; ++k) {
    *numbers[k] = k;
    for (intptr_t i = 0; i < lists[k].rank; ++i)
      order[count++] = linalgPositionOf(g, operand, lists[k].dims[i]);
  }
  for (intptr_t i = 0; i < side->spatial.rank; ++i) {
    order[count++] = side->spatial.dims[i];
    irAppendDim(&shape, irShapeOf(side->value).dims[side->spatial.dims[i]]);
    side->spatial.dims[i] = 2 + i;
  }
  side->value = linalgTranspose(b, side->value, order);
  side->value = tgReshape(b, side->value, tgWithShape(mlirValueGetType(side->value), shape));
}

static IrShape joined(IrShape a, IrShape b) {
  for (intptr_t i = 0; i < b.rank; ++i)
    irAppendDim(&a, b.dims[i]);
  return a;
}

/// The position of a dimension among the parallel ones.
static int64_t positionInResult(const LinalgGeneric *g, int64_t dim) {
  int64_t position = 0;
  for (int64_t i = 0; i < dim; ++i)
    position += !g->isReduction[i];
  return position;
}

static IrShape sizesOf(const LinalgGeneric *g, IrShape dims) {
  IrShape shape = {0};
  for (intptr_t i = 0; i < dims.rank; ++i)
    irAppendDim(&shape, g->sizes.dims[dims.dims[i]]);
  return shape;
}

/// The dimensions of the result as tg.convolution gives it, and its shape: as operands have them; where several become
/// one, batch, feature and places.
static IrShape placeResult(const LinalgGeneric *g, const LinalgConvolution *c, ConvolutionSide *result) {
  IrShape places = {.rank = c->windows.count}, feature = joined(c->group, c->output), shape = {0};
  IrShape lists[] = {c->batch, feature};
  int64_t *numbers[] = {&result->first, &result->second};
  result->spatial = places;
  for (intptr_t k = 0; k < places.rank; ++k) {
    places.dims[k] = c->windows.place[k];
    result->spatial.dims[k] = positionInResult(g, places.dims[k]);
  }
  if (c->batch.rank <= 1 && feature.rank <= 1) {
    for (int64_t dim = 0; dim < g->numDims; ++dim)
      if (!g->isReduction[dim])
        irAppendDim(&shape, g->sizes.dims[dim]);
    for (int k = 0; k < 2; ++k) {
      *numbers[k] = lists[k].rank ? positionInResult(g, lists[k].dims[0]) : shape.rank;
      if (!lists[k].rank)
        irAppendDim(&shape, 1);
    }
    return shape;
  }
  for (int k = 0; k < 2; ++k) {
    *numbers[k] = k;
    irAppendDim(&shape, sizeOf(g, lists[k]));
  }
  for (intptr_t k = 0; k < places.rank; ++k) {
    result->spatial.dims[k] = 2 + k;
    irAppendDim(&shape, g->sizes.dims[places.dims[k]]);
  }
  return shape;
}

/// The result with all parallel dimensions, in ascending order.
static MlirValue inOrder(IrBuilder *b, const LinalgGeneric *g, const LinalgConvolution *c, MlirValue value) {
  IrShape feature = joined(c->group, c->output), dims = joined(c->batch, feature), ascending = {0};
  for (intptr_t k = 0; k < c->windows.count; ++k)
    irAppendDim(&dims, c->windows.place[k]);
  for (int64_t dim = 0; dim < g->numDims; ++dim)
    if (!g->isReduction[dim])
      irAppendDim(&ascending, dim);
  bool isInOrder = c->batch.rank <= 1 && feature.rank <= 1;
  value = tgReshape(b, value, tgWithShape(mlirValueGetType(value), sizesOf(g, isInOrder ? ascending : dims)));
  int64_t order[IR_MAX_RANK];
  for (intptr_t i = 0; i < ascending.rank; ++i)
    for (intptr_t k = 0; k < dims.rank; ++k)
      if (dims.dims[k] == ascending.dims[i])
        order[i] = k;
  return isInOrder ? value : linalgTranspose(b, value, order);
}

/// Zeros around the image, along dimensions of windows alone, are the convolution's own padding: `low` and `high` for
/// each of these. The image without them.
static MlirValue takePadding(const InputWindows *windows, MlirValue image, IrShape *low, IrShape *high) {
  MlirOperation pad = irDefiningOp(image);
  *low = *high = (IrShape){.rank = windows->count};
  if (mlirOperationIsNull(pad) || tgKindOf(pad) != TG_pad || !linalgIsZero(irOperand(pad, 1)))
    return image;
  IrShape lows = irGetDims(pad, "low"), highs = irGetDims(pad, "high"), interior = irGetDims(pad, "interior");
  for (intptr_t k = 0; k < windows->count; ++k) {
    intptr_t i = windows->position[k];
    low->dims[k] = lows.dims[i];
    high->dims[k] = highs.dims[i];
    lows.dims[i] = highs.dims[i] = 0;
  }
  bool isOther = false;
  for (intptr_t i = 0; i < lows.rank; ++i)
    isOther = isOther || lows.dims[i] || highs.dims[i] || interior.dims[i];
  for (intptr_t k = 0; k < windows->count; ++k)
    isOther = isOther || low->dims[k] < 0 || high->dims[k] < 0;
  if (isOther)
    *low = *high = (IrShape){.rank = windows->count};
  return isOther ? image : irOperand(pad, 0);
}

static MlirValue createConvolution(IrBuilder *b, const LinalgGeneric *g, const LinalgConvolution *c,
                                   MlirValue imageValue, MlirValue filterValue) {
  intptr_t rank = c->windows.count;
  IrShape low, high, ones = {.rank = rank};
  ConvolutionSide image = {.value = takePadding(&c->windows, imageValue, &low, &high)}, filter = {.value = filterValue};
  ConvolutionSide result = {.value = {NULL}};
  for (intptr_t k = 0; k < rank; ++k) {
    irAppendDim(&image.spatial, c->windows.position[k]);
    irAppendDim(&filter.spatial, linalgPositionOf(g, c->filter, c->windows.element[k]));
    ones.dims[k] = 1;
  }
  bringTogether(b, g, c->image, (IrShape[]){c->batch, joined(c->group, c->input)}, &image);
  bringTogether(b, g, c->filter, (IrShape[]){c->input, joined(c->group, c->output)}, &filter);
  IrShape shape = placeResult(g, c, &result);
  MlirValue value = irValueOf(
      b, "tg.convolution", IR_VALUES(image.value, filter.value), tgWithShape(mlirValueGetType(image.value), shape),
      IR_ATTRS(irI64(b, "input_batch_dimension", image.first), irI64(b, "input_feature_dimension", image.second),
               irDims(b, "input_spatial_dimensions", rank, image.spatial.dims),
               irI64(b, "kernel_input_feature_dimension", filter.first),
               irI64(b, "kernel_output_feature_dimension", filter.second),
               irDims(b, "kernel_spatial_dimensions", rank, filter.spatial.dims),
               irI64(b, "output_batch_dimension", result.first), irI64(b, "output_feature_dimension", result.second),
               irDims(b, "output_spatial_dimensions", rank, result.spatial.dims),
               irDims(b, "window_strides", rank, c->windows.stride), irDims(b, "padding_low", rank, low.dims),
               irDims(b, "padding_high", rank, high.dims), irDims(b, "lhs_dilation", rank, ones.dims),
               irDims(b, "rhs_dilation", rank, c->windows.dilation),
               irI64(b, "feature_group_count", sizeOf(g, c->group)), irI64(b, "batch_group_count", 1)));
  return inOrder(b, g, c, value);
}

MlirValue linalgConvolution(IrBuilder *b, const LinalgGeneric *g, MlirValue summed, MlirType element) {
  const MlirValue none = {NULL};
  MlirOperation product = irDefiningOp(summed);
  if (mlirOperationIsNull(product) || !linalgIsProduct(product))
    return none;
  MlirValue factors[2] = {irOperand(product, 0), irOperand(product, 1)};
  LinalgConvolution c = {.image = linalgInputOf(g, factors[0]), .filter = linalgInputOf(g, factors[1])};
  if (c.image < 0 || c.filter < 0 || c.image == c.filter)
    return none;
  if (!readWindows(g, c.image, &c.windows)) { // the other factor may be the image
    c = (LinalgConvolution){.image = c.filter, .filter = c.image};
    factors[0] = factors[1];
    factors[1] = irOperand(product, 0);
    if (!readWindows(g, c.image, &c.windows))
      return none;
  }
  if (!sortDimensions(g, &c))
    return none;
  MlirValue image = linalgOfInput(g, b, factors[0], c.image), filter = linalgOfInput(g, b, factors[1], c.filter);
  if (mlirValueIsNull(image) || mlirValueIsNull(filter) || !mlirTypeEqual(irElementTypeOf(image), element))
    return none;
  return createConvolution(b, g, &c, coveredByWindows(b, g, &c.windows, image), filter);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Whether all loops are in the input: windows, and parallel ones.
static bool areLoopsOf(const LinalgGeneric *g, intptr_t input, const InputWindows *windows) {
  for (int64_t dim = 0; dim < g->numDims; ++dim) {
    bool isIn = linalgPositionOf(g, input, dim) >= 0 && !g->isReduction[dim];
    for (intptr_t k = 0; k < windows->count; ++k)
      isIn = isIn || windows->place[k] == dim || windows->element[k] == dim;
    if (!isIn)
      return false;
  }
  return true;
}

MlirValue linalgPooling(IrBuilder *b, const LinalgGeneric *g, MlirValue combined, LinalgCombiner combiner) {
  const MlirValue none = {NULL};
  InputWindows windows;
  intptr_t input = linalgInputOf(g, combined);
  if (input < 0 || !readWindows(g, input, &windows) || !areLoopsOf(g, input, &windows))
    return none;
  MlirValue value = linalgOfInput(g, b, combined, input);
  if (mlirValueIsNull(value))
    return none;
  value = coveredByWindows(b, g, &windows, linalgRead(b, value, combiner));
  intptr_t rank = irShapeOf(value).rank;
  IrShape sizes = {.rank = rank}, strides, dilations, zeros = {.rank = rank}, ones, shape = irShapeOf(value),
          dims = {0};
  for (intptr_t i = 0; i < rank; ++i)
    sizes.dims[i] = 1;
  strides = dilations = ones = sizes;
  for (intptr_t k = 0; k < windows.count; ++k) {
    intptr_t i = windows.position[k];
    sizes.dims[i] = g->sizes.dims[windows.element[k]];
    strides.dims[i] = windows.stride[k];
    dilations.dims[i] = windows.dilation[k];
    shape.dims[i] = g->sizes.dims[windows.place[k]];
  }
  for (intptr_t i = 0, k = 0; i < rank; ++i)
    irAppendDim(&dims, k < windows.count && windows.position[k] == i ? windows.place[k++] : g->maps[input][i]);
  value =
      irValueOf(b, "tg.reduce_window", IR_VALUES(value), tgWithShape(mlirValueGetType(value), shape),
                IR_ATTRS(irI32(b, "kind", combiner.kind), irDims(b, "window_dimensions", rank, sizes.dims),
                         irDims(b, "window_strides", rank, strides.dims), irDims(b, "base_dilations", rank, ones.dims),
                         irDims(b, "window_dilations", rank, dilations.dims),
                         irDims(b, "padding_low", rank, zeros.dims), irDims(b, "padding_high", rank, zeros.dims)));
  int64_t order[IR_MAX_RANK], count = 0;
  for (int64_t dim = 0; dim < g->numDims; ++dim)
    for (intptr_t i = 0; i < rank; ++i)
      if (dims.dims[i] == dim)
        order[count++] = i;
  return linalgTranspose(b, value, order);
}
