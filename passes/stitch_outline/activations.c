//===- activations.c - gelu and its gradient in a graph ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frameworks write gelu in many ways (a power or two products, tanh or a logistic function, in 16 bits or in f32
// between conversions), and differentiate each of them differently. So operations are not matched one by one. An
// elementwise computation from the operand (and, of a gradient, from the cotangent) alone is a function of one or two
// numbers. It is evaluated in f64 at many points, and compared with gelu. The graph's constants are rounded to its
// types, so gelu is evaluated with constants as far off as that may leave them, too. A function within the range of
// these is gelu, as well as the graph's types can tell. Other functions are far outside: gelu's form with erf in f16
// and f32 (and its operations are not evaluated here), x * logistic(1.702 x) in all types.
//
//===----------------------------------------------------------------------===//

#include "passes/stitch_outline/activations.h"

#include "mlir-c/BuiltinAttributes.h"

#include <math.h>

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

/// The operations that may compute a value from its starting values.
typedef struct {
  Activation *activation;
  IsOperand isOperand; ///< of a gradient; NULL: the operand is known
  void *data;
} ActivationSearch;

/// Whether an operation is one that `evaluate` knows.
static bool isEvaluated(MlirOperation op) {
  switch (tgKindOf(op)) {
  case TG_add:
  case TG_convert:
  case TG_div:
  case TG_exp:
  case TG_fma:
  case TG_logistic:
  case TG_mul:
  case TG_neg:
  case TG_pow:
  case TG_sub:
  case TG_tanh:
    return irIsFloat(irElementTypeOf(irResult(op, 0))) && irIsFloat(irElementTypeOf(irOperand(op, 0)));
  default:
    return false;
  }
}

/// The place of the operation that defines `value` among those of the activation; -1: it is none of them.
static intptr_t positionOfValue(const Activation *a, MlirValue value) {
  MlirOperation op = irDefiningOp(value);
  for (intptr_t i = 0; i < a->count; ++i)
    if (!mlirOperationIsNull(op) && mlirOperationEqual(a->ops[i], op))
      return i;
  return -1;
}

bool activationHas(const Activation *a, MlirOperation op) {
  for (intptr_t i = 0; i < a->count; ++i)
    if (mlirOperationEqual(a->ops[i], op))
      return true;
  return false;
}

static bool isInput(const Activation *a, MlirValue value) {
  return mlirValueEqual(value, a->operand) || (a->kind == TG_gelu_gradient && mlirValueEqual(value, a->cotangent));
}

/// Adds the operations that compute a value, each behind those that it uses; false if there are others, or too many.
static bool collectOps(const ActivationSearch *search, MlirValue value) {
  Activation *a = search->activation;
  double number;
  if (isInput(a, value) || tgFloatSplat(value, &number) || positionOfValue(a, value) >= 0)
    return true;
  if (search->isOperand && mlirValueIsNull(a->operand) && search->isOperand(value, search->data)) {
    a->operand = value;
    return true;
  }
  MlirOperation op = irDefiningOp(value);
  if (mlirOperationIsNull(op) || !isEvaluated(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!collectOps(search, irOperand(op, i)))
      return false;
  if (a->count == ACTIVATION_MAX_OPS)
    return false;
  a->ops[a->count++] = op;
  return true;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static double evaluateOne(MlirOperation op, const double *x) {
  switch (tgKindOf(op)) {
  case TG_add:
    return x[0] + x[1];
  case TG_div:
    return x[0] / x[1];
  case TG_exp:
    return exp(x[0]);
  case TG_fma:
    return x[0] * x[1] + x[2];
  case TG_logistic:
    return 1.0 / (1.0 + exp(-x[0]));
  case TG_mul:
    return x[0] * x[1];
  case TG_neg:
    return -x[0];
  case TG_pow:
    return pow(x[0], x[1]);
  case TG_sub:
    return x[0] - x[1];
  case TG_tanh:
    return tanh(x[0]);
  default:
    return x[0]; // a conversion
  }
}

/// The value of the operations for two numbers, in f64.
static double evaluate(const Activation *a, double operand, double cotangent) {
  double values[ACTIVATION_MAX_OPS];
  for (intptr_t i = 0; i < a->count; ++i) {
    double x[3] = {0};
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(a->ops[i]); ++k) {
      MlirValue value = irOperand(a->ops[i], k);
      intptr_t place = positionOfValue(a, value);
      if (place >= 0)
        x[k] = values[place];
      else if (mlirValueEqual(value, a->operand))
        x[k] = operand;
      else if (!tgFloatSplat(value, &x[k]))
        x[k] = cotangent;
    }
    values[i] = evaluateOne(a->ops[i], x);
  }
  return values[a->count - 1];
}

/// gelu, or its gradient, with constants off by the factors 1 + `scale` and 1 + `cubic`.
static double expected(const Activation *a, double x, double cotangent, double scale, double cubic) {
  double outer = sqrt(2.0 / M_PI) * (1.0 + scale), inner = 0.044715 * (1.0 + cubic);
  double weight = 0.5 * (1.0 + tanh(outer * (x + inner * x * x * x)));
  if (a->kind == TG_gelu)
    return x * weight;
  double slope = 2.0 * weight * (1.0 - weight) * outer * (1.0 + 3.0 * inner * x * x);
  return cotangent * (weight + x * slope);
}

static double unitRoundoff(MlirType type) {
  return mlirTypeIsABF16(type) ? 0x1p-8 : mlirTypeIsAF16(type) ? 0x1p-11 : mlirTypeIsAF32(type) ? 0x1p-24 : 0x1p-53;
}

/// That of the narrowest type in which something is computed.
static double largestRoundoff(const Activation *a) {
  double largest = 0.0;
  for (intptr_t i = 0; i < a->count; ++i)
    if (tgKindOf(a->ops[i]) != TG_convert)
      largest = fmax(largest, unitRoundoff(irElementTypeOf(irResult(a->ops[i], 0))));
  return largest;
}

/// A constant may be a product of rounded ones, rounded: four times the change of a rounding.
static bool agreesAt(const Activation *a, double x, double cotangent, double roundoff) {
  const double signs[] = {-1.0, 1.0};
  double exact = expected(a, x, cotangent, 0.0, 0.0), range = 0.0;
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2; ++k)
      range = fmax(range, fabs(expected(a, x, cotangent, signs[i] * roundoff, signs[k] * roundoff) - exact));
  return fabs(evaluate(a, x, cotangent) - exact) <= 4.0 * range + 1e-12;
}

