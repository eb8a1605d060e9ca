//===- report.c - statistics as JSON -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/stitch-compile/report.h"

#include "tools/support/file.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

static bool addCount(cJSON *object, const char *name, int64_t value) {
  return cJSON_AddNumberToObject(object, name, (double)value) != NULL;
}

static bool addSchemes(cJSON *object, const Statistics *s) {
  static const char *const names[NUM_SCHEMES] = {"independent", "local", "regional", "global"};
  cJSON *schemes = cJSON_AddObjectToObject(object, "scheme_counts");
  bool ok = schemes != NULL;
  for (int i = 0; i < NUM_SCHEMES && ok; ++i)
    ok = addCount(schemes, names[i], s->schemeCounts[i]);
  return ok;
}

/// Nanoseconds by the cost model (ir/plan/kernel_cost.h).
static bool addCost(cJSON *object, const PlanCost *cost) {
  cJSON *terms = cJSON_AddObjectToObject(object, "cost_ns");
  return terms && cJSON_AddNumberToObject(terms, "total", cost->total) &&
         cJSON_AddNumberToObject(terms, "launch", cost->launch) &&
         cJSON_AddNumberToObject(terms, "barriers", cost->barriers) &&
         cJSON_AddNumberToObject(terms, "latency", cost->latency) &&
         cJSON_AddNumberToObject(terms, "memory", cost->memory) &&
         cJSON_AddNumberToObject(terms, "instructions", cost->instructions) &&
         cJSON_AddNumberToObject(terms, "rounds", cost->rounds) &&
         cJSON_AddNumberToObject(terms, "launches", cost->numLaunches) &&
         cJSON_AddNumberToObject(terms, "bytes_read", cost->bytesRead) &&
         cJSON_AddNumberToObject(terms, "bytes_written", cost->bytesWritten) &&
         addCount(terms, "rounds_of_tasks", cost->numRounds);
}

static bool addSeconds(cJSON *object, const ToolProgress *progress) {
  cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");
  bool ok = seconds != NULL;
  double total = 0.0;
  for (int i = 0; i < toolProgressNumStages(progress) && ok; ++i) {
    total += toolProgressStageSeconds(progress, i);
    ok = cJSON_AddNumberToObject(seconds, toolProgressStageName(progress, i), toolProgressStageSeconds(progress, i));
  }
  return ok && cJSON_AddNumberToObject(seconds, "total", total);
}

static bool fillReport(cJSON *report, const CompileOptions *options, const char *device, const Statistics *s,
                       const ToolProgress *progress) {
  return cJSON_AddStringToObject(report, "model", options->input) &&
         cJSON_AddStringToObject(report, "device", device) && addCount(report, "ops", s->ops) &&
         addCount(report, "memory_intensive_ops", s->memoryIntensiveOps) && addCount(report, "fusions", s->fusions) &&
         addCount(report, "launches", s->launches) && addCount(report, "library_launches", s->launchesOfLibraries) &&
         addCount(report, "launches_least", s->launchesLeast) && addCount(report, "kernels_unique", s->kernelsUnique) &&
         addCount(report, "library_calls", s->libraryCalls) && addCount(report, "grid_barriers", s->gridBarriers) &&
         addSchemes(report, s) && addCount(report, "bytes_read", s->bytesRead) &&
         addCount(report, "bytes_written", s->bytesWritten) && addCount(report, "bytes_unfused", s->bytesUnfused) &&
         addCount(report, "rounds", s->rounds) && addCount(report, "rounds_even", s->roundsEven) &&
         addCount(report, "shared_bytes_max", s->sharedBytesMax) &&
         addCount(report, "fusions_shared", s->sharedFusions) &&
         addCount(report, "shared_bytes_allocated", s->sharedAllocated) &&
         addCount(report, "shared_bytes_requested", s->sharedRequested) &&
         addCount(report, "scratch_bytes_allocated", s->scratchAllocated) &&
         addCount(report, "scratch_bytes_requested", s->scratchRequested) && addCost(report, &s->cost) &&
         addSeconds(report, progress);
}

bool writeReport(const CompileOptions *options, const char *device, const Statistics *statistics,
                 const ToolProgress *progress) {
  cJSON *report = cJSON_CreateObject();
  char *text = report && fillReport(report, options, device, statistics, progress) ? cJSON_Print(report) : NULL;
  StitchStatus status = NULL;
  if (!text)
    status = stitchStatusOutOfMemory();
  else
    status = toolWriteFile(options->statsFile, text, strlen(text));
  if (!status && strcmp(options->statsFile, "-") == 0)
    putchar('\n');
  cJSON_free(text);
  cJSON_Delete(report);
  if (!status)
    return true;
  fprintf(stderr, "stitch-compile: error: %s\n", stitchStatusMessage(status));
  stitchStatusFree(status);
  return false;
}
