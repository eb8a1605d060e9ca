//===- tune_kernel.h - tuning one kernel ----------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_STITCH_TUNE_TUNE_KERNEL_H
#define STITCH_TOOLS_STITCH_TUNE_TUNE_KERNEL_H

#include "tools/stitch-tune/tune_options.h"

#include "runtime/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { PATH_BYTES = 4096 };

/// The shared state of all kernels of a model.
typedef struct {
  const TuneOptions *options;
  const char *folder; ///< of everything that is made on the way
  char compiler[PATH_BYTES], runner[PATH_BYTES];
  char target[64]; ///< --target of the device that measures
  const volatile int *interrupted;
} Workshop;

/// The result of tuning a kernel.
typedef struct {
  char *text;                ///< the fastest template; the caller frees it
  double plannedNs, tunedNs; ///< of the plan's own template, and of the fastest
  int numCandidates;         ///< that were timed
  bool isWrong;              ///< some template was fast and wrong, and is not taken
} TunedKernel;

/// Runs stitch-compile with `arguments`, which end with NULL; its diagnostics go to standard error.
StitchStatus runCompiler(const Workshop *workshop, const char *const *arguments);

/// Finds the fastest template of the kernel `key` of the plan in the workshop's folder. With the option `prepare` it
/// only compiles the candidates, and the result has no template; with `measure` they have been compiled.
StitchStatus tuneKernel(const Workshop *workshop, uint64_t key, TunedKernel *result);

#endif // STITCH_TOOLS_STITCH_TUNE_TUNE_KERNEL_H
