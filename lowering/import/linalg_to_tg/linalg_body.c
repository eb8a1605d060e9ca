//===- linalg_body.c - bodies of linalg operations on one element ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the operations in the body of a linalg.generic. Leaves one tensor operation for each, on all elements of the
// iteration space. Operations with a counterpart of the same meaning are a table; others are built by
// linalg_functions.c.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/linalg_to_tg/linalg_body.h"

#include "ir/mlir/arena.h"

#include <stdlib.h>

void linalgBodyDestroy(LinalgBody *body) {
  irMapDestroy(&body->numberOf);
  free(body->tensors);
}

static void set(LinalgBody *body, MlirValue value, MlirValue tensor) {
  IR_RESERVE_ONE(body->tensors, body->count, body->capacity);
  irMapSet(&body->numberOf, value.ptr, body->count);
  body->tensors[body->count++] = tensor;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool linalgIsElement(MlirType element) {
  if (mlirTypeIsAComplex(element)) {
    MlirType part = mlirComplexTypeGetElementType(element);
    return mlirTypeIsAF32(part) || mlirTypeIsAF64(part);
  }
  if (irIsFloat(element)) {
    unsigned width = mlirFloatTypeGetWidth(element);
    return width <= 8 || width == 16 || width == 32 || width == 64;
  }
  if (!mlirTypeIsAInteger(element) || mlirIntegerTypeIsSigned(element))
    return false;
  unsigned width = mlirIntegerTypeGetWidth(element);
  bool isBool = width == 1 && mlirIntegerTypeIsSignless(element);
  return isBool || width == 2 || width == 4 || width == 8 || width == 16 || width == 32 || width == 64;
}

bool linalgIsTensor(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirShapedTypeGetRank(type) <= IR_MAX_RANK && mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)) &&
         linalgIsElement(irElementType(type));
}

MlirValue linalgWithSizes(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  bool isCast = !mlirOperationIsNull(op) && irOpIs(op, "tensor.cast");
  return isCast && !linalgIsTensor(mlirValueGetType(value)) ? linalgWithSizes(irOperand(op, 0)) : value;
}

/// The tensor of the iteration space for a type of the body; null if there is none. Tensors stay.
static MlirType tensorOf(const LinalgBody *body, MlirType type) {
  if (mlirTypeIsARankedTensor(type))
    return linalgIsTensor(type) ? type : (MlirType){NULL};
  MlirType element = mlirTypeIsAIndex(type) ? mlirIntegerTypeGet(body->b->context, 64) : type;
  if (!linalgIsElement(element))
    return (MlirType){NULL};
  return mlirRankedTensorTypeGet(body->space.rank, body->space.dims, element, mlirAttributeGetNull());
}

