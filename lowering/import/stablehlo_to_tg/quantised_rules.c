//===- quantised_rules.c - rules of quantised operations ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes operations with quantised operands or results, all but products and combinations. Most become computations on
// floats, behind which the result is quantised; those that move elements stay, and move integers. Of all it is checked
// that they keep the specification's constraints on quantised types, which integers do not show any more.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_region.h"
#include "lowering/import/stablehlo_to_tg/quantised.h"

#include "ir/graph/tg_build.h"

#include <stdio.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static MlirType operandType(HloConversion *c, intptr_t i) { return mlirValueGetType(hloOperand(c, i)); }

/// Operands `first` and up to `last` (-1: all behind), and all results, are quantised, with one scale each.
static bool areQuantised(HloConversion *c, intptr_t first, intptr_t last) {
  intptr_t numOperands = mlirOperationGetNumOperands(c->op), numResults = mlirOperationGetNumResults(c->op);
  last = last < 0 || last > numOperands ? numOperands : last;
  for (intptr_t i = first; i < last + numResults; ++i) {
    bool isOperand = i < last;
    MlirType type = isOperand ? operandType(c, i) : hloResultType(c, i - last);
    const char *what = isOperand ? "operand" : "result";
    intptr_t number = isOperand ? i : i - last;
    if (!quantIsQuantised(type))
      return hloFail(c, "%s %ld must be quantised, as others are", what, (long)number);
    if (quantOf(c, type).dim >= 0)
      return hloFail(c, "%s %ld must have one scale, not one for each slice", what, (long)number);
  }
  return true;
}

/// Types of values are equal up to scales and zero points.
static bool haveOneBaseline(HloConversion *c, intptr_t first) {
  intptr_t numOperands = mlirOperationGetNumOperands(c->op), numResults = mlirOperationGetNumResults(c->op);
  MlirType type = numResults ? hloResultType(c, 0) : operandType(c, first);
  Quantisation expected = quantOf(c, type);
  for (intptr_t i = first; i < numOperands + numResults; ++i) {
    Quantisation q = quantOf(c, i < numOperands ? operandType(c, i) : hloResultType(c, i - numOperands));
    if (!quantHaveOneBaseline(&expected, &q))
      return hloFail(c, "operands and results must have the same storage and expressed types");
  }
  return true;
}

static bool hasOneResult(HloConversion *c) {
  return mlirOperationGetNumResults(c->op) == 1 || hloFail(c, "it must have one result");
}

static bool haveOneElement(MlirType a, MlirType b) {
  return mlirTypeIsAShaped(a) && mlirTypeIsAShaped(b) &&
         mlirTypeEqual(mlirShapedTypeGetElementType(a), mlirShapedTypeGetElementType(b));
}

//===----------------------------------------------------------------------===//
// Quantisation
//===----------------------------------------------------------------------===//

static bool checkConversion(HloConversion *c) {
  if (mlirOperationGetNumOperands(c->op) != 1 || mlirOperationGetNumResults(c->op) != 1)
    return hloFail(c, "it must have one operand and one result");
  if (!mlirTypeIsARankedTensor(operandType(c, 0)) || !mlirTypeIsARankedTensor(hloResultType(c, 0)))
    return hloFail(c, "only ranked tensors are supported");
  return irShapesEqual(irTypeShape(operandType(c, 0)), irTypeShape(hloResultType(c, 0))) ||
         hloFail(c, "operand and result must have the same shape");
}

static bool lowerUniformQuantize(HloConversion *c) {
  if (!checkConversion(c))
    return false;
  MlirType from = operandType(c, 0), to = hloResultType(c, 0);
  if (!quantIsQuantised(to))
    return hloFail(c, "its result must be quantised");
  MlirType floats = quantIsQuantised(from) ? quantOf(c, from).expressed : irElementType(from);
  if (!mlirTypeEqual(floats, quantOf(c, to).expressed))
    return hloFail(c, "its result must have the operand's float type as the expressed type");
  return hloReplaceResult(c, 0, quantQuantise(c, &c->b, quantDequantise(c, &c->b, hloOperand(c, 0)), to));
}

