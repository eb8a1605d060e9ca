//===- report.c - what a check has found ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/check/checker.h"

static void printPlace(const CheckPlace *place, FILE *out) {
  if (place->name)
    fprintf(out, "%s%s", place->name, place->file ? " (" : "");
  if (place->file)
    fprintf(out, "%s:%lld:%lld%s", place->file, (long long)place->line, (long long)place->column,
            place->name ? ")" : "");
  if (!place->file && !place->name)
    fputc('?', out);
}

//===----------------------------------------------------------------------===//
// Coverage
//===----------------------------------------------------------------------===//

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

static void printNever(const CheckedKernel *kernel, const CheckOp *op, const char *side, FILE *out) {
  fprintf(out, "never %s: tg.%s, ", side, checkKindName(op->kind));
  printPlace(&op->place, out);
  fprintf(out, ", in %s\n", kernel->name);
}

static void coverGraph(const CheckedKernel *kernel, const CheckGraph *graph, FILE *out, CheckerCoverage *coverage) {
  for (int64_t i = 0; i < graph->numOps; ++i) {
    const CheckOp *op = &graph->ops[i];
    const char *const *sides = sidesOf(op->kind);
    for (int side = 0; sides[side]; ++side) {
      ++coverage->all;
      coverage->taken += op->sides[side] > 0;
      if (out && op->sides[side] == 0)
        printNever(kernel, op, sides[side], out);
    }
    for (int64_t r = 0; r < op->numRegions; ++r)
      coverGraph(kernel, &op->regions[r], out, coverage);
  }
}

CheckerCoverage checkerCoverage(const Checker *c, FILE *out) {
  CheckerCoverage coverage = {0};
  for (int64_t i = 0; i < c->numKernels; ++i)
    if (c->kernels[i].checked)
      coverGraph(&c->kernels[i], &c->kernels[i].launch.graph, out, &coverage);
  for (int64_t i = 0; i < c->numDecisions; ++i)
    for (int side = 0; side < 2; ++side) {
      ++coverage.all;
      coverage.taken += c->decisions[i].seen[side];
      if (out && !c->decisions[i].seen[side])
        fprintf(out, "never %s: a branch or loop, %s\n", side ? "true" : "false",
                c->model->sites[c->decisions[i].site]);
    }
  return coverage;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void printIndex(const WrongElement *w, FILE *out) {
  int64_t strides[CHECK_MAX_RANK];
  checkShapeStrides(&w->shape, strides);
  fputc('[', out);
  for (int64_t d = 0; d < w->shape.rank; ++d)
    fprintf(out, "%s%lld", d ? ", " : "", (long long)(w->index / strides[d] % w->shape.dims[d]));
  fputc(']', out);
}

static void printWrong(const Checker *c, const WrongElement *w, FILE *out) {
  const char *site = w->site < c->model->numSites ? c->model->sites[w->site] : "?";
  fprintf(out, "FAIL launch %lld, %s (%s): output %lld", (long long)w->launch, w->kernel->name, site,
          (long long)w->output);
  if (w->op) {
    fprintf(out, ", tg.%s at ", checkKindName(w->op->kind));
    printPlace(&w->op->place, out);
  }
  fputs(": element ", out);
  printIndex(w, out);
  fprintf(out, " is %.9g, must be %.9g", w->got, w->expected);
  if (w->bound > 0.0)
    fprintf(out, " within %.2g", w->bound);
  fprintf(out, "; %lld wrong element%s\n", (long long)w->wrongElements, w->wrongElements == 1 ? "" : "s");
}

void checkerPrint(const Checker *c, FILE *out) {
  int64_t elements = 0, uncertain = 0;
  for (int64_t i = 0; i < c->numKernels; ++i) {
    elements += c->kernels[i].elements;
    uncertain += c->kernels[i].uncertain;
    if (c->kernels[i].problem)
      fprintf(out, "not checked: %s: %s\n", c->kernels[i].name, c->kernels[i].problem);
  }
  for (int64_t i = 0; i < c->numWrong; ++i)
    printWrong(c, &c->wrongElements[i], out);
  fprintf(out, "%s: %lld of %lld launches checked alone, %lld wrong; %lld elements", c->wrong ? "FAIL" : "ok",
          (long long)c->checked, (long long)c->launches, (long long)c->wrong, (long long)elements);
  if (uncertain)
    fprintf(out, ", %lld of them uncertain", (long long)uncertain);
  fputc('\n', out);
}