static MlirType unsignedOf(MlirType element) {
  return mlirIntegerTypeUnsignedGet(mlirTypeGetContext(element), mlirIntegerTypeGetWidth(element));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The constant that all elements are.
static MlirValue splatOf(LinalgBody *body, MlirAttribute value, MlirType type) {
  MlirType tensor = tensorOf(body, type);
  if (mlirTypeIsNull(tensor))
    return (MlirValue){NULL};
  if (mlirTypeIsAIndex(type))
    value = mlirIntegerAttrGet(irElementType(tensor), mlirIntegerAttrGetValueInt(value));
  return irValueOf(body->b, "tg.constant", IR_NO_VALUES, tensor,
                   IR_ATTRS(irAttr(body->b, "value", mlirDenseElementsAttrSplatGet(tensor, value))));
}

/// A number that is known when the program runs.
static MlirValue numberFromOutside(LinalgBody *body, MlirValue number) {
  MlirType type = mlirValueGetType(number);
  if (mlirTypeIsAIndex(type)) {
    type = mlirIntegerTypeGet(body->b->context, 64);
    number = irUnary(body->b, "arith.index_cast", number, type);
  }
  if (!linalgIsElement(type) || irIsUnsigned(type))
    return (MlirValue){NULL};
  MlirType scalar = mlirRankedTensorTypeGet(0, NULL, type, mlirAttributeGetNull());
  MlirValue element = irValueOf(body->b, "tensor.from_elements", IR_VALUES(number), scalar, IR_NO_ATTRS);
  return tgBroadcast(body->b, element, tensorOf(body, type), (IrShape){0});
}

/// Whether an operation is in the body, be it in a region of another one.
static bool isInsideBody(const LinalgBody *body, MlirOperation op) {
  for (MlirBlock block = mlirOperationGetBlock(op); !mlirBlockIsNull(block) && !mlirBlockIsNull(body->block);
       block = mlirOperationGetBlock(op)) {
    if (mlirBlockEqual(block, body->block))
      return true;
    op = mlirBlockGetParentOperation(block);
    if (mlirOperationIsNull(op))
      break;
  }
  return false;
}

MlirValue linalgBodyValue(LinalgBody *body, MlirValue value) {
  int64_t number = irMapGet(&body->numberOf, value.ptr, -1);
  if (number >= 0)
    return body->tensors[number];
  MlirType type = mlirValueGetType(value);
  MlirOperation op = irDefiningOp(value);
  MlirValue tensor = {NULL};
  if (mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), body->block))
    tensor = body->argument(body, value);
  else if (mlirTypeIsARankedTensor(type)) {
    value = linalgWithSizes(value);
    return linalgIsTensor(mlirValueGetType(value)) ? value : (MlirValue){NULL};
  } else if (!mlirOperationIsNull(op) &&
             (irOpIs(op, "arith.constant") || irOpIs(op, "complex.constant") || irOpIs(op, "index.constant")))
    tensor = splatOf(body, irGetAttr(op, "value"), type);
  else if (!mlirOperationIsNull(op) && isInsideBody(body, op))
    tensor = linalgBodyOperation(body, op, mlirOpResultGetResultNumber(value));
  else
    tensor = numberFromOutside(body, value);
  if (!mlirValueIsNull(tensor))
    set(body, value, tensor);
  return tensor;
}

MlirValue linalgBodyIndex(LinalgBody *body, int64_t dim) {
  return tgIota(body->b, tensorOf(body, mlirIntegerTypeGet(body->b->context, 64)), dim);
}

//===----------------------------------------------------------------------===//
// Operations with a counterpart
//===----------------------------------------------------------------------===//

typedef enum { FLOATS, SIGNED, UNSIGNED } Numbers;

typedef struct {
  const char *from, *to;
  Numbers numbers;
  const char *ofBooleans; ///< the same on i1; NULL: there is none
} Counterpart;

