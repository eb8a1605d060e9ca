//===- library.c - a model's library calls on a GPU ----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/library.h"

#include "runtime/cuda/dot.h"
#include "runtime/cuda/kernels.h"
#include "runtime/cuda/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct StitchCudaLibrary {
  StitchCuda *cuda;
  char *choicesFile; ///< NULL: none
  StitchChoices choices;
  StitchCublasLt blas;
  StitchCudaModule *kernels; ///< our own
  StitchCudaDotContext dotContext;
  int64_t count;
  StitchCudaDot **dots;
  void *workspace;
  char name[64];
};

/// The runtime's kernels, described as those of a model are.
static StitchStatus loadKernels(StitchCudaLibrary *library) {
  static const StitchModelKernel kernels[] = {{.name = "stitch_pack"}, {.name = "stitch_dot"}};
  const char *text = (const char *)stitchRuntimeKernels;
  StitchModelImage image = {.arch = 70, .format = STITCH_IMAGE_PTX, .data = text, .bytes = (int64_t)strlen(text)};
  StitchModelDescriptor model = {.kernels = kernels, .numKernels = 2, .images = &image, .numImages = 1};
  StitchStatus status = stitchCudaModuleLoad(library->cuda, &model, &library->kernels);
  if (status)
    return stitchStatusAnnotate(status, "the runtime's own kernels");
  library->dotContext.pack = library->kernels->kernels[0].function;
  library->dotContext.product = library->kernels->kernels[1].function;
  return NULL;
}

static StitchStatus openBlas(StitchCudaLibrary *library, const char *folder) {
  StitchStatus status = stitchCublasLtOpen(folder, &library->blas);
  if (status)
    return status;
  size_t version = library->blas.cublasLtGetVersion();
  snprintf(library->name, sizeof(library->name), "cuBLASLt %zu.%zu.%zu", version / 10000, version / 100 % 100,
           version % 100);
  return NULL;
}

static StitchStatus planDots(StitchCudaLibrary *library, const StitchLibraryProblem *problems, const char *folder) {
  StitchStatus status = loadKernels(library);
  for (int64_t i = 0; i < library->count && !status; ++i) {
    StitchDotShape shape;
    if (problems[i].kind != STITCH_LIBRARY_DOT)
      status =
          stitchStatusMake(STITCH_UNIMPLEMENTED, "it is %s, which the device cannot compute",
                           problems[i].kind == STITCH_LIBRARY_CONVOLUTION ? "a convolution" : "of an unknown kind");
    if (!status)
      status = stitchDotShapeOf(&problems[i], &shape);
    if (!status && stitchCudaDotNeedsBlas(&shape) && !library->blas.handle)
      status = openBlas(library, folder);
    if (!status)
      status = stitchCudaDotCreate(&library->dotContext, &shape, &library->dots[i]);
    status = stitchStatusAnnotate(status, "library call %lld", (long long)i);
  }
  return status;
}

StitchStatus stitchCudaLibraryCreate(StitchCuda *cuda, const StitchLibraryProblem *problems, int64_t count,
                                     const StitchCudaLibraryOptions *options, StitchCudaLibrary **result) {
  StitchCudaLibrary *library = calloc(1, sizeof(*library));
  if (!library)
    return stitchStatusOutOfMemory();
  library->cuda = cuda;
  library->count = count;
  library->dots = calloc((size_t)count + 1, sizeof(StitchCudaDot *));
  library->choicesFile = options->choices ? strdup(options->choices) : NULL;
  library->dotContext = (StitchCudaDotContext){
      .cuda = cuda,
      .blas = &library->blas,
      .tf32 = options->tf32,
      .autotune = options->autotune,
      .choices = &library->choices,
  };
  StitchStatus status = NULL;
  if (!library->dots || (options->choices && !library->choicesFile))
    status = stitchStatusOutOfMemory();
  if (!status && library->choicesFile)
    status = stitchChoicesRead(library->choicesFile, &library->choices);
  if (!status && count)
    status = planDots(library, problems, options->folder);
  if (status)
    stitchCudaLibraryFree(library);
  else
    *result = library;
  return status;
}

size_t stitchCudaLibraryWorkspaceBytes(const StitchCudaLibrary *library) {
  size_t bytes = 0;
  for (int64_t i = 0; i < library->count; ++i) {
    size_t needed = stitchCudaDotWorkspaceBytes(library->dots[i]);
    bytes = needed > bytes ? needed : bytes;
  }
  return bytes;
}

void stitchCudaLibrarySetWorkspace(StitchCudaLibrary *library, void *workspace) { library->workspace = workspace; }

const char *stitchCudaLibraryName(const StitchCudaLibrary *library) { return library->name; }

StitchStatus stitchCudaLibraryCall(StitchCudaLibrary *library, int64_t index, void *const *pointers, CUstream stream) {
  return stitchCudaDotCall(library->dots[index], pointers[0], pointers[1], pointers[2], library->workspace, stream);
}

StitchStatus stitchCudaLibrarySaveChoices(StitchCudaLibrary *library) {
  if (!library->choicesFile || !library->choices.changed)
    return NULL;
  return stitchChoicesWrite(library->choicesFile, &library->choices);
}

void stitchCudaLibraryFree(StitchCudaLibrary *library) {
  if (!library)
    return;
  for (int64_t i = 0; library->dots && i < library->count; ++i)
    stitchCudaDotFree(library->dots[i]);
  stitchCudaModuleFree(library->kernels);
  stitchCublasLtClose(&library->blas);
  stitchChoicesDestroy(&library->choices);
  free(library->dots);
  free(library->choicesFile);
  free(library);
}
