//===- replaced_types.c - integers of 48 bits, and MXINT8 ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TOSA sums products of 16-bit integers in 48 bits, and demands that no sum needs more. Its mxint8 is an integer of 8
// bits that stands for as many 64ths. Takes a module with such types, leaves one with i64 and i8 in their place: in
// values, in arguments and results of functions, in attributes.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/tosa_to_tg/tosa_conversion.h"

#include "capi/diagnostics.h"
#include "ir/mlir/retype.h"

#include <stdlib.h>
#include <string.h>

static bool isWide(MlirType element) {
  return mlirTypeIsAInteger(element) && mlirIntegerTypeIsSignless(element) && mlirIntegerTypeGetWidth(element) == 48;
}

static bool isMxInt8(MlirType element) {
  MlirStringRef dialect = mlirDialectGetNamespace(mlirTypeGetDialect(element));
  if (!mlirStringRefEqual(dialect, mlirStringRefCreateFromCString("tosa")))
    return false;
  char *text = irTypeText(element);
  bool is = strcmp(text, "!tosa.mxint8") == 0;
  free(text);
  return is;
}

static MlirType elementTypeIn(MlirType type) {
  return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

static MlirType replacementOf(MlirType element) {
  unsigned width = isWide(element) ? 64 : isMxInt8(element) ? 8 : 0;
  return width ? mlirIntegerTypeGet(mlirTypeGetContext(element), width) : element;
}

static MlirType replaced(MlirType type) {
  MlirType element = elementTypeIn(type), replacement = replacementOf(element);
  if (mlirTypeEqual(element, replacement))
    return type;
  if (!mlirTypeIsARankedTensor(type))
    return mlirTypeIsAShaped(type) ? type : replacement;
  IrShape shape = irTypeShape(type);
  return shape.rank > IR_MAX_RANK
             ? type
             : mlirRankedTensorTypeGet(shape.rank, shape.dims, replacement, mlirRankedTensorTypeGetEncoding(type));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static MlirAttribute wideElements(MlirAttribute attribute, MlirType type, IrArena *arena) {
  intptr_t count = mlirElementsAttrGetNumElements(attribute);
  int64_t *elements = IR_NEW_ARRAY(arena, int64_t, count + 1);
  for (intptr_t i = 0; i < count; ++i)
    elements[i] = tosaDenseInt(attribute, i);
  return mlirDenseElementsAttrInt64Get(type, count, elements);
}

/// The attribute with the other type; null after an error.
static MlirAttribute replacedAttribute(MlirOperation op, MlirAttribute attribute, IrArena *arena) {
  if (mlirAttributeIsAType(attribute))
    return mlirTypeAttrGet(replaced(mlirTypeAttrGetValue(attribute)));
  if (!mlirAttributeIsAElements(attribute))
    return attribute;
  MlirType before = mlirAttributeGetType(attribute), after = replaced(before);
  if (mlirTypeEqual(before, after))
    return attribute;
  if (mlirAttributeIsADenseIntElements(attribute))
    return wideElements(attribute, after, arena);
  stitchEmitOpError(op, "cannot be converted to tg: its elements must be dense integers"); // MLIR has none of mxint8
  return (MlirAttribute){NULL};
}

static bool replaceAttributes(MlirOperation op, IrArena *arena) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    bool isFunctionType = mlirStringRefEqual(mlirIdentifierStr(named.name),
                                             mlirStringRefCreateFromCString("function_type")); // irRetype
    MlirAttribute other = isFunctionType ? named.attribute : replacedAttribute(op, named.attribute, arena);
    if (mlirAttributeIsNull(other))
      return false;
    if (!mlirAttributeEqual(other, named.attribute))
      mlirOperationSetAttributeByName(op, mlirIdentifierStr(named.name), other);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Whether an operation means the same for the integers that stand for MXINT8: it moves or scales them.
static bool takesMxInt8(MlirOperation op) {
  static const char *const names[] = {"tosa.cast_from_block_scaled",
                                      "tosa.cast_to_block_scaled",
                                      "tosa.concat",
                                      "tosa.cond_if",
                                      "tosa.const",
                                      "tosa.gather",
                                      "tosa.identity",
                                      "tosa.matmul_t_block_scaled",
                                      "tosa.reshape",
                                      "tosa.reverse",
                                      "tosa.scatter",
                                      "tosa.select",
                                      "tosa.slice",
                                      "tosa.tile",
                                      "tosa.transpose",
                                      "tosa.variable_read",
                                      "tosa.variable_write",
                                      "tosa.while_loop",
                                      "tosa.yield"};
  MlirStringRef name = irOpName(op);
  bool isTosa = name.length > 5 && !memcmp(name.data, "tosa.", 5);
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (irOpIs(op, names[i]))
      return true;
  return !isTosa;
}

static bool usesMxInt8(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (isMxInt8(elementTypeIn(mlirValueGetType(irOperand(op, i)))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    if (isMxInt8(elementTypeIn(mlirValueGetType(irResult(op, i)))))
      return true;
  return false;
}

/// Attributes of all that is nested in `op`, past errors too; types of values stay for irRetype.
static bool replaceIn(MlirOperation op, IrArena *arena) {
  bool success = replaceAttributes(op, arena);
  if (irOpIs(op, "tosa.rescale") && isWide(elementTypeIn(mlirValueGetType(irOperand(op, 0)))))
    irSetAttr(op, TOSA_OF_48_BITS, mlirUnitAttrGet(mlirOperationGetContext(op)));
  if (usesMxInt8(op) && !takesMxInt8(op)) {
    stitchEmitOpError(op, "cannot be converted to tg: TOSA does not give it a meaning on mxint8");
    success = false;
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    IR_FOR_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
      IR_FOR_EACH_OP(nested, block)
        success &= replaceIn(nested, arena);
  return success;
}

bool tosaReplaceTypes(MlirOperation module, IrArena *arena) {
  if (!replaceIn(module, arena))
    return false;
  irRetype(module, replaced);
  return true;
}