static const Counterpart counterparts[] = {
    {"arith.addf", "tg.add", FLOATS, NULL},
    {"arith.subf", "tg.sub", FLOATS, NULL},
    {"arith.mulf", "tg.mul", FLOATS, NULL},
    {"arith.divf", "tg.div", FLOATS, NULL},
    {"arith.remf", "tg.rem", FLOATS, NULL},
    {"arith.maximumf", "tg.max", FLOATS, NULL},
    {"arith.minimumf", "tg.min", FLOATS, NULL},
    {"arith.negf", "tg.neg", FLOATS, NULL},
    {"arith.addi", "tg.add", SIGNED, "tg.xor"},
    {"arith.subi", "tg.sub", SIGNED, "tg.xor"},
    {"arith.muli", "tg.mul", SIGNED, "tg.and"},
    {"arith.divsi", "tg.div", SIGNED, NULL},
    {"arith.divui", "tg.div", UNSIGNED, NULL},
    {"arith.remsi", "tg.rem", SIGNED, NULL},
    {"arith.remui", "tg.rem", UNSIGNED, NULL},
    {"arith.maxsi", "tg.max", SIGNED, "tg.and"},
    {"arith.minsi", "tg.min", SIGNED, "tg.or"},
    {"arith.maxui", "tg.max", UNSIGNED, "tg.or"},
    {"arith.minui", "tg.min", UNSIGNED, "tg.and"},
    {"arith.andi", "tg.and", SIGNED, "tg.and"},
    {"arith.ori", "tg.or", SIGNED, "tg.or"},
    {"arith.xori", "tg.xor", SIGNED, "tg.xor"},
    {"arith.shli", "tg.shl", SIGNED, NULL},
    {"arith.shrsi", "tg.shr_arith", SIGNED, NULL},
    {"arith.shrui", "tg.shr_logic", SIGNED, NULL},
    {"math.absf", "tg.abs", FLOATS, NULL},
    {"math.absi", "tg.abs", SIGNED, NULL},
    {"math.atan2", "tg.atan2", FLOATS, NULL},
    {"math.cbrt", "tg.cbrt", FLOATS, NULL},
    {"math.ceil", "tg.ceil", FLOATS, NULL},
    {"math.cos", "tg.cos", FLOATS, NULL},
    {"math.ctlz", "tg.clz", SIGNED, NULL},
    {"math.ctpop", "tg.popcnt", SIGNED, NULL},
    {"math.erf", "tg.erf", FLOATS, NULL},
    {"math.erfc", "tg.erfc", FLOATS, NULL},
    {"math.exp", "tg.exp", FLOATS, NULL},
    {"math.expm1", "tg.expm1", FLOATS, NULL},
    {"math.floor", "tg.floor", FLOATS, NULL},
    {"math.fma", "tg.fma", FLOATS, NULL},
    {"math.log", "tg.log", FLOATS, NULL},
    {"math.log1p", "tg.log1p", FLOATS, NULL},
    {"math.powf", "tg.pow", FLOATS, NULL},
    {"math.round", "tg.round", FLOATS, NULL},
    {"math.roundeven", "tg.round_even", FLOATS, NULL},
    {"math.rsqrt", "tg.rsqrt", FLOATS, NULL},
    {"math.sin", "tg.sin", FLOATS, NULL},
    {"math.sqrt", "tg.sqrt", FLOATS, NULL},
    {"math.tan", "tg.tan", FLOATS, NULL},
    {"math.tanh", "tg.tanh", FLOATS, NULL},
    {"math.isfinite", "tg.is_finite", FLOATS, NULL},
    {"index.add", "tg.add", SIGNED, NULL},
    {"index.sub", "tg.sub", SIGNED, NULL},
    {"index.mul", "tg.mul", SIGNED, NULL},
    {"index.divs", "tg.div", SIGNED, NULL},
    {"index.divu", "tg.div", UNSIGNED, NULL},
    {"index.rems", "tg.rem", SIGNED, NULL},
    {"index.remu", "tg.rem", UNSIGNED, NULL},
    {"index.maxs", "tg.max", SIGNED, NULL},
    {"index.mins", "tg.min", SIGNED, NULL},
    {"index.and", "tg.and", SIGNED, NULL},
    {"index.or", "tg.or", SIGNED, NULL},
    {"index.xor", "tg.xor", SIGNED, NULL},
    {"index.shl", "tg.shl", SIGNED, NULL},
    {"index.shrs", "tg.shr_arith", SIGNED, NULL},
    {"index.shru", "tg.shr_logic", SIGNED, NULL},
    {"index.maxu", "tg.max", UNSIGNED, NULL},
    {"index.minu", "tg.min", UNSIGNED, NULL},
    {"math.ipowi", "tg.pow", SIGNED, NULL},
    {"complex.abs", "tg.abs", FLOATS, NULL},
    {"complex.add", "tg.add", FLOATS, NULL},
    {"complex.atan2", "tg.atan2", FLOATS, NULL},
    {"complex.cos", "tg.cos", FLOATS, NULL},
    {"complex.create", "tg.complex", FLOATS, NULL},
    {"complex.div", "tg.div", FLOATS, NULL},
    {"complex.exp", "tg.exp", FLOATS, NULL},
    {"complex.expm1", "tg.expm1", FLOATS, NULL},
    {"complex.im", "tg.imag", FLOATS, NULL},
    {"complex.log", "tg.log", FLOATS, NULL},
    {"complex.log1p", "tg.log1p", FLOATS, NULL},
    {"complex.mul", "tg.mul", FLOATS, NULL},
    {"complex.neg", "tg.neg", FLOATS, NULL},
    {"complex.pow", "tg.pow", FLOATS, NULL},
    {"complex.re", "tg.real", FLOATS, NULL},
    {"complex.rsqrt", "tg.rsqrt", FLOATS, NULL},
    {"complex.sign", "tg.sign", FLOATS, NULL},
    {"complex.sin", "tg.sin", FLOATS, NULL},
    {"complex.sqrt", "tg.sqrt", FLOATS, NULL},
    {"complex.sub", "tg.sub", FLOATS, NULL},
    {"complex.tan", "tg.tan", FLOATS, NULL},
    {"complex.tanh", "tg.tanh", FLOATS, NULL},
};

