//===- tosa_elementwise.c - elementwise operations ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes elementwise operations, casts, tables and rescales of TOSA. Leaves tg's operations on operands that are
// broadcast to the result. Integer arithmetic is the specification's, saturation and rounding included.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

/// Operand `i` broadcast to the shape of the result; null after an error.
static MlirValue broadcastOperand(TosaConversion *c, intptr_t i) {
  return tosaBroadcastTo(c, tosaOperand(c, i), irTypeShape(tosaResultType(c, 0)));
}

/// The operands of a binary operation in the shape of the result.
static bool broadcastPair(TosaConversion *c, MlirValue *lhs, MlirValue *rhs) {
  *lhs = broadcastOperand(c, 0);
  *rhs = mlirValueIsNull(*lhs) ? *lhs : broadcastOperand(c, 1);
  return !mlirValueIsNull(*rhs);
}

static bool replaceByBroadcast(TosaConversion *c, IrAttrs attributes) {
  enum { MAX_OPERANDS = 3 };
  MlirValue operands[MAX_OPERANDS];
  intptr_t count = mlirOperationGetNumOperands(c->op);
  for (intptr_t i = 0; i < count; ++i) {
    operands[i] = broadcastOperand(c, i);
    if (mlirValueIsNull(operands[i]))
      return false;
  }
  return tosaReplaceBy(c, (IrValues){count, operands}, attributes);
}

bool tosaConvertElementwise(TosaConversion *c) { return replaceByBroadcast(c, IR_NO_ATTRS); }

bool tosaConvertCompare(TosaConversion *c) {
  return replaceByBroadcast(c, IR_ATTRS(irI32(&c->b, "direction", c->rule->detail)));
}

/// nan_mode IGNORE: of a NaN and another operand the other one.
bool tosaConvertMaxMin(TosaConversion *c) {
  MlirValue lhs, rhs;
  if (!broadcastPair(c, &lhs, &rhs))
    return false;
  MlirValue result = tosaBinary(c, c->rule->to, lhs, rhs);
  if (irIsFloat(irElementTypeOf(lhs)) && tosaHasKeyword(c, "nan_mode", "IGNORE")) {
    result = tosaSelect(c, tosaIsNaN(c, lhs), rhs, result);
    result = tosaSelect(c, tosaIsNaN(c, rhs), lhs, result);
  }
  return tosaReplaceResult(c, 0, result);
}

/// nan_mode IGNORE: of NaN the minimum.
bool tosaConvertClamp(TosaConversion *c) {
  MlirValue operand = tosaOperand(c, 0);
  MlirType element = irElementTypeOf(operand), scalar = tosaTensorType((IrShape){0}, element);
  MlirValue bounds[2];
  static const char *const names[] = {"min_val", "max_val"};
  for (int i = 0; i < 2; ++i) {
    MlirAttribute bound = irGetAttr(c->op, names[i]);
    bool hasType = !mlirAttributeIsNull(bound) && mlirTypeEqual(mlirAttributeGetType(bound), element);
    if (!hasType)
      return tosaFail(c, "attribute '%s' is not of the operand's element type", names[i]);
    bounds[i] = irValueOf(&c->b, "tg.constant", IR_NO_VALUES, scalar,
                          IR_ATTRS(irAttr(&c->b, "value", mlirDenseElementsAttrSplatGet(scalar, bound))));
  }
  MlirValue result =
      irValueOf(&c->b, "tg.clamp", IR_VALUES(bounds[0], operand, bounds[1]), mlirValueGetType(operand), IR_NO_ATTRS);
  if (irIsFloat(element) && tosaHasKeyword(c, "nan_mode", "IGNORE")) {
    IrShape none = {0};
    MlirValue least = tosaBroadcast(c, bounds[0], irShapeOf(operand), none);
    result = tosaSelect(c, tosaIsNaN(c, operand), least, result);
  }
  return tosaReplaceResult(c, 0, result);
}

/// Floats are rounded to the nearest integer, ties to even, and cut to the range of the result; NaN gives 0.
bool tosaConvertCast(TosaConversion *c) {
  MlirValue value = tosaOperand(c, 0);
  MlirType from = irElementTypeOf(value), to = irElementType(tosaResultType(c, 0));
  if (irIsFloat(from) && irIsInteger(to) && !irIsBool(to))
    value = tosaUnary(c, "tg.round_even", value);
  return tosaReplaceResult(c, 0, tosaConvert(c, value, to));
}