static bool lowerUniformDequantize(HloConversion *c) {
  if (!checkConversion(c))
    return false;
  MlirType from = operandType(c, 0), to = hloResultType(c, 0);
  if (!quantIsQuantised(from))
    return hloFail(c, "its operand must be quantised");
  if (!mlirTypeEqual(irElementType(to), quantOf(c, from).expressed))
    return hloFail(c, "its result must have the expressed type of its operand");
  return hloReplaceResult(c, 0, quantDequantise(c, &c->b, hloOperand(c, 0)));
}

//===----------------------------------------------------------------------===//
// Elementwise operations, and others that compute on floats
//===----------------------------------------------------------------------===//

static bool lowerComputation(HloConversion *c) {
  if (!areQuantised(c, 0, -1) || !haveOneBaseline(c, 0))
    return false;
  quantComputeOnFloats(c);
  return true;
}

/// The only elementwise operation of tensors with a scale for each slice.
static bool lowerAdd(HloConversion *c) {
  if (mlirOperationGetNumOperands(c->op) != 2 || mlirOperationGetNumResults(c->op) != 1)
    return hloFail(c, "it must have two operands and one result");
  MlirType types[] = {hloResultType(c, 0), operandType(c, 0), operandType(c, 1)};
  Quantisation q[3];
  for (int i = 0; i < 3; ++i) {
    if (!quantIsQuantised(types[i]))
      return hloFail(c, "both operands and the result must be quantised");
    q[i] = quantOf(c, types[i]);
    if (!mlirTypeEqual(q[i].storage, q[0].storage) || !mlirTypeEqual(q[i].expressed, q[0].expressed))
      return hloFail(c, "operands and the result must have the same storage and expressed types");
    if (q[i].dim >= 0 && q[0].dim >= 0 && q[i].dim != q[0].dim)
      return hloFail(c, "operand %d must have scales for the dimension for which the result has some", i - 1);
  }
  if ((q[1].dim >= 0 || q[2].dim >= 0) != (q[0].dim >= 0))
    return hloFail(c, "the result must have one scale for each slice where an operand has");
  quantComputeOnFloats(c);
  return true;
}

/// Integers of one type tell which element is larger, and are chosen among.
static bool lowerChoiceFrom(HloConversion *c, intptr_t first) {
  if (!hasOneResult(c) || !areQuantised(c, first, -1) || !haveOneBaseline(c, first))
    return false;
  MlirType result = hloResultType(c, 0);
  for (intptr_t i = first; i < mlirOperationGetNumOperands(c->op); ++i)
    if (!haveOneElement(operandType(c, i), result)) {
      quantComputeOnFloats(c);
      return true;
    }
  return true;
}

static bool lowerChoice(HloConversion *c) { return lowerChoiceFrom(c, 0); }

static bool lowerSelect(HloConversion *c) { return lowerChoiceFrom(c, 1); }

static bool lowerCompare(HloConversion *c) {
  const char *type = hloEnumKeyword(c, "compare_type", "comparison_type");
  if (mlirOperationGetNumOperands(c->op) != 2)
    return hloFail(c, "it must have two operands");
  for (int i = 0; i < 2; ++i)
    if (!quantIsQuantised(operandType(c, i)) || quantOf(c, operandType(c, i)).dim >= 0)
      return hloFail(c, "both operands must be quantised, with one scale");
  Quantisation lhs = quantOf(c, operandType(c, 0)), rhs = quantOf(c, operandType(c, 1));
  if (!quantHaveOneBaseline(&lhs, &rhs))
    return hloFail(c, "operands must have the same storage and expressed types");
  if (*type && strcmp(type, "NOTYPE") != 0 && strcmp(type, "FLOAT") != 0)
    return hloFail(c, "'compare_type' of quantised operands must be FLOAT");
  if (haveOneElement(operandType(c, 0), operandType(c, 1)))
    mlirOperationRemoveAttributeByName(c->op, mlirStringRefCreateFromCString("compare_type"));
  else
    quantComputeOnFloats(c);
  return true;
}

