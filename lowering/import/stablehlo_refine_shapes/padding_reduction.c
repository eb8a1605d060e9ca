//===- padding_reduction.c - reductions and products of padded tensors ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where elements along a dimension are combined, its padding gets the value that changes nothing. A maximum's operand,
// once masked, is what later operations read too: then in a softmax exp(x - max) is zero in the padding by itself, and
// neither its sum nor the product with it needs a mask of its own.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/padding.h"

#include "lowering/import/stablehlo_to_tg/region.h"

//===----------------------------------------------------------------------===//
// What is known of the padding
//===----------------------------------------------------------------------===//

/// `value` without conversions.
static MlirValue withoutConversions(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) &&
         (irOpIs(op, "stablehlo.convert") || irOpIs(op, "stablehlo.optimization_barrier")) &&
         mlirOperationGetNumOperands(op) == 1) {
    value = irOperand(op, 0);
    op = irDefiningOp(value);
  }
  return value;
}

/// What is broadcast to make `value`; null if it is not broadcast.
static MlirValue broadcastSource(MlirValue value) {
  bool isBroadcast = false;
  for (;;) {
    MlirOperation op = irDefiningOp(value);
    bool isStep = !mlirOperationIsNull(op) &&
                  (irOpIs(op, "stablehlo.broadcast_in_dim") || irOpIs(op, "stablehlo.dynamic_broadcast_in_dim"));
    if (!isStep &&
        (mlirOperationIsNull(op) || !(irOpIs(op, "stablehlo.reshape") || irOpIs(op, "stablehlo.dynamic_reshape"))))
      return isBroadcast ? value : (MlirValue){NULL};
    isBroadcast |= isStep;
    value = irOperand(op, 0);
  }
}

/// The one reduction of `kind` ("stablehlo.maximum") along `dims` that made `value`; null if it is none.
static MlirOperation reductionOf(MlirValue value, const char *kind, const IrShape *dims, Padding *p) {
  MlirOperation none = {NULL};
  if (mlirValueIsNull(value))
    return none;
  MlirOperation op = irDefiningOp(withoutConversions(value));
  // jax.nn.softmax takes the maximum of that and -inf: it is the same.
  for (intptr_t i = 0; !mlirOperationIsNull(op) && irOpIs(op, kind) && i < 2; ++i) {
    MlirOperation inner = irDefiningOp(withoutConversions(irOperand(op, i)));
    if (!mlirOperationIsNull(inner) && irOpIs(inner, "stablehlo.reduce")) {
      op = inner;
      break;
    }
  }
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

/// Whether `value` is exp(x - max(x)) with -inf in the padding of x along `dims`: there it is zero, or the whole row is
/// NaN.
static bool isSoftmaxExponential(Padding *p, MlirValue value, const IrShape *dims) {
  MlirOperation exponential = irDefiningOp(withoutConversions(value));
  if (mlirOperationIsNull(exponential) || !irOpIs(exponential, "stablehlo.exponential"))
    return false;
  MlirOperation difference = irDefiningOp(withoutConversions(irOperand(exponential, 0)));
  if (mlirOperationIsNull(difference) || !irOpIs(difference, "stablehlo.subtract"))
    return false;
  MlirOperation maximum = reductionOf(broadcastSource(irOperand(difference, 1)), "stablehlo.maximum", dims, p);
  bool hasInfinity = irElementBytes(irElementTypeOf(irOperand(difference, 0))) >= 2;
  return hasInfinity && !mlirOperationIsNull(maximum) &&
         mlirValueEqual(withoutConversions(irOperand(difference, 0)), withoutConversions(irOperand(maximum, 0)));
}

/// Whether the padding of `value` along `dims` is zero (or its whole row NaN).
static bool hasZeroPadding(Padding *p, MlirValue value, const IrShape *dims) {
  MlirValue inner = withoutConversions(value);
  if (isSoftmaxExponential(p, inner, dims))
    return true;
  MlirOperation op = irDefiningOp(inner);
  if (mlirOperationIsNull(op) || !irOpIs(op, "stablehlo.divide") || !isSoftmaxExponential(p, irOperand(op, 0), dims))
    return false;
  MlirOperation sum = reductionOf(broadcastSource(irOperand(op, 1)), "stablehlo.add", dims, p);
  return !mlirOperationIsNull(sum) &&
         mlirValueEqual(withoutConversions(irOperand(sum, 0)), withoutConversions(irOperand(op, 0)));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What leaves the result of a reduction as it is: the identity of the operation that it combines by, if it is one that
/// we know, else the initial value, which StableHLO lets take part any number of times.
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

/// The comparison (p, q, a..., b...) of a sort whose first operand says what is padding: that comes last, and among
/// itself as before.
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
