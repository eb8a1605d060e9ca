//===- padding_reduction.c - reductions and products of padded tensors ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where elements along a dimension are combined, its padding gets the value that changes nothing. Later operations read
// a maximum's operand as masked, too. Then in a softmax exp(x - max) is zero in the padding by itself, and neither its
// sum nor the product with it needs a mask of its own.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/padding.h"

#include "lowering/import/stablehlo_to_tg/hlo_region.h"

//===----------------------------------------------------------------------===//
// Facts about the padding
//===----------------------------------------------------------------------===//

/// Whether a type has infinities, and zero.
static bool hasInfinity(MlirValue value) {
  return irIsFloat(irElementTypeOf(value)) && irElementBytes(irElementTypeOf(value)) >= 2;
}

/// `value` without conversions that keep infinities and zeros.
static MlirValue withoutConversions(MlirValue value) {
  for (;;) {
    MlirOperation op = irDefiningOp(value);
    bool keeps = !mlirOperationIsNull(op) && mlirOperationGetNumOperands(op) == 1 &&
                 (irOpIs(op, "stablehlo.optimization_barrier") ||
                  (irOpIs(op, "stablehlo.convert") && hasInfinity(value) && hasInfinity(irOperand(op, 0))));
    if (!keeps)
      return value;
    value = irOperand(op, 0);
  }
}

static bool isReshape(MlirOperation op) {
  return !mlirOperationIsNull(op) && (irOpIs(op, "stablehlo.reshape") || irOpIs(op, "stablehlo.dynamic_reshape"));
}

static bool isBroadcast(MlirOperation op) {
  return !mlirOperationIsNull(op) &&
         (irOpIs(op, "stablehlo.broadcast_in_dim") || irOpIs(op, "stablehlo.dynamic_broadcast_in_dim"));
}

/// The dimension of a broadcast's operand that dimension `dim` of its result follows; -1 if elements along that are all
/// the same.
static intptr_t broadcastDim(Padding *p, MlirOperation op, intptr_t dim) {
  HloConversion c = {.op = op, .arena = &p->r->arena};
  RefineShape from = refineShapeOf(p->r, irOperand(op, 0)), to = refineShapeOf(p->r, irResult(op, 0));
  IrShape dims;
  if (hloListAttr(&c, "broadcast_dimensions", &dims))
    for (intptr_t i = 0; i < dims.rank && i < from.rank; ++i)
      if (dims.dims[i] == dim && refineEqual(from.dims[i], to.dims[dim]))
        return i;
  return -1;
}

/// The same of a reshape that adds and removes dimensions of size one alone; false if it does more.
static bool reshapeDim(Padding *p, MlirOperation op, intptr_t dim, intptr_t *source) {
  RefineShape from = refineShapeOf(p->r, irOperand(op, 0)), to = refineShapeOf(p->r, irResult(op, 0));
  RefineSize one = refineConstant(1);
  intptr_t i = 0;
  *source = -1;
  for (intptr_t d = 0; d < to.rank; ++d) {
    if (refineEqual(to.dims[d], one))
      continue;
    while (i < from.rank && refineEqual(from.dims[i], one))
      ++i;
    if (i == from.rank || !refineEqual(from.dims[i], to.dims[d]))
      return false;
    *source = d == dim ? i : *source;
    ++i;
  }
  return true;
}

/// The operand of a broadcast `value`, if each element of `value` along `dims` is that of its row, and the rows are in
/// order; null if it is none.
static MlirValue valuesOfRows(Padding *p, MlirValue value, const IrShape *dims) {
  RefineShape shape = refineShapeOf(p->r, value);
  intptr_t follows[IR_MAX_RANK], row = 0;
  for (intptr_t d = 0; d < shape.rank; ++d)
    follows[d] = d;
  MlirOperation op = irDefiningOp(value = withoutConversions(value));
  for (; isReshape(op) || isBroadcast(op); op = irDefiningOp(value = withoutConversions(irOperand(op, 0))))
    for (intptr_t d = 0; d < shape.rank; ++d) {
      intptr_t dim = follows[d];
      if (dim >= 0 && isBroadcast(op))
        follows[d] = broadcastDim(p, op, dim);
      else if (dim >= 0 && !reshapeDim(p, op, dim, &follows[d]))
        return (MlirValue){NULL};
    }
  for (intptr_t d = 0; d < shape.rank; ++d) {
    bool isConstant = irContains(*dims, d);
    if (isConstant ? follows[d] >= 0 : follows[d] != row && !refineEqual(shape.dims[d], refineConstant(1)))
      return (MlirValue){NULL};
    row += !isConstant;
  }
  return value;
}