/// The numbers of integers are finite.
static bool lowerIsFinite(HloConversion *c) {
  if (mlirOperationGetNumOperands(c->op) != 1 || mlirOperationGetNumResults(c->op) != 1)
    return hloFail(c, "it must have one operand and one result");
  MlirType type = operandType(c, 0), result = hloResultType(c, 0);
  if (!quantIsQuantised(type) || quantOf(c, type).dim >= 0)
    return hloFail(c, "operand 0 must be quantised, with one scale");
  if (!irIsBool(irElementType(result)) || !irShapesEqual(irTypeShape(type), irTypeShape(result)))
    return hloFail(c, "its result must be an i1 for each element");
  return hloReplaceResult(c, 0, tgSplat(&c->b, result, 1));
}

static bool lowerIota(HloConversion *c) {
  intptr_t numOperands = mlirOperationGetNumOperands(c->op);
  if (!areQuantised(c, numOperands, numOperands))
    return false;
  quantComputeOnFloats(c);
  return true;
}

/// The same bits as elements of another integer type of as many.
static MlirAttribute withElementType(MlirAttribute elements, MlirType element) {
  int64_t count = mlirDenseElementsAttrIsSplat(elements) ? 1 : mlirElementsAttrGetNumElements(elements);
  return mlirDenseElementsAttrRawBufferGet(tgWithElement(mlirAttributeGetType(elements), element),
                                           (size_t)(count * irElementBytes(element)),
                                           mlirDenseElementsAttrGetRawData(elements));
}

/// Its elements are integers already. Exporters write those of an unsigned type as signless.
static bool lowerConstant(HloConversion *c) {
  if (!hasOneResult(c))
    return false;
  MlirAttribute value = irGetAttr(c->op, "value");
  MlirType result = hloResultType(c, 0), storage = irElementType(quantStorageType(result));
  if (mlirAttributeIsNull(value) || !mlirAttributeIsAElements(value) ||
      !mlirTypeIsARankedTensor(mlirAttributeGetType(value)))
    return hloFail(c, "attribute 'value' is not the elements of a tensor");
  MlirType type = mlirAttributeGetType(value), element = irElementType(type);
  if (!irShapesEqual(irTypeShape(type), irTypeShape(result)))
    return hloFail(c, "the value has another shape than the result");
  if (mlirTypeEqual(element, storage))
    return true;
  bool areBits = mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == mlirIntegerTypeGetWidth(storage);
  if (!areBits)
    return hloFail(c, "the elements of the value must have the storage type of the result");
  if (mlirAttributeIsADenseIntElements(value)) {
    irSetAttr(c->op, "value", withElementType(value, storage));
    return true;
  }
  MlirOperation detached = quantDetach(c, 0, type); // elements that are blobs stay as they are
  IrBuilder b = irBuilderBefore(detached);
  quantFinish(detached, quantFromStored(&b, tgBitcast(&b, irResult(c->op, 0), storage), result));
  return true;
}

//===----------------------------------------------------------------------===//
// Operations that move elements
//===----------------------------------------------------------------------===//

/// Operands `first` up to `last` and the result have one element type.
static bool moves(HloConversion *c, intptr_t first, intptr_t last) {
  if (!hasOneResult(c) || !areQuantised(c, first, last))
    return false;
  intptr_t numOperands = mlirOperationGetNumOperands(c->op);
  for (intptr_t i = first; i < numOperands && (last < 0 || i < last); ++i)
    if (!haveOneElement(operandType(c, i), hloResultType(c, 0)))
      return hloFail(c, "operand %ld and the result must have the same scale, zero point and types", (long)i);
  return true;
}

static bool lowerMoveOne(HloConversion *c) { return moves(c, 0, 1); }
static bool lowerMoveTwo(HloConversion *c) { return moves(c, 0, 2); }
static bool lowerMoveAll(HloConversion *c) { return moves(c, 0, -1); }

/// Whether all quantised operands have one scale.
static bool haveOneScale(HloConversion *c) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(c->op); ++i)
    if (quantIsQuantised(operandType(c, i)) && quantOf(c, operandType(c, i)).dim >= 0)
      return hloFail(c, "operand %ld must have one scale, not one for each slice", (long)i);
  return true;
}

