//===- library.c - the library calls of a model --------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/library/library.h"

#include "runtime/library/convolution.h"
#include "runtime/library/dot.h"
#include "runtime/library/epilogue.h"
#include "runtime/library/fft.h"
#include "runtime/library/linear_algebra.h"
#include "runtime/library/sums.h"

#include <stdlib.h>
#include <string.h>

/// A kind of problem. What `create` makes at a problem's first call is used by all its calls.
typedef struct {
  const char *name;
  StitchStatus (*create)(const StitchLibraryProblem *problem, void **prepared);
  StitchStatus (*execute)(void *prepared, void *const *pointers);
  void (*destroy)(void *prepared); ///< NULL is allowed
} Kind;

static StitchStatus createDot(const StitchLibraryProblem *problem, void **prepared) {
  StitchDot *dot = NULL;
  StitchStatus status = stitchDotCreate(problem, &dot);
  *prepared = dot;
  return status;
}

static StitchStatus executeDot(void *prepared, void *const *pointers) {
  return stitchDotExecute(prepared, pointers[0], pointers[1], pointers[2]);
}

static void destroyDot(void *prepared) { stitchDotDestroy(prepared); }

static StitchStatus createConvolution(const StitchLibraryProblem *problem, void **prepared) {
  StitchConvolution *convolution = NULL;
  StitchStatus status = stitchConvolutionCreate(problem, &convolution);
  *prepared = convolution;
  return status;
}

static StitchStatus executeConvolution(void *prepared, void *const *pointers) {
  return stitchConvolutionExecute(prepared, pointers[0], pointers[1], pointers[2]);
}

static void destroyConvolution(void *prepared) { stitchConvolutionDestroy(prepared); }

static StitchStatus createCholesky(const StitchLibraryProblem *problem, void **prepared) {
  StitchCholesky *cholesky = NULL;
  StitchStatus status = stitchCholeskyCreate(problem, &cholesky);
  *prepared = cholesky;
  return status;
}

static StitchStatus executeCholesky(void *prepared, void *const *pointers) {
  stitchCholeskyExecute(prepared, pointers[0], pointers[1]);
  return NULL;
}

static void destroyCholesky(void *prepared) { stitchCholeskyDestroy(prepared); }

static StitchStatus createTriangularSolve(const StitchLibraryProblem *problem, void **prepared) {
  StitchTriangularSolve *solve = NULL;
  StitchStatus status = stitchTriangularSolveCreate(problem, &solve);
  *prepared = solve;
  return status;
}

static StitchStatus executeTriangularSolve(void *prepared, void *const *pointers) {
  stitchTriangularSolveExecute(prepared, pointers[0], pointers[1], pointers[2]);
  return NULL;
}

static void destroyTriangularSolve(void *prepared) { stitchTriangularSolveDestroy(prepared); }

static StitchStatus createFft(const StitchLibraryProblem *problem, void **prepared) {
  StitchFft *fft = NULL;
  StitchStatus status = stitchFftCreate(problem, &fft);
  *prepared = fft;
  return status;
}

static StitchStatus executeFft(void *prepared, void *const *pointers) {
  stitchFftExecute(prepared, pointers[0], pointers[1]);
  return NULL;
}

static void destroyFft(void *prepared) { stitchFftDestroy(prepared); }

static const Kind kinds[] = {
    [STITCH_LIBRARY_DOT] = {"dot", createDot, executeDot, destroyDot},
    [STITCH_LIBRARY_CONVOLUTION] = {"convolution", createConvolution, executeConvolution, destroyConvolution},
    [STITCH_LIBRARY_CHOLESKY] = {"cholesky", createCholesky, executeCholesky, destroyCholesky},
    [STITCH_LIBRARY_TRIANGULAR_SOLVE] = {"triangular_solve", createTriangularSolve, executeTriangularSolve,
                                         destroyTriangularSolve},
    [STITCH_LIBRARY_FFT] = {"fft", createFft, executeFft, destroyFft},
};

/// NULL if there is no such kind.
static const Kind *findKind(StitchLibraryKind kind) {
  return (size_t)kind < sizeof(kinds) / sizeof(kinds[0]) ? &kinds[kind] : NULL;
}

const char *stitchLibraryKindName(StitchLibraryKind kind) {
  const Kind *found = findKind(kind);
  return found ? found->name : "?";
}

struct StitchLibrary {
  StitchLibraryProblem *problems;
  void **prepared; // by its kind; NULL: not called yet
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
  for (int64_t i = 0; library->prepared && i < library->count; ++i)
    if (library->prepared[i])
      findKind(library->problems[i].kind)->destroy(library->prepared[i]);
  stitchStatusFree(library->status);
  free(library->prepared);
  free(library->problems);
  free(library);
}

static StitchStatus executeEpilogue(const StitchLibraryProblem *problem, void *const *pointers) {
  StitchEpilogueShape shape;
  StitchStatus status = stitchEpilogueShapeOf(problem, &shape);
  StitchEpilogueData data = stitchEpilogueDataOf(problem, pointers);
  for (int64_t i = 0; !status && stitchEpilogueExists(problem) && i < shape.elements; ++i)
    stitchEpilogueApply(&shape, &data, i);
  return status;
}

static StitchStatus executeSums(const StitchLibraryProblem *problem, void *const *pointers) {
  StitchDotShape shape;
  StitchSums sums;
  StitchStatus status = stitchDotShapeOf(problem, &shape);
  if (!status)
    status = stitchSumsOf(problem, &shape, &sums);
  if (!status)
    stitchSumsExecute(&sums, pointers);
  return status;
}

static StitchStatus execute(const StitchLibraryProblem *problem, void **prepared, void *const *pointers) {
  const Kind *kind = findKind(problem->kind);
  if (!kind)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "unknown kind %d", (int)problem->kind);
  StitchStatus status = *prepared ? NULL : kind->create(problem, prepared);
  if (!status)
    status = kind->execute(*prepared, pointers);
  bool hasSum = problem->epilogue.sum != STITCH_LIBRARY_NO_SUM;
  if (!status && (hasSum || stitchEpilogueExists(problem)))
    status = executeEpilogue(problem, pointers);
  return status || !hasSum ? status : executeSums(problem, pointers);
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
