//===- run_model.c - run a compiled model on DLPack tensors --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   stitch-compile model.mlir -o model.so
//   cc run_model.c -I PREFIX/include/stitch/runtime -L PREFIX/lib -lstitch_runtime -o run_model
//   ./run_model model.so simt
//
// The inputs come from "another library", as DLPack passes them: here it is a function of this file. Stitch uses them
// where they are, in host memory or on the GPU; the output tensors are made by Stitch and passed on.
//
//===----------------------------------------------------------------------===//

#include "stitch_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Another library's tensors
//===----------------------------------------------------------------------===//

static void deleteTensor(DLManagedTensor *tensor) {
  free(tensor->dl_tensor.data);
  free(tensor);
}

/// A tensor in host memory: floats are 0.5, everything else is 0. NULL without memory.
static DLManagedTensor *makeTensor(const StitchInputInfo *info) {
  size_t bytes = stitchTensorBytes(info->dtype, info->rank, info->dims);
  DLManagedTensor *tensor = calloc(1, sizeof(*tensor));
  void *data = aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (!tensor || !data) {
    free(tensor);
    free(data);
    return NULL;
  }
  memset(data, 0, bytes);
  bool isFloat = info->dtype.code == kDLFloat && info->dtype.bits == 32;
  for (size_t i = 0; isFloat && i < bytes / sizeof(float); ++i)
    ((float *)data)[i] = 0.5f;
  tensor->dl_tensor = (DLTensor){
      .data = data,
      .device = {.device_type = kDLCPU},
      .ndim = info->rank,
      .dtype = {.code = info->dtype.code, .bits = info->dtype.bits, .lanes = 1},
      .shape = (int64_t *)info->dims, // DLPack has no const
  };
  tensor->deleter = deleteTensor;
  return tensor;
}

//===----------------------------------------------------------------------===//
// A run
//===----------------------------------------------------------------------===//

typedef struct {
  int64_t numInputs, numOutputs;
  DLManagedTensor **inputs;           // ours
  DLManagedTensorVersioned **outputs; // Stitch's, until their deleters are called
  StitchTensor *views;                // of inputs, then outputs
} Tensors;

static StitchStatus makeInputs(const StitchModel *model, Tensors *t) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < t->numInputs && !status; ++i) {
    StitchInputInfo info = stitchModelInput(model, i);
    t->inputs[i] = makeTensor(&info);
    status = t->inputs[i] ? stitchTensorFromDLPack(&t->inputs[i]->dl_tensor, &t->views[i]) : stitchStatusOutOfMemory();
  }
  return status;
}

static StitchStatus makeOutputs(StitchSession *session, const StitchModel *model, Tensors *t) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < t->numOutputs && !status; ++i) {
    StitchOutputInfo info = stitchModelOutput(model, i);
    status = stitchSessionAllocate(session, info.dtype, info.rank, info.dims, &t->outputs[i]);
    if (!status)
      status = stitchTensorFromDLPack(&t->outputs[i]->dl_tensor, &t->views[t->numInputs + i]);
  }
  return status;
}

/// Prints the first element of each output, copied to the host if it is elsewhere.
static StitchStatus printOutputs(StitchSession *session, const StitchModel *model, const Tensors *t) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < t->numOutputs && !status; ++i) {
    const StitchTensor *output = &t->views[t->numInputs + i];
    size_t bytes = stitchTensorBytes(output->dtype, output->rank, output->dims);
    StitchTensor host = *output;
    host.memory = STITCH_MEMORY_HOST;
    host.data = aligned_alloc(64, (bytes + 64) / 64 * 64);
    status = host.data ? stitchSessionCopy(session, output, &host) : stitchStatusOutOfMemory();
    if (!status && host.dtype.code == STITCH_TYPE_FLOAT && host.dtype.bits == 32 && bytes)
      printf("%s: %g ...\n", stitchModelOutput(model, i).name, (double)*(const float *)host.data);
    free(host.data);
  }
  return status;
}

static StitchStatus runModel(const StitchModel *model, StitchSession *session, Tensors *t) {
  t->numInputs = stitchModelNumInputs(model);
  t->numOutputs = stitchModelNumOutputs(model);
  t->inputs = calloc((size_t)t->numInputs + 1, sizeof(*t->inputs));
  t->outputs = calloc((size_t)t->numOutputs + 1, sizeof(*t->outputs));
  t->views = calloc((size_t)(t->numInputs + t->numOutputs) + 1, sizeof(*t->views));
  if (!t->inputs || !t->outputs || !t->views)
    return stitchStatusOutOfMemory();
  StitchStatus status = makeInputs(model, t);
  if (!status)
    status = makeOutputs(session, model, t);
  if (!status)
    status = stitchSessionRun(session, t->views, t->numInputs, t->views + t->numInputs, t->numOutputs);
  if (!status)
    status = stitchSessionSynchronize(session);
  return status ? status : printOutputs(session, model, t);
}

/// Tensors that Stitch has made may be deleted after the session.
static void freeTensors(Tensors *t) {
  for (int64_t i = 0; t->inputs && i < t->numInputs; ++i)
    if (t->inputs[i])
      t->inputs[i]->deleter(t->inputs[i]);
  for (int64_t i = 0; t->outputs && i < t->numOutputs; ++i)
    if (t->outputs[i])
      t->outputs[i]->deleter(t->outputs[i]);
  free(t->inputs);
  free(t->outputs);
  free(t->views);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: run_model MODEL.so DEVICE\n");
    return EXIT_FAILURE;
  }
  StitchModel *model = NULL;
  StitchSession *session = NULL;
  Tensors tensors = {0};
  StitchStatus status = stitchModelLoad(argv[1], &model);
  if (!status)
    status = stitchSessionCreate(model, &(StitchSessionOptions){.device = argv[2]}, &session);
  if (!status)
    status = runModel(model, session, &tensors);
  if (!status)
    printf("on %s\n", stitchSessionInfo(session).device);
  stitchSessionFree(session);
  freeTensors(&tensors);
  stitchModelFree(model);
  if (status)
    fprintf(stderr, "run_model: %s\n", stitchStatusMessage(status));
  bool ok = !status;
  stitchStatusFree(status);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
