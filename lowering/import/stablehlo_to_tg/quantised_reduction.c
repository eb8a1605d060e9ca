//===- quantised_reduction.c - combinations of quantised elements ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes reduce, reduce_window, scatter, select_and_scatter and reductions over processes. The order in which a body is
// applied is open, and with it how often a value in between is quantised. Sums are exact, of integers; products are
// those of floats; both are quantised once. Of the larger and the smaller element the integers tell. Other bodies
// compute as they are written.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_region.h"
#include "lowering/import/stablehlo_to_tg/quantised.h"

#include "ir/graph/tg_build.h"

#include <math.h>
#include <string.h>

/// The operation, and the quantised type that its body combines.
typedef struct {
  HloConversion *c;
  intptr_t count;               ///< of results
  intptr_t region;              ///< that combines
  intptr_t numData, numIndices; ///< operands that have elements; behind the first `count`, those that have none
  MlirBlock body;
  MlirOperation end;
} QuantisedReduction;

static const struct {
  const char *name;
  intptr_t region;
  int lists; ///< of operands, each with one for each result
  int indices;
} forms[] = {
    {"stablehlo.all_reduce", 0, 1, 0},         {"stablehlo.collective_reduce", 0, 1, 0}, {"stablehlo.reduce", 0, 2, 0},
    {"stablehlo.reduce_scatter", 0, 1, 0},     {"stablehlo.reduce_window", 0, 2, 0},     {"stablehlo.scatter", 0, 2, 1},
    {"stablehlo.select_and_scatter", 1, 3, 0},
};

/// The number of the operand that is data number `k`.
static intptr_t dataOperand(const QuantisedReduction *r, intptr_t k) { return k < r->count ? k : k + r->numIndices; }

static bool readForm(HloConversion *c, QuantisedReduction *r) {
  size_t form = 0;
  while (!irOpIs(c->op, forms[form].name))
    ++form;
  r->c = c;
  r->count = mlirOperationGetNumResults(c->op);
  r->region = forms[form].region;
  r->numIndices = forms[form].indices;
  r->numData = forms[form].lists * r->count;
  if (r->count < 1 || mlirOperationGetNumOperands(c->op) != r->numData + r->numIndices ||
      mlirOperationGetNumRegions(c->op) != r->region + 1)
    return hloFail(c, "it must have %d operands for each result and %ld regions", forms[form].lists,
                   (long)r->region + 1);
  r->end = hloRegionEnd(mlirOperationGetRegion(c->op, r->region));
  if (mlirOperationIsNull(r->end) || mlirOperationGetNumOperands(r->end) != r->count)
    return hloFail(c, "its body must be one block that returns a value for each result");
  r->body = mlirOperationGetBlock(r->end);
  return mlirBlockGetNumArguments(r->body) == 2 * r->count ||
         hloFail(c, "its body must take two arguments for each result");
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// Whether two tensors have one element type, quantised or not.
static bool haveOneElement(MlirType a, MlirType b) {
  return mlirTypeIsAShaped(a) && mlirTypeIsAShaped(b) &&
         mlirTypeEqual(mlirShapedTypeGetElementType(a), mlirShapedTypeGetElementType(b));
}

/// The specification's is_promotable, of quantised types.
static bool isPromotable(const Quantisation *from, const Quantisation *to) {
  return mlirTypeEqual(from->expressed, to->expressed) &&
         mlirIntegerTypeGetWidth(from->storage) <= mlirIntegerTypeGetWidth(to->storage);
}

/// Data, the body's arguments and the result of number `i`.
static bool checkNumber(const QuantisedReduction *r, intptr_t i) {
  HloConversion *c = r->c;
  MlirType type = mlirValueGetType(hloOperand(c, i)), result = hloResultType(c, i);
  for (intptr_t k = i; k < r->numData; k += r->count)
    if (!haveOneElement(type, mlirValueGetType(hloOperand(c, dataOperand(r, k)))))
      return hloFail(c, "operands %ld and %ld must have the same element type", (long)i, (long)dataOperand(r, k));
  MlirType ends[] = {mlirValueGetType(mlirBlockGetArgument(r->body, i)),
                     mlirValueGetType(mlirBlockGetArgument(r->body, r->count + i)),
                     mlirValueGetType(irOperand(r->end, i))};
  for (int k = 0; k < 3; ++k)
    if (!haveOneElement(result, ends[k]))
      return hloFail(c, "the body's arguments and result %ld must have one element type", (long)i);
  if (!quantIsQuantised(type) && !quantIsQuantised(result))
    return true;
  if (!quantIsQuantised(type) || !quantIsQuantised(result))
    return hloFail(c, "operand %ld and result %ld must both be quantised", (long)i, (long)i);
  Quantisation from = quantOf(c, type), to = quantOf(c, result);
  if (from.dim >= 0 || to.dim >= 0)
    return hloFail(c, "operand %ld and result %ld must have one scale", (long)i, (long)i);
  return isPromotable(&from, &to) ||
         hloFail(c, "result %ld must have the expressed type of operand %ld, and integers that are not narrower",
                 (long)i, (long)i);
}

/// The region of select_and_scatter that selects compares elements of the operand.
static bool checkSelection(const QuantisedReduction *r) {
  if (r->region == 0)
    return true;
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(r->c->op, 0));
  if (mlirOperationIsNull(end))
    return true; // the conversion reports the error
  MlirBlock block = mlirOperationGetBlock(end);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    if (!haveOneElement(mlirValueGetType(mlirBlockGetArgument(block, i)), mlirValueGetType(hloOperand(r->c, 0))))
      return hloFail(r->c, "its selecting body must take the element type of operand 0");
  return true;
}

