//===- device.h - what a device is to a session ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_DEVICE_H
#define STITCH_RUNTIME_DEVICE_H

#include "runtime/model.h"
#include "runtime/stitch_runtime.h"

/// One way to run models. `state` is whatever the device keeps for a session.
typedef struct {
  /// Fails with STITCH_FAILED_PRECONDITION if the model has no code for the device. The descriptor outlives the state.
  StitchStatus (*create)(const StitchModelDescriptor *model, const StitchSessionOptions *options, void **state);
  /// The pointers are host memory of the right sizes, aligned to 16 bytes.
  StitchStatus (*run)(void *state, void *const *inputs, void *const *outputs);
  void (*destroy)(void *state);
} StitchDeviceInterface;

extern const StitchDeviceInterface stitchSimtDevice;
extern const StitchDeviceInterface stitchReferenceDevice;

/// The descriptor of an open model.
const StitchModelDescriptor *stitchModelDescriptor(const StitchModel *model);

#endif // STITCH_RUNTIME_DEVICE_H
