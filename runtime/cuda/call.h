//===- call.h - kinds of library calls on a GPU ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kind of library call is a StitchCudaCallKind in a file of its own and an entry in the table of cuda_library.c. The
// vendor's library behind it is a table of functions in another (cublaslt.h, cudnn.h), which the first call that needs
// it opens.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CALL_H
#define STITCH_RUNTIME_CUDA_CALL_H

#include "runtime/cuda/communicators.h"
#include "runtime/cuda/cublas.h"
#include "runtime/cuda/cublaslt.h"
#include "runtime/cuda/cudnn.h"
#include "runtime/cuda/cufft.h"
#include "runtime/cuda/cusolver.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/own_kernels.h"
#include "runtime/cuda/ticks.h"
#include "runtime/cuda/windows.h"
#include "runtime/library/cpu_library.h"

/// A library that has been looked for in vain.
typedef struct {
  bool isMissing;
  char why[128]; ///< it is of no use; "": there is none
} StitchCudaMissing;

/// State that all calls of a session share; owned by its StitchCudaLibrary.
typedef struct {
  StitchCuda *cuda;
  const char *folder;  ///< of the libraries; NULL: where the system's loader looks
  bool tf32;           ///< products of f32 may round their operands to TF32
  bool alternatives;   ///< calls have several versions, where the library has several ways to compute them
  StitchCublasLt blas; ///< opened by stitchCudaCallsOpenBlas
  StitchCudnn dnn;     ///< opened by stitchCudaCallsOpenDnn
  // Libraries that calls can do without; after stitchCudaCallsFind..., `library` of one that is not there is NULL.
  StitchCufft fft;
  StitchCusolver solver;
  StitchCublas cublas;
  StitchCudaMissing noFft, noSolver, noCublas;
  StitchOwnKernels kernels;
  StitchCommunicators *communicators; ///< of several processes, borrowed; NULL: there is one
  StitchTicks ticks;                  ///< then
  const StitchCudaWindows *windows;   ///< of the program's arena, borrowed; NULL: calls copy
  int64_t index;                      ///< of the call that is planned
  const char *name;                   ///< it is called
} StitchCudaCalls;

/// Opens a library for the current context unless it is open.
StitchStatus stitchCudaCallsOpenBlas(StitchCudaCalls *calls);
StitchStatus stitchCudaCallsOpenDnn(StitchCudaCalls *calls);

/// The same for libraries that calls can do without: one that is not there is no failure, and its `library` is NULL.
StitchStatus stitchCudaCallsFindFft(StitchCudaCalls *calls);
StitchStatus stitchCudaCallsFindSolver(StitchCudaCalls *calls);
StitchStatus stitchCudaCallsFindCublas(StitchCudaCalls *calls);

enum { STITCH_CUDA_NAMES = 512 };

/// "cuBLASLt 13.0.1, no cuFFT": the libraries that are open, and those that have been looked for in vain.
void stitchCudaCallsNames(const StitchCudaCalls *calls, char names[STITCH_CUDA_NAMES]);

/// Closes all libraries.
void stitchCudaCallsClose(StitchCudaCalls *calls);

/// Bytes of an array in the workspace, rounded up to where another one may begin.
static inline size_t stitchCudaAligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

/// A kind of library call. Functions are called with the session's context current.
typedef struct {
  const char *name; ///< calls are called NAME_0, NAME_1, ... in profiles
  /// Plans a problem, which is copied, once for all its calls; keeps `calls`.
  StitchStatus (*create)(StitchCudaCalls *calls, const StitchLibraryProblem *problem, void **call);
  /// Device memory that an execution needs, in bytes; a multiple of 256.
  size_t (*workspaceBytes)(const void *call);
  /// Enqueues it. `pointers` are the problem's operands; `workspace` is aligned to 256.
  StitchStatus (*execute)(void *call, void *const *pointers, void *workspace, CUstream stream);
  void (*destroy)(void *call); ///< NULL is allowed
  /// Whether the runtime's own kernels compute a call of a kind that a library could compute. NULL: not of this kind.
  bool (*isOwn)(const void *call);
  /// Whether an execution may be captured into a graph of the session's own. (A caller's own capture it must put up
  /// with.) NULL: it may.
  bool (*canBeCaptured)(const void *call);
  /// Ways to compute it; the first is that of a new call. NULL: there is one.
  int64_t (*numVersions)(const void *call);
  void (*nameVersion)(const void *call, int64_t version, char *name, size_t size);
  void (*useVersion)(void *call, int64_t version); ///< from now on
} StitchCudaCallKind;

extern const StitchCudaCallKind stitchCudaDot;             ///< cuBLASLt
extern const StitchCudaCallKind stitchCudaDots;            ///< cuBLAS, or cuBLASLt
extern const StitchCudaCallKind stitchCudaConvolution;     ///< cuDNN
extern const StitchCudaCallKind stitchCudaCholesky;        ///< cuSOLVER
extern const StitchCudaCallKind stitchCudaTriangularSolve; ///< cuBLAS
extern const StitchCudaCallKind stitchCudaFft;             ///< cuFFT
extern const StitchCudaCallKind stitchCudaAllReduce;       ///< NCCL, as the rest but the last, which needs none
extern const StitchCudaCallKind stitchCudaAllGather;
extern const StitchCudaCallKind stitchCudaReduceScatter;
extern const StitchCudaCallKind stitchCudaAllToAll;
extern const StitchCudaCallKind stitchCudaBroadcast;
extern const StitchCudaCallKind stitchCudaPermute;
extern const StitchCudaCallKind stitchCudaProcessId;

#endif // STITCH_RUNTIME_CUDA_CALL_H
