//===- tool_random.h - the same random numbers on every machine -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a counter is encrypted, so any
// element can be computed by itself. The distributions are in docs/random_inputs.md.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_SUPPORT_TOOL_RANDOM_H
#define STITCH_TOOLS_SUPPORT_TOOL_RANDOM_H

#include "runtime/stitch_runtime.h"

typedef struct {
  uint32_t words[4];
} ToolRandomBlock;

/// Philox4x32-10 of a counter under a key.
ToolRandomBlock toolPhilox(ToolRandomBlock counter, uint64_t key);

/// Fills the data of input number `index` with random values for its role. With seeds that draw infinities and NaN so
/// many elements are poisoned as the input says; where that is negative, as many as are rare otherwise.
void toolFillRandom(const StitchInputInfo *input, uint64_t seed, int64_t index, void *data);

/// Multiplies each element of input number `index`, a float tensor, by 1 + r, with r random and uniform in [-delta,
/// delta), another one in each `perturbation`.
void toolPerturb(StitchDataType dtype, uint64_t seed, int perturbation, int64_t index, double delta, int64_t elements,
                 void *data);

#endif // STITCH_TOOLS_SUPPORT_TOOL_RANDOM_H
