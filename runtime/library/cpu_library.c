//===- cpu_library.c - the library calls of a model -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a table of StitchLibraryProblem. Has one row for each kind of problem with its functions, keeps the prepared
// object of each problem and algorithm, and executes calls of host code by index.
//
//===----------------------------------------------------------------------===//

#include "runtime/library/cpu_library.h"

#include "runtime/library/cpu_collective.h"
#include "runtime/library/cpu_convolution.h"
#include "runtime/library/cpu_dot.h"
#include "runtime/library/cpu_epilogue.h"
#include "runtime/library/cpu_fft.h"
#include "runtime/library/cpu_linear_algebra.h"
#include "runtime/library/sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A kind of problem. All calls of a problem use the object that `create` makes at its first call.
typedef struct {
  const char *name;
  StitchStatus (*create)(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm, void **prepared);
  StitchStatus (*execute)(void *prepared, void *const *pointers);
  void (*destroy)(void *prepared); ///< NULL is allowed
  /// Whether another algorithm can compute the object that was created as usual. NULL: by none.
  bool (*hasAlgorithm)(const void *prepared, StitchLibraryAlgorithm algorithm);
} ProblemKind;

static StitchStatus prepareDot(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm, void **prepared) {
  StitchDot *dot = NULL;
  StitchStatus status = stitchDotCreate(problem, algorithm, &dot);
  *prepared = dot;
  return status;
}

static StitchStatus executeDot(void *prepared, void *const *pointers) {
  return stitchDotExecute(prepared, pointers[0], pointers[1], pointers[2]);
}

static void destroyDot(void *prepared) { stitchDotDestroy(prepared); }

static bool dotHasAlgorithm(const void *prepared, StitchLibraryAlgorithm algorithm) {
  return stitchDotHasAlgorithm(prepared, algorithm);
}

/// As one of them.
static StitchStatus createDots(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm, void **prepared) {
  StitchLibraryProblem each = *problem;
  each.kind = STITCH_LIBRARY_DOT;
  return prepareDot(&each, algorithm, prepared);
}

static StitchStatus createConvolution(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm,
                                      void **prepared) {
  StitchConvolution *convolution = NULL;
  StitchStatus status = stitchConvolutionCreate(problem, algorithm, &convolution);
  *prepared = convolution;
  return status;
}

static StitchStatus executeConvolution(void *prepared, void *const *pointers) {
  return stitchConvolutionExecute(prepared, pointers[0], pointers[1], pointers[2]);
}

static void destroyConvolution(void *prepared) { stitchConvolutionDestroy(prepared); }

static bool convolutionHasAlgorithm(const void *prepared, StitchLibraryAlgorithm algorithm) {
  return stitchDotHasAlgorithm(stitchConvolutionDot(prepared), algorithm);
}

