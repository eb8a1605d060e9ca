//===- integer.c - elementwise operations of integers and booleans -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers wrap around. An integer that may be another one (a rounded float, the place of an extreme) moves sums and
// differences by as much; of all else nothing is known then.
//
//===----------------------------------------------------------------------===//

#include "tools/check/operations.h"

typedef struct {
  StitchElementType type;
  int bits;
  bool isUnsigned;
} Integers;

/// As an unsigned number of the type's width.
static uint64_t bitsOf(const Integers *t, int64_t x) {
  return t->bits == 64 ? (uint64_t)x : (uint64_t)x & ((UINT64_C(1) << t->bits) - 1);
}

static bool isLess(const Integers *t, int64_t a, int64_t b) {
  return t->isUnsigned ? (uint64_t)a < (uint64_t)b : a < b;
}

static int64_t quotient(const Integers *t, int64_t a, int64_t b) {
  if (b == 0)
    return -1;
  if (t->isUnsigned)
    return (int64_t)((uint64_t)a / (uint64_t)b);
  return b == -1 ? (int64_t)-(uint64_t)a : a / b;
}

static int64_t remainderOf(const Integers *t, int64_t a, int64_t b) {
  if (b == 0)
    return a;
  if (t->isUnsigned)
    return (int64_t)((uint64_t)a % (uint64_t)b);
  return b == -1 ? 0 : a % b;
}

