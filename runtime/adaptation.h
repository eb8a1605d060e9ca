//===- adaptation.h - a device's state and the wirer that drives it ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_ADAPTATION_H
#define STITCH_RUNTIME_ADAPTATION_H

#include "runtime/device.h"

/// What chooses the versions of one state of a device.
typedef struct StitchAdaptation StitchAdaptation;

/// `model` and `options` outlive the result; `modelHash` and `sizes`, the values of the model's symbols, are a part of
/// what is measured. Leaves NULL if there is nothing to choose: the model has no adaptive variables, or the device no
/// versions. Fails with STITCH_INVALID_ARGUMENT if the options name what there is not, and as stitchWirerCreate does.
StitchStatus stitchAdaptationCreate(const StitchModelDescriptor *model, uint64_t modelHash, const int64_t *sizes,
                                    const StitchDeviceInterface *device, void *state,
                                    const StitchAdaptiveOptions *options, StitchAdaptation **adaptation);

/// Runs the model once, with whatever versions are next.
StitchStatus stitchAdaptationRun(StitchAdaptation *adaptation, const StitchRunTensors *tensors);

StitchAdaptiveInfo stitchAdaptationInfo(StitchAdaptation *adaptation);
StitchAdaptiveVariable stitchAdaptationVariable(const StitchAdaptation *adaptation, int64_t index);
double stitchAdaptationSeconds(StitchAdaptation *adaptation, int64_t variable, int64_t version);

/// NULL is allowed. Before the state is destroyed, which is not used any more then.
void stitchAdaptationDestroy(StitchAdaptation *adaptation);

#endif // STITCH_RUNTIME_ADAPTATION_H
