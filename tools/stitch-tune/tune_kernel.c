//===- tune_kernel.c - tuning one kernel ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FusionStitching, algorithm 3: templates are generated, compiled and timed. The few fastest are then timed several
// times more, in turns, since clocks change; one has to beat the plan's own by more than noise. The winner is checked
// before it is taken.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // asprintf

#include "tools/stitch-tune/tune_kernel.h"

#include "ir/plan/template_file.h"
#include "tools/stitch-tune/tune_measure.h"
#include "tools/support/process.h"
#include "tools/support/tool_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Of the candidates, those that are timed once more, and how often.
enum { FINALISTS = 4, ROUNDS = 5 };

/// A template is taken if it takes at most this part of the plan's own time.
static const double WORTH_TAKING = 0.98;

typedef struct {
  const char *text;
  char templates[PATH_BYTES], model[PATH_BYTES]; ///< files
  double seconds;                                ///< negative: not to be had
} Contender;

typedef struct {
  const Workshop *shop;
  char plan[PATH_BYTES]; ///< of this kernel alone
  TemplateFile candidates;
  Contender *contenders; ///< the first is the plan's own template
  int count;
} KernelTuning;

__attribute__((format(printf, 3, 4))) static void name(char *path, const KernelTuning *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = snprintf(path, PATH_BYTES, "%s/", t->shop->folder);
  vsnprintf(path + length, PATH_BYTES - (size_t)length, format, arguments);
  va_end(arguments);
}

