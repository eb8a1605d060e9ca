//===- tosa_movement.c - constants and data movement ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes constants and operations of TOSA that move elements. Leaves those of tg, with shapes read from shape constants.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

bool tosaConvertConst(TosaConversion *c) {
  MlirAttribute values = irGetAttr(c->op, "values");
  if (!mlirTypeEqual(mlirAttributeGetType(values), tosaResultType(c, 0)))
    return tosaFail(c, "the values have another type than the result");
  return tosaReplaceBy(c, IR_NO_VALUES, IR_ATTRS(irAttr(&c->b, "value", values)));
}

bool tosaConvertIdentity(TosaConversion *c) {
  if (!mlirTypeEqual(mlirValueGetType(tosaOperand(c, 0)), tosaResultType(c, 0)))
    return tosaFail(c, "the result has another type than the operand");
  return tosaReplaceResult(c, 0, tosaOperand(c, 0));
}

bool tosaConvertReshape(TosaConversion *c) {
  return tosaReplaceResult(c, 0, tosaReshape(c, tosaOperand(c, 0), irTypeShape(tosaResultType(c, 0))));
}

bool tosaConvertTranspose(TosaConversion *c) {
  MlirAttribute perms = irGetAttr(c->op, "perms");
  IrShape permutation = {.rank = mlirDenseArrayGetNumElements(perms)};
  if (permutation.rank != irShapeOf(tosaOperand(c, 0)).rank)
    return tosaFail(c, "attribute 'perms' has %ld elements for another number of dimensions", (long)permutation.rank);
  for (intptr_t i = 0; i < permutation.rank; ++i)
    permutation.dims[i] = mlirDenseI32ArrayGetElement(perms, i);
  return tosaReplaceBy(c, IR_VALUES(tosaOperand(c, 0)), IR_ATTRS(tosaDims(c, "permutation", &permutation)));
}

bool tosaConvertReverse(TosaConversion *c) {
  IrShape dims = {.rank = 1};
  return tosaAxis(c, irShapeOf(tosaOperand(c, 0)).rank, &dims.dims[0]) &&
         tosaReplaceBy(c, IR_VALUES(tosaOperand(c, 0)), IR_ATTRS(tosaDims(c, "dims", &dims)));
}

bool tosaConvertConcat(TosaConversion *c) {
  intptr_t count = mlirOperationGetNumOperands(c->op);
  int64_t axis;
  if (!tosaAxis(c, irTypeShape(tosaResultType(c, 0)).rank, &axis))
    return false;
  MlirValue *operands = IR_NEW_ARRAY(&c->pass->arena, MlirValue, count);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = tosaOperand(c, i);
  return tosaReplaceBy(c, (IrValues){count, operands}, IR_ATTRS(irI64(&c->b, "dim", axis)));
}

/// `padding` is low and high of each dimension in turn.
bool tosaConvertPad(TosaConversion *c) {
  MlirValue operand = tosaOperand(c, 0), value = tosaReshape(c, tosaOperand(c, 2), (IrShape){0});
  intptr_t rank = irShapeOf(operand).rank;
  IrShape low = {.rank = rank}, high = {.rank = rank}, interior = tosaRepeat(rank, 0);
  TosaShape padding;
  if (!tosaShapeOperand(c, 1, 2 * rank, &padding))
    return false;
  for (intptr_t i = 0; i < 2 * rank; ++i) {
    if (padding.values[i] < 0)
      return tosaFail(c, "padding %lld is negative", (long long)padding.values[i]);
    (i % 2 == 0 ? &low : &high)->dims[i / 2] = padding.values[i];
  }
  return tosaReplaceBy(
      c, IR_VALUES(operand, value),
      IR_ATTRS(tosaDims(c, "low", &low), tosaDims(c, "high", &high), tosaDims(c, "interior", &interior)));
}

