//===- cuda_measure.c - how long adaptive variables take ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a program and its streams. Runs the steps one by one with CUDA events around adaptive variables and epochs,
// waits, and adds the times to the spans (runtime/wirer/spans.h). Source: Astra 5.2.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_measure.h"
#include "runtime/seconds.h"

#include <stdlib.h>

/// Events of one moment: on each stream in use where an epoch begins or ends, else on that of the step.
typedef struct {
  int64_t first, count; ///< events
} Mark;

/// One execution of a variable's part: its two marks, and whether it lies in no other variable's.
typedef struct {
  int64_t variable;
  Mark begin, end;
  bool isOutermost;
} MarkPair;

/// Astra 5.2: pairs of events around variable parts; the first and the last event are around the run.
typedef struct {
  StitchCudaProgram *program;
  CUevent *events;
  int64_t count, capacity;
  MarkPair *pairs;
  int64_t numPairs, pairCapacity;
  Mark *begins;  ///< of each variable, where it began last
  bool *isEpoch; ///< of each variable: it decides on streams
  StitchSpans *spans;
} VariableMeasurement;

static StitchStatus growArray(void **array, int64_t count, int64_t *capacity, size_t size) {
  if (count < *capacity)
    return NULL;
  int64_t larger = *capacity ? 2 * *capacity : 64;
  void *grown = realloc(*array, (size_t)larger * size);
  if (!grown)
    return stitchStatusOutOfMemory();
  *array = grown;
  *capacity = larger;
  return NULL;
}

static void noteMarking(StitchSpans *spans, double begin) {
  if (spans->timesMarks)
    spans->marking += secondsNow() - begin;
}

static StitchStatus record(VariableMeasurement *m, CUstream stream) {
  StitchCuda *cuda = m->program->cuda;
  double begin = secondsNow();
  StitchStatus status = growArray((void **)&m->events, m->count, &m->capacity, sizeof(*m->events));
  if (!status)
    status = CUDA_CALL(cuda, cuEventCreate, &m->events[m->count], CU_EVENT_DEFAULT);
  if (!status)
    status = CUDA_CALL(cuda, cuEventRecord, m->events[m->count++], stream);
  noteMarking(m->spans, begin);
  return status;
}

/// Where the work is that has been enqueued so far.
static StitchStatus recordMark(VariableMeasurement *m, bool isEpoch, Mark *mark) {
  const StitchCudaStreams *streams = m->program->streams;
  StitchStatus status = NULL;
  mark->first = m->count;
  for (int64_t i = 0; i < streams->count && isEpoch && !status; ++i)
    if (stitchCudaStreamsIsUsed(streams, i))
      status = record(m, streams->streams[i]);
  if (!isEpoch)
    status = record(m, stitchCudaProgramStream(m->program));
  mark->count = m->count - mark->first;
  return status;
}

static StitchStatus measureLaunch(void *data, const StitchCudaLaunch *launch) {
  VariableMeasurement *m = data;
  stitchCudaModuleForget(m->program->module); // its time begins when the launch before has ended
  return stitchCudaProgramLaunch(m->program, launch, stitchCudaProgramStream(m->program));
}

static StitchStatus measureRead(void *data, void *host, const void *device, size_t bytes) {
  VariableMeasurement *m = data;
  return stitchCudaProgramRead(m->program, host, device, bytes, stitchCudaProgramStream(m->program));
}

static StitchStatus measureMark(void *data, int64_t variable, bool begins) {
  VariableMeasurement *m = data;
  if (begins)
    return stitchSpansBegin(m->spans, variable) ? recordMark(m, m->isEpoch[variable], &m->begins[variable]) : NULL;
  if (!m->spans->open[variable])
    return NULL;
  StitchStatus status = growArray((void **)&m->pairs, m->numPairs, &m->pairCapacity, sizeof(*m->pairs));
  MarkPair pair = {variable, m->begins[variable], {0}, stitchSpansEnd(m->spans, variable)};
  if (!status)
    status = recordMark(m, m->isEpoch[variable], &pair.end);
  if (!status)
    m->pairs[m->numPairs++] = pair;
  return status;
}

