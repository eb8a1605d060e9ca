//===- hlo_contraction.c - matrix products and convolutions ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes dot_general, dot and convolution of StableHLO. Leaves tg.dot and tg.convolution with the precision that the
// algorithm or the precision config asks for (docs/precision.md).
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/graph/tg.h"
#include "ir/mlir/query.h"

#include <string.h>

/// One product, of operands that are rounded to TF32 and summed in f32: not X3, three of such.
static bool isTf32(const char *algorithm) {
  return hloFieldIs(algorithm, "lhs_precision_type", "tf32") && hloFieldIs(algorithm, "rhs_precision_type", "tf32") &&
         hloFieldIs(algorithm, "accumulation_type", "f32") && hloIntField(algorithm, "lhs_component_count", 1) == 1 &&
         hloIntField(algorithm, "rhs_component_count", 1) == 1 &&
         hloIntField(algorithm, "num_primitive_operations", 1) == 1;
}

/// Other types hold no more than TF32, or are computed as they are.
static bool isOfF32(HloConversion *c) {
  return mlirTypeIsAF32(irElementTypeOf(hloOperand(c, 0))) && mlirTypeIsAF32(irElementTypeOf(hloOperand(c, 1))) &&
         mlirTypeIsAF32(irElementType(hloResultType(c, 0)));
}

intptr_t hloPrecision(HloConversion *c, MlirNamedAttribute *attribute) {
  const char *algorithm = hloAttrText(c, "algorithm"), *precisions = hloAttrText(c, "precision_config");
  bool isHigh = strstr(precisions, "HIGH") != NULL; // or HIGHEST
  if (!isOfF32(c) || (!*algorithm && !isHigh))
    return 0;
  TgPrecision precision = !isHigh && isTf32(algorithm) ? TG_PRECISION_TF32 : TG_PRECISION_FULL;
  *attribute = irI32(&c->b, "precision", precision);
  return 1;
}

static bool replaceByDot(HloConversion *c, const IrShape *lhsBatch, const IrShape *rhsBatch, const IrShape *lhsContract,
                         const IrShape *rhsContract) {
  enum { DIMS = 4 };
  MlirNamedAttribute attributes[DIMS + 1] = {hloDims(c, "lhs_batch", lhsBatch), hloDims(c, "rhs_batch", rhsBatch),
                                             hloDims(c, "lhs_contract", lhsContract),
                                             hloDims(c, "rhs_contract", rhsContract)};
  intptr_t count = DIMS + hloPrecision(c, &attributes[DIMS]);
  return hloReplaceBy(c, hloOperandsFrom(c, 0), (IrAttrs){count, attributes});
}

bool hloConvertDotGeneral(HloConversion *c) {
  const char *text = hloAttrText(c, "dot_dimension_numbers");
  if (!*text)
    return hloFail(c, "attribute 'dot_dimension_numbers' is missing");
  IrShape lhsBatch, rhsBatch, lhsContract, rhsContract;
  return hloListField(c, text, "lhs_batching_dimensions", &lhsBatch) &&
         hloListField(c, text, "rhs_batching_dimensions", &rhsBatch) &&
         hloListField(c, text, "lhs_contracting_dimensions", &lhsContract) &&
         hloListField(c, text, "rhs_contracting_dimensions", &rhsContract) &&
         replaceByDot(c, &lhsBatch, &rhsBatch, &lhsContract, &rhsContract);
}

/// Contracts the lhs's last dimension with the rhs's first.
bool hloConvertDot(HloConversion *c) {
  IrShape lhs = irShapeOf(hloOperand(c, 0)), rhs = irShapeOf(hloOperand(c, 1));
  if (lhs.rank < 1 || lhs.rank > 2 || rhs.rank < 1 || rhs.rank > 2)
    return hloFail(c, "operands must be vectors or matrices");
  IrShape none = {0}, last = {1, {lhs.rank - 1}}, first = {1, {0}};
  return replaceByDot(c, &none, &none, &last, &first);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The attribute `window_reversal`, `count` times false if it is missing.
static bool windowReversal(HloConversion *c, intptr_t count, MlirAttribute *reversal) {
  int none[IR_MAX_RANK] = {0};
  *reversal = irGetAttr(c->op, "window_reversal");
  if (mlirAttributeIsNull(*reversal))
    *reversal = mlirDenseBoolArrayGet(c->b.context, count, none);
  return mlirAttributeIsADenseBoolArray(*reversal) ||
         hloFail(c, "attribute 'window_reversal' is not a list of booleans: %s", hloAttrText(c, "window_reversal"));
}

bool hloConvertConvolution(HloConversion *c) {
  HloConvolutionDims lhs, rhs, result;
  IrShape strides, low, high, lhsDilation, rhsDilation;
  int64_t features, batches;
  MlirAttribute reversal;
  if (!hloConvolutionDims(c, &lhs, &rhs, &result) || !hloIntAttr(c, "feature_group_count", &features) ||
      !hloIntAttr(c, "batch_group_count", &batches))
    return false;
  intptr_t rank = lhs.spatial.rank;
  if (!hloListAttrOr(c, "window_strides", rank, 1, &strides) || !hloPaddingAttr(c, rank, &low, &high) ||
      !hloListAttrOr(c, "lhs_dilation", rank, 1, &lhsDilation) ||
      !hloListAttrOr(c, "rhs_dilation", rank, 1, &rhsDilation) || !windowReversal(c, rank, &reversal))
    return false;
  return hloReplaceBy(
      c, IR_VALUES(hloOperand(c, 0), hloOperand(c, 1)),
      IR_ATTRS(
          irI64(&c->b, "input_batch_dimension", lhs.first), irI64(&c->b, "input_feature_dimension", lhs.second),
          hloDims(c, "input_spatial_dimensions", &lhs.spatial),
          irI64(&c->b, "kernel_input_feature_dimension", rhs.first),
          irI64(&c->b, "kernel_output_feature_dimension", rhs.second),
          hloDims(c, "kernel_spatial_dimensions", &rhs.spatial), irI64(&c->b, "output_batch_dimension", result.first),
          irI64(&c->b, "output_feature_dimension", result.second),
          hloDims(c, "output_spatial_dimensions", &result.spatial), hloDims(c, "window_strides", &strides),
          hloDims(c, "padding_low", &low), hloDims(c, "padding_high", &high), hloDims(c, "lhs_dilation", &lhsDilation),
          hloDims(c, "rhs_dilation", &rhsDilation), irAttr(&c->b, "window_reversal", reversal),
          irI64(&c->b, "feature_group_count", features), irI64(&c->b, "batch_group_count", batches)));
}