static const Counterpart *findCounterpart(MlirOperation op) {
  for (size_t i = 0; i < sizeof(counterparts) / sizeof(counterparts[0]); ++i)
    if (irOpIs(op, counterparts[i].from))
      return &counterparts[i];
  return NULL;
}

static MlirValue convertCounterpart(LinalgBody *body, const Counterpart *c, MlirOperation op, MlirValue *operands) {
  MlirType element = irElementTypeOf(operands[0]);
  bool isBool = irIsBool(element);
  if (isBool && !c->ofBooleans)
    return (MlirValue){NULL};
  const char *name = isBool ? c->ofBooleans : c->to;
  bool isUnsigned = c->numbers == UNSIGNED && !isBool;
  intptr_t count = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; isUnsigned && i < count; ++i)
    operands[i] = tgBitcast(body->b, operands[i], unsignedOf(element));
  MlirType type = tensorOf(body, mlirValueGetType(irResult(op, 0)));
  MlirValue result = irValueOf(body->b, name, (IrValues){count, operands},
                               isUnsigned ? tgWithElement(type, unsignedOf(element)) : type, IR_NO_ATTRS);
  return isUnsigned ? tgBitcast(body->b, result, element) : result;
}

//===----------------------------------------------------------------------===//
// Comparisons and conversions
//===----------------------------------------------------------------------===//

static MlirValue both(LinalgBody *body, const char *name, MlirValue a, MlirValue b) {
  return tgBinary(body->b, name, a, b);
}

/// Whether neither is NaN.
static MlirValue areOrdered(LinalgBody *body, MlirValue a, MlirValue b) {
  return both(body, "tg.and", tgCompare(body->b, TG_EQ, a, a), tgCompare(body->b, TG_EQ, b, b));
}

static MlirValue compareFloats(LinalgBody *body, int64_t predicate, MlirValue a, MlirValue b) {
  static const TgDirection ordered[] = {[1] = TG_EQ, [2] = TG_GT, [3] = TG_GE, [4] = TG_LT, [5] = TG_LE};
  static const TgDirection opposite[] = {[9] = TG_LE, [10] = TG_LT, [11] = TG_GE, [12] = TG_GT};
  switch (predicate) {
  case 1:
  case 2:
  case 3:
  case 4:
  case 5:
    return tgCompare(body->b, ordered[predicate], a, b);
  case 6: // ordered and unequal
    return both(body, "tg.or", tgCompare(body->b, TG_LT, a, b), tgCompare(body->b, TG_GT, a, b));
  case 7:
    return areOrdered(body, a, b);
  case 8: // unordered or equal
    return tgUnary(body->b, "tg.not", compareFloats(body, 6, a, b));
  case 9:
  case 10:
  case 11:
  case 12:
    return tgUnary(body->b, "tg.not", tgCompare(body->b, opposite[predicate], a, b));
  case 13:
    return tgCompare(body->b, TG_NE, a, b);
  case 14:
    return tgUnary(body->b, "tg.not", areOrdered(body, a, b));
  default: // never and always
    return tgSplat(body->b, tgWithElement(mlirValueGetType(a), mlirIntegerTypeGet(body->b->context, 1)),
                   predicate == 15);
  }
}

enum { ULT = 6 };