/// The one reduction of `kind` ("stablehlo.maximum") along `dims` that made `value`; null if it is none.
static MlirOperation reductionOf(Padding *p, MlirValue value, const char *kind, const IrShape *dims) {
  MlirOperation none = {NULL}, op = mlirValueIsNull(value) ? none : irDefiningOp(value);
  if (mlirOperationIsNull(op) || !irOpIs(op, "stablehlo.reduce") || mlirOperationGetNumResults(op) != 1)
    return none;
  HloConversion c = {.op = op, .arena = &p->r->arena};
  IrShape reduced;
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(op, 0));
  if (!hloListAttr(&c, "dimensions", &reduced) || !irShapesEqual(reduced, *dims) || mlirOperationIsNull(end) ||
      mlirOperationGetNumOperands(end) != 1)
    return none;
  MlirOperation combiner = irDefiningOp(irOperand(end, 0));
  return !mlirOperationIsNull(combiner) && irOpIs(combiner, kind) ? op : none;
}

/// The reduction that made `value`, or an operand of a maximum that is `value`: jax.nn.softmax takes the maximum with
/// -inf. A value that is at least the row's maximum serves as well.
static MlirOperation maximumOf(Padding *p, MlirValue value, const IrShape *dims) {
  MlirOperation op = mlirValueIsNull(value) ? (MlirOperation){NULL} : irDefiningOp(value);
  if (mlirOperationIsNull(op) || !irOpIs(op, "stablehlo.maximum"))
    return reductionOf(p, value, "stablehlo.maximum", dims);
  for (intptr_t i = 0; i < 2; ++i) {
    MlirOperation found = reductionOf(p, withoutConversions(irOperand(op, i)), "stablehlo.maximum", dims);
    if (!mlirOperationIsNull(found))
      return found;
  }
  return (MlirOperation){NULL};
}

/// Whether `value` is exp(x - max(x)) with -inf in the padding of x along `dims`: there it is zero, or the whole row is
/// NaN.
static bool isSoftmaxExponential(Padding *p, MlirValue value, const IrShape *dims) {
  MlirOperation exponential = irDefiningOp(withoutConversions(value));
  if (mlirOperationIsNull(exponential) || !irOpIs(exponential, "stablehlo.exponential"))
    return false;
  MlirOperation difference = irDefiningOp(withoutConversions(irOperand(exponential, 0)));
  if (mlirOperationIsNull(difference) || !irOpIs(difference, "stablehlo.subtract"))
    return false;
  MlirOperation maximum = maximumOf(p, valuesOfRows(p, irOperand(difference, 1), dims), dims);
  return hasInfinity(irOperand(difference, 0)) && !mlirOperationIsNull(maximum) &&
         mlirValueEqual(withoutConversions(irOperand(difference, 0)), withoutConversions(irOperand(maximum, 0)));
}

static bool isZero(MlirValue value) {
  MlirOperation op = irDefiningOp(withoutConversions(value));
  MlirAttribute data =
      !mlirOperationIsNull(op) && irOpIs(op, "stablehlo.constant") ? irGetAttr(op, "value") : mlirAttributeGetNull();
  if (mlirAttributeIsNull(data) || !mlirAttributeIsADenseElements(data) || !mlirDenseElementsAttrIsSplat(data))
    return false;
  MlirAttribute element = mlirDenseElementsAttrGetSplatValue(data);
  return mlirAttributeIsAFloat(element) && mlirFloatAttrGetValueDouble(element) == 0;
}

