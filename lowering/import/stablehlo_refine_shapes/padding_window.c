//===- padding_window.c - windows and convolutions of padded tensors --------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window that reaches behind the model's elements finds the values there that StableHLO has behind a tensor: the
// initial value of a reduction, zeros of a convolution.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_refine_shapes/padding.h"

#include "ir/graph/tg.h"
#include "lowering/import/stablehlo_to_tg/hlo_region.h"

bool paddingReduceWindow(Padding *p) {
  intptr_t count = mlirOperationGetNumResults(p->op), rank = irShapeOf(irOperand(p->op, 0)).rank;
  IrShape low, high, reaching = {0};
  if (!hloPaddingAttr(&p->c, rank, &low, &high))
    return false;
  for (intptr_t i = 0; i < rank; ++i)
    if (high.dims[i] > 0)
      reaching.dims[reaching.rank++] = i;
  for (intptr_t i = 0; i < count; ++i) {
    paddingPlainOperand(p, i);
    MlirValue value = irOperand(p->op, i);
    mlirOperationSetOperand(p->op, i, paddingMasked(p, value, &reaching, irOperand(p->op, count + i)));
  }
  return true;
}

bool paddingIsCumulative(const Refiner *r, RefineSize window, RefineSize low, RefineSize high, RefineSize extent) {
  RefineSize others;
  int64_t least, most;
  if (!refineSub(window, refineConstant(1), &others) || !refineDifference(r, window, extent, &least, &most) ||
      least < 0)
    return false;
  RefineSize none = refineConstant(0);
  return (refineEqual(low, others) && refineEqual(high, none)) || (refineEqual(low, none) && refineEqual(high, others));
}

