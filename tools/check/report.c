//===- report.c - what a check has found ---------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/check/checker.h"

void checkPlacePrint(const CheckPlace *place, FILE *out) {
  if (place->name)
    fprintf(out, "%s%s", place->name, place->file ? " (" : "");
  if (place->file)
    fprintf(out, "%s:%lld:%lld%s", place->file, (long long)place->line, (long long)place->column,
            place->name ? ")" : "");
  if (!place->file && !place->name)
    fputc('?', out);
}

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
  fprintf(out, "FAIL launch %lld, %s (%s): ", (long long)w->launch, w->kernel->name, site);
  if (w->output >= 0)
    fprintf(out, "output %lld", (long long)w->output);
  else
    fputs("scratch memory", out);
  if (w->op) {
    fprintf(out, ", tg.%s at ", checkKindName(w->op->kind));
    checkPlacePrint(&w->op->place, out);
  }
  fputs(": element ", out);
  printIndex(w, out);
  fprintf(out, " is %.9g, must be %.9g", w->got, w->expected);
  if (w->bound > 0.0)
    fprintf(out, " within %.2g", w->bound);
  fprintf(out, "; %lld wrong element%s\n", (long long)w->wrongElements, w->wrongElements == 1 ? "" : "s");
}

bool checkerIsComplete(const CheckedKernel *k) {
  return 10 * (k->uncertain + k->undefined) <= k->elements && 100 * k->uncertain <= k->elements;
}

bool checkerComparesAll(const Checker *c) {
  for (int64_t i = 0; i < c->numKernels; ++i)
    if (!checkerIsComplete(&c->kernels[i]))
      return false;
  return c->unknown == 0;
}

/// How much of a kernel's results tells nothing, and which operations have made that.
static void printUnchecked(const CheckedKernel *k, FILE *out) {
  fprintf(out, "not checked: %s: of %lld elements %lld are uncertain and %lld NaN\n", k->name, (long long)k->elements,
          (long long)k->uncertain, (long long)k->undefined);
  for (int64_t i = 0; k->hasGraph && i < k->launch.graph.numOps; ++i) {
    const CheckOp *op = &k->launch.graph.ops[i];
    if (*op->lost == 0)
      continue;
    fprintf(out, "  nothing is known of %lld elements of tg.%s at ", (long long)*op->lost, checkKindName(op->kind));
    checkPlacePrint(&op->place, out);
    fputc('\n', out);
  }
}

void checkerPrint(const Checker *c, FILE *out) {
  int64_t elements = 0, uncertain = 0;
  for (int64_t i = 0; i < c->numKernels; ++i) {
    elements += c->kernels[i].elements;
    uncertain += c->kernels[i].uncertain;
    if (c->kernels[i].problem)
      fprintf(out, "not checked: %s: %s\n", c->kernels[i].name, c->kernels[i].problem);
    if (!checkerIsComplete(&c->kernels[i]))
      printUnchecked(&c->kernels[i], out);
  }
  for (int64_t i = 0; i < c->numWrong; ++i)
    printWrong(c, &c->wrongElements[i], out);
  fprintf(out, "%s: %lld of %lld launches checked alone, %lld wrong; %lld elements", c->wrong ? "FAIL" : "ok",
          (long long)c->checked, (long long)c->launches, (long long)c->wrong, (long long)elements);
  if (uncertain)
    fprintf(out, ", %lld of them uncertain", (long long)uncertain);
  fputc('\n', out);
}