static StitchStatus createCholesky(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm,
                                   void **prepared) {
  (void)algorithm;
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

static StitchStatus createTriangularSolve(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm,
                                          void **prepared) {
  (void)algorithm;
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

static StitchStatus createFft(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm, void **prepared) {
  (void)algorithm;
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

static StitchStatus createCollective(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm,
                                     void **prepared) {
  (void)algorithm;
  StitchCollective *collective = NULL;
  StitchStatus status = stitchCollectiveCreate(problem, &collective);
  *prepared = collective;
  return status;
}

static StitchStatus executeCollective(void *prepared, void *const *pointers) {
  return stitchCollectiveExecute(prepared, pointers);
}

static void destroyCollective(void *prepared) { stitchCollectiveDestroy(prepared); }

#define COLLECTIVE(name) {name, createCollective, executeCollective, destroyCollective, NULL}

static const ProblemKind kinds[] = {
    [STITCH_LIBRARY_DOT] = {"dot", prepareDot, executeDot, destroyDot, dotHasAlgorithm},
    [STITCH_LIBRARY_CONVOLUTION] = {"convolution", createConvolution, executeConvolution, destroyConvolution,
                                    convolutionHasAlgorithm},
    [STITCH_LIBRARY_CHOLESKY] = {"cholesky", createCholesky, executeCholesky, destroyCholesky, NULL},
    [STITCH_LIBRARY_TRIANGULAR_SOLVE] = {"triangular_solve", createTriangularSolve, executeTriangularSolve,
                                         destroyTriangularSolve, NULL},
    [STITCH_LIBRARY_FFT] = {"fft", createFft, executeFft, destroyFft, NULL},
    [STITCH_LIBRARY_DOTS] = {"dots", createDots, executeDot, destroyDot, dotHasAlgorithm},
    [STITCH_LIBRARY_ALL_REDUCE] = COLLECTIVE("all_reduce"),
    [STITCH_LIBRARY_ALL_GATHER] = COLLECTIVE("all_gather"),
    [STITCH_LIBRARY_REDUCE_SCATTER] = COLLECTIVE("reduce_scatter"),
    [STITCH_LIBRARY_ALL_TO_ALL] = COLLECTIVE("all_to_all"),
    [STITCH_LIBRARY_COLLECTIVE_BROADCAST] = COLLECTIVE("collective_broadcast"),
    [STITCH_LIBRARY_COLLECTIVE_PERMUTE] = COLLECTIVE("collective_permute"),
    [STITCH_LIBRARY_PROCESS_ID] = COLLECTIVE("process_id"),
};

/// NULL if there is no such kind.
static const ProblemKind *findKind(StitchLibraryKind kind) {
  return (size_t)kind < sizeof(kinds) / sizeof(kinds[0]) ? &kinds[kind] : NULL;
}

const char *stitchLibraryKindName(StitchLibraryKind kind) {
  const ProblemKind *found = findKind(kind);
  return found ? found->name : "?";
}

/// A problem, and its kind's object for each algorithm; NULL: not called yet.
typedef struct {
  StitchLibraryProblem problem;
  StitchLibraryAlgorithm algorithm; ///< of its calls
  void *prepared[STITCH_LIBRARY_NUM_ALGORITHMS];
} ProblemEntry;

struct StitchLibrary {
  ProblemEntry *entries;
  int64_t count;
  StitchWorld *world;  // NULL: one process
  StitchStatus status; // the first failure of stitchLibraryCall
};

/// The loops sum in one order for each element. oneDNN has others for few rows.
static StitchLibraryAlgorithm onlyAlgorithm(const StitchLibraryProblem *problem) {
  return problem->isInvariant ? STITCH_LIBRARY_LOOPS : STITCH_LIBRARY_USUAL;
}

StitchStatus stitchLibraryCreate(const StitchLibraryProblem *problems, int64_t count, StitchLibrary **library) {
  if (count < 0)
    return stitchStatusMake(STITCH_INVALID_ARGUMENT, "a model cannot have %lld library calls", (long long)count);
  StitchLibrary *result = calloc(1, sizeof(*result));
  if (!result)
    return stitchStatusOutOfMemory();
  result->entries = calloc((size_t)count + 1, sizeof(*result->entries));
  if (!result->entries) {
    stitchLibraryDestroy(result);
    return stitchStatusOutOfMemory();
  }
  for (int64_t i = 0; i < count; ++i) {
    result->entries[i].problem = problems[i];
    result->entries[i].algorithm = onlyAlgorithm(&problems[i]);
  }
  result->count = count;
  *library = result;
  return NULL;
}

void stitchLibraryDestroy(StitchLibrary *library) {
  if (!library)
    return;
  for (int64_t i = 0; library->entries && i < library->count; ++i)
    for (int a = 0; a < STITCH_LIBRARY_NUM_ALGORITHMS; ++a)
      if (library->entries[i].prepared[a])
        findKind(library->entries[i].problem.kind)->destroy(library->entries[i].prepared[a]);
  stitchStatusFree(library->status);
  free(library->entries);
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

/// The object of the entry's kind for an algorithm.
static StitchStatus prepare(const StitchLibrary *library, ProblemEntry *entry, StitchLibraryAlgorithm algorithm,
                            const ProblemKind **kind) {
  *kind = findKind(entry->problem.kind);
  if (!*kind)
    return stitchStatusMake(STITCH_UNIMPLEMENTED, "unknown kind %d", (int)entry->problem.kind);
  void **prepared = &entry->prepared[algorithm];
  StitchStatus status = *prepared ? NULL : (*kind)->create(&entry->problem, algorithm, prepared);
  if (!status && stitchLibraryIsCollective(&entry->problem)) {
    char name[64];
    const char *kindName = stitchLibraryIsOfAll(&entry->problem) ? STITCH_LIBRARY_OPERANDS_OF_ALL : (*kind)->name;
    snprintf(name, sizeof(name), "%s_%lld", kindName, (long long)(entry - library->entries));
    stitchCollectiveSetWorld(*prepared, library->world, name);
  }
  return status;
}

static StitchStatus execute(const StitchLibrary *library, ProblemEntry *entry, void *const *pointers) {
  const StitchLibraryProblem *problem = &entry->problem;
  const ProblemKind *kind = NULL;
  StitchStatus status = prepare(library, entry, entry->algorithm, &kind);
  int64_t numPointers = stitchLibraryNumPointers(problem);
  bool isOne = stitchLibraryIsBucket(problem) || stitchLibraryIsOfAll(problem); // several tensors, one call
  int64_t step = isOne ? numPointers : problem->numOperands;
  for (int64_t first = 0; first < numPointers && !status; first += step)
    status = kind->execute(entry->prepared[entry->algorithm], pointers + first);
  bool hasSum = problem->epilogue.sum != STITCH_LIBRARY_NO_SUM;
  if (!status && (hasSum || stitchEpilogueExists(problem)))
    status = executeEpilogue(problem, pointers);
  return status || !hasSum ? status : executeSums(problem, pointers);
}

StitchStatus stitchLibraryListAlgorithms(StitchLibrary *library, int64_t index, StitchLibraryAlgorithms *algorithms) {
  static const char *const names[STITCH_LIBRARY_NUM_ALGORITHMS] = {"usual", "one_thread", "loops"};
  ProblemEntry *entry = &library->entries[index];
  const ProblemKind *kind = NULL;
  algorithms->count = 0;
  if (entry->problem.isInvariant) {
    algorithms->algorithms[0] = STITCH_LIBRARY_LOOPS;
    algorithms->names[algorithms->count++] = names[STITCH_LIBRARY_LOOPS];
    return NULL;
  }
  StitchStatus status = prepare(library, entry, STITCH_LIBRARY_USUAL, &kind);
  for (int a = 0; a < STITCH_LIBRARY_NUM_ALGORITHMS && !status; ++a) {
    if (a != STITCH_LIBRARY_USUAL && !(kind->hasAlgorithm && kind->hasAlgorithm(entry->prepared[0], a)))
      continue;
    algorithms->algorithms[algorithms->count] = a;
    algorithms->names[algorithms->count++] = names[a];
  }
  return stitchStatusAnnotate(status, "library call %lld", (long long)index);
}

void stitchLibrarySetWorld(StitchLibrary *library, StitchWorld *world) { library->world = world; }

void stitchLibraryUse(StitchLibrary *library, int64_t index, StitchLibraryAlgorithm algorithm) {
  library->entries[index].algorithm = algorithm;
}

StitchStatus stitchLibraryExecute(StitchLibrary *library, int64_t index, void *const *pointers) {
  if (index < 0 || index >= library->count)
    return stitchStatusMake(STITCH_INTERNAL, "library call %lld of a model that has %lld", (long long)index,
                            (long long)library->count);
  return stitchStatusAnnotate(execute(library, &library->entries[index], pointers), "library call %lld",
                              (long long)index);
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