//===----------------------------------------------------------------------===//
// Another type for the combined values
//===----------------------------------------------------------------------===//

/// Gives the arguments and the value of a body another element type.
static void retypeBody(MlirBlock block, MlirType element) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    mlirValueSetType(argument, tgWithElement(mlirValueGetType(argument), element));
  }
}

/// The operand requantised to the type that the body combines, if that is another one.
static void promote(const QuantisedReduction *r, intptr_t k) {
  HloConversion *c = r->c;
  intptr_t number = dataOperand(r, k);
  MlirValue value = hloOperand(c, number);
  MlirType element = irElementType(hloResultType(c, k % r->count));
  if (mlirTypeEqual(irElementTypeOf(value), element))
    return;
  MlirType type = tgWithElement(mlirValueGetType(value), element);
  mlirOperationSetOperand(c->op, number, quantQuantise(c, &c->b, quantDequantise(c, &c->b, value), type));
}

/// Both bodies of a select_and_scatter then take the operand's new type.
static void promoteAll(const QuantisedReduction *r) {
  for (intptr_t k = 0; k < r->numData; ++k)
    if (quantIsQuantised(mlirValueGetType(hloOperand(r->c, dataOperand(r, k)))))
      promote(r, k);
  MlirOperation selects = r->region == 1 ? hloRegionEnd(mlirOperationGetRegion(r->c->op, 0)) : (MlirOperation){NULL};
  if (!mlirOperationIsNull(selects))
    retypeBody(mlirOperationGetBlock(selects), irElementType(hloResultType(r->c, 0)));
}

/// Sums in integers wide enough for all elements that there are to sum.
static MlirType sumType(const QuantisedReduction *r, const Quantisation *q) {
  enum { MOST_PROCESSES = 1 << 15 };
  double lowest, highest, count = MOST_PROCESSES;
  quantStorageRange(q, &lowest, &highest);
  for (intptr_t k = 0; k < r->numData; ++k)
    count = fmax(count, (double)irNumElements(irShapeOf(hloOperand(r->c, dataOperand(r, k)))) + 2);
  bool fits = (highest - lowest) * count < ldexp(1, 31);
  return mlirIntegerTypeGet(r->c->b.context, fits ? 32 : 64);
}

