//===- host_objects.h - modules to objects for this machine --------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_LOWERING_LLVM_HOST_OBJECTS_H
#define STITCH_LOWERING_LLVM_HOST_OBJECTS_H

#include "lowering/llvm/llvm_object.h"

#include <stdbool.h>

/// A module in the LLVM dialect. Functions that are local to it get its name as a suffix: one object file may call
/// those of another.
typedef struct {
  MlirOperation module;
  const char *name;
  const char *program;       ///< the suffix of its functions' names, so that other programs may have the same; ""
  bool longFunctionsRunOnce; ///< and so are not optimised
} StitchHostModule;

/// The same as LLVM bitcode, after the optimisations of the whole module, cut into parts.
typedef struct StitchHostCode StitchHostCode;

/// Translates a module, on any thread. NULL after a failure, which is reported at the module.
StitchHostCode *stitchTranslateHostModule(const StitchHostModule *module);

/// NULL is none.
void stitchHostCodeDestroy(StitchHostCode *code);

/// Object files, released with stitchHostObjectsDestroy.
typedef struct {
  StitchLLVMCode *data;
  int count;
} StitchHostObjects;

/// Compiles modules for the baseline of this machine's architecture, on the threads of the MLIR context of `op`. The
/// number of objects, and their contents, do not depend on the threads. A failure is reported at `op` and leaves
/// nothing in `objects`.
MlirLogicalResult stitchCompileHostObjects(MlirOperation op, StitchHostCode *const *modules, int count,
                                           StitchHostObjects *objects);

void stitchHostObjectsDestroy(StitchHostObjects *objects);

#endif // STITCH_LOWERING_LLVM_HOST_OBJECTS_H
