//===- cufft.h - cuFFT, opened at run time -------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUFFT_H
#define STITCH_RUNTIME_CUDA_CUFFT_H

#include "runtime/cuda/cufft_abi.h"
#include "runtime/status.h"

typedef struct {
  void *library; ///< dlopen's handle
  int version;   ///< 1000 * major + 100 * minor + patch
#define CUFFT_SYMBOL(name, parameters) cufftResult(*name) parameters;
#include "runtime/cuda/cufft_symbols.def"
#undef CUFFT_SYMBOL
} StitchCufft;

/// Opens the library, in `folder` or (NULL) where the system's loader looks. Fails with STITCH_NOT_FOUND if it is not
/// there, or one that is older than cuFFT 11 or has not all functions. To be closed, also after a failure.
StitchStatus stitchCufftOpen(const char *folder, StitchCufft *fft);
void stitchCufftClose(StitchCufft *fft);

/// NULL for success, else a status with the call's name, the result's name and its meaning. STITCH_UNIMPLEMENTED: the
/// library does not have such a transform.
StitchStatus stitchCufftCheck(cufftResult result, const char *call);

/// CUFFT_CALL(fft, cufftCreate, ...) calls a function of the library; the value is its status.
#define CUFFT_CALL(fft, function, ...) stitchCufftCheck((fft)->function(__VA_ARGS__), #function)

#endif // STITCH_RUNTIME_CUDA_CUFFT_H