static MlirValue compareIntegers(LinalgBody *body, int64_t predicate, MlirValue a, MlirValue b) {
  static const TgDirection directions[] = {TG_EQ, TG_NE, TG_LT, TG_LE, TG_GT, TG_GE, TG_LT, TG_LE, TG_GT, TG_GE};
  MlirType element = irElementTypeOf(a);
  bool isSigned = predicate >= 2 && predicate <= 5, isUnsigned = predicate > 5;
  if (irIsBool(element) && isSigned) { // true is less than false
    MlirValue other = a;
    a = b;
    b = other;
  } else if (isUnsigned && !irIsBool(element)) {
    a = tgBitcast(body->b, a, unsignedOf(element));
    b = tgBitcast(body->b, b, unsignedOf(element));
  }
  return tgCompare(body->b, directions[predicate], a, b);
}

/// The number that is not NaN, if one is, and else the larger or smaller one.
static MlirValue ignoringNaN(LinalgBody *body, const char *name, MlirValue a, MlirValue b) {
  MlirValue first = tgSelect(body->b, tgCompare(body->b, TG_EQ, a, a), a, b);
  MlirValue second = tgSelect(body->b, tgCompare(body->b, TG_EQ, b, b), b, a);
  return both(body, name, first, second);
}

/// Null: no conversion of tg has this meaning.
static MlirValue convertType(LinalgBody *body, MlirOperation op, MlirValue x) {
  IrBuilder *b = body->b;
  MlirType type = tensorOf(body, mlirValueGetType(irResult(op, 0))), from = irElementTypeOf(x),
           to = irElementType(type);
  if (irOpIs(op, "arith.bitcast"))
    return tgBitcast(b, x, to);
  if (irHasAttr(op, "roundingmode") && irGetInt(op, "roundingmode", 0) != 0)
    return (MlirValue){NULL}; // to another number than the nearest
  bool isIndexCast = irOpIs(op, "arith.index_cast") || irOpIs(op, "index.casts");
  if (irOpIs(op, "arith.trunci") || (isIndexCast && irElementBytes(to) < irElementBytes(from))) {
    if (irIsBool(to)) // the lowest bit
      x = both(body, "tg.and", x, tgSplatBits(b, mlirValueGetType(x), 1));
    return tgConvert(b, x, to);
  }
  bool fromUnsigned = irOpIs(op, "arith.extui") || irOpIs(op, "arith.uitofp") || irOpIs(op, "arith.index_castui");
  bool fromSigned = irOpIs(op, "arith.extsi") || irOpIs(op, "arith.sitofp") || isIndexCast;
  if (irIsBool(from) && fromSigned)
    return tgUnary(b, "tg.neg", tgConvert(b, x, to)); // true is -1
  if (irIsBool(from) && fromUnsigned)
    return tgConvert(b, x, to);
  if (fromUnsigned && irIsFloat(to))
    return tgConvert(b, tgBitcast(b, x, unsignedOf(from)), to);
  if (fromUnsigned)
    return tgBitcast(b, tgConvert(b, tgBitcast(b, x, unsignedOf(from)), unsignedOf(to)), to);
  if (irOpIs(op, "arith.fptoui") && !irIsBool(to))
    return tgBitcast(b, tgConvert(b, x, unsignedOf(to)), to);
  bool isPlain = fromSigned || irOpIs(op, "arith.extf") || irOpIs(op, "arith.truncf") ||
                 (irOpIs(op, "arith.fptosi") && !irIsBool(to));
  return isPlain ? tgConvert(b, x, to) : (MlirValue){NULL};
}

static MlirValue convertOther(LinalgBody *body, MlirOperation op, MlirValue *operands) {
  if (irOpIs(op, "arith.cmpf"))
    return compareFloats(body, irGetInt(op, "predicate", 0), operands[0], operands[1]);
  if (irOpIs(op, "arith.cmpi"))
    return compareIntegers(body, irGetInt(op, "predicate", 0), operands[0], operands[1]);
  if (irOpIs(op, "arith.select"))
    return tgSelect(body->b, operands[0], operands[1], operands[2]);
  if (irOpIs(op, "arith.maxnumf") || irOpIs(op, "arith.minnumf"))
    return ignoringNaN(body, irOpIs(op, "arith.maxnumf") ? "tg.max" : "tg.min", operands[0], operands[1]);
  if (irOpIs(op, "math.isnan"))
    return tgCompare(body->b, TG_NE, operands[0], operands[0]);
  if (irOpIs(op, "complex.eq") || irOpIs(op, "complex.neq"))
    return tgCompare(body->b, irOpIs(op, "complex.eq") ? TG_EQ : TG_NE, operands[0], operands[1]);
  return mlirOperationGetNumOperands(op) == 1 ? convertType(body, op, operands[0]) : (MlirValue){NULL};
}

