//===- tg.c - properties of tg operations ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds an operation's kind, class, cost and error by the table tg.def, and answers questions about constants and
// reductions that several passes ask. Kinds are cached by type id.
//
//===----------------------------------------------------------------------===//

#include "ir/graph/tg.h"

#include "ir/mlir/query.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name;
  TgClass class;
  TgCost cost;
  TgError error;
} TgOp;

// Index TgKind; entry 0 is TG_NONE. The rest is sorted by name.
static const TgOp ops[] = {
    {"", TG_CLASS_NONE, TG_COST_FREE, TG_ERROR_OTHER},
#define TG_OP(name, class, cost, error) {#name, TG_CLASS_##class, TG_COST_##cost, TG_ERROR_##error},
#include "ir/graph/tg.def"
#undef TG_OP
};
enum { NUM_OPS = sizeof(ops) / sizeof(ops[0]) };

/// Values that are looked at for a product.
enum { MOST_SOURCES = 64 };

static int compareName(MlirStringRef name, const char *other) {
  size_t length = strlen(other);
  int order = memcmp(name.data, other, name.length < length ? name.length : length);
  return order ? order : (name.length > length) - (name.length < length);
}

static TgKind kindOfName(MlirStringRef name) {
  if (name.length < 4 || memcmp(name.data, "tg.", 3) != 0)
    return TG_NONE;
  name.data += 3;
  name.length -= 3;
  for (int low = 1, high = NUM_OPS; low < high;) {
    int middle = (low + high) / 2;
    int order = compareName(name, ops[middle].name);
    if (order == 0)
      return (TgKind)middle;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return TG_NONE;
}

/// Kinds of registered operations by their type ids, each in one word: an id's 48 bits and the kind. All threads that
/// write an entry write the same value, as it depends on the name alone.
static _Atomic uint64_t kindsOfIds[1024];

TgKind tgKindOf(MlirOperation op) {
  uint64_t id = (uint64_t)(uintptr_t)mlirOperationGetTypeID(op).ptr;
  if (id == 0 || id >> 48)
    return kindOfName(irOpName(op));
  _Atomic uint64_t *entry = &kindsOfIds[(id >> 3) % 1024];
  uint64_t known = atomic_load_explicit(entry, memory_order_relaxed);
  if (known >> 16 == id)
    return (TgKind)(known & 0xffff);
  TgKind kind = kindOfName(irOpName(op));
  atomic_store_explicit(entry, id << 16 | (uint64_t)kind, memory_order_relaxed);
  return kind;
}

MlirOperation tgDefinedBy(MlirValue value, TgKind kind) {
  MlirOperation op = irDefiningOp(value);
  return !mlirOperationIsNull(op) && tgKindOf(op) == kind ? op : (MlirOperation){NULL};
}

TgClass tgClassOfKind(TgKind kind) { return ops[kind].class; }
TgCost tgCostOfKind(TgKind kind) { return ops[kind].cost; }
TgError tgErrorOfKind(TgKind kind) { return ops[kind].error; }
const char *tgNameOfKind(TgKind kind) { return ops[kind].name; }

TgPrecision tgPrecisionOf(MlirOperation dot) { return (TgPrecision)irGetInt(dot, "precision", TG_PRECISION_DEFAULT); }

bool tgIsControlFlow(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  return kind == TG_while || kind == TG_if || kind == TG_case || irOpIs(op, "stitch.adaptive");
}

bool tgIsMemoryIntensive(MlirOperation op) {
  switch (tgClassOfKind(tgKindOf(op))) {
  case TG_CLASS_ELEMENTWISE:
  case TG_CLASS_SHAPE:
  case TG_CLASS_INDEXED:
  case TG_CLASS_REDUCE:
  case TG_CLASS_WINDOW:
  case TG_CLASS_SOURCE:
    return true;
  default:
    return false;
  }
}

bool tgIsSplat(MlirOperation op) {
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_constant)
    return false;
  MlirAttribute value = irGetAttr(op, "value");
  return mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value);
}

bool tgFloatSplat(MlirValue value, double *number) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_constant)
    return false;
  MlirAttribute elements = irGetAttr(op, "value");
  if (!mlirAttributeIsADenseElements(elements) || !mlirDenseElementsAttrIsSplat(elements))
    return false;
  MlirAttribute element = mlirDenseElementsAttrGetSplatValue(elements);
  if (!mlirAttributeIsAFloat(element))
    return false;
  *number = mlirFloatAttrGetValueDouble(element);
  return true;
}

