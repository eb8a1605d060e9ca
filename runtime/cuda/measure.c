//===- measure.c - how long adaptive variables take ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/measure.h"

#include <stdlib.h>

/// What an event ends: a variable, or (-1) nothing; which event began it, and whether it is a part of no other.
typedef struct {
  int64_t variable, begin;
  bool isOutermost;
} Pair;

static const Pair noPair = {-1, -1, false};

/// Astra 5.2: pairs of events around what varies; the first and the last one are around the run.
typedef struct {
  StitchCudaProgram *program;
  CUstream stream;
  CUevent *events;
  Pair *pairs; ///< of each event
  int64_t count, capacity;
  int64_t *begins; ///< of each variable, the event that began it last
  StitchSpans *spans;
} Measurement;

static StitchStatus reserve(Measurement *m) {
  if (m->count < m->capacity)
    return NULL;
  int64_t capacity = m->capacity ? 2 * m->capacity : 64;
  CUevent *events = realloc(m->events, (size_t)capacity * sizeof(CUevent));
  if (events)
    m->events = events;
  Pair *pairs = realloc(m->pairs, (size_t)capacity * sizeof(*pairs));
  if (pairs)
    m->pairs = pairs;
  if (!events || !pairs)
    return stitchStatusOutOfMemory();
  m->capacity = capacity;
  return NULL;
}

static StitchStatus record(Measurement *m, Pair pair) {
  StitchCuda *cuda = m->program->cuda;
  StitchStatus status = reserve(m);
  if (!status)
    status = CUDA_CALL(cuda, cuEventCreate, &m->events[m->count], CU_EVENT_DEFAULT);
  if (status)
    return status;
  m->pairs[m->count] = pair;
  return CUDA_CALL(cuda, cuEventRecord, m->events[m->count++], m->stream);
}

static StitchStatus measureLaunch(void *data, const StitchCudaLaunch *launch) {
  Measurement *m = data;
  return stitchCudaProgramLaunch(m->program, launch, m->stream);
}

static StitchStatus measureRead(void *data, void *host, const void *device, size_t bytes) {
  Measurement *m = data;
  return stitchCudaProgramRead(m->program, host, device, bytes, m->stream);
}

static StitchStatus measureMark(void *data, int64_t variable, bool begins) {
  Measurement *m = data;
  if (!begins)
    return record(m, (Pair){variable, m->begins[variable], stitchSpansEnd(m->spans, variable)});
  stitchSpansBegin(m->spans, variable);
  m->begins[variable] = m->count;
  return record(m, noPair);
}

static StitchStatus measureCall(void *data, int64_t call, void *const *pointers) {
  Measurement *m = data;
  StitchCudaProgram *p = m->program;
  int64_t own = stitchCudaLibraryVariableOf(p->library, call), variable = own + p->model->numAdaptive;
  StitchStatus status = own < 0 ? NULL : measureMark(m, variable, /*begins=*/true);
  if (!status)
    status = stitchCudaProgramCall(p, call, pointers, m->stream);
  return status || own < 0 ? status : measureMark(m, variable, /*begins=*/false);
}

static StitchStatus elapsed(const Measurement *m, int64_t from, int64_t to, double *seconds) {
  float milliseconds = 0.0f;
  StitchStatus status = CUDA_CALL(m->program->cuda, cuEventElapsedTime, &milliseconds, m->events[from], m->events[to]);
  *seconds = 1e-3 * (double)milliseconds;
  return status;
}

static StitchStatus readTimes(const Measurement *m, double *total) {
  StitchStatus status = CUDA_CALL(m->program->cuda, cuStreamSynchronize, m->stream);
  for (int64_t i = 1; i < m->count && !status; ++i) {
    double time = 0;
    if (m->pairs[i].variable < 0)
      continue;
    status = elapsed(m, m->pairs[i].begin, i, &time);
    stitchSpansAdd(m->spans, m->pairs[i].variable, m->pairs[i].isOutermost, time);
  }
  return status ? status : elapsed(m, 0, m->count - 1, total);
}

StitchStatus stitchCudaMeasure(StitchCudaProgram *program, CUstream stream, void *const *inputs, void *const *outputs,
                               StitchSpans *spans, double *total) {
  Measurement m = {.program = program, .stream = stream, .spans = spans};
  StitchCudaVisitor visitor = {&m, measureLaunch, measureCall, measureRead, NULL, measureMark};
  m.begins = calloc((size_t)spans->numVariables + 1, sizeof(*m.begins));
  StitchStatus status = m.begins ? record(&m, noPair) : stitchStatusOutOfMemory();
  if (!status)
    status = stitchCudaProgramVisit(program, &visitor, inputs, outputs);
  if (!status)
    status = record(&m, noPair);
  if (!status)
    status = readTimes(&m, total);
  for (int64_t i = 0; i < m.count; ++i)
    program->cuda->driver.cuEventDestroy(m.events[i]);
  free(m.events);
  free(m.pairs);
  free(m.begins);
  return status;
}
