//===- dot_implementation.h - between cpu_dot.c and its implementations ------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_DOT_IMPLEMENTATION_H
#define STITCH_RUNTIME_LIBRARY_DOT_IMPLEMENTATION_H

#include "runtime/library/matrices.h"

/// result[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n]. No size is zero. The implementations below leave the
/// result dense, whatever the strides of `result` are.
typedef struct {
  StitchMatrices lhs;
  StitchMatrices rhs;
  StitchMatrices result;
  int64_t batch, m, n, k;
} StitchDotShape;

/// Checks a problem and brings its operands into that form. Fails as stitchDotCreate does.
StitchStatus stitchDotShapeOf(const StitchLibraryProblem *problem, StitchDotShape *shape);

typedef struct StitchDotOneDnn StitchDotOneDnn;

/// Prepares the problem in oneDNN. Leaves NULL in `dot` if oneDNN has no matmul of these types.
StitchStatus stitchDotOneDnnCreate(const StitchDotShape *shape, StitchDotOneDnn **dot);
StitchStatus stitchDotOneDnnExecute(StitchDotOneDnn *dot, const void *lhs, const void *rhs, void *result);
/// The number of threads of which a primitive is made and with which it is executed: those of the calling thread's
/// regions of OpenMP. Returns the number before; does nothing where oneDNN has no OpenMP.
int stitchDotOneDnnSetThreads(int count);
void stitchDotOneDnnDestroy(StitchDotOneDnn *dot);
const char *stitchDotOneDnnImplementation(const StitchDotOneDnn *dot);

/// The blocked loop: all types.
StitchStatus stitchDotLoop(const StitchDotShape *shape, const void *lhs, const void *rhs, void *result);

#endif // STITCH_RUNTIME_LIBRARY_DOT_IMPLEMENTATION_H
