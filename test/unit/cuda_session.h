//===- cuda_session.h - sessions on a test double of the driver ----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers that the tests of the CUDA runtime share. NO GPU IS INVOLVED: test/cuda_double/double.h lists the checks.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TEST_UNIT_CUDA_SESSION_H
#define STITCH_TEST_UNIT_CUDA_SESSION_H

#include "runtime/stitch_runtime.h"
#include "test/cuda_double/double.h"
#include "test/unit/check.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

/// Of the test double's libraries.
static const char folder[] = STITCH_CUDA_DOUBLE_FOLDER "/all";

static struct {
  StitchDoubleConfigure configure;
  StitchDoubleCalls calls;
  StitchDoubleLive live;
  StitchDoubleSeconds seconds;
  StitchDoubleViolations violations;
  StitchDoubleForgive forgive;
} doubled;

static inline void openDouble(void) {
  void *library = dlopen(STITCH_CUDA_DOUBLE_FOLDER "/all/libcuda.so.1", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  doubled.configure = (StitchDoubleConfigure)dlsym(library, "stitchDoubleConfigure");
  doubled.calls = (StitchDoubleCalls)dlsym(library, "stitchDoubleCalls");
  doubled.live = (StitchDoubleLive)dlsym(library, "stitchDoubleLive");
  doubled.seconds = (StitchDoubleSeconds)dlsym(library, "stitchDoubleSeconds");
  doubled.violations = (StitchDoubleViolations)dlsym(library, "stitchDoubleViolations");
  doubled.forgive = (StitchDoubleForgive)dlsym(library, "stitchDoubleForgive");
}

enum { MAX_TENSORS = 64 };

/// Inputs and outputs of a model in host memory.
typedef struct {
  const StitchModel *model;
  int64_t numInputs, numOutputs;
  StitchTensor inputs[MAX_TENSORS], outputs[MAX_TENSORS], expected[MAX_TENSORS];
} Tensors;

static inline StitchTensor newTensor(StitchDataType dtype, int32_t rank, const int64_t *dims) {
  size_t bytes = stitchTensorBytes(dtype, rank, dims);
  void *data = aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (!data)
    abort();
  memset(data, 0, bytes);
  return (StitchTensor){.dtype = dtype, .rank = rank, .dims = dims, .data = data};
}

/// Floats between -1 and 1; integers stay 0.
static inline void fill(StitchTensor *tensor, unsigned seed) {
  bool isFloat = tensor->dtype.code == STITCH_TYPE_FLOAT && tensor->dtype.bits == 32;
  for (int64_t i = 0; isFloat && i < stitchTensorElements(tensor->rank, tensor->dims); ++i) {
    seed = seed * 1664525u + 1013904223u;
    ((float *)tensor->data)[i] = (float)(seed >> 8) / (float)(1 << 23) - 1.0f;
  }
}

static inline void runReference(Tensors *t) {
  StitchSession *session = NULL;
  CHECK_OK(stitchSessionCreate(t->model, &(StitchSessionOptions){.device = "reference"}, &session));
  CHECK_OK(stitchSessionRun(session, t->inputs, t->numInputs, t->expected, t->numOutputs));
  stitchSessionFree(session);
}

static inline Tensors makeTensors(const StitchModel *model, unsigned seed) {
  Tensors t = {.model = model, .numInputs = stitchModelNumInputs(model), .numOutputs = stitchModelNumOutputs(model)};
  if (t.numInputs > MAX_TENSORS || t.numOutputs > MAX_TENSORS)
    abort();
  for (int64_t i = 0; i < t.numInputs; ++i) {
    StitchInputInfo info = stitchModelInput(model, i);
    t.inputs[i] = newTensor(info.dtype, info.rank, info.dims);
    fill(&t.inputs[i], seed + (unsigned)i);
  }
  for (int64_t i = 0; i < t.numOutputs; ++i) {
    StitchOutputInfo info = stitchModelOutput(model, i);
    t.outputs[i] = newTensor(info.dtype, info.rank, info.dims);
    t.expected[i] = newTensor(info.dtype, info.rank, info.dims);
  }
  runReference(&t);
  return t;
}

static inline void freeTensors(Tensors *t) {
  for (int64_t i = 0; i < t->numInputs; ++i)
    free(t->inputs[i].data);
  for (int64_t i = 0; i < t->numOutputs; ++i) {
    free(t->outputs[i].data);
    free(t->expected[i].data);
  }
}

/// f32 outputs up to rounding, which stitch-run --check bounds exactly.
static inline bool outputsAreRight(const Tensors *t) {
  for (int64_t i = 0; i < t->numOutputs; ++i) {
    const float *got = t->outputs[i].data, *expected = t->expected[i].data;
    for (int64_t e = 0; e < stitchTensorElements(t->outputs[i].rank, t->outputs[i].dims); ++e)
      if (!(fabsf(got[e] - expected[e]) <= 1e-3f * (1.0f + fabsf(expected[e]))))
        return false;
  }
  return true;
}

static inline void clearOutputs(Tensors *t) {
  for (int64_t i = 0; i < t->numOutputs; ++i)
    memset(t->outputs[i].data, 0xff, stitchTensorBytes(t->outputs[i].dtype, t->outputs[i].rank, t->outputs[i].dims));
}

static inline StitchStatus createSession(const StitchModel *model, StitchCudaOptions options, StitchSession **session) {
  options.libraries = options.libraries ? options.libraries : folder;
  return stitchSessionCreate(model, &(StitchSessionOptions){.device = "cuda", .cuda = options}, session);
}

static inline StitchStatus runOnHostTensors(StitchSession *session, Tensors *t) {
  clearOutputs(t);
  return stitchSessionRun(session, t->inputs, t->numInputs, t->outputs, t->numOutputs);
}

/// Nothing is left and nothing forbidden has been done.
#define CHECK_CLEAN() CHECK(doubled.live() == 0 && doubled.violations() == 0)

/// Tensors in the session's memory.
typedef struct {
  DLManagedTensorVersioned *managed[2 * MAX_TENSORS];
  StitchTensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];
} DeviceTensors;

