//===- check_stages.h - intermediate values of a running kernel -----------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the blocks of a kernel wait for each other, values are copied whose memory is used again later. These are
// values in scratch and shared memory, and values carried by a loop inside the kernel. Each stage and iteration is
// checked on them (docs/error_bounds.md, section 1).
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_TOOLS_CHECK_CHECK_STAGES_H
#define STITCH_TOOLS_CHECK_CHECK_STAGES_H

#include "runtime/observer.h"
#include "tools/check/check_evaluate.h"
#include "tools/check/check_graph.h"

/// The argument that `stitch.passing` has for the shared memory of the grid's only block.
enum { STAGES_SHARED_MEMORY = -2 };

/// Copies of one launch; all zeros: none. To be released with stagesRelease.
typedef struct {
  int64_t waits;         ///< that have been seen
  int64_t bytes;         ///< of all copies
  int64_t numIterations; ///< that have a list
  void ***copies;        ///< by iteration: by operation of the graph, then by output; NULL: there is none
} Stages;

/// Copies the memory at a wait. From the 17th iteration on only while all copies take less than a GiB.
StitchStatus stagesKeep(Stages *stages, const CheckLaunch *launch, const CheckOptions *options, const StitchStep *step,
                        const StitchWait *wait);
void stagesRelease(Stages *stages, const CheckLaunch *launch);

/// Forgets all copies if the kernel has not waited as often as its graph says, which they are of no use without.
void stagesEnd(Stages *stages, const CheckLaunch *launch);

/// Whether there are copies of an iteration that is not the last, and whether a kernel in debug form has written it
/// out.
bool stagesHave(const Stages *stages, int64_t iteration);
bool stagesAreWritten(const CheckLaunch *launch, int64_t iteration);
/// The copies of the results of operation `op`, one after the other, or of an output, in host memory; NULL: none.
void *stagesOfOp(const Stages *stages, int64_t iteration, int64_t op);
void *stagesOfOutput(const Stages *stages, const CheckLaunch *launch, int64_t iteration, int64_t output);

/// Where a kernel in debug form has written a result of an operation out, in the memory where the session runs; NULL:
/// it has not.
void *stagesWritten(const CheckLaunch *launch, const StitchStep *step, const CheckOp *op, int64_t iteration,
                    int64_t result);

/// Bytes of a value of the graph.
size_t stagesBytes(const CheckLaunch *launch, const CheckOptions *options, int64_t value);

#endif // STITCH_TOOLS_CHECK_CHECK_STAGES_H