/// Operand i and result i have the same element type; `isWhole`: the same type.
static bool arePaired(HloConversion *c, bool isWhole) {
  intptr_t count = mlirOperationGetNumResults(c->op);
  if (mlirOperationGetNumOperands(c->op) < count)
    return hloFail(c, "it must have an operand for each result");
  for (intptr_t i = 0; i < count; ++i) {
    MlirType from = operandType(c, i), to = hloResultType(c, i);
    if (isWhole ? !mlirTypeEqual(from, to) : !haveOneElement(from, to))
      return hloFail(c, "operand %ld and result %ld must have the same %s", (long)i, (long)i,
                     isWhole ? "type" : "element type");
  }
  return true;
}

static bool lowerPairs(HloConversion *c) { return haveOneScale(c) && arePaired(c, false); }
static bool lowerEqualPairs(HloConversion *c) { return haveOneScale(c) && arePaired(c, true); }

/// Who receives nothing has zeros: here the integer that stands for zero. Differences that wrap around do so back.
static bool lowerDelivery(HloConversion *c) {
  if (!haveOneScale(c) || !arePaired(c, false))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i) {
    MlirType type = hloResultType(c, i);
    if (!quantIsQuantised(type))
      continue;
    Quantisation q = quantOf(c, type);
    mlirOperationSetOperand(c->op, i, quantDifference(c, &c->b, hloOperand(c, i), q.storage));
    MlirOperation detached = quantDetach(c, i, quantStorageType(type));
    IrBuilder b = irBuilderBefore(detached);
    MlirValue received = irResult(c->op, i);
    if (!quantIsSymmetric(&q))
      received = tgAdd(&b, received, quantParameter(c, &b, mlirValueGetType(received), q.zeros, q.count, q.dim));
    quantFinish(detached, quantFromStored(&b, received, type));
  }
  return true;
}

/// Any elements of any operand.
static bool lowerNothing(HloConversion *c) {
  (void)c;
  return true;
}

//===----------------------------------------------------------------------===//
// Shapes of tensors with a scale for each slice
//===----------------------------------------------------------------------===//

static bool haveEqualParameters(const Quantisation *a, const Quantisation *b) {
  return a->count == b->count && !memcmp(a->scales, b->scales, (size_t)a->count * sizeof(double)) &&
         !memcmp(a->zeros, b->zeros, (size_t)a->count * sizeof(double));
}

/// Both are quantised, alike but for the dimension that has scales and for these; with one scale they are equal.
static bool readShaped(HloConversion *c, Quantisation *from, Quantisation *to) {
  if (mlirOperationGetNumOperands(c->op) < 1)
    return hloFail(c, "it must have an operand");
  if (!hasOneResult(c))
    return false;
  MlirType operand = operandType(c, 0), result = hloResultType(c, 0);
  if (!quantIsQuantised(operand) || !quantIsQuantised(result))
    return hloFail(c, "operand 0 and the result must both be quantised");
  *from = quantOf(c, operand);
  *to = quantOf(c, result);
  Quantisation alike = *to;
  alike.dim = from->dim;
  if (!quantHaveOneBaseline(from, &alike) || (from->dim < 0) != (to->dim < 0) ||
      (from->dim < 0 && !haveEqualParameters(from, to)))
    return hloFail(c, "operand 0 and the result must have the same scale, zero point and types");
  return true;
}

static bool lowerTranspose(HloConversion *c) {
  Quantisation from, to;
  IrShape permutation;
  if (!readShaped(c, &from, &to) || !hloListAttr(c, "permutation", &permutation))
    return false;
  if (from.dim < 0)
    return true;
  bool follows = to.dim < permutation.rank && permutation.dims[to.dim] == from.dim;
  return (follows && haveEqualParameters(&from, &to)) ||
         hloFail(c, "the scales of the result must be those of operand 0, for the dimension that it becomes");
}

static int64_t elementsIn(IrShape shape, int64_t first, int64_t last) {
  int64_t count = 1;
  for (int64_t d = first; d < last; ++d)
    count *= shape.dims[d];
  return count;
}

