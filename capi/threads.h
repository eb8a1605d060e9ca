//===- threads.h - work side by side -------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_CAPI_THREADS_H
#define STITCH_CAPI_THREADS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Calls run(data, i) for each i in [0, count), on the threads of the context, and comes back when all have returned
/// (mlir::parallelFor). Without threads in the context: one after the other, in this order. Diagnostics come in the
/// order of i in both cases.
void stitchRunInThreads(MlirContext context, int count, void (*run)(void *data, int i), void *data);

#ifdef __cplusplus
}
#endif

#endif // STITCH_CAPI_THREADS_H
