//===- library.c - the library calls of a model ---------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/library/library.h"

#include "runtime/library/dot.h"

#include <stdlib.h>
#include <string.h>

struct StitchLibrary {
  StitchLibraryProblem *problems;
  StitchDot **dots; // created by a problem's first call
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
  result->dots = calloc((size_t)count + 1, sizeof(StitchDot *));
  if (!result->problems || !result->dots) {
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
  for (int64_t i = 0; i < library->count; ++i)
    stitchDotDestroy(library->dots[i]);
  stitchStatusFree(library->status);
  free(library->dots);
  free(library->problems);
  free(library);
}

static StitchStatus execute(StitchLibrary *library, int64_t index, void *const *pointers) {
  if (!library->dots[index]) {
    StitchStatus status = stitchDotCreate(&library->problems[index], &library->dots[index]);
    if (status)
      return status;
  }
  return stitchDotExecute(library->dots[index], pointers[0], pointers[1], pointers[2]);
}

StitchStatus stitchLibraryExecute(StitchLibrary *library, int64_t index, void *const *pointers) {
  if (index < 0 || index >= library->count)
    return stitchStatusMake(STITCH_INTERNAL, "library call %lld of a model that has %lld", (long long)index,
                            (long long)library->count);
  if (library->problems[index].kind != STITCH_LIBRARY_DOT)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "library call %lld is of unknown kind %d", (long long)index,
                            (int)library->problems[index].kind);
  return stitchStatusAnnotate(execute(library, index, pointers), "library call %lld", (long long)index);
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