static bool lowerReshape(HloConversion *c) {
  Quantisation from, to;
  if (!readShaped(c, &from, &to))
    return false;
  if (from.dim < 0)
    return true;
  IrShape operand = irTypeShape(operandType(c, 0)), result = irTypeShape(hloResultType(c, 0));
  bool keepsSlices = elementsIn(operand, 0, from.dim) == elementsIn(result, 0, to.dim) &&
                     elementsIn(operand, from.dim + 1, operand.rank) == elementsIn(result, to.dim + 1, result.rank);
  return (keepsSlices && haveEqualParameters(&from, &to)) ||
         hloFail(c, "slices with a scale each must stay as they are, with their scales");
}

static bool lowerBroadcast(HloConversion *c) {
  Quantisation from, to;
  IrShape dims;
  if (!readShaped(c, &from, &to) || !hloListAttr(c, "broadcast_dimensions", &dims))
    return false;
  if (from.dim < 0)
    return true;
  if (from.dim >= dims.rank || dims.dims[from.dim] != to.dim)
    return hloFail(c, "the scales of the result must be for the dimension that has those of operand 0");
  for (intptr_t i = 0; i < to.count; ++i) {
    intptr_t k = from.count == 1 ? 0 : i;
    if (k >= from.count || to.scales[i] != from.scales[k] || to.zeros[i] != from.zeros[k])
      return hloFail(c, "the scales and zero points of the result must be those of operand 0");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Regions and calls
//===----------------------------------------------------------------------===//

/// A region yields the types of the results.
static bool yieldsResults(HloConversion *c, intptr_t region) {
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, region));
  if (mlirOperationIsNull(end) || mlirOperationGetNumOperands(end) != mlirOperationGetNumResults(c->op))
    return true; // the conversion reports the error
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i)
    if (!mlirTypeEqual(mlirValueGetType(irOperand(end, i)), hloResultType(c, i)))
      return hloFail(c, "region %ld must yield the type of result %ld", (long)region, (long)i);
  return true;
}

static bool lowerBranches(HloConversion *c) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(c->op); ++i)
    if (!yieldsResults(c, i))
      return false;
  return true;
}

/// The arguments of a region's block have the types of the operands, or the element types of `times` of each.
static bool takesOperands(HloConversion *c, intptr_t region, intptr_t times, bool isWhole) {
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, region));
  if (mlirOperationIsNull(end))
    return true; // the conversion reports the error
  MlirBlock block = mlirOperationGetBlock(end);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block) && i / times < mlirOperationGetNumOperands(c->op); ++i) {
    MlirType argument = mlirValueGetType(mlirBlockGetArgument(block, i)), operand = operandType(c, i / times);
    if (isWhole ? !mlirTypeEqual(argument, operand) : !haveOneElement(argument, operand))
      return hloFail(c, "argument %ld of region %ld must have the %s of operand %ld", (long)i, (long)region,
                     isWhole ? "type" : "element type", (long)(i / times));
  }
  return true;
}

static bool lowerWhile(HloConversion *c) {
  if (mlirOperationGetNumRegions(c->op) != 2)
    return true; // the conversion says so
  return arePaired(c, true) && takesOperands(c, 0, 1, true) && takesOperands(c, 1, 1, true) && yieldsResults(c, 1);
}

static bool lowerSort(HloConversion *c) {
  return haveOneScale(c) && arePaired(c, true) &&
         (mlirOperationGetNumRegions(c->op) != 1 || takesOperands(c, 0, 2, false));
}

static bool lowerMap(HloConversion *c) {
  if (mlirOperationGetNumRegions(c->op) != 1 || mlirOperationGetNumResults(c->op) != 1)
    return true; // the conversion says so
  MlirOperation end = hloRegionEnd(mlirOperationGetRegion(c->op, 0));
  if (!haveOneScale(c) || !takesOperands(c, 0, 1, false))
    return false;
  return mlirOperationIsNull(end) || mlirOperationGetNumOperands(end) != 1 ||
         haveOneElement(mlirValueGetType(irOperand(end, 0)), hloResultType(c, 0)) ||
         hloFail(c, "its result must have the element type of the body's");
}

