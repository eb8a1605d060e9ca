//===- hlo_conversion.c - helpers for converting StableHLO operations -----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers of the conversion of StableHLO operations: errors, attributes read from their text, operands and result
// types, and the replacement of an operation by tg operations.
//
//===----------------------------------------------------------------------===//

#include "lowering/import/stablehlo_to_tg/hlo_conversion.h"

#include "capi/diagnostics.h"
#include "ir/mlir/query.h"
#include "ir/mlir/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

bool hloFail(HloConversion *c, const char *format, ...) {
  char reason[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof(reason), format, arguments);
  va_end(arguments);
  stitchEmitOpError(c->op, "cannot be converted to tg: %s", reason);
  return false;
}

//===----------------------------------------------------------------------===//
// Attributes, by their text
//===----------------------------------------------------------------------===//

const char *hloAttrText(HloConversion *c, const char *name) {
  MlirAttribute attribute = irGetAttr(c->op, name);
  if (mlirAttributeIsNull(attribute))
    return "";
  IrText text = {.arena = c->arena};
  mlirAttributePrint(attribute, irTextAppend, &text);
  return text.data ? text.data : "";
}

bool hloIsTrue(HloConversion *c, const char *name) { return !strcmp(hloAttrText(c, name), "true"); }

const char *hloEnumKeyword(HloConversion *c, const char *name, const char *enumeration) {
  const char *text = strstr(hloAttrText(c, name), enumeration);
  if (!text)
    return "";
  text += strlen(enumeration);
  text += strspn(text, " <");
  size_t length = strcspn(text, " ,>");
  char *keyword = irArenaAllocate(c->arena, length + 1);
  return memcpy(keyword, text, length);
}

/// Where "field = " ends in `text`; null if it has no such field.
static const char *findField(const char *text, const char *field) {
  size_t length = strlen(field);
  for (const char *at = strstr(text, field); at; at = strstr(at + 1, field)) {
    bool starts = at > text && strchr("<, ", at[-1]);
    if (starts && !strncmp(at + length, " = ", 3))
      return at + length + 3;
  }
  return NULL;
}

bool hloListField(HloConversion *c, const char *text, const char *field, IrShape *list) {
  list->rank = 0;
  const char *at = findField(text, field);
  if (!at)
    return true;
  if (*at++ != '[')
    return hloFail(c, "'%s' is not a list in %s", field, text);
  while (*at && *at != ']') {
    char *end;
    int64_t value = strtoll(at, &end, 10);
    if (end == at || list->rank == IR_MAX_RANK)
      return hloFail(c, "'%s' is not a list of at most %d integers in %s", field, IR_MAX_RANK, text);
    list->dims[list->rank++] = value;
    at = end + strspn(end, ", ");
  }
  return true;
}

bool hloFieldIs(const char *text, const char *field, const char *word) {
  const char *at = findField(text, field);
  return at && !strncmp(at, word, strlen(word)) && strchr(",> ", at[strlen(word)]);
}

int64_t hloIntField(const char *text, const char *field, int64_t missing) {
  const char *at = findField(text, field);
  return at ? strtoll(at, NULL, 10) : missing;
}

/// The bits of the elements of an attribute; 0 if they are not integers.
static unsigned integerElementBits(MlirAttribute attribute) {
  if (!mlirAttributeIsADenseIntElements(attribute))
    return 0;
  MlirType element = irElementType(mlirAttributeGetType(attribute));
  return mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 0;
}

bool hloListAttr(HloConversion *c, const char *name, IrShape *list) {
  MlirAttribute attribute = irGetAttr(c->op, name);
  if (mlirAttributeIsNull(attribute))
    return hloFail(c, "attribute '%s' is missing", name);
  bool isArray = mlirAttributeIsADenseI64Array(attribute);
  bool isElements = integerElementBits(attribute) == 64;
  if (!isArray && !isElements)
    return hloFail(c, "attribute '%s' is not a list of integers: %s", name, hloAttrText(c, name));
  int64_t count = isArray ? mlirDenseArrayGetNumElements(attribute) : mlirElementsAttrGetNumElements(attribute);
  if (count > IR_MAX_RANK)
    return hloFail(c, "attribute '%s' has more than %d elements", name, IR_MAX_RANK);
  list->rank = count;
  for (intptr_t i = 0; i < count; ++i)
    list->dims[i] =
        isArray ? mlirDenseI64ArrayGetElement(attribute, i) : mlirDenseElementsAttrGetInt64Value(attribute, i);
  return true;
}

bool hloListAttrOr(HloConversion *c, const char *name, intptr_t count, int64_t value, IrShape *list) {
  if (!mlirAttributeIsNull(irGetAttr(c->op, name)))
    return hloListAttr(c, name, list);
  list->rank = count;
  for (intptr_t i = 0; i < count; ++i)
    list->dims[i] = value;
  return true;
}

bool hloPaddingAttr(HloConversion *c, intptr_t count, IrShape *low, IrShape *high) {
  MlirAttribute attribute = irGetAttr(c->op, "padding");
  low->rank = high->rank = count;
  memset(low->dims, 0, sizeof(low->dims));
  memset(high->dims, 0, sizeof(high->dims));
  if (mlirAttributeIsNull(attribute))
    return true;
  unsigned bits = integerElementBits(attribute); // 32 where it was an operand
  IrShape shape = bits ? irTypeShape(mlirAttributeGetType(attribute)) : (IrShape){0};
  if ((bits != 64 && bits != 32) || shape.rank != 2 || shape.dims[0] != count || shape.dims[1] != 2)
    return hloFail(c, "attribute 'padding' is not a pair of integers for each of %ld dimensions", (long)count);
  for (intptr_t i = 0; i < 2 * count; ++i) {
    IrShape *side = i % 2 ? high : low;
    side->dims[i / 2] = bits == 64 ? mlirDenseElementsAttrGetInt64Value(attribute, i)
                                   : mlirDenseElementsAttrGetInt32Value(attribute, i);
  }
  return true;
}

