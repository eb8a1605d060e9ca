//===- index_expr.c - the index simplifier against plain arithmetic ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random expressions are built twice: symbolically, and as a number for random values of the variables.
//
//===----------------------------------------------------------------------===//

#include "ir/index/index_expr.h"

#include <stdio.h>
#include <stdlib.h>

enum { NUM_VARIABLES = 4, NUM_ROUNDS = 20000 };

static uint64_t state = 42;
static int64_t randomBelow(int64_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)n);
}

static const IndexExpr *variables[NUM_VARIABLES];
static int64_t values[NUM_VARIABLES];
static int failures;

static void check(bool holds, const char *what, const IndexExpr *expr, int64_t value) {
  if (holds)
    return;
  char text[512];
  indexPrint(expr, text, sizeof(text));
  printf("FAIL %s: %s, expected value %lld\n", what, text, (long long)value);
  ++failures;
}

static int64_t valueOfAtom(const IndexAtom *atom);
static int64_t valueOf(const IndexExpr *expr) {
  int64_t value = expr->constant;
  for (int32_t i = 0; i < expr->numTerms; ++i)
    value += expr->terms[i].coefficient * valueOfAtom(expr->terms[i].atom);
  return value;
}

static int64_t valueOfAtom(const IndexAtom *atom) {
  for (int i = 0; i < NUM_VARIABLES; ++i)
    if (variables[i]->numTerms && variables[i]->terms[0].atom == atom)
      return values[i];
  int64_t inner = valueOf(atom->inner), quotient = inner / atom->divisor - (inner % atom->divisor < 0);
  return atom->kind == INDEX_DIV ? quotient : inner - quotient * atom->divisor;
}

static const IndexExpr *build(IndexContext *context, int depth, int64_t *value) {
  static const int64_t factors[] = {1, 2, 3, 4, 6, 8, 12, 16, 64, 7};
  if (depth == 0) {
    int i = (int)randomBelow(NUM_VARIABLES);
    *value = values[i];
    return variables[i];
  }
  const IndexExpr *a = build(context, depth - 1, value);
  int64_t factor = factors[randomBelow(10)];
  switch (randomBelow(4)) {
  case 0: {
    int64_t other;
    const IndexExpr *b = build(context, depth - 1, &other);
    *value += other;
    return indexAdd(context, a, b);
  }
  case 1:
    *value *= factor;
    return indexScale(context, a, factor);
  case 2:
    *value /= factor;
    return indexDiv(context, a, factor);
  default:
    *value %= factor;
    return indexMod(context, a, factor);
  }
}

static void checkRandomExpressions(void) {
  for (int round = 0; round < NUM_ROUNDS; ++round) {
    IndexContext *context = indexContextCreate();
    for (int i = 0; i < NUM_VARIABLES; ++i) {
      int64_t extent = 1 + randomBelow(100);
      variables[i] = indexVariable(context, extent);
      values[i] = randomBelow(extent);
    }
    int64_t value;
    const IndexExpr *expr = build(context, 4, &value);
    check(valueOf(expr) == value, "value", expr, value);
    check(expr->min <= value && value <= expr->max, "range", expr, value);
    int64_t multiple = indexMultipleOf(expr);
    check(multiple ? value % multiple == 0 : value == 0, "multiple", expr, value);
    const IndexExpr *constant = expr;
    for (int i = 0; i < NUM_VARIABLES; ++i)
      constant = indexSubstitute(context, constant, variables[i], indexConstant(context, values[i]));
    check(constant == indexConstant(context, value), "substitution", constant, value);
    indexContextDestroy(context);
  }
}

/// Splitting a linear index and putting it together must give back the same pointer.
static void checkRoundTrips(void) {
  for (int round = 0; round < 2000; ++round) {
    IndexContext *context = indexContextCreate();
    IrShape shape = {.rank = 1 + randomBelow(5)};
    for (intptr_t i = 0; i < shape.rank; ++i)
      shape.dims[i] = 1 + randomBelow(9);
    const IndexExpr *linear = indexVariable(context, irNumElements(shape));
    IndexVector index = indexDelinearize(context, linear, shape);
    bool single = irNumElements(shape) == 1; // its only index is the constant 0
    check(single || indexLinearize(context, &index, shape) == linear, "round trip", linear, 0);
    indexContextDestroy(context);
  }
}

/// The same for positions of a kernel's elements: a step that a loop unrolls, a place in a tile, a part of a task.
static void checkRoundTripsOfSums(void) {
  for (int round = 0; round < 20000; ++round) {
    IndexContext *context = indexContextCreate();
    IrShape shape = {.rank = 2 + randomBelow(4)};
    for (intptr_t i = 0; i < shape.rank; ++i)
      shape.dims[i] = 2 + randomBelow(40);
    int64_t columns = shape.dims[shape.rank - 1], rows = irNumElements(shape) / columns;
    int64_t side = 1 + randomBelow(64), numParts = 1 + randomBelow(4);
    const IndexExpr *task = indexVariable(context, 1 + rows / side * numParts),
                    *part = indexDiv(context, task, numParts);
    const IndexExpr *row = indexAdd(context, indexScale(context, part, side), indexVariable(context, side));
    row = indexAddConstant(context, row, randomBelow(rows));
    const IndexExpr *linear = indexAdd(context, indexScale(context, row, columns), indexVariable(context, columns));
    IndexVector index = indexDelinearize(context, linear, shape);
    check(indexLinearize(context, &index, shape) == linear, "round trip of a sum", linear, 0);
    indexContextDestroy(context);
  }
}

int main(void) {
  checkRandomExpressions();
  checkRoundTrips();
  checkRoundTripsOfSums();
  if (failures) {
    printf("%d failures\n", failures);
    return EXIT_FAILURE;
  }
  puts("all index expressions agree");
  return EXIT_SUCCESS;
}
