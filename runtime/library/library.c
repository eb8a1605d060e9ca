//===- library.c - the library calls of a model ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/library/library.h"

#include "runtime/library/convolution.h"
#include "runtime/library/dot.h"

#include <stdlib.h>
#include <string.h>

/// What a problem's first call prepares; one of the two.
typedef struct {
  StitchDot *dot;
  StitchConvolution *convolution;
} Prepared;

struct StitchLibrary {
  StitchLibraryProblem *problems;
  Prepared *prepared;
  int64_t count;
  StitchStatus status; // the first failure of stitchLibraryCall
};

StitchStatus stitchLibraryCreate(const StitchLibraryProblem *problems, int64_t count, StitchLibrary **library) {
  if (count < 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "a model cannot have %lld library calls", (long long)count);
  StitchLibrary *result = calloc(1, sizeof(*result));
  if (!result)
    return stitchStatusOutOfMemory();
  result->problems = calloc((size_t)count + 1, sizeof(*result->problems));
  result->prepared = calloc((size_t)count + 1, sizeof(*result->prepared));
  if (!result->problems || !result->prepared) {
    stitchLibraryDestroy(result);
    return stitchStatusOutOfMemory();
  }
  if (count)
    memcpy(result->problems, problems, sizeof(*problems) * (size_t)count);
  result->count = count;
  *library = result;
  return NULL;
}

void stitchLibraryDestroy(StitchLibrary *library) {
  if (!library)
    return;
  for (int64_t i = 0; i < library->count; ++i) {
    stitchDotDestroy(library->prepared[i].dot);
    stitchConvolutionDestroy(library->prepared[i].convolution);
  }
  stitchStatusFree(library->status);
  free(library->prepared);
  free(library->problems);
  free(library);
}

static StitchStatus executeDot(const StitchLibraryProblem *problem, Prepared *prepared, void *const *pointers) {
  StitchStatus status = prepared->dot ? NULL : stitchDotCreate(problem, &prepared->dot);
  return status ? status : stitchDotExecute(prepared->dot, pointers[0], pointers[1], pointers[2]);
}

static StitchStatus executeConvolution(const StitchLibraryProblem *problem, Prepared *prepared, void *const *pointers) {
  StitchStatus status = prepared->convolution ? NULL : stitchConvolutionCreate(problem, &prepared->convolution);
  return status ? status : stitchConvolutionExecute(prepared->convolution, pointers[0], pointers[1], pointers[2]);
}

static StitchStatus execute(const StitchLibraryProblem *problem, Prepared *prepared, void *const *pointers) {
  switch (problem->kind) {
  case STITCH_LIBRARY_DOT:
    return executeDot(problem, prepared, pointers);
  case STITCH_LIBRARY_CONVOLUTION:
    return executeConvolution(problem, prepared, pointers);
  }
  return stitchStatusMake(STITCH_UNIMPLEMENTED, "unknown kind %d", (int)problem->kind);
}

StitchStatus stitchLibraryExecute(StitchLibrary *library, int64_t index, void *const *pointers) {
  if (index < 0 || index >= library->count)
    return stitchStatusMake(STITCH_INTERNAL, "library call %lld of a model that has %lld", (long long)index,
                            (long long)library->count);
  return stitchStatusAnnotate(execute(&library->problems[index], &library->prepared[index], pointers),
                              "library call %lld", (long long)index);
}

int stitchLibraryCall(void *context, int64_t index, void *const *pointers) {
  StitchLibrary *library = context;
  if (!library->status)
    library->status = stitchLibraryExecute(library, index, pointers);
  return (int)stitchStatusCode(library->status);
}

StitchStatus stitchLibraryTakeStatus(StitchLibrary *library) {
  StitchStatus status = library->status;
  library->status = NULL;
  return status;
}
