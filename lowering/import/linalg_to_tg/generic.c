//===- generic.c - linalg.generic ----------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/conversion.h"

#include <math.h>

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

typedef struct {
  const char *op;
  LinalgCombiner combiner;
} Entry;

static const Entry combiners[] = {
    {"arith.addf", {TG_REDUCE_ADD, LINALG_AS_IT_IS}},        {"arith.addi", {TG_REDUCE_ADD, LINALG_AS_IT_IS}},
    {"arith.mulf", {TG_REDUCE_MUL, LINALG_AS_IT_IS}},        {"arith.muli", {TG_REDUCE_MUL, LINALG_AS_IT_IS}},
    {"arith.maximumf", {TG_REDUCE_MAX, LINALG_AS_IT_IS}},    {"arith.maxsi", {TG_REDUCE_MAX, LINALG_AS_IT_IS}},
    {"arith.minimumf", {TG_REDUCE_MIN, LINALG_AS_IT_IS}},    {"arith.minsi", {TG_REDUCE_MIN, LINALG_AS_IT_IS}},
    {"arith.maxui", {TG_REDUCE_MAX, LINALG_UNSIGNED}},       {"arith.minui", {TG_REDUCE_MIN, LINALG_UNSIGNED}},
    {"arith.maxnumf", {TG_REDUCE_MAX, LINALG_IGNORING_NAN}}, {"arith.minnumf", {TG_REDUCE_MIN, LINALG_IGNORING_NAN}},
    {"arith.subf", {TG_REDUCE_ADD, LINALG_SUBTRACTED}},      {"arith.subi", {TG_REDUCE_ADD, LINALG_SUBTRACTED}},
    {"arith.andi", {TG_REDUCE_AND, LINALG_AS_IT_IS}},        {"arith.ori", {TG_REDUCE_OR, LINALG_AS_IT_IS}},
    {"arith.xori", {TG_REDUCE_XOR, LINALG_AS_IT_IS}},
};

static const LinalgCombiner *findCombiner(MlirOperation op) {
  for (size_t i = 0; !mlirOperationIsNull(op) && i < sizeof(combiners) / sizeof(combiners[0]); ++i)
    if (irOpIs(op, combiners[i].op))
      return &combiners[i].combiner;
  return NULL;
}

/// The number that all elements of a tensor are known to be; null if it is not known.
static MlirAttribute knownElement(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (!mlirOperationIsNull(op) && irOpIs(op, "linalg.fill"))
    op = irDefiningOp(irOperand(op, 0));
  if (mlirOperationIsNull(op) || !(tgKindOf(op) == TG_constant || irOpIs(op, "arith.constant")))
    return (MlirAttribute){NULL};
  MlirAttribute data = irGetAttr(op, "value");
  if (!mlirAttributeIsADenseElements(data))
    return mlirAttributeIsAFloat(data) || mlirAttributeIsAInteger(data) ? data : (MlirAttribute){NULL};
  return mlirDenseElementsAttrIsSplat(data) ? mlirDenseElementsAttrGetSplatValue(data) : (MlirAttribute){NULL};
}

/// Whether a combiner leaves all numbers as they are if one operand is `value`.
static bool isIdentityOf(TgReduceKind kind, MlirValue value) {
  MlirAttribute element = knownElement(value);
  MlirType type = irElementTypeOf(value);
  if (mlirAttributeIsNull(element))
    return false;
  if (mlirAttributeIsAFloat(element)) {
    double number = mlirFloatAttrGetValueDouble(element);
    return kind == TG_REDUCE_ADD   ? number == 0
           : kind == TG_REDUCE_MUL ? number == 1
           : kind == TG_REDUCE_MAX ? number == -INFINITY
                                   : kind == TG_REDUCE_MIN && number == INFINITY;
  }
  int64_t number = mlirIntegerAttrGetValueInt(element), lowest, highest;
  if (irIsBool(type))
    return kind == TG_REDUCE_AND ? number != 0 : (kind == TG_REDUCE_OR || kind == TG_REDUCE_XOR) && number == 0;
  irIntegerRange(type, &lowest, &highest);
  switch (kind) {
  case TG_REDUCE_MUL:
    return number == 1;
  case TG_REDUCE_MAX:
    return number == lowest;
  case TG_REDUCE_MIN:
    return number == highest;
  case TG_REDUCE_AND:
    return number == -1;
  default:
    return number == 0;
  }
}