bool tosaConvertSlice(TosaConversion *c) {
  IrShape shape = irShapeOf(tosaOperand(c, 0)), starts = {.rank = shape.rank}, limits = starts;
  IrShape strides = tosaRepeat(shape.rank, 1);
  TosaShape start, size;
  if (!tosaShapeOperand(c, 1, shape.rank, &start) || !tosaShapeOperand(c, 2, shape.rank, &size))
    return false;
  for (intptr_t i = 0; i < shape.rank; ++i) {
    int64_t from = start.values[i], count = size.values[i];
    if (from < 0 || count < 0 || from > shape.dims[i] || count > shape.dims[i] - from)
      return tosaFail(c, "%lld elements from %lld on do not lie within the %lld of dimension %ld", (long long)count,
                      (long long)from, (long long)shape.dims[i], (long)i);
    starts.dims[i] = from;
    limits.dims[i] = from + count;
  }
  return tosaReplaceBy(
      c, IR_VALUES(tosaOperand(c, 0)),
      IR_ATTRS(tosaDims(c, "starts", &starts), tosaDims(c, "limits", &limits), tosaDims(c, "strides", &strides)));
}

/// A dimension that is repeated is one of its own before the one that it repeats, unless that has size one.
bool tosaConvertTile(TosaConversion *c) {
  MlirValue operand = tosaOperand(c, 0);
  IrShape from = irShapeOf(operand), dims = {.rank = from.rank}, repeated = {0};
  TosaShape multiples;
  if (!tosaShapeOperand(c, 1, from.rank, &multiples))
    return false;
  for (intptr_t i = 0; i < from.rank; ++i) {
    int64_t multiple = multiples.values[i];
    if (multiple < 1)
      return tosaFail(c, "multiple %lld is not positive", (long long)multiple);
    if (repeated.rank > IR_MAX_RANK - 2)
      return tosaFail(c, "too many dimensions are repeated");
    if (multiple > 1 && from.dims[i] > 1)
      repeated.dims[repeated.rank++] = multiple;
    dims.dims[i] = repeated.rank;
    repeated.dims[repeated.rank++] = from.dims[i] == 1 ? multiple : from.dims[i];
  }
  MlirValue value = tosaBroadcast(c, operand, repeated, dims);
  return tosaReplaceResult(c, 0, tosaReshape(c, value, irTypeShape(tosaResultType(c, 0))));
}

//===----------------------------------------------------------------------===//
// Gather and scatter: values[n, indices[n, w], c]
//===----------------------------------------------------------------------===//

bool tosaConvertGather(TosaConversion *c) {
  IrShape first = {1, {0}}, second = {1, {1}}, third = {1, {2}};
  IrShape sizes = {3, {1, 1, irShapeOf(tosaOperand(c, 0)).dims[2]}};
  return tosaReplaceBy(c, IR_VALUES(tosaOperand(c, 0), tosaOperand(c, 1)),
                       IR_ATTRS(tosaDims(c, "offset_dims", &third), tosaDims(c, "collapsed_slice_dims", &second),
                                tosaDims(c, "operand_batching_dims", &first),
                                tosaDims(c, "start_indices_batching_dims", &first),
                                tosaDims(c, "start_index_map", &second), irI64(&c->b, "index_vector_dim", 2),
                                tosaDims(c, "slice_sizes", &sizes)));
}

/// No index occurs twice in a batch.
bool tosaConvertScatter(TosaConversion *c) {
  enum { REPLACE = 7 }; // of tg.scatter's `kind`
  IrShape first = {1, {0}}, second = {1, {1}}, third = {1, {2}};
  return tosaReplaceBy(c, IR_VALUES(tosaOperand(c, 0), tosaOperand(c, 1), tosaOperand(c, 2)),
                       IR_ATTRS(irI32(&c->b, "kind", REPLACE), tosaDims(c, "update_window_dims", &third),
                                tosaDims(c, "inserted_window_dims", &second),
                                tosaDims(c, "input_batching_dims", &first),
                                tosaDims(c, "scatter_indices_batching_dims", &first),
                                tosaDims(c, "scatter_dims_to_operand_dims", &second),
                                irI64(&c->b, "index_vector_dim", 2), irUnit(&c->b, "unique_indices")));
}
