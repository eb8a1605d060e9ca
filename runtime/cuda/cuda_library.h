//===- cuda_library.h - a model's library calls on a GPU ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUDA_LIBRARY_H
#define STITCH_RUNTIME_CUDA_CUDA_LIBRARY_H

#include "runtime/cuda/communicators.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/windows.h"
#include "runtime/library/cpu_library.h"
#include "runtime/wirer/wirer_space.h"

typedef struct {
  const char *folder;                 ///< of the libraries; NULL: where the system's loader looks
  bool tf32;                          ///< products of f32 may round their operands to TF32
  StitchCommunicators *communicators; ///< of the processes of a model for several, borrowed; NULL: it is for one
  bool alternatives; ///< calls have several versions, where the library has several ways to compute them
} StitchCudaLibraryOptions;

/// Everything that a table of problems needs: plans are made once, and calls only enqueue. Not thread-safe.
typedef struct StitchCudaLibrary StitchCudaLibrary;

/// Opens the libraries that the problems need and plans each problem. Copies the problems. The context must be current,
/// here and below.
StitchStatus stitchCudaLibraryCreate(StitchCuda *cuda, const StitchLibraryProblem *problems, int64_t count,
                                     const StitchCudaLibraryOptions *options, StitchCudaLibrary **library);

/// Device memory that calls need, in bytes, and the address that it has been given, aligned to 256.
size_t stitchCudaLibraryWorkspaceBytes(const StitchCudaLibrary *library);
void stitchCudaLibrarySetWorkspace(StitchCudaLibrary *library, void *workspace);

/// The arena has windows, which live as long; NULL: it has none.
void stitchCudaLibrarySetWindows(StitchCudaLibrary *library, const StitchCudaWindows *windows);
/// Whether memory is that of another process.
bool stitchCudaLibraryIsOfOthers(const StitchCudaLibrary *library, const void *memory);

/// A run begins.
void stitchCudaLibraryBeginRun(StitchCudaLibrary *library);
/// Enqueues what has to come before all steps of a run: with windows, the others have ended the run before.
StitchStatus stitchCudaLibraryEnqueueBegin(StitchCudaLibrary *library, CUstream stream);

/// Enqueues problem `index`; `pointers` are its operands in device memory.
StitchStatus stitchCudaLibraryCall(StitchCudaLibrary *library, int64_t index, void *const *pointers, CUstream stream);

/// Whether calls of problem `index` may be captured into a graph.
bool stitchCudaLibraryCanBeCaptured(const StitchCudaLibrary *library, int64_t index);

/// "cuBLASLt 13.0.1, no cuFFT": those that are used, and those that the runtime's own kernels stand in
/// for; "" if no problem needs a library.
const char *stitchCudaLibraryNames(const StitchCudaLibrary *library);

/// The name of problem `index` in profiles: "dot_0", "fft_1 (own kernels)". Borrowed.
const char *stitchCudaLibraryCallName(const StitchCudaLibrary *library, int64_t index);

/// The problems that have alternatives, as adaptive variables. Borrowed.
const StitchModelAdaptive *stitchCudaLibraryVariables(const StitchCudaLibrary *library, int64_t *count);

/// Which of these problem `index` is; -1: none.
int64_t stitchCudaLibraryVariableOf(const StitchCudaLibrary *library, int64_t index);

/// The versions of all of them for calls from now on.
void stitchCudaLibraryUse(StitchCudaLibrary *library, const int64_t *versions);

void stitchCudaLibraryFree(StitchCudaLibrary *library);

#endif // STITCH_RUNTIME_CUDA_CUDA_LIBRARY_H
