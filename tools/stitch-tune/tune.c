//===- tune.c - tuning a model -------------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans the model, lists its different kernels by their share of time, and tunes each (tune_kernel.h). Interrupts end
// after the database is written.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // nftw

#include "tools/stitch-tune/tune.h"

#include "ir/plan/template_file.h"
#include "runtime/seconds.h"
#include "tools/stitch-tune/database.h"
#include "tools/stitch-tune/tune_kernel.h"
#include "tools/stitch-tune/tune_measure.h"
#include "tools/support/process.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// A kernel of the model, and its share of the time.
typedef struct {
  uint64_t key;
  double launches, modelNs; ///< in a run, and of one by the cost model
} TimedKernel;

typedef struct {
  Workshop shop;
  char folder[PATH_BYTES];
  char on[64]; ///< the measuring device, as notes name it
  Database database;
  TimedKernel *kernels; ///< those that take most of the time first
  int64_t count;
  double weight; ///< nanoseconds of all by the model
} Tuning;

static volatile int interrupted = 0;

static void onInterrupt(int number) {
  (void)number;
  interrupted = 1;
}

//===----------------------------------------------------------------------===//
// The model's kernels
//===----------------------------------------------------------------------===//

/// The --target of the device that measures, unless the caller names one.
static StitchStatus chooseTarget(const TuneOptions *o, Tuning *t) {
  int architecture = 90; // of templates that are prepared for a GPU elsewhere
  StitchStatus status = NULL;
  bool isOnGpu = strcmp(o->device, "simt") != 0;
  if (isOnGpu && !o->prepare)
    status = measureArchitecture(o->device, &architecture);
  snprintf(t->on, sizeof(t->on), isOnGpu ? "sm_%d" : "simt", architecture);
  snprintf(t->shop.target, sizeof(t->shop.target), "--target=%s", t->on);
  for (int i = 0; i < o->numCompileOptions; ++i)
    if (strncmp(o->compileOptions[i], "--target=", strlen("--target=")) == 0)
      snprintf(t->shop.target, sizeof(t->shop.target), "%s", o->compileOptions[i]);
  return status;
}

/// The plan, in the file plan.mlir of the folder.
static StitchStatus planModel(const TuneOptions *o, const Tuning *t) {
  char plan[PATH_BYTES];
  snprintf(plan, sizeof(plan), "%s/plan.mlir", t->folder);
  const char **arguments = calloc((size_t)o->numCompileOptions + 9, sizeof(*arguments));
  if (!arguments)
    return stitchStatusOutOfMemory();
  int n = 0;
  arguments[n++] = t->shop.compiler;
  arguments[n++] = o->model;
  arguments[n++] = "--emit=plan";
  arguments[n++] = "-o";
  arguments[n++] = plan;
  if (o->patterns)
    arguments[n++] = "--pipeline=plan=patterns";
  arguments[n++] = t->shop.target; // a plan without clusters for devices that have none
  for (int i = 0; i < o->numCompileOptions; ++i)
    arguments[n++] = o->compileOptions[i];
  StitchStatus status = runCompiler(&t->shop, arguments);
  free(arguments);
  return status;
}

static int compareKernels(const void *a, const void *b) {
  const TimedKernel *x = a, *y = b;
  double p = x->launches * x->modelNs, q = y->launches * y->modelNs;
  if (p != q)
    return p > q ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static StitchStatus listKernels(Tuning *t) {
  char plan[PATH_BYTES + 16], list[PATH_BYTES + 16], *problem = NULL;
  TemplateFile file = {0};
  int64_t line;
  StitchStatus status = NULL;
  snprintf(plan, sizeof(plan), "%s/plan.mlir", t->folder);
  snprintf(list, sizeof(list), "%s/kernels", t->folder);
  if (!t->shop.options->measure)
    status = runCompiler(&t->shop, (const char *[]){t->shop.compiler, plan, "--emit=templates", "-o", list, NULL});
  if (!status && !templateFileRead(list, /*alternatives=*/false, &file, &problem, &line))
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT, "%s", problem ? problem : "out of memory");
  free(problem);
  t->kernels = calloc((size_t)file.count + 1, sizeof(*t->kernels));
  if (!status && !t->kernels)
    status = stitchStatusOutOfMemory();
  for (int64_t i = 0; i < file.count && !status; ++i) {
    const TemplateEntry *entry = &file.entries[i];
    TimedKernel kernel = {entry->key, templateNote(entry, "launches", 1), templateNote(entry, "model_ns", 0)};
    t->weight += kernel.launches * kernel.modelNs;
    t->kernels[t->count++] = kernel;
  }
  if (t->count > 1)
    qsort(t->kernels, (size_t)t->count, sizeof(*t->kernels), compareKernels);
  templateFileDestroy(&file);
  return status;
}

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

