//===- scalar.c - arithmetic on one element -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In layers: element.c holds elements and their types; scalar_complex.c, scalar_convert.c and arithmetic.c (with the
// special functions of scalar_special.c and gamma.c) compute on one. Here are the operations that choose among these,
// and constants.
//
//===----------------------------------------------------------------------===//

#include "lowering/scalar/scalar.h"

#include "lowering/scalar/element.h"
#include "lowering/scalar/narrow.h"
#include "lowering/scalar/real.h"
#include "lowering/scalar/scalar_complex.h"

#include <math.h>

//===----------------------------------------------------------------------===//
// Any elementwise operation
//===----------------------------------------------------------------------===//

/// |x| < infinity is false for NaN too.
static MlirValue scalarIsFinite(IrBuilder *b, MlirValue x) {
  return irCmpF(b, IR_CMPF_OLT, realOf(b, "math.absf", x), realLike(b, x, INFINITY));
}

static MlirValue scalarClamp(IrBuilder *b, MlirType element, const MlirValue *operands) {
  MlirValue atLeast =
      scalarCombine(b, TG_max, element, scalarWiden(b, operands[1], element), scalarWiden(b, operands[0], element));
  return scalarNarrow(b, scalarCombine(b, TG_min, element, atLeast, scalarWiden(b, operands[2], element)), element);
}

static MlirValue scalarFma(IrBuilder *b, MlirType element, const MlirValue *operands) {
  MlirValue a = scalarWiden(b, operands[0], element);
  MlirValue result =
      irValueOf(b, "math.fma", IR_VALUES(a, scalarWiden(b, operands[1], element), scalarWiden(b, operands[2], element)),
                mlirValueGetType(a), IR_NO_ATTRS);
  return scalarNarrow(b, result, element);
}

