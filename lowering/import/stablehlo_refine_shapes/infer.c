//===- infer.c - the shapes of results -----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shapes of results by StableHLO's specification, for the operations whose results may have unknown sizes at all:
// those of iota, constant, reshape, slice and dynamic_slice are always known.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/refine.h"

#include "lowering/import/stablehlo_to_tg/hlo_conversion.h"

#include <string.h>

/// One operation whose result has a shape of its own.
typedef struct {
  Refiner *r;
  MlirOperation op;
  HloConversion c; ///< to read attributes with
} Inference;

static MlirValue operand(const Inference *in, intptr_t i) { return irOperand(in->op, i); }
static RefineShape operandShape(const Inference *in, intptr_t i) { return refineShapeOf(in->r, operand(in, i)); }
static intptr_t numOperands(const Inference *in) { return mlirOperationGetNumOperands(in->op); }

/// Whether all of `dims` are dimensions of a shape of that rank.
static bool inRange(const Inference *in, const IrShape *dims, intptr_t rank) {
  for (intptr_t i = 0; i < dims->rank; ++i)
    if (dims->dims[i] < 0 || dims->dims[i] >= rank)
      return refineFail(in->op, "names dimension %ld of a shape of rank %ld", (long)dims->dims[i], (long)rank);
  return true;
}