/// Whether the padding of `value` along `dims` is zero (or its whole row NaN).
static bool hasZeroPadding(Padding *p, MlirValue value, const IrShape *dims) {
  MlirValue inner = withoutConversions(value);
  if (isSoftmaxExponential(p, inner, dims))
    return true;
  MlirOperation op = irDefiningOp(inner);
  if (mlirOperationIsNull(op) || !irOpIs(op, "stablehlo.divide") || !isSoftmaxExponential(p, irOperand(op, 0), dims))
    return false;
  MlirOperation sum = reductionOf(p, valuesOfRows(p, irOperand(op, 1), dims), "stablehlo.add", dims);
  return !mlirOperationIsNull(sum) && isZero(irOperand(sum, 1)) &&
         mlirValueEqual(withoutConversions(irOperand(sum, 0)), withoutConversions(irOperand(op, 0)));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The neutral element of a reduction: the identity of its combiner, if it is a known one, else the initial value,
/// which StableHLO lets take part any number of times.
static MlirValue neutralOf(Padding *p, intptr_t input, intptr_t numInputs) {
  MlirValue initial = irOperand(p->op, numInputs + input);
  int kind = numInputs == 1 ? hloRegionKind(&p->c, 0) : -1;
  MlirAttribute identity =
      kind >= 0 ? hloIdentity(p->r->context, kind, irElementTypeOf(initial)) : mlirAttributeGetNull();
  if (mlirAttributeIsNull(identity))
    return initial;
  return paddingElement(p, irElementTypeOf(initial), identity);
}

static bool reducesPadding(Padding *p, MlirValue value, const IrShape *dims) {
  for (intptr_t i = 0; i < dims->rank; ++i)
    if (dims->dims[i] >= 0 && dims->dims[i] < irShapeOf(value).rank && paddingHasPadding(p->r, value, dims->dims[i]))
      return true;
  return false;
}

/// The operation of `block` that `op` is or is in; null if it is not in that block.
static MlirOperation ancestorIn(MlirBlock block, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

/// A use of `value` behind `op`; null if there is none.
static MlirOpOperand laterUse(MlirValue value, MlirOperation op) {
  IR_FOR_EACH_USE(use, value) {
    MlirOperation user = ancestorIn(mlirOperationGetBlock(op), mlirOpOperandGetOwner(use));
    if (!mlirOperationIsNull(user) && mlirOperationIsBeforeInBlock(op, user))
      return use;
  }
  return (MlirOpOperand){NULL};
}

/// Later operations read `masked` instead of `value`: its padding says no less.
static void useMasked(MlirValue value, MlirValue masked) {
  for (MlirOpOperand use; use = laterUse(value, irDefiningOp(masked)), !mlirOpOperandIsNull(use);)
    mlirOperationSetOperand(mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use), masked);
}

static void setReducedLayouts(Padding *p, const IrShape *dims) {
  PaddingLayout from = paddingLayoutOf(p->r, irOperand(p->op, 0)), layout = {0};
  for (intptr_t i = 0; i < from.rank; ++i)
    if (!irContains(*dims, i))
      layout.dims[layout.rank++] = from.dims[i];
  for (intptr_t i = 0; i < mlirOperationGetNumResults(p->op); ++i)
    paddingSetLayout(p->r, irResult(p->op, i), &layout);
}

bool paddingReduce(Padding *p) {
  IrShape dims;
  intptr_t count = mlirOperationGetNumResults(p->op);
  if (!hloListAttr(&p->c, "dimensions", &dims) || mlirOperationGetNumOperands(p->op) != 2 * count || count < 1)
    return refineFail(p->op, "must have an initial value for each operand");
  PaddingLayout first = paddingLayoutOf(p->r, irOperand(p->op, 0));
  for (intptr_t i = 0; i < count; ++i)
    if (count > 1 && !paddingIsPlain(&first))
      paddingPlainOperand(p, i);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue value = irOperand(p->op, i);
    if (!reducesPadding(p, value, &dims))
      continue;
    int kind = count == 1 ? hloRegionKind(&p->c, 0) : -1;
    if (kind == KIND_ADD && hasZeroPadding(p, value, &dims))
      continue;
    MlirValue masked = paddingMasked(p, value, &dims, neutralOf(p, i, count));
    if (kind == KIND_MAX && irIsFloat(irElementTypeOf(value)))
      useMasked(value, masked);
    mlirOperationSetOperand(p->op, i, masked);
  }
  setReducedLayouts(p, &dims);
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Makes contracted, or batch, dimensions of both operands lie alike.
static void alignDims(Padding *p, const IrShape *lhs, const IrShape *rhs) {
  PaddingLayout a = paddingLayoutOf(p->r, irOperand(p->op, 0)), b = paddingLayoutOf(p->r, irOperand(p->op, 1));
  for (intptr_t i = 0; i < lhs->rank && i < rhs->rank; ++i) {
    if (paddingSameDim(&a.dims[lhs->dims[i]], &b.dims[rhs->dims[i]]))
      continue;
    paddingPlainOperand(p, 0);
    paddingPlainOperand(p, 1);
    return;
  }
}

/// Zero along the contracted dimensions of an operand, where there is padding.
static void maskContracted(Padding *p, intptr_t i, const IrShape *dims) {
  MlirValue value = irOperand(p->op, i);
  if (reducesPadding(p, value, dims) && !hasZeroPadding(p, value, dims))
    mlirOperationSetOperand(p->op, i, paddingMasked(p, value, dims, paddingZero(p, irElementTypeOf(value))));
}

static bool inRank(const IrShape *dims, intptr_t rank) {
  for (intptr_t i = 0; i < dims->rank; ++i)
    if (dims->dims[i] < 0 || dims->dims[i] >= rank)
      return false;
  return true;
}

static bool padProduct(Padding *p, const IrShape batch[2], const IrShape contracted[2]) {
  PaddingLayout result = {0};
  for (intptr_t i = 0; i < 2; ++i)
    if (!inRank(&batch[i], irShapeOf(irOperand(p->op, i)).rank) ||
        !inRank(&contracted[i], irShapeOf(irOperand(p->op, i)).rank))
      return refineFail(p->op, "names a dimension that an operand has not");
  alignDims(p, &batch[0], &batch[1]);
  alignDims(p, &contracted[0], &contracted[1]);
  for (intptr_t i = 0; i < 2; ++i) {
    maskContracted(p, i, &contracted[i]);
    PaddingLayout layout = paddingLayoutOf(p->r, irOperand(p->op, i));
    for (intptr_t k = 0; i == 0 && k < batch[0].rank; ++k)
      result.dims[result.rank++] = layout.dims[batch[0].dims[k]];
    for (intptr_t d = 0; d < layout.rank && result.rank < IR_MAX_RANK; ++d)
      if (!irContains(batch[i], d) && !irContains(contracted[i], d))
        result.dims[result.rank++] = layout.dims[d];
  }
  paddingSetLayout(p->r, irResult(p->op, 0), &result);
  return true;
}

bool paddingDotGeneral(Padding *p) {
  const char *text = hloAttrText(&p->c, "dot_dimension_numbers");
  IrShape batch[2], contracted[2];
  return hloListField(&p->c, text, "lhs_batching_dimensions", &batch[0]) &&
         hloListField(&p->c, text, "rhs_batching_dimensions", &batch[1]) &&
         hloListField(&p->c, text, "lhs_contracting_dimensions", &contracted[0]) &&
         hloListField(&p->c, text, "rhs_contracting_dimensions", &contracted[1]) && padProduct(p, batch, contracted);
}

bool paddingDot(Padding *p) {
  IrShape none[2] = {{0}, {0}}, contracted[2] = {{1, {irShapeOf(irOperand(p->op, 0)).rank - 1}}, {1, {0}}};
  return padProduct(p, none, contracted);
}

//===----------------------------------------------------------------------===//
// Sort
//===----------------------------------------------------------------------===//

/// The comparison (p, q, a..., b...) of a sort whose first operand marks padding: that comes last, and among itself as
/// before.
static void comparePaddingFirst(Padding *p, MlirBlock body) {
  IrShape none = {0};
  MlirType flag = paddingType(p, mlirIntegerTypeGet(p->r->context, 1), &none);
  MlirLocation loc = mlirOperationGetLocation(p->op);
  MlirValue left = mlirBlockInsertArgument(body, 0, flag, loc);
  MlirValue right = mlirBlockInsertArgument(body, 1, flag, loc);
  MlirOperation end = mlirBlockGetTerminator(body);
  Padding inner = {.r = p->r, .op = end, .b = irBuilderBefore(end)};
  MlirValue isElement = paddingUnary(&inner, "stablehlo.not", left, flag);
  MlirValue before = paddingBinary(&inner, "stablehlo.and", isElement, right);
  MlirValue alike = paddingUnary(&inner, "stablehlo.not", paddingBinary(&inner, "stablehlo.xor", left, right), flag);
  MlirValue given = paddingBinary(&inner, "stablehlo.and", alike, irOperand(end, 0));
  mlirOperationSetOperand(end, 0, paddingBinary(&inner, "stablehlo.or", before, given));
}

bool paddingSort(Padding *p) {
  intptr_t count = mlirOperationGetNumOperands(p->op);
  IrShape shape = irShapeOf(irOperand(p->op, 0));
  int64_t dim = irGetInt(p->op, "dimension", -1);
  dim += dim < 0 ? shape.rank : 0;
  MlirBlock body = irBody(p->op, 0);
  MlirOperation end = mlirBlockIsNull(body) ? (MlirOperation){NULL} : mlirBlockGetTerminator(body);
  if (dim < 0 || dim >= shape.rank || mlirOperationIsNull(end) || mlirOperationGetNumOperands(end) != 1 ||
      mlirBlockGetNumArguments(body) != 2 * count)
    return refineFail(p->op, "has no dimension or no comparison to sort by");
  for (intptr_t i = 0; i < count; ++i)
    paddingPlainOperand(p, i);
  if (!paddingHasPadding(p->r, irOperand(p->op, 0), dim))
    return true;
  RefineSize extent = refineShapeOf(p->r, irOperand(p->op, 0)).dims[dim];
  MlirValue *operands = IR_NEW_ARRAY(&p->r->arena, MlirValue, count + 1);
  MlirType *types = IR_NEW_ARRAY(&p->r->arena, MlirType, count + 1);
  operands[0] = paddingBelow(p, &shape, dim, extent);
  operands[0] = paddingUnary(p, "stablehlo.not", operands[0], mlirValueGetType(operands[0]));
  for (intptr_t i = 0; i < count; ++i)
    operands[i + 1] = irOperand(p->op, i);
  for (intptr_t i = 0; i <= count; ++i)
    types[i] = mlirValueGetType(operands[i]);
  comparePaddingFirst(p, body);
  MlirOperation sort =
      irOpWithRegions(&p->b, "stablehlo.sort", (IrValues){count + 1, operands}, (IrTypes){count + 1, types},
                      IR_ATTRS(irI64(&p->b, "dimension", dim), irI1(&p->b, "is_stable", hloIsTrue(&p->c, "is_stable"))),
                      1, IR_NO_TYPES);
  mlirRegionTakeBody(mlirOperationGetRegion(sort, 0), mlirOperationGetRegion(p->op, 0));
  for (intptr_t i = 0; i < count; ++i) {
    RefineShape extents = refineShapeOf(p->r, irResult(p->op, i));
    refineSetShape(p->r, irResult(sort, i + 1), &extents);
    mlirValueReplaceAllUsesOfWith(irResult(p->op, i), irResult(sort, i + 1));
  }
  refineErase(p->r, p->op);
  return true;
}