bool tgIntegerScalar(MlirValue value, int64_t *number) {
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || tgKindOf(op) != TG_constant)
    return false;
  MlirAttribute data = irGetAttr(op, "value");
  MlirType type = irElementTypeOf(value);
  if (irNumElements(irShapeOf(value)) != 1 || !mlirAttributeIsADenseElements(data) || !irIsInteger(type) ||
      irIsBool(type) || !mlirDenseElementsAttrIsSplat(data))
    return false;
  MlirAttribute element = mlirDenseElementsAttrGetSplatValue(data);
  *number = irIsUnsigned(type)              ? (int64_t)mlirIntegerAttrGetValueUInt(element)
            : mlirIntegerTypeIsSigned(type) ? mlirIntegerAttrGetValueSInt(element)
                                            : mlirIntegerAttrGetValueInt(element);
  return !irIsUnsigned(type) || *number >= 0; // larger ones do not fit
}

bool tgIsFloatZero(MlirValue value) {
  double number;
  return tgFloatSplat(value, &number) && number == 0.0 && !signbit(number);
}

static bool addsOperand(MlirOperation op) {
  TgKind kind = tgKindOf(op);
  return kind == TG_add || kind == TG_sub || (kind == TG_reduce && irGetInt(op, "kind", -1) == TG_REDUCE_ADD);
}

/// A product less itself is zero, not its rounding error.
static bool readsTwice(MlirOperation op, MlirValue value) {
  int64_t times = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    times += mlirValueEqual(irOperand(op, i), value);
  return times > 1;
}

/// The value that the one which a fusion's body, or a reader of its results, sees is.
static MlirValue acrossFusion(MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  if (!mlirOperationIsNull(op))
    return irOpIs(op, "stitch.fusion")
               ? irOperand(mlirBlockGetTerminator(irBody(op, 0)), mlirOpResultGetResultNumber(value))
               : value;
  MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  bool isFusion = !mlirOperationIsNull(parent) && irOpIs(parent, "stitch.fusion");
  return isFusion ? irOperand(parent, mlirBlockArgumentGetArgNumber(value)) : value;
}

/// Whether elements of a value may be products: moved, negated or chosen, in this kernel or in one before. `steps`
/// bounds the search; a value beyond it may be one.
static bool mayBeProduct(MlirValue value, int *steps) {
  MlirValue source = acrossFusion(value);
  MlirOperation op = irDefiningOp(source);
  if (--*steps < 0)
    return true;
  if (!mlirValueEqual(source, value))
    return mayBeProduct(source, steps);
  if (mlirOperationIsNull(op) || tgKindOf(op) == TG_mul)
    return !mlirOperationIsNull(op);
  TgKind kind = tgKindOf(op);
  TgClass class = tgClassOfKind(kind);
  bool any = false;
  if (class == TG_CLASS_SHAPE || class == TG_CLASS_INDEXED ||
      (class == TG_CLASS_ELEMENTWISE && tgErrorOfKind(kind) == TG_ERROR_EXACT))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !any; ++i)
      any = mlirTypeEqual(irElementTypeOf(irOperand(op, i)), irElementTypeOf(value)) &&
            mayBeProduct(irOperand(op, i), steps);
  return any;
}

/// Whether an addition has a product for its other operand: rounded both, they cancel where they are equal; one of them
/// alone leaves the other's rounding error.
static bool addsProducts(MlirOperation op, MlirValue product) {
  int steps = MOST_SOURCES;
  if (tgKindOf(op) == TG_reduce)
    return false;
  return mayBeProduct(irOperand(op, mlirValueEqual(irOperand(op, 0), product) ? 1 : 0), &steps);
}

bool tgOnlyAdditionsRead(MlirOperation product, bool besideProducts) {
  MlirType type = irElementTypeOf(irResult(product, 0));
  bool any = false;
  if (!mlirTypeIsAF32(type) && !mlirTypeIsAF64(type))
    return false;
  IR_FOR_EACH_USE(use, irResult(product, 0)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!addsOperand(user) || readsTwice(user, irResult(product, 0)) ||
        (!besideProducts && addsProducts(user, irResult(product, 0))))
      return false;
    any = true;
  }
  return any;
}

int64_t tgCountOps(MlirOperation around) {
  int64_t count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(around) && !mlirBlockIsNull(irBody(around, i)); ++i)
    IR_FOR_EACH_OP(op, irBody(around, i))
      count += tgKindOf(op) != TG_NONE;
  return count;
}

TgKind tgReduceOperation(TgReduceKind kind) {
  switch (kind) {
  case TG_REDUCE_ADD:
    return TG_add;
  case TG_REDUCE_MUL:
    return TG_mul;
  case TG_REDUCE_MIN:
    return TG_min;
  case TG_REDUCE_MAX:
    return TG_max;
  case TG_REDUCE_AND:
    return TG_and;
  case TG_REDUCE_OR:
    return TG_or;
  case TG_REDUCE_XOR:
    return TG_xor;
  }
  return TG_NONE;
}

int tgReduceKindOf(TgKind operation) {
  for (int kind = TG_REDUCE_ADD; kind <= TG_REDUCE_XOR; ++kind)
    if (tgReduceOperation((TgReduceKind)kind) == operation)
      return kind;
  return -1;
}
