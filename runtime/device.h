//===- device.h - the interface of devices --------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_DEVICE_H
#define STITCH_RUNTIME_DEVICE_H

#include "runtime/model.h"
#include "runtime/observer.h"
#include "runtime/stitch_runtime.h"
#include "runtime/wirer/spans.h"

/// The tensors of a run, which have been checked.
typedef struct {
  const StitchTensor *inputs, *outputs;
  void *const *inputData, *const *outputData; ///< their data
} StitchRunTensors;

/// Memory that a tensor lives in, for longer than its session if need be.
typedef struct StitchTensorMemory {
  void *data;
  int32_t memory, memoryId; ///< as in StitchTensor
  void *owner;              ///< the argument of `release`
  void (*release)(struct StitchTensorMemory *buffer);
} StitchTensorMemory;

/// One way to run models. `state` is whatever the device keeps for a program of a session, `shared` for all of them.
/// Functions that are NULL: programs share nothing; all tensors are in host memory; runs are finished when they return;
/// nothing is measured; there is nothing to say.
typedef struct {
  /// Joins the processes of a model for several, which have to agree on the program with that hash. NULL: in the world
  /// of MPI.
  StitchStatus (*join)(const StitchSessionOptions *options, int64_t processes, uint64_t program);
  /// Fails with STITCH_FAILED_PRECONDITION if the model has no code for the device. The descriptor, with those of all
  /// programs, outlives the result. options->device is the device's name, and may be followed by ":N".
  StitchStatus (*open)(const StitchModelDescriptor *model, const StitchSessionOptions *options, void **shared);
  void (*close)(void *shared);
  /// The same of a program, whose descriptor outlives the state; so does `shared`. Runs of a session's programs follow
  /// each other.
  StitchStatus (*create)(void *shared, const StitchModelDescriptor *program, const StitchSessionOptions *options,
                         void **state);
  /// The data are of the right sizes, aligned to 16 bytes, and in memory that the device accepts.
  StitchStatus (*run)(void *state, const StitchRunTensors *tensors);
  void (*destroy)(void *state);
  /// Whether the device can use a tensor that is not in host memory.
  bool (*accepts)(const void *state, const StitchTensor *tensor);
  StitchStatus (*synchronize)(void *state);
  StitchStatus (*profile)(void *state, const StitchRunTensors *tensors, StitchProfileStep **steps, int64_t *numSteps);
  StitchStatus (*observe)(void *state, const StitchRunTensors *tensors, const StitchObserver *observer);
  StitchSessionInfo (*info)(const void *state);
  /// Adaptive variables of the device's own, which count behind those of the model: which algorithm computes a library
  /// call. There are some where options->adaptive explores or gives versions. They live as long as the state. NULL: it
  /// has none.
  void (*variables)(const void *state, const StitchModelAdaptive **variables, int64_t *count);
  /// The versions of adaptive variables in runs from now on; lives as long as the state. NULL: the device has none, and
  /// does not choose among those of the model.
  void (*configure)(void *state, const int64_t *versions);
  /// Runs as `run` does, waits for it, and says how long adaptive variables took, and the whole run. A negative
  /// `total`: this run could not be measured.
  StitchStatus (*measure)(void *state, const StitchRunTensors *tensors, StitchSpans *spans, double *total);
  /// The conditions of such times, as a text: the device and the versions of its driver and libraries.
  void (*identify)(const void *state, char *text, size_t size);
  /// The architecture, as stitchDeviceArchitecture; NULL: it is no GPU.
  StitchStatus (*architecture)(const StitchSessionOptions *options, int *architecture);
  /// New memory, aligned to 64 bytes at least; NULL: host memory.
  StitchStatus (*allocate)(void *state, size_t bytes, StitchTensorMemory *buffer);
  /// Copies between tensors of equal sizes of which at least one is not in host memory.
  StitchStatus (*copy)(void *state, const StitchTensor *from, const StitchTensor *to, size_t bytes);
} StitchDeviceInterface;

extern const StitchDeviceInterface stitchSimtDevice;
extern const StitchDeviceInterface stitchReferenceDevice;
extern const StitchDeviceInterface stitchCudaDevice;

/// Memory where the session runs.
StitchStatus stitchSessionAllocateBuffer(StitchSession *session, size_t bytes, StitchTensorMemory *buffer);

/// The hash of a model file: the same file, the same hash.
uint64_t stitchModelHash(const StitchModel *model);

/// The descriptor of an open model.
const StitchModelDescriptor *stitchModelDescriptor(const StitchModel *model);

#endif // STITCH_RUNTIME_DEVICE_H
