//===- check_report.c - the report of a check -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the records of a check: wrong launches with the operation and place, results that were not checked, and
// totals.
//
//===----------------------------------------------------------------------===//

#include "tools/check/check_stages.h"
#include "tools/check/launch_checker.h"

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

/// An output, or the memory of another stored value.
static void printMemory(int64_t output, const CheckOp *op, FILE *out) {
  const CheckAttribute *passing = op ? checkFindAttribute(op, "stitch.passing") : NULL;
  if (output >= 0)
    fprintf(out, "output %lld", (long long)output);
  else if (op && checkFindAttribute(op, "stitch.written"))
    fputs("stage", out);
  else
    fputs(passing && passing->values[1] == STAGES_SHARED_MEMORY ? "shared memory" : "scratch memory", out);
}

static void printWrong(const Checker *c, const WrongElement *w, FILE *out) {
  const char *site = w->site < c->model->numSites ? c->model->sites[w->site] : "?";
  fprintf(out, "FAIL launch %lld, %s (%s): ", (long long)w->launch, w->kernel->name, site);
  if (w->iteration >= 0)
    fprintf(out, "iteration %lld, ", (long long)w->iteration);
  printMemory(w->output, w->op, out);
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

static bool isBounded(const CheckedPart *p) { return 100 * p->unbounded <= p->elements; }
static bool isCompared(const CheckedPart *p) { return 10 * (p->uncertain + p->undefined) <= p->elements; }
bool checkerIsComplete(const CheckedPart *p) { return isBounded(p) && isCompared(p); }

static bool kernelIsComplete(const CheckedKernel *k) {
  for (int64_t i = 0; i < k->numParts; ++i)
    if (!checkerIsComplete(&k->parts[i]))
      return false;
  return true;
}

bool checkerComparesAll(const Checker *c) {
  for (int64_t i = 0; i < c->numKernels; ++i)
    if (!kernelIsComplete(&c->kernels[i]))
      return false;
  return c->unknown == 0;
}

static void printPart(const CheckedKernel *k, const CheckedPart *p, FILE *out) {
  fprintf(out, "not checked: %s: ", k->name);
  printMemory(p->output, p->op, out);
  if (p->op) {
    fprintf(out, ", tg.%s at ", checkKindName(p->op->kind));
    checkPlacePrint(&p->op->place, out);
  }
  fprintf(out, ": of %lld elements %lld are uncertain and %lld NaN", (long long)p->elements, (long long)p->uncertain,
          (long long)p->undefined);
  if (!isBounded(p))
    fputs(isCompared(p) ? "; of finite inputs more than 1 % are too many" : ", and all inputs are finite", out);
  fputc('\n', out);
}

/// The parts of a kernel's results that tell little or nothing, and the operations that are the reason.
static void printUnchecked(const CheckedKernel *k, FILE *out) {
  for (int64_t i = 0; i < k->numParts; ++i)
    if (!checkerIsComplete(&k->parts[i]))
      printPart(k, &k->parts[i], out);
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
    if (!kernelIsComplete(&c->kernels[i]))
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