static bool lowerTuple(HloConversion *c) {
  MlirType tuple = mlirOperationGetNumResults(c->op) == 1 ? hloResultType(c, 0) : (MlirType){NULL};
  if (mlirTypeIsNull(tuple) || !mlirTypeIsATuple(tuple))
    return true; // the conversion says so
  for (intptr_t i = 0; i < mlirTupleTypeGetNumTypes(tuple) && i < mlirOperationGetNumOperands(c->op); ++i)
    if (!mlirTypeEqual(mlirTupleTypeGetType(tuple, i), operandType(c, i)))
      return hloFail(c, "its result must be a tuple of its operands' types");
  return true;
}

static bool lowerGetTupleElement(HloConversion *c) {
  int64_t index;
  if (mlirOperationGetNumOperands(c->op) != 1 || mlirOperationGetNumResults(c->op) != 1)
    return true; // the conversion says so
  MlirType tuple = operandType(c, 0);
  if (!hloIntAttr(c, "index", &index))
    return false;
  return !mlirTypeIsATuple(tuple) || index < 0 || index >= mlirTupleTypeGetNumTypes(tuple) ||
         mlirTypeEqual(mlirTupleTypeGetType(tuple, index), hloResultType(c, 0)) ||
         hloFail(c, "the result has another type than element %lld of the tuple", (long long)index);
}

