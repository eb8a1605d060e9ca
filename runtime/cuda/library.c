//===- library.c - a model's library calls on a GPU ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/library.h"

#include "runtime/cuda/call.h"
#include "runtime/cuda/kernels.h"
#include "runtime/cuda/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const StitchCudaCallKind *const kinds[] = {
    [STITCH_LIBRARY_DOT] = &stitchCudaDot,
};

typedef struct {
  const StitchCudaCallKind *kind;
  void *state; ///< NULL: not planned
  char name[32];
} Call;

struct StitchCudaLibrary {
  StitchCudaCalls shared;
  char *choicesFile;         ///< NULL: none
  StitchCudaModule *kernels; ///< our own
  Call *calls;
  int64_t count;
  void *workspace;
  char names[128]; ///< of the vendor's libraries
};

//===----------------------------------------------------------------------===//
// The vendor's libraries
//===----------------------------------------------------------------------===//

StitchStatus stitchCudaCallsOpenBlas(StitchCudaCalls *calls) {
  return calls->blas.handle ? NULL : stitchCublasLtOpen(calls->folder, &calls->blas);
}

static void writeNames(StitchCudaLibrary *library) {
  const StitchCublasLt *blas = &library->shared.blas;
  if (blas->handle) {
    size_t version = blas->cublasLtGetVersion();
    snprintf(library->names, sizeof(library->names), "cuBLASLt %zu.%zu.%zu", version / 10000, version / 100 % 100,
             version % 100);
  }
}

static void closeLibraries(StitchCudaCalls *calls) { stitchCublasLtClose(&calls->blas); }

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The runtime's kernels, described as those of a model are.
static StitchStatus loadKernels(StitchCudaLibrary *library) {
  static const StitchModelKernel kernels[] = {{.name = "stitch_pack"}, {.name = "stitch_dot"}};
  const char *text = (const char *)stitchRuntimeKernels;
  StitchModelImage image = {.arch = 70, .format = STITCH_IMAGE_PTX, .data = text, .bytes = (int64_t)strlen(text)};
  StitchModelDescriptor model = {.kernels = kernels, .numKernels = 2, .images = &image, .numImages = 1};
  StitchStatus status = stitchCudaModuleLoad(library->shared.cuda, &model, &library->kernels);
  if (status)
    return stitchStatusAnnotate(status, "the runtime's own kernels");
  library->shared.pack = library->kernels->kernels[0].function;
  library->shared.product = library->kernels->kernels[1].function;
  return NULL;
}

static StitchStatus planCall(StitchCudaLibrary *library, int64_t index, const StitchLibraryProblem *problem) {
  Call *call = &library->calls[index];
  size_t kind = (size_t)problem->kind;
  if (kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind])
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "the device cannot compute calls of this kind (%zu)", kind);
  call->kind = kinds[kind];
  snprintf(call->name, sizeof(call->name), "%s_%lld", call->kind->name, (long long)index);
  return call->kind->create(&library->shared, problem, &call->state);
}

static StitchStatus plan(StitchCudaLibrary *library, const StitchLibraryProblem *problems) {
  StitchStatus status = loadKernels(library);
  for (int64_t i = 0; i < library->count && !status; ++i)
    status = stitchStatusAnnotate(planCall(library, i, &problems[i]), "library call %lld", (long long)i);
  if (!status)
    writeNames(library);
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
      .autotune = options->autotune,
  };
  library->count = count;
  library->calls = calloc((size_t)count + 1, sizeof(*library->calls));
  library->choicesFile = options->choices ? strdup(options->choices) : NULL;
  StitchStatus status = NULL;
  if (!library->calls || (options->choices && !library->choicesFile))
    status = stitchStatusOutOfMemory();
  if (!status && library->choicesFile)
    status = stitchChoicesRead(library->choicesFile, &library->shared.choices);
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

void stitchCudaLibrarySetWorkspace(StitchCudaLibrary *library, void *workspace) { library->workspace = workspace; }

const char *stitchCudaLibraryNames(const StitchCudaLibrary *library) { return library->names; }

const char *stitchCudaLibraryCallName(const StitchCudaLibrary *library, int64_t index) {
  return library->calls[index].name;
}

StitchStatus stitchCudaLibraryCall(StitchCudaLibrary *library, int64_t index, void *const *pointers, CUstream stream) {
  const Call *call = &library->calls[index];
  return call->kind->execute(call->state, pointers, library->workspace, stream);
}

StitchStatus stitchCudaLibrarySaveChoices(StitchCudaLibrary *library) {
  if (!library->choicesFile || !library->shared.choices.changed)
    return NULL;
  return stitchChoicesWrite(library->choicesFile, &library->shared.choices);
}

void stitchCudaLibraryFree(StitchCudaLibrary *library) {
  if (!library)
    return;
  for (int64_t i = 0; library->calls && i < library->count; ++i)
    if (library->calls[i].kind)
      library->calls[i].kind->destroy(library->calls[i].state);
  stitchCudaModuleFree(library->kernels);
  closeLibraries(&library->shared);
  stitchChoicesDestroy(&library->shared.choices);
  free(library->calls);
  free(library->choicesFile);
  free(library);
}
