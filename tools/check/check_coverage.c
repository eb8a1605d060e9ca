//===- check_coverage.c - the sides of choices that a run has taken -------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that several kernels compute, or that a function has for several callers, is one place in the model's
// text. A side is taken if it is taken in one of them.
//
//===----------------------------------------------------------------------===//

#include "tools/check/launch_checker.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const CheckOp *op;
  const CheckedKernel *kernel;
  bool taken[CHECK_MAX_SIDES];
} BranchChoice;

typedef struct {
  BranchChoice *choices; ///< NULL: only counted
  int64_t count;
} BranchChoices;

/// The names of an operation's sides; NULL behind the last.
static const char *const *sidesOf(CheckKind kind) {
  static const char *const conditions[] = {"true", "false", NULL}, *const clamps[] = {"below", "inside", "above", NULL};
  static const char *const operands[] = {"left", "right", NULL}, *const none[] = {NULL};
  switch (kind) {
  case CHECK_select:
  case CHECK_compare:
  case CHECK_is_finite:
    return conditions;
  case CHECK_clamp:
    return clamps;
  case CHECK_max:
  case CHECK_min:
    return operands;
  default:
    return none;
  }
}

static void addGraph(const CheckedKernel *kernel, const CheckGraph *graph, BranchChoices *choices) {
  for (int64_t i = 0; i < graph->numOps; ++i) {
    const CheckOp *op = &graph->ops[i];
    if (sidesOf(op->kind)[0]) {
      if (choices->choices) {
        BranchChoice *choice = &choices->choices[choices->count];
        *choice = (BranchChoice){.op = op, .kernel = kernel};
        for (int side = 0; side < CHECK_MAX_SIDES; ++side)
          choice->taken[side] = op->sides[side] > 0;
      }
      ++choices->count;
    }
    for (int64_t r = 0; r < op->numRegions; ++r)
      addGraph(kernel, &op->regions[r], choices);
  }
}

static void addKernels(const Checker *c, BranchChoices *choices) {
  for (int64_t i = 0; i < c->numKernels; ++i)
    if (c->kernels[i].hasGraph)
      addGraph(&c->kernels[i], &c->kernels[i].launch.graph, choices);
}

static int compareTexts(const char *a, const char *b) { return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b); }
static int compareNumbers(int64_t a, int64_t b) { return (a > b) - (a < b); }

/// By place, then by kind; an operation without a place is a place of its own.
static int compareChoices(const void *left, const void *right) {
  const CheckOp *a = ((const BranchChoice *)left)->op, *b = ((const BranchChoice *)right)->op;
  int order = compareTexts(a->place.file, b->place.file);
  if (!order)
    order = compareNumbers(a->place.line, b->place.line);
  if (!order)
    order = compareNumbers(a->place.column, b->place.column);
  if (!order)
    order = compareTexts(a->place.name, b->place.name);
  if (!order)
    order = compareNumbers(a->kind, b->kind);
  bool isPlace = a->place.file || a->place.name;
  return order || isPlace ? order : (a > b) - (a < b);
}

static void printNever(const BranchChoice *choice, const char *side, FILE *out) {
  fprintf(out, "never %s: tg.%s, ", side, checkKindName(choice->op->kind));
  checkPlacePrint(&choice->op->place, out);
  fprintf(out, ", in %s\n", choice->kernel->name);
}

static void addSides(const BranchChoice *choice, FILE *out, CheckerCoverage *coverage) {
  const char *const *sides = sidesOf(choice->op->kind);
  for (int side = 0; sides[side]; ++side) {
    ++coverage->all;
    coverage->taken += choice->taken[side];
    if (out && !choice->taken[side])
      printNever(choice, sides[side], out);
  }
}

/// Choices in the order of compareChoices.
static void addChoices(const BranchChoices *sorted, FILE *out, CheckerCoverage *coverage) {
  for (int64_t first = 0, next; first < sorted->count; first = next) {
    BranchChoice place = sorted->choices[first];
    for (next = first + 1; next < sorted->count && compareChoices(&place, &sorted->choices[next]) == 0; ++next)
      for (int side = 0; side < CHECK_MAX_SIDES; ++side)
        place.taken[side] |= sorted->choices[next].taken[side];
    addSides(&place, out, coverage);
  }
}

static void addDecisions(const Checker *c, FILE *out, CheckerCoverage *coverage) {
  for (int64_t i = 0; i < c->numDecisions; ++i)
    for (int side = 0; side < 2; ++side) {
      ++coverage->all;
      coverage->taken += c->decisions[i].seen[side];
      if (out && !c->decisions[i].seen[side])
        fprintf(out, "never %s: a branch or loop, %s\n", side ? "true" : "false",
                c->model->sites[c->decisions[i].site]);
    }
}

StitchStatus checkerCoverage(const Checker *c, FILE *out, CheckerCoverage *coverage) {
  *coverage = (CheckerCoverage){0};
  BranchChoices choices = {0};
  addKernels(c, &choices);
  choices.choices = calloc((size_t)choices.count + 1, sizeof(*choices.choices));
  if (!choices.choices)
    return stitchStatusOutOfMemory();
  choices.count = 0;
  addKernels(c, &choices);
  qsort(choices.choices, (size_t)choices.count, sizeof(*choices.choices), compareChoices);
  addChoices(&choices, out, coverage);
  addDecisions(c, out, coverage);
  free(choices.choices);
  return NULL;
}
