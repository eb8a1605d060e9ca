//===- joining.h - stitch-enumerate: operands side by side ---------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_PASSES_STITCH_ENUMERATE_JOINING_H
#define STITCH_PASSES_STITCH_ENUMERATE_JOINING_H

#include "passes/stitch_enumerate/enumerate.h"

/// The fusion that puts operands side by side, while it is filled. Zero-initialised it is empty.
typedef struct {
  FusionBody body;
  ValueList results;
  MlirOperation fusion; ///< null until it is closed, and if there is nothing to do at run time
} Joining;

/// Operands side by side: a value, or (null) a result of the fusion.
typedef struct {
  MlirValue value;
  int64_t result;
} Joined;

/// Whether operands are constants, which are laid out when the model is compiled.
bool areConstants(MlirOperation const *products, int64_t count, int side);

/// Bytes of the constants that the operands on `side` become, `size` of them side by side at a time; 0: of none.
int64_t joinedConstantBytes(MlirOperation const *products, int64_t count, int64_t size, int side);

/// The operands on `side` of products side by side along a dimension; constants before `before`.
Joined joinOperands(Joining *joining, MlirOperation const *products, int64_t count, int side, int64_t dim,
                    MlirOperation before);

/// Puts the fusion, if it is needed, before `before`; joinedValue may be called then, joiningDestroy has to be.
void joiningClose(Joining *joining, MlirOperation before);
MlirValue joinedValue(const Joining *joining, Joined joined);
void joiningDestroy(Joining *joining);

#endif // STITCH_PASSES_STITCH_ENUMERATE_JOINING_H
