//===- hlo_movement.c - shapes, slices, gather and scatter ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations of StableHLO that move elements. Leaves those of tg. Dimension numbers of gather and scatter become
// tg's lists, and the update computation of a scatter its kind.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_region.h"
#include "lowering/import/stablehlo_to_tg/hlo_rules.h"

#include "ir/mlir/query.h"

#include <string.h>

bool hloConvertBroadcastInDim(HloConversion *c) {
  IrShape list;
  return hloListAttr(c, "broadcast_dimensions", &list) &&
         hloReplaceBy(c, hloOperandsFrom(c, 0), IR_ATTRS(hloDims(c, "dims", &list)));
}

/// New dimensions come first.
bool hloConvertBroadcast(HloConversion *c) {
  IrShape sizes, list = irShapeOf(hloOperand(c, 0));
  if (!hloListAttr(c, "broadcast_sizes", &sizes))
    return false;
  for (intptr_t i = 0; i < list.rank; ++i)
    list.dims[i] = sizes.rank + i;
  return hloReplaceBy(c, hloOperandsFrom(c, 0), IR_ATTRS(hloDims(c, "dims", &list)));
}

bool hloConvertTranspose(HloConversion *c) {
  IrShape list;
  return hloListAttr(c, "permutation", &list) &&
         hloReplaceBy(c, hloOperandsFrom(c, 0), IR_ATTRS(hloDims(c, "permutation", &list)));
}

bool hloConvertReverse(HloConversion *c) {
  IrShape list;
  return hloListAttr(c, "dimensions", &list) &&
         hloReplaceBy(c, hloOperandsFrom(c, 0), IR_ATTRS(hloDims(c, "dims", &list)));
}

bool hloConvertSlice(HloConversion *c) {
  IrShape starts, limits, strides;
  return hloListAttr(c, "start_indices", &starts) && hloListAttr(c, "limit_indices", &limits) &&
         hloListAttr(c, "strides", &strides) &&
         hloReplaceBy(
             c, hloOperandsFrom(c, 0),
             IR_ATTRS(hloDims(c, "starts", &starts), hloDims(c, "limits", &limits), hloDims(c, "strides", &strides)));
}

bool hloConvertDynamicSlice(HloConversion *c) {
  IrShape sizes;
  return hloListAttr(c, "slice_sizes", &sizes) &&
         hloReplaceBy(c, hloOperandsFrom(c, 0), IR_ATTRS(hloDims(c, "sizes", &sizes)));
}

bool hloConvertPad(HloConversion *c) {
  IrShape low, high, interior;
  return hloListAttr(c, "edge_padding_low", &low) && hloListAttr(c, "edge_padding_high", &high) &&
         hloListAttr(c, "interior_padding", &interior) &&
         hloReplaceBy(c, hloOperandsFrom(c, 0),
                      IR_ATTRS(hloDims(c, "low", &low), hloDims(c, "high", &high), hloDims(c, "interior", &interior)));
}