/// The decomposition has its types.
static bool lowerComposite(HloConversion *c) {
  MlirAttribute callee = irGetAttr(c->op, "decomposition");
  MlirOperation module = c->op;
  while (!irOpIs(module, "builtin.module"))
    module = mlirOperationGetParentOperation(module);
  char name[256];
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return true; // the conversion says so
  MlirStringRef symbol = mlirFlatSymbolRefAttrGetValue(callee);
  snprintf(name, sizeof(name), "%.*s", (int)symbol.length, symbol.data);
  MlirOperation function = irFindFunction(module, name);
  if (mlirOperationIsNull(function))
    return true; // its verifier says so
  MlirType type = mlirTypeAttrGetValue(irGetAttr(function, "function_type"));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(c->op) && i < mlirFunctionTypeGetNumInputs(type); ++i)
    if (!mlirTypeEqual(mlirFunctionTypeGetInput(type, i), operandType(c, i)))
      return hloFail(c, "operand %ld must have the type of the argument of @%s", (long)i, name);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op) && i < mlirFunctionTypeGetNumResults(type); ++i)
    if (!mlirTypeEqual(mlirFunctionTypeGetResult(type, i), hloResultType(c, i)))
      return hloFail(c, "result %ld must have the type of the result of @%s", (long)i, name);
  return true;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const QuantRule rules[] = {
    {"stablehlo.uniform_dequantize", lowerUniformDequantize, true},
    {"stablehlo.uniform_quantize", lowerUniformQuantize, true},
    // Elementwise operations, and others that compute on floats.
    {"stablehlo.abs", lowerComputation, false},
    {"stablehlo.add", lowerAdd, false},
    {"stablehlo.atan2", lowerComputation, false},
    {"stablehlo.batch_norm_grad", lowerComputation, false},
    {"stablehlo.batch_norm_inference", lowerComputation, false},
    {"stablehlo.batch_norm_training", lowerComputation, false},
    {"stablehlo.cbrt", lowerComputation, false},
    {"stablehlo.ceil", lowerComputation, false},
    {"stablehlo.cholesky", lowerComputation, false},
    {"stablehlo.cosine", lowerComputation, false},
    {"stablehlo.divide", lowerComputation, false},
    {"stablehlo.exponential", lowerComputation, false},
    {"stablehlo.exponential_minus_one", lowerComputation, false},
    {"stablehlo.floor", lowerComputation, false},
    {"stablehlo.log", lowerComputation, false},
    {"stablehlo.log_plus_one", lowerComputation, false},
    {"stablehlo.logistic", lowerComputation, false},
    {"stablehlo.multiply", lowerComputation, false},
    {"stablehlo.negate", lowerComputation, false},
    {"stablehlo.power", lowerComputation, false},
    {"stablehlo.reduce_precision", lowerComputation, false},
    {"stablehlo.remainder", lowerComputation, false},
    {"stablehlo.round_nearest_afz", lowerComputation, false},
    {"stablehlo.round_nearest_even", lowerComputation, false},
    {"stablehlo.rsqrt", lowerComputation, false},
    {"stablehlo.sign", lowerComputation, false},
    {"stablehlo.sine", lowerComputation, false},
    {"stablehlo.sqrt", lowerComputation, false},
    {"stablehlo.subtract", lowerComputation, false},
    {"stablehlo.tan", lowerComputation, false},
    {"stablehlo.tanh", lowerComputation, false},
    {"stablehlo.triangular_solve", lowerComputation, false},
    {"stablehlo.clamp", lowerChoice, false},
    {"stablehlo.maximum", lowerChoice, false},
    {"stablehlo.minimum", lowerChoice, false},
    {"stablehlo.select", lowerSelect, false},
    {"stablehlo.compare", lowerCompare, false},
    {"stablehlo.is_finite", lowerIsFinite, true},
    // Sources.
    {"stablehlo.constant", lowerConstant, false},
    {"stablehlo.dynamic_iota", lowerIota, false},
    {"stablehlo.iota", lowerIota, false},
    // Products and combinations.
    {"stablehlo.convolution", quantLowerProduct, false},
    {"stablehlo.dot", quantLowerProduct, false},
    {"stablehlo.dot_general", quantLowerProduct, false},
    {"stablehlo.dynamic_conv", quantLowerProduct, false},
    {"stablehlo.all_reduce", quantLowerReduction, false},
    {"stablehlo.collective_reduce", quantLowerReduction, false},
    {"stablehlo.reduce", quantLowerReduction, false},
    {"stablehlo.reduce_scatter", quantLowerReduction, false},
    {"stablehlo.reduce_window", quantLowerReduction, false},
    {"stablehlo.scatter", quantLowerReduction, false},
    {"stablehlo.select_and_scatter", quantLowerReduction, false},
    // Operations that move elements.
    {"stablehlo.all_gather", lowerPairs, false},
    {"stablehlo.all_to_all", lowerPairs, false},
    {"stablehlo.bitcast_convert", lowerNothing, false},
    {"stablehlo.broadcast", lowerMoveOne, false},
    {"stablehlo.broadcast_in_dim", lowerBroadcast, false},
    {"stablehlo.collective_broadcast", lowerDelivery, false},
    {"stablehlo.collective_permute", lowerDelivery, false},
    {"stablehlo.concatenate", lowerMoveAll, false},
    {"stablehlo.dynamic_broadcast_in_dim", lowerBroadcast, false},
    {"stablehlo.dynamic_gather", lowerMoveOne, false},
    {"stablehlo.dynamic_pad", lowerMoveTwo, false},
    {"stablehlo.dynamic_reshape", lowerReshape, false},
    {"stablehlo.dynamic_slice", lowerMoveOne, false},
    {"stablehlo.dynamic_update_slice", lowerMoveTwo, false},
    {"stablehlo.gather", lowerMoveOne, false},
    {"stablehlo.get_dimension_size", lowerNothing, false},
    {"stablehlo.optimization_barrier", lowerEqualPairs, false},
    {"stablehlo.pad", lowerMoveTwo, false},
    {"stablehlo.real_dynamic_slice", lowerMoveOne, false},
    {"stablehlo.reshape", lowerReshape, false},
    {"stablehlo.reverse", lowerMoveOne, false},
    {"stablehlo.slice", lowerMoveOne, false},
    {"stablehlo.transpose", lowerTranspose, false},
    // Regions, calls, tuples.
    {"stablehlo.case", lowerBranches, false},
    {"stablehlo.composite", lowerComposite, false},
    {"stablehlo.get_tuple_element", lowerGetTupleElement, false},
    {"stablehlo.if", lowerBranches, false},
    {"stablehlo.map", lowerMap, false},
    {"stablehlo.return", lowerNothing, false},
    {"stablehlo.sort", lowerSort, false},
    {"stablehlo.tuple", lowerTuple, false},
    {"stablehlo.while", lowerWhile, false},
    {"func.call", lowerNothing, false},
    {"func.return", lowerNothing, false},
};

const QuantRule *quantRuleOf(MlirOperation op) {
  for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); ++i)
    if (irOpIs(op, rules[i].name))
      return &rules[i];
  return NULL;
}
