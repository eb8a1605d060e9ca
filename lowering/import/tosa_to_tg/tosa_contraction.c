//===- tosa_contraction.c - matrix products and convolutions --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes matrix products and convolutions of TOSA. Leaves tg.dot and tg.convolution on operands without their zero
// points, and the bias as an addition.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

/// Operand `i` minus its zero point, in the type in which products are summed; floats as they are.
static bool zeroBased(TosaConversion *c, intptr_t i, intptr_t zeroPoint, MlirType accumulator, MlirValue *value) {
  int64_t zero;
  *value = tosaOperand(c, i);
  if (!tosaZeroPoint(c, zeroPoint, &zero))
    return false;
  if (irIsFloat(irElementTypeOf(*value)))
    return true;
  if (!irIsInteger(accumulator) || mlirIntegerTypeGetWidth(accumulator) < 32)
    return tosaFail(c, "integers are accumulated in i32 and i48 only");
  *value = tosaConvert(c, *value, accumulator);
  if (zero != 0)
    *value = tosaBinary(c, "tg.sub", *value, tosaSplatInt(c, mlirValueGetType(*value), zero));
  return true;
}

/// [N, H, C] x [N, C, W] -> [N, H, W]
bool tosaConvertMatmul(TosaConversion *c) {
  MlirType element = irElementType(tosaResultType(c, 0));
  MlirValue lhs, rhs;
  if (!zeroBased(c, 0, 2, element, &lhs) || !zeroBased(c, 1, 3, element, &rhs))
    return false;
  IrShape first = {1, {0}}, second = {1, {1}}, third = {1, {2}};
  return tosaReplaceBy(c, IR_VALUES(lhs, rhs),
                       IR_ATTRS(tosaDims(c, "lhs_batch", &first), tosaDims(c, "rhs_batch", &first),
                                tosaDims(c, "lhs_contract", &third), tosaDims(c, "rhs_contract", &second)));
}

//===----------------------------------------------------------------------===//
// Convolutions: the dimensions of input and output are batch, spatial ones, features
//===----------------------------------------------------------------------===//

typedef struct {
  MlirValue input, kernel;
  int64_t kernelInput, kernelOutput; ///< dimensions of `kernel`; the others are spatial, in order
  IrShape strides, low, high, inputDilation, kernelDilation;
  int64_t groups;
  bool reverses; ///< the kernel
} TosaConvolution;

static bool readOperands(TosaConversion *c, TosaConvolution *v) {
  MlirType accumulator = mlirTypeAttrGetValue(irGetAttr(c->op, "acc_type"));
  return zeroBased(c, 0, 3, accumulator, &v->input) && zeroBased(c, 1, 4, accumulator, &v->kernel);
}

/// `pad` is low and high of each spatial dimension in turn.
static void readWindow(TosaConversion *c, TosaConvolution *v) {
  v->strides = irGetDims(c->op, "stride");
  intptr_t rank = v->strides.rank;
  IrShape pad = irGetDims(c->op, "pad");
  v->low.rank = v->high.rank = rank;
  for (intptr_t i = 0; i < rank; ++i) {
    v->low.dims[i] = pad.dims[2 * i];
    v->high.dims[i] = pad.dims[2 * i + 1];
  }
  v->kernelDilation = irGetDims(c->op, "dilation");
  v->inputDilation = tosaRepeat(rank, 1);
}

static IrShape kernelSpatialDims(const TosaConvolution *v) {
  IrShape dims = {0}, shape = irShapeOf(v->kernel);
  for (intptr_t i = 0; i < shape.rank; ++i)
    if (i != v->kernelInput && i != v->kernelOutput)
      dims.dims[dims.rank++] = i;
  return dims;
}