static StitchStatus measureCall(void *data, int64_t call, void *const *pointers) {
  VariableMeasurement *m = data;
  StitchCudaProgram *p = m->program;
  int64_t own = stitchCudaLibraryVariableOf(p->library, call), variable = own + p->model->numAdaptive;
  StitchStatus status = own < 0 ? NULL : measureMark(m, variable, /*begins=*/true);
  if (!status)
    status = stitchCudaProgramCall(p, call, pointers, stitchCudaProgramStream(p));
  return status || own < 0 ? status : measureMark(m, variable, /*begins=*/false);
}

/// From the beginning of the run.
static StitchStatus elapsed(const VariableMeasurement *m, Mark mark, double *seconds) {
  StitchStatus status = NULL;
  *seconds = 0;
  for (int64_t i = mark.first; i < mark.first + mark.count && !status; ++i) {
    float milliseconds = 0.0f;
    status = CUDA_CALL(m->program->cuda, cuEventElapsedTime, &milliseconds, m->events[0], m->events[i]);
    *seconds = 1e-3 * (double)milliseconds > *seconds ? 1e-3 * (double)milliseconds : *seconds;
  }
  return status;
}

/// Of an epoch: the delay of the end of all streams by it, after the end of the steps before it.
static StitchStatus readTimes(const VariableMeasurement *m, CUstream stream, double *total) {
  StitchStatus status = CUDA_CALL(m->program->cuda, cuStreamSynchronize, stream);
  double done = secondsNow();
  for (int64_t i = 0; i < m->numPairs && !status; ++i) {
    const MarkPair *pair = &m->pairs[i];
    double begin = 0, end = 0;
    status = elapsed(m, pair->begin, &begin);
    if (!status)
      status = elapsed(m, pair->end, &end);
    stitchSpansAdd(m->spans, pair->variable, pair->isOutermost, end - begin);
  }
  if (!status)
    status = elapsed(m, (Mark){m->count - 1, 1}, total);
  noteMarking(m->spans, done);
  return status;
}

static void findEpochs(VariableMeasurement *m) {
  const StitchModelDescriptor *model = m->program->model;
  for (int64_t i = 0; i < model->numSteps; ++i)
    if (model->steps[i].variable >= 0)
      m->isEpoch[model->steps[i].variable] = true;
}

StitchStatus stitchCudaMeasure(StitchCudaProgram *program, CUstream stream, void *const *inputs, void *const *outputs,
                               StitchSpans *spans, double *total) {
  VariableMeasurement m = {.program = program, .spans = spans};
  StitchCudaVisitor visitor = {&m, measureLaunch, measureCall, measureRead, NULL, measureMark, stream};
  m.begins = calloc((size_t)spans->numVariables + 1, sizeof(*m.begins));
  m.isEpoch = calloc((size_t)spans->numVariables + 1, sizeof(*m.isEpoch));
  StitchStatus status = m.begins && m.isEpoch ? record(&m, stream) : stitchStatusOutOfMemory();
  if (!status)
    status = stitchCudaLibraryEnqueueBegin(program->library, stream);
  if (!status)
    findEpochs(&m);
  if (!status)
    status = stitchCudaProgramVisit(program, &visitor, inputs, outputs);
  if (!status)
    status = record(&m, stream);
  if (!status)
    status = readTimes(&m, stream, total);
  double done = secondsNow();
  for (int64_t i = 0; i < m.count; ++i)
    program->cuda->driver.cuEventDestroy(m.events[i]);
  noteMarking(spans, done);
  free(m.events);
  free(m.pairs);
  free(m.begins);
  free(m.isEpoch);
  return status;
}