bool hloIntAttr(HloConversion *c, const char *name, int64_t *value) {
  MlirAttribute attribute = irGetAttr(c->op, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return hloFail(c, "attribute '%s' is not an integer", name);
  *value = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

int hloCompareDirection(HloConversion *c) {
  static const char *const keywords[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const char *keyword = hloEnumKeyword(c, "comparison_direction", "comparison_direction");
  for (int direction = 0; direction < 6; ++direction)
    if (!strcmp(keyword, keywords[direction]))
      return direction;
  return -1;
}

bool hloComparesTotally(HloConversion *c) {
  return !strcmp(hloEnumKeyword(c, "compare_type", "comparison_type"), "TOTALORDER");
}

/// Reads "[b, 0, 1, f]", where `letters` are those of `first` and `second`; returns where it ends, null if it is
/// malformed.
static const char *readDimensionNames(const char *text, const char *letters, HloConvolutionDims *names) {
  *names = (HloConvolutionDims){.first = -1, .second = -1};
  if (*text++ != '[')
    return NULL;
  int64_t position = 0;
  bool isNamed[10] = {false};
  for (; *text && *text != ']' && position < IR_MAX_RANK; ++position) {
    int64_t *letter = *text == letters[0] ? &names->first : *text == letters[1] ? &names->second : NULL;
    bool isNumber = *text >= '0' && *text <= '9';
    if (letter ? *letter >= 0 : !isNumber || isNamed[*text - '0'])
      return NULL;
    if (letter) {
      *letter = position;
    } else {
      isNamed[*text - '0'] = true;
      names->spatial.dims[*text - '0'] = position;
      ++names->spatial.rank;
    }
    text += 1 + strspn(text + 1, ", ");
  }
  for (intptr_t d = 0; d < names->spatial.rank; ++d)
    if (!isNamed[d])
      return NULL;
  return *text == ']' && names->first >= 0 && names->second >= 0 ? text + 1 : NULL;
}

/// Skips `separator`; null if it is not there.
static const char *skip(const char *text, const char *separator) {
  return text && !strncmp(text, separator, strlen(separator)) ? text + strlen(separator) : NULL;
}

bool hloConvolutionDims(HloConversion *c, HloConvolutionDims *lhs, HloConvolutionDims *rhs,
                        HloConvolutionDims *result) {
  const char *whole = hloAttrText(c, "dimension_numbers"), *text = strchr(whole, '[');
  text = text ? readDimensionNames(text, "bf", lhs) : NULL;
  text = skip(text, "x");
  text = text ? readDimensionNames(text, "io", rhs) : NULL;
  text = skip(text, "->");
  text = text ? readDimensionNames(text, "bf", result) : NULL;
  bool agree = text && lhs->spatial.rank == rhs->spatial.rank && lhs->spatial.rank == result->spatial.rank;
  return agree || hloFail(c, "attribute 'dimension_numbers' is malformed: %s", whole);
}

MlirNamedAttribute hloDims(HloConversion *c, const char *name, const IrShape *list) {
  return irDims(&c->b, name, list->rank, list->dims);
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

MlirValue hloOperand(HloConversion *c, intptr_t i) { return mlirOperationGetOperand(c->op, i); }

IrValues hloOperandsFrom(HloConversion *c, intptr_t first) {
  intptr_t count = mlirOperationGetNumOperands(c->op) - first;
  MlirValue *values = IR_NEW_ARRAY(c->arena, MlirValue, count > 0 ? count : 1);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = hloOperand(c, first + i);
  return (IrValues){count, values};
}

MlirType hloResultType(HloConversion *c, intptr_t i) { return mlirValueGetType(irResult(c->op, i)); }

IrTypes hloResultTypes(HloConversion *c) {
  intptr_t count = mlirOperationGetNumResults(c->op);
  MlirType *types = IR_NEW_ARRAY(c->arena, MlirType, count > 0 ? count : 1);
  for (intptr_t i = 0; i < count; ++i)
    types[i] = hloResultType(c, i);
  return (IrTypes){count, types};
}

bool hloReplaceResult(HloConversion *c, intptr_t i, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(irResult(c->op, i), value);
  return true;
}

bool hloReplaceBy(HloConversion *c, IrValues operands, IrAttrs attributes) {
  return hloReplaceResult(c, 0, irValueOf(&c->b, c->rule->to, operands, hloResultType(c, 0), attributes));
}

bool hloReplaceByResults(HloConversion *c, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(c->op); ++i)
    hloReplaceResult(c, i, irResult(op, i));
  return true;
}

bool hloReplaceByOperands(HloConversion *c) {
  intptr_t count = mlirOperationGetNumResults(c->op);
  if (count != mlirOperationGetNumOperands(c->op))
    return hloFail(c, "it must have as many results as operands");
  for (intptr_t i = 0; i < count; ++i) {
    if (!mlirTypeEqual(hloResultType(c, i), mlirValueGetType(hloOperand(c, i))))
      return hloFail(c, "result %ld has another type than its operand", (long)i);
    hloReplaceResult(c, i, hloOperand(c, i));
  }
  return true;
}