StitchStatus runCompiler(const Workshop *shop, const char *const *arguments) {
  pid_t process;
  bool succeeded = false;
  StitchStatus status = toolStart(arguments, NULL, &process);
  if (!status)
    status = toolWait(process, NULL, &succeeded);
  if (status || succeeded)
    return status;
  return *shop->interrupted ? stitchStatusMake(STITCH_CANCELLED, "interrupted")
                            : stitchStatusMake(STITCH_INVALID_ARGUMENT, "the model does not compile");
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Makes the kernel's plan a file of its own, and the list of its candidates.
static StitchStatus compileCandidates(const KernelTuning *t, uint64_t key, const char *list) {
  char plan[PATH_BYTES], kernel[64];
  name(plan, t, "plan.mlir");
  snprintf(kernel, sizeof(kernel), "--kernel=%016" PRIx64, key);
  StitchStatus status =
      runCompiler(t->shop, (const char *[]){t->shop->compiler, plan, kernel, "--emit=plan", "-o", t->plan, NULL});
  if (status)
    return status;
  return runCompiler(t->shop, (const char *[]){t->shop->compiler, t->plan, "--emit=candidates", "-o", list, NULL});
}

static StitchStatus makeCandidates(KernelTuning *t, uint64_t key) {
  char list[PATH_BYTES], *problem = NULL;
  int64_t line;
  name(t->plan, t, "%016" PRIx64 ".mlir", key);
  name(list, t, "%016" PRIx64 ".candidates", key);
  StitchStatus status = t->shop->options->measure ? NULL : compileCandidates(t, key, list);
  if (!status && !templateFileRead(list, /*alternatives=*/true, &t->candidates, &problem, &line))
    status = stitchStatusMake(STITCH_INTERNAL, "%s", problem ? problem : "out of memory");
  free(problem);
  return status;
}

static StitchStatus writeTemplates(KernelTuning *t, uint64_t key) {
  StitchStatus status = NULL;
  int most = t->shop->options->candidates + 1;
  t->count = t->candidates.count < most ? (int)t->candidates.count : most;
  t->contenders = calloc((size_t)t->count + 1, sizeof(*t->contenders));
  if (!t->contenders)
    return stitchStatusOutOfMemory();
  for (int i = 0; i < t->count && !status; ++i) {
    Contender *contender = &t->contenders[i];
    char *text = NULL;
    *contender = (Contender){.text = t->candidates.entries[i].text, .seconds = -1};
    name(contender->templates, t, "%016" PRIx64 ".%d.templates", key, i);
    name(contender->model, t, "%016" PRIx64 ".%d.so", key, i);
    int size = asprintf(&text, "%skernel %016" PRIx64 "\n%s", TEMPLATE_FILE_HEADER, key, contender->text);
    if (size < 0)
      status = stitchStatusOutOfMemory();
    else if (!t->shop->options->measure)
      status = toolWriteFile(contender->templates, text, (size_t)size);
    if (size >= 0)
      free(text);
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static StitchStatus startCompilation(const KernelTuning *t, const Contender *contender, pid_t *process) {
  char templates[PATH_BYTES + 16], log[PATH_BYTES + 8];
  snprintf(templates, sizeof(templates), "--templates=%s", contender->templates);
  snprintf(log, sizeof(log), "%s.log", contender->model);
  const char *arguments[] = {t->shop->compiler, t->plan, templates,        t->shop->target,
                             "--no-reference",  "-o",    contender->model, NULL};
  return toolStart(arguments, log, process);
}

/// Compiles all contenders, several at a time. One that does not compile has no model file; its log says why.
static StitchStatus compileAll(const KernelTuning *t) {
  int running = 0, next = 0;
  StitchStatus status = NULL;
  while (running > 0 || (next < t->count && !status && !*t->shop->interrupted)) {
    pid_t process;
    bool succeeded;
    bool mayStart = next < t->count && !status && !*t->shop->interrupted && running < t->shop->options->jobs;
    if (mayStart) {
      status = startCompilation(t, &t->contenders[next++], &process);
      running += !status;
      continue;
    }
    StitchStatus waited = toolWait(-1, NULL, &succeeded);
    --running;
    if (waited)
      return waited;
  }
  return status;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

static StitchStatus timeThem(const KernelTuning *t, Contender **contenders, int count, int rounds) {
  Measurement *models = calloc((size_t)(count * rounds) + 1, sizeof(*models));
  if (!models)
    return stitchStatusOutOfMemory();
  int numModels = 0;
  for (int i = 0; i < count * rounds; ++i)
    if (access(contenders[i % count]->model, R_OK) == 0)
      models[numModels++].path = contenders[i % count]->model;
  StitchStatus status =
      measureModels(models, numModels, t->shop->options->device, t->shop->options->repeat, t->shop->interrupted);
  for (int i = 0; i < count; ++i) {
    double samples[ROUNDS];
    int numSamples = 0;
    for (int j = 0; j < numModels && numSamples < ROUNDS; ++j)
      if (models[j].path == contenders[i]->model && models[j].seconds >= 0)
        samples[numSamples++] = models[j].seconds;
    for (int a = 1; a < numSamples; ++a) // few enough
      for (int b = a; b > 0 && samples[b] < samples[b - 1]; --b) {
        double swapped = samples[b];
        samples[b] = samples[b - 1];
        samples[b - 1] = swapped;
      }
    contenders[i]->seconds = numSamples > 0 ? samples[numSamples / 2] : -1;
  }
  free(models);
  return status;
}

/// The fastest of those whose times are known, but for `taken`; NULL if there is none.
static Contender *fastestOf(const KernelTuning *t, Contender *const *taken, int numTaken) {
  Contender *fastest = NULL;
  for (int i = 0; i < t->count; ++i) {
    Contender *contender = &t->contenders[i];
    bool isTaken = contender->seconds < 0;
    for (int j = 0; j < numTaken; ++j)
      isTaken = isTaken || taken[j] == contender;
    if (!isTaken && (!fastest || contender->seconds < fastest->seconds))
      fastest = contender;
  }
  return fastest;
}

/// Times all once, and then the fastest and the plan's own in turns.
static StitchStatus findFinalists(const KernelTuning *t, Contender *finalists[FINALISTS], int *count) {
  Contender **all = calloc((size_t)t->count + 1, sizeof(*all));
  if (!all)
    return stitchStatusOutOfMemory();
  for (int i = 0; i < t->count; ++i)
    all[i] = &t->contenders[i];
  StitchStatus status = timeThem(t, all, t->count, 1);
  free(all);
  if (status)
    return status;
  *count = 0;
  finalists[(*count)++] = &t->contenders[0];
  for (Contender *next; *count < FINALISTS && (next = fastestOf(t, finalists, *count)) != NULL;)
    finalists[(*count)++] = next;
  return *t->shop->interrupted ? NULL : timeThem(t, finalists, *count, ROUNDS);
}

//===----------------------------------------------------------------------===//
// The winner
//===----------------------------------------------------------------------===//

/// Whether a template computes its kernel's results, by stitch-run --check.
static StitchStatus checkContender(const KernelTuning *t, const Contender *contender, bool *isRight) {
  char log[PATH_BYTES + 16], device[64];
  pid_t process;
  snprintf(log, sizeof(log), "%s.check", contender->model);
  snprintf(device, sizeof(device), "--device=%s", t->shop->options->device);
  *isRight = true;
  if (t->shop->options->noCheck)
    return NULL;
  StitchStatus status =
      toolStart((const char *[]){t->shop->runner, contender->model, device, "--check", NULL}, log, &process);
  if (!status)
    status = toolWait(process, NULL, isRight);
  if (!status && !*isRight && !*t->shop->interrupted)
    fprintf(stderr, "stitch-tune: error: a template computes something wrong: %s, see %s\n%s", contender->templates,
            log, contender->text);
  return status;
}

/// The fastest finalist that is right and worth taking, else the plan's own.
static StitchStatus chooseWinner(const KernelTuning *t, Contender *const *finalists, int count, TunedKernel *result,
                                 const Contender **winner) {
  Contender *rejected[FINALISTS] = {NULL};
  const Contender *own = finalists[0];
  for (int i = 0; i < count; ++i) {
    Contender *best = NULL;
    for (int j = 1; j < count; ++j) {
      bool isOut = finalists[j]->seconds < 0;
      for (int k = 0; k < i; ++k)
        isOut = isOut || rejected[k] == finalists[j];
      if (!isOut && (!best || finalists[j]->seconds < best->seconds))
        best = finalists[j];
    }
    bool isWorthIt = best && (own->seconds < 0 || best->seconds <= WORTH_TAKING * own->seconds);
    *winner = isWorthIt ? best : own;
    if (!isWorthIt)
      return NULL;
    bool isRight = false;
    StitchStatus status = checkContender(t, best, &isRight);
    if (status || isRight)
      return status;
    result->isWrong = true;
    rejected[i] = best;
  }
  *winner = own;
  return NULL;
}

static StitchStatus compete(const KernelTuning *t, TunedKernel *result) {
  Contender *finalists[FINALISTS];
  int count = 0;
  const Contender *winner = &t->contenders[0];
  StitchStatus status = findFinalists(t, finalists, &count);
  if (!status && !*t->shop->interrupted)
    status = chooseWinner(t, finalists, count, result, &winner);
  if (!status && *t->shop->interrupted)
    return stitchStatusMake(STITCH_CANCELLED, "interrupted");
  if (!status && winner->seconds < 0)
    return stitchStatusMake(STITCH_INTERNAL, "no template of a kernel can be timed: see %s.log", winner->model);
  if (status)
    return status;
  result->plannedNs = t->contenders[0].seconds * 1e9;
  result->tunedNs = winner->seconds * 1e9;
  for (int i = 0; i < t->count; ++i)
    result->numCandidates += t->contenders[i].seconds >= 0;
  result->text = strdup(winner->text);
  return result->text ? NULL : stitchStatusOutOfMemory();
}

StitchStatus tuneKernel(const Workshop *shop, uint64_t key, TunedKernel *result) {
  KernelTuning t = {.shop = shop};
  *result = (TunedKernel){0};
  StitchStatus status = makeCandidates(&t, key);
  if (!status)
    status = writeTemplates(&t, key);
  if (!status && !shop->options->measure)
    status = compileAll(&t);
  if (!status && *shop->interrupted)
    status = stitchStatusMake(STITCH_CANCELLED, "interrupted");
  if (!status && !shop->options->prepare)
    status = compete(&t, result);
  bool keeps = shop->options->keep || shop->options->prepare || shop->options->measure;
  for (int i = 0; i < t.count && !keeps; ++i)
    unlink(t.contenders[i].model);
  for (int i = 0; i < t.count && shop->options->prepare; ++i)
    result->numCandidates += access(t.contenders[i].model, R_OK) == 0;
  free(t.contenders);
  templateFileDestroy(&t.candidates);
  return status;
}
