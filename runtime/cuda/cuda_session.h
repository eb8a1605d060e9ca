//===- cuda_session.h - a session's GPU memory, stream and libraries ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model with open sizes has a program for each bucket of them (docs/dynamic_shapes.md). They run one after the other
// on one stream, in one arena and one workspace, and their constants are on the GPU once.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_CUDA_CUDA_SESSION_H
#define STITCH_RUNTIME_CUDA_CUDA_SESSION_H

#include "runtime/cuda/communicators.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/windows.h"
#include "runtime/model.h"
#include "runtime/stitch_runtime.h"

/// Memory of a size that was asked for. A smaller block stays until the end when more is needed: captured graphs use
/// it.
typedef struct StitchCudaBlock {
  CUdeviceptr memory;
  size_t bytes;
  struct StitchCudaBlock *older;
} StitchCudaBlock;

/// A constant of some program on the GPU.
typedef struct {
  const void *data; ///< in the model file
  size_t bytes;
  CUdeviceptr memory;
} StitchCudaConstant;

typedef struct {
  StitchCuda *cuda;
  CUstream stream;
  bool ownsStream;
  size_t arenaBytes;       ///< of the largest program
  StitchCudaBlock *arenas; ///< of several only if the caller gave the stream
  StitchCudaBlock *workspaces, *constantBlocks;
  StitchCudaConstant *constants;
  int64_t numConstants;
  const void *user;                   ///< whose counters are in the arena
  StitchCommunicators *communicators; ///< of a model for several processes; NULL: it is for one
  StitchCudaWindows *windows;         ///< the arena, if processes share memory; else NULL
} StitchCudaSession;

/// The number in "cuda:N"; 0 for "cuda".
StitchStatus stitchCudaOrdinal(const char *device, int *ordinal);

/// How the processes of a model for several find each other, by the options.
StitchPeersPlace stitchCudaSessionPlace(const StitchSessionOptions *options);

/// For the model's programs, on the GPU of `options->device`. Without a number, and for a model for several processes,
/// the GPU is that of this process's number on its machine, if there are as many. The caller releases it with
/// stitchCudaSessionDestroy.
StitchStatus stitchCudaSessionCreate(const StitchModelDescriptor *model, const StitchSessionOptions *options,
                                     StitchCudaSession **session);
/// No program uses it any more.
void stitchCudaSessionDestroy(StitchCudaSession *session);

/// Where CUDA's libraries are by the options or the environment; NULL: where the system finds them.
const char *stitchCudaSessionLibraryFolder(const StitchSessionOptions *options);

/// Memory for a program's intermediate results, for its library calls, and with each of its constants. The context must
/// be current, here and below.
StitchStatus stitchCudaSessionArena(StitchCudaSession *session, const StitchModelDescriptor *program, void **arena);
StitchStatus stitchCudaSessionWorkspace(StitchCudaSession *session, size_t bytes, void **workspace);
StitchStatus stitchCudaSessionConstants(StitchCudaSession *session, const StitchModelDescriptor *program,
                                        const void **memory);

/// Before a run of a program, `user`: the counters of its kernels, which it expects as it left them, are zero if
/// another one has used the arena since. Programs on a stream of the caller's, which may be captured, have arenas of
/// their own.
StitchStatus stitchCudaSessionEnter(StitchCudaSession *session, const void *user, const StitchModelDescriptor *program,
                                    void *arena);
/// There is no such program any more; another one may get its address.
void stitchCudaSessionLeave(StitchCudaSession *session, const void *user);

#endif // STITCH_RUNTIME_CUDA_CUDA_SESSION_H