bool paddingCumulative(Padding *p) {
  intptr_t count = mlirOperationGetNumResults(p->op);
  for (intptr_t i = 0; i < count; ++i) {
    paddingPlainOperand(p, i);
    MlirValue value = irOperand(p->op, i);
    RefineShape extents = refineShapeOf(p->r, value);
    IrShape all = {.rank = extents.rank};
    for (intptr_t d = 0; d < extents.rank; ++d)
      all.dims[d] = d;
    mlirOperationSetOperand(p->op, i, paddingMasked(p, value, &all, irOperand(p->op, count + i)));
    refineSetShape(p->r, irResult(p->op, i), &extents);
    mlirValueSetType(irResult(p->op, i), mlirValueGetType(value));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Windows whose selected elements are added to
//===----------------------------------------------------------------------===//

/// The element that a comparison of two never selects: the lowest for "a >= b"; null if it compares in another way.
static MlirAttribute neverSelected(Padding *p, MlirType element) {
  MlirBlock body = irBody(p->op, 0);
  MlirOperation end = mlirBlockIsNull(body) ? (MlirOperation){NULL} : mlirBlockGetTerminator(body);
  bool isOne = !mlirOperationIsNull(end) && mlirOperationGetNumOperands(end) == 1;
  MlirOperation compare = isOne ? irDefiningOp(irOperand(end, 0)) : (MlirOperation){NULL};
  if (mlirOperationIsNull(compare) || !irOpIs(compare, "stablehlo.compare") ||
      !mlirValueEqual(irOperand(compare, 0), mlirBlockGetArgument(body, 0)) ||
      !mlirValueEqual(irOperand(compare, 1), mlirBlockGetArgument(body, 1)))
    return mlirAttributeGetNull();
  HloConversion c = {.op = compare, .arena = &p->r->arena};
  int direction = hloCompareDirection(&c);
  bool takesLargest = direction == TG_GE || direction == TG_GT, takesLeast = direction == TG_LE || direction == TG_LT;
  return takesLargest || takesLeast ? hloIdentity(p->r->context, takesLargest ? KIND_MAX : KIND_MIN, element)
                                    : mlirAttributeGetNull();
}

/// Operands: the tensor to select from, the values added to selected elements, the initial value.
bool paddingSelectAndScatter(Padding *p) {
  for (intptr_t i = 0; i < 2; ++i)
    paddingPlainOperand(p, i);
  MlirValue operand = irOperand(p->op, 0), source = irOperand(p->op, 1);
  MlirAttribute never = neverSelected(p, irElementTypeOf(operand));
  int kind = hloRegionKind(&p->c, 1);
  MlirAttribute neutral =
      kind >= 0 ? hloIdentity(p->r->context, kind, irElementTypeOf(source)) : mlirAttributeGetNull();
  if (mlirAttributeIsNull(never) || mlirAttributeIsNull(neutral))
    return refineFail(p->op, "selects or combines in a way that no element of padding leaves as it is");
  IrShape all = {.rank = irShapeOf(operand).rank};
  for (intptr_t d = 0; d < all.rank; ++d)
    all.dims[d] = d;
  MlirValue least = paddingElement(p, irElementTypeOf(operand), never),
            nothing = paddingElement(p, irElementTypeOf(source), neutral);
  mlirOperationSetOperand(p->op, 0, paddingMasked(p, operand, &all, least));
  mlirOperationSetOperand(p->op, 1, paddingMasked(p, source, &all, nothing));
  return true;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static bool reversesWindow(Padding *p) {
  const char *text = hloAttrText(&p->c, "window_reversal");
  for (; *text; ++text)
    if (*text == 't' && text[1] == 'r') // true
      return true;
  return false;
}

/// Operands: images and windows. The paddings of a dynamic_conv are attributes by now.
bool paddingConvolution(Padding *p) {
  HloConvolutionDims lhs, rhs, result;
  int64_t featureGroups, batchGroups;
  IrShape low, high, imageDims = {0}, windowDims = {0};
  paddingPlainOperand(p, 0);
  paddingPlainOperand(p, 1);
  if (!hloConvolutionDims(&p->c, &lhs, &rhs, &result) || !hloIntAttr(&p->c, "feature_group_count", &featureGroups) ||
      !hloIntAttr(&p->c, "batch_group_count", &batchGroups) || !hloPaddingAttr(&p->c, lhs.spatial.rank, &low, &high))
    return false;
  RefineShape images = refineShapeOf(p->r, irOperand(p->op, 0)), windows = refineShapeOf(p->r, irOperand(p->op, 1));
  bool hasOpenFeatures = paddingIsOpen(images.dims[lhs.second]) || paddingIsOpen(windows.dims[rhs.first]) ||
                         paddingIsOpen(windows.dims[rhs.second]);
  if ((featureGroups != 1 && hasOpenFeatures) || (batchGroups != 1 && paddingIsOpen(images.dims[lhs.first])))
    return refineFail(p->op, "has groups of an open size");
  for (intptr_t i = 0; i < lhs.spatial.rank; ++i) {
    bool isOpenWindow = paddingIsOpen(windows.dims[rhs.spatial.dims[i]]);
    if (isOpenWindow && reversesWindow(p))
      return refineFail(p->op, "reverses a window of size %s", refineSizeText(p->r, windows.dims[rhs.spatial.dims[i]]));
    if (isOpenWindow)
      windowDims.dims[windowDims.rank++] = rhs.spatial.dims[i];
    if (isOpenWindow || high.dims[i] > 0)
      imageDims.dims[imageDims.rank++] = lhs.spatial.dims[i];
  }
  imageDims.dims[imageDims.rank++] = lhs.second;
  windowDims.dims[windowDims.rank++] = rhs.first;
  MlirValue operands[] = {irOperand(p->op, 0), irOperand(p->op, 1)};
  const IrShape *dims[] = {&imageDims, &windowDims};
  for (intptr_t i = 0; i < 2; ++i)
    mlirOperationSetOperand(p->op, i,
                            paddingMasked(p, operands[i], dims[i], paddingZero(p, irElementTypeOf(operands[i]))));
  return true;
}
