//===- cpu_library.h - the library calls of a model -----------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A StitchLibraryProblem describes a computation that the compiler leaves to a vendor's library: the run-time form of
// the `stitch.library` attribute (docs/ir.md, section 3). A model has a table of distinct problems, and each call names
// one by its index. A StitchLibrary computes them on the CPU.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_CPU_LIBRARY_H
#define STITCH_RUNTIME_LIBRARY_CPU_LIBRARY_H

#include "runtime/library/cpu_problem.h"
#include "runtime/status.h"
#include "runtime/world/world.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// "dot", "fft" and so on, as in the attribute `stitch.library`; "?" if there is no such kind.
const char *stitchLibraryKindName(StitchLibraryKind kind);

/// Ways to compute a dot or convolution on the CPU, the usual one first. Other problems have that one.
typedef enum {
  STITCH_LIBRARY_USUAL = 0,      ///< oneDNN, with the threads that it takes; loops where it does not have the types
  STITCH_LIBRARY_ONE_THREAD = 1, ///< oneDNN with one thread
  STITCH_LIBRARY_LOOPS = 2,      ///< loops, which sum in a wider type
  STITCH_LIBRARY_NUM_ALGORITHMS = 3,
} StitchLibraryAlgorithm;

/// Those that a problem has, and their names, which live as long as the program.
typedef struct {
  int64_t count;
  StitchLibraryAlgorithm algorithms[STITCH_LIBRARY_NUM_ALGORITHMS];
  const char *names[STITCH_LIBRARY_NUM_ALGORITHMS];
} StitchLibraryAlgorithms;

/// The CPU's implementation of a table of problems. It keeps the objects of a problem's first call. Not thread-safe.
typedef struct StitchLibrary StitchLibrary;

/// Copies the problems. The caller releases the result with stitchLibraryDestroy.
StitchStatus stitchLibraryCreate(const StitchLibraryProblem *problems, int64_t count, StitchLibrary **library);
void stitchLibraryDestroy(StitchLibrary *library);

/// Prepares problem `index` and lists the algorithms that it has, the usual one first.
StitchStatus stitchLibraryListAlgorithms(StitchLibrary *library, int64_t index, StitchLibraryAlgorithms *algorithms);

/// One of those for calls of problem `index` from now on.
void stitchLibraryUse(StitchLibrary *library, int64_t index, StitchLibraryAlgorithm algorithm);

/// The processes that calls between them are made with; it outlives the library. Without, there is one process.
void stitchLibrarySetWorld(StitchLibrary *library, StitchWorld *world);

/// Computes problem `index`. `pointers` are the data of its operands (stitchLibraryNumPointers), each aligned to its
/// element type.
StitchStatus stitchLibraryExecute(StitchLibrary *library, int64_t index, void *const *pointers);

/// stitchLibraryExecute for compiled host code, which passes the StitchLibrary as `context`. Returns 0, or the code of
/// the first failure since stitchLibraryTakeStatus: after a failure nothing more is computed.
int stitchLibraryCall(void *context, int64_t index, void *const *pointers);

/// The first failure in stitchLibraryCall, now owned by the caller; NULL if there was none. Calls work again
/// afterwards.
StitchStatus stitchLibraryTakeStatus(StitchLibrary *library);

#ifdef __cplusplus
}
#endif

#endif // STITCH_RUNTIME_LIBRARY_CPU_LIBRARY_H
