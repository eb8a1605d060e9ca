//===- launch_once.h - launches of programs that have no session ---------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_SIMT_LAUNCH_ONCE_H
#define STITCH_RUNTIME_SIMT_LAUNCH_ONCE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs a kernel of gpu-to-simt (a StitchSimtKernel) on the calling thread, for the calls that convert-launches-to-simt
/// makes. `sizes`: blocks, threads of each, bytes of dynamic shared memory, and whether all blocks are resident.
/// `arguments`: a data pointer for each argument of the kernel, aligned to STITCH_SIMT_ARGUMENT_ALIGNMENT. Where the
/// kernel fails, says why on the standard error output and ends the program with status 1.
void stitchSimtLaunchOnce(const char *name, void *kernel, const int64_t sizes[4], void *const *arguments,
                          int64_t numArguments);

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_SIMT_LAUNCH_ONCE_H
