//===- cuda_library.c - a model's library calls on a GPU ------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a model's table of library problems. Plans each at its first call by the StitchCudaCallKind of its kind, and
// enqueues calls. A call with several algorithms is an adaptive variable of the device.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/cuda_library.h"

#include "runtime/cuda/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const StitchCudaCallKind *const kinds[] = {
    [STITCH_LIBRARY_DOT] = &stitchCudaDot,
    [STITCH_LIBRARY_CONVOLUTION] = &stitchCudaConvolution,
    [STITCH_LIBRARY_CHOLESKY] = &stitchCudaCholesky,
    [STITCH_LIBRARY_TRIANGULAR_SOLVE] = &stitchCudaTriangularSolve,
    [STITCH_LIBRARY_FFT] = &stitchCudaFft,
    [STITCH_LIBRARY_DOTS] = &stitchCudaDots,
    [STITCH_LIBRARY_ALL_REDUCE] = &stitchCudaAllReduce,
    [STITCH_LIBRARY_ALL_GATHER] = &stitchCudaAllGather,
    [STITCH_LIBRARY_REDUCE_SCATTER] = &stitchCudaReduceScatter,
    [STITCH_LIBRARY_ALL_TO_ALL] = &stitchCudaAllToAll,
    [STITCH_LIBRARY_COLLECTIVE_BROADCAST] = &stitchCudaBroadcast,
    [STITCH_LIBRARY_COLLECTIVE_PERMUTE] = &stitchCudaPermute,
    [STITCH_LIBRARY_PROCESS_ID] = &stitchCudaProcessId,
};

typedef struct {
  const StitchCudaCallKind *kind;
  void *state; ///< NULL: not planned
  char name[64];
  char ownName[80]; ///< where no library computes it
  int64_t variable; ///< -1: it has one version
} PreparedCall;

/// The versions of a call, by name.
enum { MAX_VERSIONS = 16, VERSION_NAME = 24 };
typedef struct {
  int64_t call;
  char names[MAX_VERSIONS][VERSION_NAME];
  const char *pointers[MAX_VERSIONS];
} Versions;

struct StitchCudaLibrary {
  StitchCudaCalls shared;
  PreparedCall *calls;
  int64_t count;
  Versions *versions; ///< of each variable
  StitchModelAdaptive *variables;
  int64_t numVariables;
  void *workspace;
  char names[STITCH_CUDA_NAMES]; ///< of the vendor's libraries
};

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static StitchStatus planCall(StitchCudaLibrary *library, int64_t index, const StitchLibraryProblem *problem) {
  PreparedCall *call = &library->calls[index];
  size_t kind = (size_t)problem->kind;
  if (kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind])
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "the device cannot compute '%s'",
                            stitchLibraryKindName(problem->kind));
  call->kind = kinds[kind];
  const char *name = stitchLibraryIsOfAll(problem) ? STITCH_LIBRARY_OPERANDS_OF_ALL : call->kind->name;
  snprintf(call->name, sizeof(call->name), "%s_%lld", name, (long long)index);
  snprintf(call->ownName, sizeof(call->ownName), "%s (own kernels)", call->name);
  library->shared.index = index;
  library->shared.name = call->name;
  return call->kind->create(&library->shared, problem, &call->state);
}

/// Makes a variable of a call that has several versions.
static void addVariable(StitchCudaLibrary *library, int64_t index) {
  PreparedCall *call = &library->calls[index];
  int64_t count = call->kind->numVersions ? call->kind->numVersions(call->state) : 1;
  call->variable = -1;
  if (!library->shared.alternatives || count < 2)
    return;
  Versions *versions = &library->versions[library->numVariables];
  versions->call = index;
  for (int64_t i = 0; i < count && i < MAX_VERSIONS; ++i) {
    call->kind->nameVersion(call->state, i, versions->names[i], VERSION_NAME);
    versions->pointers[i] = versions->names[i];
  }
  library->variables[library->numVariables] =
      (StitchModelAdaptive){call->name, versions->pointers, count < MAX_VERSIONS ? count : MAX_VERSIONS, 0};
  call->variable = library->numVariables++;
}

static StitchStatus plan(StitchCudaLibrary *library, const StitchLibraryProblem *problems) {
  StitchCudaCalls *shared = &library->shared;
  StitchStatus status = stitchOwnKernelsLoad(shared->cuda, &shared->kernels);
  if (!status && shared->communicators)
    status = stitchTicksCreate(&shared->kernels, stitchCommunicatorsPeers(shared->communicators), library->count,
                               &shared->ticks);
  for (int64_t i = 0; i < library->count && !status; ++i)
    status = stitchStatusAnnotate(planCall(library, i, &problems[i]), "library call %lld", (long long)i);
  for (int64_t i = 0; i < library->count && !status; ++i)
    addVariable(library, i);
  if (!status && shared->communicators)
    status = stitchTicksWatch(&shared->ticks);
  if (!status)
    stitchCudaCallsNames(&library->shared, library->names);
  return status;
}

