//===- variables.c - values that outlive a run ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unit-variables MODEL.so DEVICE
//
// The model is test/lit/runtime/Inputs/variables.mlir. The caller keeps its variables between the runs: an array for
// the value before the run and one for the value behind it, which change places.
//
//===----------------------------------------------------------------------===//

#include "test/unit/session.h"

#include <stdlib.h>

enum { ELEMENTS = 6, RUNS = 9, MAX_BYTES = 64, INPUTS = 5, OUTPUTS = 3 };

static _Alignas(64) unsigned char inputData[INPUTS][MAX_BYTES], outputData[OUTPUTS][MAX_BYTES];

static StitchTensor tensorOf(StitchDataType dtype, int32_t rank, const int64_t *dims, void *data) {
  CHECK(stitchTensorBytes(dtype, rank, dims) <= MAX_BYTES);
  return (StitchTensor){.dtype = dtype, .rank = rank, .dims = dims, .data = data};
}

static void checkSignature(const StitchModel *model) {
  static const struct {
    const char *name;
    int64_t next;
    bool isInitial;
  } expected[INPUTS] = {
      {"x", -1, false}, {"p", -1, false}, {"count", 1, true}, {"average", 2, true}, {"decay", -1, true}};
  CHECK(stitchModelNumInputs(model) == INPUTS && stitchModelNumOutputs(model) == OUTPUTS);
  for (int64_t i = 2; i < INPUTS; ++i) {
    StitchInputInfo info = stitchModelInput(model, i);
    CHECK(strcmp(info.name, expected[i].name) == 0);
    CHECK(info.next == expected[i].next && (info.initial != NULL) == expected[i].isInitial);
  }
  CHECK(stitchModelInput(model, 0).next == -1 && !stitchModelInput(model, 0).initial);
  CHECK(strcmp(stitchModelOutput(model, 1).name, "count") == 0);
  CHECK(strcmp(stitchModelOutput(model, 2).name, "average") == 0);
}

typedef struct {
  const StitchModel *model;
  StitchTensor inputs[INPUTS], outputs[OUTPUTS];
  float average[ELEMENTS]; ///< as it should be
} State;

static State beginningOf(const StitchModel *model) {
  State s = {.model = model, .average = {1.0f, -2.0f, 0.5f, 0.0f, 4.0f, 8.0f}};
  for (int64_t i = 0; i < INPUTS; ++i) {
    StitchInputInfo info = stitchModelInput(model, i);
    s.inputs[i] = tensorOf(info.dtype, info.rank, info.dims, inputData[i]);
    if (info.initial)
      memcpy(s.inputs[i].data, info.initial, stitchTensorBytes(info.dtype, info.rank, info.dims));
  }
  for (int64_t i = 0; i < OUTPUTS; ++i) {
    StitchOutputInfo info = stitchModelOutput(model, i);
    s.outputs[i] = tensorOf(info.dtype, info.rank, info.dims, outputData[i]);
  }
  return s;
}

/// The next values of the variables are those before the next run.
static void exchange(State *s) {
  for (int64_t i = 0; i < INPUTS; ++i) {
    int64_t next = stitchModelInput(s->model, i).next;
    if (next < 0)
      continue;
    void *data = s->inputs[i].data;
    s->inputs[i].data = s->outputs[next].data;
    s->outputs[next].data = data;
  }
}

/// All numbers are short binary fractions, so that the results are exact.
static void runAndCheck(StitchSession *session, State *s, int run) {
  float *x = s->inputs[0].data;
  bool update = run % 2 == 0;
  *(uint8_t *)s->inputs[1].data = update;
  for (int i = 0; i < ELEMENTS; ++i)
    x[i] = (float)((run * 7 + i * 5) % 16) - 8.0f;
  CHECK_OK(stitchSessionRun(session, s->inputs, INPUTS, s->outputs, OUTPUTS));
  CHECK_OK(stitchSessionSynchronize(session));
  for (int i = 0; i < ELEMENTS; ++i) {
    float old = update ? s->average[i] : x[i];
    if (update)
      s->average[i] = 0.5f * s->average[i] + x[i];
    CHECK(((const float *)s->outputs[0].data)[i] == s->average[i] - old);
    CHECK(((const float *)s->outputs[2].data)[i] == s->average[i]);
  }
  CHECK(*(const int32_t *)s->outputs[1].data == 8 + run);
}

int main(int argc, char **argv) {
  StitchModel *model;
  StitchSession *session;
  if (!openSession(argc, argv, &model, &session))
    return 1;
  checkSignature(model);
  State s = beginningOf(model);
  for (int run = 0; run < RUNS; ++run) {
    runAndCheck(session, &s, run);
    exchange(&s);
  }
  stitchSessionFree(session);
  stitchModelFree(model);
  return checkResult();
}
