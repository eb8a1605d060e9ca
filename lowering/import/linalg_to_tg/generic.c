//===- generic.c - linalg.generic ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes linalg.generic. Leaves its body on whole tensors (linalg_body.c) if all loops are parallel; a reduction, a dot
// or a selected extreme if some reduce. Other forms stay as they are: they are computed by loops outside of the graph.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/linalg_conversion.h"

//===----------------------------------------------------------------------===//
// The two forms
//===----------------------------------------------------------------------===//

/// The body's arguments in parallel loops; in reductions outputs have none.
static MlirValue argumentOf(LinalgBody *body, MlirValue argument) {
  const LinalgGeneric *g = body->context;
  intptr_t number = mlirBlockArgumentGetArgNumber(argument);
  for (intptr_t i = 0; i < g->numDims; ++i)
    if (g->isReduction[i] && number >= g->numInputs)
      return (MlirValue){NULL};
  return linalgInSpace(g, body, number);
}

static MlirValue yielded(const LinalgGeneric *g, intptr_t output) {
  return irOperand(mlirBlockGetTerminator(irBody(g->op, 0)), output);
}

static MlirValue convertParallel(const LinalgGeneric *g, LinalgBody *body, intptr_t output) {
  MlirValue value = linalgBodyValue(body, yielded(g, output));
  return mlirValueIsNull(value) ? value : linalgAsOutput(g, body->b, value, output);
}

static IrShape reducedDims(const LinalgGeneric *g) {
  IrShape dims = {0};
  for (intptr_t i = 0; i < g->numDims; ++i)
    if (g->isReduction[i])
      dims.dims[dims.rank++] = i;
  return dims;
}

/// The value that a combiner combines with an output's accumulator; null if it does more with it.
static MlirValue combinedValue(const LinalgGeneric *g, intptr_t output, MlirOperation combiner) {
  MlirValue accumulator = mlirBlockGetArgument(irBody(g->op, 0), g->numInputs + output);
  const LinalgCombiner *known = linalgFindCombiner(combiner);
  bool isDifference = known && known->reading == LINALG_SUBTRACTED;
  for (intptr_t i = 0; i < (isDifference ? 1 : 2); ++i)
    if (mlirValueEqual(irOperand(combiner, i), accumulator))
      return irOperand(combiner, 1 - i);
  return (MlirValue){NULL};
}

/// The reduction of `combined` without the accumulator, its dimensions in ascending order; unsigned if the combiner
/// reads unsigned numbers.
static MlirValue reduced(const LinalgGeneric *g, LinalgBody *body, MlirValue combined, LinalgCombiner combiner) {
  IrBuilder *b = body->b;
  MlirType element = mlirValueGetType(combined);
  MlirValue value = {NULL};
  if (combiner.kind == TG_REDUCE_ADD)
    value = linalgContraction(b, g, combined, element);
  if (combiner.kind == TG_REDUCE_ADD && mlirValueIsNull(value))
    value = linalgConvolution(b, g, combined, element);
  if (mlirValueIsNull(value))
    value = linalgPooling(b, g, combined, combiner);
  if (!mlirValueIsNull(value))
    return value;
  value = linalgBodyValue(body, combined);
  return mlirValueIsNull(value) ? value : tgReduce(b, combiner.kind, linalgRead(b, value, combiner), reducedDims(g));
}

/// A select of the accumulator where the element is NaN, and else of the larger one of both, or the smaller: TOSA's
/// reductions that ignore NaN. The other value of a select, or `op` itself.
static MlirOperation unlessNaN(const LinalgGeneric *g, intptr_t output, MlirOperation op, bool *ignoresNaN) {
  enum { UNO = 14 };
  *ignoresNaN = false;
  if (mlirOperationIsNull(op) || !irOpIs(op, "arith.select"))
    return op;
  MlirOperation compare = irDefiningOp(irOperand(op, 0)), otherwise = irDefiningOp(irOperand(op, 2));
  MlirValue accumulator = mlirBlockGetArgument(irBody(g->op, 0), g->numInputs + output);
  if (mlirOperationIsNull(compare) || mlirOperationIsNull(otherwise) || !irOpIs(compare, "arith.cmpf") ||
      irGetInt(compare, "predicate", -1) != UNO || !mlirValueEqual(irOperand(op, 1), accumulator) ||
      !(irOpIs(otherwise, "arith.maximumf") || irOpIs(otherwise, "arith.minimumf")))
    return op;
  MlirValue element = combinedValue(g, output, otherwise);
  *ignoresNaN = mlirValueEqual(irOperand(compare, 0), element) && mlirValueEqual(irOperand(compare, 1), element);
  return *ignoresNaN ? otherwise : op;
}

