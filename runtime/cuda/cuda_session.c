//===- cuda_session.c - a session's GPU memory, stream and libraries ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns the GPU, the stream, the arena, the workspace, the constants and the communicators that all programs of a
// session share. Memory grows with the largest program; older blocks stay, as captured graphs use them.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_session.h"

#include "runtime/sizes.h"
#include "runtime/world/launcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 };

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

const char *stitchCudaSessionLibraryFolder(const StitchSessionOptions *options) {
  if (options->cuda.libraries)
    return options->cuda.libraries;
  const char *folder = getenv("STITCH_CUDA_LIBRARIES");
  return folder && *folder ? folder : NULL;
}

StitchStatus stitchCudaOrdinal(const char *device, int *ordinal) {
  const char *colon = strchr(device, ':');
  *ordinal = 0;
  if (!colon)
    return NULL;
  char *end = NULL;
  errno = 0;
  long value = strtol(colon + 1, &end, 10);
  if (end == colon + 1 || *end || errno || value < 0 || value > INT32_MAX || colon[1] == '+' || colon[1] == ' ')
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "'%s' is no number of a GPU", colon + 1);
  *ordinal = (int)value;
  return NULL;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

static StitchStatus createStream(StitchCudaSession *s, void *given) {
  s->stream = given;
  if (given)
    return NULL;
  StitchStatus status = stitchCudaEnter(s->cuda);
  if (status)
    return status;
  status = CUDA_CALL(s->cuda, cuStreamCreate, &s->stream, CU_STREAM_NON_BLOCKING);
  s->ownsStream = !status;
  stitchCudaLeave(s->cuda);
  return status;
}

StitchPeersPlace stitchCudaSessionPlace(const StitchSessionOptions *options) {
  return (StitchPeersPlace){options->world.rank, options->world.size, options->world.address, options->world.timeLimit};
}

/// The processes have been joined before.
static StitchStatus openCommunicators(StitchCudaSession *s, int64_t processes, const StitchSessionOptions *options) {
  StitchPeersPlace place = stitchCudaSessionPlace(options);
  StitchPeers *peers = NULL;
  StitchStatus status = stitchPeersOpen(processes, &place, &peers);
  if (!status)
    status = stitchCudaEnter(s->cuda);
  if (status)
    return status;
  status = stitchCommunicatorsOpen(s->cuda, stitchCudaSessionLibraryFolder(options), peers, &s->communicators);
  stitchCudaLeave(s->cuda);
  return status;
}

/// A process of several on a machine has the GPU of its number there, unless it sees fewer.
static StitchStatus createCuda(StitchCudaSession *s, int64_t processes, const StitchSessionOptions *options) {
  const char *folder = stitchCudaSessionLibraryFolder(options);
  int ordinal = 0;
  StitchLauncher launcher;
  StitchStatus status = stitchCudaOrdinal(options->device, &ordinal);
  if (status)
    return status;
  bool isLocal = processes > 1 && !strchr(options->device, ':') && stitchLauncherFind(&launcher) &&
                 launcher.localRank > 0 && launcher.localRank <= INT32_MAX;
  if (!isLocal)
    return stitchCudaCreate(folder, ordinal, &s->cuda);
  status = stitchCudaCreate(folder, (int)launcher.localRank, &s->cuda);
  if (stitchStatusCode(status) != STITCH_NOT_FOUND)
    return status;
  stitchStatusFree(status);
  return stitchCudaCreate(folder, ordinal, &s->cuda);
}

StitchStatus stitchCudaSessionCreate(const StitchModelDescriptor *model, const StitchSessionOptions *options,
                                     StitchCudaSession **session) {
  StitchCudaSession *s = calloc(1, sizeof(*s));
  if (!s)
    return stitchStatusOutOfMemory();
  s->arenaBytes = (size_t)stitchArenaBytes(model);
  StitchStatus status = createCuda(s, model->numProcesses, options);
  if (!status)
    status = createStream(s, options->cuda.stream);
  if (!status && model->numProcesses > 1)
    status = openCommunicators(s, model->numProcesses, options);
  if (status) {
    stitchCudaSessionDestroy(s);
    return status;
  }
  *session = s;
  return NULL;
}