static bool hasComplexTypes(MlirOperation op) {
  bool any = mlirTypeIsAComplex(irElementTypeOf(irResult(op, 0)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    any = any || mlirTypeIsAComplex(irElementTypeOf(irOperand(op, i)));
  return any;
}

MlirValue scalarOperation(IrBuilder *b, MlirOperation op, const MlirValue *operands) {
  TgKind kind = tgKindOf(op);
  if (hasComplexTypes(op) && kind != TG_select && kind != TG_convert && kind != TG_bitcast_convert)
    return scalarComplexOperation(b, op, operands);
  MlirType element = irElementTypeOf(irOperand(op, 0));
  MlirValue result;
  switch (kind) {
  case TG_compare:
    return scalarCompare(b, op, operands);
  case TG_select:
    return irSelect(b, operands[0], operands[1], operands[2]);
  case TG_clamp:
    return scalarClamp(b, element, operands);
  case TG_fma:
    return scalarFma(b, element, operands);
  case TG_convert:
    return scalarConvert(b, operands[0], element, irElementTypeOf(irResult(op, 0)));
  case TG_is_finite:
    return scalarIsFinite(b, scalarWiden(b, operands[0], element));
  case TG_reduce_precision:
    return scalarReducePrecision(b, op, element, operands[0]);
  case TG_bitcast_convert:
    return scalarBitcast(b, operands[0], element, irElementTypeOf(irResult(op, 0)));
  default:
    break;
  }
  MlirValue x = scalarWiden(b, operands[0], element);
  if (mlirOperationGetNumOperands(op) == 1)
    result = scalarUnary(b, kind, element, x);
  else
    result = scalarCombine(b, kind, element, x, scalarWiden(b, operands[1], element));
  return mlirValueIsNull(result) ? result : scalarNarrow(b, result, element);
}

//===----------------------------------------------------------------------===//
// Constants, indices, reductions
//===----------------------------------------------------------------------===//

MlirValue scalarZero(IrBuilder *b, MlirType element) {
  MlirType type = scalarType(element);
  if (mlirTypeIsAComplex(element))
    return scalarComplexConstant(b, element, 0);
  return irIsFloat(type) ? irConstantFloat(b, type, 0) : irConstantInt(b, type, 0);
}

/// `value` is the parts, an array attribute.
static MlirValue complexConstant(IrBuilder *b, MlirType element, MlirAttribute value) {
  if (!mlirAttributeIsAArray(value) || mlirArrayAttrGetNumElements(value) != 2)
    return (MlirValue){NULL};
  MlirType part = mlirComplexTypeGetElementType(element);
  MlirValue re = scalarConstant(b, part, mlirArrayAttrGetElement(value, 0));
  MlirValue im = scalarConstant(b, part, mlirArrayAttrGetElement(value, 1));
  return irValueOf(b, "complex.create", IR_VALUES(re, im), element, IR_NO_ATTRS);
}

MlirValue scalarConstant(IrBuilder *b, MlirType element, MlirAttribute value) {
  if (mlirTypeIsAComplex(element))
    return complexConstant(b, element, value);
  MlirType type = scalarType(element), f32 = mlirF32TypeGet(b->context);
  if (scalarIsSmallFloat(element) && mlirAttributeIsAFloat(value))
    return scalarNarrow(b, irConstantFloat(b, f32, mlirFloatAttrGetValueDouble(value)), element);
  if (irIsFloat(type) && mlirAttributeIsAFloat(value))
    return irValueOf(b, "arith.constant", IR_NO_VALUES, type, IR_ATTRS(irAttr(b, "value", value)));
  if (!irIsInteger(type) || !mlirAttributeIsAInteger(value))
    return (MlirValue){NULL};
  int64_t bits = irIsUnsigned(element)              ? (int64_t)mlirIntegerAttrGetValueUInt(value)
                 : mlirIntegerTypeIsSigned(element) ? mlirIntegerAttrGetValueSInt(value)
                                                    : mlirIntegerAttrGetValueInt(value);
  return irConstantInt(b, type, bits);
}

MlirValue scalarFromIndex(IrBuilder *b, MlirValue index, MlirType element) {
  MlirType i64 = mlirIntegerTypeGet(b->context, 64);
  if (irIsInteger(element))
    return scalarNarrow(b, irUnary(b, "arith.index_castui", index, scalarType(element)), element);
  return scalarConvert(b, irUnary(b, "arith.index_castui", index, i64), i64, element);
}

static MlirValue elementIdentity(IrBuilder *b, TgKind kind, MlirType element);

/// As f32. Without infinities it is the largest or least number.
static MlirValue smallFloatIdentity(IrBuilder *b, TgKind kind, MlirType element) {
  MlirType f32 = mlirF32TypeGet(b->context);
  if (kind == TG_min)
    return irConstantFloat(b, f32, scalarLargestSmallFloat(element));
  if (kind == TG_max)
    return irConstantFloat(b, f32, scalarLeastSmallFloat(element));
  return elementIdentity(b, kind, f32);
}

static MlirValue elementIdentity(IrBuilder *b, TgKind kind, MlirType element) {
  MlirType type = scalarType(element);
  if (mlirTypeIsAComplex(element))
    return kind == TG_add || kind == TG_mul ? scalarComplexConstant(b, element, kind == TG_mul) : (MlirValue){NULL};
  if (scalarIsSmallFloat(element)) {
    MlirValue identity = smallFloatIdentity(b, kind, element);
    return mlirValueIsNull(identity) ? identity : scalarNarrow(b, identity, element);
  }
  bool isFloat = irIsFloat(element);
  switch (kind) {
  case TG_add:
  case TG_or:
  case TG_xor:
    return isFloat ? irConstantFloat(b, type, 0) : irConstantInt(b, type, 0);
  case TG_mul:
    return isFloat ? irConstantFloat(b, type, 1) : irConstantInt(b, type, 1);
  case TG_and:
    return scalarIsSmallInteger(element) ? scalarNarrow(b, irConstantInt(b, type, -1), element)
                                         : irConstantInt(b, type, -1);
  case TG_min:
    return isFloat ? irConstantFloat(b, type, INFINITY) : scalarLargestInteger(b, element);
  case TG_max:
    return isFloat ? irConstantFloat(b, type, -INFINITY) : scalarLeastInteger(b, element);
  default:
    return (MlirValue){NULL};
  }
}

MlirValue scalarIdentity(IrBuilder *b, TgKind kind, MlirType element, MlirType accumulator) {
  if (scalarIsSmallFloat(element) &&
      mlirTypeIsAF32(accumulator)) // f8E8M0FNU has no zero to begin sums with, and f32 has
    return smallFloatIdentity(b, kind, element);
  MlirValue identity = elementIdentity(b, kind, element);
  return mlirValueIsNull(identity) ? identity : scalarConvert(b, identity, element, accumulator);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

MlirValue scalarBranch(IrBuilder *b, MlirType elementType, MlirValue index, intptr_t count) {
  const char *cast = irIsUnsigned(elementType) ? "arith.index_castui" : "arith.index_cast";
  MlirValue position = irUnary(b, cast, index, mlirIndexTypeGet(b->context)), last = irConstantIndex(b, count - 1);
  return irSelect(b, irCmpI(b, IR_CMPI_ULT, position, last), position, last); // negative ones are large unsigned ones
}