/// Combines values of element type `computed` in the place of quantised ones.
static MlirOperation combineIn(const QuantisedReduction *r, MlirType computed) {
  HloConversion *c = r->c;
  MlirOperation combiner = irDefiningOp(irOperand(r->end, 0));
  MlirType type = hloResultType(c, 0);
  retypeBody(r->body, computed);
  mlirValueSetType(irResult(combiner, 0), tgWithElement(mlirValueGetType(irResult(combiner, 0)), computed));
  MlirOperation selects = r->region == 1 ? hloRegionEnd(mlirOperationGetRegion(c->op, 0)) : (MlirOperation){NULL};
  if (!mlirOperationIsNull(selects))
    retypeBody(mlirOperationGetBlock(selects), computed);
  return quantDetach(c, 0, tgWithElement(type, computed));
}

static void sumIntegers(const QuantisedReduction *r) {
  HloConversion *c = r->c;
  MlirType type = hloResultType(c, 0);
  Quantisation q = quantOf(c, type);
  MlirType wide = sumType(r, &q);
  for (intptr_t k = 0; k < r->numData; ++k) {
    intptr_t number = dataOperand(r, k);
    mlirOperationSetOperand(c->op, number, quantDifference(c, &c->b, hloOperand(c, number), wide));
  }
  MlirOperation detached = combineIn(r, wide);
  IrBuilder b = irBuilderBefore(detached);
  quantFinish(detached, quantQuantiseInteger(c, &b, irResult(c->op, 0), type));
}

static void multiplyFloats(const QuantisedReduction *r) {
  HloConversion *c = r->c;
  MlirType type = hloResultType(c, 0), floats = quantOf(c, type).expressed;
  for (intptr_t k = 0; k < r->numData; ++k) {
    intptr_t number = dataOperand(r, k);
    mlirOperationSetOperand(c->op, number, quantDequantise(c, &c->b, hloOperand(c, number)));
  }
  MlirOperation detached = combineIn(r, floats);
  IrBuilder b = irBuilderBefore(detached);
  quantFinish(detached, quantQuantise(c, &b, irResult(c->op, 0), type));
}

/// Whether the elements that a select_and_scatter selects are found by one comparison, whatever their type.
static bool selectsByComparison(const QuantisedReduction *r) {
  if (r->region == 0)
    return true;
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(r->c->op, 0));
  if (mlirOperationIsNull(end) || hloBlockLength(mlirOperationGetBlock(end)) != 2)
    return false;
  MlirOperation compare = mlirBlockGetFirstOperation(mlirOperationGetBlock(end));
  if (!irOpIs(compare, "stablehlo.compare"))
    return false;
  mlirOperationRemoveAttributeByName(compare, mlirStringRefCreateFromCString("compare_type"));
  return true;
}

/// The combiner of two elements, if the body does nothing else, as HloKind; otherwise -1.
static int kindOf(const QuantisedReduction *r) {
  if (r->count != 1 || !selectsByComparison(r) || hloBlockLength(r->body) != 2 ||
      !quantIsQuantised(hloResultType(r->c, 0)))
    return -1;
  return hloCombinerKind(irOperand(r->end, 0), mlirBlockGetArgument(r->body, 0), mlirBlockGetArgument(r->body, 1));
}

bool quantLowerReduction(HloConversion *c) {
  QuantisedReduction r;
  if (!readForm(c, &r))
    return false;
  for (intptr_t i = 0; i < r.count; ++i)
    if (!checkNumber(&r, i))
      return false;
  if (!checkSelection(&r))
    return false;
  promoteAll(&r);
  int kind = kindOf(&r);
  if (kind == KIND_ADD)
    sumIntegers(&r);
  else if (kind == KIND_MUL)
    multiplyFloats(&r);
  return true;
}
