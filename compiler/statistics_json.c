//===- statistics_json.c - statistics as JSON -----------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a Statistics as the JSON of --stats.
//
//===----------------------------------------------------------------------===//

#include "compiler/compiler.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
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
         cJSON_AddNumberToObject(terms, "exposed", cost->exposed) &&
         cJSON_AddNumberToObject(terms, "communication", cost->communication) &&
         cJSON_AddNumberToObject(terms, "hidden", cost->hidden) &&
         cJSON_AddNumberToObject(terms, "launches", cost->numLaunches) &&
         cJSON_AddNumberToObject(terms, "bytes_read", cost->bytesRead) &&
         cJSON_AddNumberToObject(terms, "bytes_written", cost->bytesWritten) &&
         cJSON_AddNumberToObject(terms, "bytes_sent", cost->bytesSent) &&
         addCount(terms, "rounds_of_tasks", cost->numRounds);
}

/// Of a compilation with feedback.
static bool addFeedback(cJSON *object, const FeedbackStatistics *f) {
  if (f->kernels == 0)
    return true;
  cJSON *feedback = cJSON_AddObjectToObject(object, "feedback");
  return feedback && addCount(feedback, "kernels", f->kernels) && addCount(feedback, "spilling", f->spilling) &&
         addCount(feedback, "replanned", f->replanned) && addCount(feedback, "cut", f->cut) &&
         addCount(feedback, "rejected", f->rejected) && addCount(feedback, "bytes_before", f->bytesBefore) &&
         addCount(feedback, "bytes_after", f->bytesAfter) &&
         cJSON_AddNumberToObject(feedback, "ns_before", f->nsBefore) &&
         cJSON_AddNumberToObject(feedback, "ns_after", f->nsAfter);
}

static bool addSeconds(cJSON *object, const Compiler *c) {
  cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");
  bool ok = seconds != NULL;
  double total = 0.0;
  for (int i = 0; i < c->numStages && ok; ++i) {
    total += c->stages[i].seconds;
    ok = cJSON_AddNumberToObject(seconds, c->stages[i].name, c->stages[i].seconds);
  }
  return ok && cJSON_AddNumberToObject(seconds, "total", total);
}

static bool fillFigures(cJSON *object, const Compiler *c) {
  const Statistics *s = &c->statistics;
  return cJSON_AddStringToObject(object, "model", c->options->name) &&
         cJSON_AddStringToObject(object, "device", c->device) && addCount(object, "ops", s->ops) &&
         addCount(object, "memory_intensive_ops", s->memoryIntensiveOps) && addCount(object, "fusions", s->fusions) &&
         addCount(object, "launches", s->launches) && addCount(object, "library_launches", s->launchesOfLibraries) &&
         addCount(object, "launches_least", s->launchesLeast) && addCount(object, "kernels_unique", s->kernelsUnique) &&
         addCount(object, "library_calls", s->libraryCalls) &&
         addCount(object, "communication_calls", s->communicationCalls) &&
         addCount(object, "grid_barriers", s->gridBarriers) && addSchemes(object, s) &&
         addCount(object, "bytes_read", s->bytesRead) && addCount(object, "bytes_written", s->bytesWritten) &&
         addCount(object, "bytes_unfused", s->bytesUnfused) && addCount(object, "rounds", s->rounds) &&
         addCount(object, "rounds_even", s->roundsEven) && addCount(object, "shared_bytes_max", s->sharedBytesMax) &&
         addCount(object, "fusions_shared", s->sharedFusions) &&
         addCount(object, "shared_bytes_allocated", s->sharedAllocated) &&
         addCount(object, "shared_bytes_requested", s->sharedRequested) &&
         addCount(object, "scratch_bytes_allocated", s->scratchAllocated) &&
         addCount(object, "scratch_bytes_requested", s->scratchRequested) &&
         addCount(object, "fusions_of_templates", s->fusionsOfTemplates) && addFeedback(object, &s->feedback) &&
         addCost(object, &s->cost) && addSeconds(object, c);
}

bool makeFigures(Compiler *c) {
  cJSON *object = cJSON_CreateObject();
  char *text = object && fillFigures(object, c) ? cJSON_Print(object) : NULL;
  cJSON_Delete(object);
  c->results->figures = text ? strdup(text) : NULL; // cJSON may have an allocator of its own
  cJSON_free(text);
  if (!c->results->figures)
    return messagesFail(c->messages, "out of memory");
  c->results->figuresSize = strlen(c->results->figures);
  return true;
}
