//===- convolution.c - convolution ---------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the terms of the StableHLO specification: loops over the result (batch, feature, spatial dimensions), and for each
// element over the kernel's input features and spatial dimensions. With groups, the output feature says which part of
// the input features (feature_group_count) or of the batch (batch_group_count) is read.
//
//===----------------------------------------------------------------------===//

#include "lowering/reference/tg_to_linalg/body.h"
#include "lowering/reference/tg_to_linalg/loops.h"
#include "lowering/reference/tg_to_linalg/rules.h"

typedef struct {
  int64_t first, second; // batch and feature, or input and output feature
  IrShape spatial;
} Roles;

typedef struct {
  Roles input, kernel, output;
  IrShape lhs, rhs, result;
  Window window; // over the input's spatial dimensions
  int64_t featureGroups, batchGroups;
} Convolution;

static Roles rolesOf(MlirOperation op, const char *first, const char *second, const char *spatial) {
  return (Roles){irGetInt(op, first, 0), irGetInt(op, second, 0), irGetDims(op, spatial)};
}

static Convolution readConvolution(MlirOperation op) {
  Convolution c = {
      .input = rolesOf(op, "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"),
      .kernel =
          rolesOf(op, "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions"),
      .output = rolesOf(op, "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions"),
      .lhs = irShapeOf(irOperand(op, 0)),
      .rhs = irShapeOf(irOperand(op, 1)),
      .result = irShapeOf(irResult(op, 0)),
      .featureGroups = irGetInt(op, "feature_group_count", 1),
      .batchGroups = irGetInt(op, "batch_group_count", 1),
  };
  c.window = (Window){.strides = irGetDims(op, "window_strides"),
                      .low = irGetDims(op, "padding_low"),
                      .baseDilations = irGetDims(op, "lhs_dilation"),
                      .windowDilations = irGetDims(op, "rhs_dilation")};
  c.window.sizes.rank = c.input.spatial.rank;
  for (intptr_t d = 0; d < c.input.spatial.rank; ++d)
    c.window.sizes.dims[d] = c.lhs.dims[c.input.spatial.dims[d]];
  return c;
}

/// A number that counts `size` of them in each of several groups, given the group.
static MlirValue inGroup(IrBuilder *b, MlirValue group, int64_t size, MlirValue number) {
  return irAddI(b, irMulI(b, group, irConstantIndex(b, size)), number);
}

/// The position in the input's batch or feature dimension.
static MlirValue inputBatch(IrBuilder *b, const Convolution *c, const MlirValue *at) {
  int64_t outputs = c->result.dims[c->output.second] / c->batchGroups;
  MlirValue group = irDivUI(b, at[c->output.second], irConstantIndex(b, outputs > 0 ? outputs : 1));
  return inGroup(b, group, c->lhs.dims[c->input.first] / c->batchGroups, at[c->output.first]);
}

static MlirValue inputFeature(IrBuilder *b, const Convolution *c, const MlirValue *at, MlirValue kernelFeature) {
  int64_t outputs = c->result.dims[c->output.second] / c->featureGroups;
  MlirValue group = irDivUI(b, at[c->output.second], irConstantIndex(b, outputs > 0 ? outputs : 1));
  return inGroup(b, group, c->rhs.dims[c->kernel.first], kernelFeature);
}

/// The product of the input's element under the kernel's element `inner` (feature, spatial dimensions) with that, added
/// to `sum`. Padding and what dilation puts between the input's elements is zero, and zero times infinity NaN.
static MlirValue accumulate(const Lowering *l, IrBuilder *b, const Convolution *c, MlirType accumulator,
                            const MlirValue *at, const MlirValue *inner, MlirValue sum, const MlirValue *buffers) {
  MlirValue window[IR_MAX_RANK], place[IR_MAX_RANK], lhs[IR_MAX_RANK], rhs[IR_MAX_RANK];
  MlirAttribute reversal = irGetAttr(l->op, "window_reversal");
  for (intptr_t d = 0; d < c->window.sizes.rank; ++d) {
    int64_t kernelDim = c->kernel.spatial.dims[d];
    window[d] = at[c->output.spatial.dims[d]];
    rhs[kernelDim] = inner[1 + d];
    if (d < mlirDenseArrayGetNumElements(reversal) && mlirDenseBoolArrayGetElement(reversal, d))
      rhs[kernelDim] = irSubI(b, irConstantIndex(b, c->rhs.dims[kernelDim] - 1), inner[1 + d]);
  }
  MlirValue isElement = windowPosition(b, &c->window, window, inner + 1, place);
  MlirOperation choice = irIf(b, isElement, IR_TYPES(mlirValueGetType(sum)), true);
  IrBuilder inside = irBuilderAtEnd(irBody(choice, 0), b->loc);
  for (intptr_t d = 0; d < c->window.sizes.rank; ++d)
    lhs[c->input.spatial.dims[d]] = place[d];
  lhs[c->input.first] = inputBatch(&inside, c, at);
  lhs[c->input.second] = inputFeature(&inside, c, at, inner[0]);
  MlirValue element = loadElement(&inside, buffers[0], lhs);
  irYield(&inside, IR_VALUES(scalarConvert(&inside, element, operandElementType(l, 0), accumulator)));
  IrBuilder outside = irBuilderAtEnd(irBody(choice, 1), b->loc);
  irYield(&outside, IR_VALUES(scalarZero(&outside, accumulator)));
  rhs[c->kernel.first] = inner[0];
  rhs[c->kernel.second] = at[c->output.second];
  MlirValue y = scalarConvert(b, loadElement(b, buffers[1], rhs), operandElementType(l, 1), accumulator);
  MlirValue product = scalarCombine(b, TG_mul, accumulator, irResult(choice, 0), y);
  return scalarCombine(b, TG_add, accumulator, sum, product);
}

MlirValue lowerConvolution(const Lowering *l) {
  MlirType element = resultElementType(l), type = resultStorageType(l, 0);
  MlirType accumulator = accumulatorType(TG_add, element);
  bool isFloat = irIsFloat(element);
  if (irIsFloat(operandElementType(l, 0)) != isFloat || irIsFloat(operandElementType(l, 1)) != isFloat)
    return (MlirValue){NULL};
  Convolution c = readConvolution(l->op);
  MlirValue buffers[2] = {operandBuffer(l, 0), operandBuffer(l, 1)}, result = newBuffer(l->b, type);
  IrShape kernel = {1 + c.kernel.spatial.rank, {c.rhs.dims[c.kernel.first]}};
  for (intptr_t d = 0; d < c.kernel.spatial.rank; ++d)
    kernel.dims[1 + d] = c.rhs.dims[c.kernel.spatial.dims[d]];

  LoopNest elements, products;
  beginLoops(l->b, &elements, c.result, IR_NO_VALUES);
  beginLoops(&elements.body, &products, kernel, IR_VALUES(scalarZero(&elements.body, accumulator)));
  MlirValue sum =
      accumulate(l, &products.body, &c, accumulator, elements.index, products.index, products.carried[0], buffers);
  endLoops(&products, IR_VALUES(sum));
  MlirValue rounded = scalarConvert(&elements.body, irResult(products.loops[0], 0), accumulator, element);
  storeElement(&elements.body, rounded, result, elements.index);
  endLoops(&elements, IR_NO_VALUES);
  return bufferContents(l->b, result, type);
}
