//===- cusolver.h - cuSOLVER, opened at run time -------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUSOLVER_H
#define STITCH_RUNTIME_CUDA_CUSOLVER_H

#include "runtime/cuda/cusolver_abi.h"
#include "runtime/status.h"

typedef struct {
  void *library; ///< dlopen's handle
  cusolverDnHandle_t handle;
  cusolverDnParams_t parameters; ///< the standard ones
  int version;                   ///< 1000 * major + 100 * minor + patch
#define CUSOLVER_SYMBOL(name, parameters) cusolverStatus_t(*name) parameters;
#include "runtime/cuda/cusolver_symbols.def"
#undef CUSOLVER_SYMBOL
} StitchCusolver;

/// Opens the library, in `folder` or (NULL) where the system's loader looks, and creates a handle for the current
/// context. Fails with STITCH_NOT_FOUND if it is not there, or one that is older than cuSOLVER 11 or has not all
/// functions. To be closed, also after a failure.
StitchStatus stitchCusolverOpen(const char *folder, StitchCusolver *solver);
void stitchCusolverClose(StitchCusolver *solver);

/// NULL for success, else a status with the call's name, the status' name and its meaning.
StitchStatus stitchCusolverCheck(cusolverStatus_t result, const char *call);

/// CUSOLVER_CALL(solver, cusolverDnCreate, ...) calls a function of the library; the value is its status.
#define CUSOLVER_CALL(solver, function, ...) stitchCusolverCheck((solver)->function(__VA_ARGS__), #function)

#endif // STITCH_RUNTIME_CUDA_CUSOLVER_H
