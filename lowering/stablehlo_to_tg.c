//===- stablehlo_to_tg.c - StableHLO and CHLO to the tensor graph ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module of functions with `stablehlo` and `chlo` operations, leaves the same functions with `tg` operations
// (docs/ir.md, section 1). Types and calls stay as they are; attributes of other frameworks (shardings, names of
// results) are dropped. An operation without a counterpart is an error at that operation.
//
// Operations are known by name and attributes by their text, never by C++ class, so that the pass works on the reader's
// dialects (dialects/stablehlo) and on the real ones of a compiler that links Stitch.
//
//===----------------------------------------------------------------------===//

#include "capi/diagnostics.h"
#include "capi/pass.h"
#include "ir/arena.h"
#include "ir/build.h"
#include "ir/query.h"
#include "stitch.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The conversion of one operation.
typedef struct Conversion {
  MlirOperation op;
  IrBuilder b;
  const struct Rule *rule;
  IrArena *arena;
} Conversion;

/// How an operation is converted: to the operation `to` by `convert`, which returns false after an error.
typedef struct Rule {
  const char *from;
  const char *to;
  int numOperands; ///< -1: any number
  bool (*convert)(Conversion *c);
} Rule;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static bool failConversion(Conversion *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// "'stablehlo.op' op cannot be converted to tg: REASON"; returns false.
static bool failConversion(Conversion *c, const char *format, ...) {
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

typedef struct {
  IrArena *arena;
  char *data;
  size_t length, capacity;
} Text;

static void appendText(MlirStringRef part, void *user) {
  Text *text = user;
  if (text->length + part.length + 1 > text->capacity) {
    text->capacity = 2 * (text->length + part.length + 1);
    char *grown = irArenaAllocate(text->arena, text->capacity);
    if (text->length)
      memcpy(grown, text->data, text->length);
    text->data = grown;
  }
  memcpy(text->data + text->length, part.data, part.length);
  text->length += part.length;
  text->data[text->length] = 0;
}

/// The printed form of an attribute, such as "#stablehlo<comparison_direction LT>"; "" if it is missing.
static const char *attrText(Conversion *c, const char *name) {
  MlirAttribute attribute = irGetAttr(c->op, name);
  if (mlirAttributeIsNull(attribute))
    return "";
  Text text = {.arena = c->arena};
  mlirAttributePrint(attribute, appendText, &text);
  return text.data ? text.data : "";
}

/// The keyword K of "#stablehlo<enumeration K>" (also printed as "#stablehlo.enumeration<K>"); "" if there is none.
static const char *enumKeyword(Conversion *c, const char *name, const char *enumeration) {
  const char *text = strstr(attrText(c, name), enumeration);
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

/// The list L of "field = [L]" in the text of an attribute; empty if it has no such field.
static bool listField(Conversion *c, const char *text, const char *field, IrShape *list) {
  list->rank = 0;
  const char *at = findField(text, field);
  if (!at)
    return true;
  if (*at++ != '[')
    return failConversion(c, "'%s' is not a list in %s", field, text);
  while (*at && *at != ']') {
    char *end;
    int64_t value = strtoll(at, &end, 10);
    if (end == at || list->rank == IR_MAX_RANK)
      return failConversion(c, "'%s' is not a list of at most %d integers in %s", field, IR_MAX_RANK, text);
    list->dims[list->rank++] = value;
    at = end + strspn(end, ", ");
  }
  return true;
}

static int64_t intField(const char *text, const char *field, int64_t missing) {
  const char *at = findField(text, field);
  return at ? strtoll(at, NULL, 10) : missing;
}

/// A list of integers, `array<i64: ...>` or, in older text, `dense<...>`.
static bool listAttr(Conversion *c, const char *name, IrShape *list) {
  MlirAttribute attribute = irGetAttr(c->op, name);
  if (mlirAttributeIsNull(attribute))
    return failConversion(c, "attribute '%s' is missing", name);
  bool isArray = mlirAttributeIsADenseI64Array(attribute);
  bool isElements = mlirAttributeIsADenseIntElements(attribute) &&
                    mlirTypeIsAInteger(irElementType(mlirAttributeGetType(attribute))) &&
                    mlirIntegerTypeGetWidth(irElementType(mlirAttributeGetType(attribute))) == 64;
  if (!isArray && !isElements)
    return failConversion(c, "attribute '%s' is not a list of integers: %s", name, attrText(c, name));
  int64_t count = isArray ? mlirDenseArrayGetNumElements(attribute) : mlirElementsAttrGetNumElements(attribute);
  if (count > IR_MAX_RANK)
    return failConversion(c, "attribute '%s' has more than %d elements", name, IR_MAX_RANK);
  list->rank = count;
  for (intptr_t i = 0; i < count; ++i)
    list->dims[i] =
        isArray ? mlirDenseI64ArrayGetElement(attribute, i) : mlirDenseElementsAttrGetInt64Value(attribute, i);
  return true;
}

static bool intAttr(Conversion *c, const char *name, int64_t *value) {
  MlirAttribute attribute = irGetAttr(c->op, name);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute))
    return failConversion(c, "attribute '%s' is not an integer", name);
  *value = mlirIntegerAttrGetValueInt(attribute);
  return true;
}

static MlirNamedAttribute dims(Conversion *c, const char *name, const IrShape *list) {
  return irDims(&c->b, name, list->rank, list->dims);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static MlirValue operand(Conversion *c, intptr_t i) { return mlirOperationGetOperand(c->op, i); }

static IrValues operandsFrom(Conversion *c, intptr_t first) {
  intptr_t count = mlirOperationGetNumOperands(c->op) - first;
  MlirValue *values = IR_NEW_ARRAY(c->arena, MlirValue, count > 0 ? count : 1);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = operand(c, first + i);
  return (IrValues){count, values};
}

static MlirType resultType(Conversion *c, intptr_t i) { return mlirValueGetType(irResult(c->op, i)); }

static bool replaceResult(Conversion *c, intptr_t i, MlirValue value) {
  mlirValueReplaceAllUsesOfWith(irResult(c->op, i), value);
  return true;
}

/// Replaces the only result by the operation `c->rule->to`.
static bool replaceBy(Conversion *c, IrValues operands, IrAttrs attributes) {
  return replaceResult(c, 0, irValueOf(&c->b, c->rule->to, operands, resultType(c, 0), attributes));
}

/// A constant with one value everywhere.
static MlirValue splat(Conversion *c, MlirType type, double value) {
  MlirType element = irElementType(type);
  MlirAttribute scalar = irIsFloat(element) ? mlirFloatAttrDoubleGet(c->b.context, element, value)
                                            : mlirIntegerAttrGet(element, (int64_t)value);
  return irValueOf(&c->b, "tg.constant", IR_NO_VALUES, type,
                   IR_ATTRS(irAttr(&c->b, "value", mlirDenseElementsAttrSplatGet(type, scalar))));
}

//===----------------------------------------------------------------------===//
// Elementwise operations, sources
//===----------------------------------------------------------------------===//

/// The same operands, no attributes.
static bool convertSame(Conversion *c) { return replaceBy(c, operandsFrom(c, 0), IR_NO_ATTRS); }

/// The direction of a comparison as tg numbers it; -1 if it is unknown.
static int compareDirection(Conversion *c) {
  static const char *const keywords[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const char *keyword = enumKeyword(c, "comparison_direction", "comparison_direction");
  for (int direction = 0; direction < 6; ++direction)
    if (!strcmp(keyword, keywords[direction]))
      return direction;
  return -1;
}

static bool convertCompare(Conversion *c) {
  int direction = compareDirection(c);
  if (direction < 0)
    return failConversion(c, "unknown comparison direction '%s'", attrText(c, "comparison_direction"));
  bool total = !strcmp(enumKeyword(c, "compare_type", "comparison_type"), "TOTALORDER");
  MlirNamedAttribute attributes[] = {irI32(&c->b, "direction", direction), irUnit(&c->b, "total_order")};
  return replaceBy(c, operandsFrom(c, 0), (IrAttrs){total ? 2 : 1, attributes});
}

static bool convertReducePrecision(Conversion *c) {
  int64_t exponent, mantissa;
  if (!intAttr(c, "exponent_bits", &exponent) || !intAttr(c, "mantissa_bits", &mantissa))
    return false;
  return replaceBy(c, operandsFrom(c, 0),
                   IR_ATTRS(irI64(&c->b, "exponent_bits", exponent), irI64(&c->b, "mantissa_bits", mantissa)));
}

static bool convertConstant(Conversion *c) {
  MlirAttribute value = irGetAttr(c->op, "value");
  if (mlirAttributeIsNull(value) || !mlirAttributeIsAElements(value))
    return failConversion(c, "attribute 'value' is not the elements of a tensor");
  if (!mlirTypeEqual(mlirAttributeGetType(value), resultType(c, 0)))
    return failConversion(c, "the value has another type than the result");
  return replaceBy(c, IR_NO_VALUES, IR_ATTRS(irAttr(&c->b, "value", value)));
}

static bool convertIota(Conversion *c) {
  int64_t dim;
  return intAttr(c, "iota_dimension", &dim) && replaceBy(c, IR_NO_VALUES, IR_ATTRS(irI64(&c->b, "dim", dim)));
}

static bool convertGetDimensionSize(Conversion *c) {
  IrShape shape = irShapeOf(operand(c, 0));
  int64_t dim;
  if (!intAttr(c, "dimension", &dim))
    return false;
  if (dim < 0 || dim >= shape.rank)
    return failConversion(c, "dimension %lld is out of range", (long long)dim);
  if (!irIsInteger(irElementType(resultType(c, 0))))
    return failConversion(c, "the result is not of integer type");
  return replaceResult(c, 0, splat(c, resultType(c, 0), (double)shape.dims[dim]));
}

/// x * x
static bool convertSquare(Conversion *c) { return replaceBy(c, IR_VALUES(operand(c, 0), operand(c, 0)), IR_NO_ATTRS); }

static bool checkFloatOperand(Conversion *c) {
  return irIsFloat(irElementTypeOf(operand(c, 0))) || failConversion(c, "the operand is not of a float type");
}

/// 1 - erf(x)
static bool convertErfc(Conversion *c) {
  if (!checkFloatOperand(c))
    return false;
  MlirType type = mlirValueGetType(operand(c, 0));
  MlirValue erf = irValueOf(&c->b, "tg.erf", IR_VALUES(operand(c, 0)), type, IR_NO_ATTRS);
  return replaceBy(c, IR_VALUES(splat(c, type, 1.0), erf), IR_NO_ATTRS);
}

/// atan2(x, 1)
static bool convertAtan(Conversion *c) {
  return checkFloatOperand(c) &&
         replaceBy(c, IR_VALUES(operand(c, 0), splat(c, mlirValueGetType(operand(c, 0)), 1.0)), IR_NO_ATTRS);
}

static bool replaceByEquality(Conversion *c, MlirValue value, double constant) {
  MlirValue other = splat(c, mlirValueGetType(value), constant);
  return replaceBy(c, IR_VALUES(value, other), IR_ATTRS(irI32(&c->b, "direction", 0)));
}

static bool convertIsInf(Conversion *c) {
  if (!checkFloatOperand(c))
    return false;
  MlirType type = mlirValueGetType(operand(c, 0));
  return replaceByEquality(c, irValueOf(&c->b, "tg.abs", IR_VALUES(operand(c, 0)), type, IR_NO_ATTRS), INFINITY);
}

static bool convertIsPosInf(Conversion *c) {
  return checkFloatOperand(c) && replaceByEquality(c, operand(c, 0), INFINITY);
}

static bool convertIsNegInf(Conversion *c) {
  return checkFloatOperand(c) && replaceByEquality(c, operand(c, 0), -INFINITY);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static bool convertBroadcastInDim(Conversion *c) {
  IrShape list;
  return listAttr(c, "broadcast_dimensions", &list) &&
         replaceBy(c, operandsFrom(c, 0), IR_ATTRS(dims(c, "dims", &list)));
}

/// New dimensions come first.
static bool convertBroadcast(Conversion *c) {
  IrShape sizes, list = irShapeOf(operand(c, 0));
  if (!listAttr(c, "broadcast_sizes", &sizes))
    return false;
  for (intptr_t i = 0; i < list.rank; ++i)
    list.dims[i] = sizes.rank + i;
  return replaceBy(c, operandsFrom(c, 0), IR_ATTRS(dims(c, "dims", &list)));
}

static bool convertTranspose(Conversion *c) {
  IrShape list;
  return listAttr(c, "permutation", &list) && replaceBy(c, operandsFrom(c, 0), IR_ATTRS(dims(c, "permutation", &list)));
}

static bool convertReverse(Conversion *c) {
  IrShape list;
  return listAttr(c, "dimensions", &list) && replaceBy(c, operandsFrom(c, 0), IR_ATTRS(dims(c, "dims", &list)));
}

static bool convertSlice(Conversion *c) {
  IrShape starts, limits, strides;
  return listAttr(c, "start_indices", &starts) && listAttr(c, "limit_indices", &limits) &&
         listAttr(c, "strides", &strides) &&
         replaceBy(c, operandsFrom(c, 0),
                   IR_ATTRS(dims(c, "starts", &starts), dims(c, "limits", &limits), dims(c, "strides", &strides)));
}

static bool convertDynamicSlice(Conversion *c) {
  IrShape sizes;
  return listAttr(c, "slice_sizes", &sizes) && replaceBy(c, operandsFrom(c, 0), IR_ATTRS(dims(c, "sizes", &sizes)));
}

static bool convertPad(Conversion *c) {
  IrShape low, high, interior;
  return listAttr(c, "edge_padding_low", &low) && listAttr(c, "edge_padding_high", &high) &&
         listAttr(c, "interior_padding", &interior) &&
         replaceBy(c, operandsFrom(c, 0),
                   IR_ATTRS(dims(c, "low", &low), dims(c, "high", &high), dims(c, "interior", &interior)));
}

static bool convertConcatenate(Conversion *c) {
  int64_t dim;
  return intAttr(c, "dimension", &dim) && replaceBy(c, operandsFrom(c, 0), IR_ATTRS(irI64(&c->b, "dim", dim)));
}

static bool convertGather(Conversion *c) {
  static const char *const fields[][2] = {{"offset_dims", "offset_dims"},
                                          {"collapsed_slice_dims", "collapsed_slice_dims"},
                                          {"operand_batching_dims", "operand_batching_dims"},
                                          {"start_indices_batching_dims", "start_indices_batching_dims"},
                                          {"start_index_map", "start_index_map"}};
  enum { numFields = sizeof(fields) / sizeof(fields[0]) };
  const char *text = attrText(c, "dimension_numbers");
  if (!*text)
    return failConversion(c, "attribute 'dimension_numbers' is missing");
  MlirNamedAttribute attributes[numFields + 3];
  IrShape list;
  for (int i = 0; i < numFields; ++i) {
    if (!listField(c, text, fields[i][0], &list))
      return false;
    attributes[i] = dims(c, fields[i][1], &list);
  }
  if (!listAttr(c, "slice_sizes", &list))
    return false;
  attributes[numFields] = dims(c, "slice_sizes", &list);
  attributes[numFields + 1] = irI64(&c->b, "index_vector_dim", intField(text, "index_vector_dim", 0));
  attributes[numFields + 2] = irUnit(&c->b, "indices_are_sorted");
  bool sorted = !strcmp(attrText(c, "indices_are_sorted"), "true");
  return replaceBy(c, operandsFrom(c, 0), (IrAttrs){numFields + 2 + sorted, attributes});
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static bool replaceByDot(Conversion *c, const IrShape *lhsBatch, const IrShape *rhsBatch, const IrShape *lhsContract,
                         const IrShape *rhsContract) {
  return replaceBy(c, operandsFrom(c, 0),
                   IR_ATTRS(dims(c, "lhs_batch", lhsBatch), dims(c, "rhs_batch", rhsBatch),
                            dims(c, "lhs_contract", lhsContract), dims(c, "rhs_contract", rhsContract)));
}

/// The precision and the algorithm are permissions, which are not needed.
static bool convertDotGeneral(Conversion *c) {
  const char *text = attrText(c, "dot_dimension_numbers");
  if (!*text)
    return failConversion(c, "attribute 'dot_dimension_numbers' is missing");
  IrShape lhsBatch, rhsBatch, lhsContract, rhsContract;
  return listField(c, text, "lhs_batching_dimensions", &lhsBatch) &&
         listField(c, text, "rhs_batching_dimensions", &rhsBatch) &&
         listField(c, text, "lhs_contracting_dimensions", &lhsContract) &&
         listField(c, text, "rhs_contracting_dimensions", &rhsContract) &&
         replaceByDot(c, &lhsBatch, &rhsBatch, &lhsContract, &rhsContract);
}

/// Contracts the lhs's last dimension with the rhs's first.
static bool convertDot(Conversion *c) {
  IrShape lhs = irShapeOf(operand(c, 0)), rhs = irShapeOf(operand(c, 1));
  if (lhs.rank < 1 || lhs.rank > 2 || rhs.rank < 1 || rhs.rank > 2)
    return failConversion(c, "operands must be vectors or matrices");
  IrShape none = {0}, last = {1, {lhs.rank - 1}}, first = {1, {0}};
  return replaceByDot(c, &none, &none, &last, &first);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What combines two elements; the index is the value of tg's `kind`.
typedef struct {
  const char *from; ///< the operation in the reduction's body
  const char *to;   ///< the elementwise operation that combines with an initial value
} Combiner;

static const Combiner combiners[] = {{"stablehlo.add", "tg.add"},     {"stablehlo.multiply", "tg.mul"},
                                     {"stablehlo.minimum", "tg.min"}, {"stablehlo.maximum", "tg.max"},
                                     {"stablehlo.and", "tg.and"},     {"stablehlo.or", "tg.or"},
                                     {"stablehlo.xor", "tg.xor"}};
enum { KIND_ADD, KIND_MUL, KIND_MIN, KIND_MAX, KIND_AND, KIND_OR, KIND_XOR, NUM_KINDS };

/// A reduction of `count` operands at once.
typedef struct {
  intptr_t count;
  MlirBlock body;
  MlirOperation end; ///< the body's stablehlo.return
  IrShape dims;
} Reduction;

static int compareInts(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/// Operand, initial value, arguments of the body and result `i` must have one element type.
static bool checkReducedTypes(Conversion *c, const Reduction *r, intptr_t i) {
  MlirType element = irElementTypeOf(operand(c, i));
  const MlirType others[] = {irElementType(resultType(c, i)), irElementTypeOf(operand(c, r->count + i)),
                             irElementTypeOf(mlirBlockGetArgument(r->body, i)),
                             irElementTypeOf(mlirBlockGetArgument(r->body, r->count + i))};
  for (int k = 0; k < 4; ++k)
    if (!mlirTypeEqual(element, others[k]))
      return failConversion(c, "operand, initial value, the body's arguments and result %ld must have one element type",
                            (long)i);
  if (irShapeOf(operand(c, r->count + i)).rank != 0)
    return failConversion(c, "initial value %ld must have rank 0", (long)i);
  return true;
}

static bool readReduction(Conversion *c, Reduction *r) {
  intptr_t numOperands = mlirOperationGetNumOperands(c->op);
  r->count = mlirOperationGetNumResults(c->op);
  if (numOperands != 2 * r->count || mlirOperationGetNumRegions(c->op) != 1)
    return failConversion(c, "it must have two operands for each result and one region");
  r->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(c->op, 0));
  if (mlirBlockIsNull(r->body) || mlirBlockGetNumArguments(r->body) != numOperands)
    return failConversion(c, "its body must take two arguments for each result");
  r->end = mlirBlockGetTerminator(r->body);
  if (mlirOperationIsNull(r->end) || !irOpIs(r->end, "stablehlo.return") ||
      mlirOperationGetNumOperands(r->end) != r->count)
    return failConversion(c, "its body must return a value for each result");
  if (!listAttr(c, "dimensions", &r->dims))
    return false;
  qsort(r->dims.dims, (size_t)r->dims.rank, sizeof(int64_t), compareInts);
  for (intptr_t i = 0; i < r->count; ++i)
    if (!checkReducedTypes(c, r, i))
      return false;
  return true;
}

static intptr_t blockLength(MlirBlock block) {
  intptr_t length = 0;
  IR_FOR_EACH_OP(op, block)++ length;
  return length;
}

/// The kind of result `i` if the body combines the two elements of operand `i` and nothing else; otherwise -1.
static int combinerOf(const Reduction *r, intptr_t i) {
  MlirOperation op = irDefiningOp(irOperand(r->end, i));
  if (mlirOperationIsNull(op) || mlirOperationGetNumOperands(op) != 2)
    return -1;
  MlirValue a = mlirBlockGetArgument(r->body, i), b = mlirBlockGetArgument(r->body, r->count + i);
  MlirValue x = irOperand(op, 0), y = irOperand(op, 1);
  bool combines = (mlirValueEqual(x, a) && mlirValueEqual(y, b)) || (mlirValueEqual(x, b) && mlirValueEqual(y, a));
  for (int kind = 0; combines && kind < NUM_KINDS; ++kind)
    if (irOpIs(op, combiners[kind].from))
      return kind;
  return -1;
}

/// The value that changes nothing, as an element of that type; null if there is none that we know.
static MlirAttribute identityOf(MlirContext context, int kind, MlirType element) {
  bool isFloat = irIsFloat(element);
  if (isFloat && (kind == KIND_MIN || kind == KIND_MAX))
    return mlirFloatAttrDoubleGet(context, element, kind == KIND_MIN ? INFINITY : -INFINITY);
  if (isFloat && (kind == KIND_ADD || kind == KIND_MUL))
    return mlirFloatAttrDoubleGet(context, element, kind == KIND_MUL ? 1.0 : 0.0);
  if (isFloat || !mlirTypeIsAInteger(element))
    return (MlirAttribute){NULL};
  unsigned width = mlirIntegerTypeGetWidth(element);
  if (width < 1 || width > 64)
    return (MlirAttribute){NULL};
  bool isUnsigned = irIsUnsigned(element) || width == 1;
  uint64_t ones = width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
  uint64_t sign = width >= 64 ? (uint64_t)1 << 63 : (uint64_t)1 << (width - 1);
  const uint64_t identities[NUM_KINDS] = {0, 1, isUnsigned ? ones : ones ^ sign, isUnsigned ? 0 : sign, ones, 0, 0};
  // Sign-extended, as a signed type wants it.
  uint64_t value = identities[kind];
  if (!irIsUnsigned(element) && (value & sign))
    value |= ~ones;
  return mlirIntegerAttrGet(element, (int64_t)value);
}

/// Whether `init`, of rank 0, is the constant that changes nothing.
static bool isIdentity(Conversion *c, int kind, MlirValue init) {
  MlirOperation op = irDefiningOp(init);
  while (!mlirOperationIsNull(op) && (irOpIs(op, "tg.broadcast") || irOpIs(op, "tg.reshape")))
    op = irDefiningOp(irOperand(op, 0));
  if (mlirOperationIsNull(op) || !irOpIs(op, "tg.constant"))
    return false;
  MlirAttribute value = irGetAttr(op, "value"), identity = identityOf(c->b.context, kind, irElementTypeOf(init));
  if (mlirAttributeIsNull(identity) || !mlirAttributeIsADenseElements(value) || !mlirDenseElementsAttrIsSplat(value))
    return false;
  return mlirAttributeEqual(mlirDenseElementsAttrGetSplatValue(value), identity);
}

/// Result `i` of a reduction that starts from its kind's identity, then combined with the program's initial value.
static void replaceByReduce(Conversion *c, const Reduction *r, intptr_t i, int kind) {
  MlirType type = resultType(c, i);
  MlirValue value = operand(c, i), init = operand(c, r->count + i);
  if (r->dims.rank > 0)
    value = irValueOf(&c->b, "tg.reduce", IR_VALUES(value), type,
                      IR_ATTRS(irI32(&c->b, "kind", kind), dims(c, "dims", &r->dims)));
  if (!isIdentity(c, kind, init)) {
    IrShape none = {0};
    if (irTypeShape(type).rank > 0)
      init = irValueOf(&c->b, "tg.broadcast", IR_VALUES(init), type, IR_ATTRS(dims(c, "dims", &none)));
    value = irValueOf(&c->b, combiners[kind].to, IR_VALUES(value, init), type, IR_NO_ATTRS);
  }
  replaceResult(c, i, value);
}

/// Each result has a combiner of its own.
static bool convertSeparateReduce(Conversion *c, const Reduction *r, bool *matches) {
  *matches = blockLength(r->body) == r->count + 1;
  for (intptr_t i = 0; *matches && i < r->count; ++i)
    *matches = combinerOf(r, i) >= 0;
  for (intptr_t i = 0; *matches && i < r->count; ++i)
    replaceByReduce(c, r, i, combinerOf(r, i));
  return true;
}

//===----------------------------------------------------------------------===//
// Reductions to an index
//
// Exporters write argmax in many ways: compare, select, minimum of the indices where values are equal, special cases
// for NaN. So the body is not matched but run: made of comparisons and choices only, what it does depends on the order
// of its arguments alone, and there are few orders to try. What it does with NaN is not tried: a body that does not
// take NaN first, as tg.arg_reduce does, gives results that depend on the order of the reduction, which StableHLO
// leaves open.
//===----------------------------------------------------------------------===//

enum { MAX_BODY_VALUES = 40 };

/// The values of a body that runs.
typedef struct {
  int count;
  MlirValue values[MAX_BODY_VALUES];
  double numbers[MAX_BODY_VALUES];
} Evaluation;

static bool define(Evaluation *e, MlirValue value, double number) {
  if (e->count == MAX_BODY_VALUES)
    return false;
  e->values[e->count] = value;
  e->numbers[e->count++] = number;
  return true;
}

static bool lookUp(const Evaluation *e, MlirValue value, double *number) {
  for (int i = 0; i < e->count; ++i)
    if (mlirValueEqual(e->values[i], value)) {
      *number = e->numbers[i];
      return true;
    }
  return false;
}

static bool evaluateCompare(Conversion *c, MlirOperation op, double x, double y, double *result) {
  Conversion inner = {op, c->b, NULL, c->arena};
  const bool results[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
  int direction = compareDirection(&inner);
  if (direction >= 0)
    *result = results[direction];
  return direction >= 0;
}

/// One operation of the body; false if it is more than a comparison or a choice.
static bool evaluateOp(Conversion *c, Evaluation *e, MlirOperation op) {
  double in[3] = {0}, out;
  intptr_t numOperands = mlirOperationGetNumOperands(op);
  if (numOperands < 1 || numOperands > 3 || mlirOperationGetNumResults(op) != 1)
    return false;
  for (intptr_t i = 0; i < numOperands; ++i)
    if (!lookUp(e, irOperand(op, i), &in[i]))
      return false;
  if (irOpIs(op, "stablehlo.compare") && numOperands == 2) {
    if (!evaluateCompare(c, op, in[0], in[1], &out))
      return false;
  } else if (irOpIs(op, "stablehlo.select") && numOperands == 3)
    out = in[0] != 0 ? in[1] : in[2];
  else if (irOpIs(op, "stablehlo.maximum") && numOperands == 2)
    out = fmax(in[0], in[1]);
  else if (irOpIs(op, "stablehlo.minimum") && numOperands == 2)
    out = fmin(in[0], in[1]);
  else if (!irIsBool(irElementTypeOf(irResult(op, 0))))
    return false;
  else if (irOpIs(op, "stablehlo.not") && numOperands == 1)
    out = !in[0];
  else if (irOpIs(op, "stablehlo.and") && numOperands == 2)
    out = in[0] && in[1];
  else if (irOpIs(op, "stablehlo.or") && numOperands == 2)
    out = in[0] || in[1];
  else if (irOpIs(op, "stablehlo.xor") && numOperands == 2)
    out = in[0] != in[1];
  else
    return false;
  return define(e, irResult(op, 0), out);
}

/// Runs the body of a reduction of two operands on two pairs of elements.
static bool evaluateBody(Conversion *c, const Reduction *r, const double arguments[4], double results[2]) {
  Evaluation e = {0};
  for (int i = 0; i < 4; ++i)
    define(&e, mlirBlockGetArgument(r->body, i), arguments[i]);
  for (MlirOperation op = mlirBlockGetFirstOperation(r->body); !mlirOperationEqual(op, r->end);
       op = mlirOperationGetNextInBlock(op))
    if (!evaluateOp(c, &e, op))
      return false;
  return lookUp(&e, irOperand(r->end, 0), &results[0]) && lookUp(&e, irOperand(r->end, 1), &results[1]);
}

/// Whether the body chooses the larger (KIND_MAX) or smaller element and, of equal ones, the least index. `value` says
/// which of the two operands has the elements.
static bool choosesExtreme(Conversion *c, const Reduction *r, int kind, int value) {
  static const double samples[][2] = {{1, 2}, {2, 1}, {1, 1}};
  static const double indices[][2] = {{3, 5}, {5, 3}};
  for (int s = 0; s < 3; ++s)
    for (int i = 0; i < 2; ++i) {
      double x = samples[s][0], y = samples[s][1], results[2];
      bool first = x == y ? indices[i][0] < indices[i][1] : (x > y) == (kind == KIND_MAX);
      double arguments[4];
      arguments[value] = x, arguments[2 + value] = y;
      arguments[1 - value] = indices[i][0], arguments[3 - value] = indices[i][1];
      if (!evaluateBody(c, r, arguments, results))
        return false;
      if (results[value] != (first ? x : y) || results[1 - value] != indices[i][first ? 0 : 1])
        return false;
    }
  return true;
}

/// Whether the elements of `value` are their indices along `dim`.
static bool isIotaAlong(MlirValue value, int64_t dim) {
  MlirOperation op = irDefiningOp(value);
  while (!mlirOperationIsNull(op) && irOpIs(op, "tg.broadcast")) {
    IrShape list = irGetDims(op, "dims");
    intptr_t i = 0;
    while (i < list.rank && list.dims[i] != dim)
      ++i;
    if (i == list.rank || irShapeOf(irOperand(op, 0)).dims[i] != irShapeOf(irResult(op, 0)).dims[dim])
      return false;
    dim = i;
    op = irDefiningOp(irOperand(op, 0));
  }
  return !mlirOperationIsNull(op) && irOpIs(op, "tg.iota") && irGetInt(op, "dim", -1) == dim;
}

static bool convertArgReduce(Conversion *c, const Reduction *r, bool *matches) {
  *matches = false;
  if (r->count != 2 || r->dims.rank != 1 || r->dims.dims[0] < 0 || r->dims.dims[0] >= irShapeOf(operand(c, 0)).rank ||
      !irShapesEqual(irShapeOf(operand(c, 0)), irShapeOf(operand(c, 1))))
    return true;
  int value = isIotaAlong(operand(c, 1), r->dims.dims[0]) ? 0 : 1;
  if (value == 1 && !isIotaAlong(operand(c, 0), r->dims.dims[0]))
    return true;
  int kind = choosesExtreme(c, r, KIND_MAX, value) ? KIND_MAX : KIND_MIN;
  if (!choosesExtreme(c, r, kind, value))
    return true;
  *matches = true;
  if (!isIdentity(c, kind, operand(c, 2 + value)))
    return failConversion(c, "the initial value of a reduction to an index must be the %s value of its type",
                          kind == KIND_MAX ? "least" : "largest");
  MlirOperation reduce = irOp(&c->b, "tg.arg_reduce", IR_VALUES(operand(c, value)),
                              IR_TYPES(resultType(c, value), resultType(c, 1 - value)),
                              IR_ATTRS(irI32(&c->b, "kind", kind), irI64(&c->b, "dim", r->dims.dims[0])));
  replaceResult(c, value, irResult(reduce, 0));
  return replaceResult(c, 1 - value, irResult(reduce, 1));
}

static bool convertReduce(Conversion *c) {
  Reduction r;
  bool matches;
  if (!readReduction(c, &r))
    return false;
  if (!convertSeparateReduce(c, &r, &matches) || matches)
    return matches;
  if (!convertArgReduce(c, &r, &matches) || matches)
    return matches;
  return failConversion(
      c, "its body is neither one of add, multiply, minimum, maximum, and, or, xor for each result, nor the "
         "choice of an extreme element and its index");
}

//===----------------------------------------------------------------------===//
// Calls and identities
//===----------------------------------------------------------------------===//

/// The results are the operands.
static bool convertForward(Conversion *c) {
  intptr_t count = mlirOperationGetNumResults(c->op);
  if (count != mlirOperationGetNumOperands(c->op))
    return failConversion(c, "it must have as many results as operands");
  for (intptr_t i = 0; i < count; ++i) {
    if (!mlirTypeEqual(resultType(c, i), mlirValueGetType(operand(c, i))))
      return failConversion(c, "result %ld has another type than its operand", (long)i);
    replaceResult(c, i, operand(c, i));
  }
  return true;
}

/// A call of the function that says what the composite operation does.
static bool convertComposite(Conversion *c) {
  MlirAttribute callee = irGetAttr(c->op, "decomposition");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return failConversion(c, "attribute 'decomposition' is not the name of a function");
  intptr_t count = mlirOperationGetNumResults(c->op);
  MlirType *types = IR_NEW_ARRAY(c->arena, MlirType, count > 0 ? count : 1);
  for (intptr_t i = 0; i < count; ++i)
    types[i] = resultType(c, i);
  MlirOperation call =
      irOp(&c->b, "func.call", operandsFrom(c, 0), (IrTypes){count, types}, IR_ATTRS(irAttr(&c->b, "callee", callee)));
  for (intptr_t i = 0; i < count; ++i)
    replaceResult(c, i, irResult(call, i));
  return true;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const Rule rules[] = {
    // Elementwise.
    {"stablehlo.abs", "tg.abs", 1, convertSame},
    {"stablehlo.add", "tg.add", 2, convertSame},
    {"stablehlo.and", "tg.and", 2, convertSame},
    {"stablehlo.atan2", "tg.atan2", 2, convertSame},
    {"stablehlo.bitcast_convert", "tg.bitcast_convert", 1, convertSame},
    {"stablehlo.cbrt", "tg.cbrt", 1, convertSame},
    {"stablehlo.ceil", "tg.ceil", 1, convertSame},
    {"stablehlo.clamp", "tg.clamp", 3, convertSame},
    {"stablehlo.compare", "tg.compare", 2, convertCompare},
    {"stablehlo.complex", "tg.complex", 2, convertSame},
    {"stablehlo.convert", "tg.convert", 1, convertSame},
    {"stablehlo.cosine", "tg.cos", 1, convertSame},
    {"stablehlo.count_leading_zeros", "tg.clz", 1, convertSame},
    {"stablehlo.divide", "tg.div", 2, convertSame},
    {"stablehlo.exponential", "tg.exp", 1, convertSame},
    {"stablehlo.exponential_minus_one", "tg.expm1", 1, convertSame},
    {"stablehlo.floor", "tg.floor", 1, convertSame},
    {"stablehlo.imag", "tg.imag", 1, convertSame},
    {"stablehlo.is_finite", "tg.is_finite", 1, convertSame},
    {"stablehlo.log", "tg.log", 1, convertSame},
    {"stablehlo.log_plus_one", "tg.log1p", 1, convertSame},
    {"stablehlo.logistic", "tg.logistic", 1, convertSame},
    {"stablehlo.maximum", "tg.max", 2, convertSame},
    {"stablehlo.minimum", "tg.min", 2, convertSame},
    {"stablehlo.multiply", "tg.mul", 2, convertSame},
    {"stablehlo.negate", "tg.neg", 1, convertSame},
    {"stablehlo.not", "tg.not", 1, convertSame},
    {"stablehlo.or", "tg.or", 2, convertSame},
    {"stablehlo.popcnt", "tg.popcnt", 1, convertSame},
    {"stablehlo.power", "tg.pow", 2, convertSame},
    {"stablehlo.real", "tg.real", 1, convertSame},
    {"stablehlo.reduce_precision", "tg.reduce_precision", 1, convertReducePrecision},
    {"stablehlo.remainder", "tg.rem", 2, convertSame},
    {"stablehlo.round_nearest_afz", "tg.round", 1, convertSame},
    {"stablehlo.round_nearest_even", "tg.round_even", 1, convertSame},
    {"stablehlo.rsqrt", "tg.rsqrt", 1, convertSame},
    {"stablehlo.select", "tg.select", 3, convertSame},
    {"stablehlo.shift_left", "tg.shl", 2, convertSame},
    {"stablehlo.shift_right_arithmetic", "tg.shr_arith", 2, convertSame},
    {"stablehlo.shift_right_logical", "tg.shr_logic", 2, convertSame},
    {"stablehlo.sign", "tg.sign", 1, convertSame},
    {"stablehlo.sine", "tg.sin", 1, convertSame},
    {"stablehlo.sqrt", "tg.sqrt", 1, convertSame},
    {"stablehlo.subtract", "tg.sub", 2, convertSame},
    {"stablehlo.tan", "tg.tan", 1, convertSame},
    {"stablehlo.tanh", "tg.tanh", 1, convertSame},
    {"stablehlo.xor", "tg.xor", 2, convertSame},
    {"chlo.atan", "tg.atan2", 1, convertAtan},
    {"chlo.erf", "tg.erf", 1, convertSame},
    {"chlo.erfc", "tg.sub", 1, convertErfc},
    {"chlo.is_inf", "tg.compare", 1, convertIsInf},
    {"chlo.is_neg_inf", "tg.compare", 1, convertIsNegInf},
    {"chlo.is_pos_inf", "tg.compare", 1, convertIsPosInf},
    {"chlo.square", "tg.mul", 1, convertSquare},
    {"chlo.tan", "tg.tan", 1, convertSame},
    // Sources.
    {"stablehlo.constant", "tg.constant", 0, convertConstant},
    {"stablehlo.get_dimension_size", "tg.constant", 1, convertGetDimensionSize},
    {"stablehlo.iota", "tg.iota", 0, convertIota},
    {"chlo.constant", "tg.constant", 0, convertConstant},
    // Shapes.
    {"stablehlo.broadcast", "tg.broadcast", 1, convertBroadcast},
    {"stablehlo.broadcast_in_dim", "tg.broadcast", 1, convertBroadcastInDim},
    {"stablehlo.concatenate", "tg.concatenate", -1, convertConcatenate},
    {"stablehlo.dynamic_slice", "tg.dynamic_slice", -1, convertDynamicSlice},
    {"stablehlo.dynamic_update_slice", "tg.dynamic_update_slice", -1, convertSame},
    {"stablehlo.gather", "tg.gather", 2, convertGather},
    {"stablehlo.pad", "tg.pad", 2, convertPad},
    {"stablehlo.reshape", "tg.reshape", 1, convertSame},
    {"stablehlo.reverse", "tg.reverse", 1, convertReverse},
    {"stablehlo.slice", "tg.slice", 1, convertSlice},
    {"stablehlo.transpose", "tg.transpose", 1, convertTranspose},
    // Matrix products and reductions.
    {"stablehlo.dot", "tg.dot", 2, convertDot},
    {"stablehlo.dot_general", "tg.dot", 2, convertDotGeneral},
    {"stablehlo.reduce", "tg.reduce", -1, convertReduce},
    // Calls and identities.
    {"stablehlo.composite", "func.call", -1, convertComposite},
    {"stablehlo.optimization_barrier", NULL, -1, convertForward},
};

static const Rule *findRule(MlirOperation op) {
  for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); ++i)
    if (irOpIs(op, rules[i].from))
      return &rules[i];
  return NULL;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool hasPrefix(MlirStringRef text, const char *prefix) {
  size_t length = strlen(prefix);
  return text.length >= length && !memcmp(text.data, prefix, length);
}

static bool checkType(Conversion *c, MlirType type) {
  if (!mlirTypeIsARankedTensor(type))
    return failConversion(c, "only ranked tensors are supported");
  if (mlirShapedTypeGetRank(type) > IR_MAX_RANK)
    return failConversion(c, "tensors of more than %d dimensions are not supported", IR_MAX_RANK);
  if (!mlirShapedTypeHasStaticShape(type))
    return failConversion(c, "dynamic shapes are not supported");
  if (!mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return failConversion(c, "tensors with an encoding are not supported");
  return true;
}

static bool checkOperandsAndResults(Conversion *c) {
  intptr_t numOperands = mlirOperationGetNumOperands(c->op), numResults = mlirOperationGetNumResults(c->op);
  if (c->rule->numOperands >= 0 && numOperands != c->rule->numOperands)
    return failConversion(c, "it must have %d operands, got %ld", c->rule->numOperands, (long)numOperands);
  if (c->rule->numOperands >= 0 && numResults != 1)
    return failConversion(c, "it must have one result, got %ld", (long)numResults);
  for (intptr_t i = 0; i < numOperands; ++i)
    if (!checkType(c, mlirValueGetType(operand(c, i))))
      return false;
  for (intptr_t i = 0; i < numResults; ++i)
    if (!checkType(c, resultType(c, i)))
      return false;
  return true;
}

/// Puts tg operations in the place of `op`, which stays after an error.
static bool convertOp(MlirOperation op, IrArena *arena) {
  Conversion c = {op, irBuilderBefore(op), findRule(op), arena};
  if (!c.rule)
    return failConversion(&c, "it has no counterpart");
  if (!checkOperandsAndResults(&c) || !c.rule->convert(&c))
    return false;
  mlirOperationDestroy(op);
  return true;
}

/// Attributes that mean something to the framework which exported the program, not to us.
static bool isForeign(MlirStringRef name) {
  static const char *const prefixes[] = {"jax.", "mhlo.", "sdy.", "stablehlo.", "tf.", "xla."};
  for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); ++i)
    if (hasPrefix(name, prefixes[i]))
      return true;
  return false;
}

static void dropForeignAttributes(MlirOperation op) {
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(op) - 1; i >= 0; --i) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetDiscardableAttribute(op, i).name);
    if (isForeign(name))
      mlirOperationRemoveDiscardableAttributeByName(op, name);
  }
}

/// The dictionary without foreign attributes.
static MlirAttribute ownAttributes(MlirAttribute dictionary, IrArena *arena) {
  intptr_t count = mlirDictionaryAttrGetNumElements(dictionary), kept = 0;
  MlirNamedAttribute *own = IR_NEW_ARRAY(arena, MlirNamedAttribute, count > 0 ? count : 1);
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute attribute = mlirDictionaryAttrGetElement(dictionary, i);
    if (!isForeign(mlirIdentifierStr(attribute.name)))
      own[kept++] = attribute;
  }
  return mlirDictionaryAttrGet(mlirAttributeGetContext(dictionary), kept, own);
}

/// Cleans the attributes of a function's arguments or results.
static void dropForeignArgumentAttributes(MlirOperation function, const char *name, IrArena *arena) {
  MlirAttribute all = irGetAttr(function, name);
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all))
    return;
  intptr_t count = mlirArrayAttrGetNumElements(all);
  MlirAttribute *cleaned = IR_NEW_ARRAY(arena, MlirAttribute, count > 0 ? count : 1);
  bool empty = true;
  for (intptr_t i = 0; i < count; ++i) {
    cleaned[i] = ownAttributes(mlirArrayAttrGetElement(all, i), arena);
    empty = empty && mlirDictionaryAttrGetNumElements(cleaned[i]) == 0;
  }
  if (empty)
    mlirOperationRemoveAttributeByName(function, mlirStringRefCreateFromCString(name));
  else
    irSetAttr(function, name, mlirArrayAttrGet(mlirOperationGetContext(function), count, cleaned));
}