StitchStatus stitchCudaLibraryCreate(StitchCuda *cuda, const StitchLibraryProblem *problems, int64_t count,
                                     const StitchCudaLibraryOptions *options, StitchCudaLibrary **result) {
  StitchCudaLibrary *library = calloc(1, sizeof(*library));
  if (!library)
    return stitchStatusOutOfMemory();
  library->shared = (StitchCudaCalls){
      .cuda = cuda,
      .folder = options->folder,
      .tf32 = options->tf32,
      .alternatives = options->alternatives,
      .communicators = options->communicators,
  };
  library->count = count;
  library->calls = calloc((size_t)count + 1, sizeof(*library->calls));
  library->versions = calloc((size_t)count + 1, sizeof(*library->versions));
  library->variables = calloc((size_t)count + 1, sizeof(*library->variables));
  StitchStatus status = NULL;
  if (!library->calls || !library->versions || !library->variables)
    status = stitchStatusOutOfMemory();
  if (!status && count)
    status = plan(library, problems);
  library->shared.folder = NULL; // the caller's; all libraries that are needed are open
  if (status)
    stitchCudaLibraryFree(library);
  else
    *result = library;
  return status;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

size_t stitchCudaLibraryWorkspaceBytes(const StitchCudaLibrary *library) {
  size_t bytes = 0;
  for (int64_t i = 0; i < library->count; ++i) {
    size_t needed = library->calls[i].kind->workspaceBytes(library->calls[i].state);
    bytes = needed > bytes ? needed : bytes;
  }
  return bytes;
}

/// The begin of a run is a call behind all others, for who watches them.
void stitchCudaLibrarySetWindows(StitchCudaLibrary *library, const StitchCudaWindows *windows) {
  library->shared.windows = windows;
  if (windows)
    stitchTicksAdd(&library->shared.ticks, library->count, "the begin of a run", stitchCudaWindowsGroup(windows));
}

bool stitchCudaLibraryIsOfOthers(const StitchCudaLibrary *library, const void *memory) {
  return library->shared.windows && stitchCudaWindowsIsOfOthers(library->shared.windows, memory);
}

StitchStatus stitchCudaLibraryEnqueueBegin(StitchCudaLibrary *library, CUstream stream) {
  StitchCudaCalls *shared = &library->shared;
  if (!shared->windows)
    return NULL;
  stitchTicksBeginRun(&shared->ticks);
  return stitchCudaWindowsSignal(shared->windows, &shared->ticks, library->count, stream);
}

void stitchCudaLibraryBeginRun(StitchCudaLibrary *library) { stitchTicksBeginRun(&library->shared.ticks); }

void stitchCudaLibrarySetWorkspace(StitchCudaLibrary *library, void *workspace) { library->workspace = workspace; }

const char *stitchCudaLibraryNames(const StitchCudaLibrary *library) { return library->names; }

const char *stitchCudaLibraryCallName(const StitchCudaLibrary *library, int64_t index) {
  const PreparedCall *call = &library->calls[index];
  return call->kind->isOwn && call->kind->isOwn(call->state) ? call->ownName : call->name;
}

bool stitchCudaLibraryCanBeCaptured(const StitchCudaLibrary *library, int64_t index) {
  const PreparedCall *call = &library->calls[index];
  return !call->kind->canBeCaptured || call->kind->canBeCaptured(call->state);
}

StitchStatus stitchCudaLibraryCall(StitchCudaLibrary *library, int64_t index, void *const *pointers, CUstream stream) {
  const PreparedCall *call = &library->calls[index];
  return call->kind->execute(call->state, pointers, library->workspace, stream);
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

const StitchModelAdaptive *stitchCudaLibraryVariables(const StitchCudaLibrary *library, int64_t *count) {
  *count = library->numVariables;
  return library->variables;
}

int64_t stitchCudaLibraryVariableOf(const StitchCudaLibrary *library, int64_t index) {
  return library->calls[index].variable;
}

void stitchCudaLibraryUse(StitchCudaLibrary *library, const int64_t *versions) {
  for (int64_t i = 0; i < library->numVariables; ++i) {
    const PreparedCall *call = &library->calls[library->versions[i].call];
    call->kind->useVersion(call->state, versions[i]);
  }
}

void stitchCudaLibraryFree(StitchCudaLibrary *library) {
  if (!library)
    return;
  for (int64_t i = 0; library->calls && i < library->count; ++i)
    if (library->calls[i].kind)
      library->calls[i].kind->destroy(library->calls[i].state);
  stitchTicksFree(&library->shared.ticks);
  stitchOwnKernelsFree(&library->shared.kernels);
  stitchCudaCallsClose(&library->shared);
  free(library->calls);
  free(library->versions);
  free(library->variables);
  free(library);
}