/// The rest is estimated by the mean time of the kernels so far.
static void sayProgress(const Tuning *t, int64_t number, int64_t tuned, double seconds, const TunedKernel *result) {
  const TimedKernel *kernel = &t->kernels[number];
  double share = t->weight > 0 ? 100 * kernel->launches * kernel->modelNs / t->weight : 0;
  printf("%" PRId64 " of %" PRId64 ": kernel %016" PRIx64
         ", %.1f %% of the time, %.0f launches: %.2f us planned, %.2f us tuned "
         "(%.2fx), %d templates",
         number + 1, t->count, kernel->key, share, kernel->launches, result->plannedNs / 1e3, result->tunedNs / 1e3,
         result->plannedNs / result->tunedNs, result->numCandidates);
  int64_t left = t->count - number - 1;
  if (left > 0)
    printf("; about %.0f s left", seconds / (double)tuned * (double)left);
  printf("\n");
  fflush(stdout);
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

static StitchStatus keepResult(Tuning *t, uint64_t key, const TunedKernel *result) {
  char notes[160];
  snprintf(notes, sizeof(notes), "on=%s planned_ns=%.0f tuned_ns=%.0f candidates=%d", t->on, result->plannedNs,
           result->tunedNs, result->numCandidates);
  return databaseAdd(&t->database, key, notes, result->text);
}

static StitchStatus tuneKernels(Tuning *t) {
  double planned = 0, tuned = 0, start = secondsNow();
  int64_t numTuned = 0, numWrong = 0;
  StitchStatus status = NULL;
  for (int64_t i = 0; i < t->count && !status && !interrupted; ++i) {
    const TimedKernel *kernel = &t->kernels[i];
    TunedKernel result;
    if (!t->shop.options->again && databaseFind(&t->database, kernel->key, t->on))
      continue;
    status = tuneKernel(&t->shop, kernel->key, &result);
    if (!status && t->shop.options->prepare) {
      printf("%" PRId64 " of %" PRId64 ": kernel %016" PRIx64 ", %d templates\n", i + 1, t->count, kernel->key,
             result.numCandidates);
      fflush(stdout);
      continue;
    }
    if (!status)
      status = keepResult(t, kernel->key, &result);
    if (!status) {
      planned += kernel->launches * result.plannedNs;
      tuned += kernel->launches * result.tunedNs;
      numWrong += result.isWrong;
      sayProgress(t, i, ++numTuned, secondsNow() - start, &result);
    }
    free(result.text);
  }
  if (!status && interrupted)
    status = stitchStatusMake(STITCH_CANCELLED, "interrupted");
  if (t->shop.options->prepare)
    return status;
  printf("%" PRId64 " of %" PRId64 " kernels tuned now", numTuned, t->count);
  if (numTuned > 0)
    printf(": %.1f us instead of %.1f us in a run (%.2fx)", tuned / 1e3, planned / 1e3, planned / tuned);
  printf("; %s has %" PRId64 "\n", t->database.path, t->database.count);
  if (!status && numWrong > 0)
    status =
        stitchStatusMake(STITCH_INTERNAL, "%" PRId64 " kernels have templates that compute something wrong", numWrong);
  return status;
}

static int removeEntry(const char *path, const struct stat *about, int kind, struct FTW *place) {
  (void)about, (void)kind, (void)place;
  return remove(path);
}

/// The caller's folder, or a new one.
static StitchStatus makeFolder(const TuneOptions *o, Tuning *t) {
  const char *own = o->prepare ? o->prepare : o->measure, *parent = getenv("TMPDIR");
  t->shop.folder = t->folder;
  if (own) {
    snprintf(t->folder, sizeof(t->folder), "%s", own);
    bool isThere = (o->prepare && mkdir(own, 0777) == 0) || access(own, R_OK | X_OK) == 0;
    return isThere ? NULL : stitchStatusMake(STITCH_IO_ERROR, "cannot use the folder '%s': %s", own, strerror(errno));
  }
  snprintf(t->folder, sizeof(t->folder), "%s/stitch-tune-XXXXXX", parent && *parent ? parent : "/tmp");
  return mkdtemp(t->folder)
             ? NULL
             : stitchStatusMake(STITCH_IO_ERROR, "cannot make the folder '%s': %s", t->folder, strerror(errno));
}

static StitchStatus tuneInFolder(const TuneOptions *o, Tuning *t) {
  StitchStatus status = chooseTarget(o, t);
  if (!status && !o->measure)
    status = planModel(o, t);
  if (!status)
    status = listKernels(t);
  if (!status)
    status = tuneKernels(t);
  bool isCallers = o->prepare || o->measure;
  if (o->keep && !isCallers)
    printf("the candidates are in %s\n", t->folder);
  else if (!isCallers)
    nftw(t->folder, removeEntry, 16, FTW_DEPTH | FTW_PHYS);
  return status;
}

StitchStatus tuneModel(const TuneOptions *o) {
  char path[PATH_BYTES];
  Tuning t = {.shop = {.options = o, .interrupted = &interrupted}};
  snprintf(path, sizeof(path), "%s.tuned", o->model ? o->model : "");
  toolFindProgram("stitch-compile", t.shop.compiler, sizeof(t.shop.compiler));
  toolFindProgram("stitch-run", t.shop.runner, sizeof(t.shop.runner));
  signal(SIGINT, onInterrupt);
  signal(SIGTERM, onInterrupt);
  StitchStatus status = databaseOpen(o->database ? o->database : path, &t.database);
  if (!status)
    status = makeFolder(o, &t);
  if (!status)
    status = tuneInFolder(o, &t);
  free(t.kernels);
  databaseClose(&t.database);
  return status;
}