/// A select of the element where it is larger than the accumulator, or smaller, and else of the accumulator: the
/// selected value, and the combiner. Null if it is none. No comparison of floats holds of NaN.
static MlirValue selectedExtreme(const LinalgGeneric *g, intptr_t output, MlirOperation op, LinalgCombiner *combiner) {
  const MlirValue none = {NULL};
  MlirOperation compare =
      mlirOperationIsNull(op) || !irOpIs(op, "arith.select") ? (MlirOperation){NULL} : irDefiningOp(irOperand(op, 0));
  MlirValue accumulator = mlirBlockGetArgument(irBody(g->op, 0), g->numInputs + output);
  if (mlirOperationIsNull(compare) || !mlirValueEqual(irOperand(op, 2), accumulator))
    return none;
  MlirValue element = irOperand(op, 1), lhs = irOperand(compare, 0), rhs = irOperand(compare, 1);
  bool isFloat = irOpIs(compare, "arith.cmpf"), isInteger = irOpIs(compare, "arith.cmpi");
  bool isElementFirst = mlirValueEqual(lhs, element) && mlirValueEqual(rhs, accumulator);
  bool isElementSecond = mlirValueEqual(rhs, element) && mlirValueEqual(lhs, accumulator);
  if (!(isFloat || isInteger) || isElementFirst == isElementSecond)
    return none;
  // By predicate: is greater, or greater or equal.
  static const int8_t floats[] = {[2] = 1, [3] = 1, [4] = -1, [5] = -1, [15] = 0};
  static const int8_t integers[] = {[2] = -1, [3] = -1, [4] = 1, [5] = 1, [6] = -1, [7] = -1, [8] = 1, [9] = 1};
  int64_t predicate = irGetInt(compare, "predicate", 0);
  int sense = isFloat ? floats[predicate] : integers[predicate];
  if (!sense)
    return none;
  combiner->kind = (sense > 0) == isElementFirst ? TG_REDUCE_MAX : TG_REDUCE_MIN;
  combiner->reading = isFloat ? LINALG_PASSING_OVER_NAN : predicate > 5 ? LINALG_UNSIGNED : LINALG_AS_IT_IS;
  return element;
}

static MlirValue convertReduction(const LinalgGeneric *g, LinalgBody *body, intptr_t output) {
  bool ignoresNaN;
  MlirOperation op = unlessNaN(g, output, irDefiningOp(yielded(g, output)), &ignoresNaN);
  const LinalgCombiner *found = linalgFindCombiner(op);
  const LinalgCombiner ofNumbers = {found ? found->kind : TG_REDUCE_ADD, LINALG_PASSING_OVER_NAN};
  const LinalgCombiner *combiner = ignoresNaN ? &ofNumbers : found;
  MlirValue combined = combiner ? combinedValue(g, output, op) : (MlirValue){NULL};
  LinalgCombiner selected;
  if (!combiner) {
    combined = selectedExtreme(g, output, op, &selected);
    combiner = mlirValueIsNull(combined) ? NULL : &selected;
  }
  MlirValue accumulator = g->operands[g->numInputs + output], value = {NULL};
  bool isArithmetic = combiner && (!irIsBool(irElementTypeOf(accumulator)) || combiner->kind >= TG_REDUCE_AND);
  if (!mlirValueIsNull(combined) && isArithmetic)
    value = reduced(g, body, combined, *combiner);
  if (mlirValueIsNull(value))
    return linalgArgReduction(g, body, output);
  return linalgWithAccumulator(body->b, *combiner, accumulator, linalgAsOutput(g, body->b, value, output));
}

bool linalgConvertGeneric(IrBuilder *b, MlirOperation op, MlirValue *results) {
  LinalgGeneric g;
  if (!irOpIs(op, "linalg.generic") || !linalgReadLoops(&g, op))
    return false;
  LinalgBody body = {.b = b,
                     .space = g.sizes,
                     .block = irBody(op, 0),
                     .argument = argumentOf,
                     .index = linalgBodyIndex,
                     .context = &g};
  bool reduces = false, success = true;
  for (intptr_t i = 0; i < g.numDims; ++i)
    reduces = reduces || g.isReduction[i];
  for (intptr_t i = 0; success && i < g.numOutputs; ++i) {
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(op, i)))) {
      results[i] = g.operands[g.numInputs + i]; // unused
      continue;
    }
    results[i] = (MlirValue){NULL};
    if (linalgCoversParallel(&g, i))
      results[i] = reduces ? convertReduction(&g, &body, i) : convertParallel(&g, &body, i);
    success = !mlirValueIsNull(results[i]);
  }
  linalgBodyDestroy(&body);
  return success;
}
