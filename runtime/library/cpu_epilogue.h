//===- cpu_epilogue.h - epilogues of library calls ------------------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_LIBRARY_CPU_EPILOGUE_H
#define STITCH_RUNTIME_LIBRARY_CPU_EPILOGUE_H

#include "runtime/library/cpu_library.h"
#include "runtime/library/epilogue_shape.h"

/// Whether the problem does anything with its result but store it.
bool stitchEpilogueExists(const StitchLibraryProblem *problem);

/// The numbers of the operands; 0: there is none.
int stitchEpilogueBias(const StitchLibraryProblem *problem);
int stitchEpilogueAddend(const StitchLibraryProblem *problem);
int stitchEpiloguePreactivation(const StitchLibraryProblem *problem);
int stitchEpilogueSum(const StitchLibraryProblem *problem);

/// The operands of an epilogue among those of a problem.
StitchEpilogueData stitchEpilogueDataOf(const StitchLibraryProblem *problem, void *const *pointers);

/// Checks the operands that a problem has behind its result, and describes the epilogue. Fails with
/// STITCH_INVALID_ARGUMENT if there are too few or too many, or they do not fit the result.
StitchStatus stitchEpilogueShapeOf(const StitchLibraryProblem *problem, StitchEpilogueShape *shape);

#endif // STITCH_RUNTIME_LIBRARY_CPU_EPILOGUE_H