static bool appendSize(const Inference *in, RefineShape *shape, RefineSize size) {
  if (shape->rank == IR_MAX_RANK)
    return refineFail(in->op, "has a result of more than %d dimensions", IR_MAX_RANK);
  shape->dims[shape->rank++] = size;
  return true;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// The shape that is operand `i`, a list of sizes.
static bool inferFromOperand(const Inference *in, intptr_t i, RefineShape *shape) {
  const RefineValue *value = numOperands(in) > i ? refineValueOf(in->r, operand(in, i)) : NULL;
  if (!value || value->count > IR_MAX_RANK)
    return refineFail(in->op, "has a result whose shape, operand %ld, does not follow from the sizes of the inputs",
                      (long)i);
  shape->rank = value->count;
  memcpy(shape->dims, value->elements, (size_t)value->count * sizeof(*shape->dims));
  return true;
}

static bool inferDynamicIota(Inference *in, RefineShape *shape) { return inferFromOperand(in, 0, shape); }
static bool inferDynamicReshape(Inference *in, RefineShape *shape) { return inferFromOperand(in, 1, shape); }

static bool inferBroadcast(Inference *in, RefineShape *shape) {
  IrShape sizes;
  RefineShape from = operandShape(in, 0);
  if (!hloListAttr(&in->c, "broadcast_sizes", &sizes))
    return false;
  for (intptr_t i = 0; i < sizes.rank; ++i)
    if (!appendSize(in, shape, refineConstant(sizes.dims[i])))
      return false;
  for (intptr_t i = 0; i < from.rank; ++i)
    if (!appendSize(in, shape, from.dims[i]))
      return false;
  return true;
}

static bool inferTranspose(Inference *in, RefineShape *shape) {
  IrShape permutation;
  RefineShape from = operandShape(in, 0);
  if (!hloListAttr(&in->c, "permutation", &permutation) || !inRange(in, &permutation, from.rank))
    return false;
  for (intptr_t i = 0; i < permutation.rank; ++i)
    if (!appendSize(in, shape, from.dims[permutation.dims[i]]))
      return false;
  return true;
}

static bool inferConcatenate(Inference *in, RefineShape *shape) {
  int64_t dim;
  *shape = operandShape(in, 0);
  if (!hloIntAttr(&in->c, "dimension", &dim) || !inRange(in, &(IrShape){1, {dim}}, shape->rank))
    return false;
  for (intptr_t i = 1; i < numOperands(in); ++i) {
    RefineShape next = operandShape(in, i);
    if (next.rank != shape->rank)
      return refineFail(in->op, "has operands of different ranks");
    if (!refineSum(in->r, shape->dims[dim], next.dims[dim], &shape->dims[dim]))
      return refineFail(in->op, "has a result whose dimension %ld is the sum of %s and %s", (long)dim,
                        refineSizeText(in->r, shape->dims[dim]), refineSizeText(in->r, next.dims[dim]));
  }
  return true;
}

/// low + size + high + interior * max(size - 1, 0)
static bool paddedSize(const Inference *in, RefineSize size, RefineSize low, RefineSize high, int64_t interior,
                       RefineSize *padded) {
  RefineSize gaps;
  int64_t least, most;
  bool ok = refineSub(size, refineConstant(1), &gaps) && refineRange(in->r, gaps, &least, &most);
  if (ok && most < 0)
    gaps = refineConstant(0);
  return ok && (least >= 0 || most < 0) && refineMul(gaps, refineConstant(interior), &gaps) &&
         refineAdd(size, gaps, padded) && refineAdd(*padded, low, padded) && refineAdd(*padded, high, padded);
}

static bool inferPadded(const Inference *in, const RefineShape *low, const RefineShape *high, const IrShape *interior,
                        RefineShape *shape) {
  *shape = operandShape(in, 0);
  if (low->rank != shape->rank || high->rank != shape->rank || interior->rank != shape->rank)
    return refineFail(in->op, "has paddings of another rank than its operand");
  for (intptr_t i = 0; i < shape->rank; ++i)
    if (!paddedSize(in, shape->dims[i], low->dims[i], high->dims[i], interior->dims[i], &shape->dims[i]))
      return refineFail(in->op, "has a result whose dimension %ld is unknown", (long)i);
  return true;
}

static RefineShape constantSizes(const IrShape *list) {
  RefineShape sizes = {.rank = list->rank};
  for (intptr_t i = 0; i < list->rank; ++i)
    sizes.dims[i] = refineConstant(list->dims[i]);
  return sizes;
}

static bool inferPad(Inference *in, RefineShape *shape) {
  IrShape low, high, interior;
  if (!hloListAttr(&in->c, "edge_padding_low", &low) || !hloListAttr(&in->c, "edge_padding_high", &high) ||
      !hloListAttr(&in->c, "interior_padding", &interior))
    return false;
  RefineShape lowSizes = constantSizes(&low), highSizes = constantSizes(&high);
  return inferPadded(in, &lowSizes, &highSizes, &interior, shape);
}

/// The list of constants that operand `i` is.
static bool constantOperand(const Inference *in, intptr_t i, IrShape *list) {
  RefineShape sizes = {0};
  if (!inferFromOperand(in, i, &sizes))
    return false;
  list->rank = sizes.rank;
  for (intptr_t k = 0; k < sizes.rank; ++k) {
    if (!refineIsConstant(sizes.dims[k]))
      return refineFail(in->op, "has %s in operand %ld, where only constants are supported",
                        refineSizeText(in->r, sizes.dims[k]), (long)i);
    list->dims[k] = sizes.dims[k].offset;
  }
  return true;
}

/// The paddings of a tensor that is padded to a bucket may depend on its size.
static bool paddingOperand(const Inference *in, intptr_t i, RefineShape *sizes) {
  IrShape list;
  if (in->r->pads)
    return inferFromOperand(in, i, sizes);
  if (!constantOperand(in, i, &list))
    return false;
  *sizes = constantSizes(&list);
  return true;
}

static bool inferDynamicPad(Inference *in, RefineShape *shape) {
  RefineShape low, high;
  IrShape interior;
  return numOperands(in) == 5 && paddingOperand(in, 2, &low) && paddingOperand(in, 3, &high) &&
         constantOperand(in, 4, &interior) && inferPadded(in, &low, &high, &interior, shape);
}

/// Operands: operand, starts, limits, strides.
static bool inferRealDynamicSlice(Inference *in, RefineShape *shape) {
  RefineShape starts, limits;
  IrShape strides;
  if (!inferFromOperand(in, 1, &starts) || !inferFromOperand(in, 2, &limits) || !constantOperand(in, 3, &strides))
    return false;
  shape->rank = starts.rank;
  for (intptr_t i = 0; i < starts.rank; ++i) {
    RefineSize *size = &shape->dims[i];
    bool ok = i < limits.rank && i < strides.rank && refineLess(in->r, limits.dims[i], starts.dims[i], size) &&
              refineAdd(*size, refineConstant(strides.dims[i] - 1), size) &&
              refineDiv(*size, refineConstant(strides.dims[i]), size);
    if (!ok)
      return refineFail(in->op, "has a result whose dimension %ld is unknown", (long)i);
  }
  return true;
}

/// The dimensions of the batch come from the indices, the others from `sizes`.
static bool inferGatherOf(Inference *in, const RefineShape *sizes, RefineShape *shape) {
  const char *text = hloAttrText(&in->c, "dimension_numbers");
  IrShape offset, collapsed, batching;
  if (!hloListField(&in->c, text, "offset_dims", &offset) ||
      !hloListField(&in->c, text, "collapsed_slice_dims", &collapsed) ||
      !hloListField(&in->c, text, "operand_batching_dims", &batching))
    return false;
  RefineShape indices = operandShape(in, 1);
  int64_t vectorDim = hloIntField(text, "index_vector_dim", 0);
  intptr_t numBatch = indices.rank - (vectorDim < indices.rank), nextIndex = 0, nextSize = 0;
  for (intptr_t i = 0; i < offset.rank + numBatch; ++i) {
    bool isOffset = irContains(offset, i);
    while (isOffset && nextSize < sizes->rank && (irContains(collapsed, nextSize) || irContains(batching, nextSize)))
      ++nextSize;
    if (!isOffset && nextIndex == vectorDim)
      ++nextIndex;
    if (isOffset ? nextSize >= sizes->rank : nextIndex >= indices.rank)
      return refineFail(in->op, "has dimension numbers that do not fit its operands: %s", text);
    if (!appendSize(in, shape, isOffset ? sizes->dims[nextSize++] : indices.dims[nextIndex++]))
      return false;
  }
  return true;
}

static bool inferGather(Inference *in, RefineShape *shape) {
  IrShape list;
  if (numOperands(in) != 2 || !hloListAttr(&in->c, "slice_sizes", &list))
    return false;
  RefineShape sizes = constantSizes(&list);
  return inferGatherOf(in, &sizes, shape);
}

static bool inferDynamicGather(Inference *in, RefineShape *shape) {
  RefineShape sizes = {0};
  return numOperands(in) == 3 && inferFromOperand(in, 2, &sizes) && inferGatherOf(in, &sizes, shape);
}

//===----------------------------------------------------------------------===//
// Reductions, windows, contractions
//===----------------------------------------------------------------------===//

static bool inferReduce(Inference *in, RefineShape *shape) {
  IrShape dims;
  RefineShape from = operandShape(in, 0);
  if (!hloListAttr(&in->c, "dimensions", &dims))
    return false;
  for (intptr_t i = 0; i < from.rank; ++i)
    if (!irContains(dims, i) && !appendSize(in, shape, from.dims[i]))
      return false;
  return true;
}

/// The number of windows along one dimension that is padded and has gaps between its elements.
static bool windowedSize(const Inference *in, RefineSize size, int64_t low, int64_t high, int64_t baseDilation,
                         RefineSize window, int64_t windowDilation, int64_t stride, RefineSize *result) {
  int64_t least, most;
  RefineSize room, extent;
  if (!refineSub(window, refineConstant(1), &extent) || !refineMul(extent, refineConstant(windowDilation), &extent) ||
      !refineAdd(extent, refineConstant(1), &extent) ||
      !paddedSize(in, size, refineConstant(low), refineConstant(high), baseDilation - 1, &room) ||
      !refineSub(room, extent, &room) || !refineRange(in->r, room, &least, &most) || (least < 0 && most >= 0))
    return false;
  if (most < 0) {
    *result = refineConstant(0);
    return true;
  }
  return refineDiv(room, refineConstant(stride), &room) && refineAdd(room, refineConstant(1), result);
}

static bool inferReduceWindow(Inference *in, RefineShape *shape) {
  IrShape sizes, strides, baseDilations, windowDilations, low, high;
  *shape = operandShape(in, 0);
  HloConversion *c = &in->c;
  if (!hloListAttr(c, "window_dimensions", &sizes) || !hloListAttrOr(c, "window_strides", shape->rank, 1, &strides) ||
      !hloListAttrOr(c, "base_dilations", shape->rank, 1, &baseDilations) ||
      !hloListAttrOr(c, "window_dilations", shape->rank, 1, &windowDilations) ||
      !hloPaddingAttr(c, shape->rank, &low, &high))
    return false;
  for (intptr_t i = 0; i < shape->rank; ++i)
    if (!windowedSize(in, shape->dims[i], low.dims[i], high.dims[i], baseDilations.dims[i],
                      refineConstant(sizes.dims[i]), windowDilations.dims[i], strides.dims[i], &shape->dims[i]))
      return refineFail(in->op, "has a result whose dimension %ld is unknown", (long)i);
  return true;
}

/// Of one operand of a dot: the dimensions that are neither batch nor contracted.
static bool appendFree(const Inference *in, intptr_t i, const IrShape *batch, const IrShape *contract,
                       RefineShape *shape) {
  RefineShape from = operandShape(in, i);
  for (intptr_t d = 0; d < from.rank; ++d)
    if (!irContains(*batch, d) && !irContains(*contract, d) && !appendSize(in, shape, from.dims[d]))
      return false;
  return true;
}

static bool inferDotOf(Inference *in, const IrShape *lhsBatch, const IrShape *rhsBatch, const IrShape *lhsContract,
                       const IrShape *rhsContract, RefineShape *shape) {
  RefineShape lhs = operandShape(in, 0);
  if (!inRange(in, lhsBatch, lhs.rank))
    return false;
  for (intptr_t i = 0; i < lhsBatch->rank; ++i)
    if (!appendSize(in, shape, lhs.dims[lhsBatch->dims[i]]))
      return false;
  return appendFree(in, 0, lhsBatch, lhsContract, shape) && appendFree(in, 1, rhsBatch, rhsContract, shape);
}

static bool inferDotGeneral(Inference *in, RefineShape *shape) {
  const char *text = hloAttrText(&in->c, "dot_dimension_numbers");
  IrShape lhsBatch, rhsBatch, lhsContract, rhsContract;
  return numOperands(in) == 2 && hloListField(&in->c, text, "lhs_batching_dimensions", &lhsBatch) &&
         hloListField(&in->c, text, "rhs_batching_dimensions", &rhsBatch) &&
         hloListField(&in->c, text, "lhs_contracting_dimensions", &lhsContract) &&
         hloListField(&in->c, text, "rhs_contracting_dimensions", &rhsContract) &&
         inferDotOf(in, &lhsBatch, &rhsBatch, &lhsContract, &rhsContract, shape);
}

static bool inferDot(Inference *in, RefineShape *shape) {
  IrShape none = {0}, last = {1, {operandShape(in, 0).rank - 1}}, first = {1, {0}};
  return numOperands(in) == 2 && inferDotOf(in, &none, &none, &last, &first, shape);
}

static bool inferConvolution(Inference *in, RefineShape *shape) {
  HloConvolutionDims lhs, rhs, result;
  IrShape strides, low, high, lhsDilation, rhsDilation;
  int64_t batchGroups;
  HloConversion *c = &in->c;
  if (numOperands(in) != 2 || !hloConvolutionDims(c, &lhs, &rhs, &result) ||
      !hloIntAttr(c, "batch_group_count", &batchGroups))
    return false;
  intptr_t rank = lhs.spatial.rank;
  if (!hloListAttrOr(c, "window_strides", rank, 1, &strides) || !hloPaddingAttr(c, rank, &low, &high) ||
      !hloListAttrOr(c, "lhs_dilation", rank, 1, &lhsDilation) ||
      !hloListAttrOr(c, "rhs_dilation", rank, 1, &rhsDilation))
    return false;
  RefineShape input = operandShape(in, 0), kernel = operandShape(in, 1);
  if (input.rank != rank + 2 || kernel.rank != rank + 2)
    return refineFail(in->op, "has dimension numbers that do not fit its operands");
  shape->rank = rank + 2;
  shape->dims[result.second] = kernel.dims[rhs.second];
  if (!refineDiv(input.dims[lhs.first], refineConstant(batchGroups), &shape->dims[result.first]))
    return refineFail(in->op, "has a result whose batch is unknown");
  for (intptr_t i = 0; i < rank; ++i) {
    RefineSize window = kernel.dims[rhs.spatial.dims[i]];
    if ((!refineIsConstant(window) && !in->r->pads) ||
        !windowedSize(in, input.dims[lhs.spatial.dims[i]], low.dims[i], high.dims[i], lhsDilation.dims[i], window,
                      rhsDilation.dims[i], strides.dims[i], &shape->dims[result.spatial.dims[i]]))
      return refineFail(in->op, "has a result whose spatial dimension %ld is unknown", (long)i);
  }
  return true;
}

/// As many elements along the last dimension as are wanted.
static bool inferTopK(Inference *in, RefineShape *shape) {
  int64_t k;
  *shape = operandShape(in, 0);
  if (!hloIntAttr(&in->c, "k", &k) || shape->rank < 1)
    return false;
  shape->dims[shape->rank - 1] = refineConstant(k);
  return true;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

typedef struct {
  const char *name;
  bool (*infer)(Inference *in, RefineShape *shape);
} InferenceRule;

static bool inferDynamicBroadcast(Inference *in, RefineShape *shape) { return inferFromOperand(in, 1, shape); }

/// Operations whose results all have the same shape, which is not that of an operand.
static const InferenceRule rules[] = {
    {"stablehlo.broadcast", inferBroadcast},
    {"stablehlo.concatenate", inferConcatenate},
    {"stablehlo.convolution", inferConvolution},
    {"stablehlo.dot", inferDot},
    {"stablehlo.dot_general", inferDotGeneral},
    {"stablehlo.dynamic_broadcast_in_dim", inferDynamicBroadcast},
    {"stablehlo.dynamic_gather", inferDynamicGather},
    {"stablehlo.dynamic_iota", inferDynamicIota},
    {"stablehlo.dynamic_pad", inferDynamicPad},
    {"stablehlo.dynamic_reshape", inferDynamicReshape},
    {"stablehlo.gather", inferGather},
    {"stablehlo.pad", inferPad},
    {"stablehlo.real_dynamic_slice", inferRealDynamicSlice},
    {"stablehlo.reduce", inferReduce},
    {"stablehlo.reduce_window", inferReduceWindow},
    {"stablehlo.transpose", inferTranspose},
    {"chlo.top_k", inferTopK},
};

/// Operations whose result i has the shape of operand i, or of operand 0 if there are fewer.
static const char *const keepers[] = {
    "stablehlo.batch_norm_grad",
    "stablehlo.batch_norm_inference",
    "stablehlo.batch_norm_training",
    "stablehlo.cholesky",
    "stablehlo.collective_permute",
    "stablehlo.dynamic_update_slice",
    "stablehlo.map",
    "stablehlo.optimization_barrier",
    "stablehlo.reverse",
    "stablehlo.scatter",
    "stablehlo.select_and_scatter",
    "stablehlo.set_dimension_size",
    "stablehlo.sort",
    "stablehlo.collective_broadcast",
    "stablehlo.all_reduce",
};

static bool isKeeper(MlirOperation op) {
  for (size_t i = 0; i < sizeof(keepers) / sizeof(keepers[0]); ++i)
    if (irOpIs(op, keepers[i]))
      return true;
  return false;
}

/// An elementwise operation: operands that are no scalars have one shape, the result's.
static bool inferElementwise(Inference *in, RefineShape *shape) {
  bool found = false;
  for (intptr_t i = 0; i < numOperands(in); ++i) {
    RefineShape next = operandShape(in, i);
    if (next.rank == 0)
      continue;
    if (found && !refineEqualShapes(shape, &next))
      return refineFail(in->op, "has operands of different shapes: %s and %s", refineShapeText(in->r, shape),
                        refineShapeText(in->r, &next));
    *shape = next;
    found = true;
  }
  if (!found || mlirOperationGetNumRegions(in->op) || irOpIs(in->op, "stablehlo.custom_call"))
    return refineFail(in->op, "has a result whose shape cannot be found out");
  return true;
}

static bool inferShape(Inference *in, intptr_t result, RefineShape *shape) {
  for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); ++i)
    if (irOpIs(in->op, rules[i].name))
      return numOperands(in) > 0 ? rules[i].infer(in, shape) : refineFail(in->op, "has no operands");
  if (isKeeper(in->op) && numOperands(in) > 0) {
    *shape = operandShape(in, result < numOperands(in) ? result : 0);
    return true;
  }
  return inferElementwise(in, shape);
}

bool refineResultTypes(Refiner *r, MlirOperation op) {
  Inference in = {.r = r, .op = op, .c = {.op = op, .b = irBuilderBefore(op), .arena = &r->arena}};
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirType type = mlirValueGetType(irResult(op, i));
    if (!refineIsDynamic(type))
      continue;
    RefineShape shape = {0};
    if (!inferShape(&in, i, &shape))
      return false;
    type = refineType(r, op, type, &shape);
    if (mlirTypeIsNull(type))
      return false;
    mlirValueSetType(irResult(op, i), type);
    if (r->pads)
      refineSetShape(r, irResult(op, i), &shape);
  }
  return true;
}
