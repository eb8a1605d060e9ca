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
  const char *deviceName;
  const StitchDeviceInterface *device;
  void *state;
  void **pointers; ///< of the inputs, then of the outputs, during a run
};

static const StitchDeviceInterface *const devices[] = {&stitchSimtDevice, &stitchReferenceDevice, &stitchCudaDevice};
static const char *const deviceNames[] = {"simt", "reference", "cuda", NULL};
enum { NUM_DEVICES = sizeof(devices) / sizeof(devices[0]) };

const char *const *stitchDeviceNames(void) { return deviceNames; }

/// A device's name, or for "cuda" that and a number: "cuda:1".
static bool isDeviceName(const char *text, const char *name) {
  size_t length = strlen(name);
  return strncmp(text, name, length) == 0 &&
         (text[length] == '\0' || (text[length] == ':' && strcmp(name, "cuda") == 0));
}

static StitchStatus findDevice(const char *name, const StitchDeviceInterface **device) {
  for (int i = 0; i < NUM_DEVICES; ++i)
    if (isDeviceName(name, deviceNames[i])) {
      *device = devices[i];
      return NULL;
    }
  return stitchStatusMake(STITCH_NOT_FOUND, "unknown device '%s'; there are simt, reference and cuda", name);
}

StitchStatus stitchDeviceArchitecture(const StitchSessionOptions *options, int *architecture) {
  const StitchDeviceInterface *device = NULL;
  const char *name = options && options->device ? options->device : "simt";
  StitchStatus status = findDevice(name, &device);
  if (!status && !device->architecture)
    status = stitchStatusMake(STITCH_INVALID_ARGUMENT, "it is no GPU");
  if (!status)
    status = device->architecture(options, architecture);
  return stitchStatusAnnotate(status, "device '%s'", name);
}

static const char *nameOf(const StitchDeviceInterface *device) {
  int i = 0;
  while (devices[i] != device)
    ++i;
  return deviceNames[i];
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
  *created = (StitchSession){
      .model = model, .deviceName = nameOf(device), .device = device, .state = state, .pointers = pointers};
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

static bool isInHostMemory(const StitchTensor *tensor) {
  return tensor->memory == 0 || tensor->memory == STITCH_MEMORY_HOST || tensor->memory == STITCH_MEMORY_CUDA_HOST;
}

/// Whether the device can use the tensor where it is.
static StitchStatus checkMemory(const StitchSession *session, const char *what, int64_t index,
                                const StitchTensor *given, const char *name) {
  if (isInHostMemory(given) || (session->device->accepts && session->device->accepts(session->state, given)))
    return NULL;
  return stitchStatusMake(STITCH_INVALID_ARGUMENT,
                          "%s %lld ('%s') is in memory that device '%s' cannot use: DLPack's device (%d, %d)", what,
                          (long long)index, name, session->deviceName, (int)given->memory, (int)given->memoryId);
}

static StitchStatus checkTensor(const StitchSession *session, const char *what, int64_t index,
                                const StitchTensor *given, const char *name, StitchDataType dtype, int32_t rank,
                                const int64_t *dims) {
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
  return checkMemory(session, what, index, given, name);
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
    status = checkTensor(session, "input", i, &inputs[i], info.name, info.dtype, info.rank, info.dims);
  }
  for (int64_t i = 0; !status && i < numOutputs; ++i) {
    StitchOutputInfo info = stitchModelOutput(model, i);
    status = checkTensor(session, "output", i, &outputs[i], info.name, info.dtype, info.rank, info.dims);
  }
  return status;
}

/// Checks the tensors and collects what the device wants to know of them.
static StitchStatus prepareTensors(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                                   const StitchTensor *outputs, int64_t numOutputs, StitchRunTensors *tensors) {
  StitchStatus status = checkTensors(session, inputs, numInputs, outputs, numOutputs);
  if (status)
    return status;
  for (int64_t i = 0; i < numInputs; ++i)
    session->pointers[i] = inputs[i].data;
  for (int64_t i = 0; i < numOutputs; ++i)
    session->pointers[numInputs + i] = outputs[i].data;
  *tensors = (StitchRunTensors){inputs, outputs, session->pointers, session->pointers + numInputs};
  return NULL;
}

StitchStatus stitchSessionRun(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                              const StitchTensor *outputs, int64_t numOutputs) {
  StitchRunTensors tensors;
  StitchStatus status = prepareTensors(session, inputs, numInputs, outputs, numOutputs, &tensors);
  return status ? status : session->device->run(session->state, &tensors);
}

StitchStatus stitchSessionProfile(StitchSession *session, const StitchTensor *inputs, int64_t numInputs,
                                  const StitchTensor *outputs, int64_t numOutputs, StitchProfileStep **steps,
                                  int64_t *numSteps) {
  if (!session->device->profile)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "device '%s' does not measure the steps of a run",
                            session->deviceName);
  StitchRunTensors tensors;
  StitchStatus status = prepareTensors(session, inputs, numInputs, outputs, numOutputs, &tensors);
  return status ? status : session->device->profile(session->state, &tensors, steps, numSteps);
}

StitchStatus stitchSessionSynchronize(StitchSession *session) {
  return session->device->synchronize ? session->device->synchronize(session->state) : NULL;
}

StitchSessionInfo stitchSessionInfo(const StitchSession *session) {
  if (session->device->info)
    return session->device->info(session->state);
  return (StitchSessionInfo){.device = session->deviceName, .details = ""};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void releaseHostBuffer(StitchBuffer *buffer) { free(buffer->data); }

StitchStatus stitchSessionAllocateBuffer(StitchSession *session, size_t bytes, StitchBuffer *buffer) {
  enum { ALIGNMENT = 64 };
  if (session->device->allocate)
    return session->device->allocate(session->state, bytes, buffer);
  void *data = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
  if (!data)
    return stitchStatusOutOfMemory();
  *buffer = (StitchBuffer){.data = data, .memory = STITCH_MEMORY_HOST, .release = releaseHostBuffer};
  return NULL;
}

StitchStatus stitchSessionCopy(StitchSession *session, const StitchTensor *from, const StitchTensor *to) {
  StitchStatus status = checkTensor(session, "tensor", 0, to, "to", from->dtype, from->rank, from->dims);
  if (!status)
    status = checkTensor(session, "tensor", 1, from, "from", from->dtype, from->rank, from->dims);
  if (status)
    return status;
  size_t bytes = stitchTensorBytes(from->dtype, from->rank, from->dims);
  if (bytes == 0)
    return NULL;
  if (!isInHostMemory(from) || !isInHostMemory(to))
    return session->device->copy(session->state, from, to, bytes);
  memcpy(to->data, from->data, bytes);
  return NULL;
}
