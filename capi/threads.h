//===- threads.h - work side by side -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_THREADS_H
#define STITCH_CAPI_THREADS_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Calls run(data, i) for each i in [0, count), on the threads of the context, and comes back when all have returned
/// (mlir::parallelFor). Without threads in the context: one after the other, in this order. Diagnostics come in the
/// order of i in both cases.
void stitchRunInThreads(MlirContext context, int count, void (*run)(void *data, int i), void *data);

/// Work that goes on while the thread that began it does something else.
typedef struct StitchTask StitchTask;

/// Begins run(data) on a thread of the context; without threads in the context, runs it immediately. Passes that it
/// runs have been prepared (stitchPreparePasses). Diagnostics that come of it are kept.
StitchTask *stitchTaskBegin(MlirContext context, void (*run)(void *data), void *data);

/// Waits for the end of the work, gives its diagnostics, and releases the task.
void stitchTaskFinish(StitchTask *task);

/// Has the context know all dialects and extensions that the passes use: it learns nothing while several threads use
/// it.
void stitchPreparePasses(MlirPassManager passes);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_THREADS_H