static bool convertRegions(MlirOperation op, IrArena *arena);

static bool convertAny(MlirOperation op, IrArena *arena) {
  MlirStringRef name = irOpName(op);
  if (hasPrefix(name, "stablehlo.") || hasPrefix(name, "chlo."))
    return convertOp(op, arena);
  dropForeignAttributes(op);
  if (irOpIs(op, "func.func")) {
    dropForeignArgumentAttributes(op, "arg_attrs", arena);
    dropForeignArgumentAttributes(op, "res_attrs", arena);
  }
  return convertRegions(op, arena);
}

/// Converts all that is nested in `op`, past errors too, so that all are reported.
static bool convertRegions(MlirOperation op, IrArena *arena) {
  bool success = true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (MlirOperation nested = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(nested);
           nested = next) {
        next = mlirOperationGetNextInBlock(nested);
        success &= convertAny(nested, arena);
      }
  return success;
}

static void run(StitchPassRun pass, MlirOperation module) {
  IrArena arena = {0};
  dropForeignAttributes(module);
  if (!convertRegions(module, &arena))
    stitchPassSignalFailure(pass);
  irArenaDestroy(&arena);
}

static MlirDialectHandle (*const dependentDialects[])(void) = {mlirGetDialectHandle__tg__};

const StitchPassInfo convertStableHLOToTGPass = {
    .argument = "convert-stablehlo-to-tg",
    .description = "Convert StableHLO and CHLO operations to the tensor graph",
    .anchor = "builtin.module",
    .dependentDialects = dependentDialects,
    .numDependentDialects = 1,
    .run = run,
};
