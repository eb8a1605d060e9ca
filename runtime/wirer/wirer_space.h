//===- wirer_space.h - adaptive variables and the update tree -------------===//
//
// Part of the Stitch project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adaptive variables and the update tree in which they are explored (Astra 4.4.2), as they are in a model file. They
// are part of the interface of runtime/model.h, whose rules and version hold here, too.
//
//===----------------------------------------------------------------------===//

#ifndef STITCH_RUNTIME_WIRER_WIRER_SPACE_H
#define STITCH_RUNTIME_WIRER_WIRER_SPACE_H

#include <stdint.h>

/// A choice that is left to the runtime (Astra 4.4.2). Version 0 is the one that runs while nothing is known.
typedef struct {
  const char *name;
  const char *const *versions; ///< their names
  int64_t numVersions;
  int64_t bitwise; ///< 1: all versions compute the same bits
} StitchModelAdaptive;

/// How the children of a node of the update tree are explored (Astra 4.4.2); a leaf is a variable.
typedef enum {
  STITCH_UPDATE_VARIABLE = 0,
  STITCH_UPDATE_PARALLEL = 1,   ///< each for itself, all at the same time
  STITCH_UPDATE_EXHAUSTIVE = 2, ///< all combinations
  STITCH_UPDATE_PREFIX = 3,     ///< one after the other, those before at their best
} StitchUpdateMode;

/// The update tree is an array of nodes, a node before those below it.
typedef struct {
  int64_t mode;           ///< StitchUpdateMode
  int64_t variable;       ///< of a leaf
  int64_t numNodes;       ///< it and all below it
  const int64_t *context; ///< variables, in leaves before it, whose versions its measurements depend on
  int64_t numContext;
} StitchModelUpdate;

#endif // STITCH_RUNTIME_WIRER_WIRER_SPACE_H