bool tosaConvertReciprocal(TosaConversion *c) {
  MlirValue operand = tosaOperand(c, 0);
  return tosaReplaceBy(c, IR_VALUES(tosaSplat(c, mlirValueGetType(operand), 1), operand), IR_NO_ATTRS);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// `round`: plus the last bit that is shifted out.
bool tosaConvertArithmeticRightShift(TosaConversion *c) {
  MlirValue value, amount;
  if (!broadcastPair(c, &value, &amount))
    return false;
  MlirValue result = tosaBinary(c, "tg.shr_arith", value, amount);
  if (tosaIsTrue(c, "round")) {
    MlirType type = mlirValueGetType(value);
    MlirValue zero = tosaSplatInt(c, type, 0), one = tosaSplatInt(c, type, 1);
    MlirValue last = tosaBinary(c, "tg.shr_arith", value, tosaBinary(c, "tg.sub", amount, one));
    last = tosaBinary(c, "tg.and", last, one);
    last = tosaSelect(c, tosaCompare(c, TG_GT, amount, zero), last, zero);
    result = tosaBinary(c, "tg.add", result, last);
  }
  return tosaReplaceResult(c, 0, result);
}

/// Products of narrow integers are wider than they; those of i32 may be shifted to the right, rounded half up.
bool tosaConvertMul(TosaConversion *c) {
  MlirType element = irElementType(tosaResultType(c, 0));
  MlirValue lhs, rhs;
  if (!broadcastPair(c, &lhs, &rhs))
    return false;
  if (irIsFloat(element))
    return tosaReplaceBy(c, IR_VALUES(lhs, rhs), IR_NO_ATTRS);
  TosaShape shift;
  if (!tosaConstantInts(c, 2, "the shift", &shift))
    return false;
  int64_t amount = shift.values[0];
  if (amount < 0 || amount > 62)
    return tosaFail(c, "the shift, %lld, is not between 0 and 62", (long long)amount);
  if (amount == 0)
    return tosaReplaceBy(c, IR_VALUES(tosaConvert(c, lhs, element), tosaConvert(c, rhs, element)), IR_NO_ATTRS);
  MlirType wide = tosaIntType(c, 64), wideTensor = tosaTensorType(irShapeOf(lhs), wide);
  MlirValue result = tosaApplyScale(c, tosaConvert(c, lhs, wide), tosaConvert(c, rhs, wide),
                                    tosaSplatInt(c, wideTensor, amount), false);
  return tosaReplaceResult(c, 0, tosaConvert(c, result, element));
}

/// (-(x - input_zp) + output_zp); of i8 and i16 cut to the range of the type.
bool tosaConvertNegate(TosaConversion *c) {
  MlirValue operand = tosaOperand(c, 0);
  MlirType element = irElementTypeOf(operand);
  int64_t inputZero, outputZero;
  if (!tosaZeroPoint(c, 1, &inputZero) || !tosaZeroPoint(c, 2, &outputZero))
    return false;
  if (irIsFloat(element) || mlirIntegerTypeGetWidth(element) > 16)
    return tosaReplaceBy(c, IR_VALUES(operand), IR_NO_ATTRS);
  MlirValue wide = tosaConvert(c, operand, tosaIntType(c, 32));
  MlirValue zeros = tosaSplatInt(c, mlirValueGetType(wide), inputZero + outputZero);
  return tosaReplaceResult(c, 0, tosaSaturate(c, tosaBinary(c, "tg.sub", zeros, wide), element, false));
}

/// i8: the element at x + 128 of 256. i16: x is fixed-point 9.7, and the result, i32, is interpolated between elements
/// (x >> 7) + 256 and the next of 513.
bool tosaConvertTable(TosaConversion *c) {
  MlirValue operand = tosaOperand(c, 0), table = tosaOperand(c, 1);
  MlirType i32 = tosaIntType(c, 32), result = irElementType(tosaResultType(c, 0));
  unsigned width = mlirIntegerTypeGetWidth(irElementTypeOf(operand));
  int64_t size = irShapeOf(table).dims[0];
  if (width != 8 && width != 16)
    return tosaFail(c, "the operand is neither i8 nor i16");
  if (size != (width == 8 ? 256 : 513))
    return tosaFail(c, "the table has %lld elements, not %d", (long long)size, width == 8 ? 256 : 513);
  MlirValue x = tosaConvert(c, operand, i32);
  MlirType type = mlirValueGetType(x);
  if (width == 8) {
    MlirValue index = tosaBinary(c, "tg.add", x, tosaSplatInt(c, type, 128));
    return tosaReplaceResult(c, 0, tosaConvert(c, tosaLookUp(c, table, index), result));
  }
  MlirValue seven = tosaSplatInt(c, type, 7);
  MlirValue index = tosaBinary(c, "tg.add", tosaBinary(c, "tg.shr_arith", x, seven), tosaSplatInt(c, type, 256));
  MlirValue next = tosaBinary(c, "tg.add", index, tosaSplatInt(c, type, 1));
  MlirValue fraction = tosaBinary(c, "tg.and", x, tosaSplatInt(c, type, 127));
  MlirValue base = tosaConvert(c, tosaLookUp(c, table, index), i32);
  MlirValue slope = tosaBinary(c, "tg.sub", tosaConvert(c, tosaLookUp(c, table, next), i32), base);
  MlirValue value =
      tosaBinary(c, "tg.add", tosaBinary(c, "tg.shl", base, seven), tosaBinary(c, "tg.mul", slope, fraction));
  return tosaReplaceResult(c, 0, tosaConvert(c, value, result));
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

bool tosaConvertApplyScale(TosaConversion *c) {
  MlirType wide = tosaIntType(c, 64);
  MlirValue operands[3];
  for (int i = 0; i < 3; ++i) {
    operands[i] = tosaConvert(c, tosaOperand(c, i), wide);
    if (!irShapesEqual(irShapeOf(operands[i]), irShapeOf(operands[0])))
      return tosaFail(c, "operands have different shapes");
  }
  bool doubleRound = tosaHasKeyword(c, "rounding_mode", "DOUBLE_ROUND");
  MlirValue result = tosaApplyScale(c, operands[0], operands[1], operands[2], doubleRound);
  return tosaReplaceResult(c, 0, tosaConvert(c, result, irElementType(tosaResultType(c, 0))));
}

/// An operand as i64; `isUnsigned`: the bits of a signless integer are those of an unsigned one.
static MlirValue widen(TosaConversion *c, MlirValue value, bool isUnsigned) {
  MlirType element = irElementTypeOf(value);
  if (isUnsigned && !irIsUnsigned(element)) {
    MlirType bits = mlirIntegerTypeUnsignedGet(c->b.context, mlirIntegerTypeGetWidth(element));
    value = irUnary(&c->b, "tg.bitcast_convert", value, tosaTensorType(irShapeOf(value), bits));
  }
  return tosaConvert(c, value, tosaIntType(c, 64));
}

static int64_t zeroExtended(int64_t value, unsigned width) {
  return width < 64 ? value & (((int64_t)1 << width) - 1) : value;
}

/// Checks and widens multiplier (operand 1) or shift (2): one for all, or one for each index of the last dimension.
static bool scaleOperand(TosaConversion *c, intptr_t i, IrShape shape, MlirValue *scale) {
  MlirValue wide = tosaConvert(c, tosaOperand(c, i), tosaIntType(c, 64));
  if (shape.rank == 0)
    wide = tosaReshape(c, wide, shape);
  *scale = tosaBroadcastTo(c, wide, shape);
  return !mlirValueIsNull(*scale);
}

/// ((x - input_zp) * multiplier, shifted to the right and rounded) + output_zp, cut to the range of the result.
bool tosaConvertRescale(TosaConversion *c) {
  MlirValue operand = tosaOperand(c, 0), multiplier, shift;
  MlirType from = irElementTypeOf(operand), to = irElementType(tosaResultType(c, 0));
  bool fromUnsigned = tosaIsTrue(c, "input_unsigned") || irIsUnsigned(from);
  bool toUnsigned = tosaIsTrue(c, "output_unsigned") || irIsUnsigned(to);
  int64_t inputZero, outputZero;
  TosaShape shifts;
  bool isOf48Bits = irHasAttr(c->op, TOSA_OF_48_BITS);
  if ((mlirIntegerTypeGetWidth(from) == 64 && !isOf48Bits) || mlirIntegerTypeGetWidth(to) == 64)
    return tosaFail(c, "TOSA rescales no 64-bit integers, and to none");
  if (isOf48Bits && (fromUnsigned || mlirIntegerTypeGetWidth(irElementTypeOf(tosaOperand(c, 1))) > 16))
    return tosaFail(c, "integers of 48 bits are signed, and have multipliers of 16 bits");
  if (!tosaZeroPoint(c, 3, &inputZero) || !tosaZeroPoint(c, 4, &outputZero) ||
      !tosaConstantInts(c, 2, "the shift", &shifts) || !scaleOperand(c, 1, irShapeOf(operand), &multiplier) ||
      !scaleOperand(c, 2, irShapeOf(operand), &shift))
    return false;
  for (intptr_t i = 0; i < shifts.count; ++i)
    if (shifts.values[i] < 2 || shifts.values[i] > 62)
      return tosaFail(c, "the shift, %lld, is not between 2 and 62", (long long)shifts.values[i]);
  if (fromUnsigned)
    inputZero = zeroExtended(inputZero, mlirIntegerTypeGetWidth(from));
  if (toUnsigned)
    outputZero = zeroExtended(outputZero, mlirIntegerTypeGetWidth(to));
  MlirValue wide = widen(c, operand, fromUnsigned);
  MlirType type = mlirValueGetType(wide);
  wide = tosaBinary(c, "tg.sub", wide, tosaSplatInt(c, type, inputZero));
  wide = tosaApplyScale(c, wide, multiplier, shift, tosaHasKeyword(c, "rounding_mode", "DOUBLE_ROUND"));
  wide = tosaBinary(c, "tg.add", wide, tosaSplatInt(c, type, outputZero));
  return tosaReplaceResult(c, 0, tosaSaturate(c, wide, to, toUnsigned));
}
