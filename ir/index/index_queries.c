//===- index_queries.c - queries and substitution of index expressions ----===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Substitutes variables in interned expressions, tests dependences, linearity and divisibility, and prints expressions
// for tests.
//
//===----------------------------------------------------------------------===//

#include "ir/index/index_expr.h"
#include "ir/mlir/arena.h"
#include "ir/mlir/arithmetic.h"
#include "ir/mlir/map.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Queries and substitution
//===----------------------------------------------------------------------===//

static const IndexAtom *variableAtom(const IndexExpr *variable) { return variable->terms[0].atom; }

/// A substitution at work. Expressions share their parts, so each is done once.
typedef struct {
  IndexContext *context;
  const IndexExpr *variable;
  const IndexExpr *value;
  IrMap done; ///< expression -> 1 + index in `results`
  const IndexExpr **results;
  int64_t count, capacity;
} Substitution;

static const IndexExpr *substituted(Substitution *s, const IndexExpr *a);

static const IndexExpr *substitutedAtom(Substitution *s, const IndexAtom *atom) {
  if (atom == variableAtom(s->variable))
    return s->value;
  if (atom->kind == INDEX_VARIABLE || !indexDependsOn(atom->inner, s->variable))
    return indexOfAtom(s->context, atom, 1);
  int64_t known = irMapGet(&s->done, atom->inner, 0);
  const IndexExpr *inner = known ? s->results[known - 1] : substituted(s, atom->inner);
  if (!known) {
    IR_RESERVE_ONE(s->results, s->count, s->capacity);
    s->results[s->count++] = inner;
    irMapSet(&s->done, atom->inner, s->count);
  }
  return (atom->kind == INDEX_DIV ? indexDiv : indexMod)(s->context, inner, atom->divisor);
}

static const IndexExpr *substituted(Substitution *s, const IndexExpr *a) {
  const IndexExpr *result = indexConstant(s->context, a->constant);
  for (int32_t i = 0; i < a->numTerms; ++i)
    result = indexAdd(s->context, result,
                      indexScale(s->context, substitutedAtom(s, a->terms[i].atom), a->terms[i].coefficient));
  return result;
}

const IndexExpr *indexSubstitute(IndexContext *context, const IndexExpr *a, const IndexExpr *variable,
                                 const IndexExpr *value) {
  if (!indexDependsOn(a, variable))
    return a;
  Substitution s = {.context = context, .variable = variable, .value = value};
  const IndexExpr *result = substituted(&s, a);
  irMapDestroy(&s.done);
  free(s.results);
  return result;
}

bool indexDependsOn(const IndexExpr *a, const IndexExpr *variable) {
  int64_t id = variableAtom(variable)->id;
  for (int32_t i = 0; i < a->variables->count; ++i)
    if (a->variables->ids[i] == id)
      return true;
  return false;
}

bool indexLinearIn(const IndexExpr *a, const IndexExpr *variable, int64_t *coefficient) {
  *coefficient = 0;
  for (int32_t i = 0; i < a->numTerms; ++i) {
    const IndexAtom *atom = a->terms[i].atom;
    if (atom == variableAtom(variable))
      *coefficient = a->terms[i].coefficient;
    else if (atom->inner && indexDependsOn(atom->inner, variable))
      return false;
  }
  return true;
}

int64_t indexMultipleOf(const IndexExpr *a) {
  int64_t divisor = a->constant;
  for (int32_t i = 0; i < a->numTerms; ++i) {
    const IndexAtom *atom = a->terms[i].atom;
    int64_t multiple = atom->kind == INDEX_MOD ? gcd64(indexMultipleOf(atom->inner), atom->divisor) : 1;
    divisor = gcd64(divisor, a->terms[i].coefficient * multiple);
  }
  return llabs(divisor);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

typedef struct {
  char *buffer;
  size_t size;
  size_t used;
} ExprText;

static void appendFormat(ExprText *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void appendFormat(ExprText *text, const char *format, ...) {
  if (text->used >= text->size)
    return;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text->buffer + text->used, text->size - text->used, format, arguments);
  va_end(arguments);
  text->used += length > 0 ? (size_t)length : 0;
}

static void printExpr(const IndexExpr *a, ExprText *text);

static void printAtom(const IndexAtom *atom, ExprText *text) {
  if (atom->kind == INDEX_VARIABLE) {
    appendFormat(text, "v%lld", (long long)atom->id);
    return;
  }
  appendFormat(text, "(");
  printExpr(atom->inner, text);
  appendFormat(text, " %s %lld)", atom->kind == INDEX_DIV ? "floordiv" : "mod", (long long)atom->divisor);
}

static void printExpr(const IndexExpr *a, ExprText *text) {
  for (int32_t i = 0; i < a->numTerms; ++i) {
    appendFormat(text, "%s", i ? " + " : "");
    if (a->terms[i].coefficient != 1)
      appendFormat(text, "%lld*", (long long)a->terms[i].coefficient);
    printAtom(a->terms[i].atom, text);
  }
  if (a->constant || !a->numTerms)
    appendFormat(text, "%s%lld", a->numTerms ? " + " : "", (long long)a->constant);
}

void indexPrint(const IndexExpr *a, char *buffer, size_t size) {
  ExprText text = {buffer, size, 0};
  if (size)
    buffer[0] = '\0';
  printExpr(a, &text);
}
