//===- wide.c - integers of 48 bits --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TOSA sums products of 16-bit integers in 48 bits, and demands that no sum needs more. Takes a module with such
// integers, leaves one with 64 bits in their place: in values, in arguments and results of functions, in attributes.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/conversion.h"

#include "capi/diagnostics.h"
#include "ir/mlir/retype.h"

static bool isWide(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeIsSignless(type) && mlirIntegerTypeGetWidth(type) == 48;
}

static bool hasWide(MlirType type) {
  return mlirTypeIsAShaped(type) ? isWide(mlirShapedTypeGetElementType(type)) : isWide(type);
}

static MlirType widened(MlirType type) {
  MlirType i64 = mlirIntegerTypeGet(mlirTypeGetContext(type), 64);
  if (isWide(type))
    return i64;
  if (!mlirTypeIsARankedTensor(type) || !hasWide(type))
    return type;
  IrShape shape = irTypeShape(type);
  return shape.rank > IR_MAX_RANK
             ? type
             : mlirRankedTensorTypeGet(shape.rank, shape.dims, i64, mlirRankedTensorTypeGetEncoding(type));
}

/// The attribute with 64 bits; null after an error.
static MlirAttribute widenedAttribute(MlirOperation op, MlirAttribute attribute, IrArena *arena) {
  if (mlirAttributeIsAType(attribute))
    return isWide(mlirTypeAttrGetValue(attribute)) ? mlirTypeAttrGet(widened(mlirTypeAttrGetValue(attribute)))
                                                   : attribute;
  if (!mlirAttributeIsAElements(attribute) || !hasWide(mlirAttributeGetType(attribute)))
    return attribute;
  if (!mlirAttributeIsADenseIntElements(attribute)) {
    stitchEmitOpError(op, "cannot be converted to tg: its integers of 48 bits must be dense elements");
    return (MlirAttribute){NULL};
  }
  MlirType type = widened(mlirAttributeGetType(attribute));
  intptr_t count = mlirElementsAttrGetNumElements(attribute);
  int64_t *elements = IR_NEW_ARRAY(arena, int64_t, count + 1);
  for (intptr_t i = 0; i < count; ++i)
    elements[i] = tosaDenseInt(attribute, i);
  return mlirDenseElementsAttrInt64Get(type, count, elements);
}

static bool widenAttributes(MlirOperation op, IrArena *arena) {
  if (irOpIs(op, "tosa.rescale") && hasWide(mlirValueGetType(irOperand(op, 0))))
    irSetAttr(op, TOSA_OF_48_BITS, mlirUnitAttrGet(mlirOperationGetContext(op)));
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    MlirAttribute wide = widenedAttribute(op, named.attribute, arena);
    if (mlirAttributeIsNull(wide))
      return false;
    if (!mlirAttributeEqual(wide, named.attribute))
      mlirOperationSetAttributeByName(op, mlirIdentifierStr(named.name), wide);
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
      IR_FOR_EACH_OP(nested, block)
        if (!widenAttributes(nested, arena))
          return false;
  return true;
}

bool tosaWidenIntegers(MlirOperation module, IrArena *arena) {
  if (!widenAttributes(module, arena))
    return false;
  irRetype(module, widened);
  return true;
}