/// By squaring; with a negative exponent only 1 and -1 have a power that is not 0.
static int64_t power(const Integers *t, int64_t base, int64_t exponent) {
  if (!t->isUnsigned && exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, square = (uint64_t)base;
  for (uint64_t rest = (uint64_t)exponent; rest; rest >>= 1, square *= square)
    result = rest & 1 ? result * square : result;
  return (int64_t)result;
}

static int64_t shiftLeft(const Integers *t, int64_t a, uint64_t by) {
  return by >= (uint64_t)t->bits ? 0 : (int64_t)((uint64_t)a << by);
}

static int64_t shiftRightLogic(const Integers *t, int64_t a, uint64_t by) {
  return by >= (uint64_t)t->bits ? 0 : (int64_t)(bitsOf(t, a) >> by);
}

/// The sign bit of an unsigned type is its highest one, too.
static int64_t shiftRightArithmetic(const Integers *t, int64_t a, uint64_t by) {
  int64_t extended = t->bits == 64 ? a : (int64_t)(bitsOf(t, a) << (64 - t->bits)) >> (64 - t->bits);
  return extended >> (by >= (uint64_t)t->bits ? t->bits - 1 : (int)by);
}

static int64_t leadingZeros(const Integers *t, int64_t a) {
  uint64_t bits = bitsOf(t, a);
  return bits ? __builtin_clzll(bits) - (64 - t->bits) : t->bits;
}

static int64_t signOf(const Integers *t, int64_t a) { return t->isUnsigned ? a != 0 : (a > 0) - (a < 0); }

static bool compute(CheckKind kind, const Integers *t, int64_t a, int64_t b, int64_t *result) {
  bool isBool = t->bits == 1;
  switch (kind) {
  case CHECK_abs:
    return *result = !t->isUnsigned && a < 0 ? (int64_t)-(uint64_t)a : a, true;
  case CHECK_neg:
    return *result = (int64_t)-(uint64_t)a, true;
  case CHECK_sign:
    return *result = signOf(t, a), true;
  case CHECK_not:
    return *result = ~a, true;
  case CHECK_popcnt:
    return *result = __builtin_popcountll(bitsOf(t, a)), true;
  case CHECK_clz:
    return *result = leadingZeros(t, a), true;
  case CHECK_add:
    return *result = isBool ? (a | b) : (int64_t)((uint64_t)a + (uint64_t)b), true;
  case CHECK_sub:
    return *result = (int64_t)((uint64_t)a - (uint64_t)b), true;
  case CHECK_mul:
    return *result = (int64_t)((uint64_t)a * (uint64_t)b), true;
  case CHECK_div:
    return *result = quotient(t, a, b), true;
  case CHECK_rem:
    return *result = remainderOf(t, a, b), true;
  case CHECK_pow:
    return *result = power(t, a, b), true;
  case CHECK_max:
    return *result = isLess(t, a, b) ? b : a, true;
  case CHECK_min:
    return *result = isLess(t, a, b) ? a : b, true;
  case CHECK_and:
    return *result = a & b, true;
  case CHECK_or:
    return *result = a | b, true;
  case CHECK_xor:
    return *result = a ^ b, true;
  case CHECK_shl:
    return *result = shiftLeft(t, a, bitsOf(t, b)), true;
  case CHECK_shr_logic:
    return *result = shiftRightLogic(t, a, bitsOf(t, b)), true;
  case CHECK_shr_arith:
    return *result = shiftRightArithmetic(t, a, bitsOf(t, b)), true;
  default:
    return false;
  }
}

/// The uncertainty of the result for an uncertain operand. An operand that decides alone leaves nothing uncertain.
static double errorOf(CheckKind kind, const Integers *t, int64_t a, int64_t b, double aError, double bError) {
  if (aError == 0.0 && bError == 0.0)
    return 0.0;
  bool isAnd = kind == CHECK_and || (t->bits == 1 && (kind == CHECK_mul || kind == CHECK_min));
  bool isOr = kind == CHECK_or || (t->bits == 1 && (kind == CHECK_add || kind == CHECK_max));
  if (isAnd)
    return (aError == 0.0 && a == 0) || (bError == 0.0 && b == 0) ? 0.0 : t->bits == 1 ? 1.0 : INFINITY;
  if (isOr && t->bits == 1)
    return (aError == 0.0 && a) || (bError == 0.0 && b) ? 0.0 : 1.0;
  switch (kind) {
  case CHECK_add:
  case CHECK_sub:
  case CHECK_neg:
    return aError + bError;
  case CHECK_max:
  case CHECK_min:
    return fmax(aError, bError);
  case CHECK_not:
  case CHECK_xor:
    return t->bits == 1 ? 1.0 : INFINITY;
  default:
    return INFINITY;
  }
}

static void countChoice(const CheckCall *call, const Integers *t, int64_t a, int64_t b) {
  if (t->bits > 1 && (call->op->kind == CHECK_max || call->op->kind == CHECK_min))
    ++call->op->sides[(call->op->kind == CHECK_max) == isLess(t, a, b)];
}

static const char *clamp(const CheckCall *call, const Integers *t) {
  const CheckTensor *low = call->operands[0], *a = call->operands[1], *high = call->operands[2];
  CheckTensor *result = call->results[0];
  for (int64_t i = 0; i < result->count; ++i) {
    int64_t x = a->integer[i], least = low->integer[low->shape.rank ? i : 0];
    int64_t most = high->integer[high->shape.rank ? i : 0];
    bool below = isLess(t, x, least), above = isLess(t, most, x);
    x = below ? least : x;
    result->integer[i] = isLess(t, most, x) ? most : x;
    if (result->error)
      result->error[i] = checkErrorAt(a, i);
    ++call->op->sides[below ? 0 : above ? 2 : 1];
  }
  return NULL;
}

const char *checkIntegers(const CheckCall *call) {
  const CheckTensor *a = call->operands[0], *b = call->operands[call->op->numOperands > 1];
  CheckTensor *result = call->results[0];
  Integers t = {result->type, checkBits(result->type), checkIsUnsigned(result->type)};
  bool hasErrors = a->error || b->error || (call->op->kind == CHECK_clamp && call->operands[1]->error);
  if (hasErrors && !checkTensorAddErrors(result))
    return checkOutOfMemory;
  if (call->op->kind == CHECK_clamp)
    return clamp(call, &t);
  for (int64_t i = 0; i < result->count; ++i) {
    int64_t value;
    if (!compute(call->op->kind, &t, a->integer[i], b->integer[i], &value))
      return "an operation of integers that no check knows";
    result->integer[i] = checkWrap(t.type, value);
    if (result->error)
      result->error[i] = errorOf(call->op->kind, &t, a->integer[i], b->integer[i], checkErrorAt(a, i),
                                 call->op->numOperands > 1 ? checkErrorAt(b, i) : 0.0);
    if (call->op->numOperands == 2)
      countChoice(call, &t, a->integer[i], b->integer[i]);
  }
  return NULL;
}