/// The convolution, then the bias: one for all output features, or one for each.
static bool replaceByConvolution(TosaConversion *c, const TosaConvolution *v) {
  MlirType type = tosaResultType(c, 0);
  IrShape shape = irTypeShape(type), kernelSpatial = kernelSpatialDims(v), spatial = {.rank = shape.rank - 2};
  int reversal[IR_MAX_RANK];
  for (intptr_t i = 0; i < spatial.rank; ++i) {
    spatial.dims[i] = i + 1;
    reversal[i] = v->reverses;
  }
  int64_t feature = shape.rank - 1;
  MlirValue sum = irValueOf(
      &c->b, c->rule->to, IR_VALUES(v->input, v->kernel), type,
      IR_ATTRS(irI64(&c->b, "input_batch_dimension", 0), irI64(&c->b, "input_feature_dimension", feature),
               tosaDims(c, "input_spatial_dimensions", &spatial),
               irI64(&c->b, "kernel_input_feature_dimension", v->kernelInput),
               irI64(&c->b, "kernel_output_feature_dimension", v->kernelOutput),
               tosaDims(c, "kernel_spatial_dimensions", &kernelSpatial), irI64(&c->b, "output_batch_dimension", 0),
               irI64(&c->b, "output_feature_dimension", feature), tosaDims(c, "output_spatial_dimensions", &spatial),
               tosaDims(c, "window_strides", &v->strides), tosaDims(c, "padding_low", &v->low),
               tosaDims(c, "padding_high", &v->high), tosaDims(c, "lhs_dilation", &v->inputDilation),
               tosaDims(c, "rhs_dilation", &v->kernelDilation),
               irAttr(&c->b, "window_reversal", mlirDenseBoolArrayGet(c->b.context, spatial.rank, reversal)),
               irI64(&c->b, "feature_group_count", v->groups), irI64(&c->b, "batch_group_count", 1)));
  MlirValue bias = tosaBroadcastTo(c, tosaConvert(c, tosaOperand(c, 2), irElementType(type)), shape);
  return !mlirValueIsNull(bias) && tosaReplaceResult(c, 0, tosaBinary(c, "tg.add", sum, bias));
}

/// The kernel is [output feature, spatial dimensions, input feature].
bool tosaConvertConv(TosaConversion *c) {
  TosaConvolution v = {.kernelInput = irShapeOf(tosaOperand(c, 1)).rank - 1, .kernelOutput = 0, .groups = 1};
  if (!readOperands(c, &v))
    return false;
  readWindow(c, &v);
  return replaceByConvolution(c, &v);
}

/// The kernel is [height, width, C, M]; output feature c * M + m comes from input feature c alone.
bool tosaConvertDepthwiseConv2d(TosaConversion *c) {
  TosaConvolution v = {.kernelInput = 2, .kernelOutput = 3};
  if (!readOperands(c, &v))
    return false;
  IrShape kernel = irShapeOf(v.kernel),
          grouped = {4, {kernel.dims[0], kernel.dims[1], 1, kernel.dims[2] * kernel.dims[3]}};
  v.kernel = tosaReshape(c, v.kernel, grouped);
  v.groups = kernel.dims[2];
  readWindow(c, &v);
  return replaceByConvolution(c, &v);
}

/// The input with `stride - 1` zeros between its elements, under the reversed kernel. The kernel is [output feature,
/// height, width, input feature]; `out_pad` is added to (or cut from) the output.
bool tosaConvertTransposeConv2d(TosaConversion *c) {
  TosaConvolution v = {.kernelInput = 3, .kernelOutput = 0, .groups = 1, .reverses = true};
  if (!readOperands(c, &v))
    return false;
  IrShape kernel = irShapeOf(v.kernel), pad = irGetDims(c->op, "out_pad");
  v.inputDilation = irGetDims(c->op, "stride");
  v.strides = v.kernelDilation = tosaRepeat(2, 1);
  v.low = (IrShape){2, {kernel.dims[1] - 1 + pad.dims[0], kernel.dims[2] - 1 + pad.dims[2]}};
  v.high = (IrShape){2, {kernel.dims[1] - 1 + pad.dims[1], kernel.dims[2] - 1 + pad.dims[3]}};
  return replaceByConvolution(c, &v);
}
