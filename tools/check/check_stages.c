//===- check_stages.c - intermediate values of a running kernel -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps copies of a kernel's memory at its waits, by iteration and stage, up to a limit of bytes, for the values that
// later stages overwrite.
//
//===----------------------------------------------------------------------===//

#include "tools/check/check_stages.h"

#include <stdlib.h>
#include <string.h>

/// Iterations of which copies are made whatever they take; bytes that all take before no more are made.
enum { ALWAYS_KEPT = 16, MOST_BYTES = 1 << 30 };

size_t stagesBytes(const CheckLaunch *launch, const CheckOptions *options, int64_t value) {
  const CheckType *type = &launch->graph.types[value];
  CheckShape shape = checkShapeNow(type, options);
  return stitchElementBytes(type->type) * (size_t)checkShapeElements(&shape);
}

/// The list of an iteration. NULL without memory.
static void **listOf(Stages *s, const CheckLaunch *launch, int64_t iteration) {
  if (iteration >= s->numIterations) {
    void ***copies = realloc(s->copies, (size_t)(iteration + 1) * sizeof(*copies));
    if (!copies)
      return NULL;
    s->copies = copies;
    while (s->numIterations <= iteration)
      s->copies[s->numIterations++] = NULL;
  }
  if (!s->copies[iteration])
    s->copies[iteration] = calloc((size_t)(launch->graph.numOps + launch->numOutputs) + 1, sizeof(void *));
  return s->copies[iteration];
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Where one result of an operation is: `words` has the argument and then the offset of each result. NULL: nowhere.
static const char *stepText(const StitchStep *step, const StitchWait *wait, const int64_t *words, int64_t result,
                            size_t bytes) {
  int64_t offset = words[1 + result];
  if (words[0] == STAGES_SHARED_MEMORY && wait->shared && offset + (int64_t)bytes <= wait->sharedBytes)
    return (const char *)wait->shared + offset;
  if (words[0] >= 0 && words[0] < step->numArguments)
    return (const char *)step->arguments[words[0]] + offset;
  return NULL;
}

/// Copies the results of an operation, `passing` of which has where they are.
static StitchStatus keepOp(Stages *s, const CheckLaunch *launch, const CheckOptions *options, const CheckOp *op,
                           const CheckAttribute *passing, const StitchStep *step, const StitchWait *wait, void **copy) {
  size_t bytes = 0;
  for (int64_t i = 0; i < op->numResults; ++i)
    bytes += stagesBytes(launch, options, op->firstResult + i);
  char *data = malloc(bytes + 16);
  if (!data)
    return stitchStatusOutOfMemory();
  StitchStatus status = NULL;
  bool found = passing->count == 2 + op->numResults;
  char *next = data;
  for (int64_t i = 0; i < op->numResults && found && !status; ++i) {
    size_t size = stagesBytes(launch, options, op->firstResult + i);
    const char *place = stepText(step, wait, passing->values + 1, i, size);
    found = place != NULL;
    if (found && passing->values[1] == STAGES_SHARED_MEMORY)
      memcpy(next, place, size);
    else if (found && size)
      status = step->fetch(step, next, place, size);
    next += size;
  }
  free(found && !status ? *copy : data); // of a wait that comes again the last one counts
  *copy = found && !status ? data : *copy;
  s->bytes += found && !status ? (int64_t)bytes : 0;
  return status;
}

/// The memory that iteration `iteration` writes an output to.
static void *memoryOfOutput(const CheckLaunch *launch, const StitchStep *step, int64_t iteration, int64_t output) {
  int64_t argument = launch->outputs[output];
  for (int64_t i = 0; i < launch->numCarried; ++i)
    if (launch->carried[i].result == output && (launch->iterations - 1 - iteration) % 2 != 0)
      argument = launch->carried[i].other;
  return argument >= 0 && argument < step->numArguments ? step->arguments[argument] : NULL;
}

static StitchStatus keepOutputs(Stages *s, const CheckLaunch *launch, const CheckOptions *options,
                                const StitchStep *step, int64_t iteration, void **copies) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < launch->numOutputs && !status; ++i) {
    void *memory = memoryOfOutput(launch, step, iteration, i);
    size_t bytes = stagesBytes(launch, options, launch->graph.results[i]);
    if (!memory)
      continue;
    if (!copies[i] && !(copies[i] = malloc(bytes + 16)))
      return stitchStatusOutOfMemory();
    status = bytes ? step->fetch(step, copies[i], memory, bytes) : NULL;
    s->bytes += (int64_t)bytes;
  }
  return status;
}

