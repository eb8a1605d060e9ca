//===- adaptation.h - a device's states and the wirer that drives them ---===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_ADAPTATION_H
#define STITCH_RUNTIME_ADAPTATION_H

#include "runtime/device.h"

/// Chooses the versions of one program in all of its states: all sizes of a bucket have one.
typedef struct StitchExploration StitchExploration;

/// `program` and `options` outlive the result. `modelHash` and the largest values of the program's symbols are a part
/// of the measurements' key. `state` is its first one: the device's own variables in it, and their versions, are those
/// that are explored. Leaves NULL if there is nothing to choose: the model has no adaptive variables, or the device no
/// versions. Fails with STITCH_INVALID_ARGUMENT if the options name an unknown variable or version, and as
/// stitchWirerCreate does.
StitchStatus stitchExplorationCreate(const StitchModelDescriptor *program, uint64_t modelHash,
                                     const StitchDeviceInterface *device, void *state,
                                     const StitchAdaptiveOptions *options, StitchExploration **exploration);
/// NULL is allowed.
void stitchExplorationDestroy(StitchExploration *exploration);

StitchAdaptiveInfo stitchExplorationInfo(StitchExploration *exploration);
StitchAdaptiveVariable stitchExplorationVariable(StitchExploration *exploration, int64_t index);
double stitchExplorationSeconds(StitchExploration *exploration, int64_t variable, int64_t version);

/// The versions of one state of a device.
typedef struct StitchAdaptation StitchAdaptation;

/// `exploration` outlives the result; NULL leaves NULL. A version of the device's own that this state does not have, as
/// libraries propose fewer algorithms for some sizes, is the first one there.
StitchStatus stitchAdaptationCreate(StitchExploration *exploration, void *state, StitchAdaptation **adaptation);

/// Has the state run with the versions of the next run: before it runs otherwise than by stitchAdaptationRun.
void stitchAdaptationConfigure(StitchAdaptation *adaptation);

/// Runs the model once, with whatever versions are next; `values` are those of the program's symbols.
StitchStatus stitchAdaptationRun(StitchAdaptation *adaptation, const int64_t *values, const StitchRunTensors *tensors);

/// NULL is allowed. Before the state is destroyed, which is not used any more then.
void stitchAdaptationDestroy(StitchAdaptation *adaptation);

#endif // STITCH_RUNTIME_ADAPTATION_H
