//===- cpu_dot.h - tg.dot on the CPU --------------------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// oneDNN's matmul where it has the element types, a blocked loop for the others. Batch and contracting dimensions may
// stand anywhere in an operand: they become strides, and an operand is copied only if no single stride describes its
// rows or columns.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_CPU_DOT_H
#define STITCH_RUNTIME_LIBRARY_CPU_DOT_H

#include "runtime/library/cpu_library.h"

#include <stdbool.h>

/// A dot problem, prepared: executing it again costs nothing but the arithmetic. Not thread-safe.
typedef struct StitchDot StitchDot;

/// Fails with STITCH_INVALID_ARGUMENT if the problem contradicts itself, with STITCH_UNIMPLEMENTED if no implementation
/// has its types. The caller releases the result with stitchDotDestroy.
StitchStatus stitchDotCreate(const StitchLibraryProblem *problem, StitchLibraryAlgorithm algorithm, StitchDot **dot);

/// Whether the problem of a dot that was created as usual has another algorithm.
bool stitchDotHasAlgorithm(const StitchDot *dot, StitchLibraryAlgorithm algorithm);

/// `result` must not overlap the operands.
StitchStatus stitchDotExecute(StitchDot *dot, const void *lhs, const void *rhs, void *result);

/// Releases a dot; NULL is allowed.
void stitchDotDestroy(StitchDot *dot);

/// The implementation, for reports: oneDNN's name of it, or "loop".
const char *stitchDotImplementation(const StitchDot *dot);

/// The library that dots go through, with its version: "oneDNN 3.1.1", or "loops".
void stitchDotLibraryName(char *text, size_t size);

/// How many threads the library takes for a dot; 1 if it does not say.
int stitchDotLibraryThreads(void);

#endif // STITCH_RUNTIME_LIBRARY_CPU_DOT_H