StitchStatus stagesKeep(Stages *s, const CheckLaunch *launch, const CheckOptions *options, const StitchStep *step,
                        const StitchWait *wait) {
  int64_t waits = launch->waits, iteration = waits ? wait->barrier / waits : 0;
  int64_t barrier = waits ? wait->barrier % waits : wait->barrier;
  ++s->waits;
  if (iteration >= launch->iterations || (iteration >= ALWAYS_KEPT && s->bytes >= MOST_BYTES))
    return NULL;
  void **copies = listOf(s, launch, iteration);
  StitchStatus status = copies ? NULL : stitchStatusOutOfMemory();
  for (int64_t i = 0; i < launch->graph.numOps && !status; ++i) {
    const CheckAttribute *passing = checkFindAttribute(&launch->graph.ops[i], "stitch.passing");
    if (passing && passing->count > 2 && passing->values[0] == barrier)
      status = keepOp(s, launch, options, &launch->graph.ops[i], passing, step, wait, &copies[i]);
  }
  if (!status && waits && barrier == waits - 1 && iteration < launch->iterations - 1)
    status = keepOutputs(s, launch, options, step, iteration, copies + launch->graph.numOps);
  return status;
}

void stagesRelease(Stages *s, const CheckLaunch *launch) {
  for (int64_t i = 0; i < s->numIterations; ++i) {
    for (int64_t k = 0; s->copies[i] && k < launch->graph.numOps + launch->numOutputs; ++k)
      free(s->copies[i][k]);
    free(s->copies[i]);
  }
  free(s->copies);
  *s = (Stages){0};
}

void stagesEnd(Stages *s, const CheckLaunch *launch) {
  if (launch->waits && s->waits != launch->waits * launch->iterations)
    stagesRelease(s, launch);
}

bool stagesHave(const Stages *s, int64_t iteration) { return iteration < s->numIterations && s->copies[iteration]; }

void *stagesOfOp(const Stages *s, int64_t iteration, int64_t op) {
  return stagesHave(s, iteration) ? s->copies[iteration][op] : NULL;
}

void *stagesOfOutput(const Stages *s, const CheckLaunch *launch, int64_t iteration, int64_t output) {
  return stagesHave(s, iteration) ? s->copies[iteration][launch->graph.numOps + output] : NULL;
}

//===----------------------------------------------------------------------===//
// Kernels in debug form
//===----------------------------------------------------------------------===//

/// The numbers in `stitch.written` in front of the offsets of an operation's results.
enum { WRITTEN_ARGUMENT, WRITTEN_ITERATIONS, WRITTEN_DISTANCE, WRITTEN_FIXED };

void *stagesWritten(const CheckLaunch *launch, const StitchStep *step, const CheckOp *op, int64_t iteration,
                    int64_t result) {
  const CheckAttribute *written = checkFindAttribute(op, "stitch.written");
  if (!written || written->count != WRITTEN_FIXED + op->numResults ||
      iteration >= written->values[WRITTEN_ITERATIONS] || iteration >= launch->iterations)
    return NULL;
  int64_t argument = written->values[WRITTEN_ARGUMENT];
  if (argument < 0 || argument >= step->numArguments)
    return NULL;
  return (char *)step->arguments[argument] + written->values[WRITTEN_FIXED + result] +
         iteration * written->values[WRITTEN_DISTANCE];
}

bool stagesAreWritten(const CheckLaunch *launch, int64_t iteration) {
  for (int64_t i = 0; i < launch->graph.numOps; ++i) {
    const CheckAttribute *written = checkFindAttribute(&launch->graph.ops[i], "stitch.written");
    if (written && written->count > WRITTEN_FIXED && iteration < written->values[WRITTEN_ITERATIONS])
      return true;
  }
  return false;
}