/// Whether the function is gelu, from where it is 0 to where it is its operand.
static bool agrees(const Activation *a) {
  double roundoff = largestRoundoff(a);
  for (int i = -60; i <= 60; ++i)
    if (!agreesAt(a, 0.11 * i, 1.0, roundoff) || !agreesAt(a, 0.11 * i + 0.05, -0.6, roundoff))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

/// For each operation, whether it depends on a value.
static void markDependents(const Activation *a, MlirValue value, bool *depends) {
  for (intptr_t i = 0; i < a->count; ++i) {
    depends[i] = false;
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(a->ops[i]); ++k) {
      intptr_t place = positionOfValue(a, irOperand(a->ops[i], k));
      depends[i] = depends[i] || (place >= 0 && depends[place]) || mlirValueEqual(irOperand(a->ops[i], k), value);
    }
  }
}

/// Whether the result depends on a value, and only operations of the activation use other values that depend on it.
/// Without an operation, the result is the activation's operand.
static bool isClosed(const Activation *a, MlirValue value) {
  if (a->count == 0)
    return false;
  bool depends[ACTIVATION_MAX_OPS];
  markDependents(a, value, depends);
  for (intptr_t i = 0; i + 1 < a->count; ++i)
    if (depends[i])
      IR_FOR_EACH_USE(use, irResult(a->ops[i], 0))
        if (!activationHas(a, mlirOpOperandGetOwner(use)))
          return false;
  return depends[a->count - 1];
}

/// Whether the result of `op` is the activation that is searched for, which begins at `start`.
static bool endsAt(const ActivationSearch *search, MlirValue start, MlirOperation op) {
  Activation *a = search->activation;
  a->count = 0;
  if (search->isOperand)
    a->operand = (MlirValue){NULL};
  MlirValue result = irResult(op, 0);
  return mlirTypeEqual(mlirValueGetType(result), mlirValueGetType(start)) && collectOps(search, result) &&
         !mlirValueIsNull(a->operand) && isClosed(a, start) && agrees(a);
}

/// Tries the results of operations that depend on `start`, those that are nearest first.
static Activation findActivation(ActivationSearch search, MlirValue start, bool (*isWanted)(MlirValue value)) {
  MlirOperation reached[ACTIVATION_MAX_OPS];
  intptr_t count = 0;
  for (intptr_t next = -1; next < count; ++next) {
    MlirValue value = next < 0 ? start : irResult(reached[next], 0);
    if (next >= 0 && isWanted(value) && endsAt(&search, start, reached[next]))
      return *search.activation;
    IR_FOR_EACH_USE(use, value) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      bool known = !isEvaluated(user);
      for (intptr_t i = 0; i < count && !known; ++i)
        known = mlirOperationEqual(reached[i], user);
      if (!known && count < ACTIVATION_MAX_OPS)
        reached[count++] = user;
    }
  }
  return (Activation){.kind = TG_NONE};
}

Activation activationFindGelu(MlirValue operand, bool (*isWanted)(MlirValue value)) {
  Activation a = {.kind = TG_gelu, .operand = operand};
  return findActivation((ActivationSearch){.activation = &a}, operand, isWanted);
}

Activation activationFindGeluGradient(MlirValue cotangent, bool (*isWanted)(MlirValue value), IsOperand isOperand,
                                      void *data) {
  Activation a = {.kind = TG_gelu_gradient, .cotangent = cotangent};
  return findActivation((ActivationSearch){&a, isOperand, data}, cotangent, isWanted);
}

void activationErase(const Activation *a) {
  for (intptr_t i = a->count - 1; i >= 0; --i)
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(irResult(a->ops[i], 0))))
      mlirOperationDestroy(a->ops[i]);
}