/// `accumulator` and `value` by a combiner; `value` itself if the accumulator is known to be the combiner's identity.
static MlirValue combine(IrBuilder *b, TgReduceKind kind, MlirValue accumulator, MlirValue value) {
  static const char *const names[] = {"tg.add", "tg.mul", "tg.min", "tg.max", "tg.and", "tg.or", "tg.xor"};
  return isIdentityOf(kind, accumulator) ? value : tgBinary(b, names[kind], accumulator, value);
}

//===----------------------------------------------------------------------===//
// The two forms
//===----------------------------------------------------------------------===//

/// What the body's arguments are in parallel loops; in reductions those of outputs are nothing.
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

/// What a combiner combines with an output's accumulator; null if it does something else with it.
static MlirValue combinedValue(const LinalgGeneric *g, intptr_t output, MlirOperation combiner) {
  MlirValue accumulator = mlirBlockGetArgument(irBody(g->op, 0), g->numInputs + output);
  bool isDifference = irOpIs(combiner, "arith.subf") || irOpIs(combiner, "arith.subi");
  for (intptr_t i = 0; i < (isDifference ? 1 : 2); ++i)
    if (mlirValueEqual(irOperand(combiner, i), accumulator))
      return irOperand(combiner, 1 - i);
  return (MlirValue){NULL};
}

static MlirType unsignedOf(MlirType element) {
  return mlirIntegerTypeUnsignedGet(mlirTypeGetContext(element), mlirIntegerTypeGetWidth(element));
}

MlirValue linalgRead(IrBuilder *b, MlirValue value, LinalgCombiner combiner) {
  if (combiner.reading == LINALG_UNSIGNED)
    return tgBitcast(b, value, unsignedOf(irElementTypeOf(value)));
  if (combiner.reading != LINALG_IGNORING_NAN && combiner.reading != LINALG_PASSING_OVER_NAN)
    return value;
  double identity = combiner.kind == TG_REDUCE_MAX ? -INFINITY : INFINITY;
  return tgSelect(b, tgCompare(b, TG_EQ, value, value), value, tgSplatLike(b, value, identity));
}

/// The reduction of `combined` without the accumulator, its dimensions in ascending order; what is read as unsigned is
/// so, too.
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

/// What an output begins with and the reduction of all that is combined with it, together; null if tg has none.
static MlirValue withAccumulator(IrBuilder *b, LinalgCombiner combiner, MlirValue accumulator, MlirValue value) {
  MlirType element = irElementTypeOf(accumulator);
  if (combiner.reading == LINALG_UNSIGNED)
    return tgBitcast(b, combine(b, combiner.kind, tgBitcast(b, accumulator, unsignedOf(element)), value), element);
  if (combiner.reading == LINALG_SUBTRACTED)
    return tgSub(b, accumulator, value);
  if (combiner.reading == LINALG_IGNORING_NAN) {
    MlirAttribute known = knownElement(accumulator);
    if (mlirAttributeIsNull(known) || isnan(mlirFloatAttrGetValueDouble(known)))
      return (MlirValue){NULL}; // of NaN alone the result would be NaN
  }
  return combine(b, combiner.kind, accumulator, value);
}

/// A select of the accumulator where the element is NaN, and else of the larger one of both, or the smaller: TOSA's
/// reductions that ignore NaN. What is selected else, or `op` itself.
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

static MlirValue convertReduction(const LinalgGeneric *g, LinalgBody *body, intptr_t output) {
  bool ignoresNaN;
  MlirOperation op = unlessNaN(g, output, irDefiningOp(yielded(g, output)), &ignoresNaN);
  const LinalgCombiner *found = findCombiner(op);
  const LinalgCombiner ofNumbers = {found ? found->kind : TG_REDUCE_ADD, LINALG_PASSING_OVER_NAN};
  const LinalgCombiner *combiner = ignoresNaN ? &ofNumbers : found;
  MlirValue combined = combiner ? combinedValue(g, output, op) : (MlirValue){NULL};
  MlirValue accumulator = g->operands[g->numInputs + output], value = {NULL};
  bool isArithmetic = combiner && (!irIsBool(irElementTypeOf(accumulator)) || combiner->kind >= TG_REDUCE_AND);
  if (!mlirValueIsNull(combined) && isArithmetic)
    value = reduced(g, body, combined, *combiner);
  if (mlirValueIsNull(value))
    return linalgArgReduction(g, body, output);
  return withAccumulator(body->b, *combiner, accumulator, linalgAsOutput(g, body->b, value, output));
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
      results[i] = g.operands[g.numInputs + i]; // nobody reads it
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
