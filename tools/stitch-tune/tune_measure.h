//===- tune_measure.h - timing models, one after the other ----------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_TUNE_TUNE_MEASURE_H
#define STITCH_TOOLS_STITCH_TUNE_TUNE_MEASURE_H

#include "runtime/status.h"

typedef struct {
  const char *path; ///< of a model file with one kernel
  double seconds;   ///< the median of its runs; negative: it cannot be timed
} Measurement;

/// Times model files on a device, in their order, `repeat` runs each, on random inputs. A process of its own does it,
/// so that a kernel that breaks it, or never ends, costs no more than itself; the reason goes to standard error.
/// `*interrupted` ends it early. Fails if there is no process to be had.
StitchStatus measureModels(Measurement *models, int count, const char *device, int repeat,
                           const volatile int *interrupted);

/// The compute capability of a GPU, as stitchDeviceArchitecture returns it. A process of its own finds it: a driver
/// that this one had initialised would be of no use in those that it starts.
StitchStatus measureArchitecture(const char *device, int *architecture);

#endif // STITCH_TOOLS_STITCH_TUNE_TUNE_MEASURE_H