static inline StitchTensor moveTensor(StitchSession *session, const StitchTensor *host,
                                      DLManagedTensorVersioned **managed) {
  StitchTensor tensor = {.rank = 0};
  CHECK_OK(stitchSessionAllocate(session, host->dtype, host->rank, host->dims, managed));
  CHECK_OK(stitchTensorFromDLPack(&(*managed)->dl_tensor, &tensor));
  CHECK(tensor.memory == STITCH_MEMORY_CUDA);
  CHECK_OK(stitchSessionCopy(session, host, &tensor));
  return tensor;
}

static inline void moveTensors(StitchSession *session, const Tensors *t, DeviceTensors *d) {
  for (int64_t i = 0; i < t->numInputs; ++i)
    d->inputs[i] = moveTensor(session, &t->inputs[i], &d->managed[i]);
  for (int64_t i = 0; i < t->numOutputs; ++i)
    d->outputs[i] = moveTensor(session, &t->outputs[i], &d->managed[t->numInputs + i]);
}

static inline void freeDeviceTensors(const Tensors *t, DeviceTensors *d) {
  for (int64_t i = 0; i < t->numInputs + t->numOutputs; ++i)
    d->managed[i]->deleter(d->managed[i]);
}

static inline void checkDeviceOutputs(StitchSession *session, Tensors *t, const DeviceTensors *d) {
  clearOutputs(t);
  for (int64_t i = 0; i < t->numOutputs; ++i)
    CHECK_OK(stitchSessionCopy(session, &d->outputs[i], &t->outputs[i]));
  CHECK(outputsAreRight(t));
}

/// A session's whole life: three runs, the first step by step, the others as a graph, with host tensors.
static inline StitchStatus live(const StitchModel *model, StitchCudaOptions options, Tensors *t) {
  StitchSession *session = NULL;
  StitchStatus status = createSession(model, options, &session);
  for (int run = 0; run < 3 && !status; ++run)
    status = runOnHostTensors(session, t);
  stitchSessionFree(session);
  return status;
}

/// Makes a session and explores until all is known; the index may be NULL. Every run is right, but for the roundings of
/// TF32.
static inline StitchStatus explore(const StitchModel *model, StitchCudaOptions cuda, const char *index, Tensors *t,
                                   StitchSession **session) {
  cuda.libraries = folder;
  StitchSessionOptions options = {.device = "cuda", .cuda = cuda, .adaptive = {.explore = true, .profileIndex = index}};
  StitchStatus status = stitchSessionCreate(model, &options, session);
  for (int run = 0; !status && run < 200 && stitchSessionAdaptive(*session).remaining; ++run) {
    status = runOnHostTensors(*session, t);
    CHECK(status || cuda.tf32 || outputsAreRight(t));
  }
  return status;
}

#endif // STITCH_TEST_UNIT_CUDA_SESSION_H