bool hloConvertConcatenate(HloConversion *c) {
  int64_t dim;
  return hloIntAttr(c, "dimension", &dim) && hloReplaceBy(c, hloOperandsFrom(c, 0), IR_ATTRS(irI64(&c->b, "dim", dim)));
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

/// The lists in an attribute of dimension numbers, under our names.
static bool dimensionNumbers(HloConversion *c, const char *text, const char *const fields[][2], int count,
                             MlirNamedAttribute *attributes) {
  IrShape list;
  for (int i = 0; i < count; ++i) {
    if (!hloListField(c, text, fields[i][0], &list))
      return false;
    attributes[i] = hloDims(c, fields[i][1], &list);
  }
  return true;
}

bool hloReplaceByGather(HloConversion *c, IrValues operands, const IrShape *sizes) {
  static const char *const fields[][2] = {{"offset_dims", "offset_dims"},
                                          {"collapsed_slice_dims", "collapsed_slice_dims"},
                                          {"operand_batching_dims", "operand_batching_dims"},
                                          {"start_indices_batching_dims", "start_indices_batching_dims"},
                                          {"start_index_map", "start_index_map"}};
  enum { numFields = sizeof(fields) / sizeof(fields[0]) };
  const char *text = hloAttrText(c, "dimension_numbers");
  MlirNamedAttribute attributes[numFields + 3];
  if (!*text)
    return hloFail(c, "attribute 'dimension_numbers' is missing");
  if (!dimensionNumbers(c, text, fields, numFields, attributes))
    return false;
  int count = numFields;
  attributes[count++] = hloDims(c, "slice_sizes", sizes);
  attributes[count++] = irI64(&c->b, "index_vector_dim", hloIntField(text, "index_vector_dim", 0));
  if (hloIsTrue(c, "indices_are_sorted"))
    attributes[count++] = irUnit(&c->b, "indices_are_sorted");
  return hloReplaceBy(c, operands, (IrAttrs){count, attributes});
}

bool hloConvertGather(HloConversion *c) {
  IrShape sizes;
  return hloListAttr(c, "slice_sizes", &sizes) && hloReplaceByGather(c, hloOperandsFrom(c, 0), &sizes);
}

/// The update computation: one of the kinds, or the update replaces the element; -1 if neither.
static int updateKind(HloConversion *c) {
  enum { REPLACE = NUM_KINDS };
  int kind = hloRegionKind(c, 0);
  if (kind >= 0)
    return kind;
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, 0));
  if (mlirOperationIsNull(end) || mlirOperationGetNumOperands(end) != 1)
    return -1;
  MlirBlock block = mlirOperationGetBlock(end);
  bool replaces =
      mlirBlockGetNumArguments(block) == 2 && mlirValueEqual(irOperand(end, 0), mlirBlockGetArgument(block, 1));
  return replaces ? REPLACE : -1;
}

/// The inputs, the indices and the updates; all but the indices in the types of the body.
static IrValues scatterOperands(HloConversion *c, intptr_t count) {
  MlirValue *values = IR_NEW_ARRAY(c->arena, MlirValue, 2 * count + 1);
  values[count] = hloOperand(c, count);
  for (intptr_t i = 0; i < count; ++i) {
    MlirType element = irElementType(hloResultType(c, i));
    values[i] = hloPromote(c, hloOperand(c, i), element);
    values[count + 1 + i] = hloPromote(c, hloOperand(c, count + 1 + i), element);
  }
  return (IrValues){2 * count + 1, values};
}

bool hloConvertScatter(HloConversion *c) {
  static const char *const fields[][2] = {{"update_window_dims", "update_window_dims"},
                                          {"inserted_window_dims", "inserted_window_dims"},
                                          {"input_batching_dims", "input_batching_dims"},
                                          {"scatter_indices_batching_dims", "scatter_indices_batching_dims"},
                                          {"scatter_dims_to_operand_dims", "scatter_dims_to_operand_dims"}};
  enum { numFields = sizeof(fields) / sizeof(fields[0]) };
  const char *text = hloAttrText(c, "scatter_dimension_numbers");
  MlirNamedAttribute attributes[numFields + 4];
  intptr_t numResults = mlirOperationGetNumResults(c->op);
  if (numResults < 1 || mlirOperationGetNumOperands(c->op) != 2 * numResults + 1)
    return hloFail(c, "it must have an input and updates for each result, and indices");
  if (!*text)
    return hloFail(c, "attribute 'scatter_dimension_numbers' is missing");
  if (!hloCheckNumRegions(c, 1) || !dimensionNumbers(c, text, fields, numFields, attributes))
    return false;
  int count = numFields;
  attributes[count++] = irI64(&c->b, "index_vector_dim", hloIntField(text, "index_vector_dim", 0));
  if (hloIsTrue(c, "indices_are_sorted"))
    attributes[count++] = irUnit(&c->b, "indices_are_sorted");
  if (hloIsTrue(c, "unique_indices"))
    attributes[count++] = irUnit(&c->b, "unique_indices");
  IrValues operands = scatterOperands(c, numResults);
  int kind = numResults == 1 ? updateKind(c) : -1;
  if (kind < 0)
    return hloReplaceByRegionOp(c, "tg.general_scatter", operands, (IrAttrs){count, attributes});
  attributes[count++] = irI32(&c->b, "kind", kind);
  return hloReplaceBy(c, operands, (IrAttrs){count, attributes});
}