/// Operations of two results.
static MlirValue convertTwofold(LinalgBody *body, MlirOperation op, intptr_t number, const MlirValue *x) {
  IrBuilder *b = body->b;
  if (irOpIs(op, "math.sincos"))
    return tgUnary(b, number ? "tg.cos" : "tg.sin", x[0]);
  MlirType element = irElementTypeOf(x[0]);
  bool isSigned = irOpIs(op, "arith.mulsi_extended");
  if (irIsBool(element))
    return (MlirValue){NULL};
  if (irOpIs(op, "arith.addui_extended")) {
    MlirValue sum = tgAdd(b, x[0], x[1]);
    return number ? compareIntegers(body, ULT, sum, x[0]) : sum;
  }
  bool isProduct = isSigned || irOpIs(op, "arith.mului_extended");
  if (!isProduct || !mlirTypeIsAInteger(element) || (number && mlirIntegerTypeGetWidth(element) > 32))
    return (MlirValue){NULL};
  if (!number)
    return tgMul(b, x[0], x[1]);
  MlirType wide = mlirIntegerTypeGet(b->context, 64);
  MlirValue factors[2];
  for (int i = 0; i < 2; ++i) {
    factors[i] = isSigned ? x[i] : tgBitcast(b, x[i], unsignedOf(element));
    factors[i] = tgConvert(b, factors[i], wide);
  }
  MlirValue product = tgMul(b, factors[0], factors[1]);
  MlirValue width = tgSplatBits(b, mlirValueGetType(product), mlirIntegerTypeGetWidth(element));
  return tgConvert(b, tgBinary(b, "tg.shr_arith", product, width), element);
}

/// A result of scf.if: both sides are computed, and one is selected. No operation of a body traps: tg has a quotient by
/// zero, and clamps indices.
static MlirValue convertChoice(LinalgBody *body, MlirOperation op, intptr_t number) {
  MlirValue sides[2], condition = linalgBodyValue(body, irOperand(op, 0));
  if (mlirValueIsNull(condition))
    return condition;
  for (int i = 0; i < 2; ++i) {
    sides[i] = linalgBodyValue(body, irOperand(mlirBlockGetTerminator(irBody(op, i)), number));
    if (mlirValueIsNull(sides[i]))
      return sides[i];
  }
  return tgSelect(body->b, condition, sides[0], sides[1]);
}

MlirValue linalgBodyOperation(LinalgBody *body, MlirOperation op, intptr_t number) {
  enum { MOST_OPERANDS = 1 + IR_MAX_RANK };
  intptr_t count = mlirOperationGetNumOperands(op);
  const MlirValue none = {NULL};
  if (irOpIs(op, "scf.if"))
    return convertChoice(body, op, number);
  if (mlirOperationGetNumRegions(op) || count > MOST_OPERANDS ||
      mlirTypeIsNull(tensorOf(body, mlirValueGetType(irResult(op, number)))))
    return none;
  MlirValue operands[MOST_OPERANDS];
  for (intptr_t i = 0; i < count; ++i) {
    operands[i] = linalgBodyValue(body, irOperand(op, i));
    if (mlirValueIsNull(operands[i]))
      return none;
  }
  const Counterpart *counterpart = findCounterpart(op);
  if (irOpIs(op, "linalg.index"))
    return body->index ? body->index(body, irGetInt(op, "dim", 0)) : none;
  if (irOpIs(op, "tensor.extract"))
    return linalgElementsAt(body->b, operands[0], body->space, operands + 1);
  if (mlirOperationGetNumResults(op) != 1)
    return convertTwofold(body, op, number, operands);
  if (counterpart)
    return convertCounterpart(body, counterpart, op, operands);
  MlirValue result = count ? linalgFunction(body->b, op, operands) : none;
  return count && mlirValueIsNull(result) ? convertOther(body, op, operands) : result;
}