static void freeBlocks(StitchCudaSession *s, StitchCudaBlock *block) {
  while (block) {
    StitchCudaBlock *older = block->older;
    s->cuda->driver.cuMemFree(block->memory);
    free(block);
    block = older;
  }
}

static void destroyInContext(StitchCudaSession *s) {
  if (s->stream)
    s->cuda->driver.cuStreamSynchronize(s->stream); // runs may be under way
  freeBlocks(s, s->arenas);
  stitchCudaWindowsFree(s->windows);
  freeBlocks(s, s->workspaces);
  freeBlocks(s, s->constantBlocks);
  stitchCommunicatorsClose(s->communicators);
  if (s->ownsStream)
    s->cuda->driver.cuStreamDestroy(s->stream);
}

void stitchCudaSessionDestroy(StitchCudaSession *s) {
  if (!s)
    return;
  StitchStatus status = s->cuda ? stitchCudaEnter(s->cuda) : NULL;
  if (s->cuda) {
    destroyInContext(s);
    if (!status)
      stitchCudaLeave(s->cuda);
  }
  stitchStatusFree(status);
  stitchCudaRelease(s->cuda);
  free(s->constants);
  free(s);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static StitchStatus addBlock(StitchCudaSession *s, size_t bytes, const char *what, StitchCudaBlock **blocks) {
  StitchCudaBlock *block = calloc(1, sizeof(*block));
  if (!block)
    return stitchStatusOutOfMemory();
  *block = (StitchCudaBlock){.bytes = bytes, .older = *blocks};
  StitchStatus status = CUDA_CALL(s->cuda, cuMemAlloc, &block->memory, bytes);
  if (status) {
    free(block);
    return stitchStatusAnnotate(status, "memory for %zu bytes of %s", bytes, what);
  }
  *blocks = block;
  return NULL;
}

/// The newest block, or a new one if that is too small.
static StitchStatus reserveDeviceMemory(StitchCudaSession *s, size_t bytes, const char *what, StitchCudaBlock **blocks,
                                        void **memory) {
  *memory = NULL;
  bool isThere = bytes == 0 || (*blocks && (*blocks)->bytes >= bytes);
  StitchStatus status = isThere ? NULL : addBlock(s, bytes, what, blocks);
  if (!status && bytes)
    *memory = (void *)(uintptr_t)(*blocks)->memory;
  return status;
}

static StitchStatus clearCounters(const StitchCudaSession *s, const StitchModelDescriptor *program, void *arena) {
  if (!program->zeroedBytes)
    return NULL;
  return CUDA_CALL(s->cuda, cuMemsetD8Async, (CUdeviceptr)(uintptr_t)arena, 0, (size_t)program->zeroedBytes, s->stream);
}

/// Windows are for a model of one program, on a stream of its own: its runs follow each other.
static StitchStatus openWindows(StitchCudaSession *s, const StitchModelDescriptor *program) {
  bool hasWindows = s->ownsStream && s->communicators && program->windows.count && !program->numPrograms &&
                    s->arenaBytes == (size_t)program->arenaBytes;
  return hasWindows && !s->windows ? stitchCudaWindowsCreate(s->cuda, s->communicators, program, &s->windows) : NULL;
}

StitchStatus stitchCudaSessionArena(StitchCudaSession *s, const StitchModelDescriptor *program, void **arena) {
  static const char what[] = "intermediate results";
  *arena = NULL;
  StitchStatus status = openWindows(s, program);
  if (status || s->windows) {
    *arena = s->windows ? stitchCudaWindowsArena(s->windows) : NULL;
    return status;
  }
  if (s->ownsStream)
    return reserveDeviceMemory(s, s->arenaBytes, what, &s->arenas, arena);
  if (!program->arenaBytes)
    return NULL;
  status = addBlock(s, (size_t)program->arenaBytes, what, &s->arenas);
  if (status)
    return status;
  *arena = (void *)(uintptr_t)s->arenas->memory;
  status = clearCounters(s, program, *arena);
  return status ? status : CUDA_CALL(s->cuda, cuStreamSynchronize, s->stream);
}

StitchStatus stitchCudaSessionWorkspace(StitchCudaSession *s, size_t bytes, void **workspace) {
  return reserveDeviceMemory(s, bytes, "workspace of library calls", &s->workspaces, workspace);
}

static size_t roundUp(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static const StitchCudaConstant *findConstant(const StitchCudaSession *s, const StitchModelConstant *constant) {
  for (int64_t i = 0; i < s->numConstants; ++i)
    if (s->constants[i].data == constant->data && s->constants[i].bytes == (size_t)constant->bytes)
      return &s->constants[i];
  return NULL;
}

/// Bytes of those constants of the program that no program had before.
static size_t newConstants(const StitchCudaSession *s, const StitchModelDescriptor *program) {
  size_t bytes = 0;
  for (int64_t i = 0; i < program->numConstants; ++i)
    if (!findConstant(s, &program->constants[i]))
      bytes += roundUp((size_t)program->constants[i].bytes);
  return bytes;
}

static StitchStatus growConstants(StitchCudaSession *s, int64_t added) {
  size_t count = (size_t)(s->numConstants + added) + 1;
  StitchCudaConstant *constants = realloc(s->constants, count * sizeof(*constants));
  if (!constants)
    return stitchStatusOutOfMemory();
  s->constants = constants;
  return NULL;
}

/// Copies the constants that are new to `next`.
static StitchStatus copyConstants(StitchCudaSession *s, const StitchModelDescriptor *program, CUdeviceptr next) {
  StitchStatus status = NULL;
  for (int64_t i = 0; i < program->numConstants && !status; ++i) {
    const StitchModelConstant *constant = &program->constants[i];
    const size_t bytes = (size_t)constant->bytes;
    if (!bytes || findConstant(s, constant))
      continue;
    s->constants[s->numConstants++] = (StitchCudaConstant){constant->data, bytes, next};
    status = CUDA_CALL(s->cuda, cuMemcpyHtoDAsync, next, constant->data, bytes, s->stream);
    next += roundUp(bytes);
  }
  return status ? status : CUDA_CALL(s->cuda, cuStreamSynchronize, s->stream);
}

static StitchStatus addConstants(StitchCudaSession *s, const StitchModelDescriptor *program, size_t bytes) {
  StitchStatus status = growConstants(s, program->numConstants);
  if (!status)
    status = addBlock(s, bytes, "constants", &s->constantBlocks);
  if (status)
    return status;
  int64_t before = s->numConstants;
  status = copyConstants(s, program, s->constantBlocks->memory);
  if (status)
    s->numConstants = before; // the block stays until the end
  return status;
}

StitchStatus stitchCudaSessionConstants(StitchCudaSession *s, const StitchModelDescriptor *program,
                                        const void **memory) {
  size_t bytes = newConstants(s, program);
  StitchStatus status = bytes ? addConstants(s, program, bytes) : NULL;
  for (int64_t i = 0; i < program->numConstants && !status; ++i)
    memory[i] =
        program->constants[i].bytes ? (const void *)(uintptr_t)findConstant(s, &program->constants[i])->memory : NULL;
  return status;
}

StitchStatus stitchCudaSessionEnter(StitchCudaSession *s, const void *user, const StitchModelDescriptor *program,
                                    void *arena) {
  if (!s->ownsStream || s->user == user)
    return NULL;
  s->user = NULL;
  StitchStatus status = clearCounters(s, program, arena);
  s->user = status ? NULL : user;
  return status;
}

void stitchCudaSessionLeave(StitchCudaSession *s, const void *user) { s->user = s->user == user ? NULL : s->user; }
