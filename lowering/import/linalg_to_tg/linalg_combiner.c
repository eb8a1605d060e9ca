//===- linalg_combiner.c - combiners of reductions ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the operation that combines an element with an accumulator in a linalg reduction. Finds tg's kind of reduction
// for it, or none. It also combines a reduced tensor with the output's initial value, which is left out where it is the
// identity.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/linalg_conversion.h"

#include <math.h>

#include "ir/graph/tg_identity.h"

typedef struct {
  const char *op;
  LinalgCombiner combiner;
} CombinerEntry;

static const CombinerEntry combiners[] = {
    {"arith.addf", {TG_REDUCE_ADD, LINALG_AS_IT_IS}},        {"arith.addi", {TG_REDUCE_ADD, LINALG_AS_IT_IS}},
    {"arith.mulf", {TG_REDUCE_MUL, LINALG_AS_IT_IS}},        {"arith.muli", {TG_REDUCE_MUL, LINALG_AS_IT_IS}},
    {"arith.maximumf", {TG_REDUCE_MAX, LINALG_AS_IT_IS}},    {"arith.maxsi", {TG_REDUCE_MAX, LINALG_AS_IT_IS}},
    {"arith.minimumf", {TG_REDUCE_MIN, LINALG_AS_IT_IS}},    {"arith.minsi", {TG_REDUCE_MIN, LINALG_AS_IT_IS}},
    {"arith.maxui", {TG_REDUCE_MAX, LINALG_UNSIGNED}},       {"arith.minui", {TG_REDUCE_MIN, LINALG_UNSIGNED}},
    {"arith.maxnumf", {TG_REDUCE_MAX, LINALG_IGNORING_NAN}}, {"arith.minnumf", {TG_REDUCE_MIN, LINALG_IGNORING_NAN}},
    {"arith.subf", {TG_REDUCE_ADD, LINALG_SUBTRACTED}},      {"arith.subi", {TG_REDUCE_ADD, LINALG_SUBTRACTED}},
    {"arith.andi", {TG_REDUCE_AND, LINALG_AS_IT_IS}},        {"arith.ori", {TG_REDUCE_OR, LINALG_AS_IT_IS}},
    {"arith.xori", {TG_REDUCE_XOR, LINALG_AS_IT_IS}},        {"complex.add", {TG_REDUCE_ADD, LINALG_AS_IT_IS}},
    {"complex.mul", {TG_REDUCE_MUL, LINALG_AS_IT_IS}},       {"complex.sub", {TG_REDUCE_ADD, LINALG_SUBTRACTED}},
};

const LinalgCombiner *linalgFindCombiner(MlirOperation op) {
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
  bool isConstant = !mlirOperationIsNull(op) &&
                    (tgKindOf(op) == TG_constant || irOpIs(op, "arith.constant") || irOpIs(op, "complex.constant"));
  if (!isConstant)
    return (MlirAttribute){NULL};
  return tgConstantNumber(irGetAttr(op, "value"));
}

bool linalgIsZero(MlirValue value) {
  MlirAttribute element = knownElement(value);
  if (mlirAttributeIsNull(element))
    return false;
  return mlirAttributeIsAFloat(element) ? mlirFloatAttrGetValueDouble(element) == 0
                                        : mlirIntegerAttrGetValueInt(element) == 0;
}

/// `accumulator` and `value` by a combiner; `value` itself if the accumulator is known to be the combiner's identity.
static MlirValue combineWithAccumulator(IrBuilder *b, TgReduceKind kind, MlirValue accumulator, MlirValue value) {
  static const char *const names[] = {"tg.add", "tg.mul", "tg.min", "tg.max", "tg.and", "tg.or", "tg.xor"};
  return tgIsIdentity(kind, knownElement(accumulator), irElementTypeOf(accumulator))
             ? value
             : tgBinary(b, names[kind], accumulator, value);
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

MlirValue linalgWithAccumulator(IrBuilder *b, LinalgCombiner combiner, MlirValue accumulator, MlirValue value) {
  MlirType element = irElementTypeOf(accumulator);
  if (combiner.reading == LINALG_UNSIGNED)
    return tgBitcast(b, combineWithAccumulator(b, combiner.kind, tgBitcast(b, accumulator, unsignedOf(element)), value),
                     element);
  if (combiner.reading == LINALG_SUBTRACTED)
    return tgSub(b, accumulator, value);
  if (combiner.reading == LINALG_IGNORING_NAN) {
    MlirAttribute known = knownElement(accumulator);
    if (mlirAttributeIsNull(known) || isnan(mlirFloatAttrGetValueDouble(known)))
      return (MlirValue){NULL}; // of NaN alone the result would be NaN
  }
  return combineWithAccumulator(b, combiner.kind, accumulator, value);
}
