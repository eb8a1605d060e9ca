//===- session.c - a model made ready on a device -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device.h"
#include "runtime/tensor.h"

#include <stdlib.h>
#include <string.h>

enum { TENSOR_ALIGNMENT = 16 };

struct StitchSession {
  const StitchModel *model;
  const StitchDeviceInterface *device;
  void *state;
  void **pointers; ///< of the inputs, then of the outputs, during a run
};

static const StitchDeviceInterface *const devices[] = {&stitchSimtDevice, &stitchReferenceDevice};
static const char *const deviceNames[] = {"simt", "reference", NULL};
enum { NUM_DEVICES = sizeof(devices) / sizeof(devices[0]) };

const char *const *stitchDeviceNames(void) { return deviceNames; }

static StitchStatus findDevice(const char *name, const StitchDeviceInterface **device) {
  for (int i = 0; i < NUM_DEVICES; ++i)
    if (strcmp(deviceNames[i], name) == 0) {
      *device = devices[i];
      return NULL;
    }
  return stitchStatusMake(STITCH_NOT_FOUND, "unknown device '%s'; there are simt and reference", name);
}

StitchStatus stitchSessionCreate(const StitchModel *model, const StitchSessionOptions *options,
                                 StitchSession **session) {
  StitchSessionOptions given = options ? *options : (StitchSessionOptions){0};
  const StitchDeviceInterface *device = NULL;
  if (!given.device)
    given.device = "simt";
  StitchStatus status = findDevice(given.device, &device);
  if (status)
    return status;
  const StitchModelDescriptor *descriptor = stitchModelDescriptor(model);
  StitchSession *created = calloc(1, sizeof(*created));
  void **pointers = calloc((size_t)(descriptor->numInputs + descriptor->numOutputs) + 1, sizeof(void *));
  void *state = NULL;
  if (!created || !pointers)
    status = stitchStatusOutOfMemory();
  else
    status = device->create(descriptor, &given, &state);
  if (status) {
    free(created);
    free(pointers);
    return stitchStatusAnnotate(status, "device '%s'", given.device);
  }
  *created = (StitchSession){.model = model, .device = device, .state = state, .pointers = pointers};
  *session = created;
  return NULL;
}

void stitchSessionFree(StitchSession *session) {
  if (!session)
    return;
  session->device->destroy(session->state);
  free(session->pointers);
  free(session);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static StitchStatus checkTensor(const char *what, int64_t index, const StitchTensor *given, const char *name,
                                StitchDataType dtype, int32_t rank, const int64_t *dims) {
  bool same = stitchDataTypesEqual(given->dtype, dtype) && given->rank == rank;
  for (int32_t i = 0; same && i < rank; ++i)
    same = given->dims[i] == dims[i];
  if (!same) {
    char expected[256], got[256];
    stitchFormatTensorType(expected, sizeof(expected), dtype, rank, dims);
    stitchFormatTensorType(got, sizeof(got), given->dtype, given->rank, given->dims);
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "%s %lld ('%s') must be %s, got %s", what, (long long)index, name,
                            expected, got);
  }
  if (!given->data && stitchTensorBytes(dtype, rank, dims) > 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "%s %lld ('%s') has no data", what, (long long)index, name);
  if ((uintptr_t)given->data % TENSOR_ALIGNMENT != 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the data of %s %lld ('%s') is not aligned to %d bytes", what,
                            (long long)index, name, TENSOR_ALIGNMENT);
  return NULL;
}

static StitchStatus checkCount(const char *what, int64_t expected, int64_t got) {
  if (expected == got)
    return NULL;
  return stitchStatusMake(STITCH_INVALID_ARGUMENT, "the model has %lld %s, got %lld", (long long)expected, what,
                          (long long)got);
}

static StitchStatus checkTensors(const StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                                 const StitchTensor *outputs, int64_t numOutputs) {
  const StitchModel *model = session->model;
  StitchStatus status = checkCount("inputs", stitchModelNumInputs(model), numInputs);
  if (!status)
    status = checkCount("outputs", stitchModelNumOutputs(model), numOutputs);
  for (int64_t i = 0; !status && i < numInputs; ++i) {
    StitchInputInfo info = stitchModelInput(model, i);
    status = checkTensor("input", i, &inputs[i], info.name, info.dtype, info.rank, info.dims);
  }
  for (int64_t i = 0; !status && i < numOutputs; ++i) {
    StitchOutputInfo info = stitchModelOutput(model, i);
    status = checkTensor("output", i, &outputs[i], info.name, info.dtype, info.rank, info.dims);
  }
  return status;
}

StitchStatus stitchSessionRun(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                              const StitchTensor *outputs, int64_t numOutputs) {
  StitchStatus status = checkTensors(session, inputs, numInputs, outputs, numOutputs);
  if (status)
    return status;
  for (int64_t i = 0; i < numInputs; ++i)
    session->pointers[i] = inputs[i].data;
  for (int64_t i = 0; i < numOutputs; ++i)
    session->pointers[numInputs + i] = outputs[i].data;
  return session->device->run(session->state, session->pointers, session->pointers + numInputs);
}
